//! Aggregates the rows of a run: one summary a strategy, and which scenarios rankings may use.
//!
//! In: a [`ReportInput`]. Out: a [`Summary`]. Invariants: what counts quality is taken over every
//! step and task of the run, a failed one counting as not succeeded; what counts cost is taken only
//! over the scenarios that every ranked strategy finished, so that no strategy looks cheap because
//! it failed on the long ones. Quality and ratios are averages over scenarios ([`crate::stats`]);
//! plain counts stand beside them.

use crate::ReportInput;
use crate::median::{mean, median};
use crate::quality::{Quality, Wanted};
use crate::share::Share;
use crate::stats::Estimate;
use browserlens_core::strategy::Stage;
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_replay::RECORDED_SUFFIX;
use browserlens_replay::routing::RouterTable;
use browserlens_replay::{Cost, Measurement, PerMille, Scores, TaskMeasurement, Timing};
use std::collections::{BTreeMap, BTreeSet};

/// What one strategy did on one scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It was shown every step.
    Finished {
        /// Tokens of the whole task: text under `o200k_base`, images under the formula, legend and
        /// answers included.
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
    /// The whole: [`StrategySummary::median_micros`].
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
    /// What it found, by scenario and on average.
    pub quality: Quality,
    /// Tasks that succeed when the agent scrolls where a viewport-limited strategy needs it, of all
    /// tasks.
    pub tasks_with_scrolls: Share,
    /// Steps, likewise.
    pub steps_with_scrolls: Share,
    /// Mean tokens per task over the ranked scenarios (text and images, legend and answers
    /// included).
    pub tokens_per_task: Option<f64>,
    /// 95 % interval of that mean.
    pub tokens_interval: Option<(f64, f64)>,
    /// 95 % interval of the share of steps that succeed.
    pub steps_interval: Option<(f64, f64)>,
    /// Geometric mean over the ranked scenarios of its tokens ÷ the baseline's tokens.
    pub ratio: Option<Estimate>,
    /// What else a task costs, as means over the ranked scenarios.
    pub costs: Option<TaskCosts>,
    /// Median time of `observe` over all timed steps, in microseconds.
    pub median_micros: Option<f64>,
    /// Mean time by stage; none where nothing was timed.
    pub stage_times: Option<StageTimes>,
    /// What is counted at steps, summed over all of them.
    pub scores: Scores,
    /// What it did on each scenario of [`Summary::scenarios`], in that order.
    pub cells: Vec<Cell>,
}

/// What else a task costs: means over the ranked scenarios; tokens are text and images together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TaskCosts {
    /// Requests of the reader.
    pub calls: f64,
    /// Scrolls that would bring what is missed.
    pub scrolls: f64,
    /// Tokens of the observations that those scrolls would send again.
    pub scroll_tokens: f64,
    /// Tokens of tool definitions, which are not in the tokens per task.
    pub definitions: f64,
    /// Tokens read over all calls when everything shown is kept.
    pub keep_all: f64,
    /// The same with the prompt cache's discount on prefixes.
    pub keep_all_discounted: f64,
    /// Tokens read over all calls when only the last full observation and what followed it are
    /// kept.
    pub keep_last_full: f64,
    /// The same with the discount.
    pub keep_last_full_discounted: f64,
}

impl StrategySummary {
    /// Returns siblings that elided marks stand for, and nodes and texts whose words may be old: both
    /// of those siblings and what is shown; of nothing where there are no marks.
    pub fn elided_and_volatile(&self) -> [Share; 2] {
        let marks = self.scores.marks.unwrap_or_default();
        let whole = u64::from(marks.shown) + u64::from(marks.elided);
        [marks.elided, marks.volatile].map(|part| Share { part: part.into(), whole })
    }
}

impl TaskCosts {
    fn of(tasks: &[&TaskMeasurement], total: impl Fn(Cost) -> u64, discount: PerMille) -> Option<Self> {
        let mean_of = |number: &dyn Fn(&TaskMeasurement) -> u64| mean(tasks.iter().map(|task| number(task)));
        Some(Self {
            calls: mean_of(&|task| task.calls.into())?,
            scrolls: mean_of(&|task| task.scrolls.into())?,
            scroll_tokens: mean_of(&|task| total(task.scroll_cost))?,
            definitions: mean_of(&|task| total(task.definitions))?,
            keep_all: mean_of(&|task| total(task.context_keep_all))?,
            keep_all_discounted: mean_of(&|task| {
                total(task.context_keep_all.discounted(task.prefix_keep_all, discount))
            })?,
            keep_last_full: mean_of(&|task| total(task.context_keep_last_full))?,
            keep_last_full_discounted: mean_of(&|task| {
                total(task.context_keep_last_full.discounted(task.prefix_keep_last_full, discount))
            })?,
        })
    }
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
    /// One row a strategy: ranked ones first; more tasks, then more steps, then fewer tokens come
    /// first.
    pub strategies: Vec<StrategySummary>,
    /// Every failed step.
    pub errors: Vec<ErrorRow>,
    /// The strategy that ratios are taken against; none if it was not run.
    pub baseline: Option<String>,
    /// How image tokens are counted.
    pub formula: ImageFormula,
    /// What a prompt cache takes off the price of a prefix.
    pub cache_discount: PerMille,
    /// Whether some latencies were measured in an earlier run.
    pub cached_timings: bool,
    /// Routers against hindsight; none unless every representation was run alone too.
    pub routers: Option<RouterTable>,
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
                let tokens = |cost: Cost| cost.total(Encoding::O200kBase, input.formula);
                let total = |task: &TaskMeasurement| tokens(task.cost);
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
                let pairs: Option<Vec<(u64, u64)>> = common
                    .iter()
                    .map(|own| {
                        let base = tasks.get(&(baseline.as_deref()?, own.trace.as_str())).copied()?;
                        Some((total(own), total(base)))
                    })
                    .collect();
                // Handing out what a tool said is no time of the tool's: its own is a stage of the
                // timings.
                let median_micros = if name.ends_with(RECORDED_SUFFIX) {
                    None
                } else {
                    median(timings.iter().map(|timing| timing.observe.0))
                };
                let mut row = StrategySummary {
                    strategy: name.clone(),
                    ranked: is_ranked,
                    tasks: Share { part: 0, whole: scenarios.len() as u64 },
                    steps: Share::default(),
                    quality: wanted.score(&scenarios, &rows, task),
                    tasks_with_scrolls: Share { part: 0, whole: scenarios.len() as u64 },
                    steps_with_scrolls: Share::default(),
                    tokens_per_task: mean(common.iter().map(|task| total(task))),
                    tokens_interval: Estimate::average(
                        &common.iter().map(|task| total(task) as f64).collect::<Vec<_>>(),
                    )
                    .and_then(|found| found.interval),
                    steps_interval: None,
                    ratio: pairs.and_then(|pairs| Estimate::ratio(&pairs)),
                    costs: TaskCosts::of(&common, tokens, input.cache_discount),
                    median_micros,
                    stage_times: median_micros.and_then(|median| stage_times(&timings, median)),
                    scores: Scores::default(),
                    cells,
                };
                let steps =
                    |task: &TaskMeasurement| Share { part: task.successful_steps.into(), whole: task.steps.into() };
                let by_scenario: Vec<Share> = scenarios.iter().filter_map(task).map(steps).collect();
                row.steps_interval = Estimate::share(&by_scenario).and_then(|found| found.interval);
                for task in scenarios.iter().filter_map(task) {
                    row.tasks.part += u64::from(task.success);
                    row.steps.add(task.successful_steps.into(), task.steps.into());
                    row.tasks_with_scrolls.part += u64::from(task.success_with_scrolls);
                    row.steps_with_scrolls.add(task.successful_steps_with_scrolls.into(), task.steps.into());
                    row.scores += task.scores;
                }
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
        let steps_of = |scenario: &String| {
            let of_it = input.tasks.iter().filter(|task| task.trace == *scenario);
            of_it.map(|task| u64::from(task.steps)).max().unwrap_or(0)
        };
        let steps = scenarios.iter().map(steps_of).sum();
        Self {
            scenarios,
            steps,
            ranked_scenarios,
            left_out,
            strategies,
            errors,
            baseline,
            formula: input.formula,
            cache_discount: input.cache_discount,
            cached_timings: input.timings.iter().any(|timing| timing.cached),
            routers: RouterTable::of(input.measurements, input.formula),
        }
    }
}

fn collect_names<'a>(first: impl Iterator<Item = &'a String>, second: impl Iterator<Item = &'a String>) -> Vec<String> {
    first.chain(second).collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

/// Puts rows of equal keys together, in their order.
pub(crate) fn grouped<K: Ord, R>(rows: impl IntoIterator<Item = R>, key: impl Fn(&R) -> K) -> BTreeMap<K, Vec<R>> {
    let mut groups: BTreeMap<K, Vec<R>> = BTreeMap::new();
    rows.into_iter().for_each(|row| groups.entry(key(&row)).or_default().push(row));
    groups
}

/// Divides the median of a step as the time of all steps divides among the stages: medians of
/// stages would not add up to it.
fn stage_times(timings: &[&Timing], median: f64) -> Option<StageTimes> {
    let mean_of = |micros: &dyn Fn(&Timing) -> u64| mean(timings.iter().map(|timing| micros(timing)));
    let whole = mean_of(&|timing| timing.observe.0)?;
    let stages: Vec<(Stage, f64)> = Stage::ALL
        .into_iter()
        .map(|stage| {
            let of = |timing: &Timing| timing.stages.get(stage.name()).map_or(0, |micros| micros.0);
            (stage, mean_of(&of).unwrap_or(0.0))
        })
        .collect();
    let staged: f64 = stages.iter().map(|(_, micros)| micros).sum();
    let all = whole.max(staged);
    let scale = if all > 0.0 { median / all } else { 0.0 };
    Some(StageTimes {
        other: (all - staged) * scale,
        total: median,
        cached: timings.iter().all(|timing| timing.cached),
        stages: stages.into_iter().map(|(stage, micros)| (stage, micros * scale)).collect(),
    })
}
