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
use super::{Child, ChildRun, Entry, EventNote, Gone, Head, ImageNote, Locator, Observed, Owner, Position, Sibling};
use crate::tree::{PAGE, StateSet, Tree};

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
    let first = lines.peek().unwrap_or("");
    let mut scan = Scan::new(first);
    if let Some(mark) = mark(&mut scan) {
        let lone = scan.at_end() && lines.lines.len() == 1 && mark.count.is_none();
        return if lone {
            Ok(Observed::Nothing(mark.handle))
        } else {
            Err(lines.error(&scan, "a header, or a mark alone"))
        };
    }
    if scan.eat("[FULL PAGE STATE") {
        let mut numbered = scan.clone();
        let step = if numbered.eat(" ") { numbered.number() } else { None };
        if step.is_some() {
            scan = numbered;
        }
        let reason = if scan.eat(" — ") {
            Some(scan.bare(&[']']).ok_or_else(|| lines.error(&scan, "a reason"))?)
        } else {
            None
        };
        if !scan.eat("]") {
            return Err(lines.error(&scan, "\"]\""));
        }
        let head =
            if scan.at_end() { None } else { Some(head(&mut scan).ok_or_else(|| lines.error(&scan, "title | url"))?) };
        lines.at = 1;
        let events = events(lines)?;
        let images = images(lines)?;
        let tree = items(lines, 0)?;
        return match lines.peek() {
            None => Ok(Observed::Full { step, reason, head, events, images, tree }),
            Some(line) => Err(lines.error(&Scan::new(line), "an item line")),
        };
    }
    if scan.eat("[DELTA ") {
        let (steps, changes, hidden) =
            delta_header(&mut scan).ok_or_else(|| lines.error(&scan, "the header of a delta"))?;
        lines.at = 1;
        let events = events(lines)?;
        let images = images(lines)?;
        let entries = entries(lines)?;
        let changes = changes.unwrap_or_else(|| Entry::count(&entries));
        return Ok(Observed::Delta { steps, changes, hidden, events, images, entries });
    }
    if scan.eat("[ANSWER ") {
        let request = scan.bare(&[']']).ok_or_else(|| lines.error(&scan, "a request"))?;
        if !scan.eat("]") || !scan.at_end() {
            return Err(lines.error(&scan, "\"]\" and the end of the line"));
        }
        lines.at = 1;
        let images = images(lines)?;
        let entries = entries(lines)?;
        return Ok(Observed::Answer { request, images, entries });
    }
    Err(lines.error(&scan, "[FULL PAGE STATE], [DELTA …], [ANSWER …] or a mark"))
}

/// Steps, changes where they are counted, and hidden changes.
type DeltaHeader = (Option<(u32, u32)>, Option<u32>, u32);

fn delta_header(scan: &mut Scan<'_>) -> Option<DeltaHeader> {
    let steps = if scan.eat("— ") {
        None
    } else {
        let from = scan.number()?;
        if !scan.eat("→") {
            return None;
        }
        let to = scan.number()?;
        scan.eat(&format!(", from the page of step {from}"));
        Some((from, to))
    };
    let counted = steps.is_none() || scan.eat(": ");
    let changes = if counted {
        let changes = scan.number()?;
        if !scan.eat(" changes") && !scan.eat(" change") {
            return None;
        }
        Some(changes)
    } else {
        None
    };
    if steps.is_none() && !scan.eat(" from previous state") {
        return None;
    }
    let hidden = if scan.eat(", ") {
        let hidden = scan.number()?;
        if !scan.eat(" volatile hidden") {
            return None;
        }
        hidden
    } else {
        0
    };
    if !scan.eat("]") {
        return None;
    }
    // What a server adds where an action led to nothing.
    scan.eat(" nothing changed");
    scan.at_end().then_some((steps, changes, hidden))
}

fn head(scan: &mut Scan<'_>) -> Option<Head> {
    if !scan.eat(" ") {
        return None;
    }
    let title = scan.bare(&['|', '…'])?;
    let title = title.trim_end_matches(' ').to_owned();
    let url = if scan.eat("|") {
        if !scan.eat(" ") {
            return None;
        }
        scan.bare(&['|', '…'])?
    } else {
        String::new()
    };
    let cut = scan.eat("…");
    scan.at_end().then_some(Head { title, url, cut })
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
    while let Some(line) = lines.peek() {
        let mut scan = Scan::new(line);
        if !scan.eat("[IMAGE ") {
            break;
        }
        let note = image(&mut scan).ok_or_else(|| lines.error(&scan, "an image note"))?;
        notes.push(note);
        lines.at += 1;
    }
    Ok(notes)
}

fn image(scan: &mut Scan<'_>) -> Option<ImageNote> {
    let number = scan.number()?;
    if !scan.eat(": ") {
        return None;
    }
    let changed = scan.eat("changed part of ");
    let role = scan.word()?.to_owned();
    let name = if scan.rest().starts_with(" \"") {
        scan.eat(" ");
        scan.quoted()?
    } else {
        String::new()
    };
    if !scan.eat(" at ") {
        return None;
    }
    let mut bounds = [0; 4];
    for (index, separator) in [(0, ","), (1, " "), (2, "×"), (3, "]")] {
        bounds[index] = scan.signed()?;
        if !scan.eat(separator) {
            return None;
        }
    }
    scan.at_end().then_some(ImageNote { number, changed, role, name, bounds })
}

fn locator(scan: &mut Scan<'_>) -> Option<Locator> {
    locator_after(None, scan)
}

/// Reads a locator; one without a role has that of the one before.
fn locator_after(role: Option<&str>, scan: &mut Scan<'_>) -> Option<Locator> {
    let mut locator = Locator::default();
    if let Some(handle) = scan.handle() {
        locator.handle = Some(handle);
        return Some(locator);
    }
    if let Some(reference) = scan.reference() {
        locator.reference = Some(reference);
        return Some(locator);
    }
    let repeats = role.filter(|role| !role.is_empty() && scan.rest().starts_with('"'));
    locator.role = match repeats {
        Some(role) => role.to_owned(),
        None => scan.word()?.to_owned(),
    };
    if locator.role == PAGE {
        return Some(locator);
    }
    if repeats.is_some() || scan.rest().starts_with(" \"") {
        scan.eat(" ");
        locator.name = scan.quoted()?;
        locator.begins = scan.eat("…");
    }
    let mut ahead = scan.clone();
    if ahead.eat(" ")
        && let Some(reference) = ahead.reference()
    {
        locator.reference = Some(reference);
        *scan = ahead;
    }
    if scan.rest().starts_with(" holding \"") {
        scan.eat(" holding ");
        locator.holds = scan.quoted()?;
    }
    let mut ahead = scan.clone();
    if ahead.eat(" #") {
        locator.number = Some(ahead.number()?);
        *scan = ahead;
    }
    locator.owner = owner(scan)?;
    Some(locator)
}

/// Reads whose an item is.
fn owner(scan: &mut Scan<'_>) -> Option<Option<Owner>> {
    let mut owner = Owner::default();
    if scan.rest().starts_with(" in \"") {
        scan.eat(" in ");
        owner.column = scan.quoted()?;
    }
    if !scan.eat(" of ") {
        return owner.column.is_empty().then_some(None);
    }
    owner.reference = scan.reference();
    if owner.reference.is_some() && !scan.eat(" ") {
        return None;
    }
    owner.name = scan.quoted()?;
    owner.begins = scan.eat("…");
    Some(Some(owner))
}

fn entries(lines: &mut Lines<'_>) -> Result<Vec<Entry>, GrammarError> {
    let mut entries = Vec::new();
    while let Some(line) = lines.peek() {
        let mut scan = Scan::new(line);
        let read = if matches!(entries.last(), Some(Entry::Changed { .. })) && scan.eat("- ") {
            let read = locator(&mut scan).and_then(|at| changed(&mut scan, at));
            lines.at += usize::from(read.is_some());
            read
        } else {
            entry(lines, &mut scan)?
        };
        entries.push(read.ok_or_else(|| lines.error(&scan, "a change"))?);
    }
    Ok(entries)
}

/// Reads one change and the item lines that belong to it.
fn entry(lines: &mut Lines<'_>, scan: &mut Scan<'_>) -> Result<Option<Entry>, GrammarError> {
    let with_items = |entry: Entry, scan: &mut Scan<'_>, lines: &mut Lines<'_>| {
        let read = if scan.at_end() {
            lines.at += 1;
            items(lines, 1)?
        } else {
            group_alone(lines, scan)?
        };
        Ok(Some(match entry {
            Entry::Added { parent, at, .. } => Entry::Added { parent, at, items: read },
            Entry::Now { at, gone, .. } => Entry::Now { at, gone, items: read },
            Entry::Expanded { handle, .. } => Entry::Expanded { handle, items: read },
            other => other,
        }))
    };
    if scan.eat("ADDED in ") {
        let Some(parent) = locator(scan) else { return Ok(None) };
        let Some(at) = place(scan, " at ") else { return Ok(None) };
        if !scan.eat(":") {
            return Ok(None);
        }
        return with_items(Entry::Added { parent, at, items: Tree::default() }, scan, lines);
    }
    if scan.eat("NOW in ") {
        let Some(at) = locator(scan) else { return Ok(None) };
        let Some(gone) = gone(scan) else { return Ok(None) };
        if !scan.eat(":") {
            return Ok(None);
        }
        return with_items(Entry::Now { at, gone, items: Tree::default() }, scan, lines);
    }
    if scan.eat("EXPANDED ") {
        let Some(handle) = scan.handle() else { return Ok(None) };
        if !scan.eat(":") {
            return Ok(None);
        }
        if scan.at_end() {
            return with_items(Entry::Expanded { handle, items: Tree::default() }, scan, lines);
        }
        let name = if scan.eat(" ") { scan.quoted() } else { None };
        let (Some(name), true) = (name, scan.at_end()) else { return Ok(None) };
        lines.at += 1;
        return Ok(Some(Entry::Uncut { handle, name }));
    }
    let read = line_entry(scan);
    if read.is_some() {
        if !scan.at_end() {
            return Ok(None);
        }
        lines.at += 1;
    }
    Ok(read)
}

/// Reads where something stands; `at` is the word before a position.
fn place(scan: &mut Scan<'_>, at: &str) -> Option<Position> {
    if scan.eat(at) {
        return scan.number().map(Position::At);
    }
    if scan.eat(" after ") {
        return beside(scan).map(|before| Position::After(before, None));
    }
    if scan.eat(" before ") {
        return beside(scan).map(Position::Before);
    }
    if !scan.eat(" between ") {
        return Some(Position::End);
    }
    let before = beside(scan)?;
    let after = if scan.eat(" and ") { beside(scan)? } else { return None };
    Some(Position::After(before, Some(after)))
}

fn beside(scan: &mut Scan<'_>) -> Option<Sibling> {
    let mut beside = Sibling { reference: scan.reference()?, name: String::new(), begins: false };
    if scan.rest().starts_with(" \"") {
        scan.eat(" ");
        beside.name = scan.quoted()?;
        beside.begins = !beside.name.is_empty() && scan.eat("…");
    }
    Some(beside)
}

fn locators(scan: &mut Scan<'_>) -> Option<Vec<Locator>> {
    let mut locators = vec![locator(scan)?];
    while scan.eat(", ") {
        let role = locators.last().map(|before| before.role.clone());
        locators.push(locator_after(role.as_deref(), scan)?);
    }
    Some(locators)
}

fn line_entry(scan: &mut Scan<'_>) -> Option<Entry> {
    if scan.eat("PAGE:") {
        return head(scan).map(Entry::Page);
    }
    if scan.eat("CHANGED: ") {
        let at = locator(scan)?;
        return changed(scan, at);
    }
    if scan.eat("REMOVED: ") {
        return locators(scan).map(Entry::Removed);
    }
    if scan.eat("MOVED: ") {
        let at = locator(scan)?;
        let to = place(scan, " to ").filter(|to| *to != Position::End)?;
        let parent = if scan.eat(" in ") { Some(locator(scan)?) } else { None };
        return Some(Entry::Moved { at, to, parent });
    }
    if scan.eat("ORDER in ") {
        let at = locator(scan)?;
        let gone = gone(scan)?;
        if !scan.eat(":") {
            return None;
        }
        let mut kept = Vec::new();
        while scan.eat(" ") {
            let from = child(scan)?;
            let to = if scan.eat("-") { Some(child(scan)?) } else { None };
            kept.push(ChildRun { from, to });
        }
        return Some(Entry::Order { at, gone, kept });
    }
    if scan.eat("ELIDED: ") {
        return mark(scan).map(Entry::Elided);
    }
    if scan.eat("FOCUS: none") {
        return Some(Entry::Focus(None));
    }
    if scan.eat("FOCUS: ") {
        return locator(scan).map(|at| Entry::Focus(Some(at)));
    }
    if scan.eat("VOLATILE: ") {
        return locators(scan).map(Entry::Volatile);
    }
    if scan.eat("UNCHANGED: ") {
        let words = scan.rest().to_owned();
        scan.eat(&words);
        return Some(Entry::Unchanged(words));
    }
    None
}

/// Reads what went.
fn gone(scan: &mut Scan<'_>) -> Option<Vec<Gone>> {
    let mut gone = Vec::new();
    if !scan.eat(" (− ") {
        return Some(gone);
    }
    loop {
        gone.push(match scan.number() {
            Some(count) if scan.eat(" × ") => Gone::Many { count, role: scan.word()?.to_owned() },
            Some(_) => return None,
            None => {
                let role = gone.last().and_then(Gone::role).map(str::to_owned);
                Gone::Named(locator_after(role.as_deref(), scan)?)
            }
        });
        if scan.eat(")") {
            return Some(gone);
        }
        if !scan.eat(", ") {
            return None;
        }
    }
}

fn child(scan: &mut Scan<'_>) -> Option<Child> {
    if scan.rest().starts_with('@') {
        return scan.reference().map(Child::With);
    }
    scan.number().map(Child::At)
}

fn changed(scan: &mut Scan<'_>, at: Locator) -> Option<Entry> {
    let (mut name, mut value) = (None, None);
    let (mut on, mut off) = (StateSet::NONE, StateSet::NONE);
    while !scan.at_end() {
        if scan.eat(" → value: ") {
            value = Some((String::new(), false, scan.quoted()?));
        } else if scan.eat(" → ") {
            let new = scan.quoted()?;
            name = Some((new, cut(scan)?));
        } else if scan.eat(" value: ") {
            let old = scan.quoted()?;
            let begins = scan.eat("…");
            if !scan.eat(" → ") {
                return None;
            }
            value = Some((old, begins, scan.quoted()?));
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
