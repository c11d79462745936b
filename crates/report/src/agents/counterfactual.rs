//! What a run would have cost, had another strategy told the same pages.
//!
//! In: a record whose calls say which step of its trace they told of, and one strategy's rows over
//! that trace. Out: the run's costs as recorded and as retold. Invariants: the agent's way is that
//! of the record: nothing is said of whether it would have found it under the other text; answers
//! that tell of no page stay as they are; a delta brings the deltas before it along that no call
//! told.

use crate::aggregate::grouped;
use crate::numbers::{ratio, ratio_interval, rounded, thousands};
use crate::text_table::{TextTable, paragraph};
use crate::{AgentsBy, Estimate};
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_replay::{Cost, Measurement, RowKind, StepNumbers};
use browserlens_trace::agents::{RunCosts, RunRecord};
use serde::Serialize;
use std::collections::BTreeMap;

/// One run as one strategy would have told it.
#[derive(Clone, Debug, Serialize)]
pub struct Counterfactual {
    /// Name of the record.
    pub run: String,
    /// The task.
    pub task: String,
    /// The tool of the record.
    pub tool: String,
    /// The strategy in its place.
    pub strategy: String,
    /// Calls whose answer told of a page.
    pub told: u32,
    /// Of them those that told of a page which an earlier one had told already.
    pub again: u32,
    /// Tokens of the strategy's legend, which are in none of the costs: no more than the record's
    /// instructions are they an answer.
    pub legend: u64,
    /// What the run cost.
    pub recorded: RunCosts,
    /// What it would have cost.
    pub retold: RunCosts,
}

impl Counterfactual {
    /// Counts a run again with the texts of one strategy. `rows` are that strategy's over the run's
    /// trace, in any order.
    ///
    /// # Errors
    /// In words: the record tells of no page, the strategy has no row of a step that it tells of, or
    /// failed there.
    pub fn of<'r>(
        name: &str,
        record: &RunRecord,
        strategy: &str,
        rows: impl IntoIterator<Item = &'r Measurement>,
        encoding: Encoding,
        images: ImageFormula,
    ) -> Result<Self, String> {
        let rows: BTreeMap<u32, &Measurement> = rows.into_iter().map(|row| (row.step, row)).collect();
        if rows.is_empty() {
            return Err(format!("{strategy} has no text of this trace"));
        }
        let numbers = |step: u32| -> Result<&StepNumbers, String> {
            let row = rows.get(&step).ok_or_else(|| format!("{strategy} was not replayed on step {step}"))?;
            row.numbers().ok_or_else(|| format!("{strategy} fails on step {step}: {}", row.error().unwrap_or_default()))
        };
        let mut changed = record.clone();
        let (mut told, mut again) = (0, 0);
        let mut last: Option<u32> = None;
        for call in &mut changed.calls {
            let Some(step) = call.step else { continue };
            let own = numbers(step)?;
            let mut cost = shown(own);
            if last.is_some_and(|last| step <= last) {
                again += 1;
            } else {
                // What a delta builds on must have been told.
                let from = last.map_or(0, |last| last + 1);
                let mut at = step;
                while at > from && numbers(at)?.kind == RowKind::Delta {
                    at -= 1;
                    cost += shown(numbers(at)?);
                }
                last = Some(step);
            }
            told += 1;
            let total = |encoding: Encoding| u32::try_from(cost.total(encoding, images)).unwrap_or(u32::MAX);
            call.tokens.o200k_base = total(Encoding::O200kBase);
            call.tokens.cl100k_base = total(Encoding::Cl100kBase);
            call.images.clear();
        }
        if told == 0 {
            return Err("no call says which page it told of".to_owned());
        }
        let first = rows.values().find_map(|row| row.numbers());
        Ok(Self {
            run: name.to_owned(),
            task: record.header.task.clone(),
            tool: AgentsBy::Tool.of(record),
            strategy: strategy.to_owned(),
            told,
            again,
            legend: first.map_or(0, |first| first.legend.total(encoding, images)),
            recorded: RunCosts::of(record, encoding, images),
            retold: RunCosts::of(&changed, encoding, images),
        })
    }
}

/// Returns what a step's observation and the answers to its requests cost.
fn shown(numbers: &StepNumbers) -> Cost {
    [numbers.observation, numbers.request_cost()].into_iter().sum()
}

/// Writes what runs would have cost: a row a tool and strategy, on a terminal or as Markdown.
/// `left_out` says why which runs are not in it.
pub fn counterfactual_table(runs: &[Counterfactual], left_out: &[String], markdown: bool) -> String {
    let headers = ["tool", "as", "runs", "pages", "legend", "answered", "→", "read", "→", "ratio", "95 %"];
    let mut table = TextTable::new(headers).left(2);
    for ((tool, strategy), runs) in grouped(runs, |run| (run.tool.as_str(), run.strategy.as_str())) {
        let mean = |of: &dyn Fn(&Counterfactual) -> u64| {
            rounded(runs.iter().map(|run| of(run)).sum::<u64>() as f64 / runs.len() as f64)
        };
        let pairs: Vec<(u64, u64)> = runs.iter().map(|run| (run.retold.read, run.recorded.read)).collect();
        let read = Estimate::ratio(&pairs);
        table.row(vec![
            tool.to_owned(),
            strategy.to_owned(),
            thousands(runs.len() as u64),
            thousands(runs.iter().map(|run| u64::from(run.told)).sum()),
            thousands(runs[0].legend),
            mean(&|run| run.recorded.answered),
            mean(&|run| run.retold.answered),
            mean(&|run| run.recorded.read),
            mean(&|run| run.retold.read),
            ratio(read.map(|read| read.value)),
            ratio_interval(read),
        ]);
    }
    let mut notes = "Means a run, as recorded and as the strategy would have told the same pages; ratio: of tokens \
        read, geometric mean over runs, 95 % by bootstrap. The agent's way, its words, its instructions and answers \
        that tell of no page are those of the record: what another text would have made the agent do is not known. A \
        page that is told again costs again what the strategy says of it; a delta brings those before it along that \
        no call told. legend: what the strategy's instructions would take at every turn, in no other column."
        .to_owned();
    let by_run: BTreeMap<&str, u64> = runs.iter().map(|run| (run.run.as_str(), u64::from(run.again))).collect();
    let again: u64 = by_run.values().sum();
    if again > 0 {
        notes.push_str(&format!(" Told again: {}.", thousands(again)));
    }
    let shown = if runs.is_empty() {
        "No run can be retold.\n".to_owned()
    } else {
        format!("{}\n{}\n", table.written(markdown), paragraph(&notes, markdown))
    };
    let sign = if markdown { "- " } else { "" };
    let left: String = left_out.iter().map(|line| format!("{sign}{}\n", paragraph(line, markdown))).collect();
    format!("{shown}{}{left}", if markdown && !left.is_empty() { "\n" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_trace::agents::{Call, Header};

    fn record(steps: &[Option<u32>]) -> RunRecord {
        let call = |(step, at): (&Option<u32>, u32)| {
            let mut call = Call { call: at, turn: at, answer: "a page".to_owned(), step: *step, ..Call::default() };
            (call.tokens.o200k_base, call.tokens.cl100k_base) = (2, 2);
            call
        };
        let calls = steps.iter().zip(1..).map(call);
        RunRecord {
            header: Header { tool: "t".to_owned(), ..Header::default() },
            calls: calls.collect(),
            ..Default::default()
        }
    }

    /// Rows of 1,000, 10, 20 and 3,000 tokens: a whole page, two deltas, a whole page.
    fn rows() -> Vec<Measurement> {
        let mut template = made_up::run().measurements.into_iter().find(|row| row.numbers().is_some()).unwrap();
        let mut rows = Vec::new();
        for (step, (tokens, kind)) in
            (0..).zip([(1_000, RowKind::Full), (10, RowKind::Delta), (20, RowKind::Delta), (3_000, RowKind::Full)])
        {
            template.step = step;
            if let browserlens_replay::Outcome::Observed(numbers) = &mut template.outcome {
                numbers.kind = kind;
                numbers.observation = Cost { o200k: tokens, cl100k: tokens, ..Cost::default() };
                numbers.requests.clear();
                numbers.legend = Cost { o200k: if step == 0 { 7 } else { 0 }, ..Cost::default() };
            }
            rows.push(template.clone());
        }
        rows
    }

    fn retold(steps: &[Option<u32>]) -> Result<Counterfactual, String> {
        let images = ImageFormula::Claude28;
        Counterfactual::of("a", &record(steps), "s", &rows(), Encoding::O200kBase, images)
    }

    #[test]
    fn the_strategys_tokens_stand_in_the_place_of_the_pages_that_were_told() {
        let run = retold(&[Some(0), None, Some(1), Some(2)]).unwrap();
        // The answer that tells of no page keeps its two tokens.
        assert_eq!(run.recorded.answered, 8);
        assert_eq!(run.retold.answered, 1_000 + 2 + 10 + 20);
        // The context of the second turn has what the first call brought, and so on.
        let own = browserlens_trace::agents::OWN_WORDS;
        assert_eq!(run.retold.read, (1_000 + own) * 3 + (2 + own) * 2 + 10 + own);
        assert_eq!((run.told, run.again, run.legend), (3, 0, 7));
    }

    #[test]
    fn a_delta_brings_those_before_it_along_and_a_whole_page_does_not() {
        assert_eq!(retold(&[Some(0), Some(2)]).unwrap().retold.answered, 1_000 + 30);
        assert_eq!(retold(&[Some(2)]).unwrap().retold.answered, 1_030);
        assert_eq!(retold(&[Some(0), Some(3)]).unwrap().retold.answered, 1_000 + 3_000);
        let again = retold(&[Some(0), Some(1), Some(1)]).unwrap();
        assert_eq!((again.retold.answered, again.again), (1_000 + 20, 1));
    }

    #[test]
    fn what_cannot_be_retold_says_why() {
        assert_eq!(retold(&[None]).unwrap_err(), "no call says which page it told of");
        assert_eq!(retold(&[Some(9)]).unwrap_err(), "s was not replayed on step 9");
    }

    #[test]
    fn the_table_says_what_is_left_out() {
        let left_out = ["b.run: its record names no trace".to_owned()];
        let runs = [retold(&[Some(0), Some(1), Some(1)]).unwrap()];
        insta::assert_snapshot!(counterfactual_table(&runs, &left_out, false));
        let empty = counterfactual_table(&[], &left_out, true);
        assert_eq!(empty, "No run can be retold.\n\n- b.run: its record names no trace\n");
    }
}
