//! Reads the text of an observation back into data.
//!
//! In: text in the grammar of `GRAMMAR.md`, any style. Out: the [`Observed`] it was written from,
//! or the line and column at which it is not in the grammar. Invariants: iterative; never panics,
//! whatever the text.

use super::event;
use super::fold::Patterns;
use super::items::{cut, group_alone, items, mark};
use super::lines::{GrammarError, Lines};
use super::scan::Scan;
use super::{
    Child, ChildRun, Entry, EventNote, Gone, Head, ImageNote, Locator, Observed, Owner, Position, Sibling, ValueChange,
    ValuePart,
};
use crate::tree::{PAGE, StateSet, Tree};
use browserlens_core::strategy::Ref;

/// Most refs that a line of changes told together may stand for.
const MOST_TOGETHER: usize = 10_000;

/// Reads the text of one observation before which nothing was told.
///
/// # Errors
/// [`GrammarError`] with the first line and column at which the text is not in the grammar.
pub fn parse(text: &str) -> Result<Observed, GrammarError> {
    parse_after(text, &Patterns::default()).map(|(observed, _)| observed)
}

/// Reads the text of one observation before which these patterns were told, and returns what
/// patterns it tells.
///
/// # Errors
/// [`GrammarError`] with the first line and column at which the text is not in the grammar.
pub fn parse_after(text: &str, told: &Patterns) -> Result<(Observed, Patterns), GrammarError> {
    let mut lines = Lines { lines: text.split('\n').collect(), at: 0, told, tells: Patterns::default() };
    let observed = observation(&mut lines)?;
    Ok((observed, lines.tells))
}

fn observation(lines: &mut Lines<'_>) -> Result<Observed, GrammarError> {
    let mut scan = Scan::new(lines.peek().unwrap_or(""));
    if let Some(mark) = mark(&mut scan) {
        let lone = scan.at_end() && lines.lines.len() == 1 && mark.count.is_none();
        return lone
            .then_some(Observed::Nothing(mark.handle))
            .ok_or_else(|| lines.error(&scan, "a header, or a mark alone"));
    }
    if scan.eat("[FULL PAGE STATE") {
        let step = scan.attempt(|scan| scan.expect(" ").and_then(|()| scan.number()));
        let reason = scan.after(" — ", |scan| scan.bare(&[']'])).ok_or_else(|| lines.error(&scan, "a reason"))?;
        scan.expect("]").ok_or_else(|| lines.error(&scan, "\"]\""))?;
        let head =
            if scan.at_end() { None } else { Some(head(&mut scan).ok_or_else(|| lines.error(&scan, "title | url"))?) };
        lines.at = 1;
        let (events, images, tree) = (events(lines)?, images(lines)?, items(lines, 0)?);
        return match lines.peek() {
            None => Ok(Observed::Full { step, reason, head, events, images, tree }),
            Some(line) => Err(lines.error(&Scan::new(line), "an item line")),
        };
    }
    if scan.eat("[DELTA ") {
        let header = delta_header(&mut scan).ok_or_else(|| lines.error(&scan, "the header of a delta"))?;
        lines.at = 1;
        let (events, images, entries) = (events(lines)?, images(lines)?, entries(lines)?);
        let (steps, changes, hidden) = header;
        let changes = changes.unwrap_or_else(|| Entry::count(&entries));
        return Ok(Observed::Delta { steps, changes, hidden, events, images, entries });
    }
    if scan.eat("[ANSWER ") {
        let request = scan.bare(&[']']).ok_or_else(|| lines.error(&scan, "a request"))?;
        if !scan.eat("]") || !scan.at_end() {
            return Err(lines.error(&scan, "\"]\" and the end of the line"));
        }
        lines.at = 1;
        return Ok(Observed::Answer { request, images: images(lines)?, entries: entries(lines)? });
    }
    Err(lines.error(&scan, "[FULL PAGE STATE], [DELTA …], [ANSWER …] or a mark"))
}

/// Steps, changes where they are counted, and hidden changes.
type DeltaHeader = (Option<(u32, u32)>, Option<u32>, u32);

fn delta_header(scan: &mut Scan<'_>) -> Option<DeltaHeader> {
    let (steps, changes) = if scan.eat("— ") {
        let changes = scan.counted(" change")?;
        scan.expect(" from previous state")?;
        (None, Some(changes))
    } else {
        let from = scan.number_before("→")?;
        let to = scan.number()?;
        let _ = scan.eat(&format!(", from the page of step {from}")) || scan.eat(", by itself");
        (Some((from, to)), scan.after(": ", |scan| scan.counted(" change"))?)
    };
    let hidden = scan.after(", ", |scan| scan.number_before(" volatile hidden"))?;
    scan.expect("]")?;
    // What a server adds where an action led to nothing.
    let _ = scan.eat(" nothing changed") || scan.eat(" it shows what it showed then");
    scan.at_end().then_some((steps, changes, hidden.unwrap_or_default()))
}

fn head(scan: &mut Scan<'_>) -> Option<Head> {
    scan.expect(" ")?;
    let title = scan.bare(&['|', '…'])?.trim_end_matches(' ').to_owned();
    let url = scan.after("|", |scan| {
        scan.expect(" ")?;
        scan.bare(&['|', '…'])
    })?;
    let cut = scan.eat("…");
    scan.at_end().then_some(Head { title, url: url.unwrap_or_default(), cut })
}

fn events(lines: &mut Lines<'_>) -> Result<Vec<EventNote>, GrammarError> {
    let mut notes = Vec::new();
    while let Some(line) = lines.peek().filter(|line| event::is_event(line)) {
        let mut scan = Scan::new(line);
        notes.push(event::read(&mut scan).ok_or_else(|| lines.error(&scan, "an event"))?);
        lines.at += 1;
    }
    Ok(notes)
}

fn images(lines: &mut Lines<'_>) -> Result<Vec<ImageNote>, GrammarError> {
    let mut notes = Vec::new();
    while let Some(line) = lines.peek().filter(|line| line.starts_with("[IMAGE ")) {
        let mut scan = Scan::new(line);
        scan.eat("[IMAGE ");
        notes.push(image(&mut scan).ok_or_else(|| lines.error(&scan, "an image note"))?);
        lines.at += 1;
    }
    Ok(notes)
}

fn image(scan: &mut Scan<'_>) -> Option<ImageNote> {
    let number = scan.number_before(": ")?;
    let changed = scan.eat("changed part of ");
    let role = scan.word()?.to_owned();
    let name = scan.quoted_after(" ")?.unwrap_or_default();
    scan.expect(" at ")?;
    let mut bounds = [0; 4];
    for (bound, separator) in bounds.iter_mut().zip([",", " ", "×", "]"]) {
        *bound = scan.signed()?;
        scan.expect(separator)?;
    }
    scan.at_end().then_some(ImageNote { number, changed, role, name, bounds })
}

fn locator(scan: &mut Scan<'_>) -> Option<Locator> {
    locator_after(None, scan)
}

/// Reads a locator; one without a role has that of the one before.
fn locator_after(role: Option<&str>, scan: &mut Scan<'_>) -> Option<Locator> {
    if let Some(handle) = scan.handle() {
        return Some(Locator { handle: Some(handle), ..Locator::default() });
    }
    if let Some(reference) = scan.reference() {
        return Some(Locator { reference: Some(reference), ..Locator::default() });
    }
    let repeats = role.filter(|role| !role.is_empty() && scan.rest().starts_with('"'));
    let role = match repeats {
        Some(role) => role.to_owned(),
        None => scan.word()?.to_owned(),
    };
    let mut locator = Locator { role, ..Locator::default() };
    if locator.role == PAGE {
        return Some(locator);
    }
    if let Some(name) = scan.quoted_after(if repeats.is_some() { "" } else { " " })? {
        locator.name = name;
        locator.begins = scan.eat("…");
    }
    locator.reference = scan.attempt(|scan| scan.expect(" ").and_then(|()| scan.reference()));
    locator.holds = scan.quoted_after(" holding ")?.unwrap_or_default();
    locator.number = scan.after(" #", Scan::number)?;
    locator.owner = owner(scan)?;
    Some(locator)
}

/// Reads whose an item is.
fn owner(scan: &mut Scan<'_>) -> Option<Option<Owner>> {
    let column = scan.quoted_after(" in ")?.unwrap_or_default();
    if !scan.eat(" of ") {
        return column.is_empty().then_some(None);
    }
    let reference = scan.reference();
    scan.expect(if reference.is_some() { " " } else { "" })?;
    Some(Some(Owner { column, reference, name: scan.quoted()?, begins: scan.eat("…") }))
}

fn entries(lines: &mut Lines<'_>) -> Result<Vec<Entry>, GrammarError> {
    let mut entries = Vec::new();
    while let Some(line) = lines.peek() {
        let mut scan = Scan::new(line);
        let follows = matches!(entries.last(), Some(Entry::Changed { .. }));
        if let Some(many) = together(&mut scan, follows) {
            entries.extend(many);
            lines.at += 1;
            continue;
        }
        let read = entry(lines, &mut scan, follows);
        entries.push(read.ok_or_else(|| lines.error(&scan, "a change"))??);
    }
    Ok(entries)
}

/// Reads one change and the item lines that belong to it; none if it is none. Behind a changed item
/// (`follows`) the next needs no word.
fn entry(lines: &mut Lines<'_>, scan: &mut Scan<'_>, follows: bool) -> Option<Result<Entry, GrammarError>> {
    if scan.eat("ADDED in ") {
        let parent = locator(scan)?;
        let at = place(scan, " at ")?;
        scan.expect(":")?;
        return Some(content(lines, scan).map(|items| Entry::Added { parent, at, items }));
    }
    if scan.eat("NOW in ") {
        let at = locator(scan)?;
        let gone = gone(scan)?;
        scan.expect(":")?;
        return Some(content(lines, scan).map(|items| Entry::Now { at, gone, items }));
    }
    let read = if scan.eat("EXPANDED ") {
        let handle = scan.handle()?;
        scan.expect(":")?;
        if scan.at_end() {
            return Some(content(lines, scan).map(|items| Entry::Expanded { handle, items }));
        }
        scan.expect(" ")?;
        Entry::Uncut { handle, name: scan.quoted()? }
    } else if scan.eat("CHANGED: ") || follows && scan.eat("- ") {
        changed(scan)?
    } else {
        line_entry(scan)?
    };
    if !scan.at_end() {
        return None;
    }
    lines.at += 1;
    Some(Ok(read))
}

/// Reads changes of state that are told together: several refs, or the ends of runs of them.
fn together(scan: &mut Scan<'_>, follows: bool) -> Option<Vec<Entry>> {
    scan.attempt(|scan| {
        let begins = scan.eat("CHANGED:") || follows && scan.eat("-");
        scan.expect(if begins { "" } else { "CHANGED:" })?;
        let mut refs = Vec::new();
        while scan.rest().starts_with(" @e") {
            scan.expect(" ")?;
            let first = scan.reference()?;
            let last = scan.after("-", Scan::reference)?.unwrap_or(first);
            let count = last.number.checked_sub(first.number)?;
            if count as usize + refs.len() >= MOST_TOGETHER {
                return None;
            }
            match count {
                0 => refs.push(first),
                _ => refs.extend((first.number..=last.number).map(Ref::new)),
            }
        }
        let mut states = [StateSet::NONE; 2];
        while !scan.at_end() {
            let of = usize::from(!scan.eat(" +"));
            scan.expect(if of == 0 { "" } else { " -" })?;
            states[of] = states[of].with(StateSet::from_word(scan.word()?)?);
        }
        let changed = |reference| Entry::Changed {
            at: Locator { reference: Some(reference), ..Locator::default() },
            name: None,
            value: None,
            on: states[0],
            off: states[1],
        };
        (refs.len() > 1).then(|| refs.into_iter().map(changed).collect())
    })
}

/// Reads the items that a change tells: a group on its line, or the lines that follow.
fn content(lines: &mut Lines<'_>, scan: &mut Scan<'_>) -> Result<Tree, GrammarError> {
    if !scan.at_end() {
        return group_alone(lines, scan);
    }
    lines.at += 1;
    items(lines, 1)
}

/// Reads where something stands; `at` is the word before a position.
fn place(scan: &mut Scan<'_>, at: &str) -> Option<Position> {
    Some(if scan.eat(at) {
        Position::At(scan.number()?)
    } else if scan.eat(" after ") {
        Position::After(beside(scan)?, None)
    } else if scan.eat(" before ") {
        Position::Before(beside(scan)?)
    } else if scan.eat(" between ") {
        let before = beside(scan)?;
        scan.expect(" and ")?;
        Position::After(before, Some(beside(scan)?))
    } else {
        Position::End
    })
}

fn beside(scan: &mut Scan<'_>) -> Option<Sibling> {
    let reference = scan.reference()?;
    let name = scan.quoted_after(" ")?.unwrap_or_default();
    let begins = !name.is_empty() && scan.eat("…");
    Some(Sibling { reference, name, begins })
}

fn locators(scan: &mut Scan<'_>) -> Option<Vec<Locator>> {
    let mut locators = vec![locator(scan)?];
    while scan.eat(", ") {
        let role = locators.last().map(|before| before.role.clone());
        locators.push(locator_after(role.as_deref(), scan)?);
    }
    Some(locators)
}

/// Reads a change that stands on its line alone.
fn line_entry(scan: &mut Scan<'_>) -> Option<Entry> {
    Some(if scan.eat("PAGE:") {
        Entry::Page(head(scan)?)
    } else if scan.eat("REMOVED: ") {
        Entry::Removed(locators(scan)?)
    } else if scan.eat("VOLATILE: ") {
        Entry::Volatile(locators(scan)?)
    } else if scan.eat("MOVED: ") {
        let at = locator(scan)?;
        let to = place(scan, " to ").filter(|to| *to != Position::End)?;
        Entry::Moved { at, to, parent: scan.after(" in ", locator)? }
    } else if scan.eat("ORDER in ") {
        let (at, gone) = (locator(scan)?, gone(scan)?);
        scan.expect(":")?;
        Entry::Order { at, is_new: true, gone, kept: kept(scan)? }
    } else if scan.eat("REMOVED in ") {
        let at = locator(scan)?;
        scan.expect(": ")?;
        let gone = went(scan, "; left:")?;
        Entry::Order { at, is_new: false, gone, kept: kept(scan)? }
    } else if scan.eat("ELIDED: ") {
        Entry::Elided(mark(scan)?)
    } else if scan.eat("FOCUS: none") {
        Entry::Focus(None)
    } else if scan.eat("FOCUS: ") {
        Entry::Focus(Some(locator(scan)?))
    } else {
        scan.expect("UNCHANGED: ")?;
        let words = scan.rest();
        scan.eat(words);
        Entry::Unchanged(words.to_owned())
    })
}

/// Reads what went.
fn gone(scan: &mut Scan<'_>) -> Option<Vec<Gone>> {
    if scan.eat(" (− ") { went(scan, ")") } else { Some(Vec::new()) }
}

fn went(scan: &mut Scan<'_>, end: &str) -> Option<Vec<Gone>> {
    let mut gone = Vec::new();
    loop {
        gone.push(match scan.number() {
            Some(count) if scan.eat(" × ") => Gone::Many { count, role: scan.word()?.to_owned() },
            Some(_) => return None,
            None => {
                let role = gone.last().and_then(Gone::role).map(str::to_owned);
                Gone::Named(locator_after(role.as_deref(), scan)?)
            }
        });
        if scan.eat(end) {
            return Some(gone);
        }
        scan.expect(", ")?;
    }
}

fn kept(scan: &mut Scan<'_>) -> Option<Vec<ChildRun>> {
    let mut kept = Vec::new();
    while scan.eat(" ") {
        kept.push(ChildRun { from: child(scan)?, to: scan.after("-", child)? });
    }
    Some(kept)
}

fn child(scan: &mut Scan<'_>) -> Option<Child> {
    if scan.rest().starts_with('@') {
        return scan.reference().map(Child::With);
    }
    scan.number().map(Child::At)
}

fn changed(scan: &mut Scan<'_>) -> Option<Entry> {
    let at = locator(scan)?;
    let (mut name, mut value) = (None, None);
    let (mut on, mut off) = (StateSet::NONE, StateSet::NONE);
    while !scan.at_end() {
        if scan.eat(" → value: ") {
            value = Some(ValueChange { old: String::new(), of: ValuePart::Whole, new: scan.quoted()? });
        } else if scan.eat(" → ") {
            let new = scan.quoted()?;
            name = Some((new, cut(scan)?));
        } else if scan.eat(" value: ") {
            let is_part = scan.eat("…");
            let (old, is_cut) = (scan.quoted()?, scan.eat("…"));
            scan.expect(" → ")?;
            let of = match (is_part, is_cut) {
                (true, true) => ValuePart::Replaced,
                (true, false) => return None,
                (false, true) => ValuePart::Beginning,
                (false, false) => ValuePart::Whole,
            };
            value = Some(ValueChange { old, of, new: scan.quoted()? });
        } else if scan.eat(" +") {
            on = on.with(StateSet::from_word(scan.word()?)?);
        } else if scan.eat(" -") {
            off = off.with(StateSet::from_word(scan.word()?)?);
        } else {
            return None;
        }
    }
    Some(Entry::Changed { at, name, value, on, off })
}
