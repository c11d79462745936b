//! Fidelity as text: `reports/fidelity.md` and a table for the terminal.
//!
//! In: a [`Fidelity`]. Out: Markdown, the same for the same input byte for byte: no date, no
//! machine. Invariants: lines of pages stand in code spans that they cannot end, in one line, cut;
//! a number prints as whole only if it is.

use crate::numbers::{NONE, thousands};
use crate::text_table::{Tabled, TextTable, escape_markdown};
use browserlens_core::page::text::is_unseen;
use browserlens_replay::fidelity::{Cause, Difference, ENCODING, Fidelity, PeerFidelity, Sizes, bars};
use std::cmp::Ordering;
use std::fmt::Write as _;

/// Most examples that are shown of a cause.
const MOST_EXAMPLES: usize = 5;
/// Most characters that are shown of a line.
const MOST_CHARS: usize = 120;
/// Characters that are shown before the first difference where a line is cut at its beginning.
const BEFORE: usize = 40;

/// Writes the fidelity of all re-implementations as Markdown.
pub fn fidelity_markdown(fidelity: &Fidelity) -> String {
    let mut out = format!(
        "# Fidelity\n\n\
         Our re-implementations of other tools against what those tools really said about the same pages, as recorded \
         beside the \
         traces. Written by `browserlens lab fidelity`; a test compares this file with what it writes today.\n\n\
         Token ratio: our tokens over the recorded ones ({}), texts as they stand. Equal lines: longest common \
         subsequence over the longer \
         text, summed over steps, after refs and ids became `*`. The bars, over all traces: tokens within {} %, at \
         least {} % of the lines \
         equal; the aim is {} %.\n\n## Per tool\n\n",
        ENCODING.name(),
        bars::TOKENS_OFF_PERCENT,
        bars::EQUAL_LINES_PERCENT,
        bars::EQUAL_LINES_AIM_PERCENT,
    );
    out.push_str(&overview(fidelity).markdown());
    for peer in &fidelity.peers {
        for (trace, step, why) in failures(peer) {
            let [name, trace, why] = [peer.name.as_str(), trace, &cut(why, 0)].map(escape_markdown);
            let _ = writeln!(out, "\n{name} failed at {trace} step {step}: {why}");
        }
    }
    out.push_str("\n## Per scenario\n\nToken ratio and equal lines in percent.\n\n");
    out.push_str(&by_scenario(fidelity).markdown());
    out.push_str(
        "\n## What differs\n\nA difference is a pair of lines, or a line that nothing stands for. Tabs show as `⇥`, \
            other characters without a face as escapes.\n",
    );
    fidelity.peers.iter().for_each(|peer| differences(&mut out, peer));
    coverage(&mut out, fidelity);
    out
}

/// Reads a table back from what [`fidelity_markdown`] wrote: the first below a heading; none if
/// there is none.
pub(crate) fn table_of_markdown(markdown: &str, heading: &str) -> Option<TextTable> {
    let below =
        markdown.lines().skip_while(|line| *line != heading).skip(1).take_while(|line| !line.starts_with("## "));
    let mut lines = below.skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let mut table = TextTable::new(cells_of(lines.next()?));
    lines.skip(1).for_each(|line| table.row(cells_of(line)));
    Some(table)
}

/// Returns the cells of a row as text: a backslash stands before what Markdown would take for its
/// own.
fn cells_of(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut chars = line.trim().trim_matches('|').chars();
    while let Some(c) = chars.next() {
        match (c, cells.last_mut()) {
            ('|', _) => cells.push(String::new()),
            ('\\', Some(cell)) => cell.extend(chars.next()),
            (c, Some(cell)) => cell.push(c),
            (_, None) => {}
        }
    }
    cells.into_iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Writes the table of all re-implementations for a terminal.
///
/// Without the worst steps, so that it fits 100 columns.
pub fn fidelity_terminal_table(fidelity: &Fidelity) -> String {
    let table = fidelity.peers.iter().table([
        ("tool", &|peer| peer.name.clone()),
        ("traces", &|peer| peer.traces.len().to_string()),
        ("steps", &|peer| thousands(steps_of(peer))),
        ("tokens", &|peer| sums(peer).0),
        ("lines %", &|peer| sums(peer).1),
        ("verdict", &|peer| verdict(peer).to_owned()),
    ]);
    table.terminal()
}

fn steps_of(peer: &PeerFidelity) -> u64 {
    peer.traces.iter().map(|trace| trace.steps.len() as u64).sum()
}

/// The token ratio and the share of equal lines over all traces.
fn sums(peer: &PeerFidelity) -> (String, String) {
    if peer.traces.iter().all(|trace| trace.compared().next().is_none()) {
        return (NONE.to_owned(), NONE.to_owned());
    }
    let sizes = peer.sizes();
    (token_ratio(&sizes), equal_percent(&sizes))
}

fn overview(fidelity: &Fidelity) -> TextTable {
    let worst = |peer: &PeerFidelity, of: fn(&Sizes) -> String, order: fn(&Sizes, &Sizes) -> Ordering| {
        worst_step(peer, order)
            .map_or_else(|| NONE.to_owned(), |(trace, step, sizes)| format!("{} ({trace} {step})", of(&sizes)))
    };
    fidelity.peers.iter().table([
        ("tool", &|peer| peer.name.clone()),
        ("traces", &|peer| peer.traces.len().to_string()),
        ("steps", &|peer| thousands(steps_of(peer))),
        ("token ratio", &|peer| sums(peer).0),
        ("worst step", &|peer| worst(peer, token_ratio, tokens_order)),
        ("equal lines %", &|peer| sums(peer).1),
        // The blank tells the two columns apart in the source; Markdown drops it.
        ("worst step ", &|peer| worst(peer, equal_percent, lines_order)),
        ("verdict", &|peer| verdict(peer).to_owned()),
    ])
}

fn verdict(peer: &PeerFidelity) -> &'static str {
    let sizes = peer.sizes();
    if peer.traces.iter().all(|trace| trace.steps.is_empty()) {
        "nothing recorded"
    } else if failures(peer).next().is_some() {
        "fails at a step"
    } else if !sizes.tokens_pass() {
        "misses the token bar"
    } else if !sizes.lines_reach(bars::EQUAL_LINES_PERCENT) {
        "misses the line bar"
    } else if !sizes.lines_reach(bars::EQUAL_LINES_AIM_PERCENT) {
        "passes, below the aim"
    } else {
        "passes"
    }
}

fn failures(peer: &PeerFidelity) -> impl Iterator<Item = (&str, u32, &str)> {
    peer.traces.iter().flat_map(|trace| trace.failed().map(|(step, why)| (trace.trace.as_str(), step, why)))
}

/// Returns the first step that no other is worse than.
fn worst_step(peer: &PeerFidelity, order: fn(&Sizes, &Sizes) -> Ordering) -> Option<(&str, u32, Sizes)> {
    let steps =
        peer.traces.iter().flat_map(|trace| trace.compared().map(|(step, sizes)| (trace.trace.as_str(), step, sizes)));
    steps.reduce(|worst, next| if order(&next.2, &worst.2) == Ordering::Greater { next } else { worst })
}

/// The further from one, up or down, the greater.
fn tokens_order(left: &Sizes, right: &Sizes) -> Ordering {
    let sides = |sizes: &Sizes| {
        let (a, b) = (u128::from(sizes.our_tokens), u128::from(sizes.recorded_tokens));
        (a.max(b), a.min(b))
    };
    let ((most, least), (other_most, other_least)) = (sides(left), sides(right));
    (most * other_least).cmp(&(other_most * least))
}

/// The fewer equal lines, the greater.
fn lines_order(left: &Sizes, right: &Sizes) -> Ordering {
    let product = |a: &Sizes, b: &Sizes| u128::from(a.equal_lines) * u128::from(b.longer_lines);
    product(right, left).cmp(&product(left, right))
}

/// Our tokens over the recorded ones, three decimals, `1.000` only if they are equal.
fn token_ratio(sizes: &Sizes) -> String {
    let (ours, recorded) = (sizes.our_tokens, sizes.recorded_tokens);
    if recorded == 0 {
        return if ours == 0 { "1.000×".to_owned() } else { NONE.to_owned() };
    }
    let rounded = (ours * 2_000 + recorded) / (2 * recorded);
    let thousandths = match ours.cmp(&recorded) {
        Ordering::Less => rounded.min(999),
        Ordering::Equal => 1_000,
        Ordering::Greater => rounded.max(1_001),
    };
    format!("{}.{:03}×", thousandths / 1_000, thousandths % 1_000)
}

/// Equal lines in percent, two decimals, rounded down.
fn equal_percent(sizes: &Sizes) -> String {
    let hundredths = (sizes.equal_lines * 10_000).checked_div(sizes.longer_lines).unwrap_or(10_000);
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

fn by_scenario(fidelity: &Fidelity) -> TextTable {
    let names = fidelity.peers.iter().map(|peer| peer.name.as_str());
    let mut table = TextTable::new(["scenario"].into_iter().chain(names));
    for coverage in &fidelity.traces {
        let mut cells = vec![coverage.trace.clone()];
        cells.extend(fidelity.peers.iter().map(|peer| {
            let found = peer.traces.iter().find(|trace| trace.trace == coverage.trace);
            found.filter(|trace| trace.compared().next().is_some()).map_or_else(
                || NONE.to_owned(),
                |trace| format!("{} {}", token_ratio(&trace.sizes()), equal_percent(&trace.sizes())),
            )
        }));
        table.row(cells);
    }
    table
}

fn differences(out: &mut String, peer: &PeerFidelity) {
    let _ = writeln!(out, "\n### {}\n", escape_markdown(&peer.name));
    if peer.differences.is_empty() {
        let any = peer.traces.iter().any(|trace| trace.compared().next().is_some());
        out.push_str(if any { "No line differs.\n" } else { "Nothing was compared.\n" });
        return;
    }
    let mut table = TextTable::new(["cause", "differences", "distinct"]);
    let counted = Cause::ALL.into_iter().map(|(cause, words)| (cause, words, peer.of_cause(cause)));
    let causes: Vec<_> = counted.filter(|(_, _, (count, _))| *count > 0).collect();
    for (_, words, (count, distinct)) in &causes {
        table.row(vec![(*words).to_owned(), thousands(*count), thousands(*distinct as u64)]);
    }
    out.push_str(&table.markdown());
    for (cause, words, (_, distinct)) in causes {
        let _ = writeln!(out, "\n{}:\n", sentence(words));
        let of_it = peer.differences.iter().filter(|difference| difference.cause == cause);
        of_it.take(MOST_EXAMPLES).for_each(|difference| example(out, difference));
        if distinct > MOST_EXAMPLES {
            let _ = writeln!(out, "- … and {} more", thousands((distinct - MOST_EXAMPLES) as u64));
        }
    }
}

fn sentence(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

fn example(out: &mut String, difference: &Difference) {
    let Difference { ours, recorded, count, trace, step, .. } = difference;
    let times = if *count == 1 { "once".to_owned() } else { format!("{} times", thousands(u64::from(*count))) };
    let place = if *count == 1 { "at" } else { "first at" };
    let _ = writeln!(out, "- {times}, {place} {} step {step}", escape_markdown(trace));
    // Equal lines (another place) are shown once; of long ones, the part that differs.
    let (left, right) = (ours.as_deref(), recorded.as_deref());
    if left == right {
        let _ = writeln!(out, "  - both: {}", code(left.unwrap_or_default(), 0));
        return;
    }
    let from = match (left, right) {
        (Some(left), Some(right)) => differs_at(left, right),
        _ => 0,
    };
    for (what, line) in [("ours", left), ("recorded", right)] {
        if let Some(line) = line {
            let _ = writeln!(out, "  - {what}: {}", code(line, from));
        }
    }
}

/// Returns how many characters two lines have in common before they differ.
fn differs_at(left: &str, right: &str) -> usize {
    left.chars().zip(right.chars()).take_while(|(left, right)| left == right).count()
}

/// Cuts a line to the characters around `from`.
fn cut(line: &str, from: usize) -> String {
    let length = line.chars().count();
    let skipped = if length > MOST_CHARS && from + BEFORE > MOST_CHARS { from.saturating_sub(BEFORE) } else { 0 };
    let mut shown: String = line.chars().skip(skipped).take(MOST_CHARS).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    if length > skipped + MOST_CHARS {
        shown.push('…');
    }
    shown
}

/// Writes a character so that it can be seen and moves nothing: control, format and odd blank
/// characters as escapes.
fn visible(c: char) -> String {
    match c {
        '\t' => "⇥".to_owned(),
        ' ' => " ".to_owned(),
        c if c.is_whitespace() || is_unseen(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    }
}

/// Writes a line of a page as a code span that it cannot end.
fn code(line: &str, from: usize) -> String {
    let shown: String = cut(line, from).chars().map(visible).collect();
    if shown.trim().is_empty() {
        return format!("{} blanks", shown.chars().count());
    }
    let (mut longest, mut run) = (0, 0);
    for c in shown.chars() {
        run = if c == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    let fence = "`".repeat(longest + 1);
    format!("{fence} {shown} {fence}")
}

fn coverage(out: &mut String, fidelity: &Fidelity) {
    out.push_str("\n## What was recorded\n\nSteps whose text was kept, of the steps of the scenario.\n\n");
    let mut table = TextTable::new(["scenario"].into_iter().chain(fidelity.outputs.iter().map(String::as_str)));
    let (mut notes, mut gaps) = (Vec::new(), Vec::new());
    for trace in &fidelity.traces {
        let mut cells = vec![trace.trace.clone()];
        let name = escape_markdown(&trace.trace);
        let Some(recorded) = &trace.recorded else {
            cells.extend(fidelity.outputs.iter().map(|_| NONE.to_owned()));
            table.row(cells);
            gaps.push(format!("{name}: no recording of peers belongs to this trace"));
            continue;
        };
        for output in &fidelity.outputs {
            let found = recorded.iter().find(|peer| peer.output == *output);
            cells.push(found.map_or_else(|| NONE.to_owned(), |peer| format!("{}/{}", peer.kept, trace.steps)));
            let output = escape_markdown(output);
            let told = found.map(|peer| peer.kept + peer.dropped.len() as u32);
            match told.map(|told| trace.steps.saturating_sub(told)) {
                None => gaps.push(format!("{name}: {output}")),
                Some(0) => {}
                Some(missing) => gaps.push(format!("{name}: {output}: {missing} of {} steps", trace.steps)),
            }
        }
        table.row(cells);
        for peer in recorded {
            for (step, why) in &peer.dropped {
                let (output, why) = (escape_markdown(&peer.output), escape_markdown(&cut(why, 0)));
                notes.push(format!("{name} step {step}, {output}: {why}"));
            }
        }
        // One pass gives several outputs; its failure is said once.
        let mut failed: Vec<(&str, &str)> = Vec::new();
        for peer in recorded {
            let tool = peer.output.split('/').next().unwrap_or_default();
            if let Some(why) = peer.failure.as_deref().filter(|_| !failed.iter().any(|(name, _)| *name == tool)) {
                failed.push((tool, why));
            }
        }
        for (tool, why) in failed {
            let (tool, why) = (escape_markdown(tool), escape_markdown(&cut(why, 0)));
            gaps.push(format!("{name}: {tool} did not reach the end: {why}"));
        }
    }
    out.push_str(&table.markdown());
    for (title, rows, none) in [
        ("Dropped rows, with the cause", notes, "No row was dropped."),
        ("Gaps", gaps, "Every output was recorded at every step of every scenario."),
    ] {
        let _ = writeln!(out, "\n### {title}\n");
        if rows.is_empty() {
            let _ = writeln!(out, "{none}");
        }
        for row in rows {
            let _ = writeln!(out, "- {row}");
        }
    }
}

#[cfg(test)]
mod tests;
