//! Where new items go: inserting, moving and grafting, and how a place is named.

use super::Emitter;
use crate::format::{Child, Entry, Position, Sibling};
use crate::tree::{NONE, ROOT, StateSet, Tree};
use std::collections::{HashMap, HashSet};

impl Emitter<'_> {
    /// Brings the children of a matched item to where they are to be, from left to right.
    pub(super) fn place(&mut self, parent: u32, hidden: &HashSet<u32>, leftover: &[u32]) {
        let into = self.here[parent as usize];
        if into == NONE {
            return;
        }
        let children = self.new.tree.children(parent);
        // The item after which the next one goes; none: at the beginning.
        let mut before: Option<u32> = None;
        let mut at = 0;
        while at < children.len() {
            let known = self.here[children[at] as usize];
            if known != NONE {
                if self.waiting.remove(&known) {
                    self.put_after(known, into, before);
                }
                before = Some(known);
                at += 1;
                continue;
            }
            let run = children[at..].iter().take_while(|child| self.here[**child as usize] == NONE).count();
            let new: Vec<u32> =
                children[at..at + run].iter().copied().filter(|child| !hidden.contains(child)).collect();
            at += run;
            before = self.add(into, before, &new, leftover).or(before);
        }
    }

    fn index_after(&self, into: u32, before: Option<u32>) -> usize {
        before.map_or(0, |before| {
            self.scratch.tree().children(into).iter().position(|child| *child == before).map_or(0, |at| at + 1)
        })
    }

    fn put_after(&mut self, id: u32, into: u32, before: Option<u32>) {
        let from = self.scratch.tree().parent(id);
        let at = self.name(id);
        let parent = (from != into).then(|| self.name(into));
        let place = self.scratch.tree().position(id);
        self.scratch.tree_mut().detach(id);
        let to = self.index_after(into, before);
        self.scratch.tree_mut().attach(id, into, to);
        if from == into && place == to {
            return;
        }
        let to = self.moved_to(id, into, to);
        self.tell(Entry::Moved { at, to, parent });
    }

    /// Says where an item was moved to: between its neighbours, where these have refs.
    fn moved_to(&self, id: u32, into: u32, to: usize) -> Position {
        let role = &*self.scratch.tree().item(id).role;
        let before = to.checked_sub(1).and_then(|at| self.beside(into, at, role, false));
        match (before, self.beside(into, to + 1, role, true)) {
            _ if !self.brief => Position::At(to as u32 + 1),
            (Some(before), after) => Position::After(before, after),
            (None, Some(after)) => Position::Before(after),
            (None, None) => Position::At(to as u32 + 1),
        }
    }

    /// Says where new items stand that are put before the child at a position: beside which they
    /// are, where that has a ref.
    fn place_of_added(&self, items: &Tree, into: u32, at: usize) -> Position {
        let is_last = at == self.scratch.tree().children(into).len();
        let numbered = || if is_last { Position::End } else { Position::At(at as u32 + 1) };
        if !self.brief || is_last && !self.reordered.contains(&into) {
            return numbered();
        }
        let role = items.children(ROOT).first().map_or("", |first| &*items.item(*first).role);
        let before = at.checked_sub(1).and_then(|at| self.beside(into, at, role, false));
        let after = || self.beside(into, at, role, true).map(Position::Before);
        before.map(|before| Position::After(before, None)).or_else(after).unwrap_or_else(numbered)
    }

    /// Names the child at a position that something of a role stands beside, before it or behind it:
    /// one of the same role by its first ref and what it is called, any other by the ref that is
    /// nearest.
    fn beside(&self, into: u32, position: usize, role: &str, before: bool) -> Option<Sibling> {
        let id = *self.scratch.tree().children(into).get(position)?;
        if self.waiting.contains(&id) {
            return None;
        }
        let first = match self.scratch.child(id, position) {
            Child::With(reference) => Some(reference),
            Child::At(_) => None,
        };
        if *self.scratch.tree().item(id).role == *role {
            let told = self.scratch.told(id);
            return Some(Sibling { reference: first?, name: told.name, begins: told.begins });
        }
        let reference = if before { first } else { self.scratch.last_ref(id) };
        Some(Sibling { reference: reference?, name: String::new(), begins: false })
    }

    /// Adds new items after `before`; returns the last one.
    fn add(&mut self, into: u32, before: Option<u32>, new: &[u32], leftover: &[u32]) -> Option<u32> {
        if new.is_empty() {
            return None;
        }
        let (items, order) = self.copy(new);
        let at = self.index_after(into, before);
        let mark = self.scratch.tree().children(into).get(at).copied().filter(|id| leftover.contains(id));
        let handle = mark.and_then(|id| self.scratch.tree().item(id).mark).and_then(|mark| mark.handle);
        self.changes += new.len() as u32;
        match (mark, handle) {
            (Some(mark), Some(handle)) => {
                self.scratch.tree_mut().detach(mark);
                self.entries.push(Entry::Expanded { handle, items: items.clone() });
            }
            _ => {
                let parent = self.name(into);
                let place = self.place_of_added(&items, into, at);
                self.entries.push(Entry::Added { parent, at: place, items: items.clone() });
            }
        }
        self.graft(into, at, &items, &order)
    }

    /// Copies new items below the root of a tree of their own; returns it and which new item each
    /// of it is.
    pub(super) fn copy(&self, new: &[u32]) -> (Tree, Vec<u32>) {
        let mut items = Tree::default();
        let mut origin: HashMap<u32, u32> = HashMap::new();
        items.graft_all(ROOT, 0, &self.new.tree, new, |there, copy| {
            origin.insert(copy, there);
        });
        for id in 0..items.len() as u32 {
            // Who has the focus is said once, at the end.
            items.item_mut(id).states.remove(StateSet::FOCUSED);
        }
        let (items, order) = items.compact();
        (items, order.iter().map(|id| origin.get(id).copied().unwrap_or(NONE)).collect())
    }

    /// Puts copied items among the children of `into`; returns the last one.
    pub(super) fn graft(&mut self, into: u32, at: usize, items: &Tree, order: &[u32]) -> Option<u32> {
        let mut pairs = Vec::new();
        let tree = self.scratch.tree_mut();
        let last = tree.graft_all(into, at, items, items.children(ROOT), |there, copy| pairs.push((there, copy)));
        self.keys.resize(self.scratch.tree().len(), None);
        for (there, copy) in pairs {
            let new = order[there as usize];
            self.keys[copy as usize] = self.new.keys[new as usize];
            self.here[new as usize] = copy;
            self.scratch.index(copy);
        }
        last
    }
}
