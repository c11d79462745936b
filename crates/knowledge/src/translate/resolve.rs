//! Which node of a page an action means.
//!
//! In: a [`Page`], and what is known of the node: index, selector, words. Out: one node that can be
//! acted on. Invariants: nothing is guessed: no node and several nodes are errors that name
//! candidates; what was known by its exact name is not replaced by what stands at its place, unless
//! the knowledge says that the name varies; prices and counts in brackets are no part of a name.
//!
//! Of several nodes of the same words, those that the action can be done on and that nothing covers
//! are preferred before it is called ambiguous.

use super::ActionType;
use super::error::{TranslateError, shown};
use super::nearest::likeness;
use crate::extract::view::{Labels, name_of, one_line, role_of};
use crate::model::{ActionDefinition, ElementTarget};
use browserlens_core::page::select::{MalformedSelector, Selector};
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page, States, role};
use browserlens_trace::scenario::{Target, TargetBy, called};
use regex::Regex;
use std::collections::BTreeSet;
use std::sync::LazyLock;

/// Most candidates that an error names.
const MOST: usize = 5;
/// Most levels of `within` that are followed.
const DEEPEST: usize = 8;

/// What is known of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Backend node id on the page.
    pub index: Option<u32>,
    /// CSS selector.
    pub selector: Option<String>,
    /// In words.
    pub target: Option<ElementTarget>,
}

impl Wanted {
    /// Returns what an action says of its node.
    pub fn of(action: &ActionDefinition) -> Self {
        let index = action.parameters.get("index").and_then(serde_json::Value::as_u64);
        let is_some = |text: &&String| !text.trim().is_empty();
        Self {
            index: index.and_then(|index| u32::try_from(index).ok()),
            selector: action.target_selector.as_ref().filter(is_some).cloned(),
            target: action.target.clone().filter(|target| *target != ElementTarget::default()),
        }
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.index.is_none() && self.selector.is_none() && self.target.is_none()
    }

    /// Returns it in words, for messages.
    pub fn in_words(&self) -> String {
        if let Some(target) = &self.target {
            return in_words(target, 0);
        }
        match (&self.selector, self.index) {
            (Some(selector), _) => format!("selector {:?}", shown(selector)),
            (None, Some(index)) => format!("index {index}"),
            (None, None) => "nothing".to_owned(),
        }
    }
}

fn in_words(target: &ElementTarget, depth: usize) -> String {
    let said = |text: &String| Some(shown(text)).filter(|_| !text.is_empty());
    let within = target.within.as_deref().filter(|_| depth < DEEPEST);
    let words = [
        said(&target.role),
        said(&target.name).map(|name| format!("{name:?}")),
        said(&target.text).map(|text| format!("text {text:?}")),
        target.nth.map(|nth| format!("number {nth}")),
        within.map(|within| format!("within {}", in_words(within, depth + 1))),
    ];
    let words: Vec<String> = words.into_iter().flatten().collect();
    if words.is_empty() { "a node without words".to_owned() } else { words.join(" ") }
}

/// A node that may have been meant, in words.
fn candidate(node: NodeRef<'_>) -> String {
    format!("[{}] {} {:?}", node.key().backend, shown(node.role()), shown(&called(node)))
}

/// Returns the node that is meant.
///
/// # Errors
/// [`TranslateError::Missing`], [`TranslateError::Ambiguous`], [`TranslateError::BadSelector`].
pub fn resolve<'p>(page: &'p Page, kind: ActionType, wanted: &Wanted) -> Result<NodeRef<'p>, TranslateError> {
    let has_index = |id: &NodeId| wanted.index == Some(page.node(*id).key().backend);
    let by_selector = wanted.selector.as_deref().map(|selector| by_selector(page, selector)).transpose();
    let by_words = wanted.target.as_ref().map(|target| by_words(page, target));
    let found = match (by_words, by_selector) {
        (None, Ok(None)) => {
            page.nodes().filter(|n| n.kind() == NodeKind::Element).map(|n| n.id()).filter(has_index).collect()
        }
        (None, selected) => selected?.unwrap_or_default(),
        (Some(named), Ok(Some(selected))) => joined(page, wanted, named, selected),
        // A stored selector that is none does not matter where words tell the node.
        (Some(named), _) if !named.is_empty() => named,
        (Some(_), Ok(None)) => varying(page, wanted),
        (Some(_), Err(error)) => return Err(error),
    };
    // An index is of one load of a page: it chooses among what words and selector leave, and stands
    // alone only where there are none.
    let found = match found.iter().copied().find(has_index) {
        Some(id) => vec![id],
        None => preferred(page, kind, found),
    };
    match found.as_slice() {
        [] => Err(missing(page, kind, wanted)),
        [one] => Ok(page.node(*one)),
        many => Err(TranslateError::Ambiguous {
            wanted: wanted.in_words(),
            count: many.len(),
            candidates: many.iter().take(MOST).map(|id| candidate(page.node(*id))).collect(),
        }),
    }
}

fn can_be_meant(node: &NodeRef<'_>) -> bool {
    node.can_be_acted_on() || node.is_visible() || node.descendants().any(|below| below.is_visible())
}

fn by_selector(page: &Page, selector: &str) -> Result<Vec<NodeId>, TranslateError> {
    Ok(parsed(selector)?.find(page).into_iter().filter(|id| can_be_meant(&page.node(*id))).collect())
}

/// Reads a selector, or says what is wrong with it.
pub(super) fn parsed(selector: &str) -> Result<Selector, TranslateError> {
    let wrong = |reason: String| TranslateError::BadSelector { selector: shown(selector), reason: shown(&reason) };
    selector.parse().map_err(|error: MalformedSelector| wrong(error.to_string()))
}

/// Nodes of these words, in document order.
fn by_words(page: &Page, target: &ElementTarget) -> Vec<NodeId> {
    let found = match all_by_words(page, target, Naming::Exact, 0) {
        found if found.is_empty() => all_by_words(page, target, Naming::ButNumbers, 0),
        found => found,
    };
    nth_of(found, target.nth)
}

/// The one of a number, all where none is said.
fn nth_of(found: Vec<NodeId>, nth: Option<u32>) -> Vec<NodeId> {
    match nth {
        Some(nth) => found.get(nth as usize).copied().into_iter().collect(),
        None => found,
    }
}

/// Whether a role says nothing of what an element is: some sources write none, some `generic`.
fn no_role(role: &str) -> bool {
    matches!(role, "" | "generic")
}

/// How a name is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Naming {
    Exact,
    /// But for prices and counts in brackets.
    ButNumbers,
    /// Not at all.
    Any,
}

/// Writes a name without what changes from day to day: prices, and counts in brackets.
fn without_numbers(name: &str) -> String {
    static CHANGING: LazyLock<Option<Regex>> =
        LazyLock::new(|| Regex::new(r"\p{Sc}\s?\d([\d.,\s]*\d)?|\d([\d.,]*\d)?\s?\p{Sc}|\(\d+\)|\[\d+\]").ok());
    match &*CHANGING {
        Some(changing) => changing.replace_all(name, "#").into_owned(),
        None => name.to_owned(),
    }
}

fn all_by_words(page: &Page, target: &ElementTarget, naming: Naming, depth: usize) -> Vec<NodeId> {
    let scopes = match target.within.as_deref() {
        Some(_) if depth >= DEEPEST => return Vec::new(),
        Some(within) => {
            let around = if naming == Naming::Any { Naming::Exact } else { naming };
            Some(nth_of(all_by_words(page, within, around, depth + 1), within.nth))
        }
        None => None,
    };
    let in_scope = |id: NodeId| {
        scopes.as_ref().is_none_or(|scopes| scopes.iter().any(|scope| *scope != id && page.node(*scope).holds(id)))
    };
    let name = one_line(&target.name);
    let text = one_line(&target.text);
    if name.is_empty() && text.is_empty() && target.role.is_empty() {
        return Vec::new();
    }
    let labels = Labels::of(page);
    // A node without an accessible name is called by its text, and an open dialog takes names and
    // roles away from what lies behind it.
    let wanted = if name.is_empty() { &text } else { &name };
    let loose = without_numbers(wanted);
    if naming == Naming::ButNumbers && loose == *wanted {
        return Vec::new();
    }
    let is_it = |own: &str| match naming {
        Naming::ButNumbers => without_numbers(own) == loose,
        _ => own == wanted,
    };
    let is_named = |node: &NodeRef<'_>| {
        if wanted.is_empty() || naming == Naming::Any {
            return true;
        }
        let own = one_line(node.name());
        if !own.is_empty() {
            return is_it(&own);
        }
        is_it(&name_of(*node, &labels)) || is_it(&one_line(&called(*node)))
    };
    let has_role =
        |node: &NodeRef<'_>| no_role(&target.role) || node.role() == target.role || role_of(*node) == target.role;
    let mut found: Vec<NodeId> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Element)
        .filter(|node| has_role(node) && in_scope(node.id()) && can_be_meant(node) && is_named(node))
        .map(|node| node.id())
        .collect();
    if found.is_empty() && !text.is_empty() && naming == Naming::Exact {
        // The smallest element whose whole visible text this is.
        let by_text = Target { by: TargetBy::Text(text.clone()), within: None, nth: None };
        found = by_text.matches(page);
        found.retain(|id| in_scope(*id) && has_role(&page.node(*id)));
    }
    if no_role(&target.role) { one_of_each_nest(page, found) } else { found }
}

/// Without a role whatever holds a text is called by it, up to the page: of nodes in one another
/// the one that can be acted on is meant, else the innermost.
fn one_of_each_nest(page: &Page, found: Vec<NodeId>) -> Vec<NodeId> {
    let acting: Vec<NodeId> = found.iter().copied().filter(|id| page.node(*id).is_interactive()).collect();
    let found = if acting.is_empty() { found } else { acting };
    innermost(page, &found)
}

/// Those that hold none of the others.
fn innermost(page: &Page, found: &[NodeId]) -> Vec<NodeId> {
    let holds_another = |id: &NodeId| found.iter().any(|other| other != id && page.node(*id).holds(*other));
    found.iter().copied().filter(|id| !holds_another(id)).collect()
}

/// Joins what words and a selector say.
fn joined(page: &Page, wanted: &Wanted, named: Vec<NodeId>, selected: Vec<NodeId>) -> Vec<NodeId> {
    let chosen: BTreeSet<NodeId> = selected.iter().copied().collect();
    let both: Vec<NodeId> = named.iter().copied().filter(|id| chosen.contains(id)).collect();
    if !both.is_empty() {
        return both;
    }
    if !named.is_empty() {
        return named;
    }
    let Some(target) = &wanted.target else { return selected };
    let is_called = !target.name.is_empty() || !target.text.is_empty();
    if is_called && !target.name_varies {
        // What is around it may be called after what the page is about; its own words and its place
        // still tell it.
        let anywhere = ElementTarget { within: None, nth: None, ..target.clone() };
        let mut named = all_by_words(page, &anywhere, Naming::Exact, 0);
        named.retain(|id| target.within.is_some() && chosen.contains(id));
        return named;
    }
    selected.into_iter().filter(|id| target.role.is_empty() || page.node(*id).role() == target.role).collect()
}

/// A name that differs from page to page: the name anywhere, since the names of what is around it
/// differ too; else whatever has the role at that place.
fn varying(page: &Page, wanted: &Wanted) -> Vec<NodeId> {
    match &wanted.target {
        Some(target) if target.name_varies && !target.role.is_empty() => {
            let anywhere = ElementTarget { within: None, nth: None, ..target.clone() };
            let named = all_by_words(page, &anywhere, Naming::Exact, 0);
            if !named.is_empty() {
                return named;
            }
            nth_of(all_by_words(page, target, Naming::Any, 0), target.nth)
        }
        _ => Vec::new(),
    }
}

/// Keeps those that the action can be done on, then those that nothing covers, as long as any is
/// left; of two in one another, as a box around a combobox and its field, the inner one.
fn preferred(page: &Page, kind: ActionType, found: Vec<NodeId>) -> Vec<NodeId> {
    let tests: [&dyn Fn(NodeRef<'_>) -> bool; 3] = [
        &|node| fits(kind, node),
        &|node| node.covered_by().is_none() && !node.flags().has(browserlens_core::page::Flags::INERT),
        &|node| !node.states().has(States::DISABLED),
    ];
    let found = tests.into_iter().fold(found, |found, test| {
        if found.len() < 2 {
            return found;
        }
        let kept: Vec<NodeId> = found.iter().copied().filter(|id| test(page.node(*id))).collect();
        if kept.is_empty() { found } else { kept }
    });
    innermost(page, &found)
}

/// Whether an action of a kind can be done on a node.
fn fits(kind: ActionType, node: NodeRef<'_>) -> bool {
    use ActionType as A;
    match kind {
        A::Input | A::Type | A::TypeSlowly | A::Clear => {
            role::is_text_field(node.role()) || node.states().has(States::EDITABLE)
        }
        A::SelectDropdown | A::DropdownOptions => {
            matches!(node.role(), "combobox" | "listbox") || node.tag() == "select"
        }
        A::Check | A::Uncheck | A::Toggle => node.checked().is_some(),
        A::UploadFile => node.attribute("type") == Some("file"),
        _ => node.is_interactive(),
    }
}

fn missing(page: &Page, kind: ActionType, wanted: &Wanted) -> TranslateError {
    let (role, name) = match &wanted.target {
        Some(target) if !target.name.is_empty() => (target.role.as_str(), target.name.as_str()),
        Some(target) => (target.role.as_str(), target.text.as_str()),
        None => ("", wanted.selector.as_deref().unwrap_or_default()),
    };
    let mut scored: Vec<(f64, NodeRef<'_>)> = page
        .nodes()
        .filter(|node| node.kind() == NodeKind::Element && node.is_interactive() && node.can_be_acted_on())
        .map(|node| {
            let alike = likeness(name, &called(node));
            let of_role = f64::from(u8::from(!role.is_empty() && node.role() == role)) * 0.3;
            (alike + of_role + f64::from(u8::from(fits(kind, node))) * 0.05, node)
        })
        .filter(|(score, _)| *score >= 0.3)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.id().cmp(&b.1.id())));
    let candidates = scored.into_iter().take(MOST).map(|(_, node)| candidate(node)).collect();
    TranslateError::Missing { wanted: wanted.in_words(), candidates }
}

#[cfg(test)]
mod tests {
    use super::{parsed, without_numbers};

    #[test]
    fn what_is_no_selector_is_refused() {
        assert!(parsed("#a > button").is_ok());
        for bad in ["", "a{}", "');alert(1)//", "a[", "javascript:alert(1)", "<script>"] {
            assert!(parsed(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn prices_and_counts_in_brackets_are_no_part_of_a_name() {
        for (name, left) in [
            ("Reserve 2 seats for £142.00", "Reserve 2 seats for #"),
            ("Cart (12)", "Cart #"),
            ("12,50 € a night", "# a night"),
            ("Delete row 3", "Delete row 3"),
            ("January 29, 2026", "January 29, 2026"),
        ] {
            assert_eq!(without_numbers(name), left);
        }
    }
}
