//! Puts nodes, boxes, accessibility nodes and text where a new order has them.

use super::super::{index, list, list_mut};
use super::{Moves, Span, Tree, indices, rect};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};

pub(super) fn move_nodes(document: &mut Value, tree: &Tree, moves: &Moves) {
    if let Some(nodes) = document.get_mut("nodes").and_then(Value::as_object_mut) {
        for (name, column) in nodes.iter_mut() {
            match column {
                // Parents and kinds are those of the place.
                _ if matches!(name.as_str(), "parentIndex" | "nodeType" | "nodeName") => {}
                Value::Array(column) if column.len() == tree.size.len() => {
                    let old = column.clone();
                    moves.nodes.iter().for_each(|(place, node)| column[*place] = old[*node].clone());
                }
                sparse => move_sparse(sparse, tree.size.len(), moves),
            }
        }
    }
    // Per layout row of a place: the row that comes there, and how far it moves.
    let mut rows: HashMap<usize, (usize, (f64, f64))> = HashMap::new();
    for (place, item) in &moves.items {
        let origin = |node: usize| tree.row[node].map_or([0.0; 4], |row| tree.bounds[row]);
        let (to, from) = (origin(*place), origin(*item));
        let by = (to[0] - from[0], to[1] - from[1]);
        for offset in 0..tree.size[*place] {
            if let (Some(to), Some(from)) = (tree.row[place + offset], tree.row[item + offset]) {
                rows.insert(to, (from, by));
            }
        }
    }
    if let Some(layout) = document.get_mut("layout").and_then(Value::as_object_mut) {
        for (name, column) in layout.iter_mut() {
            let Value::Array(column) = column else { continue };
            if matches!(name.as_str(), "nodeIndex" | "paintOrders") || column.len() != tree.bounds.len() {
                continue;
            }
            let old = column.clone();
            for (to, (from, by)) in &rows {
                column[*to] = old[*from].clone();
                let from_document = name == "offsetRects" && is_near(&old[*from], tree.bounds[*from]);
                if name == "bounds" || from_document {
                    shift_rect(&mut column[*to], *by);
                }
            }
        }
    }
    if let Some(boxes) = document.get_mut("textBoxes") {
        move_boxes(boxes, &rows);
    }
}

/// Whether an offset is one from the document's corner: then it moves along.
fn is_near(offset: &Value, bounds: [f64; 4]) -> bool {
    rect(offset).is_some_and(|offset| (offset[0] - bounds[0]).abs() < 1.0 && (offset[1] - bounds[1]).abs() < 1.0)
}

fn shift_rect(rect: &mut Value, by: (f64, f64)) {
    let Value::Array(rect) = rect else { return };
    for (value, by) in rect.iter_mut().zip([by.0, by.1]) {
        if let Some(at) = value.as_f64().filter(|_| by != 0.0) {
            // Whole numbers stay whole, as the browser writes them.
            let moved = at + by;
            *value =
                if moved.fract() == 0.0 && moved.abs() < 1e9 { Value::from(moved as i64) } else { Value::from(moved) };
        }
    }
}

fn move_sparse(column: &mut Value, nodes: usize, moves: &Moves) {
    let old = indices(Some(column));
    let values = column.get("value").and_then(Value::as_array).cloned();
    let by_node: HashMap<usize, usize> = old.iter().enumerate().map(|(at, node)| (*node, at)).collect();
    let new: Vec<(usize, usize)> =
        (0..nodes).filter_map(|node| Some((node, *by_node.get(&moves.source(node))?))).collect();
    if let Some(index) = column.get_mut("index") {
        *index = new.iter().map(|(node, _)| Value::from(*node)).collect();
    }
    if let (Some(values), Some(column)) = (values, column.get_mut("value")) {
        *column = new.iter().filter_map(|(_, at)| values.get(*at).cloned()).collect();
    }
}

fn move_boxes(boxes: &mut Value, rows: &HashMap<usize, (usize, (f64, f64))>) {
    let layout: Vec<usize> = list(boxes, "layoutIndex").iter().filter_map(index).collect();
    let mut by_row: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    layout.iter().enumerate().for_each(|(at, row)| by_row.entry(*row).or_default().push(at));
    let mut new: Vec<(usize, usize, (f64, f64))> = Vec::with_capacity(layout.len());
    let mut wanted: Vec<usize> = by_row.keys().copied().chain(rows.keys().copied()).collect();
    wanted.sort_unstable();
    wanted.dedup();
    for row in wanted {
        let (from, by) = rows.get(&row).copied().unwrap_or((row, (0.0, 0.0)));
        new.extend(by_row.get(&from).into_iter().flatten().map(|at| (row, *at, by)));
    }
    let Some(columns) = boxes.as_object_mut() else { return };
    for (name, column) in columns.iter_mut() {
        let Value::Array(column) = column else { continue };
        let old = std::mem::take(column);
        *column = new
            .iter()
            .filter_map(|(row, at, by)| {
                let mut value = if name == "layoutIndex" { Value::from(*row) } else { old.get(*at)?.clone() };
                if name == "bounds" {
                    shift_rect(&mut value, *by);
                }
                Some(value)
            })
            .collect();
    }
}

pub(super) fn move_ax(ax: &mut Value, tree: &Tree, moves: &Moves) {
    let Some(nodes) = ax.get_mut("nodes").and_then(Value::as_array_mut) else { return };
    let old = nodes.clone();
    for (place, node) in &moves.nodes {
        for (to, from) in tree.ax[*place].iter().zip(&tree.ax[*node]) {
            nodes[*to] = old[*from].clone();
        }
    }
    // Only the parents of items see them in another order; what is in an item stays in it.
    let id = |node: usize| tree.ax[node].first().and_then(|at| old[*at].get("nodeId")).and_then(Value::as_str);
    let renamed: HashMap<&str, &str> =
        moves.items.iter().filter_map(|(place, item)| Some((id(*place)?, id(*item)?))).collect();
    for child in nodes.iter_mut().flat_map(|node| list_mut(node, "childIds")) {
        if let Some(new) = child.as_str().and_then(|child| renamed.get(child)) {
            *child = Value::from(*new);
        }
    }
}

/// Puts parts of a text into each other's places; groups lie apart from each other.
pub(super) fn move_spans(said: &str, groups: Vec<(Vec<Span>, Vec<usize>)>) -> String {
    let mut parts: Vec<(Span, Span)> = Vec::new();
    for (spans, order) in groups {
        parts.extend(order.iter().zip(&spans).map(|(source, place)| (*place, spans[*source])));
    }
    parts.sort_unstable();
    let (mut out, mut at) = (String::with_capacity(said.len()), 0);
    for ((begin, end), (from, to)) in parts {
        out.push_str(said.get(at..begin).unwrap_or(""));
        out.push_str(said.get(from..to).unwrap_or(""));
        at = end;
    }
    out.push_str(said.get(at..).unwrap_or(""));
    out
}
