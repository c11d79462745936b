//! What is shown, node by node: what a text says of one, and what it says was left out.

use crate::tree::{Elided, Handle, Item, ROOT, StateSet, Tree};
use browserlens_core::strategy::Ref;

/// An elided mark and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ElidedMark {
    /// The handle that brings what is elided.
    pub handle: Option<Handle>,
    /// How much is elided, if it is said.
    pub count: Option<u32>,
    /// What is elided.
    pub what: ElidedWhat,
    /// Role and name of the ancestors, nearest first.
    pub within: Vec<(String, String)>,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElidedWhat {
    /// Siblings.
    Siblings(Elided),
    /// The rest of a name, in characters.
    Characters {
        /// Index of the item in the tree.
        of: u32,
    },
}

/// View of one node of a `ShownState`.
#[derive(Clone, Copy, Debug)]
pub struct ShownNode<'s> {
    pub(super) tree: &'s Tree,
    pub(super) id: u32,
}

impl<'s> ShownNode<'s> {
    pub(super) fn item(&self) -> &'s Item {
        self.tree.item(self.id)
    }

    /// Returns the index in the tree; document order.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// Returns the role; `text` for a run of text, `clickable` for a node without role that can be
    /// acted on.
    pub fn role(&self) -> &'s str {
        &self.item().role
    }

    /// Returns the accessible name, or the text of a run; empty where the text below says the same.
    pub fn name(&self) -> &'s str {
        &self.item().name
    }

    /// Returns the value; empty if none.
    pub fn value(&self) -> &'s str {
        &self.item().value
    }

    /// Returns the words of the states.
    pub fn states(&self) -> impl Iterator<Item = &'static str> {
        self.item().states.words()
    }

    /// Returns whether a state is shown, by its word.
    pub fn has_state(&self, word: &str) -> bool {
        StateSet::from_word(word).is_some_and(|state| self.item().states.has(state))
    }

    /// Returns the ref.
    pub fn reference(&self) -> Option<Ref> {
        self.item().reference
    }

    /// Returns whether name and value may be old.
    pub fn is_volatile(&self) -> bool {
        self.item().volatile
    }

    /// Returns whether the name is only the beginning.
    pub fn is_cut(&self) -> bool {
        self.item().cut.is_some()
    }

    /// Returns what can be read of the node: its name and the names below it, joined by blanks.
    pub fn text(&self) -> String {
        let names = self.tree.subtree(self.id).map(|id| &*self.tree.item(id).name).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" ")
    }

    /// Returns the ancestors, nearest first; the page itself is left out.
    pub fn ancestors(&self) -> impl Iterator<Item = ShownNode<'s>> + use<'s> {
        let tree = self.tree;
        tree.ancestors(self.id).filter(|id| *id != ROOT).map(move |id| ShownNode { tree, id })
    }

    /// Returns role and name of the ancestors, nearest first.
    pub fn path(&self) -> Vec<(String, String)> {
        self.ancestors().map(|node| (node.role().to_owned(), node.name().to_owned())).collect()
    }
}
