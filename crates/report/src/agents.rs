//! What agents did: records of runs, grouped, and two sets of them side by side.
//!
//! In: [`RunRecord`]s. Out: rows of means, a table; a comparison paired by task. Invariants: a run
//! that nobody judged counts for no success; a run that was cut off counts as not finished, and is
//! said; the same records give the same bytes for any number of threads.

mod bundle;
mod counterfactual;
mod validity;

pub use bundle::{AgentPage, AgentRun};
pub(crate) use bundle::{AgentPoint, measured_bundle};
pub use counterfactual::{Counterfactual, counterfactual_table};
pub use validity::{OfflineScore, Validity, ValidityRow};

use crate::aggregate::grouped;
use crate::numbers::{NONE, percent_range, ratio, ratio_interval, rounded, thousands};
use crate::text_table::{Tabled, TextTable, escape_markdown, one_line, paragraph, wrap};
use crate::{Estimate, Share};
use browserlens_core::named;
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_trace::agents::{EndReason, ErrorKind, Prices, RunCosts, RunRecord};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

named! {
    /// What runs are grouped by.
    pub enum AgentsBy {
        /// The tool.
        Tool = "tool",
        /// The model, or the script in its place.
        Agent = "agent",
        /// The task's level.
        Level = "level",
        /// The task.
        Task = "task",
    }
}

impl AgentsBy {
    fn of(self, record: &RunRecord) -> String {
        let header = &record.header;
        match self {
            Self::Tool => header.tool.clone(),
            Self::Agent => {
                let agent = &header.agent;
                let script = agent.script.as_ref().map(|script| format!("script {script}"));
                agent.model.clone().or(script).unwrap_or_else(|| NONE.to_owned())
            }
            Self::Level => header.level.map_or_else(|| NONE.to_owned(), |level| level.to_string()),
            Self::Task => header.task.clone(),
        }
    }
}

/// One run, with what it cost.
#[derive(Clone, Debug, Serialize)]
pub struct MeasuredRun {
    /// The task.
    pub task: String,
    /// The tool.
    pub tool: String,
    /// The model; none of a script, and where it is not known.
    pub model: Option<String>,
    /// The task's level.
    pub level: Option<u8>,
    /// The reward; none if nobody judged.
    pub reward: Option<f64>,
    /// Whether the whole reward was given; none if nobody judged.
    pub success: Option<bool>,
    /// Where the record ends early; none of a sealed one.
    pub cut: Option<String>,
    /// What it cost.
    #[serde(flatten)]
    pub costs: RunCosts,
    /// Dollars; none where the model has no price.
    pub dollars: Option<f64>,
    /// Images whose size the transcript does not say: they count as nothing.
    pub images_without_size: u32,
    /// Whether the record holds neither instructions nor a list of functions: they count as nothing.
    #[serde(skip)]
    pub(crate) is_bare: bool,
    /// Whether the tool or the endpoint failed.
    #[serde(skip)]
    pub(crate) has_failed: bool,
    /// Who acted.
    #[serde(skip)]
    agent: String,
    #[serde(skip)]
    group: Vec<String>,
}

/// Measures runs, in the order in which they are given.
pub fn measured_runs(
    records: &[RunRecord],
    by: &[AgentsBy],
    encoding: Encoding,
    images: ImageFormula,
    prices: Option<&Prices>,
) -> Vec<MeasuredRun> {
    records.par_iter().map(|record| measured(record, by, encoding, images, prices)).collect()
}

fn measured(
    record: &RunRecord,
    by: &[AgentsBy],
    encoding: Encoding,
    images: ImageFormula,
    prices: Option<&Prices>,
) -> MeasuredRun {
    let costs = RunCosts::of(record, encoding, images);
    let header = &record.header;
    let model = header.agent.model.clone();
    let price = model.as_ref().and_then(|model| prices?.models.get(model));
    let sizes = || record.calls.iter().flat_map(|call| &call.images);
    MeasuredRun {
        task: header.task.clone(),
        tool: header.tool.clone(),
        model: model.clone(),
        level: header.level,
        reward: record.end.as_ref().and_then(|end| end.reward),
        success: record.is_success(),
        cut: record.cut.clone(),
        dollars: price.map(|price| price.dollars(&costs)),
        images_without_size: u32::try_from(sizes().filter(|size| size.width == 0 || size.height == 0).count())
            .unwrap_or(u32::MAX),
        costs,
        is_bare: header.instructions.is_empty() && header.tools.is_null(),
        has_failed: record.end.as_ref().is_some_and(|end| end.end == EndReason::Failed),
        agent: AgentsBy::Agent.of(record),
        group: by.iter().map(|by| by.of(record)).collect(),
    }
}

/// Writes a table of runs: a row a group, on a terminal or as Markdown.
pub fn agents_table(runs: &[MeasuredRun], by: &[AgentsBy], markdown: bool) -> String {
    format!("{}\n{}\n", runs_table(runs, by).written(markdown), paragraph(&runs_notes(runs), markdown))
}

/// Returns a row a group of runs.
pub(crate) fn runs_table(runs: &[MeasuredRun], by: &[AgentsBy]) -> TextTable {
    let titles = by.iter().map(|by| by.name());
    let has_dollars = runs.iter().any(|run| run.dollars.is_some());
    let numbers = ["runs", "succeeded", "95 %", "calls", "answered", "read", "new", "s"];
    let last = ["refused", "repeated", "no effect"];
    let dollars = has_dollars.then_some("$");
    let mut table = TextTable::new(titles.chain(numbers).chain(dollars).chain(last)).left(by.len());
    for (group, runs) in grouped(runs, |run| run.group.as_slice()) {
        let n = runs.len() as f64;
        let mean = |of: &dyn Fn(&RunCosts) -> u64| runs.iter().map(|run| of(&run.costs)).sum::<u64>() as f64 / n;
        let judged: Vec<bool> = runs.iter().filter_map(|run| run.success).collect();
        let share =
            Share { part: judged.iter().filter(|success| **success).count() as u64, whole: judged.len() as u64 };
        let ms: Option<u64> = runs.iter().map(|run| run.costs.ms.or(run.costs.tool_ms)).sum();
        let sum: Option<f64> = runs.iter().map(|run| run.dollars).sum();
        let calls =
            |count: fn(&RunCosts) -> u32| thousands(runs.iter().map(|run| u64::from(count(&run.costs))).sum::<u64>());
        let mut cells = group.to_vec();
        cells.extend([
            thousands(runs.len() as u64),
            if judged.is_empty() { NONE.to_owned() } else { format!("{} of {}", share.part, share.whole) },
            percent_range(share.wilson()),
            format!("{:.1}", mean(&|costs| u64::from(costs.calls))),
            rounded(mean(&|costs| costs.answered)),
            rounded(mean(&|costs| costs.read)),
            rounded(mean(&|costs| costs.new)),
            ms.map_or_else(|| NONE.to_owned(), |ms| format!("{:.1}", ms as f64 / 1e3 / n)),
        ]);
        if has_dollars {
            cells.push(sum.map_or_else(|| NONE.to_owned(), |sum| format!("{:.4}", sum / n)));
        }
        cells.extend([calls(RunCosts::refused), calls(|costs| costs.repeated), calls(|costs| costs.no_effect)]);
        table.row(cells);
    }
    table
}

fn runs_in_words(count: usize) -> &'static str {
    if count == 1 { "run" } else { "runs" }
}

/// Says what the columns of [`runs_table`] count, and what of the runs is assumed or missing.
pub(crate) fn runs_notes(runs: &[MeasuredRun]) -> String {
    let mut notes =
        "Means a run; refused, repeated and without effect are calls in all. answered: tokens of the tool's \
        answers. read: the context summed over the turns, as the model reads everything again at each; new: what no \
        earlier turn had read, all that a cache that always hits would not hold."
            .to_owned();
    let mut errors: BTreeMap<ErrorKind, u32> = BTreeMap::new();
    for (kind, count) in runs.iter().flat_map(|run| &run.costs.errors) {
        *errors.entry(*kind).or_default() += count;
    }
    if !errors.is_empty() {
        let kinds: Vec<String> = errors.iter().map(|(kind, count)| format!("{count} {}", kind.name())).collect();
        notes.push_str(&format!(" Refused: {}.", kinds.join(", ")));
    }
    let count = |is: fn(&&MeasuredRun) -> bool| runs.iter().filter(is).count();
    let assumed = count(|run| run.costs.is_own_assumed);
    if assumed > 0 {
        notes.push_str(&format!(
            " Of {assumed} runs the model's own words were not kept: {} tokens a call are assumed.",
            browserlens_trace::agents::OWN_WORDS
        ));
    }
    let bare = count(|run| run.is_bare);
    if bare > 0 {
        notes.push_str(&format!(
            " Of {bare} {} the instructions and the list of functions are not in the record, and in no column.",
            runs_in_words(bare)
        ));
    }
    let failed = count(|run| run.has_failed);
    if failed > 0 {
        notes.push_str(&format!(
            " {failed} {} ended because the tool or the endpoint failed, and {} as {} found then.",
            runs_in_words(failed),
            if failed == 1 { "counts" } else { "count" },
            if failed == 1 { "it was" } else { "they were" },
        ));
    }
    let mut agents: BTreeMap<&[String], BTreeSet<&str>> = BTreeMap::new();
    for run in runs {
        agents.entry(&run.group).or_default().insert(&run.agent);
    }
    if agents.values().any(|agents| agents.len() > 1) {
        notes.push_str(" Rows mix what different agents did: group by agent too.");
    }
    let cut = count(|run| run.cut.is_some());
    if cut > 0 {
        notes.push_str(&format!(" {cut} records end before their run did."));
    }
    let without_size: u32 = runs.iter().map(|run| run.images_without_size).sum();
    if without_size > 0 {
        notes.push_str(&format!(" {without_size} images without a size count as nothing."));
    }
    notes
}

/// Two sets of runs, paired by task.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentsComparison {
    /// Tasks that both have, judged in both.
    pub tasks: usize,
    /// Tasks of one set alone, of the first and of the second.
    pub alone: (usize, usize),
    /// Tasks that succeed in every run of: both, the first alone, the second alone, neither.
    pub success: [usize; 4],
    /// Second ÷ first, a pair a task: calls, answered, read, new, milliseconds; none where a
    /// number is 0 or not known.
    pub ratios: [Option<Estimate>; 5],
}

/// Names of the ratios of [`AgentsComparison`].
const RATIOS: [&str; 5] = ["calls", "answered", "read", "new", "time"];

/// Compares two sets of runs on the tasks that both have. Of several runs of a task the mean counts.
pub fn compared_agents(first: &[MeasuredRun], second: &[MeasuredRun]) -> AgentsComparison {
    let first = grouped(first, |run| run.task.as_str());
    let second = grouped(second, |run| run.task.as_str());
    let both: Vec<(&Vec<&MeasuredRun>, &Vec<&MeasuredRun>)> =
        first.iter().filter_map(|(task, runs)| Some((runs, second.get(task)?))).collect();
    let mut success = [0; 4];
    for (a, b) in &both {
        let succeeds = |runs: &[&MeasuredRun]| {
            runs.iter().map(|run| run.success).try_fold(true, |all, success| Some(all && success?))
        };
        let (Some(a), Some(b)) = (succeeds(a), succeeds(b)) else { continue };
        let at = match (a, b) {
            (true, true) => 0,
            (true, false) => 1,
            (false, true) => 2,
            (false, false) => 3,
        };
        success[at] += 1;
    }
    let of: [fn(&RunCosts) -> Option<u64>; 5] = [
        |costs| Some(u64::from(costs.calls)),
        |costs| Some(costs.answered),
        |costs| Some(costs.read),
        |costs| Some(costs.new),
        |costs| costs.ms.or(costs.tool_ms),
    ];
    let ratios = of.map(|of| {
        let sum = |runs: &[&MeasuredRun]| runs.iter().map(|run| of(&run.costs)).sum::<Option<u64>>();
        // Means, without their denominators: each sum times the number of the other's runs.
        let pairs = both.iter().map(|(a, b)| Some((sum(b)? * a.len() as u64, sum(a)? * b.len() as u64)));
        Estimate::ratio(&pairs.collect::<Option<Vec<_>>>()?)
    });
    AgentsComparison {
        tasks: success.iter().sum(),
        alone: (first.len() - both.len(), second.len() - both.len()),
        success,
        ratios,
    }
}

/// Writes a comparison, on a terminal or as Markdown.
pub fn agents_comparison(compared: &AgentsComparison, names: (&str, &str), markdown: bool) -> String {
    let table = RATIOS.iter().zip(&compared.ratios).table([
        ("second ÷ first", &|(name, _)| (**name).to_owned()),
        ("ratio", &|(_, estimate)| ratio(estimate.map(|estimate| estimate.value))),
        ("95 %", &|(_, estimate)| ratio_interval(**estimate)),
        ("tasks", &|(_, estimate)| estimate.map_or_else(|| NONE.to_owned(), |estimate| estimate.n.to_string())),
    ]);
    let [both, one, other, neither] = compared.success;
    let words = format!(
        "First: {}. Second: {}. Of {} tasks that both were judged on, both finish {both}, the first alone {one}, the \
         second alone {other}, neither {neither}; {} tasks are the first's alone, {} the second's.",
        names.0, names.1, compared.tasks, compared.alone.0, compared.alone.1
    );
    let note = "Ratios: geometric means over tasks, 95 % by bootstrap.";
    let words = if markdown { escape_markdown(&words) } else { wrap(&one_line(&words), 100, "") };
    format!("{words}\n\n{}\n{note}\n", table.written(markdown))
}
