//! In which order the nodes of a document are drawn.

use crate::page::parse::raw::{Nodes, Snapshot};

/// Returns the nodes of a snapshot in document order, but each `::after` behind all that its element
/// holds: the browser lists it before.
pub(super) fn drawn_order(nodes: &Nodes, snapshot: &Snapshot) -> Vec<usize> {
    let name = snapshot.strings.iter().position(|text| &**text == "::after").map(|at| at as i64);
    let Some(name) = name else { return (0..nodes.parent_index.len()).collect() };
    let mut order = Vec::with_capacity(nodes.parent_index.len());
    // Elements that are open, and those of them whose `::after` is yet to come.
    let mut open: Vec<i64> = Vec::new();
    let mut later: Vec<(i64, usize)> = Vec::new();
    for (at, parent) in nodes.parent_index.iter().enumerate() {
        if open.last() != Some(parent) && open.contains(parent) {
            while let Some(closed) = open.pop_if(|last| *last != *parent) {
                order.extend(later.pop_if(|(element, _)| *element == closed).map(|(_, after)| after));
            }
        }
        if nodes.node_name.get(at) == Some(&name) && open.last() == Some(parent) {
            later.push((*parent, at));
        } else {
            order.push(at);
            open.push(at as i64);
        }
    }
    order.extend(later.into_iter().rev().map(|(_, after)| after));
    order
}
