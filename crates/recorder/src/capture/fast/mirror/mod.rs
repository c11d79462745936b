//! What a fast look read of a page with one frame, kept so that what changed can be written into
//! it.
//!
//! In: a raw snapshot and the rows of roles, then changes (`write`). Out: the columns that a look
//! at the page would give now. Invariant: a change that cannot be written in exactly is refused,
//! and the page is read whole. Paint orders are those of the last whole look: nodes that come paint
//! with what holds them, or right behind the like layers of the sibling before them; no other layer
//! may come, go or change.

use crate::capture::Heard;
use browserlens_core::page::raw::{Document, Layout, Nodes, RareFlag, RareIndex, Rect, Snapshot};
use serde::de::IgnoredAny;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

#[cfg(test)]
mod tests;
mod write;

/// What is said of elements, by their place.
pub(in crate::capture) type HeardAt = Vec<(usize, Arc<Heard>)>;

/// One box of a node.
#[derive(Clone, Debug, Default)]
struct Laid {
    styles: Vec<i64>,
    bounds: Rect,
    text: i64,
    paint: i64,
    scroll: Rect,
    client: Rect,
}

/// One node that scripts see, with the generated ones before and behind its children.
#[derive(Clone, Debug, Default)]
struct Node {
    parent: Option<usize>,
    kind: i64,
    name: i64,
    value: i64,
    backend: i64,
    attributes: Vec<i64>,
    text_value: Option<i64>,
    input_value: Option<i64>,
    checked: bool,
    selected: bool,
    clickable: bool,
    pseudo: Option<i64>,
    laid: Vec<Laid>,
    heard: Option<Arc<Heard>>,
    before: Vec<Node>,
    after: Vec<Node>,
}

/// Which document it is.
#[derive(Debug)]
pub(in crate::capture) struct MirrorOf {
    pub(in crate::capture) session: String,
    pub(in crate::capture) frame: String,
    pub(in crate::capture) loader: String,
    /// The frame tree, as the protocol gave it.
    pub(in crate::capture) frames: String,
}

/// The page as it was read last.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(in crate::capture) of: MirrorOf,
    nodes: Vec<Node>,
    strings: Vec<Arc<str>>,
    known: HashMap<Arc<str>, i64>,
    url: i64,
    title: i64,
    frame_id: i64,
    scroll: [f64; 2],
    content: [f64; 2],
}

fn at(index: i64) -> Option<usize> {
    usize::try_from(index).ok()
}

impl Mirror {
    /// Takes a raw snapshot of a session with one document; none if its nodes are not those that
    /// the script kept.
    pub(in crate::capture) fn of(snapshot: &Snapshot, kept: (usize, i32), of: MirrorOf) -> Option<Self> {
        let [document] = &snapshot.documents[..] else { return None };
        let raw = &document.nodes;
        let called = |index: i64| snapshot.text(index);
        let values = |rare: &RareIndex| rare.pairs().collect::<HashMap<usize, i64>>();
        let marked = |rare: Option<&RareFlag>| rare.into_iter().flat_map(RareFlag::nodes).collect::<HashSet<usize>>();
        let (text_value, input_value, pseudo) =
            (values(&raw.text_value), values(&raw.input_value), values(&raw.pseudo_type));
        let (checked, selected, clickable) =
            (marked(raw.input_checked.as_ref()), marked(raw.option_selected.as_ref()), marked(Some(&raw.is_clickable)));
        let count = raw.parent_index.len();
        let mut laid: Vec<Vec<Laid>> = vec![Vec::new(); count];
        let layout = &document.layout;
        for (row, node) in layout.node_index.iter().enumerate() {
            let rect = |list: &[Rect]| list.get(row).copied().unwrap_or_default();
            laid.get_mut(at(*node)?)?.push(Laid {
                styles: layout.styles.get(row).cloned().unwrap_or_default(),
                bounds: rect(&layout.bounds),
                text: layout.text.get(row).copied().unwrap_or(-1),
                paint: layout.paint_orders.get(row).copied().unwrap_or(0),
                scroll: rect(&layout.scroll_rects),
                client: rect(&layout.client_rects),
            });
        }
        let mut nodes: Vec<Node> = Vec::with_capacity(count);
        // Where each node of the snapshot stands among those that scripts see; none for generated
        // ones.
        let mut places: Vec<Option<usize>> = Vec::with_capacity(count);
        let mut has_children: Vec<bool> = Vec::new();
        let mut hash = 0_i32;
        for (index, laid) in laid.into_iter().enumerate() {
            let kind = *raw.node_type.get(index)?;
            let name = *raw.node_name.get(index)?;
            let parent = at(raw.parent_index[index]).map(|parent| places.get(parent).copied().flatten());
            let mut node = Node {
                parent: parent.flatten(),
                kind,
                name,
                value: raw.node_value.get(index).copied().unwrap_or(-1),
                backend: *raw.backend_node_id.get(index)?,
                attributes: raw.attributes.get(index).cloned().unwrap_or_default(),
                laid,
                ..Node::default()
            };
            node.text_value = text_value.get(&index).copied();
            node.input_value = input_value.get(&index).copied();
            node.pseudo = pseudo.get(&index).copied();
            (node.checked, node.selected, node.clickable) =
                (checked.contains(&index), selected.contains(&index), clickable.contains(&index));
            if called(name).starts_with("::") {
                let host = node.parent?;
                if has_children[host] {
                    nodes[host].after.push(node)
                } else {
                    nodes[host].before.push(node)
                }
                places.push(None);
                continue;
            }
            if parent.is_some() && node.parent.is_none() {
                return None;
            }
            if let Some(host) = node.parent {
                has_children[host] = true;
            }
            let length = called(name).encode_utf16().count() as i32;
            hash = hash.wrapping_mul(31).wrapping_add((kind as i32).wrapping_mul(131)).wrapping_add(length);
            places.push(Some(nodes.len()));
            has_children.push(false);
            nodes.push(node);
        }
        if (nodes.len(), hash) != kept || !raw.content_document_index.index.is_empty() {
            return None;
        }
        // An element without children may have both; the second half stands behind then, which is
        // the same.
        let strings = snapshot.strings.clone();
        let known = strings.iter().enumerate().rev().map(|(index, text)| (Arc::clone(text), index as i64)).collect();
        Some(Self {
            of,
            nodes,
            strings,
            known,
            url: document.document_url,
            title: document.title,
            frame_id: document.frame_id,
            scroll: [document.scroll_offset_x, document.scroll_offset_y],
            content: [document.content_width, document.content_height],
        })
    }

    /// Notes what the accessibility tree says of the n-th element.
    pub(in crate::capture) fn hear(&mut self, rows: HeardAt) {
        let mut elements: Vec<&mut Node> = self.nodes.iter_mut().filter(|node| node.kind == 1).collect();
        for (index, heard) in rows {
            if let Some(node) = elements.get_mut(index) {
                node.heard = Some(heard);
            }
        }
    }

    fn intern(&mut self, text: &str) -> i64 {
        if let Some(index) = self.known.get(text) {
            return *index;
        }
        let index = self.strings.len() as i64;
        let text: Arc<str> = text.into();
        self.strings.push(Arc::clone(&text));
        self.known.insert(text, index);
        index
    }

    fn text_of(&self, index: i64) -> &str {
        at(index).and_then(|index| self.strings.get(index)).map_or("", |text| text.as_ref())
    }

    /// Returns whether something with text is generated in a node.
    fn generates(&self, node: &Node) -> bool {
        let says = |node: &Node| node.laid.iter().any(|laid| !self.text_of(laid.text).trim().is_empty());
        node.before.iter().chain(&node.after).any(says)
    }

    /// Returns the elements' backend node ids in document order.
    pub(in crate::capture) fn elements(&self) -> Vec<i64> {
        self.nodes.iter().filter(|node| node.kind == 1).map(|node| node.backend).collect()
    }

    /// Returns what the accessibility tree says, by backend node id, in document order.
    pub(in crate::capture) fn heard(&self) -> Vec<(i64, Arc<Heard>)> {
        self.nodes.iter().filter_map(|node| Some((node.backend, Arc::clone(node.heard.as_ref()?)))).collect()
    }

    /// Returns the snapshot that the browser would give now, as far as a page is made of it.
    pub(in crate::capture) fn snapshot(&self, computed_styles: Vec<u8>) -> Snapshot {
        let mut nodes = Nodes::default();
        let mut layout = Layout::default();
        let mut open: Vec<(usize, i64)> = Vec::new();
        let mut places: Vec<i64> = Vec::with_capacity(self.nodes.len());
        for (index, node) in self.nodes.iter().enumerate() {
            while let Some((above, place)) = open.last().copied()
                && Some(above) != node.parent
            {
                self.nodes[above].after.iter().for_each(|part| push(&mut nodes, &mut layout, part, place));
                open.pop();
            }
            let parent = node.parent.and_then(|parent| places.get(parent).copied()).unwrap_or(-1);
            let place = nodes.node_type.len() as i64;
            places.push(place);
            push(&mut nodes, &mut layout, node, parent);
            node.before.iter().for_each(|part| push(&mut nodes, &mut layout, part, place));
            open.push((index, place));
        }
        while let Some((above, place)) = open.pop() {
            self.nodes[above].after.iter().for_each(|part| push(&mut nodes, &mut layout, part, place));
        }
        let document = Document {
            document_url: self.url,
            title: self.title,
            frame_id: self.frame_id,
            nodes,
            layout,
            text_boxes: IgnoredAny,
            scroll_offset_x: self.scroll[0],
            scroll_offset_y: self.scroll[1],
            content_width: self.content[0],
            content_height: self.content[1],
        };
        Snapshot { computed_styles: Some(computed_styles), documents: vec![document], strings: self.strings.clone() }
    }
}

fn push(nodes: &mut Nodes, layout: &mut Layout, node: &Node, parent: i64) {
    let index = nodes.node_type.len() as i64;
    nodes.parent_index.push(parent);
    nodes.node_type.push(node.kind);
    nodes.node_name.push(node.name);
    nodes.node_value.push(node.value);
    nodes.backend_node_id.push(node.backend);
    nodes.attributes.push(node.attributes.clone());
    let rare = |column: &mut RareIndex, value: Option<i64>| {
        if let Some(value) = value {
            column.index.push(index);
            column.value.push(value);
        }
    };
    rare(&mut nodes.text_value, node.text_value);
    rare(&mut nodes.input_value, node.input_value);
    rare(&mut nodes.pseudo_type, node.pseudo);
    for (column, on) in [
        (nodes.input_checked.get_or_insert_default(), node.checked),
        (nodes.option_selected.get_or_insert_default(), node.selected),
        (&mut nodes.is_clickable, node.clickable),
    ] {
        if on {
            column.index.push(index);
        }
    }
    for laid in &node.laid {
        layout.node_index.push(index);
        layout.styles.push(laid.styles.clone());
        layout.bounds.push(laid.bounds);
        layout.text.push(laid.text);
        layout.paint_orders.push(laid.paint);
        layout.scroll_rects.push(laid.scroll);
        layout.client_rects.push(laid.client);
    }
}
