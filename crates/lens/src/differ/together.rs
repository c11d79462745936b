//! Changes of state that many items have in common, told as one: all rows of a table are chosen.

use crate::format::{Entry, Locator};
use crate::tree::StateSet;

/// Fewest items whose change is told by their refs alone.
pub(super) const MANY: usize = 5;

fn states(entry: &Entry) -> Option<(StateSet, StateSet)> {
    entry.states_alone().map(|(_, on, off)| (on, off))
}

/// Takes such changes out of the entries, those alike one behind the other, with nothing but refs.
pub(super) fn together(entries: &mut Vec<Entry>) -> Vec<Entry> {
    let mut kinds: Vec<((StateSet, StateSet), usize)> = Vec::new();
    for both in entries.iter().filter_map(states) {
        match kinds.iter_mut().find(|(known, _)| *known == both) {
            Some((_, count)) => *count += 1,
            None => kinds.push((both, 1)),
        }
    }
    kinds.retain(|(_, count)| *count >= MANY);
    let kind = |entry: &Entry| kinds.iter().position(|(known, _)| Some(*known) == states(entry));
    let mut alike: Vec<Entry> = entries.extract_if(.., |entry| kind(entry).is_some()).collect();
    alike.sort_by_key(kind);
    for entry in &mut alike {
        if let Entry::Changed { at, .. } = entry {
            *at = Locator { reference: at.reference, ..Locator::default() };
        }
    }
    alike
}
