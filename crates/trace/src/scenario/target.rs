//! How a scenario names a node, and which nodes of a page that is.
//!
//! In: role and name, text, CSS or a point. Out: the matching nodes of a [`Page`], in document
//! order. Invariant: only nodes that can be seen or acted on match; CSS is resolved by the browser,
//! never here.

use browserlens_core::page::text::folded;
use browserlens_core::page::{NodeId, NodeKey, NodeKind, NodeRef, Page};
use browserlens_core::strategy::NodeHint;
use std::fmt;

/// How a node is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// What it is.
    pub by: TargetBy,
    /// An ancestor that it lies in.
    pub within: Option<Box<Target>>,
    /// Which one of several, counted from 0.
    pub nth: Option<u32>,
}

/// By what a node is named.
#[derive(Clone, Debug, PartialEq)]
pub enum TargetBy {
    /// Role, and accessible name unless any will do.
    Role {
        /// Role as in the accessibility tree.
        role: String,
        /// Accessible name, exact.
        name: Option<String>,
    },
    /// CSS selector, and a point in CSS px from the node's top left corner if not its middle.
    Css {
        /// The selector.
        selector: String,
        /// x and y.
        point: Option<(f32, f32)>,
    },
    /// Visible text: the smallest element whose whole text this is.
    Text(String),
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ ")?;
        match &self.by {
            TargetBy::Role { role, name } => {
                write!(f, "role = {role:?}")?;
                if let Some(name) = name {
                    write!(f, ", name = {name:?}")?;
                }
            }
            TargetBy::Css { selector, point } => {
                write!(f, "css = {selector:?}")?;
                if let Some((x, y)) = point {
                    write!(f, ", point = [{x}, {y}]")?;
                }
            }
            TargetBy::Text(text) => write!(f, "text = {text:?}")?,
        }
        if let Some(within) = &self.within {
            write!(f, ", within = {within}")?;
        }
        if let Some(nth) = self.nth {
            write!(f, ", nth = {nth}")?;
        }
        f.write_str(" }")
    }
}

/// Longest text that is taken for a node's name, in bytes.
const LONGEST_NAME: usize = 80;

impl Target {
    /// Returns the target in words, as far as it has any: what an agent is told of the outer nodes
    /// of a `within`.
    pub fn in_words(&self) -> NodeHint {
        let (role, name) = match &self.by {
            TargetBy::Role { role, name } => (role.clone(), name.clone().unwrap_or_default()),
            TargetBy::Text(text) => (String::new(), text.clone()),
            TargetBy::Css { .. } => (String::new(), String::new()),
        };
        NodeHint { role, name, ..self.around() }
    }

    /// Returns the node that a target means, in words: its own role and name, and the target's
    /// `within` and `nth`.
    pub fn hint(&self, node: NodeRef<'_>) -> NodeHint {
        NodeHint { role: node.role().to_owned(), name: called(node), ..self.around() }
    }

    fn around(&self) -> NodeHint {
        let within = self.within.as_deref().map(|within| Box::new(within.in_words()));
        NodeHint { within, nth: self.nth, ..NodeHint::default() }
    }
}

/// Returns a node in words: its role and name, and which one it is where several are called so.
pub fn in_words(page: &Page, key: NodeKey) -> Option<NodeHint> {
    let node = page.find(key)?;
    let (role, name) = (node.role().to_owned(), called(node));
    let alike = Target::role(&role, &name).matches(page);
    let nth = alike.iter().position(|id| *id == node.id()).filter(|_| alike.len() > 1).map(|at| at as u32);
    Some(NodeHint { role, name, within: None, nth })
}

/// Returns what a person would call a node: its accessible name, or the text that can be seen in it
/// where it has none (a `div` that only a listener makes a button), if that is short.
pub fn called(node: NodeRef<'_>) -> String {
    if !node.name().trim().is_empty() {
        return node.name().to_owned();
    }
    let mut words: Vec<&str> = Vec::new();
    let mut length = 0;
    for text in node.descendants().filter(|below| below.kind() == NodeKind::Text && below.is_visible()) {
        for word in text.text().split_whitespace() {
            length += word.len() + 1;
            if length > LONGEST_NAME {
                return String::new();
            }
            words.push(word);
        }
    }
    words.join(" ")
}

impl Target {
    /// Returns a target by role and exact name.
    pub fn role(role: &str, name: &str) -> Self {
        Self { by: TargetBy::Role { role: role.to_owned(), name: Some(name.to_owned()) }, within: None, nth: None }
    }

    /// Returns whether a browser is needed to find the node.
    pub fn needs_browser(&self) -> bool {
        matches!(self.by, TargetBy::Css { .. }) || self.within.as_ref().is_some_and(|within| within.needs_browser())
    }

    /// Returns the visible nodes of the page that match, in document order; `nth` picks one of
    /// them.
    ///
    /// A CSS target matches nothing here: the browser resolves it.
    pub fn matches(&self, page: &Page) -> Vec<NodeId> {
        let mut found = self.all_matches(page);
        if let Some(nth) = self.nth {
            found = found.get(nth as usize).copied().into_iter().collect();
        }
        found
    }

    fn all_matches(&self, page: &Page) -> Vec<NodeId> {
        let scopes = self.within.as_ref().map(|within| within.matches(page));
        let in_scope = |node: &NodeRef<'_>| {
            scopes.as_ref().is_none_or(|scopes| {
                scopes.iter().any(|scope| *scope != node.id() && page.node(*scope).holds(node.id()))
            })
        };
        match &self.by {
            TargetBy::Css { .. } => Vec::new(),
            TargetBy::Role { role, name } => {
                let name = name.as_deref().map(folded);
                page.nodes()
                    .filter(|node| node.kind() != NodeKind::Text && node.role() == role)
                    .filter(|node| name.as_ref().is_none_or(|name| folded(node.name()) == *name))
                    .filter(|node| node.can_be_acted_on() || has_visible_part(node))
                    .filter(in_scope)
                    .map(|node| node.id())
                    .collect()
            }
            TargetBy::Text(text) => text_matches(page, &folded(text), &in_scope),
        }
    }
}

/// Elements without a box of their own (`display: contents`, a label around a hidden input) count
/// when something in them shows.
fn has_visible_part(node: &NodeRef<'_>) -> bool {
    node.descendants().any(|below| below.is_visible())
}

fn text_matches(page: &Page, wanted: &str, in_scope: &dyn Fn(&NodeRef<'_>) -> bool) -> Vec<NodeId> {
    let mut found: Vec<NodeId> = Vec::new();
    // Elements whose text is longer than the wanted one cannot match: a bottom-up pass bounds the
    // work by text lengths.
    let lengths = visible_text_lengths(page);
    for node in page.nodes().filter(|node| node.kind() == NodeKind::Element) {
        let length = lengths[node.id().index()];
        if length < wanted.len() || length > wanted.len().saturating_mul(4) + 64 || !in_scope(&node) {
            continue;
        }
        if folded(&node.visible_text()) == wanted {
            // The innermost element wins over those around it.
            while found.last().is_some_and(|last| page.node(*last).holds(node.id())) {
                found.pop();
            }
            found.push(node.id());
        }
    }
    found
}

fn visible_text_lengths(page: &Page) -> Vec<usize> {
    let mut lengths = vec![0; page.len()];
    for node in page.nodes().rev() {
        if matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) && node.is_visible() {
            lengths[node.id().index()] += node.text().len() + 1;
        }
        if let Some(parent) = node.parent() {
            lengths[parent.id().index()] += lengths[node.id().index()];
        }
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn page() -> Page {
        PageBuilder::outline(
            r#"
            navigation "Main"
              link "Cart"
                text "Cart"
            main
              link "Cart"
                text "Cart"
              button "Buy" hidden
              button "Buy"
                generic
                  text "Buy  now"
            "#,
        )
    }

    fn names(target: &Target) -> Vec<u32> {
        target.matches(&page()).iter().map(|id| id.0).collect()
    }

    #[test]
    fn role_and_name_match_every_visible_node_in_document_order() {
        assert_eq!(names(&Target::role("link", "Cart")), [2, 5]);
        assert_eq!(names(&Target::role("button", "Buy")), [8]);
    }

    #[test]
    fn within_and_nth_narrow() {
        let mut target = Target::role("link", "Cart");
        target.within =
            Some(Box::new(Target { by: TargetBy::Role { role: "main".into(), name: None }, within: None, nth: None }));
        assert_eq!(names(&target), [5]);
        let mut target = Target::role("link", "Cart");
        target.nth = Some(1);
        assert_eq!(names(&target), [5]);
        target.nth = Some(2);
        assert_eq!(names(&target), Vec::<u32>::new());
    }

    #[test]
    fn text_finds_the_innermost_element() {
        let target = Target { by: TargetBy::Text("Buy now".into()), within: None, nth: None };
        assert_eq!(names(&target), [9]);
    }

    #[test]
    fn a_target_prints_as_it_is_written() {
        let mut target = Target::role("link", "Cart");
        target.nth = Some(1);
        assert_eq!(target.to_string(), r#"{ role = "link", name = "Cart", nth = 1 }"#);
    }

    #[test]
    fn a_nameless_node_is_called_by_the_short_text_that_can_be_seen_in_it() {
        let page = PageBuilder::outline(
            "main\n  generic #20\n    text \"Blocked\" #30\n    text \"gone\" hidden #40\n  button \"Go\" #50\n    \
                text \"On\" #60",
        );
        let node = |backend: u32| page.nodes().find(|node| node.key().backend == backend).expect("is there");
        assert_eq!(called(node(20)), "Blocked");
        assert_eq!(called(node(50)), "Go");
        let long = PageBuilder::outline(&format!("generic #20\n  text \"{}\" #30", "word ".repeat(20)));
        assert_eq!(called(long.nodes().find(|node| node.key().backend == 20).expect("is there")), "");
        let target =
            Target { within: Some(Box::new(Target::role("region", "Filters"))), ..Target::role("generic", "x") };
        let hint = target.hint(node(20));
        assert_eq!((hint.role.as_str(), hint.name.as_str()), (node(20).role(), "Blocked"));
        assert_eq!(hint.within.map(|within| (within.role, within.name)), Some(("region".into(), "Filters".into())));
    }
}
