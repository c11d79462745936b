//! Writes the entries of a delta and what they point at: locators, positions, changes.

use super::Writer;
use crate::format::escape::Put as _;
use crate::format::{Child, Entry, Gone, Locator, Position, Sibling, ValueChange, ValuePart};
use crate::tree::{Cut, ROOT, StateSet, TEXT, Tree};
use browserlens_core::strategy::Ref;

/// Fewest changes of state that are told together, and fewest refs in a row told by their ends.
const FEWEST_ALIKE: usize = 3;

/// Returns the ref and the states of a change that tells nothing else, not even what it is on.
fn states_alone(entry: &Entry) -> Option<(Ref, StateSet, StateSet)> {
    let Entry::Changed { at, .. } = entry else { return None };
    entry.states_alone().filter(|(on, ..)| *at == Locator { reference: Some(*on), ..Locator::default() })
}

/// Returns how many entries from the first tell the same states of other refs.
fn alike(entries: &[Entry]) -> usize {
    let states = |entry| states_alone(entry).map(|(_, on, off)| (on, off));
    let first = entries.first().and_then(states);
    if first.is_none() { 0 } else { entries.iter().take_while(|entry| states(entry) == first).count() }
}

impl Writer<'_> {
    fn locator(&mut self, locator: &Locator) {
        self.locator_after(None, locator);
    }

    /// Writes a locator; a role that is that of the one before is left out where a name follows.
    fn locator_after(&mut self, role: Option<&str>, locator: &Locator) {
        if let Some(handle) = locator.handle {
            write!(self.out, "{handle}");
            return;
        }
        let named = !locator.name.is_empty() || locator.role == TEXT;
        let repeats = named && !locator.role.is_empty() && role == Some(&locator.role);
        if !repeats {
            self.out.push_str(&locator.role);
        }
        if named {
            self.out.quoted(if repeats { "" } else { " " }, &locator.name, locator.begins);
        }
        if let Some(reference) = locator.reference {
            self.out.push_str(if locator.role.is_empty() { "" } else { " " });
            self.reference(reference);
        }
        if !locator.holds.is_empty() {
            self.out.quoted(" holding ", &locator.holds, false);
        }
        if let Some(number) = locator.number {
            write!(self.out, " #{number}");
        }
        if let Some(owner) = &locator.owner {
            if !owner.column.is_empty() {
                self.out.quoted(" in ", &owner.column, false);
            }
            self.out.push_str(" of ");
            if let Some(reference) = owner.reference {
                write!(self.out, "{reference} ");
            }
            self.out.quoted("", &owner.name, owner.begins);
        }
    }

    fn locators(&mut self, locators: &[Locator]) {
        let mut before = None;
        for locator in locators {
            self.out.push_str(if before.is_none() { "" } else { ", " });
            self.locator_after(before, locator);
            before = Some(&*locator.role);
        }
    }

    fn gone(&mut self, gone: &[Gone]) {
        if !gone.is_empty() {
            self.out.push_str(" (− ");
            self.went(gone);
            self.out.push(')');
        }
    }

    fn went(&mut self, gone: &[Gone]) {
        let mut before = None;
        for (index, went) in gone.iter().enumerate() {
            self.out.push_str(if index == 0 { "" } else { ", " });
            match went {
                Gone::Named(locator) => self.locator_after(before, locator),
                Gone::Many { count, role } => write!(self.out, "{count} × {role}"),
            }
            before = went.role();
        }
    }

    pub(super) fn entries(&mut self, entries: &[Entry]) {
        let mut follows = false;
        let mut at = 0;
        while let Some(entry) = entries.get(at) {
            self.out.push('\n');
            let alike = if self.style.seed_phrases { 1 } else { alike(&entries[at..]) };
            if alike >= FEWEST_ALIKE {
                self.together(&entries[at..at + alike], follows);
                at += alike;
            } else {
                self.entry(entry, follows);
                at += 1;
            }
            follows = matches!(entry, Entry::Changed { .. }) && !self.style.seed_phrases;
        }
    }

    /// Writes changes of state that are the same as one: their refs, runs of them by their ends, and
    /// the states.
    fn together(&mut self, entries: &[Entry], follows: bool) {
        self.out.push_str(if follows { "-" } else { "CHANGED:" });
        let refs: Vec<Ref> = entries.iter().filter_map(|entry| states_alone(entry).map(|(on, ..)| on)).collect();
        for run in refs.chunk_by(|a, b| a.part == 0 && b.part == 0 && a.number.checked_add(1) == Some(b.number)) {
            let ends = [run[0], run[run.len() - 1]];
            let told = if run.len() < FEWEST_ALIKE { run } else { &ends };
            for (index, reference) in told.iter().enumerate() {
                self.out.push_str(if index == 1 && run.len() >= FEWEST_ALIKE { "-" } else { " " });
                self.reference(*reference);
            }
        }
        if let Some((_, on, off)) = entries.first().and_then(states_alone) {
            self.changes(None, None, on, off);
        }
    }

    /// Writes a change; the word stands before the first of some changed items only.
    fn entry(&mut self, entry: &Entry, follows: bool) {
        match entry {
            Entry::Page(head) => {
                self.out.push_str("PAGE: ");
                self.head(head);
            }
            Entry::Changed { at, name, value, on, off } => {
                self.out.push_str(if follows { "- " } else { "CHANGED: " });
                self.locator(at);
                self.changes(name.as_ref(), value.as_ref(), *on, *off);
            }
            Entry::Removed(locators) => {
                self.out.push_str("REMOVED: ");
                self.locators(locators);
            }
            Entry::Volatile(locators) => {
                self.out.push_str("VOLATILE: ");
                self.locators(locators);
            }
            Entry::Moved { at, to, parent } => {
                self.out.push_str("MOVED: ");
                self.locator(at);
                self.place(to, "to");
                if let Some(parent) = parent {
                    self.out.push_str(" in ");
                    self.locator(parent);
                }
            }
            Entry::Added { parent, at, items } => {
                self.out.push_str("ADDED in ");
                self.locator(parent);
                self.place(at, "at");
                self.out.push(':');
                self.content(items);
            }
            Entry::Now { at, gone, items } => {
                self.out.push_str("NOW in ");
                self.locator(at);
                self.gone(gone);
                self.out.push(':');
                self.content(items);
            }
            Entry::Order { at, is_new, gone, kept } => {
                // Who reads `ORDER` looks for a new one.
                if *is_new {
                    self.out.push_str("ORDER in ");
                    self.locator(at);
                    self.gone(gone);
                } else {
                    self.out.push_str("REMOVED in ");
                    self.locator(at);
                    self.out.push_str(": ");
                    self.went(gone);
                    self.out.push_str("; left");
                }
                self.out.push(':');
                for run in kept {
                    self.out.push(' ');
                    self.child(run.from);
                    if let Some(to) = run.to {
                        self.out.push('-');
                        self.child(to);
                    }
                }
            }
            Entry::Expanded { handle, items } => {
                write!(self.out, "EXPANDED {handle}:");
                self.lines(items, 1, false);
            }
            Entry::Uncut { handle, name } => {
                write!(self.out, "EXPANDED {handle}");
                self.out.quoted(": ", name, false);
            }
            Entry::Elided(mark) => {
                self.out.push_str("ELIDED: ");
                self.mark(mark);
            }
            Entry::Focus(None) => self.out.push_str("FOCUS: none"),
            Entry::Focus(Some(locator)) => {
                self.out.push_str("FOCUS: ");
                self.locator(locator);
            }
            Entry::Unchanged(words) => write!(self.out, "UNCHANGED: {words}"),
        }
    }

    /// Writes items that a change tells: a group that is all of them shares its line.
    fn content(&mut self, items: &Tree) {
        let by_line = self.style.added_by_line;
        let mut open = self.open(items, ROOT, 1, by_line);
        match open.groups.pop_if(|group| group.len == items.children(ROOT).len()) {
            Some(all) => {
                self.out.push(' ');
                self.out.push_str(&all.text);
            }
            None => self.lines_of(items, open, by_line),
        }
    }

    /// Writes where something stands; `at` is the word before a position.
    fn place(&mut self, place: &Position, at: &str) {
        match place {
            Position::End => {}
            Position::At(position) => write!(self.out, " {at} {position}"),
            Position::After(before, None) => self.sibling(" after ", before),
            Position::After(before, Some(after)) => {
                self.sibling(" between ", before);
                self.sibling(" and ", after);
            }
            Position::Before(after) => self.sibling(" before ", after),
        }
    }

    fn sibling(&mut self, word: &str, sibling: &Sibling) {
        write!(self.out, "{word}{}", sibling.reference);
        if !sibling.name.is_empty() {
            self.out.quoted(" ", &sibling.name, sibling.begins);
        }
    }

    fn child(&mut self, child: Child) {
        match child {
            Child::With(reference) => write!(self.out, "{reference}"),
            Child::At(position) => write!(self.out, "{position}"),
        }
    }

    fn changes(
        &mut self,
        name: Option<&(String, Option<Cut>)>,
        value: Option<&ValueChange>,
        on: StateSet,
        off: StateSet,
    ) {
        if let Some((name, cut)) = name {
            self.out.quoted(" → ", name, false);
            self.cut(*cut);
        }
        if let Some(ValueChange { old, of, new }) = value {
            let is_part = *of == ValuePart::Replaced;
            if !is_part && self.style.seed_phrases || old.is_empty() && *of == ValuePart::Whole {
                self.out.quoted(" → value: ", new, false);
            } else {
                self.out.quoted(if is_part { " value: …" } else { " value: " }, old, *of != ValuePart::Whole);
                self.out.quoted(" → ", new, false);
            }
        }
        for (sign, states) in [('+', on), ('-', off)] {
            states.words().for_each(|word| write!(self.out, " {sign}{word}"));
        }
    }
}
