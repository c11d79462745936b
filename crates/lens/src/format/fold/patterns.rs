//! Patterns that were told before, and rows that say themselves by one of them.
//!
//! In: the groups of earlier texts, and items. Out: the pattern that fits them, and their [`FoldedRow`]s.
//! Invariants: a row is used only after it was expanded again and gave exactly its items; patterns
//! are known by what emitted texts said, to who writes and who reads alike.

use super::{FoldedRow, Part, Pattern, Presence, RefAt, Segment, Words, state_words};
use crate::tree::{Item, ROOT, Tree};
use browserlens_core::strategy::Ref;
use std::collections::HashSet;
use std::sync::Arc;

/// Patterns that are remembered.
const MOST_TOLD: usize = 32;

/// The patterns of what was told so far, each named by the number of its first row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Patterns {
    /// Oldest first.
    told: Vec<(u32, Arc<Pattern>)>,
}

/// Where nothing was told.
pub(in crate::format) static NONE_TOLD: Patterns = Patterns { told: Vec::new() };

impl Patterns {
    /// Returns whether no pattern was told.
    pub fn is_empty(&self) -> bool {
        self.told.is_empty()
    }

    /// Returns those that are named by one of these numbers.
    #[must_use]
    pub fn of(&self, numbers: &HashSet<u32>) -> Self {
        Self { told: self.told.iter().filter(|(number, _)| numbers.contains(number)).cloned().collect() }
    }

    /// Remembers what others learned, in their order.
    pub fn learn(&mut self, others: Self) {
        for (number, pattern) in others.told {
            self.add(number, pattern);
        }
    }

    pub(in crate::format) fn add(&mut self, number: u32, pattern: Arc<Pattern>) {
        self.told.retain(|(known, other)| *known != number && *other != pattern);
        self.told.push((number, pattern));
        if self.told.len() > MOST_TOLD {
            self.told.remove(0);
        }
    }

    pub(in crate::format) fn named(&self, number: u32) -> Option<&Arc<Pattern>> {
        self.told.iter().find(|(known, _)| *known == number).map(|(_, pattern)| pattern)
    }

    /// Returns the pattern by which rows say themselves with the fewest fields, the last told of
    /// equals; each row is the items that stand side by side in it.
    pub(in crate::format) fn fitting(
        &self,
        tree: &Tree,
        rows: &[&[u32]],
    ) -> Option<(u32, Arc<Pattern>, Vec<FoldedRow>)> {
        let first = tree.item(*rows.first()?.first()?);
        let begins = |pattern: &Pattern| pattern.parts.first().is_some_and(|part| part.role == first.role);
        let told = self.told.iter().rev().filter(|(_, pattern)| begins(pattern));
        let fitting = told.filter_map(|(number, pattern)| {
            let said = rows.iter().map(|row| pattern.says(tree, row)).collect::<Option<Vec<FoldedRow>>>()?;
            Some((*number, Arc::clone(pattern), said))
        });
        // The first of equals stays.
        fitting.min_by_key(|(.., said)| said.iter().map(FoldedRow::fields).sum::<usize>())
    }
}

impl Pattern {
    /// Returns the row that expands to items that stand side by side; none if there is none, or it
    /// is not found from left to right.
    fn says(&self, tree: &Tree, tops: &[u32]) -> Option<FoldedRow> {
        let mut items: Vec<(usize, u32)> = Vec::new();
        let mut stack: Vec<(usize, u32)> = tops.iter().rev().map(|id| (0, *id)).collect();
        while let Some((depth, id)) = stack.pop() {
            if items.len() == self.parts.len() || tree.item(id).mark.is_some() || tree.item(id).cut.is_some() {
                return None;
            }
            items.push((depth, id));
            stack.extend(tree.children(id).iter().rev().map(|child| (depth + 1, *child)));
        }
        let mut row = FoldedRow { number: None, listed: vec![None; self.listed], values: vec![None; self.columns] };
        let mut next = items.iter().peekable();
        // Depth of a part that is not there: what is below it is not there either.
        let mut missing: Option<usize> = None;
        for part in &self.parts {
            if missing.is_some_and(|depth| part.depth > depth) {
                continue;
            }
            missing = None;
            let item = next.peek().filter(|(depth, _)| *depth == part.depth).map(|(_, id)| tree.item(*id));
            let fits = item.filter(|item| item.role == part.role).is_some_and(|item| part.fill(item, &mut row));
            if fits {
                next.next();
            } else {
                part.leave_out(&mut row)?;
                missing = Some(part.depth);
            }
        }
        if next.peek().is_some() {
            return None;
        }
        let mut read = Tree::default();
        self.expand(&row, &mut read, ROOT)?;
        let same = read.len() == items.len() + 1
            && items.iter().zip(1..).all(|((_, id), at)| {
                tree.item(*id) == read.item(at) && tree.children(*id).len() == read.children(at).len()
            });
        same.then_some(row)
    }
}

impl Part {
    /// Says an item in a row; false, and the row as it was, if this part cannot.
    fn fill(&self, item: &Item, row: &mut FoldedRow) -> bool {
        let mut said = row.clone();
        let filled = self.name.fill(&item.name, &mut said)
            && self.value.fill(&item.value, &mut said)
            && self.fill_reference(item.reference, &mut said)
            && self.fill_states(item, &mut said)
            && match self.presence {
                Presence::Always | Presence::Unless { usual: true, .. } => true,
                Presence::Given(column) => said.value(column).is_some(),
                Presence::Unless { usual: false, column } => said.set(column, "+"),
            };
        if filled {
            *row = said;
        }
        filled
    }

    fn fill_states(&self, item: &Item, row: &mut FoldedRow) -> bool {
        if (item.states, item.volatile) == (self.states, self.volatile) {
            return true;
        }
        self.states_unless.is_some_and(|column| row.set(column, &state_words(item.states, item.volatile)))
    }

    fn fill_reference(&self, reference: Option<Ref>, row: &mut FoldedRow) -> bool {
        let usual = match (self.reference, reference) {
            (RefAt::Row(part), Some(said)) if said.part == part => {
                *row.number.get_or_insert(said.number) == said.number
            }
            (RefAt::None, None) => true,
            (RefAt::Listed(index), said) => {
                row.listed[index] = said;
                true
            }
            _ => false,
        };
        let other = || reference.map_or_else(|| "-".to_owned(), |said| said.to_string());
        usual || self.reference_unless.is_some_and(|column| row.set(column, &other()))
    }

    /// Says that the part is not there; none if it always is.
    fn leave_out(&self, row: &mut FoldedRow) -> Option<()> {
        match self.presence {
            Presence::Given(column) => row.value(column).is_none().then_some(()),
            Presence::Unless { usual: false, .. } => Some(()),
            Presence::Unless { usual: true, column } => row.set(column, "-").then_some(()),
            Presence::Always => None,
        }
    }
}

impl FoldedRow {
    /// Says something in a column; false if the row says something else there.
    fn set(&mut self, column: usize, text: &str) -> bool {
        match self.values.get_mut(column) {
            Some(said) => said.get_or_insert_with(|| text.to_owned()) == text,
            None => false,
        }
    }
}

impl Words {
    /// Says a text in a row.
    fn fill(&self, text: &str, row: &mut FoldedRow) -> bool {
        let column = self.segments.iter().find_map(|segment| match segment {
            Segment::Column(column) if row.value(*column).is_none() => Some(*column),
            _ => None,
        });
        if let Some(column) = column {
            let around = |segments: &[Segment]| segments.iter().map(|segment| segment.of(row)).collect::<String>();
            let at = self.segments.iter().position(|segment| *segment == Segment::Column(column)).unwrap_or(0);
            let (before, after) = (around(&self.segments[..at]), around(&self.segments[at + 1..]));
            let own = text.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()));
            if let Some(own) = own {
                // Nothing at all is told by an empty field, which only what may be missing needs.
                return (own.is_empty() && before.is_empty() && after.is_empty()) || row.set(column, own);
            }
        } else if self.of(row) == text {
            return true;
        }
        self.unless.is_some_and(|column| row.set(column, text))
    }
}
