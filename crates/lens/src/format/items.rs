//! Reads items: what an observation shows, one by one, as rows of a pattern, or as leaves on a
//! line.
//!
//! In: lines of a text. Out: a tree of what they say. Invariants: iterative; the deepest nesting
//! costs no stack.

use super::fold;
use super::lines::{GrammarError, Lines};
use super::scan::Scan;
use crate::tree::{Cut, Elided, Item, Mark, ROOT, StateSet, TEXT, Tree};
use std::sync::Arc;

/// Reads an elided mark.
pub(super) fn mark(scan: &mut Scan<'_>) -> Option<Mark> {
    scan.attempt(|scan| {
        scan.expect("…")?;
        let counted = scan.attempt(|scan| scan.expect(" ").and_then(|()| scan.number_before(" ")));
        let what = match counted {
            Some(_) => elided(scan)?,
            None => Elided::Items,
        };
        let handle = scan.attempt(|scan| scan.expect(" ").and_then(|()| scan.handle()));
        Some(Mark { handle, count: counted, what })
    })
}

/// Reads what a count counts.
fn elided(scan: &mut Scan<'_>) -> Option<Elided> {
    let says = |what: &Elided| scan.eat(what.name()) || scan.eat(what.name().trim_end_matches('s'));
    let what = Elided::ALL.into_iter().find(says)?;
    (what != Elided::Items || scan.eat(" items") || scan.eat(" item")).then_some(what)
}

pub(super) fn cut(scan: &mut Scan<'_>) -> Option<Option<Cut>> {
    scan.after("… +", |scan| {
        let chars = scan.number_before(" chars ")?;
        Some(Cut { handle: scan.handle()?, chars })
    })
}

/// Reads one item: a mark, a run of text, or a node.
pub(super) fn item(scan: &mut Scan<'_>) -> Option<Item> {
    if let Some(mark) = mark(scan) {
        return Some(Item::elided(mark));
    }
    let mut item = if scan.rest().starts_with('"') {
        Item::new(TEXT, scan.quoted()?)
    } else {
        let role = scan.word()?;
        match scan.quoted_after(" ~")? {
            Some(name) => Item { states: StateSet::DERIVED, ..Item::new(role, name) },
            None => Item::new(role, scan.quoted_after(" ")?.unwrap_or_default()),
        }
    };
    item.cut = cut(scan)?;
    loop {
        let mut ahead = scan.clone();
        // Text that follows an item without a comma is a sibling.
        if !ahead.eat(" ") || ahead.rest().starts_with('"') {
            return Some(item);
        }
        if let Some(reference) = ahead.reference() {
            item.reference = Some(reference);
        } else {
            match ahead.word()? {
                "value" if ahead.eat(": ") => item.value = ahead.quoted()?.into(),
                "volatile" => item.volatile = true,
                // The column of a day helps the reader and decides nothing.
                "in" if ahead.eat(" ") => drop(ahead.quoted()?),
                word => item.states = item.states.with(StateSet::from_word(word)?),
            }
        }
        *scan = ahead;
    }
}

/// Returns the nesting of an item line and the cursor behind its dash; none if it is no item line.
fn nesting(line: &str) -> Option<(usize, Scan<'_>)> {
    let mut scan = Scan::new(line);
    let mut depth = 0;
    if scan.eat("(") {
        depth = scan.number()? as usize;
        scan.expect(") ")?;
    } else {
        while scan.eat("  ") {
            depth += 1;
        }
    }
    scan.eat("- ").then_some((depth, scan))
}

/// Reads item lines from `base` nesting on into a tree, up to the first line that is none or is
/// nested less.
pub(super) fn items(lines: &mut Lines<'_>, base: usize) -> Result<Tree, GrammarError> {
    let mut tree = Tree::default();
    // The container that items of each nesting belong to.
    let mut parents = vec![ROOT];
    while let Some(line) = lines.peek() {
        let Some((depth, mut scan)) = nesting(line) else { break };
        let Some(level) = depth.checked_sub(base) else { break };
        if level >= parents.len() {
            return Err(lines.error(&scan, "a line that is nested one level deeper at most"));
        }
        parents.truncate(level + 1);
        let mut parent = parents[level];
        loop {
            if let Some(count) = repeats(&mut scan) {
                group(lines, &mut scan, count, &mut tree, parent)?;
                break;
            }
            let read = item(&mut scan).ok_or_else(|| lines.error(&scan, "an item"))?;
            let id = tree.push(parent, read);
            if scan.eat(":") {
                parent = id;
                if scan.at_end() {
                    break;
                }
                scan.expect(" ").ok_or_else(|| lines.error(&scan, "a blank"))?;
                continue;
            }
            // From here on a run of leaves.
            while !scan.at_end() {
                if !scan.eat(", ") && !scan.eat(" ") {
                    return Err(lines.error(&scan, "a comma"));
                }
                let read = item(&mut scan).ok_or_else(|| lines.error(&scan, "an item"))?;
                tree.push(parent, read);
            }
            break;
        }
        if parent != parents[level] {
            parents.push(parent);
        }
        lines.at += 1;
    }
    Ok(tree)
}

/// Reads a group that stands behind a change on its line, and goes on behind it.
pub(super) fn group_alone(lines: &mut Lines<'_>, scan: &mut Scan<'_>) -> Result<Tree, GrammarError> {
    let mut tree = Tree::default();
    let count = if scan.eat(" ") { repeats(scan) } else { None };
    let count = count.ok_or_else(|| lines.error(scan, "the end of the line, or a group"))?;
    group(lines, scan, count, &mut tree, ROOT)?;
    lines.at += 1;
    Ok(tree)
}

/// Reads how often the pattern that follows repeats.
fn repeats(scan: &mut Scan<'_>) -> Option<u32> {
    scan.attempt(|scan| scan.number_before(" × "))
}

/// Reads a group behind its count: leaves on the line itself, or a pattern and the rows on the
/// lines that follow.
fn group(
    lines: &mut Lines<'_>,
    scan: &mut Scan<'_>,
    count: u32,
    tree: &mut Tree,
    parent: u32,
) -> Result<(), GrammarError> {
    if let Some((role, usual, numbered)) = scan.attempt(leaves_header) {
        let leaves = fold::read_leaves(scan.rest(), role, usual, numbered);
        let leaves = leaves.filter(|leaves| leaves.len() == count as usize);
        for leaf in leaves.ok_or_else(|| lines.error(scan, "as many entries as are counted"))? {
            tree.push(parent, leaf);
        }
        scan.eat(scan.rest());
        return Ok(());
    }
    let pattern = if scan.eat("like ") {
        let like = scan.reference().filter(|like| like.part == 0);
        let pattern = like.and_then(|like| lines.told.named(like.number)).cloned();
        pattern.ok_or_else(|| lines.error(scan, "a row of a pattern that was told"))?
    } else {
        Arc::new(fold::read_pattern(scan).ok_or_else(|| lines.error(scan, "a pattern"))?)
    };
    if !scan.eat(":") || !scan.at_end() {
        return Err(lines.error(scan, "a colon and the end of the line"));
    }
    let from = lines.at + 1;
    let read = lines.lines.get(from..from.saturating_add(count as usize));
    let read = read.ok_or_else(|| lines.error(scan, "as many rows as are counted"))?;
    let mut rows = Vec::with_capacity(read.len());
    for (line, row) in (from + 1..).zip(read) {
        let row = fold::read_row(row, &pattern);
        rows.push(row.ok_or(GrammarError { line, column: 1, expected: "a row" })?);
    }
    for row in &rows {
        pattern.expand(row, tree, parent).ok_or_else(|| lines.error(scan, "rows that fit their pattern"))?;
    }
    if let Some(number) = rows.first().and_then(|row| row.number) {
        lines.tells.add(number, pattern);
    }
    // The caller goes on behind the last line.
    lines.at += count as usize;
    Ok(())
}

/// Reads role and states of leaves that follow on the same line, and whether each begins with the
/// number of its ref.
fn leaves_header<'t>(scan: &mut Scan<'t>) -> Option<(&'t str, (StateSet, bool), bool)> {
    let role = scan.word()?;
    let (mut states, mut volatile, mut numbered) = (StateSet::NONE, false, false);
    while scan.eat(" ") {
        numbered = scan.eat("@");
        if numbered {
            break;
        }
        match scan.word()? {
            "volatile" => volatile = true,
            word => states = states.with(StateSet::from_word(word)?),
        }
    }
    (scan.eat(":") && scan.rest().starts_with(' ')).then_some((role, (states, volatile), numbered))
}
