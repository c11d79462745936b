//! What a fast look read of a page with one frame, kept so that what changed can be written into it.
//!
//! In: a raw snapshot and the rows of roles, then what `script/patch.js` says of changes. Out: the columns that a look at the page would give now.
//! Invariant: a change that cannot be written in exactly is refused, and the page is read whole. Paint orders are those of the last whole look:
//! nodes that come paint with what holds them, or right behind the like layers of the sibling before them; no other layer may come, go or change.

use super::changes::{ChangedRow, Changes, NewLayers};
use super::said::Heard;
use browserlens_page::raw::{Document, Layout, Nodes, RareFlag, RareIndex, Rect, Snapshot};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What is said of elements, by their place.
pub(super) type HeardAt = Vec<(usize, Arc<Heard>)>;

/// Styles that make layers, by their place among those that a fast look reads.
const LAYERING: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 17];
/// Elements whose content is not rendered as it stands.
const DRAWN_BY_THE_BROWSER: [&str; 8] = ["input", "textarea", "select", "img", "progress", "meter", "br", "hr"];
/// Boxes that differ by less are the same.
const SAME: f64 = 0.004;

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
pub(super) struct MirrorOf {
    pub(super) session: String,
    pub(super) frame: String,
    pub(super) loader: String,
    /// The frame tree, as the protocol gave it.
    pub(super) frames: String,
}

/// The page as it was read last.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(super) of: MirrorOf,
    nodes: Vec<Node>,
    strings: Vec<Arc<str>>,
    known: HashMap<Arc<str>, i64>,
    url: i64,
    title: i64,
    frame_id: i64,
    scroll: [f64; 2],
    content: [f32; 2],
}

fn at(index: i64) -> Option<usize> {
    usize::try_from(index).ok()
}

impl Mirror {
    /// Takes a raw snapshot of a session with one document; none if its nodes are not those that the script kept.
    pub(super) fn of(snapshot: &Snapshot, kept: (usize, i32), of: MirrorOf) -> Option<Self> {
        let [document] = &snapshot.documents[..] else { return None };
        let raw = &document.nodes;
        let called = |index: i64| snapshot.text(index);
        let values = |rare: &RareIndex| -> HashMap<i64, i64> {
            rare.index.iter().copied().zip(rare.value.iter().copied()).collect()
        };
        let marked = |rare: &RareFlag| -> HashSet<i64> { rare.index.iter().copied().collect() };
        let (text_value, input_value, pseudo) =
            (values(&raw.text_value), values(&raw.input_value), values(&raw.pseudo_type));
        let (checked, selected, clickable) =
            (marked(&raw.input_checked), marked(&raw.option_selected), marked(&raw.is_clickable));
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
        // Where each node of the snapshot stands among those that scripts see; none for generated ones.
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
            let key = index as i64;
            node.text_value = text_value.get(&key).copied();
            node.input_value = input_value.get(&key).copied();
            node.pseudo = pseudo.get(&key).copied();
            (node.checked, node.selected, node.clickable) =
                (checked.contains(&key), selected.contains(&key), clickable.contains(&key));
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
        // An element without children may have both; the second half stands behind then, which is the same.
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
            scroll: [f64::from(document.scroll_offset_x), f64::from(document.scroll_offset_y)],
            content: [document.content_width, document.content_height],
        })
    }

    /// Notes what the accessibility tree says of the n-th element.
    pub(super) fn hear(&mut self, rows: HeardAt) {
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

    /// Writes changes in; `described` are the new nodes, in document order.
    ///
    /// # Errors
    /// What cannot be written in: the mirror is of no use then.
    pub(super) fn apply(&mut self, mut changes: Changes, described: &[(i64, i64)]) -> Result<(), &'static str> {
        if !changes.runs.is_empty() {
            self.restructure(&changes, described)?;
        }
        if self.nodes.len() != changes.count {
            return Err("another number of nodes");
        }
        let mut resized = vec![false; self.nodes.len()];
        let mut shift: HashMap<usize, (f64, f64)> = HashMap::new();
        for row in &changes.rows {
            self.write_row(row)?;
        }
        for (index, x, y, width, height) in &changes.moved {
            let node = self.nodes.get(*index).ok_or("a place that is none")?;
            let Some(laid) = node.laid.first() else { continue };
            let (dx, dy, same) = match laid.bounds {
                Rect([a, b, c, d], 4) => (x - a, y - b, (width - c).abs() < SAME && (height - d).abs() < SAME),
                _ => (0.0, 0.0, false),
            };
            if !same && self.generates(node) {
                return Err("generated text in a box of another size");
            }
            resized[*index] = !same;
            shift.insert(*index, (dx, dy));
            let node = &mut self.nodes[*index];
            node.laid[0].bounds = Rect::of([*x, *y, *width, *height]);
            for part in node.before.iter_mut().chain(&mut node.after) {
                part.laid.iter_mut().for_each(|laid| shift_by(laid, dx, dy));
            }
        }
        for (index, dx, dy) in &changes.shifted {
            let node = self.nodes.get_mut(*index).ok_or("a place that is none")?;
            node.laid.iter_mut().for_each(|laid| shift_by(laid, *dx, *dy));
        }
        for (index, client, scroll) in &changes.sizes {
            let node = self.nodes.get_mut(*index).ok_or("a place that is none")?;
            if let Some(laid) = node.laid.first_mut() {
                (laid.client, laid.scroll) = (rect_like(laid.client, client), rect_like(laid.scroll, scroll));
            }
        }
        for (index, data, x, y, width, height) in &changes.texts {
            let value = self.intern(data);
            let node = self.nodes.get(*index).ok_or("a place that is none")?;
            let parent = node.parent.ok_or("a text of nothing")?;
            let has_box = *width != 0.0 || *height != 0.0;
            let holder = &self.nodes[parent];
            let renders = !DRAWN_BY_THE_BROWSER.iter().any(|tag| self.text_of(holder.name).eq_ignore_ascii_case(tag));
            let lays = has_box || (renders && !data.trim().is_empty() && !holder.laid.is_empty());
            let changed = node.value != value
                || node.laid.first().is_none_or(|laid| {
                    let same = |at: usize, of: f64| laid.bounds.is_present() && (laid.bounds.0[at] - of).abs() < SAME;
                    !(same(2, *width) && same(3, *height))
                });
            if changed && lays && self.generates(&self.nodes[parent]) && !shift.contains_key(&parent) {
                return Err("generated text beside text that changed");
            }
            let paint = self.paint_of(parent);
            let node = &mut self.nodes[*index];
            let same_text = node.value == value;
            node.value = value;
            if !lays {
                node.laid.clear();
                continue;
            }
            let said = node.laid.first().map(|laid| laid.text).filter(|_| same_text).unwrap_or(value);
            let laid = Laid { text: said, bounds: Rect::of([*x, *y, *width, *height]), paint, ..Laid::default() };
            match node.laid.first_mut() {
                Some(known) => (known.bounds, known.text) = (laid.bounds, laid.text),
                None => node.laid.push(laid),
            }
        }
        for twin in &changes.twins {
            self.draw_like(*twin)?;
        }
        for layers in &changes.layers {
            self.paint_beside(layers)?;
        }
        for index in &changes.ax_read {
            self.nodes.get_mut(*index).ok_or("a place that is none")?.heard = None;
        }
        for row in changes.ax.drain(..) {
            let (index, heard) = row.heard();
            self.nodes.get_mut(index).ok_or("a place that is none")?.heard = Some(heard);
        }
        self.title = self.intern(&changes.title);
        self.scroll = changes.scroll;
        Ok(())
    }

    /// Puts the nodes into their new order.
    fn restructure(&mut self, changes: &Changes, described: &[(i64, i64)]) -> Result<(), &'static str> {
        if changes.fresh.len() != described.len() || changes.ups.len() < changes.fresh.len() {
            return Err("new nodes are not told alike");
        }
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        let mut fresh = changes.fresh.iter().zip(described);
        let mut nodes = Vec::with_capacity(changes.count);
        let mut places: Vec<Option<usize>> = vec![None; old.len()];
        for (from, length) in &changes.runs {
            for step in 0..*length {
                let node = match at(*from) {
                    Some(from) => {
                        let node = old.get_mut(from + step).and_then(Option::take);
                        let node = node.ok_or("a node that stood nowhere")?;
                        places[from + step] = Some(nodes.len());
                        node
                    }
                    None => {
                        let ((place, kind, name, value), (described, backend)) =
                            fresh.next().ok_or("a node too few")?;
                        if *place != nodes.len() || kind != described {
                            return Err("new nodes are not told alike");
                        }
                        let name = self.intern(name);
                        let value = if *kind == 1 { -1 } else { self.intern(value) };
                        Node { kind: *kind, name, value, backend: *backend, ..Node::default() }
                    }
                };
                nodes.push(node);
            }
        }
        if nodes.len() != changes.count {
            return Err("another number of nodes");
        }
        // What was there already has the parent that it had, unless it is said otherwise.
        let ups: HashMap<usize, i64> = changes.ups.iter().copied().collect();
        for (index, node) in nodes.iter_mut().enumerate() {
            let had = node.parent;
            node.parent = match ups.get(&index) {
                Some(up) => at(*up),
                None => had.and_then(|had| places.get(had).copied().flatten()),
            };
            if had.is_some() && node.parent.is_none() {
                return Err("a node whose parent went");
            }
            if node.parent.is_some_and(|parent| parent >= index) {
                return Err("a node before what holds it");
            }
        }
        self.nodes = nodes;
        Ok(())
    }

    fn paint_of(&self, from: usize) -> i64 {
        let mut node = Some(from);
        while let Some(index) = node {
            if let Some(laid) = self.nodes[index].laid.first() {
                return laid.paint;
            }
            node = self.nodes[index].parent;
        }
        0
    }

    /// Gives a part of a drawing the boxes that a like part of another drawing has.
    fn draw_like(&mut self, (index, like, dx, dy): (usize, usize, f64, f64)) -> Result<(), &'static str> {
        let twin = self.nodes.get(like).ok_or("a place that is none")?;
        let mut laid = twin.laid.clone();
        if !twin.before.is_empty() || !twin.after.is_empty() {
            return Err("generated text in a drawing");
        }
        let (above, parent) = (twin.parent, self.nodes.get(index).ok_or("a place that is none")?.parent);
        let (above, paint) = (above.map_or(0, |above| self.paint_of(above)), parent.map_or(0, |up| self.paint_of(up)));
        for laid in &mut laid {
            if laid.paint != above {
                return Err("a layer in a drawing");
            }
            laid.paint = paint;
            shift_by(laid, dx, dy);
        }
        self.nodes[index].laid = laid;
        Ok(())
    }

    /// Gives the layers of a new subtree their places in the order of painting: each right behind those of its sibling that are at the same level of
    /// the stack around both.
    fn paint_beside(&mut self, layers: &NewLayers) -> Result<(), &'static str> {
        let NewLayers { root, end, beside, beside_end, ours, theirs } = layers;
        if root >= end || *end > self.nodes.len() || beside >= beside_end || beside_end > root {
            return Err("layers that are not beside each other");
        }
        // What the script takes for layers must be those of the sibling, whose order is known.
        let known: HashSet<usize> = theirs.iter().flat_map(|(_, places)| places.iter().copied()).collect();
        for index in *beside..*beside_end {
            let node = &self.nodes[index];
            let Some(laid) = node.laid.first() else { continue };
            let above = node.parent.map_or(0, |parent| self.paint_of(parent));
            let parts = node.before.iter().chain(&node.after).flat_map(|part| &part.laid);
            if known.contains(&index) == (laid.paint == above) || parts.into_iter().any(|part| part.paint != laid.paint) {
                return Err("other layers than are known");
            }
        }
        for (level, places) in ours {
            let order = theirs.iter().find(|(other, _)| other == level).ok_or("a layer of another kind")?;
            let paints: Option<Vec<i64>> =
                order.1.iter().map(|place| Some(self.nodes.get(*place)?.laid.first()?.paint)).collect();
            let paints = paints.ok_or("a layer without a box")?;
            if !paints.is_sorted() {
                return Err("layers in another order than is known");
            }
            let last = *paints.last().ok_or("a layer of another kind")?;
            let more = places.len() as i64;
            for laid in self.nodes.iter_mut().flat_map(all_laid) {
                if laid.paint > last {
                    laid.paint += more;
                }
            }
            for (nth, place) in places.iter().enumerate() {
                let laid = self.nodes.get_mut(*place).filter(|_| (*root..*end).contains(place));
                let laid = laid.and_then(|node| node.laid.first_mut()).ok_or("a layer without a box")?;
                laid.paint = last + 1 + nth as i64;
            }
        }
        let own: HashSet<usize> = ours.iter().flat_map(|(_, places)| places.iter().copied()).collect();
        for index in *root..*end {
            let above = self.nodes[index].parent.map_or(0, |parent| self.paint_of(parent));
            if !own.contains(&index) {
                all_laid(&mut self.nodes[index]).for_each(|laid| laid.paint = above);
            }
        }
        Ok(())
    }

    fn write_row(&mut self, row: &ChangedRow) -> Result<(), &'static str> {
        let ChangedRow(index, attributes, styles, layered, client, scroll, input, area, checked, selected) = row;
        let attributes: Vec<i64> = attributes.iter().map(|text| self.intern(text)).collect();
        let styles: Option<Vec<i64>> =
            styles.as_ref().map(|styles| styles.iter().map(|text| self.intern(text)).collect());
        let input = input.as_ref().map(|text| self.intern(text));
        let area = area.as_ref().map(|text| self.intern(text));
        let parent = self.nodes.get(*index).ok_or("a place that is none")?.parent;
        let paint = parent.map_or(0, |parent| self.paint_of(parent));
        let node = &mut self.nodes[*index];
        node.attributes = attributes;
        node.input_value = input.or(node.input_value);
        node.text_value = area.or(node.text_value);
        (node.checked, node.selected) = (*checked, *selected);
        match (styles, node.laid.first_mut()) {
            (None, _) => {
                node.laid.clear();
                node.before.clear();
                node.after.clear();
            }
            (Some(styles), Some(laid)) => {
                let differs = |at: usize| laid.styles.get(at) != styles.get(at);
                if LAYERING.iter().any(|at| differs(*at)) {
                    return Err("another layer");
                }
                laid.styles = styles;
                (laid.client, laid.scroll) = (Rect::of(*client), Rect::of(*scroll));
            }
            (Some(_), None) if *layered => return Err("a new layer"),
            (Some(styles), None) => node.laid.push(Laid {
                styles,
                bounds: Rect::of([0.0; 4]),
                text: -1,
                paint,
                scroll: Rect::of(*scroll),
                client: Rect::of(*client),
            }),
        }
        Ok(())
    }

    /// Returns the elements' backend node ids in document order.
    pub(super) fn elements(&self) -> Vec<i64> {
        self.nodes.iter().filter(|node| node.kind == 1).map(|node| node.backend).collect()
    }

    /// Returns what the accessibility tree says, by backend node id, in document order.
    pub(super) fn heard(&self) -> Vec<(i64, Arc<Heard>)> {
        self.nodes.iter().filter_map(|node| Some((node.backend, Arc::clone(node.heard.as_ref()?)))).collect()
    }

    /// Returns the snapshot that the browser would give now, as far as a page is made of it.
    pub(super) fn snapshot(&self, computed_styles: Vec<u8>) -> Snapshot {
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
            scroll_offset_x: self.scroll[0] as f32,
            scroll_offset_y: self.scroll[1] as f32,
            content_width: self.content[0],
            content_height: self.content[1],
        };
        Snapshot {
            computed_styles: Some(computed_styles),
            documents: vec![document],
            strings: self.strings.clone(),
        }
    }
}

/// The boxes of a node and of what is generated in it.
fn all_laid(node: &mut Node) -> impl Iterator<Item = &mut Laid> {
    let Node { laid, before, after, .. } = node;
    laid.iter_mut().chain(before.iter_mut().chain(after).flat_map(|part| &mut part.laid))
}

fn shift_by(laid: &mut Laid, dx: f64, dy: f64) {
    laid.bounds.0[0] += dx;
    laid.bounds.0[1] += dy;
}

/// A box that the browser does not give stays away.
fn rect_like(known: Rect, now: &[f64; 4]) -> Rect {
    if known.is_present() { Rect::of(*now) } else { known }
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
        (&mut nodes.input_checked, node.checked),
        (&mut nodes.option_selected, node.selected),
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
