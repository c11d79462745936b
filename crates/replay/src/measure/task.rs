//! One row a task: the rows of its steps, summed; and the context that a model would have read.
//!
//! In: the rows of one trace and strategy, in order. Out: a [`TaskMeasurement`]. Rules of the
//! context: every observation and every answer to a request is one call of the model; each call
//! reads the context of the call before, as far as the policy keeps it, and what is new. *Keep all*
//! keeps everything; *keep last full* keeps the legend, the last full observation and what followed
//! it. The *prefix* of a call is the part of its context that the call before read at the same
//! place: what a prompt cache may give cheaper. Under *keep last full* a full observation throws
//! away what stands after the legend, so that its prefix is the legend alone.

use super::{Cost, Measurement, RequiredScore, RowKind, Scores, count};
use serde::{Deserialize, Serialize};

/// One row a task: trace × strategy, summed over its steps.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TaskMeasurement {
    /// Id of the trace in the run.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Steps of the trace.
    pub steps: u32,
    /// Steps on which the strategy failed.
    pub failed: u32,
    /// Whether no step failed: only then do rankings count the task.
    pub finished: bool,
    /// Whether every step succeeded and the recording is complete.
    pub success: bool,
    /// Steps that succeeded.
    pub successful_steps: u32,
    /// Steps that succeeded for the simple reader.
    #[serde(default)]
    pub simple_steps: u32,
    /// Steps with a delta.
    pub deltas: u32,
    /// Requests of the reader.
    pub calls: u32,
    /// Everything shown: observations, legend, answers.
    pub cost: Cost,
    /// Of that, the legend.
    pub legend: Cost,
    /// Tool definitions; no part of the cost.
    pub definitions: Cost,
    /// Of the cost, the answers to requests.
    pub requests: Cost,
    /// Sum over calls of the context when everything shown is kept.
    pub context_keep_all: Cost,
    /// Of that, the prefixes: what the call before read at the same place.
    pub prefix_keep_all: Cost,
    /// Sum over calls of the context when only the legend, the last full observation and what
    /// followed it are kept.
    pub context_keep_last_full: Cost,
    /// Of that, the prefixes.
    pub prefix_keep_last_full: Cost,
    /// What is counted at steps, summed; none where no step counted it.
    #[serde(flatten)]
    pub scores: Scores,
    /// Required sets of all steps: how many there are, and how many are shown whole.
    pub required: RequiredScore,
    /// Scrolls that would bring what is missed.
    pub scrolls: u32,
    /// What they would cost.
    pub scroll_cost: Cost,
    /// Steps that succeed, with scrolls where they help.
    pub successful_steps_with_scrolls: u32,
    /// Whether every step succeeds, with scrolls where they help.
    pub success_with_scrolls: bool,
}

/// The context of one policy, call by call.
#[derive(Clone, Copy, Debug, Default)]
struct Context {
    now: Cost,
    read: Cost,
    prefix: Cost,
}

impl Context {
    /// One call: what stays as it was in the call before, and what is new after it.
    fn call(&mut self, unchanged: Cost, added: Cost) {
        self.now = [unchanged, added].into_iter().sum();
        self.read += self.now;
        self.prefix += unchanged;
    }

    fn more(&mut self, added: Cost) {
        self.call(self.now, added);
    }
}

impl TaskMeasurement {
    /// Sums the rows of one trace and strategy.
    ///
    /// `rows` are the steps in order; `complete` says whether the recording reached its end.
    pub fn of(trace: &str, strategy: &str, rows: &[Measurement], complete: bool) -> Self {
        let mut task = Self {
            trace: trace.to_owned(),
            strategy: strategy.to_owned(),
            steps: count(rows.len()),
            finished: true,
            success: complete && !rows.is_empty(),
            success_with_scrolls: complete && !rows.is_empty(),
            ..Self::default()
        };
        let (mut keep_all, mut keep_last_full) = (Context::default(), Context::default());
        for row in rows {
            let Some(numbers) = row.numbers() else {
                task.failed += 1;
                task.finished = false;
                task.success = false;
                task.success_with_scrolls = false;
                continue;
            };
            task.success &= numbers.success;
            task.successful_steps += u32::from(numbers.success);
            task.simple_steps += u32::from(numbers.simple);
            task.success_with_scrolls &= numbers.scrolls.success;
            task.successful_steps_with_scrolls += u32::from(numbers.scrolls.success);
            task.scrolls += numbers.scrolls.scrolls;
            task.scroll_cost += numbers.scroll_cost();
            task.calls += count(numbers.requests.len());
            task.cost += numbers.cost();
            task.definitions += numbers.definitions;
            task.requests += numbers.request_cost();
            let added: Cost = [numbers.legend, numbers.observation].into_iter().sum();
            keep_all.more(added);
            match numbers.kind {
                RowKind::Full => keep_last_full.call(task.legend, added),
                RowKind::Delta => keep_last_full.more(added),
            }
            for asked in &numbers.requests {
                keep_all.more(asked.cost);
                keep_last_full.more(asked.cost);
            }
            task.legend += numbers.legend;
            task.deltas += u32::from(numbers.kind == RowKind::Delta);
            task.scores += numbers.scores;
            if let Some(covered) = numbers.required.is_covered() {
                task.required.total += 1;
                task.required.shown += u32::from(covered);
            }
        }
        (task.context_keep_all, task.prefix_keep_all) = (keep_all.read, keep_all.prefix);
        (task.context_keep_last_full, task.prefix_keep_last_full) = (keep_last_full.read, keep_last_full.prefix);
        task
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{AskedRequest, FactScore, ImageCost, Outcome, ProbeScore, ScrollScore, StepNumbers};
    use browserlens_core::strategy::Request;

    fn row(step: u32, kind: RowKind, tokens: u64, legend: u64, success: bool) -> Measurement {
        let text = |o200k| Cost { o200k, cl100k: o200k + 1, images: ImageCost::default() };
        let numbers = StepNumbers {
            kind,
            observation: text(tokens),
            legend: if legend > 0 { text(legend) } else { Cost::default() },
            definitions: if legend > 0 { text(30) } else { Cost::default() },
            scores: Scores {
                facts: FactScore { total: 2, read: 2, by_pixels: 0 },
                probes: ProbeScore { nodes: 20, nodes_found: 15, texts: 4, texts_found: 4 },
                ..Scores::default()
            },
            required: RequiredScore { total: 3, shown: if success { 3 } else { 2 } },
            scrolls: ScrollScore { scrolls: u32::from(!success), success: true },
            success,
            simple: success,
            ..StepNumbers::default()
        };
        Measurement { trace: "t".into(), strategy: "s/x".into(), step, outcome: Outcome::Observed(Box::new(numbers)) }
    }

    #[test]
    fn contexts_add_up_as_worked_by_hand() {
        let rows = [
            row(0, RowKind::Full, 100, 7, true),
            row(1, RowKind::Delta, 10, 0, true),
            row(2, RowKind::Full, 50, 0, true),
            row(3, RowKind::Delta, 5, 0, true),
        ];
        let task = TaskMeasurement::of("t", "s/x", &rows, true);
        assert_eq!(task.cost.o200k, 172);
        assert_eq!(task.context_keep_all.o200k, 107 + 117 + 167 + 172);
        assert_eq!(task.context_keep_last_full.o200k, 107 + 117 + 57 + 62);
        assert_eq!((task.deltas, task.scores.facts.total, task.success), (2, 8, true));
        // All but what a call adds is prefix; a full observation leaves only the legend's 7 of it.
        assert_eq!(task.prefix_keep_all.o200k, 107 + 117 + 167);
        assert_eq!(task.prefix_keep_last_full.o200k, 107 + 7 + 57);
        assert_eq!((task.definitions.o200k, task.legend.o200k), (30, 7), "definitions stand beside the cost");
    }

    #[test]
    fn every_answer_is_a_call_that_reads_the_context_again() {
        let mut rows = [row(0, RowKind::Full, 100, 0, true), row(1, RowKind::Full, 40, 0, true)];
        if let Outcome::Observed(numbers) = &mut rows[0].outcome {
            let cost = Cost { o200k: 20, ..Cost::default() };
            let request = Request::Section { name: "Fees".into() };
            numbers.requests.push(AskedRequest { request, cost, text: String::new(), images: Vec::new() });
        }
        let task = TaskMeasurement::of("t", "s/x", &rows, true);
        assert_eq!(task.context_keep_all.o200k, 100 + 120 + 160);
        assert_eq!(task.prefix_keep_all.o200k, 100 + 120);
        assert_eq!(task.context_keep_last_full.o200k, 100 + 120 + 40);
        assert_eq!(task.prefix_keep_last_full.o200k, 100);
        assert_eq!((task.calls, task.cost.o200k), (1, 160));
    }

    #[test]
    fn scrolls_required_sets_and_probes_add_up() {
        let rows = [row(0, RowKind::Full, 100, 7, true), row(1, RowKind::Full, 50, 0, false)];
        let task = TaskMeasurement::of("t", "s/x", &rows, true);
        assert_eq!((task.scrolls, task.scroll_cost.o200k), (1, 50), "one more observation of 50 tokens");
        assert_eq!((task.success, task.success_with_scrolls, task.successful_steps_with_scrolls), (false, true, 2));
        assert_eq!(task.required, RequiredScore { total: 2, shown: 1 });
        assert_eq!(task.scores.probes, ProbeScore { nodes: 40, nodes_found: 30, texts: 8, texts_found: 8 });
        assert!(!TaskMeasurement::of("t", "s/x", &[], true).success_with_scrolls);
    }

    #[test]
    fn a_failed_step_has_no_numbers_and_spoils_the_task() {
        let mut rows = vec![row(0, RowKind::Full, 100, 0, true), row(1, RowKind::Full, 10, 0, true)];
        rows[1].outcome = Outcome::Failed { error: "no ax payload".to_owned() };
        let task = TaskMeasurement::of("t", "s/x", &rows, true);
        assert_eq!((task.failed, task.finished, task.success, task.cost.o200k), (1, false, false, 100));
        assert_eq!(rows[1].error(), Some("no ax payload"));
    }

    #[test]
    fn an_incomplete_recording_is_no_successful_task() {
        let task = TaskMeasurement::of("t", "s/x", &[row(0, RowKind::Full, 1, 0, true)], false);
        assert!(task.finished && !task.success);
    }
}
