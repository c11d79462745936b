//! Changes of state that many items have in common, told as one: all rows of a table are chosen.

use crate::format::{Entry, Locator};
use crate::tree::StateSet;

/// Fewest items whose change is told by their refs alone.
pub(super) const MANY: usize = 5;

fn states_alone(entry: &Entry) -> Option<(StateSet, StateSet)> {
    match entry {
        Entry::Changed { at, name: None, value: None, on, off } if at.reference.is_some() => Some((*on, *off)),
        _ => None,
    }
}

/// Takes such changes out of the entries, those alike one behind the other, with nothing but refs.
pub(super) fn together(entries: &mut Vec<Entry>) -> Vec<Entry> {
    let mut kinds: Vec<((StateSet, StateSet), usize)> = Vec::new();
    for states in entries.iter().filter_map(states_alone) {
        match kinds.iter_mut().find(|(known, _)| *known == states) {
            Some((_, count)) => *count += 1,
            None => kinds.push((states, 1)),
        }
    }
    kinds.retain(|(_, count)| *count >= MANY);
    let kind = |entry: &Entry| kinds.iter().position(|(known, _)| Some(*known) == states_alone(entry));
    let mut alike: Vec<Entry> = entries.extract_if(.., |entry| kind(entry).is_some()).collect();
    alike.sort_by_key(kind);
    for entry in &mut alike {
        if let Entry::Changed { at, .. } = entry {
            *at = Locator { reference: at.reference, ..Locator::default() };
        }
    }
    alike
}
