//! Which node of a snapshot the n-th element of a script is.
//!
//! In: the columns of a snapshot. Out: a frame's elements in flat-tree order. Invariant: generated
//! nodes are no elements; the hash is the script's.

use browserlens_core::page::raw::{Document, Snapshot};

/// Where the styles stand that say whether a box clips what it holds, among those that a fast look
/// reads.
const OVERFLOW: [usize; 2] = [4, 5];

/// Where the styles stand that say how a box is laid out and placed.
const DISPLAY: usize = 0;
const POSITION: usize = 3;
/// Displays that lay out what they hold by themselves and that floats outside keep out of, as in
/// `script/patch.js`.
const ROOTS: [&str; 10] = [
    "flow-root", "flex", "grid", "inline-block", "inline-flex", "inline-grid", "table", "inline-table", "table-cell",
    "table-caption",
];

/// Those that floats outside reach into.
const FLOWS: [&str; 2] = ["block", "list-item"];

/// A frame's elements in flat-tree order.
pub(crate) struct Elements {
    /// Which document of the snapshot it is.
    pub(crate) document: usize,
    pub(crate) backends: Vec<i64>,
    /// Their nodes in the snapshot.
    nodes: Vec<usize>,
    /// Hash of their names.
    pub(crate) hash: i32,
    /// Those of them that hold frames, by backend node id.
    pub(crate) holders: Vec<i64>,
    /// The element that holds this frame, where it is in the same process.
    pub(crate) held_by: Option<i64>,
}

fn holds_a_frame(name: &str) -> bool {
    name.eq_ignore_ascii_case("iframe") || name.eq_ignore_ascii_case("frame")
}

/// Returns the first layout row of each node.
fn first_rows(document: &Document) -> Vec<Option<usize>> {
    let mut rows = vec![None; document.nodes.node_type.len()];
    for (row, node) in document.layout.node_index.iter().enumerate() {
        if let Some(slot) = usize::try_from(*node).ok().and_then(|node| rows.get_mut(node)) {
            slot.get_or_insert(row);
        }
    }
    rows
}

impl Elements {
    pub(crate) fn of_frame(snapshot: &Snapshot, frame: &str) -> Option<Self> {
        let at = snapshot.documents.iter().position(|document| snapshot.text(document.frame_id) == frame)?;
        let nodes = &snapshot.documents[at].nodes;
        let held_by = snapshot.documents.iter().find_map(|document| {
            let contents = &document.nodes.content_document_index;
            let held = contents.value.iter().position(|held| usize::try_from(*held) == Ok(at))?;
            let holder = usize::try_from(*contents.index.get(held)?).ok()?;
            document.nodes.backend_node_id.get(holder).copied()
        });
        let backends = Vec::with_capacity(nodes.node_type.len());
        let mut found = Self { document: at, backends, nodes: Vec::new(), hash: 0, holders: Vec::new(), held_by };
        let rows = nodes.node_type.iter().zip(&nodes.node_name).zip(&nodes.backend_node_id);
        for (index, ((kind, called), backend)) in rows.enumerate() {
            let called = snapshot.text(*called);
            if *kind != 1 || called.starts_with("::") {
                continue;
            }
            let first = called.chars().next().map_or(0, |first| first.to_ascii_lowercase() as i32);
            let length = called.encode_utf16().count() as i32;
            found.hash = found.hash.wrapping_mul(31).wrapping_add(length.wrapping_mul(131)).wrapping_add(first);
            found.backends.push(*backend);
            found.nodes.push(index);
            if holds_a_frame(called) {
                found.holders.push(*backend);
            }
        }
        Some(found)
    }

    /// Says of each element, by a hexadecimal digit, whether it lays out what it holds by itself
    /// (1), whether something else than what holds it may place it (2), whether it has a layer of
    /// its own (4), and whether floats outside keep out of it (8).
    pub(crate) fn box_kinds(&self, snapshot: &Snapshot) -> String {
        let document = &snapshot.documents[self.document];
        let rows = first_rows(document);
        // Without a box of its own it is not rendered, unless what it holds is
        // (`display: contents`).
        let mut renders: Vec<bool> = rows.iter().map(Option::is_some).collect();
        for (node, parent) in document.nodes.parent_index.iter().enumerate().rev() {
            let parent = usize::try_from(*parent).ok().filter(|parent| *parent < node);
            if let (Some(true), Some(parent)) = (renders.get(node), parent) {
                renders[parent] = true;
            }
        }
        let up = |node: usize| document.nodes.parent_index.get(node).and_then(|parent| usize::try_from(*parent).ok());
        let paint = |row: usize| document.layout.paint_orders.get(row).copied().unwrap_or(0);
        let above = |node: usize| {
            let mut node = up(node);
            while let Some(index) = node {
                if let Some(row) = rows.get(index).copied().flatten() {
                    return paint(row);
                }
                node = up(index).filter(|parent| *parent < index);
            }
            0
        };
        let kind = |node: &usize| {
            let Some((row, styles)) = rows[*node].and_then(|row| Some((row, document.layout.styles.get(row)?))) else {
                return if renders[*node] { '0' } else { '9' };
            };
            let style = |at: usize| styles.get(at).map_or("", |style| snapshot.text(*style));
            let root = ROOTS.contains(&style(DISPLAY));
            let own = u32::from(root || FLOWS.contains(&style(DISPLAY)));
            let free = u32::from(matches!(style(POSITION), "absolute" | "fixed" | "sticky" | "-webkit-sticky"));
            let layer = u32::from(paint(row) != above(*node));
            let root = root || free == 1 || !matches!(style(OVERFLOW[0]), "visible" | "clip");
            char::from_digit(own + 2 * free + 4 * layer + 8 * u32::from(root), 16).unwrap_or('0')
        };
        self.nodes.iter().map(kind).collect()
    }

    /// Returns place and row of each element whose padding and scroll boxes say anything: those of
    /// frames, of what clips what it holds, of what scrolls.
    pub(crate) fn with_rects(&self, snapshot: &Snapshot) -> Vec<(usize, usize)> {
        let document = &snapshot.documents[self.document];
        let layout = &document.layout;
        let rows = first_rows(document);
        let mut holds = vec![false; rows.len()];
        for parent in &document.nodes.parent_index {
            if let Some(slot) = usize::try_from(*parent).ok().and_then(|parent| holds.get_mut(parent)) {
                *slot = true;
            }
        }
        let asks = |node: usize, row: usize| {
            let styles = layout.styles.get(row);
            let overflow =
                |at: usize| styles.and_then(|styles| styles.get(at)).map_or("", |style| snapshot.text(*style));
            OVERFLOW.iter().any(|at| match overflow(*at) {
                "auto" | "scroll" => true,
                "hidden" | "clip" => holds[node],
                _ => false,
            }) || document.nodes.node_name.get(node).is_some_and(|name| holds_a_frame(snapshot.text(*name)))
        };
        let boxed = self.nodes.iter().enumerate().filter_map(|(place, node)| Some((place, *node, rows[*node]?)));
        boxed.filter(|(_, node, row)| asks(*node, *row)).map(|(place, _, row)| (place, row)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn box_kinds_say_what_lays_out_floats_free_has_a_layer_and_keeps_floats_out() {
        // A body with a paragraph, a span in it, something sticky with a layer, what clips, what is
        // not rendered, and what is rendered only in what it holds.
        let snapshot = r##"{
            "strings": ["F", "P", "block", "inline", "sticky", "static", "hidden", "visible", "", "grid"],
            "documents": [{ "frameId": 0,
                "nodes": { "parentIndex": [-1, 0, 1, 0, 0, 0, 0, 6], "nodeType": [1, 1, 1, 1, 1, 1, 1, 1],
                    "nodeName": [1, 1, 1, 1, 1, 1, 1, 1], "backendNodeId": [1, 2, 3, 4, 5, 6, 7, 8] },
                "layout": { "nodeIndex": [0, 1, 2, 3, 4, 7],
                    "styles": [[2, 8, 8, 5, 7, 7], [2, 8, 8, 5, 7, 7], [3, 8, 8, 5, 7, 7], [2, 8, 8, 4, 7, 7],
                        [2, 8, 8, 5, 6, 6], [9, 8, 8, 5, 7, 7]],
                    "paintOrders": [0, 0, 0, 2, 0, 0] } }]
        }"##;
        let snapshot: Snapshot = serde_json::from_str(snapshot).expect("reads");
        let elements = Elements::of_frame(&snapshot, "F").expect("the frame");
        let [own, free, layer, root] = [1, 2, 4, 8];
        let kinds = [own, own, 0, own + free + layer + root, own + root, own + root, 0, own + root];
        let digits: String = kinds.iter().map(|kind| char::from_digit(*kind, 16).expect("a digit")).collect();
        assert_eq!(elements.box_kinds(&snapshot), digits);
    }
}
