//! Puts what is modal first.
//!
//! In: a view's tree. Out: the same with each modal dialog before everything else, the one opened
//! last first of all. Invariant: only the place of dialogs changes.

use crate::tree::{NONE, ROOT, StateSet, Tree};

/// Returns whether an item is a modal dialog.
pub(super) fn is_modal(tree: &Tree, id: u32) -> bool {
    let item = tree.item(id);
    item.states.has(StateSet::MODAL) && matches!(&*item.role, "dialog" | "alertdialog") && tree.parent(id) != NONE
}

/// Moves modal dialogs to the front.
pub(super) fn modal_first(tree: &mut Tree) {
    let modal: Vec<u32> = (1..tree.len() as u32).filter(|id| is_modal(tree, *id)).collect();
    for id in modal {
        tree.detach(id);
        tree.attach(id, ROOT, 0);
    }
}
