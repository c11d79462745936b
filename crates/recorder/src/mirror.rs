//! What a fast look read of a page with one frame, kept so that what changed can be written into it.
//!
//! In: a raw snapshot and the rows of roles, then what `script/patch.js` says of changes. Out: the payloads that a look at the page would give now.
//! Invariant: a change that cannot be written in exactly is refused, and the page is read whole. Paint orders are those of the last whole look:
//! nodes that come or change take part in the order only where they make no layer of their own, and then paint with what holds them.

use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// Styles that make layers, by their place among those that a fast look reads.
const LAYERING: [usize; 8] = [2, 3, 4, 5, 6, 7, 8, 17];
/// Elements whose content is not rendered as it stands.
const DRAWN_BY_THE_BROWSER: [&str; 8] = ["input", "textarea", "select", "img", "progress", "meter", "br", "hr"];
/// Boxes that differ by less are the same.
const SAME: f64 = 0.004;

#[derive(Deserialize)]
struct RawSnapshot {
    documents: Vec<RawDocument>,
    strings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawDocument {
    #[serde(rename = "documentURL")]
    document_url: i64,
    title: i64,
    frame_id: i64,
    nodes: RawNodes,
    layout: RawLayout,
    #[serde(default)]
    scroll_offset_x: f64,
    #[serde(default)]
    scroll_offset_y: f64,
    #[serde(default)]
    content_width: f64,
    #[serde(default)]
    content_height: f64,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct RawNodes {
    parent_index: Vec<i64>,
    node_type: Vec<i64>,
    shadow_root_type: Values,
    node_name: Vec<i64>,
    node_value: Vec<i64>,
    backend_node_id: Vec<i64>,
    attributes: Vec<Vec<i64>>,
    text_value: Values,
    input_value: Values,
    input_checked: Marked,
    option_selected: Marked,
    content_document_index: Values,
    pseudo_type: Values,
    is_clickable: Marked,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Values {
    index: Vec<i64>,
    value: Vec<i64>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(default)]
struct Marked {
    index: Vec<i64>,
}

#[derive(Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct RawLayout {
    node_index: Vec<i64>,
    styles: Vec<Vec<i64>>,
    bounds: Vec<Vec<f64>>,
    text: Vec<i64>,
    paint_orders: Vec<i64>,
    scroll_rects: Vec<Vec<f64>>,
    client_rects: Vec<Vec<f64>>,
}

#[derive(Serialize)]
struct SnapshotOut<'a> {
    #[serde(rename = "computedStyles")]
    computed_styles: &'a [usize],
    documents: [DocumentOut; 1],
    strings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DocumentOut {
    #[serde(rename = "documentURL")]
    document_url: i64,
    title: i64,
    frame_id: i64,
    nodes: RawNodes,
    layout: RawLayout,
    scroll_offset_x: f64,
    scroll_offset_y: f64,
    content_width: f64,
    content_height: f64,
}

/// One box of a node.
#[derive(Clone, Debug, Default)]
struct Laid {
    styles: Vec<i64>,
    bounds: Vec<f64>,
    text: i64,
    paint: i64,
    scroll: Vec<f64>,
    client: Vec<f64>,
}

/// What the accessibility tree says of a node.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) value: String,
    pub(crate) bits: u32,
    pub(crate) level: u32,
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
    heard: Option<Heard>,
    before: Vec<Node>,
    after: Vec<Node>,
}

/// What changed in a frame.
#[derive(Deserialize)]
pub(crate) struct Changes {
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) why: String,
    #[serde(default)]
    count: usize,
    #[serde(default)]
    runs: Vec<(i64, usize)>,
    #[serde(default)]
    ups: Vec<i64>,
    #[serde(default)]
    fresh: Vec<(usize, i64, String, String)>,
    #[serde(default)]
    pub(crate) roots: usize,
    #[serde(default)]
    moved: Vec<(usize, f64, f64, f64, f64)>,
    #[serde(default)]
    shifted: Vec<(usize, f64, f64)>,
    #[serde(default)]
    texts: Vec<(usize, String, f64, f64, f64, f64)>,
    #[serde(default)]
    rows: Vec<ChangedRow>,
    #[serde(default)]
    sizes: Vec<(usize, [f64; 4], [f64; 4])>,
    #[serde(default, rename = "axRead")]
    ax_read: Vec<usize>,
    #[serde(default)]
    ax: Vec<(usize, String, String, String, String, u32, u32)>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    scroll: [f64; 2],
}

/// Place, attributes, styles (none without a box), whether it makes a layer, client and scroll box, value of an input and a textarea, checked, selected.
#[derive(Deserialize)]
struct ChangedRow(
    usize,
    Vec<String>,
    Option<Vec<String>>,
    bool,
    [f64; 4],
    [f64; 4],
    Option<String>,
    Option<String>,
    bool,
    bool,
);

/// A node as the protocol describes it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Described {
    backend_node_id: i64,
    node_type: i64,
    #[serde(default)]
    children: Vec<Described>,
}

impl Described {
    /// Returns kind and backend node id of the node and all below it, in document order.
    pub(crate) fn flat(self) -> Vec<(i64, i64)> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(node) = open.pop() {
            found.push((node.node_type, node.backend_node_id));
            open.extend(node.children.into_iter().rev());
        }
        found
    }
}

/// The page as it was read last.
#[derive(Debug)]
pub(crate) struct Mirror {
    pub(crate) session: String,
    pub(crate) frame: String,
    pub(crate) loader: String,
    /// The frame tree, as the protocol gave it.
    pub(crate) frames: String,
    nodes: Vec<Node>,
    strings: Vec<String>,
    known: HashMap<String, i64>,
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
    /// Reads a raw snapshot of a session with one document; none if its nodes are not those that the script kept.
    pub(crate) fn of(text: &str, kept: (usize, i32), of: (&str, &str, &str), frames: &str) -> Option<Self> {
        let RawSnapshot { mut documents, strings } = serde_json::from_str(text).ok()?;
        if documents.len() != 1 {
            return None;
        }
        let document = documents.pop()?;
        let raw = document.nodes;
        let called = |index: i64| at(index).and_then(|index| strings.get(index)).map_or("", String::as_str);
        let values = |rare: &Values| -> HashMap<i64, i64> {
            rare.index.iter().copied().zip(rare.value.iter().copied()).collect()
        };
        let marked = |rare: &Marked| -> std::collections::HashSet<i64> { rare.index.iter().copied().collect() };
        let (text_value, input_value, pseudo) =
            (values(&raw.text_value), values(&raw.input_value), values(&raw.pseudo_type));
        let (checked, selected, clickable) =
            (marked(&raw.input_checked), marked(&raw.option_selected), marked(&raw.is_clickable));
        let count = raw.parent_index.len();
        let mut laid: Vec<Vec<Laid>> = vec![Vec::new(); count];
        let layout = document.layout;
        for (row, node) in layout.node_index.iter().enumerate() {
            let rect = |list: &[Vec<f64>]| list.get(row).cloned().unwrap_or_default();
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
        let known = strings.iter().enumerate().rev().map(|(index, text)| (text.clone(), index as i64)).collect();
        Some(Self {
            session: of.0.to_owned(),
            frame: of.1.to_owned(),
            loader: of.2.to_owned(),
            frames: frames.to_owned(),
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
    pub(crate) fn hear(&mut self, rows: impl Iterator<Item = (usize, Heard)>) {
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
        self.strings.push(text.to_owned());
        self.known.insert(text.to_owned(), index);
        index
    }

    fn text_of(&self, index: i64) -> &str {
        at(index).and_then(|index| self.strings.get(index)).map_or("", String::as_str)
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
    pub(crate) fn apply(&mut self, changes: &Changes, described: &[(i64, i64)]) -> Result<(), &'static str> {
        if !changes.runs.is_empty() {
            self.restructure(changes, described)?;
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
            let (dx, dy, same) = match laid.bounds[..] {
                [a, b, c, d] => (x - a, y - b, (width - c).abs() < SAME && (height - d).abs() < SAME),
                _ => (0.0, 0.0, false),
            };
            if !same && self.generates(node) {
                return Err("generated text in a box of another size");
            }
            resized[*index] = !same;
            shift.insert(*index, (dx, dy));
            let node = &mut self.nodes[*index];
            node.laid[0].bounds = vec![*x, *y, *width, *height];
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
                (laid.client, laid.scroll) = (rect_like(&laid.client, client), rect_like(&laid.scroll, scroll));
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
                    let same = |at: usize, of: f64| laid.bounds.get(at).is_some_and(|known| (known - of).abs() < SAME);
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
            let laid = Laid { text: said, bounds: vec![*x, *y, *width, *height], paint, ..Laid::default() };
            match node.laid.first_mut() {
                Some(known) => (known.bounds, known.text) = (laid.bounds, laid.text),
                None => node.laid.push(laid),
            }
        }
        for index in &changes.ax_read {
            self.nodes.get_mut(*index).ok_or("a place that is none")?.heard = None;
        }
        for (index, role, name, description, value, bits, level) in &changes.ax {
            self.nodes.get_mut(*index).ok_or("a place that is none")?.heard = Some(Heard {
                role: role.clone(),
                name: name.clone(),
                description: description.clone(),
                value: value.clone(),
                bits: *bits,
                level: *level,
            });
        }
        self.title = self.intern(&changes.title);
        self.scroll = changes.scroll;
        Ok(())
    }

    /// Puts the nodes into their new order.
    fn restructure(&mut self, changes: &Changes, described: &[(i64, i64)]) -> Result<(), &'static str> {
        if changes.fresh.len() != described.len() || changes.ups.len() != changes.count {
            return Err("new nodes are not told alike");
        }
        let mut old: Vec<Option<Node>> = std::mem::take(&mut self.nodes).into_iter().map(Some).collect();
        let mut fresh = changes.fresh.iter().zip(described);
        let mut nodes = Vec::with_capacity(changes.count);
        for (from, length) in &changes.runs {
            for step in 0..*length {
                let node = match at(*from) {
                    Some(from) => old.get_mut(from + step).and_then(Option::take).ok_or("a node that stood nowhere")?,
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
        for (index, (node, up)) in nodes.iter_mut().zip(&changes.ups).enumerate() {
            node.parent = at(*up);
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
                (laid.client, laid.scroll) = (rect_like(&laid.client, client), rect_like(&laid.scroll, scroll));
            }
            (Some(_), None) if *layered => return Err("a new layer"),
            (Some(styles), None) => node.laid.push(Laid {
                styles,
                bounds: vec![0.0; 4],
                text: -1,
                paint,
                scroll: scroll.to_vec(),
                client: client.to_vec(),
            }),
        }
        Ok(())
    }

    /// Returns the elements' backend node ids in document order.
    pub(crate) fn elements(&self) -> Vec<i64> {
        self.nodes.iter().filter(|node| node.kind == 1).map(|node| node.backend).collect()
    }

    /// Returns what the accessibility tree says, by backend node id, in document order.
    pub(crate) fn heard(&self) -> impl Iterator<Item = (i64, &Heard)> {
        self.nodes.iter().filter_map(|node| Some((node.backend, node.heard.as_ref()?)))
    }

    /// Writes the snapshot that the browser would give now, as far as a page is made of it.
    pub(crate) fn snapshot(&self, computed_styles: &[usize]) -> Option<String> {
        let mut nodes = RawNodes::default();
        let mut layout = RawLayout::default();
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
        let document = DocumentOut {
            document_url: self.url,
            title: self.title,
            frame_id: self.frame_id,
            nodes,
            layout,
            scroll_offset_x: self.scroll[0],
            scroll_offset_y: self.scroll[1],
            content_width: self.content[0],
            content_height: self.content[1],
        };
        serde_json::to_string(&SnapshotOut { computed_styles, documents: [document], strings: &self.strings }).ok()
    }
}

fn shift_by(laid: &mut Laid, dx: f64, dy: f64) {
    if let [x, y, ..] = &mut laid.bounds[..] {
        (*x, *y) = (*x + dx, *y + dy);
    }
}

/// A box that the browser does not give stays away.
fn rect_like(known: &[f64], now: &[f64; 4]) -> Vec<f64> {
    if known.is_empty() { Vec::new() } else { now.to_vec() }
}

fn push(nodes: &mut RawNodes, layout: &mut RawLayout, node: &Node, parent: i64) {
    let index = nodes.node_type.len() as i64;
    nodes.parent_index.push(parent);
    nodes.node_type.push(node.kind);
    nodes.node_name.push(node.name);
    nodes.node_value.push(node.value);
    nodes.backend_node_id.push(node.backend);
    nodes.attributes.push(node.attributes.clone());
    let rare = |column: &mut Values, value: Option<i64>| {
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
        layout.bounds.push(laid.bounds.clone());
        layout.text.push(laid.text);
        layout.paint_orders.push(laid.paint);
        layout.scroll_rects.push(laid.scroll.clone());
        layout.client_rects.push(laid.client.clone());
    }
}
