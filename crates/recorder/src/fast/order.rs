//! Which node of a snapshot the n-th element of a script is.
//!
//! In: the columns of a snapshot. Out: a frame's elements in flat-tree order. Invariant: generated nodes are no elements; the hash is the script's.

use browserlens_page::raw::Snapshot;

/// Where the styles stand that say whether a box clips what it holds, among those that a fast look reads.
const OVERFLOW: [usize; 2] = [4, 5];

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

    /// Returns place and row of each element whose padding and scroll boxes say anything: those of frames, of what clips what it holds, of what scrolls.
    pub(crate) fn with_rects(&self, snapshot: &Snapshot) -> Vec<(usize, usize)> {
        let document = &snapshot.documents[self.document];
        let layout = &document.layout;
        let mut rows = vec![None; document.nodes.node_type.len()];
        for (row, node) in layout.node_index.iter().enumerate() {
            if let Some(slot) = usize::try_from(*node).ok().and_then(|node| rows.get_mut(node)) {
                slot.get_or_insert(row);
            }
        }
        let mut holds = vec![false; rows.len()];
        for parent in &document.nodes.parent_index {
            if let Some(slot) = usize::try_from(*parent).ok().and_then(|parent| holds.get_mut(parent)) {
                *slot = true;
            }
        }
        let asks = |node: usize, row: usize| {
            let styles = layout.styles.get(row);
            let overflow = |at: usize| styles.and_then(|styles| styles.get(at)).map_or("", |style| snapshot.text(*style));
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
