//! A part of the page as a tree.
//!
//! In: a page, a selector, limits, a place to go on from. Out: [`DomNode`]s, and where to go on.
//! Invariants: nodes are taken level by level, so that a limit cuts what lies deepest; a node whose
//! children were cut says how many; the next page begins with what was cut, so that over all pages
//! every node comes once; values of secret fields are never given.

use crate::answer::{Answer, Sizes, Truncation, counted, cut, json_bytes};
use crate::cursor::{Cursors, Position, Short, refused, short};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::query::{self, DomQuery};
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::select::Selector;
use browserlens_core::page::text::{escaped, escaped_line};
use browserlens_core::page::{Flags, NodeId, NodeKey, NodeKind, NodeRef, Page};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// An element, with what is below it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DomNode {
    /// Tag in lower case; `#text` for text between elements.
    pub tag: String,
    /// Attributes, but for `style` and the values of secret fields.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub attributes: BTreeMap<String, String>,
    /// Its text, where it holds nothing but text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What stands in a field.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Whether it cannot be seen, where what it lies in can.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// Computed styles, where asked for.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub styles: BTreeMap<String, String>,
    /// Children that were kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<DomNode>,
    /// How many children were cut.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut: Option<u64>,
    /// On a later page: the element that it lies in, as a CSS selector, where that is another than
    /// that of the node before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub under: Option<String>,
}

/// The answer of `get_dom_snapshot`.
pub type DomAnswer = Answer<Vec<DomNode>, DomQuery>;

/// A query that was checked.
pub(crate) struct Checked {
    /// The filters as the answer shows them.
    pub shown: DomQuery,
    below: Below,
    depth: usize,
    nodes: usize,
    styles: bool,
    no_scripts: bool,
    no_styles: bool,
}

/// From where on a page is shown.
pub(crate) enum Below {
    Page,
    Node(NodeKey),
    Selected(Selector),
}

impl Below {
    /// Reads a selector; of a ref it takes the node.
    ///
    /// # Errors
    /// [`InspectError::BadField`] if it is no selector.
    pub(crate) fn read(given: Option<&String>, node: Option<NodeKey>) -> Result<Self, InspectError> {
        let Some(text) = given else { return Ok(Self::Page) };
        if let Some(node) = node {
            return Ok(Self::Node(node));
        }
        let allowed = "a CSS selector, such as main > .results li, or none for the whole page";
        text.parse().map(Self::Selected).map_err(|error| InspectError::bad("selector", format!("{error}"), allowed))
    }
}

pub(crate) fn check(query: &DomQuery, limits: &Limits) -> Result<Checked, InspectError> {
    let depth = query::number("maxDepth", query.max_depth, limits.dom_depth, 0, limits.dom_depth_limit)?;
    let nodes = query::number("maxNodes", query.max_nodes, limits.max_dom_nodes, 1, limits.max_dom_nodes_limit)?;
    let below = Below::read(query.selector.as_ref(), query.node)?;
    let styles = query.include_styles.unwrap_or(false);
    let no_scripts = query.exclude_scripts.unwrap_or(true);
    let no_styles = query.exclude_styles.unwrap_or(true);
    let shown = DomQuery {
        max_depth: Some(depth as i64),
        max_nodes: Some(nodes as i64),
        include_styles: Some(styles),
        exclude_scripts: Some(no_scripts),
        exclude_styles: Some(no_styles),
        cursor: None,
        ..query.clone()
    };
    Ok(Checked { shown, below, depth, nodes, styles, no_scripts, no_styles })
}

/// Returns what a selector selects, without what lies in another match; the root elements where
/// there is none.
pub(crate) fn roots(page: &Page, below: &Below) -> Vec<NodeId> {
    let selector = match below {
        Below::Page => {
            let top = page.root().children().filter(|node| node.kind() == NodeKind::Element);
            return top.map(|node| node.id()).collect();
        }
        Below::Node(key) => return page.find(*key).iter().map(NodeRef::id).collect(),
        Below::Selected(selector) => selector,
    };
    let mut end = 0;
    let mut outermost = Vec::new();
    for id in selector.find(page) {
        if id.0 >= end {
            end = page.node(id).end();
            outermost.push(id);
        }
    }
    outermost
}

/// Returns what a selector selects.
///
/// # Errors
/// [`InspectError::NoMatch`] if it matches nothing.
pub(crate) fn selected(page: &Page, below: &Below, given: Option<&String>) -> Result<Vec<NodeId>, InspectError> {
    let found = roots(page, below);
    match given {
        Some(given) if found.is_empty() => Err(no_match(given)),
        _ => Ok(found),
    }
}

/// Returns a text cut at a limit, with how long it was.
fn short_text(text: &str, limit: usize) -> String {
    let mut text = escaped(text).into_owned();
    if let Some(before) = cut(&mut text, limit) {
        text.push_str(&format!("… ({before} bytes)"));
    }
    text
}

fn no_match(selector: &str) -> InspectError {
    InspectError::NoMatch { selector: escaped_line(selector).into_owned() }
}

/// Returns a hash of how a page is built: what a place in its tree stands on.
fn version(page: &Page) -> Short {
    let mut bytes = Vec::with_capacity(page.len() * 12);
    for node in page.nodes() {
        let key = node.key();
        [key.frame, key.loader, key.backend, node.end()].iter().for_each(|part| bytes.extend(part.to_le_bytes()));
    }
    short(&bytes)
}

/// Returns a CSS selector of an element: from the nearest element with an id, or the root, down.
fn path(node: NodeRef<'_>) -> String {
    let mut steps = Vec::new();
    for above in std::iter::once(node).chain(node.ancestors()) {
        if above.kind() != NodeKind::Element {
            break;
        }
        let plain = |id: &&str| {
            let mut bytes = id.bytes();
            bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
                && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        };
        if let Some(id) = above.attribute("id").filter(plain) {
            steps.push(format!("#{id}"));
            break;
        }
        let siblings = above.parent().into_iter().flat_map(|parent| parent.children().collect::<Vec<_>>());
        let elements = siblings.filter(|sibling| sibling.kind() == NodeKind::Element);
        let nth = elements.take_while(|sibling| sibling.id() != above.id()).count() + 1;
        steps.push(format!("{}:nth-child({nth})", escaped_line(above.tag())));
    }
    steps.reverse();
    steps.join(">")
}

impl Checked {
    fn leaves_out(&self, node: NodeRef<'_>) -> bool {
        let is_sheet = || node.tag() == "link" && node.attribute("rel").is_some_and(|rel| rel.contains("stylesheet"));
        match node.kind() {
            NodeKind::Text => node.text().trim().is_empty(),
            NodeKind::Pseudo => true,
            _ => {
                (self.no_scripts && matches!(node.tag(), "script" | "noscript"))
                    || (self.no_styles && (node.tag() == "style" || is_sheet()))
            }
        }
    }

    /// Nodes of a subtree that the exclusions leave.
    fn count(&self, root: NodeRef<'_>) -> u64 {
        let (mut count, mut skip) = (0, 0);
        for node in root.subtree() {
            if node.id().0 < skip {
                continue;
            }
            if self.leaves_out(node) {
                skip = node.end();
            } else {
                count += 1;
            }
        }
        count
    }

    /// Whether the texts of scripts or styles are wanted.
    pub(crate) fn shows_code(&self) -> bool {
        !(self.no_scripts && self.no_styles)
    }

    /// The filters that belong to a cursor: the limits stand in its place.
    pub(crate) fn filters(&self) -> DomQuery {
        DomQuery { max_depth: None, max_nodes: None, ..self.shown.clone() }
    }

    /// Takes the limits that a paging began with.
    pub(crate) fn go_on(&mut self, query: &DomQuery, place: &Position) -> Result<(), InspectError> {
        let limits = (i64::from(place.phase), i64::try_from(place.up_to).unwrap_or(i64::MAX));
        if (query.max_depth.unwrap_or(limits.0), query.max_nodes.unwrap_or(limits.1)) != limits {
            return Err(refused(format!("it goes on with maxDepth {} and maxNodes {}", limits.0, limits.1)));
        }
        (self.depth, self.nodes) = (usize::from(place.phase), usize::try_from(place.up_to).unwrap_or(usize::MAX));
        (self.shown.max_depth, self.shown.max_nodes) = (Some(limits.0), Some(limits.1));
        Ok(())
    }

    /// Bytes of all nodes below these as JSON, with nothing cut.
    fn whole_bytes(&self, page: &Page, roots: &[NodeId]) -> u64 {
        let mut bytes = 1;
        for root in roots {
            let mut skip = 0;
            for node in page.node(*root).subtree().filter(|node| !self.leaves_out(*node)) {
                if node.id().0 < skip {
                    continue;
                }
                let mut made = self.alone(node, usize::MAX);
                let children: Vec<_> = node.children().filter(|child| !self.leaves_out(*child)).collect();
                match children.as_slice() {
                    [only] if only.kind() == NodeKind::Text => {
                        made.text = Some(short_text(only.text(), usize::MAX));
                        skip = node.end();
                    }
                    [] => {}
                    _ => bytes += r#","children":["#.len() as u64,
                }
                bytes += json_bytes(&made) + 1;
            }
        }
        bytes
    }

    /// Takes nodes level by level until there are enough; returns them, what comes next (the roots
    /// and children that were cut), both in document order, and which of depth and nodes cut.
    fn take(&self, page: &Page, roots: &[NodeId]) -> (Vec<NodeId>, Vec<NodeId>, [bool; 2]) {
        let (mut kept, mut cut, mut by) = (Vec::new(), Vec::new(), [false; 2]);
        let mut queue: VecDeque<(NodeId, usize)> = roots.iter().map(|id| (*id, 0)).collect();
        while let Some((id, depth)) = queue.pop_front() {
            if kept.len() == self.nodes {
                by[1] = true;
                cut.push(id);
                continue;
            }
            kept.push(id);
            let children = page.node(id).children().filter(|child| !self.leaves_out(*child)).map(|child| child.id());
            if depth < self.depth {
                queue.extend(children.map(|child| (child, depth + 1)));
            } else {
                let before = cut.len();
                cut.extend(children);
                by[0] |= cut.len() > before;
            }
        }
        kept.sort_unstable();
        cut.sort_unstable();
        (kept, cut, by)
    }

    pub(crate) fn answer(
        self,
        page: &Page,
        limits: &Limits,
        place: Option<&Position>,
        cursors: &Cursors<'_>,
    ) -> Result<DomAnswer, InspectError> {
        let found = roots(page, &self.below);
        let original = page.nodes().count() as u64;
        let total: u64 = found.iter().map(|id| self.count(page.node(*id))).sum();
        if total == 0 && !matches!(self.below, Below::Page) {
            return Err(self.nothing(found.len()));
        }
        let version = version(page);
        let pages = place.map(|place| place.passed(version)).transpose()?.unwrap_or(0);
        let mut roots: Vec<NodeId> = found.iter().copied().filter(|id| !self.leaves_out(page.node(*id))).collect();
        let whole = place.and_then(|place| place.bytes).unwrap_or_else(|| self.whole_bytes(page, &roots));
        let mut passed = 0;
        for _ in 0..pages {
            let (kept, cut, _) = self.take(page, &roots);
            (passed, roots) = (passed + kept.len() as u64, cut);
        }
        let (kept, next, [by_depth, by_nodes]) = self.take(page, &roots);
        let count = kept.len() as u64;
        let mut under = None;
        let mut data = Vec::new();
        for id in roots.iter().filter(|id| kept.binary_search(id).is_ok()) {
            let mut node = self.tree(page.node(*id), &kept, limits);
            if pages > 0 {
                let parent = page.node(*id).parent();
                if parent.map(|parent| parent.id()) != under {
                    under = parent.map(|parent| parent.id());
                    node.under = parent.map(path).filter(|path| !path.is_empty());
                }
            }
            data.push(node);
        }
        let has_more = !next.is_empty();
        let mut truncated = Vec::new();
        if has_more {
            truncated.push(Truncation { what: "data".to_owned(), original: total - passed, returned: count });
        }
        let matched = match &self.shown.selector {
            None => String::new(),
            Some(_) => format!(" of {}", counted(found.len() as u64, "matching element", "matching elements")),
        };
        let cuts = [(by_depth, format!("depth {}", self.depth)), (by_nodes, format!("{} nodes", self.nodes))];
        let cuts: Vec<String> = cuts.into_iter().filter_map(|(cut, limit)| cut.then_some(limit)).collect();
        let message = match (total, count < total) {
            (0, _) => "the page has no elements".to_owned(),
            (_, false) => format!("all {total} nodes{matched}"),
            (_, true) if has_more => format!(
                "{count} of {total} nodes{matched}, cut at {}; nextCursor gives more, a selector less",
                cuts.join(" and ")
            ),
            (_, true) => format!("the last {count} of {total} nodes{matched}"),
        };
        let next = has_more.then(|| Position {
            phase: u8::try_from(self.depth).unwrap_or(u8::MAX),
            up_to: self.nodes as u64,
            bytes: Some(whole),
            ..Position::on_page(pages + 1, total, version)
        });
        let returned_bytes = json_bytes(&data);
        let size =
            Sizes { original_count: original, returned_count: count, original_bytes: whole.max(2), returned_bytes };
        let answer = Answer { truncated, ..Answer::of(data, total, self.shown, message, size) };
        answer.to(next.as_ref(), cursors)
    }

    /// Says that a selector matches nothing, or nothing but what is left out.
    fn nothing(&self, matches: usize) -> InspectError {
        let selector = self.shown.selector.as_deref().unwrap_or_default();
        if matches == 0 {
            return no_match(selector);
        }
        let problem =
            format!("{selector:?} matches only scripts and styles, which excludeScripts and excludeStyles leave out");
        let allowed = "a selector of something else, or excludeScripts and excludeStyles false";
        InspectError::bad("selector", problem, allowed)
    }

    /// A node without what is below it, its texts cut at a limit.
    fn alone(&self, node: NodeRef<'_>, limit: usize) -> DomNode {
        let short = |text: &str| short_text(text, limit);
        let mut made = DomNode { tag: escaped_line(node.tag()).into_owned(), ..DomNode::default() };
        made.hidden = !node.is_visible() && node.parent().is_none_or(|parent| parent.is_visible());
        if node.kind() == NodeKind::Text {
            made.text = Some(short(node.text()));
            return made;
        }
        let secret = node.flags().has(Flags::SECRET);
        for (name, value) in node.attributes() {
            if name != "style" && !(secret && name == "value") {
                made.attributes.insert(escaped_line(name).into_owned(), short(value));
            }
        }
        if !node.value().is_empty() && !secret && node.attribute("value") != Some(node.value()) {
            made.value = Some(short(node.value()));
        }
        if self.styles {
            let style = |name: &str| {
                let value = node.style(name).filter(|value| !value.is_empty())?;
                Some((name.to_owned(), escaped_line(value).into_owned()))
            };
            made.styles = COMPUTED_STYLES.into_iter().filter_map(style).collect();
        }
        made
    }

    /// The tree below a node; no deeper than the deepest that a query may ask for.
    fn tree(&self, node: NodeRef<'_>, kept: &[NodeId], limits: &Limits) -> DomNode {
        let limit = limits.max_dom_text_size;
        let mut made = self.alone(node, limit);
        let children = node.children().filter(|child| !self.leaves_out(*child));
        let (children, cut): (Vec<_>, Vec<_>) = children.partition(|child| kept.binary_search(&child.id()).is_ok());
        made.cut = (!cut.is_empty()).then_some(cut.len() as u64);
        match children.as_slice() {
            [only] if only.kind() == NodeKind::Text && cut.is_empty() => {
                made.text = Some(short_text(only.text(), limit))
            }
            several => made.children = several.iter().map(|child| self.tree(*child, kept, limits)).collect(),
        }
        made
    }
}
