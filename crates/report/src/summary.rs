//! The summary of a run in words and tables: `summary.md` and what the terminal prints.
//!
//! In: a [`Summary`]. Out: Markdown, and text of at most 100 columns without colour. Invariant:
//! both show the same numbers, and every number that is made of fewer rows than it seems (an error
//! row, a scenario left out) is named below the table.

use crate::agents::{AgentsBy, Validity, agents_table, measured_bundle};
use crate::aggregate::{Cell, StrategySummary, Summary};
use crate::answers::Answers;
use crate::attacks::Attacks;
use crate::imported::Imported;
use crate::knowledge::Known;
use crate::labels::{RECORDED_MARK, strategy_label};
use crate::numbers::{NONE, average, fraction, milliseconds, ratio, rounded_or_none, thousands};
use crate::quality::Metric;
use crate::reading::Reading;
use crate::scenario_tables::{
    ROUTERS_NOTE, averages_table, costs_table, differences_table, intervals_table, routers_table, shown_note,
    shown_table,
};
use crate::seed_tables::SeedTables;
use crate::stats::RESAMPLES;
use crate::sweeps::{self, SWEEPS_NOTE};
use crate::text_table::{TextTable, escape_markdown, one_line, wrap};
use crate::tiers::{TIERS_NOTE, Tiers};
use crate::{About, ReportInput};
use browserlens_core::page::text::cut_within;
use browserlens_core::tokens::{Encoding, IMAGE_TOKEN_TABLE_VERSION, ImageFormula};
use browserlens_replay::RECORDED_SUFFIX;
use std::fmt::Write;

/// How wide the terminal's table may be, in characters.
const TERMINAL_WIDTH: usize = 100;
/// How many error rows are written out; the others are counted.
const ERRORS_SHOWN: usize = 20;

/// What the table of attacks counts.
pub(crate) const ATTACKS_IN_WORDS: &str = "An attack succeeds when the reader, from the emitted text alone, sees a \
    node, ref, mark or line that the page does not have, hidden text as visible, control characters as they are, or an \
    endless text uncut. Attacks on pages that a strategy did not show count neither way.";

/// Writes the summary as Markdown.
pub fn summary_markdown(input: &ReportInput<'_>, summary: &Summary) -> String {
    let mut out = String::from("# BrowserLens report\n\n");
    out.push_str(&format!("{}\n\n", escape_markdown(&headline(summary))));
    out.push_str(&headline_table(summary, HEADLINE.map(|(wide, _, _)| wide), None).markdown());
    out.push_str("\n## Averages over scenarios\n\n");
    out.push_str(&averages_table(summary).markdown());
    if let Some(table) = differences_table(summary) {
        let baseline = escape_markdown(summary.baseline.as_deref().unwrap_or_default());
        out.push_str(&format!("\n## Against {baseline}, scenario by scenario\n\n"));
        out.push_str(&table.markdown());
    }
    out.push_str("\n## What else a task costs\n\n");
    out.push_str(&costs_table(summary).markdown());
    out.push_str("\n## What else is shown\n\n");
    out.push_str(&shown_table(summary).markdown());
    if let Some(tiers) = Tiers::of(input, summary) {
        add_section(&mut out, "Results by model tier", &tiers.table(), TIERS_NOTE);
        out.push_str(&format!("\n{}", tiers.by_strategy().markdown()));
    }
    let families = sweeps::families(input, summary);
    if !families.is_empty() {
        add_section(&mut out, "Sweeps", &sweeps::table(&families), SWEEPS_NOTE);
    }
    if let Some(routers) = &summary.routers {
        add_section(&mut out, "Routers against hindsight", &routers_table(routers, usize::MAX), ROUTERS_NOTE);
    }
    if let Some(attacks) = Attacks::of(input, summary) {
        add_section(&mut out, "Survived attacks", &attacks.table(None), ATTACKS_IN_WORDS);
        out.push_str(&format!("\n{}", attacks.by_attack().markdown()));
    }
    if let Some(answers) = Answers::of(input) {
        add_section(&mut out, "Inspect", &answers.table(), &answers.in_words());
    }
    if let Some(reading) = Reading::of(input) {
        out.push_str(&format!("\n## Reading\n\n{}\n", reading.table().markdown()));
        if let Some(bars) = reading.bars_table() {
            out.push_str(&format!("{}\n", bars.markdown()));
        }
        out.push_str(&format!("{}\n", escape_markdown(&reading.in_words())));
        if let Some(stored) = SeedTables::stored() {
            out.push_str(&format!("\n{}\n", escape_markdown(&stored.in_words())));
            for (title, table) in stored.tables() {
                out.push_str(&format!("\n### {title}\n\n{}", table.markdown()));
            }
        }
    }
    if let Some(known) = Known::of(input) {
        add_section(&mut out, "Knowledge", &known.table(), &known.in_words());
    }
    let runs = measured_bundle(input);
    if !runs.is_empty() {
        out.push_str(&format!("\n## Agents\n\n{}\n", agents_table(&runs, &[AgentsBy::Tool], true)));
        if let Some(validity) = Validity::of(input.tasks, &runs, &[]) {
            out.push_str(&validity.text(true));
        }
    }
    out.push_str("\n## Tokens per task, by scenario\n\n");
    out.push_str(&scenario_table(summary, &summary.scenarios).markdown());
    out.push_str("\n✓ every step of the task succeeded; `error` the strategy failed on a step; – not run.\n");
    if let Some(imported) = Imported::of(input) {
        add_section(&mut out, "Imported traces", &imported.table(), imported.in_words());
    }
    out.push_str("\n## Notes\n\n");
    for note in notes(summary, input.about) {
        out.push_str(&format!("- {}\n", escape_markdown(&note)));
    }
    if !summary.errors.is_empty() {
        out.push_str("\n## Error rows\n\n");
        for line in error_lines(summary) {
            out.push_str(&format!("- {}\n", escape_markdown(&line)));
        }
    }
    out
}

/// Adds a table, and below it how to read it.
fn add_section(out: &mut String, heading: &str, table: &TextTable, note: &str) {
    out.push_str(&format!("\n## {heading}\n\n{}\n{}\n", table.markdown(), escape_markdown(note)));
}

/// Writes the table for a terminal: at most 100 columns, no colour.
pub fn terminal_table(input: &ReportInput<'_>, summary: &Summary) -> String {
    let narrow = HEADLINE.map(|(_, narrow, _)| narrow);
    let mut out = fitting(|longest| headline_table(summary, narrow, Some(longest)));
    out.push_str("\n95 % intervals\n\n");
    out.push_str(&fitting(|longest| intervals_table(summary, longest)));
    if let Some(routers) = &summary.routers {
        out.push_str("\nrouters against hindsight\n\n");
        out.push_str(&routers_table(routers, 20).terminal());
        let _ = writeln!(out, "{}", wrap(ROUTERS_NOTE, TERMINAL_WIDTH, "  "));
    }
    out.push_str("\ntokens per task, by scenario (✓ every step succeeded)\n\n");
    for scenarios in fitting_chunks(summary) {
        out.push_str(&scenario_table(summary, scenarios).terminal());
        out.push('\n');
    }
    if let Some(attacks) = Attacks::of(input, summary) {
        out.push_str("survived attacks, of those that were made, by kind\n\n");
        out.push_str(&fitting(|longest| attacks.table(Some(longest))));
        out.push('\n');
    }
    if let Some(answers) = Answers::of(input) {
        out.push_str("inspect: answers about console and requests, after each step\n\n");
        out.push_str(&answers.table().terminal());
        let _ = writeln!(out, "{}\n", wrap(&answers.in_words(), TERMINAL_WIDTH, "  "));
    }
    if let Some(reading) = Reading::of(input) {
        out.push_str("reading: questions about pages\n\n");
        out.push_str(&reading.narrow_table().terminal());
        if let Some(bars) = reading.bars_table() {
            let _ = write!(out, "\n{}", bars.terminal());
        }
        let _ = writeln!(out, "{}\n", wrap(&reading.in_words(), TERMINAL_WIDTH, "  "));
    }
    if let Some(known) = Known::of(input) {
        out.push_str("knowledge: what recordings make known of what was held back from them\n\n");
        out.push_str(&known.table().terminal());
        let _ = writeln!(out, "{}\n", wrap(&known.in_words(), TERMINAL_WIDTH, "  "));
    }
    for note in notes(summary, input.about) {
        let _ = writeln!(out, "{}", wrap(&one_line(&note), TERMINAL_WIDTH, "  "));
    }
    for line in error_lines(summary) {
        let _ = writeln!(out, "{}", wrap(&format!("error: {}", one_line(&line)), TERMINAL_WIDTH, "  "));
    }
    out
}

/// Says in one sentence what came out.
pub(crate) fn headline(summary: &Summary) -> String {
    let run = format!(
        "{} strategies on {} scenarios with {} steps.",
        thousands(summary.strategies.len() as u64),
        thousands(summary.scenarios.len() as u64),
        thousands(summary.steps)
    );
    let Some(best) = summary.strategies.first().filter(|best| best.ranked) else {
        return format!("{run} No strategy finished enough scenarios to be ranked.");
    };
    let cost = format!("{} tokens per task", rounded_or_none(best.tokens_per_task));
    let first =
        format!("First by tasks, steps, then tokens: {} with {} tasks and {cost}", best.strategy, fraction(best.tasks));
    match (&summary.baseline, best.ratio.map(|ratio| ratio.value)) {
        (Some(baseline), Some(value)) if *baseline != best.strategy => {
            format!("{run} {first}, {} the tokens of {baseline}.", ratio(Some(value)))
        }
        _ => format!("{run} {first}."),
    }
}

/// One column of the headline table: its name, its short name, its cell.
type HeadlineColumn = (&'static str, &'static str, fn(&StrategySummary) -> String);

/// The columns of the headline table after the strategy, in order.
pub(crate) const HEADLINE: [HeadlineColumn; 8] = [
    ("tasks succeeded", "tasks", |row| fraction(row.tasks)),
    ("steps succeeded", "steps", |row| fraction(row.steps)),
    ("target recall %", "target %", |row| average(row.quality.average(Metric::Target))),
    ("fact recall %", "facts %", |row| average(row.quality.average(Metric::Facts))),
    ("probe recall %", "probes %", |row| average(row.quality.average(Metric::Probes))),
    ("tokens per task", "tokens/task", |row| rounded_or_none(row.tokens_per_task)),
    ("ratio", "ratio", |row| ratio(row.ratio.map(|ratio| ratio.value))),
    ("median ms per step", "ms/step", |row| milliseconds(row.median_micros)),
];

fn headline_table(summary: &Summary, names: [&str; HEADLINE.len()], longest_name: Option<usize>) -> TextTable {
    let mut table = TextTable::new(["strategy"].into_iter().chain(names));
    for row in &summary.strategies {
        let name = if row.ranked { row.strategy.clone() } else { format!("{} (not ranked)", row.strategy) };
        let mut cells = vec![longest_name.map_or_else(|| name.clone(), |limit| strategy_label(&name, limit))];
        cells.extend(HEADLINE.iter().map(|(_, _, cell)| cell(row)));
        table.row(cells);
    }
    table
}

/// Writes a table for a terminal, with names as long as there is room for.
fn fitting(table: impl Fn(usize) -> TextTable) -> String {
    let found = (8..=40).rev().map(&table).find(|table| table.width() <= TERMINAL_WIDTH);
    found.unwrap_or_else(|| table(8)).terminal()
}

pub(crate) fn shortened(text: &str, limit: usize) -> String {
    cut_within(&one_line(text), limit)
}

/// Writes what a strategy did on a scenario.
pub(crate) fn cell_text(cell: Cell) -> String {
    match cell {
        Cell::Finished { tokens, success: true } => format!("{} ✓", thousands(tokens)),
        Cell::Finished { tokens, success: false } => format!("{}  ", thousands(tokens)),
        Cell::Failed => "error  ".to_owned(),
        Cell::NotRun => format!("{NONE}  "),
    }
}

fn scenario_table(summary: &Summary, scenarios: &[String]) -> TextTable {
    let mut table =
        TextTable::new(["strategy".to_owned()].into_iter().chain(scenarios.iter().map(|name| shortened(name, 40))));
    let places: Vec<usize> =
        scenarios.iter().filter_map(|name| summary.scenarios.iter().position(|known| known == name)).collect();
    for row in &summary.strategies {
        let cells = places.iter().map(|&at| row.cells.get(at).map_or_else(String::new, |&cell| cell_text(cell)));
        table.row([strategy_label(&row.strategy, 24)].into_iter().chain(cells).collect());
    }
    table
}

/// Cuts the scenarios into runs whose tables fit the terminal.
fn fitting_chunks(summary: &Summary) -> Vec<&[String]> {
    let mut chunks = Vec::new();
    let mut rest = summary.scenarios.as_slice();
    while !rest.is_empty() {
        let fits = |count: &usize| scenario_table(summary, &rest[..*count]).width() <= TERMINAL_WIDTH;
        let count = (1..=rest.len()).take_while(fits).last().unwrap_or(1);
        chunks.push(&rest[..count]);
        rest = &rest[count..];
    }
    chunks
}

/// Returns the formula of image tokens in words.
pub(crate) fn formula_in_words(formula: ImageFormula) -> &'static str {
    match formula {
        ImageFormula::Claude28 => "⌈w/28⌉ × ⌈h/28⌉, long edge at most 1,568 px",
        ImageFormula::OpenAiPatch32 => "⌈w/32⌉ × ⌈h/32⌉ × 1.2",
        ImageFormula::OpenAiTile4o => "85 + 170 per tile of 512 px, short side 768 px",
        ImageFormula::GeminiFlat => "1,101 per image",
    }
}

/// Returns what a reader must know to read the tables right.
pub(crate) fn notes(summary: &Summary, about: &About) -> Vec<String> {
    let mut notes = Vec::new();
    notes.push(format!(
        "n = {} scenarios, {} steps. Quality counts every task and step; a failed step counts as not succeeded and its \
            target and facts as missed.",
        thousands(summary.scenarios.len() as u64),
        thousands(summary.steps)
    ));
    notes.push(format!(
        "Tokens: text under {}, images by {} ({}; table version {IMAGE_TOKEN_TABLE_VERSION}); wrappers, legend and \
            answers to requests included, tool definitions and scrolls not. How far this is from the tokens of other \
            vendors' models is not known.",
        Encoding::O200kBase.name(),
        summary.formula.name(),
        formula_in_words(summary.formula)
    ));
    let all = summary.left_out.is_empty();
    let scope = if all {
        "all scenarios".to_owned()
    } else {
        format!("the {} scenarios that all ranked strategies finished", summary.ranked_scenarios.len())
    };
    notes.push(format!(
        "Tokens per task are means over {scope}. Recalls are macro averages: the share of each scenario, averaged over \
            the scenarios that have anything of the kind. Tasks and steps are counts."
    ));
    notes.push(format!(
        "Intervals: paired percentile bootstrap over scenarios, 95 %, {} resamples, n = {} for quality and {} for \
            ratios. Our scenarios are no sample of the web: an interval says how much a number hangs on single \
            scenarios.",
        thousands(RESAMPLES as u64),
        thousands(summary.scenarios.len() as u64),
        thousands(summary.ranked_scenarios.len() as u64)
    ));
    if summary.strategies.iter().any(|row| row.strategy.ends_with(RECORDED_SUFFIX)) {
        notes.push(format!(
            "Names that end in {RECORDED_SUFFIX} ({RECORDED_MARK} in a terminal): what the tool itself said about \
                these pages, not a computation of ours."
        ));
    }
    notes.extend(about.recorded.iter().cloned());
    for left in &summary.left_out {
        notes.push(match left.unfinished_by.as_slice() {
            [] => format!("Left out of rankings: {} (no strategy is ranked).", left.scenario),
            names => format!("Left out of rankings: {} (not finished by {}).", left.scenario, names.join(", ")),
        });
    }
    let unranked: Vec<&str> =
        summary.strategies.iter().filter(|row| !row.ranked).map(|row| row.strategy.as_str()).collect();
    if !unranked.is_empty() {
        notes.push(format!(
            "Not ranked, since they finished fewer than half of the scenarios: {}.",
            unranked.join(", ")
        ));
    }
    notes.push(match &summary.baseline {
        Some(baseline) => {
            format!("Ratio: tokens ÷ tokens of {baseline}, geometric mean over the same scenarios; below 1 is cheaper.")
        }
        None => "Ratio: the baseline was not run, so there is none.".to_owned(),
    });
    notes.push(shown_note(summary));
    if summary.strategies.iter().any(|row| row.median_micros.is_some()) {
        let machine = if about.machine.is_empty() { String::new() } else { format!(", measured on {}", about.machine) };
        let cached = if summary.cached_timings { "; some were measured in an earlier run" } else { "" };
        notes.push(format!(
            "Latency: what a strategy would take alone for an observation of a loaded page, median over \
            the steps{machine}{cached}. It differs from run to run; nothing else does."
        ));
    }
    let made: Vec<String> = [("Made by", &about.tool), ("with", &about.command), ("on", &about.date)]
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(word, value)| format!("{word} {value}"))
        .collect();
    if !made.is_empty() {
        notes.push(format!("{}.", made.join(" ")));
    }
    notes
}

/// Names every error row, up to a limit; the rest is counted and points to the table that has them
/// all.
pub(crate) fn error_lines(summary: &Summary) -> Vec<String> {
    let line = |row: &crate::ErrorRow| {
        format!("{} @ step {} @ {}: {}", row.trace, row.step, row.strategy, shortened(&row.error, 300))
    };
    let mut lines: Vec<String> = summary.errors.iter().take(ERRORS_SHOWN).map(line).collect();
    if summary.errors.len() > ERRORS_SHOWN {
        lines.push(format!(
            "… and {} more: see the column `error` of measurements.csv",
            summary.errors.len() - ERRORS_SHOWN
        ));
    }
    lines
}
