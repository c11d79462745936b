//! Puts the items of lists into another order.
//!
//! In: the parsed payloads of a capture. Out: the same, with items of lists in each other's places,
//! in the snapshot, its boxes, the accessibility tree and the page's text alike. Invariants: only
//! siblings of one shape and one size change places, so that everything keeps a box of its own; an
//! item takes its nodes, texts, states and inner boxes along; the order follows from node ids, so
//! that a list that stays from step to step stays in its order; a text that must be readable still
//! is, or the list stays as it was; what was out of sight stays so.
//!
//! What is not moved: items that say their position (`aria-posinset`), hold the focus, a frame, a
//! canvas or a shadow tree, or whose accessibility nodes do not lie as their elements do. Paint
//! order stays with the place.

mod moving;

use super::{Orders, index, list, list_mut};
use crate::corpus::random::draws;
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::text::folded;
use browserlens_core::page::{Payload, PayloadKind};
use moving::{move_ax, move_nodes, move_spans};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Reorders the lists of a capture; returns how many nodes came to stand elsewhere.
pub(super) fn reorder(payloads: &[Payload], parsed: &mut [Option<Value>], orders: &Orders) -> usize {
    let mut moved = 0;
    for at in 0..payloads.len() {
        if payloads[at].kind != PayloadKind::Snapshot {
            continue;
        }
        let Some(mut snapshot) = parsed[at].take() else { continue };
        let strings: Vec<String> =
            list(&snapshot, "strings").iter().map(|text| text.as_str().unwrap_or("").to_owned()).collect();
        for document in list_mut(&mut snapshot, "documents") {
            let frame = document.get("frameId").and_then(index).and_then(|id| strings.get(id));
            let frame: Option<u32> = frame.and_then(|id| id.strip_prefix('F')?.parse().ok());
            let of_frame =
                |kind| payloads.iter().position(|payload| payload.kind == kind && Some(payload.frame) == frame);
            let (Some(ax), Some(probe)) = (of_frame(PayloadKind::Ax), of_frame(PayloadKind::Probe)) else { continue };
            let (Some(mut ax_tree), Some(mut said)) = (parsed[ax].take(), parsed[probe].take()) else { continue };
            moved += document_lists(document, &strings, &mut ax_tree, &mut said, orders);
            (parsed[ax], parsed[probe]) = (Some(ax_tree), Some(said));
        }
        parsed[at] = Some(snapshot);
    }
    moved
}

fn indices(value: Option<&Value>) -> Vec<usize> {
    value.map_or(&[][..], |value| list(value, "index")).iter().filter_map(index).collect()
}

/// One document, as far as it says which nodes may change places.
struct Tree {
    children: Vec<Vec<usize>>,
    /// Nodes below a node and itself; they stand in a row.
    size: Vec<usize>,
    shape: Vec<u64>,
    fixed: Vec<bool>,
    /// Layout rows of a node.
    row: Vec<Option<usize>>,
    bounds: Vec<[f64; 4]>,
    /// Accessibility nodes of a node.
    ax: Vec<Vec<usize>>,
    backend: Vec<u32>,
    /// What a text node says, where it is laid out.
    text: Vec<String>,
    is_item: Vec<bool>,
    parent: Vec<Option<usize>>,
    /// Whether what lies outside a node's box is cut off.
    clips: Vec<bool>,
    /// What the window shows of the document.
    window: [f64; 4],
}

/// Where a part of a text begins and ends, in bytes.
type Span = (usize, usize);

/// What comes to stand where.
#[derive(Clone, Default)]
struct Moves {
    /// Place of an item, and the item that comes to stand there.
    items: Vec<(usize, usize)>,
    /// The same for every node of them.
    nodes: BTreeMap<usize, usize>,
}

impl Moves {
    fn add(&mut self, place: usize, item: usize, size: usize) {
        self.items.push((place, item));
        self.nodes.extend((0..size).map(|offset| (place + offset, item + offset)));
    }

    /// Returns the node that comes to stand at a node's place.
    fn source(&self, node: usize) -> usize {
        self.nodes.get(&node).copied().unwrap_or(node)
    }
}

fn document_lists(
    document: &mut Value,
    strings: &[String],
    ax: &mut Value,
    probe: &mut Value,
    orders: &Orders,
) -> usize {
    let Some(tree) = Tree::of(document, strings, ax, probe, orders.viewport) else { return 0 };
    let mut moves = Moves::default();
    let mut spans = Vec::new();
    let before = tree.read(&moves);
    let facts: Vec<String> =
        orders.facts.iter().map(|fact| folded(fact)).filter(|fact| before.contains(fact.as_str())).collect();
    let said = probe.get("text").and_then(Value::as_str).unwrap_or("").to_owned();
    let places = tree.places_in(&said);
    let mut at = 0;
    while at < tree.size.len() {
        let groups = tree.groups(at, ax);
        let mut next = at + 1;
        for group in groups {
            let Some(group_spans) = tree.spans(&group, &places) else { continue };
            let mut order = group.clone();
            order.sort_by_key(|item| {
                let purpose = format!("order of {} by {}", orders.trace, tree.backend[*item]);
                draws(orders.seed, &purpose).bits()
            });
            let mut tried = moves.clone();
            for (place, item) in group.iter().zip(&order).filter(|(place, item)| place != item) {
                tried.add(*place, *item, tree.size[*place]);
            }
            let after = tree.read(&tried);
            if tried.items.len() > moves.items.len() && facts.iter().all(|fact| after.contains(fact.as_str())) {
                moves = tried;
                let of_source = |source: &usize| group.iter().position(|item| item == source).unwrap_or(0);
                spans.push((group_spans.clone(), order.iter().map(of_source).collect::<Vec<_>>()));
            }
            // Lists within the items go with them.
            next = next.max(group.iter().map(|item| item + tree.size[*item]).max().unwrap_or(next));
        }
        at = next;
    }
    if moves.items.is_empty() {
        return 0;
    }
    move_nodes(document, &tree, &moves);
    move_ax(ax, &tree, &moves);
    if let Some(text) = probe.get_mut("text") {
        *text = Value::String(move_spans(&said, spans));
    }
    moves.nodes.len()
}

impl Tree {
    fn of(document: &Value, strings: &[String], ax: &Value, probe: &Value, viewport: (f64, f64)) -> Option<Self> {
        let nodes = document.get("nodes")?;
        let names = list(nodes, "nodeName");
        let count = names.len();
        let string = |value: &Value| index(value).and_then(|at| strings.get(at)).map_or("", String::as_str);
        let (mut children, mut parents) = (vec![Vec::new(); count], vec![None; count]);
        for (node, parent) in list(nodes, "parentIndex").iter().enumerate().take(count) {
            if let Some(above) = index(parent).filter(|above| *above < node) {
                parents[node] = Some(above);
                children[above].push(node);
            }
        }
        let mut size = vec![1; count];
        let mut fixed = vec![false; count];
        for node in (0..count).rev() {
            for child in &children[node] {
                // Whatever does not stand in document order is left alone.
                fixed[node] |= *child != node + size[node];
                size[node] += size[*child];
            }
        }
        let layout = document.get("layout")?;
        let mut row = vec![None; count];
        let rows = list(layout, "nodeIndex");
        for (at, node) in rows.iter().enumerate() {
            let node = index(node).filter(|node| *node < count)?;
            fixed[node] |= row[node].is_some();
            row[node] = Some(at);
        }
        let bounds: Vec<[f64; 4]> = list(layout, "bounds").iter().map(rect).collect::<Option<_>>()?;
        if bounds.len() != rows.len() {
            return None;
        }
        let backend: Vec<u32> =
            list(nodes, "backendNodeId").iter().map(|id| u32::try_from(id.as_u64()?).ok()).collect::<Option<_>>()?;
        if backend.len() != count {
            return None;
        }
        let ax = ax_of(ax, &backend);
        let pseudo = indices(nodes.get("pseudoType"));
        for node in indices(nodes.get("shadowRootType")).into_iter().chain(indices(nodes.get("contentDocumentIndex"))) {
            *fixed.get_mut(node)? = true;
        }
        for (node, attributes) in list(nodes, "attributes").iter().enumerate().take(count) {
            let is_place = |pair: &[Value]| {
                let name = string(&pair[0]);
                matches!(name, "aria-posinset" | "aria-rowindex" | "aria-colindex" | "aria-setsize")
            };
            fixed[node] |= attributes.as_array().is_some_and(|list| list.chunks_exact(2).any(is_place));
        }
        let paths = probe.get("active").into_iter().chain(list(probe, "indeterminate")).filter_map(Value::as_str);
        for path in paths {
            fixed[element_at(path, &children, list(nodes, "nodeType"), &pseudo)?] = true;
        }
        let stacked = indices(layout.get("stackingContexts"));
        let scrolled = |name: &str| document.get(name).and_then(Value::as_f64).unwrap_or(0.0);
        let window = [scrolled("scrollOffsetX"), scrolled("scrollOffsetY"), viewport.0, viewport.1];
        let mut tree = Self {
            children,
            size,
            shape: vec![0; count],
            fixed,
            row,
            bounds,
            ax,
            backend,
            text: vec![String::new(); count],
            is_item: vec![false; count],
            parent: parents,
            clips: vec![false; count],
            window,
        };
        let (texts, styles) = (list(layout, "text"), list(layout, "styles"));
        for node in (0..count).rev() {
            let tag = string(&names[node]);
            tree.fixed[node] |= matches!(tag, "CANVAS" | "IFRAME" | "FRAME")
                || tree.children[node].iter().any(|child| tree.fixed[*child]);
            tree.is_item[node] = matches!(tag, "LI" | "TR" | "ARTICLE");
            let style = |name: &str| {
                let at = COMPUTED_STYLES.iter().position(|style| *style == name)?;
                Some(string(styles.get(tree.row[node]?)?.get(at)?))
            };
            let clips =
                ["overflow-x", "overflow-y"].into_iter().any(|side| style(side).is_some_and(|how| how != "visible"));
            let is_hidden = style("visibility") == Some("hidden");
            tree.clips[node] = clips;
            let text = tree.row[node].filter(|_| !is_hidden).and_then(|row| texts.get(row));
            tree.text[node] = text.map(|text| string(text).to_owned()).unwrap_or_default();
            let mut hasher = DefaultHasher::new();
            (tag, pseudo.contains(&node), tree.ax[node].len()).hash(&mut hasher);
            tree.row[node].map(|row| stacked.binary_search(&row).is_ok()).hash(&mut hasher);
            for child in &tree.children[node] {
                tree.shape[*child].hash(&mut hasher);
            }
            tree.shape[node] = hasher.finish();
        }
        Some(tree)
    }

    /// The lists right below a node: items of one shape and size each, two at least.
    fn groups(&self, node: usize, ax: &Value) -> Vec<Vec<usize>> {
        let mut clips = vec![self.window];
        for at in std::iter::successors(Some(node), |at| self.parent[*at]) {
            clips.extend(self.row[at].filter(|_| self.clips[at]).map(|row| self.bounds[row]));
        }
        // What can be seen of a list must stay what can be seen: only items that are as much in
        // sight change places.
        type Kind = (u64, u64, u64, Vec<Sight>);
        let mut groups: BTreeMap<Kind, Vec<usize>> = BTreeMap::new();
        for child in self.children[node].iter().filter(|child| self.is_item[**child] && !self.fixed[**child]) {
            let Some(row) = self.row[*child] else { continue };
            let [_, _, width, height] = self.bounds[row];
            let sight: Vec<Sight> = clips.iter().map(|clip| Sight::of(self.bounds[row], *clip)).collect();
            if self.ax[*child].len() == 1 && self.has_text(*child) && !sight.contains(&Sight::Part) {
                let kind = (self.shape[*child], width.to_bits(), height.to_bits(), sight);
                groups.entry(kind).or_default().push(*child);
            }
        }
        let parent = |item: &usize| list(ax, "nodes")[self.ax[*item][0]].get("parentId");
        groups
            .into_values()
            .filter(|group| {
                group.len() > 1 && group.iter().all(|item| parent(item).is_some() && parent(item) == parent(&group[0]))
            })
            .collect()
    }

    fn has_text(&self, node: usize) -> bool {
        self.text[node..node + self.size[node]].iter().any(|text| !text.trim().is_empty())
    }

    /// The document's text as it reads with these moves.
    fn read(&self, moves: &Moves) -> String {
        let texts = (0..self.text.len()).map(|node| self.text[moves.source(node)].as_str());
        texts.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ")
    }

    /// Where the texts of nodes stand in the page's text; none for those that are not found in
    /// order.
    fn places_in(&self, said: &str) -> Vec<Option<Span>> {
        let mut from = 0;
        let place = |text: &String| {
            let (mut at, mut begin) = (from, None);
            for word in text.split_whitespace() {
                let rest = &said[at..];
                let blank = rest.len() - rest.trim_start().len();
                if !rest.trim_start().starts_with(word) {
                    return None;
                }
                begin = begin.or(Some(at + blank));
                at += blank + word.len();
            }
            from = at;
            begin.map(|begin| (begin, at))
        };
        self.text.iter().map(place).collect()
    }

    /// Where the items of a group stand in the page's text; none if a text of theirs was not found.
    fn spans(&self, group: &[usize], places: &[Option<Span>]) -> Option<Vec<Span>> {
        let spans = group.iter().map(|item| {
            let (mut begin, mut end) = (usize::MAX, 0);
            let within = *item..item + self.size[*item];
            for (text, place) in self.text[within.clone()].iter().zip(&places[within]) {
                if text.trim().is_empty() {
                    continue;
                }
                let (from, to) = (*place)?;
                (begin, end) = (begin.min(from), end.max(to));
            }
            (begin < end).then_some((begin, end))
        });
        spans.collect()
    }
}

/// How much of a box lies in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Sight {
    None,
    Part,
    Whole,
}

impl Sight {
    fn of([x, y, width, height]: [f64; 4], clip: [f64; 4]) -> Self {
        let (right, bottom) = (clip[0] + clip[2], clip[1] + clip[3]);
        if x >= clip[0] && y >= clip[1] && x + width <= right && y + height <= bottom {
            Self::Whole
        } else if x + width <= clip[0] || y + height <= clip[1] || x >= right || y >= bottom {
            Self::None
        } else {
            Self::Part
        }
    }
}

fn rect(value: &Value) -> Option<[f64; 4]> {
    let [x, y, width, height] = value.as_array()?.as_slice() else { return None };
    Some([x.as_f64()?, y.as_f64()?, width.as_f64()?, height.as_f64()?])
}

/// Returns the element at a path of child-element indices from the document element.
fn element_at(path: &str, children: &[Vec<usize>], types: &[Value], pseudo: &[usize]) -> Option<usize> {
    let elements = |node: usize| {
        children[node]
            .iter()
            .copied()
            .filter(|child| types.get(*child).and_then(Value::as_u64) == Some(1) && !pseudo.contains(child))
    };
    let mut node = elements(0).next()?;
    for part in path.split('/').filter(|part| !part.is_empty()) {
        node = elements(node).nth(part.parse().ok()?)?;
    }
    Some(node)
}

fn ax_of(ax: &Value, backend: &[u32]) -> Vec<Vec<usize>> {
    let by_id: HashMap<u32, usize> = backend.iter().enumerate().map(|(node, id)| (*id, node)).collect();
    let mut of_node = vec![Vec::new(); backend.len()];
    for (at, node) in list(ax, "nodes").iter().enumerate() {
        let id = node.get("backendDOMNodeId").and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
        if let Some(node) = id.and_then(|id| by_id.get(&id)) {
            of_node[*node].push(at);
        }
    }
    of_node
}
