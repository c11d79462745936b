//! Says once what stands in two places side by side.
//!
//! In: a view's tree. Out: the same without the text of a label whose control has it as its name,
//! and without the heading, caption or legend that a named part begins with. Invariants: what is
//! dropped can be read in the item that stays; nothing that can be acted on and nothing with a
//! state goes.

use super::Meta;
use crate::tree::{Item, NONE, ROOT, StateSet, Tree};

/// Drops what is said twice.
pub(super) fn once(tree: &mut Tree, meta: &[Meta]) {
    for id in 0..tree.len() as u32 {
        if tree.parent(id) == NONE && id != ROOT {
            continue;
        }
        let children = tree.children(id);
        let is_label = |(at, child): &(usize, &u32)| {
            let text = tree.item(**child);
            let labels = |at: usize| children.get(at).is_some_and(|item| labels(text, tree.item(*item)));
            text.is_text() && (at.checked_sub(1).is_some_and(labels) || labels(at + 1))
        };
        let mut twice: Vec<u32> = children.iter().enumerate().filter(is_label).map(|(_, child)| *child).collect();
        let whole = tree.item(id);
        if !whole.name.is_empty() && id != ROOT {
            let repeats = |child: &&u32| {
                let item = tree.item(**child);
                matches!(&*item.role, "heading" | "caption" | "text")
                    && item.name == whole.name
                    && item.states == StateSet::NONE
                    && item.value.is_empty()
                    && !meta[**child as usize].interactive
                    && tree.children(**child).is_empty()
                    && !twice.contains(child)
            };
            twice.extend(children.iter().find(repeats));
        }
        for child in twice {
            tree.detach(child);
        }
    }
}

/// Returns whether a text says the name of the item beside it; a star that means "required" may
/// follow.
fn labels(text: &Item, item: &Item) -> bool {
    if item.is_text() || item.mark.is_some() || item.name.is_empty() {
        return false;
    }
    let starred = || text.name.strip_suffix('*').map(str::trim_end) == Some(&*item.name);
    text.name == item.name || (item.states.has(StateSet::REQUIRED) && starred())
}
