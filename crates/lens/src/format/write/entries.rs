//! Writes the entries of a delta and what they point at: locators, positions, changes.

use super::Writer;
use crate::format::{Child, Entry, Gone, Locator, Position, Sibling, escape};
use crate::tree::{Cut, ROOT, StateSet, TEXT, Tree};
use std::fmt::Write as _;

impl Writer<'_> {
    fn locator(&mut self, locator: &Locator) {
        self.locator_after(None, locator);
    }

    /// Writes a locator; a role that is that of the one before is left out where a name follows.
    fn locator_after(&mut self, role: Option<&str>, locator: &Locator) {
        if let Some(handle) = locator.handle {
            self.handle(handle);
            return;
        }
        let named = !locator.name.is_empty() || locator.role == TEXT;
        let repeats = named && !locator.role.is_empty() && role == Some(&locator.role);
        if !repeats {
            self.out.push_str(&locator.role);
        }
        if named {
            if !repeats {
                self.out.push(' ');
            }
            escape::quote(&mut self.out, &locator.name);
            if locator.begins {
                self.out.push('…');
            }
        }
        if let Some(reference) = locator.reference {
            if !locator.role.is_empty() {
                self.out.push(' ');
            }
            let _ = if self.style.bracketed_refs {
                write!(self.out, "[{reference}]")
            } else {
                write!(self.out, "{reference}")
            };
        }
        if !locator.holds.is_empty() {
            self.out.push_str(" holding ");
            escape::quote(&mut self.out, &locator.holds);
        }
        if let Some(number) = locator.number {
            let _ = write!(self.out, " #{number}");
        }
        if let Some(owner) = &locator.owner {
            if !owner.column.is_empty() {
                self.out.push_str(" in ");
                escape::quote(&mut self.out, &owner.column);
            }
            self.out.push_str(" of ");
            if let Some(reference) = owner.reference {
                let _ = write!(self.out, "{reference} ");
            }
            escape::quote(&mut self.out, &owner.name);
            if owner.begins {
                self.out.push('…');
            }
        }
    }

    fn gone(&mut self, gone: &[Gone]) {
        for (index, went) in gone.iter().enumerate() {
            self.out.push_str(if index == 0 { " (− " } else { ", " });
            match went {
                Gone::Named(locator) => {
                    self.locator_after(index.checked_sub(1).and_then(|at| gone[at].role()), locator)
                }
                Gone::Many { count, role } => {
                    let _ = write!(self.out, "{count} × {role}");
                }
            }
        }
        if !gone.is_empty() {
            self.out.push(')');
        }
    }

    pub(super) fn entries(&mut self, entries: &[Entry]) {
        let mut follows = false;
        for entry in entries {
            self.out.push('\n');
            let changed = matches!(entry, Entry::Changed { .. });
            // The word stands before the first of some changes only.
            match entry {
                Entry::Changed { at, name, value, on, off } if follows => {
                    self.out.push_str("- ");
                    self.locator(at);
                    self.changes(name.as_ref(), value.as_ref(), *on, *off);
                }
                _ => self.entry(entry),
            }
            follows = changed && !self.style.seed_phrases;
        }
    }

    fn entry(&mut self, entry: &Entry) {
        match entry {
            Entry::Page(head) => {
                self.out.push_str("PAGE: ");
                self.head(head);
            }
            Entry::Changed { at, name, value, on, off } => {
                self.out.push_str("CHANGED: ");
                self.locator(at);
                self.changes(name.as_ref(), value.as_ref(), *on, *off);
            }
            Entry::Removed(locators) | Entry::Volatile(locators) => {
                self.out.push_str(if matches!(entry, Entry::Removed(_)) { "REMOVED: " } else { "VOLATILE: " });
                for (index, locator) in locators.iter().enumerate() {
                    if index > 0 {
                        self.out.push_str(", ");
                    }
                    let before = index.checked_sub(1).map(|before| locators[before].role.as_str());
                    self.locator_after(before, locator);
                }
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
            Entry::Order { at, gone, kept } => {
                self.out.push_str("ORDER in ");
                self.locator(at);
                self.gone(gone);
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
                let _ = write!(self.out, "EXPANDED {handle}:");
                self.lines(items, 1, false);
            }
            Entry::Uncut { handle, name } => {
                let _ = write!(self.out, "EXPANDED {handle}: ");
                escape::quote(&mut self.out, name);
            }
            Entry::Elided(mark) => {
                self.out.push_str("ELIDED: ");
                self.mark(mark);
            }
            Entry::Focus(locator) => {
                self.out.push_str("FOCUS: ");
                match locator {
                    Some(locator) => self.locator(locator),
                    None => self.out.push_str("none"),
                }
            }
            Entry::Unchanged(words) => {
                self.out.push_str("UNCHANGED: ");
                self.out.push_str(words);
            }
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
            Position::At(position) => {
                let _ = write!(self.out, " {at} {position}");
            }
            Position::After(before, None) => self.sibling(" after ", before),
            Position::After(before, Some(after)) => {
                self.sibling(" between ", before);
                self.sibling(" and ", after);
            }
            Position::Before(after) => self.sibling(" before ", after),
        }
    }

    fn sibling(&mut self, word: &str, sibling: &Sibling) {
        let _ = write!(self.out, "{word}{}", sibling.reference);
        if !sibling.name.is_empty() {
            self.out.push(' ');
            escape::quote(&mut self.out, &sibling.name);
            if sibling.begins {
                self.out.push('…');
            }
        }
    }

    fn child(&mut self, child: Child) {
        let _ = match child {
            Child::With(reference) => write!(self.out, "{reference}"),
            Child::At(position) => write!(self.out, "{position}"),
        };
    }

    fn changes(
        &mut self,
        name: Option<&(String, Option<Cut>)>,
        value: Option<&(String, bool, String)>,
        on: StateSet,
        off: StateSet,
    ) {
        if let Some((name, cut)) = name {
            self.out.push_str(" → ");
            escape::quote(&mut self.out, name);
            self.cut(*cut);
        }
        if let Some((old, begins, new)) = value {
            if self.style.seed_phrases || old.is_empty() && !*begins {
                self.out.push_str(" → value: ");
            } else {
                self.out.push_str(" value: ");
                escape::quote(&mut self.out, old);
                if *begins {
                    self.out.push('…');
                }
                self.out.push_str(" → ");
            }
            escape::quote(&mut self.out, new);
        }
        for (sign, states) in [('+', on), ('-', off)] {
            for word in states.words() {
                let _ = write!(self.out, " {sign}{word}");
            }
        }
    }
}
