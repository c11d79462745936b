//! Finds the parts of a page between which cards are dragged.
//!
//! In: a view's tree. Out: the same, where such a part can be acted on. Whoever drags a card needs
//! a place to name. Invariant: a part counts if it, or one of its role beside it, directly holds a
//! card: an article or list item that can be dragged, or that has a tab stop and a listener.

use super::Meta;
use crate::tree::{Item, NONE, ROOT, Tree};
use browserlens_core::page::{Clickability, NodeRef, Page};

/// Lets the parts that take cards be acted on.
pub(super) fn zones(page: &Page, tree: &Tree, meta: &mut [Meta]) {
    let mut roles: Vec<(u32, &str)> = Vec::new();
    for (id, item) in tree.items() {
        let part = tree.parent(id);
        if part == NONE || part == ROOT || !is_part(tree.item(part)) || !matches!(&*item.role, "article" | "listitem") {
            continue;
        }
        let about = &meta[id as usize];
        let place = (tree.parent(part), &*tree.item(part).role);
        if about.interactive && is_card(page.node(about.node)) && roles.last() != Some(&place) {
            roles.push(place);
        }
    }
    for (place, role) in roles {
        let alike = |part: &&u32| *tree.item(**part).role == *role && is_part(tree.item(**part));
        for part in tree.children(place).iter().filter(alike) {
            meta[*part as usize].interactive = true;
        }
    }
}

fn is_part(item: &Item) -> bool {
    !item.name.is_empty() && matches!(&*item.role, "region" | "group" | "list" | "complementary")
}

fn is_card(node: NodeRef<'_>) -> bool {
    node.attribute("draggable") == Some("true")
        || node.clickability().has(Clickability::LISTENER.with(Clickability::TABINDEX))
}
