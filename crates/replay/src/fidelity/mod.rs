//! Fidelity: our re-implementations of peers against what those tools really said.
//!
//! In: traces with a peers' file that belongs to them, and the configured strategies. Out:
//! [`Fidelity`]: per re-implementation, trace and step how many tokens (`o200k_base`) and lines
//! either text has and how many lines are equal; every differing line with its [`Cause`]; and what
//! was recorded at all. Equal lines are a longest common subsequence over the longer text, after
//! refs and ids were normalised (by the tool's [`LineRules`]); tokens are those of the texts as they stand.
//! Invariants: a re-implementation runs as in a replay and never reads the recording; steps that
//! were not kept count nowhere; the result is the same for any number of threads and holds integers
//! only.

mod cause;
mod lines;

pub use browserlens_peers::PLACEHOLDER;
pub use cause::Cause;

use crate::clock::StopWatch;
use crate::engine::{self, Progress};
use crate::error::ReplayError;
use crate::measure::adds_up;
use crate::peers::{PeersPlan, RecordedPeer};
use crate::steps::{LoadedStep, StepLoader, TracePlan};
use crate::strategies::ConfiguredStrategy;
use crate::unit;
use browserlens_core::strategy::{Run, StepInput};
use browserlens_core::tokens::Encoding;
use browserlens_peers::{LineRules, Lines, RECORDED_SUFFIX, recorded_names};
use lines::Common;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::PathBuf;

/// Which encoding counts.
pub const ENCODING: Encoding = Encoding::O200kBase;

/// What a re-implementation has to reach over all bundled traces.
pub mod bars {
    /// Most that our tokens may be off, in percent of the recorded ones.
    pub const TOKENS_OFF_PERCENT: u64 = 3;
    /// Fewest lines that must be equal, in percent.
    pub const EQUAL_LINES_PERCENT: u64 = 95;
    /// The aim for equal lines, in percent.
    pub const EQUAL_LINES_AIM_PERCENT: u64 = 99;
}

/// What to compare, and how.
pub struct FidelityOptions<'a> {
    /// The trace files; see [`crate::find_traces`].
    pub traces: Vec<PathBuf>,
    /// The folder below which a trace's scenario is `<name>.toml`.
    pub scenarios_dir: PathBuf,
    /// The strategies; those whose name is also that of a recorded output are compared.
    pub strategies: &'a [ConfiguredStrategy],
    /// Number of threads; 0 for as many as there are processors.
    pub threads: usize,
    /// The folder for packed pages; may be deleted at any time between runs.
    pub cache_dir: PathBuf,
    /// Is told how far it is.
    pub progress: &'a dyn Progress,
}

/// How near the re-implementations come to the tools, and what was recorded of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fidelity {
    /// One row a re-implementation, in the order of the strategies.
    pub peers: Vec<PeerFidelity>,
    /// One row a trace, sorted by id.
    pub traces: Vec<TraceCoverage>,
    /// Every output that the recorder asks for.
    pub outputs: Vec<String>,
}

/// What was recorded beside one trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceCoverage {
    /// Id of the trace.
    pub trace: String,
    /// Its steps, the first navigation included.
    pub steps: u32,
    /// Every recorded output, and every pass that gave none; none if there is no file, or it is of
    /// another recording.
    pub recorded: Option<Vec<RecordedPeer>>,
}

/// How near one re-implementation comes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerFidelity {
    /// Name of the strategy and of the recorded output.
    pub name: String,
    /// Version of the strategy.
    pub version: String,
    /// One row a trace of which the output was recorded, sorted by id.
    pub traces: Vec<TraceFidelity>,
    /// The differing lines, equal ones together, the most frequent first.
    pub differences: Vec<Difference>,
}

/// How near one re-implementation comes on one trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceFidelity {
    /// Id of the trace.
    pub trace: String,
    /// One row a step whose output was kept.
    pub steps: Vec<StepFidelity>,
}

/// How near one re-implementation comes at one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepFidelity {
    /// Index of the step.
    pub step: u32,
    /// What came of it.
    pub outcome: StepOutcome,
}

/// What came of comparing one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepOutcome {
    /// Both texts are there.
    Compared(Sizes),
    /// The re-implementation failed.
    Failed(String),
}

/// Sizes of two texts, of a step or summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Tokens of our text.
    pub our_tokens: u64,
    /// Tokens of the recorded text.
    pub recorded_tokens: u64,
    /// Lines of our text.
    pub our_lines: u64,
    /// Lines of the recorded text.
    pub recorded_lines: u64,
    /// Lines of the longer text; summed step by step.
    pub longer_lines: u64,
    /// Lines of a longest common subsequence.
    pub equal_lines: u64,
}

impl Sizes {
    fn of(ours: &str, recorded: &str, our_lines: usize, recorded_lines: usize, equal: usize) -> Self {
        let tokens = |text| u64::from(ENCODING.count(text).0);
        Self {
            our_tokens: tokens(ours),
            recorded_tokens: tokens(recorded),
            our_lines: our_lines as u64,
            recorded_lines: recorded_lines as u64,
            longer_lines: our_lines.max(recorded_lines) as u64,
            equal_lines: equal as u64,
        }
    }

    /// Returns whether the tokens are within the bar.
    pub fn tokens_pass(&self) -> bool {
        self.our_tokens.abs_diff(self.recorded_tokens) * 100 <= bars::TOKENS_OFF_PERCENT * self.recorded_tokens
    }

    /// Returns whether at least so many percent of the lines are equal.
    pub fn lines_reach(&self, percent: u64) -> bool {
        self.equal_lines * 100 >= percent * self.longer_lines
    }
}

adds_up!(Sizes: our_tokens, recorded_tokens, our_lines, recorded_lines, longer_lines, equal_lines);

fn sum(all: impl Iterator<Item = Sizes>) -> Sizes {
    all.fold(Sizes::default(), |mut sum, sizes| {
        sum += sizes;
        sum
    })
}

/// Lines that differ in the same way, wherever they do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// Why they differ.
    pub cause: Cause,
    /// Our line, normalised; none if ours has none.
    pub ours: Option<String>,
    /// The recorded line, normalised; none if the tool has none.
    pub recorded: Option<String>,
    /// How often this stands so.
    pub count: u32,
    /// Id of the first trace with it.
    pub trace: String,
    /// First step of that trace with it.
    pub step: u32,
}

impl TraceFidelity {
    /// Returns the sizes of all steps together, failed ones left out.
    pub fn sizes(&self) -> Sizes {
        sum(self.compared().map(|(_, sizes)| sizes))
    }

    /// Returns the steps at which both texts are there.
    pub fn compared(&self) -> impl Iterator<Item = (u32, Sizes)> {
        self.steps.iter().filter_map(|row| match row.outcome {
            StepOutcome::Compared(sizes) => Some((row.step, sizes)),
            StepOutcome::Failed(_) => None,
        })
    }

    /// Returns the steps at which the re-implementation failed, and why.
    pub fn failed(&self) -> impl Iterator<Item = (u32, &str)> {
        self.steps.iter().filter_map(|row| match &row.outcome {
            StepOutcome::Failed(why) => Some((row.step, why.as_str())),
            StepOutcome::Compared(_) => None,
        })
    }
}

impl PeerFidelity {
    /// Returns the sizes over all traces.
    pub fn sizes(&self) -> Sizes {
        sum(self.traces.iter().map(TraceFidelity::sizes))
    }

    /// Returns how many differences a cause has, and how many of them are distinct.
    pub fn of_cause(&self, cause: Cause) -> (u64, usize) {
        let of_it = self.differences.iter().filter(|difference| difference.cause == cause);
        of_it.fold((0, 0), |(count, distinct), difference| (count + u64::from(difference.count), distinct + 1))
    }

    /// Returns whether it reaches the bars: tokens, lines, and no step failed; false if nothing
    /// could be compared.
    pub fn passes(&self) -> bool {
        let sizes = self.sizes();
        let any = self.traces.iter().any(|trace| trace.compared().next().is_some());
        let failed = self.traces.iter().any(|trace| trace.failed().next().is_some());
        any && !failed && sizes.tokens_pass() && sizes.lines_reach(bars::EQUAL_LINES_PERCENT)
    }
}

/// Compares every configured re-implementation with what was recorded.
///
/// # Errors
/// [`ReplayError`] if a trace, scenario or peers' file cannot be read; a re-implementation that
/// fails is a row, no error.
pub fn fidelity(options: &FidelityOptions<'_>) -> Result<Fidelity, ReplayError> {
    let outputs: Vec<String> =
        recorded_names().filter_map(|name| Some(name.strip_suffix(RECORDED_SUFFIX)?.to_owned())).collect();
    let strategies: Vec<&ConfiguredStrategy> =
        options.strategies.iter().filter(|strategy| outputs.contains(&strategy.name)).collect();
    if strategies.is_empty() {
        return Err(ReplayError::NoStrategies);
    }
    let plans = engine::plan(&options.traces, &options.scenarios_dir)?;
    let steps = plans.iter().filter(|plan| plan.peers.is_some()).map(|plan| plan.rows.len()).sum();
    options.progress.planned(plans.len(), steps);
    Encoding::warm_up();
    let compared: Vec<Result<Vec<Compared>, ReplayError>> = engine::pool(options.threads)?
        .install(|| plans.par_iter().with_max_len(1).map(|plan| compare_trace(plan, &strategies, options)).collect());
    let mut peers: Vec<PeerFidelity> = strategies
        .iter()
        .map(|configured| PeerFidelity {
            name: configured.name.clone(),
            version: configured.strategy.version().to_owned(),
            traces: Vec::new(),
            differences: Vec::new(),
        })
        .collect();
    let mut merged: Vec<Merged> = peers.iter().map(|_| Merged::default()).collect();
    for (plan, compared) in plans.iter().zip(compared) {
        for ((peer, merged), compared) in peers.iter_mut().zip(&mut merged).zip(compared?) {
            let Some(steps) = compared.steps else { continue };
            peer.traces.push(TraceFidelity { trace: plan.id.clone(), steps });
            merged.take(&plan.id, compared.differing);
        }
    }
    for (peer, merged) in peers.iter_mut().zip(merged) {
        peer.differences = merged.finish();
    }
    let traces = plans.iter().map(coverage).collect::<Result<_, _>>()?;
    Ok(Fidelity { peers, traces, outputs })
}

fn coverage(plan: &TracePlan) -> Result<TraceCoverage, ReplayError> {
    let recorded = plan.peers.as_ref().map(PeersPlan::describe).transpose()?;
    Ok(TraceCoverage { trace: plan.id.clone(), steps: plan.rows.len() as u32, recorded })
}

/// A line that differs at a step: cause, ours, recorded.
type Differing = (Cause, Option<String>, Option<String>);

/// What came of one strategy over one trace.
#[derive(Default)]
struct Compared {
    /// None if the output was not recorded.
    steps: Option<Vec<StepFidelity>>,
    differing: Vec<(u32, Differing)>,
}

fn compare_trace(
    plan: &TracePlan,
    strategies: &[&ConfiguredStrategy],
    options: &FidelityOptions<'_>,
) -> Result<Vec<Compared>, ReplayError> {
    let mut units: Vec<Unit<'_>> = strategies.iter().map(|configured| Unit::start(plan, configured)).collect();
    if units.iter().any(|unit| unit.compared.steps.is_some()) {
        let mut loader = StepLoader::open(plan, &options.cache_dir)?;
        for row in &plan.rows {
            let step = loader.load(row.index.0)?;
            units.iter_mut().for_each(|unit| unit.step(&step));
            options.progress.step_done(&plan.id, row.index.0);
        }
    }
    Ok(units.into_iter().map(|unit| unit.compared).collect())
}

/// One re-implementation over one trace.
struct Unit<'a> {
    configured: &'a ConfiguredStrategy,
    run: Result<Box<dyn Run>, String>,
    compared: Compared,
}

impl<'a> Unit<'a> {
    fn start(plan: &TracePlan, configured: &'a ConfiguredStrategy) -> Self {
        let is_recorded = plan.peers.as_ref().is_some_and(|peers| peers.has(&configured.name));
        let compared = Compared { steps: is_recorded.then(Vec::new), differing: Vec::new() };
        Self { configured, run: guarded(|| configured.strategy.start(&plan.task())), compared }
    }

    /// Advances over the next step, also where nothing was kept: refs and marks depend on the steps
    /// before.
    fn step(&mut self, step: &LoadedStep) {
        let Some(rows) = &mut self.compared.steps else { return };
        let ours = observe(&mut self.run, step);
        let kept = step.peers.iter().find(|said| said.peer == self.configured.name && said.dropped.is_none());
        let Some(recorded) = kept else { return };
        let number = step.index.0;
        let outcome = match ours {
            Ok(ours) => {
                let (sizes, differing) = compare(self.configured, &ours, &recorded.text);
                self.compared.differing.extend(differing.into_iter().map(|line| (number, line)));
                StepOutcome::Compared(sizes)
            }
            Err(why) => StepOutcome::Failed(why),
        };
        rows.push(StepFidelity { step: number, outcome });
    }
}

fn compare(configured: &ConfiguredStrategy, ours: &str, recorded: &str) -> (Sizes, Vec<Differing>) {
    let rules =
        browserlens_peers::format(&configured.strategy.format()).map_or(LineRules::PLAIN, |format| format.lines);
    let (our, their) = (Lines::of(&rules, ours), Lines::of(&rules, recorded));
    let common = Common::of(&our.lines, &their.lines);
    let sizes = Sizes::of(ours, recorded, our.lines.len(), their.lines.len(), common.equal);
    let line = |lines: &Lines, at: Option<usize>| at.map(|at| lines.lines[at].clone());
    let differing = cause::pairs(&rules, &our, &their, &common.hunks)
        .into_iter()
        .map(|pair| (pair.cause, line(&our, pair.ours), line(&their, pair.recorded)))
        .collect();
    (sizes, differing)
}

/// Returns our text of a step. Nothing that was recorded is handed over; a run that panicked is not
/// asked again.
fn observe(run: &mut Result<Box<dyn Run>, String>, step: &LoadedStep) -> Result<String, String> {
    let running = run.as_mut().map_err(|why| why.clone())?;
    let clock = StopWatch::default();
    let input = StepInput { peers: &[], ..step.input(&clock) };
    match guarded(|| running.observe(&input)) {
        Ok(observed) => observed.map(|observation| observation.text).map_err(|error| error.to_string()),
        Err(panic) => {
            *run = Err(format!("given up: the strategy panicked at step {}", step.index));
            Err(panic)
        }
    }
}

/// Runs foreign code; a panic becomes an error.
fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    unit::guarded(work).map_err(|_| "the strategy panicked".to_owned())
}

/// Differences gathered over traces: equal ones become one with a count.
#[derive(Default)]
struct Merged {
    found: Vec<Difference>,
    places: HashMap<Differing, usize>,
}

impl Merged {
    fn take(&mut self, trace: &str, differing: Vec<(u32, Differing)>) {
        for (step, line) in differing {
            let place = *self.places.entry(line).or_insert_with_key(|(cause, ours, recorded)| {
                self.found.push(Difference {
                    cause: *cause,
                    ours: ours.clone(),
                    recorded: recorded.clone(),
                    count: 0,
                    trace: trace.to_owned(),
                    step,
                });
                self.found.len() - 1
            });
            self.found[place].count += 1;
        }
    }

    /// Returns them by cause, the most frequent first, equally frequent ones as they were met.
    fn finish(mut self) -> Vec<Difference> {
        self.found.sort_by_key(|difference| (difference.cause, std::cmp::Reverse(difference.count)));
        self.found
    }
}

#[cfg(test)]
mod tests;
