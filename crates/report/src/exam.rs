//! The exam of a run, as tables for a terminal.
//!
//! In: a run, or what models answered. Out: one row a strategy. Invariant: names are shown as text,
//! whatever they hold.

use crate::Share;
use crate::numbers::{fraction, percent};
use crate::text_table::{TextTable, wrap};
use browserlens_replay::RunResult;
use browserlens_replay::llm::{ExamResults, ExamRow};
use std::collections::BTreeSet;

/// Writes what can be computed of the exam without a model, for some strategies; for all where none
/// is named.
pub fn exam_table(run: &RunResult, strategies: &[String]) -> String {
    let names = ["strategy", "asked", "told", "beside owner", "%", "simple reader", "strict reader"];
    let mut table = TextTable::new(names);
    let is_chosen = |name: &String| strategies.is_empty() || strategies.contains(name);
    for strategy in run.header.strategies.iter().filter(|strategy| is_chosen(&strategy.name)) {
        let tasks = || run.tasks.iter().filter(|task| task.strategy == strategy.name);
        let sum =
            |count: fn(&browserlens_replay::TaskMeasurement) -> u32| tasks().map(count).map(u64::from).sum::<u64>();
        let (asked, steps) = (sum(|task| task.scores.exam.asked), sum(|task| task.steps));
        let local = Share { part: sum(|task| task.scores.exam.local), whole: asked };
        table.row(vec![
            strategy.name.clone(),
            asked.to_string(),
            sum(|task| task.scores.exam.told).to_string(),
            local.part.to_string(),
            percent(local),
            fraction(Share { part: sum(|task| task.simple_steps), whole: steps }),
            fraction(Share { part: sum(|task| task.successful_steps), whole: steps }),
        ]);
    }
    let note = "asked: questions whose answer can be looked for; refs are not asked for where a tool has none or does \
        not tell what they mean. told: the answer stands in what was told since the last whole telling. Beside owner: \
        one observation says it with whose it is, at \
                most one line apart. Simple reader: steps that succeed for a reader who does what the legend says and \
                counts no positions; strict reader: for the one whose success the bench reports.";
    format!("{}\n{}\n", table.terminal(), wrap(note, 100, "  "))
}

/// Writes how many answers of models were right.
pub fn exam_answers_table(results: &ExamResults) -> String {
    let mut table = TextTable::new(["model", "strategy", "right", "%", "in words", "refs", "none"]);
    for reader in &results.readers {
        let mut seen = BTreeSet::new();
        let strategies = reader.rows.iter().map(|row| row.strategy.as_str());
        for strategy in strategies.filter(|name| seen.insert(*name)) {
            let share = |wanted: fn(&&ExamRow) -> bool| {
                let rows = || reader.rows.iter().filter(|row| row.strategy == strategy).filter(wanted);
                Share { part: rows().filter(|row| row.right).count() as u64, whole: rows().count() as u64 }
            };
            let all = share(|_| true);
            table.row(vec![
                reader.model.clone(),
                strategy.to_owned(),
                fraction(all),
                percent(all),
                fraction(share(|row| !row.is_ref)),
                fraction(share(|row| row.is_ref)),
                share(|row| row.answer.is_none()).whole.to_string(),
            ]);
        }
    }
    format!("{}\n", table.terminal())
}
