//! Puts the error that a field names next to the field.
//!
//! In: a view's tree. Out: the same, where the text that an invalid field names by
//! `aria-errormessage` or `aria-describedby` stands right after it, if it stood further away.
//! Invariants: nothing is said twice and nothing goes; what holds a control is not moved, nor is
//! what stands in a dialog that the field is not in.

use super::Meta;
use super::first::is_modal;
use crate::tree::{NONE, ROOT, StateSet, Tree};
use browserlens_core::page::{NodeId, NodeKind, Page};
use std::collections::HashMap;

/// How many siblings further an error still stands beside its field.
const BESIDE: usize = 3;

/// Puts errors next to their fields.
pub(super) fn tied(page: &Page, tree: &mut Tree, meta: &[Meta]) {
    let names = |id: u32| {
        let node = page.node(meta[id as usize].node);
        let ids = ["aria-errormessage", "aria-describedby"].into_iter().filter_map(move |name| node.attribute(name));
        ids.flat_map(str::split_ascii_whitespace).map(move |id| (node.frame(), id))
    };
    let fields: Vec<u32> = (1..tree.len() as u32)
        .filter(|id| {
            meta[*id as usize].interactive
                && tree.item(*id).states.has(StateSet::INVALID)
                && tree.parent(*id) != NONE
                && names(*id).next().is_some()
        })
        .collect();
    if fields.is_empty() {
        return;
    }
    let mut by_id = HashMap::new();
    for node in page.nodes().filter(|node| node.kind() == NodeKind::Element) {
        if let Some(id) = node.attribute("id") {
            by_id.entry((node.frame(), id)).or_insert(node.id());
        }
    }
    for field in fields {
        let named: Vec<NodeId> = names(field).filter_map(|id| by_id.get(&id).copied()).collect();
        let mut after = field;
        for element in named {
            let holds = |id: u32| page.node(element).holds(meta[id as usize].node);
            let is_top = |id: &u32| {
                let parent = tree.parent(*id);
                holds(*id) && parent != NONE && (parent == ROOT || !holds(parent))
            };
            let tops: Vec<u32> = (1..tree.len() as u32).filter(is_top).collect();
            for text in tops {
                if is_near(tree, field, text) || !may_move(tree, meta, field, text) {
                    continue;
                }
                tree.detach(text);
                let at = tree.position(after) + 1;
                tree.attach(text, tree.parent(field), at);
                after = text;
            }
        }
    }
}

fn is_near(tree: &Tree, field: u32, text: u32) -> bool {
    tree.parent(field) == tree.parent(text) && tree.position(field).abs_diff(tree.position(text)) <= BESIDE
}

/// Returns whether an item only says something, and both stand in the same dialog or in none.
fn may_move(tree: &Tree, meta: &[Meta], field: u32, text: u32) -> bool {
    let dialog = |id: u32| tree.ancestors(id).find(|above| is_modal(tree, *above));
    let quiet = tree.subtree(text).all(|below| !meta[below as usize].interactive && !is_modal(tree, below));
    quiet && text != field && tree.ancestors(field).all(|above| above != text) && dialog(field) == dialog(text)
}
