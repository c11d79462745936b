//! What models made of a run, as a table: for `summary.md`, the page and a terminal.
//!
//! In: [`LlmResults`]. Out: one row a reader (model, tier) and strategy with Mind2Web's four
//! numbers. Invariants: without results there is no table, no heading and no note; model names,
//! tiers and reasons are shown as text, whatever they hold.

use crate::Share;
use crate::html::escape;
use crate::numbers::{NONE, fraction, share_in_percent, thousands};
use crate::text_table::{TextTable, escape_markdown, one_line, wrap};
use browserlens_replay::llm::{LlmReader, LlmResults, LlmSummary, summarise};
use std::collections::BTreeSet;

/// A column: its name, its short name for a terminal, its cell.
type Column = (&'static str, &'static str, fn(&LlmReader, &LlmSummary) -> String);

const COLUMNS: [Column; 9] = [
    ("model", "model", |reader, _| reader.model.clone()),
    ("tier", "tier", |reader, _| reader.tier.clone().unwrap_or_else(|| NONE.to_owned())),
    ("strategy", "strategy", |_, summary| summary.strategy.clone()),
    ("element accuracy %", "element %", |_, summary| share_in_percent(summary.element_accuracy)),
    ("operation F1 %", "op. F1 %", |_, summary| share_in_percent(summary.operation_f1)),
    ("step SR %", "step SR %", |_, summary| share_in_percent(summary.step_success)),
    ("task SR", "task SR", |_, summary| fraction(Share { part: summary.successful_tasks, whole: summary.tasks })),
    ("steps", "steps", |_, summary| thousands(summary.steps)),
    ("no answer", "none", |_, summary| thousands(summary.no_answer + summary.failed + summary.not_observed)),
];
const TITLE: &str = "LLM reader";

fn notes(results: &LlmResults) -> Vec<String> {
    let mut notes = vec![
        "Metrics of Mind2Web (arXiv:2306.06070), macro over tasks: the asked steps are those whose recorded action \
            acts on an element; \
         fill and type are one operation, check is a click. A step without an answer is a wrong step."
            .to_owned(),
    ];
    let mut left_out = BTreeSet::new();
    for reader in results.readers.iter().filter(|reader| !reader.rows.is_empty()) {
        let images = if reader.settings.images { "with images" } else { "without images" };
        notes.push(format!(
            "{}: prompt {}, context {}, {images}, temperature {}.",
            reader.model, reader.prompt, reader.settings.context, reader.settings.temperature
        ));
        let summaries = summarise(reader);
        let sum = |count: fn(&LlmSummary) -> u64| summaries.iter().map(count).sum::<u64>();
        let failed = sum(|summary| summary.failed);
        if failed > 0 {
            notes.push(format!(
                "{}: the endpoint never answered {} steps, which count as wrong; reading the run again asks for them.",
                reader.model,
                thousands(failed)
            ));
        }
        let by_words = sum(|summary| summary.by_words);
        if by_words > 0 {
            notes.push(format!(
                "{}: the element of {} steps was looked up by role and name, where there is no map of handles.",
                reader.model,
                thousands(by_words)
            ));
        }
        left_out.extend(reader.left_out.iter().map(|left| format!("Left out: {}: {}.", left.what, left.reason)));
    }
    notes.extend(left_out);
    notes
}

/// A row a reader and strategy, by tier, then as the readers read; none without rows.
fn table(results: &LlmResults, names: [&'static str; COLUMNS.len()]) -> Option<TextTable> {
    let mut readers: Vec<&LlmReader> = results.readers.iter().filter(|reader| !reader.rows.is_empty()).collect();
    readers.sort_by_key(|reader| reader.tier.clone());
    let mut table = TextTable::new(names);
    for reader in &readers {
        for summary in summarise(reader) {
            table.row(COLUMNS.iter().map(|(.., cell)| cell(reader, &summary)).collect());
        }
    }
    (!readers.is_empty()).then_some(table)
}

/// Writes the section of `summary.md`; empty without results.
pub fn llm_markdown(results: Option<&LlmResults>) -> String {
    let written = |results: &LlmResults| {
        let table = table(results, COLUMNS.map(|(wide, ..)| wide))?.markdown();
        let notes = notes(results).into_iter().map(|note| format!("- {}\n", escape_markdown(&note)));
        Some(format!("\n## {TITLE}\n\n{table}\n{}", notes.collect::<String>()))
    };
    results.and_then(written).unwrap_or_default()
}

/// Writes the table and its notes for a terminal; empty without results.
pub fn llm_terminal_table(results: Option<&LlmResults>) -> String {
    let written = |results: &LlmResults| {
        let table = table(results, COLUMNS.map(|(_, narrow, _)| narrow))?.terminal();
        let notes = notes(results).into_iter().map(|note| wrap(&one_line(&note), 100, "  ") + "\n");
        Some(table + "\n" + &notes.collect::<String>())
    };
    results.and_then(written).unwrap_or_default()
}

/// Writes the section of the page; none without results.
pub(crate) fn section(results: &LlmResults) -> Option<String> {
    let table = table(results, COLUMNS.map(|(wide, ..)| wide))?;
    let table = crate::html::table("What models would have done", &table);
    let notes = notes(results).into_iter().map(|note| format!("<li>{}</li>\n", escape(&note)));
    Some(format!("{table}<ul class=\"notes\">\n{}</ul>\n", notes.collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_replay::llm::{
        ElementScore, LeftOut, LlmRow, NoAnswer, OperationScore, ResolvedBy, RowOutcome, Settings,
    };

    fn results(model: &str) -> LlmResults {
        let row = |trace: &str, step, right, shared| LlmRow {
            trace: trace.into(),
            strategy: "lens/delta".into(),
            step,
            outcome: RowOutcome::NoAnswer(NoAnswer::NoObject),
            element: ElementScore { right, by: ResolvedBy::Words },
            operation: OperationScore { shared, predicted: 1, expected: 1 },
            prompt_tokens: None,
            completion_tokens: None,
        };
        let reader = LlmReader {
            model: model.into(),
            tier: Some("small".into()),
            prompt: "0123456789abcdef".into(),
            settings: Settings {
                context: "keep-last-full".into(),
                images: false,
                response_format: Default::default(),
                max_tokens: 512,
                temperature: 0.0,
                extra: Default::default(),
            },
            rows: vec![row("a", 0, true, 1), row("a", 1, false, 1), row("b", 0, true, 1)],
            left_out: vec![LeftOut { what: "read-text/visible".into(), reason: "its text cannot be acted on".into() }],
        };
        LlmResults { readers: vec![reader], ..LlmResults::default() }
    }

    #[test]
    fn the_table_shows_the_four_numbers_and_what_was_left_out() {
        let text = llm_markdown(Some(&results("tiny")));
        assert!(text.starts_with("\n## LLM reader\n\n| model |"), "{text}");
        let row = text.lines().find(|line| line.starts_with("| tiny")).expect("a row");
        let cells: Vec<&str> = row.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect();
        assert_eq!(cells, ["tiny", "small", "lens/delta", "75.0", "100.0", "75.0", "1/2", "3", "3"]);
        assert!(text.contains("- Left out: read-text/visible: its text cannot be acted on."), "{text}");
        assert!(text.contains("the element of 3 steps was looked up by role and name"), "{text}");
    }

    #[test]
    fn without_results_nothing_is_written() {
        let empty = LlmResults::default();
        for results in [None, Some(&empty)] {
            assert_eq!(llm_markdown(results), "");
            assert_eq!(llm_terminal_table(results), "");
            assert_eq!(results.and_then(section), None);
        }
    }

    #[test]
    fn a_hostile_model_name_stays_text() {
        let results = results("<img src=x onerror=alert(1)> | \u{1b}[31m\n");
        let page = section(&results).unwrap();
        assert!(page.contains("&lt;img") && !page.contains("<img"), "{page}");
        assert!(!llm_terminal_table(Some(&results)).contains('\u{1b}'));
        assert_eq!(llm_markdown(Some(&results)).lines().filter(|line| line.starts_with('|')).count(), 3);
    }
}
