//! Names for what can be acted on and has none.
//!
//! In: a view's tree. Out: the same, with a name and [`StateSet::DERIVED`] on each nameless control
//! for which the page offers one. Invariants: a control that holds anything with a name gets none;
//! an item's own words are never replaced, but a sign by its title.

use super::Meta;
use super::names::collapse;
use crate::last_resort::{drawn_label, line_of_label, name_of};
use crate::tree::{NONE, StateSet, Tree};
use browserlens_core::page::{Page, role};
use std::sync::Arc;

/// Longest text that labels a field beside it, in characters.
const LONGEST_LABEL: usize = 60;
/// Names what has no name.
pub(super) fn derive(page: &Page, tree: &mut Tree, meta: &[Meta]) {
    for id in 1..tree.len() as u32 {
        let item = tree.item(id);
        let drawn = &*item.role == "canvas";
        if !meta[id as usize].interactive || drawn || tree.parent(id) == NONE {
            continue;
        }
        let node = page.node(meta[id as usize].node);
        if !item.name.is_empty() {
            // A sign such as "⋮" says less than the title of what it stands on.
            let title = node.attribute("title").filter(|_| !item.name.contains(char::is_alphanumeric)).map(collapse);
            if let Some(title) = title.filter(|title| !title.is_empty()) {
                tree.item_mut(id).name = Arc::from(title);
            }
            continue;
        }
        let toggle = matches!(&*item.role, "checkbox" | "radio" | "switch");
        let field = role::is_text_field(&item.role) || matches!(&*item.role, "listbox" | "slider");
        if !field && tree.subtree(id).skip(1).any(|below| !tree.item(below).name.is_empty()) {
            continue;
        }
        let label = match (field, toggle) {
            (true, _) => labels_beside(tree, id).0,
            (_, true) => {
                let (before, after) = labels_beside(tree, id);
                let (siblings, at) = (tree.children(tree.parent(id)), tree.position(id));
                let text = |at: Option<usize>| siblings.get(at?).map(|text| page.node(meta[*text as usize].node));
                let is_before = line_of_label(node, text(at.checked_sub(1)), text(Some(at + 1)))
                    .unwrap_or_else(|| is_labelled_before(tree, id));
                if is_before { before.or(after) } else { after.or(before) }
            }
            _ => drawn_label(node),
        };
        if let Some(name) = name_of(node, label) {
            let item = tree.item_mut(id);
            item.name = Arc::from(name);
            item.states.add(StateSet::DERIVED);
        }
    }
}

/// Returns the texts right before and right after an item, if they may be labels.
fn labels_beside(tree: &Tree, id: u32) -> (Option<String>, Option<String>) {
    let siblings = tree.children(tree.parent(id));
    let at = tree.position(id);
    // What is chosen in a field may stand between it and its label.
    let value = &tree.item(id).value;
    let before = |at: usize| {
        let is_value = |at: &usize| !value.is_empty() && tree.item(siblings[*at]).name == *value;
        at.checked_sub(1).map(|before| if is_value(&before) { before.checked_sub(1) } else { Some(before) })?
    };
    let label = |at: Option<usize>| {
        let item = tree.item(*siblings.get(at?)?);
        let is_short = item.name.chars().count() <= LONGEST_LABEL;
        (item.is_text() && is_short && item.name.contains(char::is_alphabetic)).then(|| item.name.to_string())
    };
    (label(before(at)), label(Some(at + 1)))
}

/// Returns whether the texts beside a row of toggles stand before them: the row then begins with a
/// text and ends with a toggle.
fn is_labelled_before(tree: &Tree, id: u32) -> bool {
    let siblings = tree.children(tree.parent(id));
    let own = &tree.item(id).role;
    let (at, fits) = (tree.position(id), |at: &u32| tree.item(*at).is_text() || tree.item(*at).role == *own);
    let first = siblings[..at].iter().rev().take_while(|at| fits(at)).last();
    let last = siblings[at..].iter().take_while(|at| fits(at)).last();
    first.is_some_and(|first| tree.item(*first).is_text()) && last.is_some_and(|last| !tree.item(*last).is_text())
}
