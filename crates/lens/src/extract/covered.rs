//! Marks what cannot be acted on because something lies over it, or because the page says so.
//!
//! In: a view's tree. Out: the same with [`StateSet::COVERED`] and [`StateSet::INERT`]. Invariants:
//! where all of two or more controls of an item are covered, the item says it and they do not; a
//! modal dialog says it for everything beside it.

use super::Meta;
use super::first::is_modal;
use crate::tree::{NONE, ROOT, StateSet, Tree};
use browserlens_core::page::{Flags, Page};

/// Marks what is covered and what is inert.
pub(super) fn covered(page: &Page, tree: &mut Tree, meta: &[Meta]) {
    for (flag, state) in [(Flags::COVERED, StateSet::COVERED), (Flags::INERT, StateSet::INERT)] {
        let is = |id: u32| meta[id as usize].interactive && page.node(meta[id as usize].node).flags().has(flag);
        if !(1..tree.len() as u32).any(is) {
            continue;
        }
        // What stands beside a modal dialog does not count.
        let any_modal = (1..tree.len() as u32).any(|id| is_modal(tree, id));
        let mut counts = vec![!any_modal; tree.len()];
        let mut acting = vec![(0_u32, 0_u32); tree.len()];
        for id in 1..tree.len() as u32 {
            let parent = tree.parent(id);
            counts[id as usize] = parent != NONE && (counts[parent as usize] || is_modal(tree, id));
        }
        for id in (1..tree.len() as u32).rev() {
            if counts[id as usize] {
                let of = &mut acting[id as usize];
                of.0 += u32::from(meta[id as usize].interactive);
                of.1 += u32::from(is(id));
                let (all, hidden) = *of;
                let above = &mut acting[tree.parent(id) as usize];
                *above = (above.0 + all, above.1 + hidden);
            }
        }
        let mut said = vec![false; tree.len()];
        for id in 1..tree.len() as u32 {
            let parent = tree.parent(id);
            if !counts[id as usize] || (parent != ROOT && said[parent as usize]) {
                said[id as usize] = parent != NONE && said[parent as usize];
                continue;
            }
            let (all, hidden) = acting[id as usize];
            let whole = all > 0 && all == hidden;
            if is(id) || (whole && all > 1) {
                tree.item_mut(id).states.add(state);
                said[id as usize] = whole;
            }
        }
    }
}
