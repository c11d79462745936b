//! Which dialogs are modal in effect, though they do not say so.
//!
//! In: a page of which is known what is covered. Out: [`States::MODAL`] on a dialog while nothing in
//! the viewport beside it can be acted on.

use crate::page::node::{Flags, States};
use crate::page::tree::{NodeRef, Page};

/// One control under a box may lie there by chance.
const FEWEST_BEHIND: usize = 2;

/// Sets the state of dialogs that keep all else from being acted on.
pub(super) fn mark(page: &mut Page) {
    let is_dialog = |node: &NodeRef<'_>| {
        matches!(node.role(), "dialog" | "alertdialog") && node.is_visible() && !node.states().has(States::MODAL)
    };
    let keeps_all = |dialog: &NodeRef<'_>| {
        let beside =
            page.nodes().filter(|node| node.is_interactive() && node.in_viewport() && !dialog.holds(node.id()));
        let mut behind = 0;
        for node in beside.filter(|node| !node.holds(dialog.id())) {
            if !node.flags().any(Flags::COVERED.with(Flags::INERT)) {
                return false;
            }
            behind += 1;
        }
        behind >= FEWEST_BEHIND
    };
    let modal: Vec<usize> = page.nodes().filter(is_dialog).filter(keeps_all).map(|node| node.id().index()).collect();
    for at in modal {
        page.nodes.states[at].set(States::MODAL, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::PageBuilder;

    #[test]
    fn a_dialog_is_modal_where_nothing_beside_it_can_be_acted_on() {
        let is_modal = |beside: &str| {
            let outline = format!("main\n{beside}dialog \"Sure?\"\n  button \"Yes\"\n  button \"No\" covered\n");
            let mut page = PageBuilder::outline(&outline);
            mark(&mut page);
            page.nodes().any(|node| node.role() == "dialog" && node.states().has(States::MODAL))
        };
        let [covered, free] = ["  button \"A\" covered\n", "  button \"B\"\n"];
        assert!(is_modal(&covered.repeat(2)));
        assert!(!is_modal(&format!("{covered}{covered}{free}")));
        assert!(!is_modal(covered), "by chance");
        assert!(!is_modal(""));
    }
}
