//! The three grades of the distilled DOM: text only, input fields, everything.
//!
//! In: a view of everything. Out: the view of a grade, and how much it leaves out by nature.
//! Invariant: what is left out is counted, so that one mark can say it.

use super::{Meta, View};
use crate::tree::{Elided, Item, ROOT, TEXT, Tree};
use browserlens_core::named;
use browserlens_core::page::role;

named! {
    /// What the distilled DOM keeps.
    #[derive(Default)]
    pub enum Grade {
        /// What can be read; nothing to act on.
        Text = "text",
        /// Fields and buttons.
        Fields = "fields",
        /// Everything.
        #[default]
        All = "all",
    }
}

/// Returns whether an item is a field.
fn is_field(item: &Item) -> bool {
    role::is_text_field(&item.role) || matches!(&*item.role, "checkbox" | "radio" | "switch" | "slider" | "listbox")
}

/// Cuts a view down to a grade and returns what that leaves out.
pub(super) fn apply(view: &mut View, grade: Grade) -> (Elided, usize) {
    if grade == Grade::All {
        return (Elided::Items, 0);
    }
    let mut tree = Tree::default();
    let mut meta: Vec<Meta> = vec![view.meta[0]];
    let mut left_out = 0;
    // (item of the whole view, where its children go)
    let mut stack: Vec<(u32, u32)> = view.tree.children(ROOT).iter().rev().map(|child| (*child, ROOT)).collect();
    while let Some((id, parent)) = stack.pop() {
        let (item, about) = (view.tree.item(id), view.meta[id as usize]);
        let goes = match grade {
            Grade::Text => is_field(item) || about.interactive,
            Grade::Fields => item.is_text() || about.interactive && &*item.role == "link",
            Grade::All => false,
        };
        left_out += usize::from(goes);
        let kept = match grade {
            Grade::Text if goes && is_field(item) => continue,
            // What can be acted on is text as well.
            Grade::Text if goes => (!item.name.is_empty()).then(|| Item::new(TEXT, item.name.clone())),
            _ => (!goes).then(|| item.clone()),
        };
        // Text has nothing below it: what was below goes after it.
        let is_text = kept.as_ref().is_some_and(Item::is_text);
        let mut below = parent;
        if let Some(kept) = kept {
            let id = tree.push(parent, kept);
            meta.push(Meta { interactive: about.interactive && !is_text, ..about });
            below = if is_text { parent } else { id };
        }
        stack.extend(view.tree.children(id).iter().rev().map(|child| (*child, below)));
    }
    view.tree = tree;
    view.meta = meta;
    let what = if grade == Grade::Text { Elided::Fields } else { Elided::Texts };
    (what, left_out)
}
