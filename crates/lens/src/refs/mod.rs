//! Refs: short handles that never come to mean another entity.
//!
//! In: the views of a run, in order. Out: for each item that can be acted on, the ref that it was
//! shown under before, if it is certainly the same entity; else, when it is first shown, a new one.
//! Invariants: a ref stands for one item of a page at most; numbers are given in the order of
//! showing and never again; in doubt there is a new ref.
//!
//! A node stands for the same thing, whatever its role, name or label, whatever covers it, wherever
//! it went and whatever came beside it, unless it was *recycled*: a virtualised list fills a row's
//! nodes with another row's words, a single-page application a panel's with another entity's. Of
//! that there are four signs: a link leads elsewhere; a row begins with other words, and not it
//! alone of its list; heading or label are others, and so is what stands below; or name and
//! surroundings are. Another node is the same thing if it fills the place of one that is gone
//! (role, name, row and title as there, once on either page), if it stands there in the same page
//! in another language (role, path, key and target as there), or if it looks as one item alone ever
//! did: role, name, target, landmark path, headings and row.

mod evidence;
#[cfg(test)]
mod tests;

use crate::extract::View;
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::Ref;
use evidence::{Evidence, Fate, RowEvidence, Surroundings};
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
    /// Looks at what can be acted on in a page, and at its headings, if they get refs as well.
    pub fn of(page: &Page, view: &View, headings: bool) -> Self {
        let mut surroundings = Surroundings::of(page);
        let mut acting: Vec<(u32, Evidence)> = Vec::new();
        for (id, item) in view.tree.items().skip(1) {
            let meta = view.meta[id as usize];
            if meta.interactive || headings && &*item.role == "heading" {
                acting.push((id, surroundings.evidence(page, &meta, item)));
            }
        }
        evidence::mark_unique(&mut acting);
        Self(acting.into_iter().map(|(id, evidence)| (id, Arc::new(evidence))).collect())
    }
}

/// The refs of one run.
#[derive(Clone, Debug, Default)]
pub struct RefTable {
    /// The greatest number that was given.
    last: u32,
    /// The greatest part of each number that has parts.
    parts: HashMap<u32, u16>,
    by_key: HashMap<NodeKey, Known>,
    by_print: HashMap<u64, Meaning>,
    /// Refs of the items of the page met last, by index in its view.
    current: Vec<Option<Ref>>,
    keys: Vec<Option<NodeKey>>,
    /// What identifies the items of that page.
    before: Vec<(u32, Arc<Evidence>)>,
}

impl RefTable {
    /// Meets the next page: finds which of the items of its view are known.
    pub fn meet(&mut self, view: &View, Acting(acting): &Acting) {
        let before = std::mem::replace(&mut self.before, acting.clone());
        let places: HashMap<u64, (Ref, &Evidence)> = before
            .iter()
            .filter_map(|(item, was)| Some((self.get(*item)?, was)))
            .flat_map(|(reference, was)| {
                was.places.iter().chain(&was.paths).chain(&was.untold).map(move |place| (*place, (reference, &**was)))
            })
            .collect();
        self.current = vec![None; view.tree.len()];
        self.keys = vec![None; view.tree.len()];
        let mut used: HashSet<Ref> = HashSet::new();
        let known = self.same_nodes(view, acting);
        for ((id, _), known) in acting.iter().zip(known) {
            self.keys[*id as usize] = Some(view.meta[*id as usize].key);
            self.current[*id as usize] = known.filter(|reference| used.insert(*reference));
        }
        let mut unknown: Vec<&(u32, Arc<Evidence>)> = acting.iter().filter(|(id, _)| self.get(*id).is_none()).collect();
        for (id, evidence) in &unknown {
            let mut meant = evidence.prints.iter().filter_map(|print| match self.by_print.get(print) {
                Some(Meaning::One(reference)) => Some(*reference),
                _ => None,
            });
            self.current[*id as usize] = meant.find(|reference| used.insert(*reference));
        }
        let strangers = unknown.clone();
        unknown.retain(|(id, _)| self.get(*id).is_none());
        for (id, evidence) in unknown {
            let at = |place: &u64| places.get(place).filter(|(_, was)| was.is_replaced_by(evidence));
            let named = evidence.places.iter().filter_map(at);
            // Equal nodes may stand side by side: their numbers say something only where names
            // cannot.
            let unnamed =
                evidence.paths.iter().filter_map(at).filter(|(_, was)| !was.has_name() || !evidence.has_name());
            let translated = evidence.untold.iter().chain(&evidence.places).filter_map(|print| places.get(print));
            let translated = translated.filter(|(_, was)| was.is_translated_as(evidence));
            let mut meant = named.chain(unnamed).chain(translated).map(|(reference, _)| *reference);
            self.current[*id as usize] = meant.find(|reference| used.insert(*reference));
        }
        self.renew_rows(&strangers);
        self.remember(view, acting);
    }

    /// Takes the refs from rows of new nodes that say the same words several times, where most of them
    /// are not known: that one stands alone in its row is chance, and refs of one row are read better
    /// where they belong together.
    fn renew_rows(&mut self, strangers: &[&(u32, Arc<Evidence>)]) {
        let mut said: HashMap<(NodeKey, u64), u32> = HashMap::new();
        for (_, evidence) in strangers {
            if let Some(row) = evidence.row_around() {
                *said.entry((row, evidence.words())).or_default() += 1;
            }
        }
        let mut rows: HashMap<NodeKey, [u32; 2]> = HashMap::new();
        for (id, evidence) in strangers {
            let Some(row) = evidence.row_around() else { continue };
            match self.get(*id) {
                Some(_) => rows.entry(row).or_default()[1] += 1,
                None if said[&(row, evidence.words())] > 1 => rows.entry(row).or_default()[0] += 1,
                None => {}
            }
        }
        for (id, evidence) in strangers {
            let counts = evidence.row_around().and_then(|row| rows.get(&row));
            if counts.is_some_and(|[new, known]| new > known) {
                self.current[*id as usize] = None;
            }
        }
    }

    /// Returns the refs of the items whose nodes were known and were not recycled.
    fn same_nodes(&self, view: &View, acting: &[(u32, Arc<Evidence>)]) -> Vec<Option<Ref>> {
        let known: Vec<Option<&Known>> =
            acting.iter().map(|(id, _)| self.by_key.get(&view.meta[*id as usize].key)).collect();
        // Rows that begin with other words, by their lists.
        let mut changed: HashMap<NodeKey, HashSet<NodeKey>> = HashMap::new();
        for ((_, evidence), known) in acting.iter().zip(&known) {
            let Some(known) = known else { continue };
            for row in &evidence.in_rows {
                let was = known.evidence.in_rows.iter().find(|was| was.key == row.key);
                if was.is_some_and(|was| !was.said_nothing() && !row.begins_as(was) && !row.is_blanked(was)) {
                    changed.entry(row.list).or_default().insert(row.key);
                }
            }
        }
        let fate = |row: &RowEvidence, was: &RowEvidence| {
            let changed = changed.get(&row.list).map_or(0, HashSet::len);
            match row.begins_as(was) {
                // What says nothing any more says nothing else, nor what says something for the first time.
                _ if row.is_blanked(was) || was.said_nothing() => Fate::Same,
                true if changed > 1 && !row.is_mostly(was) => Fate::Recycled,
                true => Fate::Same,
                false if changed == 1 && row.stands_as(was) => Fate::Changed,
                false => Fate::Recycled,
            }
        };
        let stays = |(known, (_, evidence)): (Option<&Known>, &(u32, Arc<Evidence>))| {
            known.filter(|known| known.evidence.stays(evidence, fate)).and_then(|known| known.reference)
        };
        known.into_iter().zip(acting).map(stays).collect()
    }

    fn remember(&mut self, view: &View, acting: &[(u32, Arc<Evidence>)]) {
        // Nodes that were never shown need not be known once they are gone.
        self.by_key.retain(|_, known| known.reference.is_some());
        for (id, evidence) in acting {
            let key = view.meta[*id as usize].key;
            let reference = self.current[*id as usize];
            self.by_print.extend(evidence.shared.iter().map(|print| (*print, Meaning::Nothing)));
            if let Some(old) = self.by_key.get(&key)
                && old.reference == reference
                && evidence.has_name()
            {
                // The entity goes by other fingerprints now; whoever turns up under an old one is
                // another.
                let left = old.evidence.prints.iter().filter(|print| !evidence.prints.contains(print));
                self.by_print.extend(left.map(|print| (*print, Meaning::Nothing)));
            }
            if let Some(reference) = reference {
                self.tie(evidence, reference);
            }
            let old = self.by_key.get(&key).filter(|old| old.reference == reference && reference.is_some());
            if old.is_some_and(|old| evidence.is_blanked(&old.evidence)) {
                // Whatever it says next is held against what it said last.
                continue;
            }
            self.by_key.insert(key, Known { reference, evidence: Arc::clone(evidence) });
        }
    }

    fn tie(&mut self, evidence: &Evidence, reference: Ref) {
        for print in &evidence.prints {
            let meaning = self.by_print.entry(*print).or_insert(Meaning::One(reference));
            if *meaning != Meaning::One(reference) {
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
        self.last.saturating_add(1)
    }

    /// Returns the first part of a number that was never given, if there is one left.
    pub fn next_part(&self, number: u32) -> Option<u16> {
        self.parts.get(&number).map_or(Some(1), |last| last.checked_add(1))
    }

    /// Takes the next number for no item.
    pub fn spare(&mut self) -> Ref {
        self.last = self.next();
        Ref { number: self.last, part: 0 }
    }

    /// Returns the ref of an item of the page met last, if it has one by now.
    pub fn get(&self, item: u32) -> Option<Ref> {
        self.current.get(item as usize).copied().flatten()
    }

    /// Ties the ref under which an item of the page met last is shown now.
    pub fn give(&mut self, item: u32, reference: Ref) {
        self.last = self.last.max(reference.number);
        if reference.part > 0 {
            let part = self.parts.entry(reference.number).or_default();
            *part = reference.part.max(*part);
        }
        if self.get(item).is_some() {
            return;
        }
        let Some(key) = self.keys.get(item as usize).copied().flatten() else { return };
        self.current[item as usize] = Some(reference);
        if let Some(known) = self.by_key.get_mut(&key) {
            known.reference = Some(reference);
            let evidence = Arc::clone(&known.evidence);
            self.tie(&evidence, reference);
        }
    }
}
