//! Writes an [`Observed`] as text.
//!
//! In: an observation as data, and a style. Out: its text, without a line end at the end.
//! Invariants: iterative; the text depends on nothing else; page text goes through [`escape`] and
//! nowhere else.

mod entries;

use super::escape::{self, Put as _};
use super::fold::{self, Kind, NONE_TOLD, Patterns};
use super::{Entry, Head, ImageNote, Observed, Style, event, owner};
use crate::changed;
use crate::tree::{Cut, Elided, Item, Mark, ROOT, StateSet, Tree};
use browserlens_core::strategy::Ref;
use std::ops::Range;

/// Nesting from which a line carries its depth as a number, so that deep pages do not cost their
/// square.
const DEEPEST_INDENT: usize = 20;

/// A group folds if its text is at most so much of what it is unfolded, in percent.
const MOST_OF_UNFOLDED: usize = 95;

/// Returns the text of an observation; nothing was told before it.
pub fn write(observed: &Observed, style: Style) -> String {
    write_after(observed, style, &NONE_TOLD)
}

/// Returns the text of an observation where these patterns were told before; a full observation
/// stands for itself.
pub fn write_after(observed: &Observed, style: Style, told: &Patterns) -> String {
    let told = if matches!(observed, Observed::Full { .. }) { &NONE_TOLD } else { told };
    let mut writer = Writer { out: String::new(), style, told };
    match observed {
        Observed::Full { step, reason, head, events, images, tree } => {
            writer.out.push_str("[FULL PAGE STATE");
            if let Some(step) = step {
                write!(writer.out, " {step}");
            }
            if let Some(reason) = reason {
                write!(writer.out, " — {reason}");
            }
            writer.out.push(']');
            if let Some(head) = head {
                writer.out.push(' ');
                writer.head(head);
            }
            event::write(&mut writer.out, events);
            writer.images(images);
            writer.lines(tree, 0, false);
        }
        Observed::Delta { steps, changes, hidden, events, images, entries } => {
            let s = if *changes == 1 { "" } else { "s" };
            match steps {
                Some((from, to)) => write!(writer.out, "[DELTA {from}→{to}"),
                None => write!(writer.out, "[DELTA — {changes} change{s} from previous state"),
            }
            match steps {
                // The reader is to go back to what was shown then.
                Some((from, to)) if from.saturating_add(1) < *to => {
                    write!(writer.out, ", from the page of step {from}");
                }
                // No action led to it.
                Some((from, to)) if from == to => writer.out.push_str(", by itself"),
                _ => {}
            }
            // How many there are is said where the changes themselves do not say it, and where
            // there is none.
            let told = *changes > 0 || *hidden > 0 || !images.is_empty();
            let counted = Entry::count(entries) == *changes && told;
            if steps.is_some() && !counted {
                write!(writer.out, ": {changes} change{s}");
            }
            if *hidden > 0 {
                write!(writer.out, ", {hidden} volatile hidden");
            }
            writer.out.push(']');
            event::write(&mut writer.out, events);
            writer.images(images);
            writer.entries(entries);
        }
        Observed::Answer { request, images, entries } => {
            writer.out.push_str("[ANSWER ");
            escape::bare(&mut writer.out, request);
            writer.out.push(']');
            writer.images(images);
            writer.entries(entries);
        }
        Observed::Nothing(handle) => writer.mark(&Mark { handle: *handle, count: None, what: Elided::Items }),
    }
    writer.out
}

/// Returns the lines of the items below the root of a tree, as a full observation has them.
pub fn write_items(tree: &Tree, style: Style) -> String {
    let mut writer = Writer { out: String::new(), style, told: &NONE_TOLD };
    writer.lines(tree, 0, false);
    writer.out.strip_prefix('\n').map(str::to_owned).unwrap_or_default()
}

/// Returns one item as it stands in a line.
pub fn write_item(item: &Item, style: Style) -> String {
    let mut writer = Writer { out: String::new(), style, told: &NONE_TOLD };
    writer.item(item);
    writer.out
}

struct Writer<'p> {
    out: String,
    style: Style,
    told: &'p Patterns,
}

/// A group of siblings as text.
struct Folded {
    at: usize,
    len: usize,
    text: String,
}

/// Siblings of which those from a position on are still to be written, at a depth.
struct Open {
    parent: u32,
    at: usize,
    depth: usize,
    /// The groups that are still to come, the next one last.
    groups: Vec<Folded>,
}

impl Open {
    /// Takes the group that begins here.
    fn group(&mut self) -> Option<Folded> {
        let group = self.groups.pop_if(|group| group.at == self.at)?;
        self.at += group.len;
        Some(group)
    }

    /// Returns the siblings from here to the next group.
    fn until_group<'c>(&self, children: &'c [u32]) -> &'c [u32] {
        &children[self.at..self.groups.last().map_or(children.len(), |group| group.at)]
    }
}

/// The columns that the days of a week stand in; none where siblings are no week.
struct Days<'t> {
    tree: &'t Tree,
    cells: &'t [u32],
    heads: &'t [u32],
}

impl<'t> Days<'t> {
    fn of(tree: &'t Tree, siblings: &[u32]) -> Self {
        let row = siblings.first().map_or(ROOT, |first| tree.parent(*first));
        let heads = owner::days(tree, row).unwrap_or_default();
        Self { tree, cells: tree.children(row), heads }
    }

    /// Returns the name of the column of a day; of a cell without a day nothing.
    fn column(&self, cell: u32) -> &'t str {
        if self.heads.is_empty() || self.tree.item(cell).name.is_empty() {
            return "";
        }
        let place = self.cells.iter().position(|other| *other == cell);
        place.and_then(|place| self.heads.get(place)).map_or("", |head| &self.tree.item(*head).name)
    }
}

impl Writer<'_> {
    fn head(&mut self, head: &Head) {
        escape::bare(&mut self.out, &head.title);
        if !head.url.is_empty() {
            if !head.title.is_empty() {
                self.out.push(' ');
            }
            self.out.push_str("| ");
            escape::bare(&mut self.out, &head.url);
        }
        if head.cut {
            self.out.push('…');
        }
    }

    fn images(&mut self, images: &[ImageNote]) {
        for note in images {
            let changed = if note.changed { "changed part of " } else { "" };
            write!(self.out, "\n[IMAGE {}: {changed}{}", note.number, note.role);
            if !note.name.is_empty() {
                self.out.quoted(" ", &note.name, false);
            }
            let [x, y, width, height] = note.bounds;
            write!(self.out, " at {x},{y} {width}×{height}]");
        }
    }

    fn indent(&mut self, depth: usize) {
        self.out.push('\n');
        if depth <= DEEPEST_INDENT {
            (0..depth).for_each(|_| self.out.push_str("  "));
        } else {
            write!(self.out, "({depth}) ");
        }
        self.out.push_str("- ");
    }

    /// Writes the items below the root of a tree, one line a container or run of leaves, one a row
    /// of a group.
    fn lines(&mut self, tree: &Tree, depth: usize, by_line: bool) {
        let open = self.open(tree, ROOT, depth, by_line);
        self.lines_of(tree, open, by_line);
    }

    fn lines_of(&mut self, tree: &Tree, open: Open, by_line: bool) {
        let mut open = vec![open];
        while let Some(mut siblings) = open.pop() {
            let children = tree.children(siblings.parent);
            let Some(first) = children.get(siblings.at).copied() else { continue };
            self.indent(siblings.depth);
            if let Some(group) = siblings.group() {
                self.out.push_str(&group.text);
                open.push(siblings);
                continue;
            }
            if tree.children(first).is_empty() {
                let run = if by_line { 1 } else { self.run(tree, siblings.until_group(children)) };
                if by_line {
                    self.item(tree.item(first));
                }
                siblings.at += run;
                open.push(siblings);
                continue;
            }
            siblings.at += 1;
            let depth = siblings.depth;
            open.push(siblings);
            let mut container = first;
            loop {
                self.item(tree.item(container));
                self.out.push(':');
                let below = tree.children(container);
                // A container that holds one container shares its line.
                if let [only] = below
                    && !tree.children(*only).is_empty()
                {
                    self.out.push(' ');
                    container = *only;
                    continue;
                }
                let mut inside = self.open(tree, container, depth + 1, by_line);
                if let Some(group) = inside.group() {
                    self.out.push(' ');
                    self.out.push_str(&group.text);
                } else if below.first().is_some_and(|first| tree.children(*first).is_empty()) && !by_line {
                    self.out.push(' ');
                    inside.at = self.run(tree, inside.until_group(below));
                }
                open.push(inside);
                break;
            }
        }
    }

    fn open(&self, tree: &Tree, parent: u32, depth: usize, by_line: bool) -> Open {
        let mut groups = Vec::new();
        if self.style.fold && !by_line && changed::folds_rows() {
            let children = tree.children(parent);
            let mut alone = 0;
            for group in fold::groups(tree, parent) {
                self.few(tree, children, alone..group.at, depth, &mut groups);
                alone = group.at + group.len;
                let siblings = &children[group.at..group.at + group.len];
                // A calendar's weeks are a line each: behind a pattern its days would be counted.
                if matches!(group.kind, Kind::Rows(_)) && owner::days(tree, siblings[0]).is_some() {
                    continue;
                }
                let Some(text) = self.group(tree, siblings, &group.kind) else { continue };
                if text.len() * 100 <= self.unfolded(tree, siblings, depth) * MOST_OF_UNFOLDED {
                    groups.push(Folded { at: group.at, len: group.len, text });
                }
            }
            self.few(tree, children, alone..children.len(), depth, &mut groups);
        }
        groups.reverse();
        Open { parent, at: 0, depth, groups }
    }

    /// Folds siblings that are too few to be a group, where a pattern was told that says them.
    fn few(&self, tree: &Tree, children: &[u32], alone: Range<usize>, depth: usize, groups: &mut Vec<Folded>) {
        if self.told.is_empty() {
            return;
        }
        let mut at = alone.start;
        while at < alone.end {
            let role = &tree.item(children[at]).role;
            let with_content = |id: &&u32| tree.item(**id).role == *role && !tree.children(**id).is_empty();
            let alike = children[at..alone.end].iter().take_while(with_content).count();
            let rows: Vec<&[u32]> = children[at..at + alike].chunks(1).collect();
            if let Some(text) = self.like(tree, &rows)
                && text.len() * 100 <= self.unfolded(tree, &children[at..at + alike], depth) * MOST_OF_UNFOLDED
            {
                groups.push(Folded { at, len: alike, text });
            }
            at += alike.max(1);
        }
    }

    /// Returns the text of rows by a pattern that was told; none if none says them.
    fn like(&self, tree: &Tree, rows: &[&[u32]]) -> Option<String> {
        let (number, pattern, rows) = self.told.fitting(tree, rows)?;
        let mut text = format!("{} × like @e{number}:", rows.len());
        fold::rows(&mut text, &pattern, &rows);
        Some(text)
    }

    /// Returns the text of a group; none if it would not lead back to its items.
    fn group(&self, tree: &Tree, siblings: &[u32], kind: &Kind) -> Option<String> {
        match kind {
            Kind::Leaves => {
                let usual = fold::shared_states(siblings.iter().map(|id| tree.item(*id)))?;
                let mut text = format!("{} × {}", siblings.len(), tree.item(*siblings.first()?).role);
                if usual != (StateSet::NONE, false) {
                    text.push(' ');
                    text.push_str(&fold::state_words(usual.0, usual.1));
                }
                let with_ref = siblings.iter().filter(|id| tree.item(**id).reference.is_some()).count();
                let numbered = with_ref * 2 > siblings.len();
                text.push_str(if numbered { " @:" } else { ":" });
                let days = Days::of(tree, siblings);
                let leaves = siblings.iter().map(|id| (tree.item(*id), days.column(*id)));
                fold::leaf_entries(&mut text, leaves, usual, numbered);
                Some(text)
            }
            Kind::Rows(shape) => {
                let (pattern, rows) = fold::fold_rows(tree, shape, self.style)?;
                let mut text = format!("{} × ", rows.len());
                fold::pattern(&mut text, &pattern);
                text.push(':');
                fold::rows(&mut text, &pattern, &rows);
                let period = (siblings.len() / rows.len().max(1)).max(1);
                let told = self.like(tree, &siblings.chunks(period).collect::<Vec<_>>());
                Some(told.filter(|told| told.len() < text.len()).unwrap_or(text))
            }
        }
    }

    /// Returns how many bytes siblings cost one by one.
    fn unfolded(&self, tree: &Tree, siblings: &[u32], depth: usize) -> usize {
        let mut plain = Writer { out: String::new(), style: Style { fold: false, ..self.style }, told: self.told };
        let mut at = 0;
        while at < siblings.len() {
            plain.indent(depth);
            if tree.children(siblings[at]).is_empty() {
                at += plain.run(tree, &siblings[at..]);
                continue;
            }
            plain.item(tree.item(siblings[at]));
            plain.out.push(':');
            let mut below = Tree::default();
            below.graft_all(ROOT, 0, tree, tree.children(siblings[at]), |_, _| {});
            plain.lines(&below, depth + 1, false);
            at += 1;
        }
        plain.out.len()
    }

    /// Writes the leaves at the beginning of some siblings and returns how many.
    fn run(&mut self, tree: &Tree, siblings: &[u32]) -> usize {
        let mut written = 0;
        let mut before: Option<&Item> = None;
        let days = Days::of(tree, siblings);
        for id in siblings.iter().take_while(|id| tree.children(**id).is_empty()) {
            let item = tree.item(*id);
            if let Some(before) = before {
                // Not after a field or a state, where it would read like a value, nor after what has no name,
                // where it would read like that.
                let plain = before.reference.is_some()
                    && !before.name.is_empty()
                    && before.value.is_empty()
                    && before.states == StateSet::NONE
                    && days.heads.is_empty()
                    && !before.volatile;
                let follows = self.style.text_follows
                    && item.is_text()
                    && plain
                    && !browserlens_core::page::role::is_text_field(&before.role);
                self.out.push_str(if follows { " " } else { ", " });
            }
            self.item(item);
            let day = days.column(*id);
            if !day.is_empty() {
                self.out.quoted(" in ", day, false);
            }
            before = Some(item);
            written += 1;
        }
        written
    }

    fn item(&mut self, item: &Item) {
        if let Some(mark) = &item.mark {
            self.mark(mark);
            return;
        }
        // A name that was derived has a mark of its own.
        let tilde = item.states.has(StateSet::DERIVED) && !item.name.is_empty() && !item.is_text();
        let states = if tilde { item.states.without(StateSet::DERIVED) } else { item.states };
        if item.is_text() && !self.style.text_word {
            escape::quote(&mut self.out, &item.name);
        } else {
            self.out.push_str(&item.role);
            if !item.name.is_empty() || item.is_text() {
                self.out.quoted(if tilde { " ~" } else { " " }, &item.name, false);
            }
        }
        self.cut(item.cut);
        if let Some(reference) = item.reference {
            self.out.push(' ');
            self.reference(reference);
        }
        for word in states.words() {
            self.out.push(' ');
            self.out.push_str(word);
        }
        if !item.value.is_empty() {
            self.out.quoted(" value: ", &item.value, false);
        }
        if item.volatile {
            self.out.push_str(" volatile");
        }
    }

    fn reference(&mut self, reference: Ref) {
        match self.style.bracketed_refs {
            true => write!(self.out, "[{reference}]"),
            false => write!(self.out, "{reference}"),
        }
    }

    fn cut(&mut self, cut: Option<Cut>) {
        if let Some(cut) = cut {
            write!(self.out, "… +{} chars {}", cut.chars, cut.handle);
        }
    }

    fn mark(&mut self, mark: &Mark) {
        self.out.push('…');
        match (mark.count, mark.what) {
            (None, _) => {}
            (Some(1), Elided::Items) => self.out.push_str(" 1 more item"),
            (Some(count), Elided::Items) => write!(self.out, " {count} more items"),
            (Some(1), what) => write!(self.out, " 1 {}", what.name().trim_end_matches('s')),
            (Some(count), what) => write!(self.out, " {count} {}", what.name()),
        }
        if let Some(handle) = mark.handle {
            write!(self.out, " {handle}");
        }
    }
}
