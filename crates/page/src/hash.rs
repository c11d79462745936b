//! The page hash: whether two captures show the same page to an agent.
//!
//! In: a [`Page`]. Out: a BLAKE3 hash over structure, role, name, state, value and text of the nodes that are
//! visible or in the accessibility tree. Boxes, hover, focus and other attributes are left out: peers write attributes and
//! move focus, and that must not make their output count as one of another page.

use crate::node::{Flags, NodeKind, States};
use crate::page::Page;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Hash of what a page shows.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct PageHash(pub [u8; 32]);

impl fmt::Display for PageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for PageHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PageHash({self})")
    }
}

impl Page {
    /// Returns the hash of structure, role, name, state, value and text.
    pub fn hash(&self) -> PageHash {
        let mut hasher = blake3::Hasher::new();
        let mut field = |bytes: &[u8]| {
            hasher.update(&(bytes.len() as u64).to_le_bytes());
            hasher.update(bytes);
        };
        field(self.url().as_bytes());
        field(self.title().as_bytes());
        let unstable = States::FOCUSED.with(States::FOCUSABLE);
        for node in self.nodes() {
            let shown = node.is_visible() || !node.flags().has(Flags::AX_IGNORED);
            if !shown {
                continue;
            }
            let mut states = node.states();
            states.set(unstable, false);
            field(&node.depth().to_le_bytes());
            field(node.role().as_bytes());
            field(node.name().as_bytes());
            field(&states.0.to_le_bytes());
            field(node.value().as_bytes());
            if matches!(node.kind(), NodeKind::Text | NodeKind::Pseudo) {
                field(node.text().as_bytes());
            }
        }
        PageHash(*hasher.finalize().as_bytes())
    }
}
