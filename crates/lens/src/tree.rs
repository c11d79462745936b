//! The tree that everything here speaks about: what is shown of a page, node by node.
//!
//! In: items appended by the extractor, the parser or an edit. Out: the same tree, walked, hashed,
//! compared. Invariants: item 0 is the root; outside of an edit ([`Tree::compact`] ends one)
//! indices are document order, so a parent precedes its children; no walk recurses, because pages
//! nest 10,000 deep. Why children as lists and not as ranges: a delta inserts, moves and removes in
//! the middle.

mod item;

pub use item::{CLICKABLE, Cut, Elided, Handle, Item, Mark};

use browserlens_core::bit_set;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hasher};

/// Index of the root of every tree.
pub const ROOT: u32 = 0;
/// No item.
pub const NONE: u32 = u32::MAX;
/// Role of a run of text.
pub const TEXT: &str = "text";
/// Role of the root.
pub const PAGE: &str = "page";

macro_rules! states {
    ($($(#[$doc:meta])* $flag:ident = $bit:expr, $word:expr;)+) => {
        bit_set! {
            /// The states of an item that are said.
            StateSet: u32 { $($(#[$doc])* $flag = $bit),+ }
        }

        impl StateSet {
            /// Every state with its word, in the order in which they are written.
            pub const WORDS: &'static [(Self, &'static str)] = &[$((Self::$flag, $word)),+];
        }
    };
}

states! {
    /// Disabled.
    DISABLED = 0, "disabled";
    /// Checked.
    CHECKED = 1, "checked";
    /// Has a checked state that is off.
    UNCHECKED = 2, "unchecked";
    /// Checked or pressed in part.
    MIXED = 3, "mixed";
    /// Expanded.
    EXPANDED = 4, "expanded";
    /// Can be expanded and is not.
    COLLAPSED = 5, "collapsed";
    /// Selected.
    SELECTED = 6, "selected";
    /// Pressed.
    PRESSED = 7, "pressed";
    /// A toggle that is not pressed.
    UNPRESSED = 8, "unpressed";
    /// Required.
    REQUIRED = 9, "required";
    /// Invalid.
    INVALID = 10, "invalid";
    /// Read-only.
    READONLY = 11, "readonly";
    /// Has the focus.
    FOCUSED = 12, "focused";
    /// Modal.
    MODAL = 13, "modal";
    /// Busy.
    BUSY = 14, "busy";
    /// The current item of its set.
    CURRENT = 15, "current";
    /// A secret field that holds a value.
    FILLED = 16, "filled";
    /// A control that is there but not painted (a styled checkbox).
    INVISIBLE = 17, "invisible";
    /// Its name is no accessible name but the best that the page offers; written as `~` before the
    /// name.
    DERIVED = 18, "derived";
    /// Nothing in it can be clicked: another element lies over it, and scrolling does not help.
    COVERED = 19, "covered";
    /// The page takes nothing in it for input (`inert`).
    INERT = 20, "inert";
    /// A control that a class of the page calls on (`active`, `is-selected`), where no state says so.
    ACTIVE = 21, "active";
    /// A cell of several columns.
    COLSPAN = 22, "colspan";
    /// A cell of several rows.
    ROWSPAN = 23, "rowspan";
    /// A list that draws only a part of its items; scrolling brings the others.
    PARTIAL = 24, "partial";
    /// The head of a column that its table is sorted by, the smallest first.
    ASCENDING = 25, "ascending";
    /// … the largest first.
    DESCENDING = 26, "descending";
}

/// A tree of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    items: Vec<Item>,
    parent: Vec<u32>,
    children: Vec<Vec<u32>>,
}

impl Default for Tree {
    fn default() -> Self {
        Self { items: vec![Item::new(PAGE, "")], parent: vec![NONE], children: vec![Vec::new()] }
    }
}

impl Tree {
    /// Returns how many items there are, the root included.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns whether there is nothing below the root.
    pub fn is_empty(&self) -> bool {
        self.items.len() <= 1
    }

    /// Returns an item.
    pub fn item(&self, id: u32) -> &Item {
        &self.items[id as usize]
    }

    /// Returns an item to change.
    pub fn item_mut(&mut self, id: u32) -> &mut Item {
        &mut self.items[id as usize]
    }

    /// Returns the items in the order of their indices.
    pub fn items(&self) -> impl Iterator<Item = (u32, &Item)> {
        self.items.iter().enumerate().map(|(id, item)| (id as u32, item))
    }

    /// Returns the parent; [`NONE`] for the root and for what was removed.
    pub fn parent(&self, id: u32) -> u32 {
        self.parent[id as usize]
    }

    /// Returns the children in document order.
    pub fn children(&self, id: u32) -> &[u32] {
        &self.children[id as usize]
    }

    /// Returns the ancestors, nearest first, the root last.
    pub fn ancestors(&self, id: u32) -> impl Iterator<Item = u32> + '_ {
        let above = |id: u32| Some(self.parent(id)).filter(|parent| *parent != NONE);
        std::iter::successors(above(id), move |id| above(*id))
    }

    /// Returns the position among its siblings.
    pub fn position(&self, id: u32) -> usize {
        let parent = self.parent(id);
        if parent == NONE { 0 } else { self.children(parent).iter().position(|child| *child == id).unwrap_or(0) }
    }

    /// Appends an item as the last child and returns its index.
    pub fn push(&mut self, parent: u32, item: Item) -> u32 {
        let at = self.children(parent).len();
        self.insert(parent, at, item)
    }

    /// Puts an item among the children at `at` (or last) and returns its index.
    pub fn insert(&mut self, parent: u32, at: usize, item: Item) -> u32 {
        let id = self.items.len() as u32;
        self.items.push(item);
        self.parent.push(parent);
        self.children.push(Vec::new());
        self.attach(id, parent, at);
        id
    }

    /// Takes an item and what is below it out of the tree; [`Tree::compact`] forgets it. The last
    /// child is found at once.
    pub fn detach(&mut self, id: u32) {
        let parent = std::mem::replace(&mut self.parent[id as usize], NONE);
        if parent != NONE {
            let siblings = &mut self.children[parent as usize];
            if let Some(at) = siblings.iter().rposition(|child| *child == id) {
                siblings.remove(at);
            }
        }
    }

    /// Takes the children of an item out of the tree and returns them.
    pub(crate) fn take_children(&mut self, id: u32) -> Vec<u32> {
        let children = std::mem::take(&mut self.children[id as usize]);
        for child in &children {
            self.parent[*child as usize] = NONE;
        }
        children
    }

    /// Keeps these children of an item, in this order, and takes the others out; false (and no
    /// change) if one stands twice.
    pub(crate) fn reorder(&mut self, id: u32, order: Vec<u32>) -> bool {
        let kept: HashSet<u32> = order.iter().copied().collect();
        if kept.len() != order.len() {
            return false;
        }
        for gone in self.children[id as usize].iter().filter(|child| !kept.contains(child)) {
            self.parent[*gone as usize] = NONE;
        }
        self.children[id as usize] = order;
        true
    }

    /// Hangs a detached item below `parent` at `at` (or last).
    pub fn attach(&mut self, id: u32, parent: u32, at: usize) {
        self.parent[id as usize] = parent;
        let siblings = &mut self.children[parent as usize];
        siblings.insert(at.min(siblings.len()), id);
    }

    /// Returns an item and everything below it, in document order.
    pub fn subtree(&self, id: u32) -> impl Iterator<Item = u32> {
        let mut stack = vec![id];
        std::iter::from_fn(move || {
            let id = stack.pop()?;
            stack.extend(self.children(id).iter().rev());
            Some(id)
        })
    }

    /// Copies a subtree of another tree below `parent` at `at`; `each` is told every (index there,
    /// index here).
    pub fn graft(&mut self, parent: u32, at: usize, from: &Self, id: u32, mut each: impl FnMut(u32, u32)) -> u32 {
        let top = self.insert(parent, at, from.item(id).clone());
        each(id, top);
        let mut stack = vec![(id, top)];
        while let Some((there, here)) = stack.pop() {
            for child in from.children(there) {
                let copy = self.push(here, from.item(*child).clone());
                each(*child, copy);
                stack.push((*child, copy));
            }
        }
        top
    }

    /// Copies subtrees of another tree side by side below `parent` from `at` on (or last), as
    /// [`Tree::graft`] does each; returns the last one.
    pub fn graft_all(
        &mut self,
        parent: u32,
        at: usize,
        from: &Self,
        ids: &[u32],
        mut each: impl FnMut(u32, u32),
    ) -> Option<u32> {
        let at = at.min(self.children(parent).len());
        (at..).zip(ids).map(|(at, id)| self.graft(parent, at, from, *id, &mut each)).last()
    }

    /// Returns the tree with indices in document order and nothing detached, and where each index
    /// came from.
    pub fn compact(&self) -> (Self, Vec<u32>) {
        let mut tree = Self { items: Vec::new(), parent: Vec::new(), children: Vec::new() };
        let mut origin = Vec::with_capacity(self.len());
        let mut stack = vec![(ROOT, NONE)];
        while let Some((old, parent)) = stack.pop() {
            let id = tree.items.len() as u32;
            tree.items.push(self.item(old).clone());
            tree.parent.push(parent);
            tree.children.push(Vec::with_capacity(self.children(old).len()));
            if parent != NONE {
                tree.children[parent as usize].push(id);
            }
            origin.push(old);
            stack.extend(self.children(old).iter().rev().map(|child| (*child, id)));
        }
        (tree, origin)
    }

    /// Does what [`Tree::compact`] does, without a copy where nothing was added, moved or taken
    /// out.
    pub(crate) fn into_compact(self) -> (Self, Vec<u32>) {
        let in_order = self.subtree(ROOT).zip(0..).take_while(|(id, at)| id == at).count() == self.len();
        if in_order {
            let origin = (0..self.len() as u32).collect();
            return (self, origin);
        }
        self.compact()
    }

    /// Returns the hash of each subtree; the indices must be document order.
    pub fn hashes(&self) -> Vec<u64> {
        let mut hashes = vec![0; self.len()];
        for index in (0..self.len()).rev() {
            let mut hasher = DefaultHasher::new();
            self.items[index].feed(&mut hasher);
            for child in &self.children[index] {
                hasher.write_u64(hashes[*child as usize]);
            }
            hashes[index] = hasher.finish();
        }
        hashes
    }

    /// Returns the number of items of each subtree; the indices must be document order.
    pub fn sizes(&self) -> Vec<u32> {
        let mut sizes = vec![1; self.len()];
        for index in (1..self.len()).rev() {
            let parent = self.parent[index];
            if parent != NONE {
                sizes[parent as usize] += sizes[index];
            }
        }
        sizes
    }

    /// Returns the item that has the focus.
    pub fn focused(&self) -> Option<u32> {
        self.items().find(|(_, item)| item.states.has(StateSet::FOCUSED)).map(|(id, _)| id)
    }
}
