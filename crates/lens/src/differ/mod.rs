//! Computes the delta from the shown state to the page.
//!
//! In: two [`Side`]s: what is shown and what it is to become. Out: a [`Matching`] and the
//! [`Change`]s, which [`emit`] turns into entries of the grammar after the [`filter`] hid what is
//! noise. Invariants: subtrees that are equal are not entered; items with refs match by ref alone;
//! what is matched keeps its place unless a longest increasing subsequence says that it moved. Why
//! not tree edit distance: it is cubic. Why not a line diff of text: one new wrapper re-indents a
//! whole subtree.

pub mod emit;
pub mod filter;
mod order;
mod plan;
mod replaced;
mod together;

pub use filter::{FilterPass, SemanticFilter};

use crate::tree::{Handle, Item, NONE, ROOT, Tree};
use browserlens_core::page::{NodeKey, role};
use browserlens_core::strategy::Ref;
use order::longest_increasing;
use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::ops::Range;

/// One child in so many must be the same in two items without a name of their own, so that one
/// became the other.
const LEAST_ALIKE: usize = 4;

/// How many items below two of them are searched for a ref that both have.
const MOST_BELOW: usize = 64;

/// One of the two trees of a diff.
#[derive(Clone, Debug)]
pub struct Side {
    /// The tree; indices are document order.
    pub tree: Tree,
    /// Identity of each item; none for marks.
    pub keys: Vec<Option<NodeKey>>,
    /// Hash of each subtree.
    pub hashes: Vec<u64>,
    /// Items of each subtree.
    pub sizes: Vec<u32>,
}

impl Side {
    /// Makes a side of a tree.
    pub fn new(tree: Tree, keys: Vec<Option<NodeKey>>) -> Self {
        let (hashes, sizes) = (tree.hashes(), tree.sizes());
        Self { tree, keys, hashes, sizes }
    }
}

/// One change from the shown state to its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// A shown item says something else.
    Said {
        /// The item that is shown.
        old: u32,
        /// What it is to say.
        new: u32,
    },
    /// A shown item went.
    Removed {
        /// The item that is shown.
        old: u32,
    },
    /// An item came, below an item that is matched.
    Added {
        /// The new item.
        new: u32,
    },
    /// A shown item is at another place.
    Moved {
        /// The item that is shown.
        old: u32,
        /// Where it is to be.
        new: u32,
    },
}

/// Which shown item becomes which.
#[derive(Clone, Debug, Default)]
pub struct Matching {
    /// Matched items one by one: (old, new); a parent before what is below it.
    pub pairs: Vec<(u32, u32)>,
    /// Equal subtrees: (old, new, items).
    pub same: Vec<(u32, u32, u32)>,
    /// The changes.
    pub changes: Vec<Change>,
}

impl Matching {
    /// Returns the new item of every matched old one, by old index.
    pub fn to_new(&self, len: usize) -> Vec<u32> {
        let mut to_new = vec![NONE; len];
        for (old, new) in &self.pairs {
            to_new[*old as usize] = *new;
        }
        for (old, new, items) in &self.same {
            for offset in 0..*items {
                to_new[(old + offset) as usize] = new + offset;
            }
        }
        to_new
    }

    /// Returns the indices of changes of a kind.
    pub(crate) fn indices(&self, is: impl Fn(Change) -> bool) -> HashSet<usize> {
        self.changes.iter().enumerate().filter(|(_, change)| is(**change)).map(|(index, _)| index).collect()
    }
}

/// Matches two sides and lists what changed. Changes stand in document order of what they are
/// about, parents first.
pub fn diff(old: &Side, new: &Side) -> Matching {
    let mut matching = Matching::default();
    if old.hashes.first() == new.hashes.first() {
        matching.same.push((ROOT, ROOT, old.sizes[0]));
        return matching;
    }
    let mut matcher = Siblings::default();
    let mut stack = vec![(ROOT, ROOT)];
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    while let Some((s, t)) = stack.pop() {
        matching.pairs.push((s, t));
        let (said, says) = (old.tree.item(s), new.tree.item(t));
        if s != ROOT && !(said.says_same(says) || only_volatile(said, says)) {
            matching.changes.push(Change::Said { old: s, new: t });
        }
        let (below, wanted) = (old.tree.children(s), new.tree.children(t));
        matcher.run(old, new, below, wanted);
        let order: Vec<u32> = matcher.to_new.iter().copied().filter(|at| *at != NONE).collect();
        let fixed = longest_increasing(&order);
        let mut nth = 0;
        for (index, s) in below.iter().enumerate() {
            let at = matcher.to_new[index];
            if at == NONE {
                removed.push(*s);
                continue;
            }
            if !fixed[nth] {
                matching.changes.push(Change::Moved { old: *s, new: wanted[at as usize] });
            }
            nth += 1;
        }
        for (index, t) in wanted.iter().enumerate().rev() {
            let at = matcher.to_old[index];
            if at == NONE {
                added.push(*t);
                continue;
            }
            let s = below[at as usize];
            if old.hashes[s as usize] == new.hashes[*t as usize] {
                matching.same.push((s, *t, old.sizes[s as usize]));
            } else {
                stack.push((s, *t));
            }
        }
    }
    move_over_parents(old, new, &mut matching, &mut removed, &mut added);
    removed.sort_unstable();
    added.sort_unstable();
    matching.changes.extend(removed.into_iter().map(|old| Change::Removed { old }));
    matching.changes.extend(added.into_iter().map(|new| Change::Added { new }));
    matching
}

fn only_volatile(said: &Item, says: &Item) -> bool {
    said.volatile && !says.volatile && said.says_same(&Item { volatile: true, ..says.clone() })
}

/// What went in one place and came in another, alike to the last item and with the same ref or key,
/// moved.
fn move_over_parents(old: &Side, new: &Side, matching: &mut Matching, removed: &mut Vec<u32>, added: &mut Vec<u32>) {
    let mut gone: HashMap<u64, u32> = removed.iter().map(|s| (old.hashes[*s as usize], *s)).collect();
    let mut moved = Vec::new();
    added.retain(|t| {
        let Some(s) = gone.get(&new.hashes[*t as usize]).copied() else { return true };
        let (item, key) = (old.tree.item(s), old.keys[s as usize]);
        let certain =
            item.mark.is_none() && (item.reference.is_some() || (key.is_some() && key == new.keys[*t as usize]));
        if certain {
            gone.remove(&new.hashes[*t as usize]);
            moved.push((s, *t));
        }
        !certain
    });
    for (s, t) in moved {
        removed.retain(|gone| *gone != s);
        matching.same.push((s, t, old.sizes[s as usize]));
        matching.changes.push(Change::Moved { old: s, new: t });
    }
}

/// Matches the children of two matched items.
#[derive(Default)]
struct Siblings {
    /// Position among the new children, by position among the old ones; [`NONE`] if gone.
    to_new: Vec<u32>,
    /// The other way round; [`NONE`] if new.
    to_old: Vec<u32>,
}

impl Siblings {
    fn pair(&mut self, old: usize, new: usize) {
        self.to_new[old] = new as u32;
        self.to_old[new] = old as u32;
    }

    fn run(&mut self, old: &Side, new: &Side, below: &[u32], wanted: &[u32]) {
        self.to_new.clear();
        self.to_new.resize(below.len(), NONE);
        self.to_old.clear();
        self.to_old.resize(wanted.len(), NONE);
        // Most children did not change and stand where they stood: from both ends, equal subtrees
        // with equal keys.
        let alike = |s: u32, t: u32| {
            old.hashes[s as usize] == new.hashes[t as usize] && old.keys[s as usize] == new.keys[t as usize]
        };
        let start = below.iter().zip(wanted).take_while(|(s, t)| alike(**s, **t)).count();
        let room = below.len().min(wanted.len()) - start;
        let end = below.iter().rev().zip(wanted.iter().rev()).take(room).take_while(|(s, t)| alike(**s, **t)).count();
        for index in 0..start {
            self.pair(index, index);
        }
        for back in 1..=end {
            self.pair(below.len() - back, wanted.len() - back);
        }
        let (olds, news) = (start..below.len() - end, start..wanted.len() - end);
        if olds.is_empty() || news.is_empty() {
            return;
        }
        let between = Between { old, new, below, wanted, olds, news };
        self.by_identity(&between);
        self.by_content(&between);
        self.by_fingerprint(&between);
        self.by_place(old, new, below, wanted);
    }

    /// Leaves without a ref that stand alone between the same neighbours, role by role, are the old
    /// ones with other words: a state's name that a script wrote anew, a cell's text.
    fn by_place(&mut self, old: &Side, new: &Side, below: &[u32], wanted: &[u32]) {
        let may_pair = |side: &Side, id: u32| {
            let item = side.tree.item(id);
            let is_leaf = side.tree.children(id).is_empty() && item.mark.is_none() && item.reference.is_none();
            is_leaf && !item.name.is_empty() && !matches!(&*item.role, "term" | "definition" | "alert")
        };
        let mut from = 0;
        while let Some(at) = (from..below.len()).find(|index| self.to_new[*index] == NONE) {
            let end = (at..below.len()).find(|index| self.to_new[*index] != NONE).unwrap_or(below.len());
            let start = at.checked_sub(1).map_or(0, |before| self.to_new[before] as usize + 1);
            let stop = if end == below.len() { wanted.len() } else { self.to_new[end] as usize };
            let are_alike = stop.checked_sub(start) == Some(end - at)
                && (at..end).zip(start..stop).all(|(s, t)| {
                    self.to_old[t] == NONE
                        && may_pair(old, below[s])
                        && may_pair(new, wanted[t])
                        && old.tree.item(below[s]).role == new.tree.item(wanted[t]).role
                });
            if are_alike {
                for (s, t) in (at..end).zip(start..stop) {
                    self.pair(s, t);
                }
            }
            from = end;
        }
    }

    /// Refs and handles decide alone; keys decide where role and content are compatible.
    fn by_identity(&mut self, between: &Between<'_>) {
        let Between { old, new, below, wanted, .. } = *between;
        let id = |side: &Side, siblings: &[u32], index: usize| {
            let item = side.tree.item(siblings[index]);
            match (item.mark, item.reference) {
                (Some(mark), _) => Some(Identity::Mark(mark.handle)),
                (None, Some(reference)) => Some(Identity::Ref(reference)),
                (None, None) => side.keys[siblings[index] as usize].map(Identity::Key),
            }
        };
        self.by(between, id, |at, index| {
            let (shown, item) = (old.tree.item(below[at]), new.tree.item(wanted[index]));
            shown.role == item.role
                && (item.mark.is_some() || item.reference.is_some() || related(old, new, below[at], wanted[index]))
        });
    }

    fn by_content(&mut self, between: &Between<'_>) {
        let Between { old, new, below, wanted, .. } = *between;
        let hash = |side: &Side, siblings: &[u32], index: usize| Some(side.hashes[siblings[index] as usize]);
        self.by(between, hash, |at, index| term_of(old, below, at) == term_of(new, wanted, index));
    }

    /// Role, name and ordinal, for what has no ref; of a leaf the digits of its name do not count
    /// (a price, a count), and a definition goes by its term.
    fn by_fingerprint(&mut self, between: &Between<'_>) {
        let Between { old, new, below, wanted, .. } = *between;
        let print = |side: &Side, siblings: &[u32], index: usize| {
            let item = side.tree.item(siblings[index]);
            if item.mark.is_some() || item.reference.is_some() {
                return None;
            }
            if let Some(term) = term_of(side, siblings, index) {
                return Some((item.role.clone(), format!("of {term}")));
            }
            let leaf = side.tree.children(siblings[index]).is_empty();
            let name: String = item.name.chars().filter(|c| !leaf || !c.is_ascii_digit()).collect();
            Some((item.role.clone(), name))
        };
        self.by(between, print, |at, index| related(old, new, below[at], wanted[index]));
    }

    /// Pairs what is not paired yet and has the same key, in order, where both fit.
    fn by<K: Eq + Hash>(
        &mut self,
        between: &Between<'_>,
        key: impl Fn(&Side, &[u32], usize) -> Option<K>,
        fit: impl Fn(usize, usize) -> bool,
    ) {
        let Between { old, new, below, wanted, olds, news } = between;
        // The first old one of each key, and behind each the next of its key.
        let mut first: HashMap<K, usize> = HashMap::new();
        let mut next = vec![usize::MAX; below.len()];
        for index in olds.clone().rev().filter(|index| self.to_new[*index] == NONE) {
            if let Some(key) = key(old, below, index) {
                next[index] = first.insert(key, index).unwrap_or(usize::MAX);
            }
        }
        for index in news.clone() {
            if self.to_old[index] == NONE
                && let Some(key) = key(new, wanted, index)
                && let Some(at) = first.get_mut(&key).filter(|at| **at != usize::MAX)
                && fit(*at, index)
            {
                let paired = std::mem::replace(at, next[*at]);
                self.pair(paired, index);
            }
        }
    }
}

/// What an item is known by.
#[derive(PartialEq, Eq, Hash)]
enum Identity {
    Mark(Option<Handle>),
    Ref(Ref),
    Key(NodeKey),
}

/// Siblings between those that are equal at both ends, old and new.
struct Between<'a> {
    old: &'a Side,
    new: &'a Side,
    below: &'a [u32],
    wanted: &'a [u32],
    olds: Range<usize>,
    news: Range<usize>,
}

/// Returns the term that a definition among siblings belongs to.
fn term_of<'s>(side: &'s Side, siblings: &[u32], index: usize) -> Option<&'s str> {
    let role = |id: u32| &*side.tree.item(id).role;
    if role(siblings[index]) != "definition" {
        return None;
    }
    siblings[..index].iter().rev().copied().find(|id| role(*id) == "term").map(|term| &*side.tree.item(term).name)
}

/// Returns whether two items of one role are so alike that saying the difference is worth more than
/// saying it anew.
fn related(old: &Side, new: &Side, s: u32, t: u32) -> bool {
    let (shown, item) = (old.tree.item(s), new.tree.item(t));
    if shown.reference != item.reference {
        return false;
    }
    if shown.name == item.name && (role::is_landmark(&item.role) || !item.name.is_empty()) {
        return true;
    }
    let (below, wanted) = (old.tree.children(s), new.tree.children(t));
    if below.is_empty() && wanted.is_empty() {
        return true;
    }
    let known: HashSet<u64> = below.iter().take(64).map(|id| old.hashes[*id as usize]).collect();
    let wanted = &wanted[..wanted.len().min(64)];
    // A time of day or a dash that two rows share does not make them one.
    let alike = wanted.iter().filter(|id| known.contains(&new.hashes[**id as usize])).count();
    let refs = |side: &Side, id: u32| -> HashSet<Ref> {
        let below = side.tree.subtree(id).skip(1).take(MOST_BELOW);
        below.filter_map(|below| side.tree.item(below).reference).collect()
    };
    alike * LEAST_ALIKE >= wanted.len().max(1) || !refs(old, s).is_disjoint(&refs(new, t))
}
