//! What scoring needs of a page, made once a step for all strategies, when first needed.

use super::probes::Probes;
use crate::reader::Haystack;
use browserlens_core::page::{NodeId, NodeKey, NodeKind, Page};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};

/// The page's own text with its owners, its nodes by key, and its probes.
#[derive(Default)]
pub(crate) struct PageIndex {
    text: OnceCell<(Haystack, Vec<NodeId>)>,
    keys: OnceCell<HashMap<NodeKey, NodeId>>,
    probes: OnceCell<Probes>,
    /// What an earlier second look saw change by itself.
    changing: HashSet<NodeKey>,
}

impl PageIndex {
    /// Returns an empty index of a page of which it is known what changes by itself.
    pub fn knowing(changing: HashSet<NodeKey>) -> Self {
        Self { changing, ..Self::default() }
    }

    /// Returns the visible text in pieces, and the node of each piece.
    pub fn text(&self, page: &Page) -> &(Haystack, Vec<NodeId>) {
        self.text.get_or_init(|| {
            let mut haystack = Haystack::default();
            let mut owners = Vec::new();
            for node in page.nodes().filter(|node| node.is_visible()) {
                let words = match node.kind() {
                    NodeKind::Text | NodeKind::Pseudo => node.text(),
                    NodeKind::Element if browserlens_core::page::role::is_text_field(node.role()) => node.value(),
                    _ => "",
                };
                if haystack.push(words) {
                    owners.push(node.id());
                }
            }
            (haystack, owners)
        })
    }

    /// Returns the node of a key.
    pub fn node(&self, page: &Page, key: NodeKey) -> Option<NodeId> {
        self.keys.get_or_init(|| page.nodes().map(|node| (node.key(), node.id())).collect()).get(&key).copied()
    }

    /// Returns the probes of the page.
    pub fn probes(&self, page: &Page) -> &Probes {
        self.probes.get_or_init(|| Probes::draw(page, &self.changing))
    }
}
