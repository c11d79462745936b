//! One recording, as much of it as knowledge needs.
//!
//! In: a trace, or pages and actions one by one. Out: a [`Recording`], which holds no page.
//! Invariant: what was typed into a secret field is replaced by a placeholder as soon as it is
//! read, also where it was typed again elsewhere.

use super::nodes;
use super::urls::Parts;
use super::view::{self, PageView};
use crate::error::KnowledgeError;
use crate::model::{ElementTarget, Provenance, WebsiteId};
use browserlens_core::page::select::Selector;
use browserlens_core::page::{Flags, NodeRef, Page, Tri};
use browserlens_core::strategy::{ActionKind, NodeHint};
use browserlens_trace::scenario::{Action, Scenario, TargetBy};
use browserlens_trace::{ActionRecord, Trace};
use serde_json::Value;
use std::collections::BTreeMap;

/// Shortest secret that is looked for in other texts: shorter ones occur everywhere.
const LEAST_SECRET: usize = 4;

/// What one recording tells: its pages in the order of steps, and what was done between them.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    /// The website it begins on; pages of other hosts belong to other websites.
    pub website_id: WebsiteId,
    /// Host of its first page that has one: what the website is called by `website_id`.
    pub(crate) home: Option<String>,
    /// What it is called in provenance: the hash of its trace file in hex.
    pub trace_hash: String,
    /// Name of its scenario.
    pub scenario: String,
    /// Goal in the user's words.
    pub goal: String,
    pub(crate) steps: Vec<Seen>,
    secrets: Vec<(String, String)>,
    is_crawl: bool,
}

/// One step: what was done, and the page afterwards.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    pub step: u32,
    pub view: PageView,
    /// How long the page was let be before the next action, in milliseconds of its time.
    pub waited_ms: u64,
    pub done: Option<Done>,
}

/// What was done.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    pub kind: ActionKind,
    pub text: String,
    pub target: Option<ElementTarget>,
    pub selector: Option<String>,
    /// How the node is built, for nodes that are one of many.
    pub built: String,
    pub point: Option<(f32, f32)>,
    /// Parameters that nothing but the scenario, or the page afterwards, tells.
    pub meant: BTreeMap<String, Value>,
    pub failed: bool,
    /// Position in the recording of the step whose page was acted on.
    pub on: usize,
}

impl Recording {
    /// Begins a recording of a website.
    pub fn new(website_id: impl Into<WebsiteId>, trace_hash: &str, scenario: &str, goal: &str) -> Self {
        Self {
            website_id: website_id.into(),
            trace_hash: trace_hash.to_owned(),
            scenario: scenario.to_owned(),
            goal: goal.to_owned(),
            ..Self::default()
        }
    }

    /// Begins a recording of what a crawler sees; `id` stands in the place of a trace's hash.
    pub fn crawled(website_id: impl Into<WebsiteId>, id: &str) -> Self {
        Self { is_crawl: true, ..Self::new(website_id, id, "", "") }
    }

    /// Says where a step is known from.
    pub(crate) fn provenance(&self, seen: &Seen) -> Provenance {
        if self.is_crawl {
            return Provenance::Crawl { url: seen.view.url.clone() };
        }
        Provenance::Trace { trace_hash: self.trace_hash.clone(), step: seen.step }
    }

    /// Reads a trace.
    ///
    /// # Errors
    /// [`KnowledgeError::Trace`] if a step cannot be read.
    pub fn read(trace: &Trace) -> Result<Self, KnowledgeError> {
        Self::read_with(trace, None)
    }

    /// Reads a trace, and from the scenario that it was recorded by what a trace does not keep:
    /// where a drag ends, how far a scroll goes. A scenario of another name, or whose steps are
    /// others by now, tells nothing.
    ///
    /// # Errors
    /// [`KnowledgeError::Trace`] if a step cannot be read.
    pub fn read_with(trace: &Trace, scenario: Option<&Scenario>) -> Result<Self, KnowledgeError> {
        let scenario = scenario.filter(|scenario| scenario.name == trace.meta().scenario);
        let meta = trace.meta();
        let mut recording = Self::new("", &trace.hash().to_string(), &meta.scenario, &meta.goal);
        let mut before: Option<Page> = None;
        for row in trace.steps()? {
            let (page, _) = trace.page(row.index)?;
            recording.push(row.index.0, &page, row.action.as_ref().zip(before.as_ref()));
            let alone = trace.second_look(row.index)?.map_or(0, |look| look.waited_ms);
            if let Some(seen) = recording.steps.last_mut() {
                seen.waited_ms = u64::from(row.settled.waited_ms) + u64::from(alone);
            }
            let meant = scenario.and_then(|scenario| scenario.steps.get((row.index.0 as usize).checked_sub(1)?));
            if let (Some(step), Some(before), Some(done)) =
                (meant, &before, recording.steps.last_mut().and_then(|seen| seen.done.as_mut()))
                && step.action.kind() == done.kind
            {
                done.meant.extend(meant_by(&step.action, before));
            }
            before = Some(page);
        }
        recording.website_id = WebsiteId(meta.site.clone().or(recording.home.clone()).unwrap_or_default());
        Ok(recording)
    }

    /// Returns the recording with some of its steps only; what was done is kept between two steps
    /// that follow each other.
    pub fn only(&self, wanted: impl Fn(u32) -> bool) -> Self {
        let mut kept = Self { steps: Vec::new(), ..self.clone() };
        for seen in self.steps.iter().filter(|seen| wanted(seen.step)) {
            let mut seen = seen.clone();
            let follows = kept.steps.last().is_some_and(|before| before.step + 1 == seen.step);
            seen.done =
                seen.done.filter(|_| follows).map(|done| Done { on: kept.steps.len().saturating_sub(1), ..done });
            kept.steps.push(seen);
        }
        kept
    }

    /// Adds a step: its page, and what led there from the page of the step before.
    pub fn push(&mut self, step: u32, page: &Page, action: Option<(&ActionRecord, &Page)>) {
        let done = action.map(|(action, before)| self.done(action, before, page));
        self.home = self.home.take().or_else(|| host_of(page.url()));
        self.steps.push(Seen { step, view: PageView::of(page), waited_ms: 0, done });
    }

    /// Returns how many steps there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Puts placeholders where secrets stand in a text.
    pub(crate) fn without_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (secret, placeholder) in &self.secrets {
            text = text.replace(secret.as_str(), placeholder);
        }
        text
    }

    fn done(&mut self, action: &ActionRecord, before: &Page, after: &Page) -> Done {
        let node = action.target.and_then(|key| before.find(key));
        let target =
            action.taken.node.as_ref().map(ElementTarget::from).or_else(|| node.map(|_| ElementTarget::default()));
        let target = target.map(|target| complete(target, node, before));
        let mut text = action.taken.text.clone();
        if node.is_some_and(is_secret) && !text.is_empty() {
            let name = target.as_ref().map(|target| target.name.clone()).unwrap_or_default();
            let placeholder = format!("{{{{secret:{}}}}}", if name.is_empty() { "password" } else { &name });
            if text.chars().count() >= LEAST_SECRET {
                self.secrets.push((text.clone(), placeholder.clone()));
                // Longer ones first, so that none is replaced in part.
                self.secrets.sort_by(|one, other| other.0.len().cmp(&one.0.len()).then_with(|| one.cmp(other)));
            }
            text = placeholder;
        }
        let turned = node.filter(|_| action.taken.kind == ActionKind::Click).map(|node| turned(node, after));
        Done {
            kind: action.taken.kind,
            text,
            selector: node.and_then(nodes::selector_of),
            built: node.map(built).unwrap_or_default(),
            target,
            point: action.point,
            meant: turned.unwrap_or_default(),
            failed: action.taken.error.is_some(),
            on: self.steps.len().saturating_sub(1),
        }
    }
}

/// Returns the host of a page, with its port; none if it is of no website, such as `about:blank`.
pub(crate) fn host_of(url: &str) -> Option<String> {
    Parts::of(url).map(|parts| parts.host)
}

/// Returns which state of its node a click turned, and into what, as parameters: to click again
/// where it is so already would undo it.
fn turned(node: NodeRef<'_>, after: &Page) -> BTreeMap<String, Value> {
    let Some(later) = after.find(node.key()) else { return BTreeMap::new() };
    let is_pressed = |node: NodeRef<'_>| node.pressed().map(|pressed| pressed == Tri::True);
    let states =
        [("expanded", node.expanded().zip(later.expanded())), ("pressed", is_pressed(node).zip(is_pressed(later)))];
    let turned = states.into_iter().filter_map(|(name, state)| Some((name, state.filter(|(was, is)| was != is)?.1)));
    turned.map(|(name, is)| (name.to_owned(), Value::Bool(is))).collect()
}

/// Returns what an action of a scenario says beside its node, as parameters of an action of the
/// knowledge; nothing that cannot be found on the page.
fn meant_by(action: &Action, page: &Page) -> BTreeMap<String, Value> {
    let pair = |x: f32, y: f32| serde_json::json!([f64::from(x), f64::from(y)]);
    let told = match action {
        Action::Scroll { by: (x, y), .. } => vec![("by", pair(*x, *y))],
        Action::Drag { on, to } => match (&on.by, &to.by) {
            (
                TargetBy::Css { selector: from, point: Some((x1, y1)) },
                TargetBy::Css { selector: at, point: Some((x2, y2)) },
            ) if from == at => vec![("by", pair(x2 - x1, y2 - y1))],
            (_, TargetBy::Css { selector, point }) => {
                let found = selector.parse::<Selector>().map(|selector| selector.find(page)).unwrap_or_default();
                let place = point.map(|(x, y)| ("to_point", pair(x, y)));
                let to = ("to", Value::from(selector.as_str()));
                std::iter::once(to).chain(place).filter(|_| found.len() == 1).collect()
            }
            _ => {
                let found = to.matches(page);
                let target = |node| complete(ElementTarget::from(&to.hint(node)), Some(node), page);
                let target = found.first().filter(|_| found.len() == 1).map(|only| target(page.node(*only)));
                target.and_then(|target| serde_json::to_value(target).ok()).map(|to| ("to", to)).into_iter().collect()
            }
        },
        _ => Vec::new(),
    };
    told.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

impl From<&NodeHint> for ElementTarget {
    fn from(hint: &NodeHint) -> Self {
        Self {
            role: hint.role.clone(),
            name: nodes::one_line(&hint.name),
            within: hint.within.as_deref().map(|within| Box::new(within.into())),
            nth: hint.nth,
            ..Self::default()
        }
    }
}

/// Adds what the page tells about the node.
fn complete(mut target: ElementTarget, node: Option<NodeRef<'_>>, page: &Page) -> ElementTarget {
    let Some(node) = node else { return target };
    if target.role.is_empty() {
        target.role = nodes::role_of(node).to_owned();
    }
    let name = nodes::name_of(node, &nodes::Labels::of(page));
    if target.name.is_empty() && target.text.is_empty() {
        target.text = name;
    }
    target.name_varies = target.called().chars().any(char::is_numeric)
        || view::is_repeated(page, node)
        || is_one_of_many(&target.role, page);
    target
}

/// Returns whether a role is one that is called by what it holds (a card on a board), and the page
/// has several of it, wherever they stand.
fn is_one_of_many(role: &str, page: &Page) -> bool {
    let is_of_role = |node: &NodeRef<'_>| nodes::role_of(*node).eq_ignore_ascii_case(role);
    ["article", "listitem", "row"].iter().any(|content| role.eq_ignore_ascii_case(content))
        && page.nodes().filter(is_of_role).nth(1).is_some()
}

fn is_secret(node: NodeRef<'_>) -> bool {
    let of_kind = |name: &str, wanted: &[&str]| {
        node.attribute(name).is_some_and(|value| wanted.iter().any(|kind| value.eq_ignore_ascii_case(kind)))
    };
    node.flags().has(Flags::SECRET)
        || of_kind("type", &["password"])
        || of_kind("autocomplete", &["current-password", "new-password", "one-time-code", "cc-number", "cc-csc"])
}

/// Says how a node is built: tags and classes of the node and of what is around it, without
/// numbers.
fn built(node: NodeRef<'_>) -> String {
    let around = std::iter::once(node).chain(node.ancestors()).take(4);
    let parts: Vec<String> = around
        .map(|node| {
            let mut classes: Vec<&str> = node.attribute("class").unwrap_or("").split_ascii_whitespace().collect();
            classes.sort_unstable();
            view::without_numbers(&format!("{}.{}", node.tag(), classes.join(".")))
        })
        .collect();
    parts.join(" < ")
}
