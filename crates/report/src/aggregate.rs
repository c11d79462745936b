//! Aggregates the rows of a run: one summary a strategy, and which scenarios rankings may use.
//!
//! In: a [`ReportInput`]. Out: a [`Summary`]. Invariants: what counts quality is taken over every step and task of the
//! run, a failed one counting as not succeeded; what counts cost is taken only over the scenarios that every ranked
//! strategy finished, so that no strategy looks cheap because it failed on the long ones.

use crate::ReportInput;
use crate::median::{geometric_mean, mean, median};
use browserlens_replay::{Measurement, TaskMeasurement, Timing};
use browserlens_strategy::Stage;
use browserlens_tokens::{Encoding, ImageFormula};
use std::collections::{BTreeMap, BTreeSet};

/// A part of a whole, as counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// How many of them.
    pub part: u64,
    /// Of how many.
    pub whole: u64,
}

impl Share {
    /// Returns the share between 0 and 1; none of nothing.
    pub fn value(self) -> Option<f64> {
        (self.whole > 0).then(|| self.part as f64 / self.whole as f64)
    }

    fn add(&mut self, part: u64, whole: u64) {
        self.part += part;
        self.whole += whole;
    }
}

/// What one strategy did on one scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It was shown every step.
    Finished {
        /// Tokens of the whole task: text under `o200k_base`, images under the formula, legend and answers included.
        tokens: u64,
        /// Whether every step succeeded.
        success: bool,
    },
    /// It failed on some step: there is no number.
    Failed,
    /// It was not run.
    NotRun,
}

/// Mean time of one strategy's step, by stage, in microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageTimes {
    /// By stage, in the order in which the stages run; 0 for one that was not announced.
    pub stages: Vec<(Stage, f64)>,
    /// The rest of the strategy's time.
    pub other: f64,
    /// The whole.
    pub total: f64,
    /// Whether all of it was measured in an earlier run.
    pub cached: bool,
}

/// One strategy over the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct StrategySummary {
    /// Its name.
    pub strategy: String,
    /// Whether it takes part in rankings: it finished at least half of the scenarios.
    pub ranked: bool,
    /// Tasks of which every step succeeded, of all tasks.
    pub tasks: Share,
    /// Steps that succeeded, of all steps.
    pub steps: Share,
    /// Steps with an acceptable action node in the shown state, of the steps whose next action needs a node.
    pub target: Share,
    /// … that can be named through the action channel.
    pub addressable: Share,
    /// Facts that can be read, of all facts.
    pub facts: Share,
    /// Mean tokens per task over the ranked scenarios (text and images, legend and answers included).
    pub tokens_per_task: Option<f64>,
    /// Geometric mean over the ranked scenarios of its tokens ÷ the baseline's tokens.
    pub ratio: Option<f64>,
    /// Mean requests of the reader per task over the ranked scenarios.
    pub calls_per_task: Option<f64>,
    /// Median time of `observe` over all timed steps, in microseconds.
    pub median_micros: Option<f64>,
    /// Mean time by stage; none where nothing was timed.
    pub stage_times: Option<StageTimes>,
    /// Refs that came to mean another entity.
    pub wrong_rebinds: u64,
    /// Differences between shown state and page that no mark covers; none where not counted.
    pub unmarked_differences: Option<u64>,
    /// What it did on each scenario of [`Summary::scenarios`], in that order.
    pub cells: Vec<Cell>,
}

/// A step on which a strategy failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorRow {
    /// Id of the trace.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// What went wrong.
    pub error: String,
}

/// A scenario that rankings cannot use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The scenario.
    pub scenario: String,
    /// The ranked strategies that did not finish it.
    pub unfinished_by: Vec<String>,
}

/// A run in aggregates.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Every scenario, by name.
    pub scenarios: Vec<String>,
    /// Steps of all scenarios together.
    pub steps: u64,
    /// Those that all ranked strategies finished: rankings and costs use these.
    pub ranked_scenarios: Vec<String>,
    /// The others, and why.
    pub left_out: Vec<LeftOut>,
    /// One row a strategy: ranked ones first; more tasks, then more steps, then fewer tokens come first.
    pub strategies: Vec<StrategySummary>,
    /// Every failed step.
    pub errors: Vec<ErrorRow>,
    /// The strategy that ratios are taken against; none if it was not run.
    pub baseline: Option<String>,
    /// How image tokens are counted.
    pub formula: ImageFormula,
    /// Whether some latencies were measured in an earlier run.
    pub cached_timings: bool,
}

impl Summary {
    /// Aggregates a run.
    pub fn of(input: &ReportInput<'_>) -> Self {
        let scenarios: Vec<String> =
            collect_names(input.tasks.iter().map(|task| &task.trace), input.measurements.iter().map(|row| &row.trace));
        let names: Vec<String> = collect_names(
            input.tasks.iter().map(|task| &task.strategy),
            input.measurements.iter().map(|row| &row.strategy),
        );
        let tasks: BTreeMap<(&str, &str), &TaskMeasurement> =
            input.tasks.iter().map(|task| ((task.strategy.as_str(), task.trace.as_str()), task)).collect();
        let finished =
            |strategy: &str, scenario: &str| tasks.get(&(strategy, scenario)).is_some_and(|task| task.finished);

        let ranked: Vec<&String> = names
            .iter()
            .filter(|name| {
                let done = scenarios.iter().filter(|scenario| finished(name, scenario)).count();
                done > 0 && done * 2 >= scenarios.len()
            })
            .collect();
        let mut ranked_scenarios = Vec::new();
        let mut left_out = Vec::new();
        for scenario in &scenarios {
            let unfinished_by: Vec<String> =
                ranked.iter().filter(|name| !finished(name, scenario)).map(|name| (*name).clone()).collect();
            if unfinished_by.is_empty() && !ranked.is_empty() {
                ranked_scenarios.push(scenario.clone());
            } else {
                left_out.push(LeftOut { scenario: scenario.clone(), unfinished_by });
            }
        }

        let wanted = Wanted::of(input.measurements);
        let baseline = names.iter().find(|name| *name == input.baseline).cloned();
        let mut strategies: Vec<StrategySummary> = names
            .iter()
            .map(|name| {
                let rows: Vec<&Measurement> = input.measurements.iter().filter(|row| row.strategy == *name).collect();
                let timings: Vec<&Timing> = input.timings.iter().filter(|timing| timing.strategy == *name).collect();
                let task = |scenario: &String| tasks.get(&(name.as_str(), scenario.as_str())).copied();
                let total = |task: &TaskMeasurement| task.cost.total(Encoding::O200kBase, input.formula);
                let cells: Vec<Cell> = scenarios
                    .iter()
                    .map(|scenario| match task(scenario) {
                        Some(task) if task.finished => Cell::Finished { tokens: total(task), success: task.success },
                        Some(_) => Cell::Failed,
                        None => Cell::NotRun,
                    })
                    .collect();
                let is_ranked = ranked.contains(&name);
                let common: Vec<&TaskMeasurement> =
                    if is_ranked { ranked_scenarios.iter().filter_map(task).collect() } else { Vec::new() };
                let ratios: Vec<f64> = common
                    .iter()
                    .filter_map(|own| {
                        let base = tasks.get(&(baseline.as_deref()?, own.trace.as_str())).copied()?;
                        let (own, base) = (total(own), total(base));
                        (base > 0 && own > 0).then(|| own as f64 / base as f64)
                    })
                    .collect();
                let mut row = StrategySummary {
                    strategy: name.clone(),
                    ranked: is_ranked,
                    tasks: Share { part: 0, whole: scenarios.len() as u64 },
                    steps: Share::default(),
                    target: Share::default(),
                    addressable: Share::default(),
                    facts: Share::default(),
                    tokens_per_task: mean(&common.iter().map(|task| total(task)).collect::<Vec<_>>()),
                    ratio: geometric_mean(&ratios).filter(|_| ratios.len() == common.len()),
                    calls_per_task: mean(&common.iter().map(|task| u64::from(task.calls)).collect::<Vec<_>>()),
                    median_micros: median(&mut timings.iter().map(|timing| timing.observe.0).collect::<Vec<_>>()),
                    stage_times: stage_times(&timings),
                    wrong_rebinds: 0,
                    unmarked_differences: None,
                    cells,
                };
                for task in scenarios.iter().filter_map(task) {
                    row.tasks.part += u64::from(task.success);
                    row.steps.add(task.successful_steps.into(), task.steps.into());
                    row.wrong_rebinds += u64::from(task.refs.wrong_rebinds);
                    if let Some(unmarked) = task.unmarked_differences {
                        *row.unmarked_differences.get_or_insert(0) += u64::from(unmarked);
                    }
                }
                wanted.score(&rows, &mut row);
                row
            })
            .collect();
        strategies.sort_by(|a, b| {
            let cost = |row: &StrategySummary| row.tokens_per_task.unwrap_or(f64::INFINITY);
            (b.ranked, b.tasks.part, b.steps.part)
                .cmp(&(a.ranked, a.tasks.part, a.steps.part))
                .then(cost(a).total_cmp(&cost(b)))
                .then(a.strategy.cmp(&b.strategy))
        });

        let errors = input
            .measurements
            .iter()
            .filter_map(|row| {
                let error = row.error()?.to_owned();
                Some(ErrorRow { trace: row.trace.clone(), strategy: row.strategy.clone(), step: row.step, error })
            })
            .collect();
        let steps = scenarios
            .iter()
            .map(|scenario| {
                input
                    .tasks
                    .iter()
                    .filter(|task| task.trace == *scenario)
                    .map(|task| u64::from(task.steps))
                    .max()
                    .unwrap_or(0)
            })
            .sum();
        Self {
            scenarios,
            steps,
            ranked_scenarios,
            left_out,
            strategies,
            errors,
            baseline,
            formula: input.formula,
            cached_timings: input.timings.iter().any(|timing| timing.cached),
        }
    }
}

fn collect_names<'a>(first: impl Iterator<Item = &'a String>, second: impl Iterator<Item = &'a String>) -> Vec<String> {
    first.chain(second).collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

/// What there was to find at each step: known from any strategy that did not fail there, so that a failed row counts
/// as a miss instead of vanishing from the whole.
struct Wanted<'a> {
    steps: BTreeMap<(&'a str, u32), (bool, u64)>,
}

impl<'a> Wanted<'a> {
    fn of(rows: &'a [Measurement]) -> Self {
        let known = rows.iter().filter_map(|row| {
            let numbers = row.numbers()?;
            Some(((row.trace.as_str(), row.step), (numbers.target.needed, u64::from(numbers.facts.total))))
        });
        Self { steps: known.collect() }
    }

    fn score(&self, rows: &[&Measurement], into: &mut StrategySummary) {
        for row in rows {
            let (needed, facts) = self.steps.get(&(row.trace.as_str(), row.step)).copied().unwrap_or_default();
            let numbers = row.numbers();
            if needed {
                into.target.add(numbers.is_some_and(|numbers| numbers.target.recall).into(), 1);
                into.addressable.add(numbers.is_some_and(|numbers| numbers.target.addressable).into(), 1);
            }
            into.facts.add(numbers.map_or(0, |numbers| numbers.facts.read.into()), facts);
        }
    }
}

fn stage_times(timings: &[&Timing]) -> Option<StageTimes> {
    let total = mean(&timings.iter().map(|timing| timing.observe.0).collect::<Vec<_>>())?;
    let stages: Vec<(Stage, f64)> = Stage::ALL
        .into_iter()
        .map(|stage| {
            let times: Vec<u64> = timings
                .iter()
                .map(|timing| timing.stages.get(stage_name(stage)).map_or(0, |micros| micros.0))
                .collect();
            (stage, mean(&times).unwrap_or(0.0))
        })
        .collect();
    let staged: f64 = stages.iter().map(|(_, micros)| micros).sum();
    Some(StageTimes {
        other: (total - staged).max(0.0),
        total: total.max(staged),
        cached: timings.iter().all(|timing| timing.cached),
        stages,
    })
}

/// Returns the name under which timings hold a stage.
pub(crate) fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Route => "route",
        Stage::Extract => "extract",
        Stage::Diff => "diff",
        Stage::Format => "format",
    }
}
