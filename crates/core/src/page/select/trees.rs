//! Which tree of the document a node belongs to.
//!
//! In: a [`Page`], whose nodes are those of the flat tree. Out: [`Trees`]. Invariant: a slotted node
//! belongs to the tree of its slot's host, not to the shadow tree that it is shown in.

use crate::page::{Flags, NodeKind, Page};

/// By node: its parent, and whose shadow tree it stands in, by the document and not by the flat tree.
/// Ids are of that tree.
#[derive(Debug)]
pub struct Trees {
    /// The element that is the parent; [`Trees::NONE`] at the root of a document or shadow tree.
    pub parent: Vec<u32>,
    /// The host of the shadow tree; [`Trees::NONE`] in the document itself.
    pub host: Vec<u32>,
}

impl Trees {
    /// Stands for no node.
    pub const NONE: u32 = u32::MAX;

    /// Reads a page.
    pub fn of(page: &Page) -> Self {
        let none = vec![Self::NONE; page.len()];
        let mut trees = Self { parent: none.clone(), host: none };
        let shadow = Flags::IN_OPEN_SHADOW.with(Flags::IN_CLOSED_SHADOW);
        let hosts = Flags::SHADOW_HOST_OPEN.with(Flags::SHADOW_HOST_CLOSED);
        for node in page.nodes().skip(1) {
            let Some(above) = node.parent() else { continue };
            let is_element = above.kind() == NodeKind::Element;
            let mut parent = if is_element { above.id().0 } else { Self::NONE };
            let mut host = trees.host[above.id().index()];
            if above.kind() == NodeKind::Document {
                host = Self::NONE;
            }
            if node.flags().has(Flags::SLOTTED) && trees.host[above.id().index()] != Self::NONE {
                parent = trees.host[above.id().index()];
                host = trees.host[parent as usize];
            } else if above.flags().any(hosts) && node.flags().any(shadow) {
                (parent, host) = (Self::NONE, above.id().0);
            }
            trees.parent[node.id().index()] = parent;
            trees.host[node.id().index()] = host;
        }
        trees
    }
}
