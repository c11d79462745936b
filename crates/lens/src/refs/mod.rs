//! Refs: short handles that never come to mean another entity.
//!
//! In: the views of a run, in order. Out: for each item that can be acted on, the ref that it was shown under before, if
//! it is certainly the same entity; else, when it is first shown, a new one. Invariants: a ref stands for one item of a page at
//! most; numbers are given in the order of showing and never again; in doubt there is a new ref.
//!
//! Certain is, with the same node key and role: a link target that no other link of either page has; or name, row and
//! surroundings as before (a virtualised table recycles a row's nodes for another row's content, and a single-page application a
//! panel's). Of what a row was filled with anew: role and name, where the row is the same node with the same words. With another key (a re-render, a navigation): role, name, target, landmark path, headings and row are as
//! before, and are so of one item only, on every page where they were met.

mod evidence;

use crate::bugs::{Bug, has};
use crate::extract::View;
use browserlens_page::{NodeKey, Page};
use browserlens_strategy::Ref;
use evidence::{Evidence, Surroundings};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// What a fingerprint is known to mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    One(Ref),
    /// Met on several items at once, or on one that changed: says nothing any more.
    Nothing,
}

#[derive(Clone, Debug)]
struct Known {
    reference: Option<Ref>,
    evidence: Arc<Evidence>,
}

/// The items of a page that can have refs, and what identifies each.
#[derive(Debug)]
pub struct Acting(Vec<(u32, Arc<Evidence>)>);

impl Acting {
    /// Looks at what can be acted on in a page; `also` says which other items get refs.
    pub fn of(page: &Page, view: &View, also: impl Fn(u32) -> bool) -> Self {
        let mut surroundings = Surroundings::of(page);
        let mut acting: Vec<(u32, Evidence)> = Vec::new();
        for (id, item) in view.tree.items() {
            let meta = view.meta[id as usize];
            if id != 0 && (meta.interactive || also(id)) {
                acting.push((id, surroundings.evidence(page, &meta, item)));
            }
        }
        evidence::mark_unique(&mut acting);
        Self(acting.into_iter().map(|(id, evidence)| (id, Arc::new(evidence))).collect())
    }
}

/// The refs of one run.
#[derive(Clone, Debug)]
pub struct RefTable {
    next: u32,
    /// By node and role: while a dialog is open, what is behind it has no role.
    by_key: HashMap<(NodeKey, Arc<str>), Known>,
    by_print: HashMap<u64, Meaning>,
    /// Refs of the items of the page met last, by index in its view.
    current: Vec<Option<Ref>>,
    keys: Vec<Option<(NodeKey, Arc<str>)>>,
    /// Fingerprints in their rows of the items of that page.
    places: Vec<(u32, u64)>,
}

impl Default for RefTable {
    fn default() -> Self {
        Self {
            next: 1,
            by_key: HashMap::new(),
            by_print: HashMap::new(),
            current: Vec::new(),
            keys: Vec::new(),
            places: Vec::new(),
        }
    }
}

impl RefTable {
    /// Meets the next page: finds which of the items of its view are certainly known.
    pub fn meet(&mut self, view: &View, acting: &Acting) {
        let Acting(acting) = acting;
        let places: HashMap<u64, Ref> =
            self.places.iter().filter_map(|(item, place)| Some((*place, self.get(*item)?))).collect();
        self.current = vec![None; view.tree.len()];
        self.keys = vec![None; view.tree.len()];
        let mut used: HashSet<Ref> = HashSet::new();
        for (id, evidence) in acting {
            let key = (view.meta[*id as usize].key, view.tree.item(*id).role.clone());
            self.keys[*id as usize] = Some(key.clone());
            let known = self.by_key.get(&key).filter(|known| known.evidence.is_certainly(evidence));
            if let Some(reference) = known.and_then(|known| known.reference)
                && used.insert(reference)
            {
                self.current[*id as usize] = Some(reference);
            }
        }
        for (id, evidence) in acting {
            let (Some(place), None) = (evidence.place, self.current[*id as usize]) else { continue };
            if let Some(reference) = places.get(&place).copied()
                && used.insert(reference)
            {
                self.current[*id as usize] = Some(reference);
            }
        }
        self.places = acting.iter().filter_map(|(id, evidence)| Some((*id, evidence.place?))).collect();
        for (id, evidence) in acting {
            let (Some(print), None) = (evidence.print, self.current[*id as usize]) else { continue };
            if let Some(Meaning::One(reference)) = self.by_print.get(&print).copied()
                && used.insert(reference)
            {
                self.current[*id as usize] = Some(reference);
            }
        }
        self.remember(view, acting);
    }

    fn remember(&mut self, view: &View, acting: &[(u32, Arc<Evidence>)]) {
        // Nodes that were never shown need not be known once they are gone.
        self.by_key.retain(|_, known| known.reference.is_some());
        for (id, evidence) in acting {
            let key = (view.meta[*id as usize].key, view.tree.item(*id).role.clone());
            let reference = self.current[*id as usize];
            if let Some(print) = &evidence.shared
                && !has(Bug::TrustsAlike)
            {
                self.by_print.insert(*print, Meaning::Nothing);
            }
            if let Some(old) = self.by_key.get(&key)
                && old.reference == reference
                && old.evidence.print != evidence.print
                && let Some(print) = old.evidence.print
            {
                // The entity goes by another fingerprint now; whoever turns up under the old one is another.
                self.by_print.insert(print, Meaning::Nothing);
            }
            if let Some(reference) = reference {
                self.tie(evidence, reference);
            }
            self.by_key.insert(key, Known { reference, evidence: Arc::clone(evidence) });
        }
    }

    fn tie(&mut self, evidence: &Evidence, reference: Ref) {
        if let Some(print) = evidence.print {
            let meaning = self.by_print.entry(print).or_insert(Meaning::One(reference));
            if *meaning != Meaning::One(reference) && !has(Bug::TrustsAlike) {
                *meaning = Meaning::Nothing;
            }
        }
    }

    /// Returns whether an item of the page met last gets a ref when it is shown.
    pub fn wants(&self, item: u32) -> bool {
        self.keys.get(item as usize).is_some_and(Option::is_some)
    }

    /// Returns the number that the next new ref gets.
    pub fn next(&self) -> u32 {
        self.next
    }

    /// Returns the ref of an item of the page met last, if it has one by now.
    pub fn get(&self, item: u32) -> Option<Ref> {
        self.current.get(item as usize).copied().flatten()
    }

    /// Ties the ref under which an item of the page met last is shown now.
    pub fn give(&mut self, item: u32, reference: Ref) {
        if !has(Bug::ReusesNumbers) {
            self.next = self.next.max(reference.number.saturating_add(1));
        }
        if self.get(item).is_some() {
            return;
        }
        let Some(key) = self.keys.get(item as usize).cloned().flatten() else { return };
        self.current[item as usize] = Some(reference);
        if let Some(known) = self.by_key.get_mut(&key) {
            known.reference = Some(reference);
            let evidence = Arc::clone(&known.evidence);
            self.tie(&evidence, reference);
        }
    }
}
