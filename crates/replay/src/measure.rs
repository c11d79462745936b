//! Measurements: one row a step and one a task, raw integers in base units.
//!
//! In: what the engine counted and the reader scored. Out: plain rows that `report` turns into tables.
//! Invariants: a failed step is a row with its error and no numbers; nothing here depends on time, thread or machine
//! (timings are rows of their own, in a file of their own); rows are ordered by trace, strategy and step.

use browserlens_strategy::Request;
use browserlens_tokens::{Encoding, ImageFormula, ImageSize, Micros};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// Version of what is measured and how; part of every cache key. Bumped whenever a number may change.
pub const METRIC_VERSION: u32 = 1;

/// Which implementation counts text tokens; both give the same numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Tokenizer {
    /// The fast one.
    #[default]
    Fast,
    /// The slower reference.
    Reference,
}

impl Tokenizer {
    /// Returns the tokens of `text` under both encodings.
    pub fn cost(self, text: &str) -> Cost {
        let count = |encoding: Encoding| match self {
            Self::Fast => u64::from(encoding.count(text).0),
            Self::Reference => u64::from(encoding.count_reference(text).0),
        };
        Cost { o200k: count(Encoding::O200kBase), cl100k: count(Encoding::Cl100kBase), images: ImageCost::default() }
    }
}

/// Image tokens under every formula of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ImageCost {
    /// Under [`ImageFormula::Claude28`].
    pub claude28: u64,
    /// Under [`ImageFormula::OpenAiPatch32`].
    pub openai_patch32: u64,
    /// Under [`ImageFormula::OpenAiTile4o`].
    pub openai_tile4o: u64,
    /// Under [`ImageFormula::GeminiFlat`].
    pub gemini_flat: u64,
}

impl ImageCost {
    /// Returns what an image costs.
    pub fn of(size: ImageSize) -> Self {
        let mut cost = Self::default();
        for formula in ImageFormula::ALL {
            *cost.slot(formula) = u64::from(formula.tokens(size).0);
        }
        cost
    }

    fn slot(&mut self, formula: ImageFormula) -> &mut u64 {
        match formula {
            ImageFormula::Claude28 => &mut self.claude28,
            ImageFormula::OpenAiPatch32 => &mut self.openai_patch32,
            ImageFormula::OpenAiTile4o => &mut self.openai_tile4o,
            ImageFormula::GeminiFlat => &mut self.gemini_flat,
        }
    }

    /// Returns the tokens under one formula.
    pub fn under(mut self, formula: ImageFormula) -> u64 {
        *self.slot(formula)
    }
}

/// What something costs: text tokens under both encodings, image tokens under every formula.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Cost {
    /// Text tokens under `o200k_base`.
    pub o200k: u64,
    /// Text tokens under `cl100k_base`.
    pub cl100k: u64,
    /// Image tokens.
    pub images: ImageCost,
}

impl Cost {
    /// Returns the text tokens under one encoding.
    pub fn text(self, encoding: Encoding) -> u64 {
        match encoding {
            Encoding::O200kBase => self.o200k,
            Encoding::Cl100kBase => self.cl100k,
        }
    }

    /// Returns text and image tokens together.
    pub fn total(self, encoding: Encoding, formula: ImageFormula) -> u64 {
        self.text(encoding) + self.images.under(formula)
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.o200k += other.o200k;
        self.cl100k += other.cl100k;
        self.images.claude28 += other.images.claude28;
        self.images.openai_patch32 += other.images.openai_patch32;
        self.images.openai_tile4o += other.images.openai_tile4o;
        self.images.gemini_flat += other.images.gemini_flat;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        let mut sum = Self::default();
        costs.for_each(|cost| sum += cost);
        sum
    }
}

/// Whether an observation stands alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowKind {
    /// Stands alone.
    Full,
    /// Changes the shown state.
    Delta,
}

/// What the reader made of the next action's node; all true where the action has no node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetScore {
    /// Whether there was a node to find; false for `goto`, `back` and the like, and after the last step.
    pub needed: bool,
    /// An acceptable action node is in the shown state.
    pub recall: bool,
    /// … through the strategy's action channel.
    pub addressable: bool,
    /// … and role, name and path single it out.
    pub discriminable: bool,
    /// … and the handle maps to an acceptable node; none where the map is not known.
    pub resolved: Option<bool>,
}

impl TargetScore {
    /// The score of a step whose next action needs no node.
    pub const NOT_NEEDED: Self =
        Self { needed: false, recall: true, addressable: true, discriminable: true, resolved: None };

    /// Returns whether the agent could act.
    pub fn is_actionable(self) -> bool {
        self.addressable && self.discriminable && self.resolved != Some(false)
    }
}

/// How many of the step's named states are shown right, shown wrong or not shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FreshScore {
    /// Shown as they are.
    pub right: u32,
    /// Shown as they are not.
    pub wrong: u32,
    /// Not shown.
    pub missing: u32,
}

/// How the step's facts were read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactScore {
    /// Facts of the step.
    pub total: u32,
    /// Facts that can be read in text or images.
    pub read: u32,
    /// Of those, the ones that can be read in images only.
    pub by_pixels: u32,
}

/// Refs over time, checked against the recorded entity ids.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefScore {
    /// Handles in the shown state that are known to mean a node.
    pub shown: u32,
    /// Entities that had a handle at the step before and have one now.
    pub surviving: u32,
    /// Of those, the ones with the same handle.
    pub kept: u32,
    /// Handles that came to mean another entity.
    pub wrong_rebinds: u32,
}

/// One request of the reader and what its answer cost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedRequest {
    /// The request.
    pub request: Request,
    /// Tokens of the answer.
    pub cost: Cost,
    /// Content hash of the answer's text.
    pub text: String,
    /// Content hashes of the answer's images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
}

/// The numbers of a step that did not fail.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepNumbers {
    /// Whether the observation stands alone.
    pub kind: RowKind,
    /// Why it is full; empty for a delta.
    pub reason: String,
    /// The representation that was chosen, if there was a choice.
    pub representation: Option<String>,
    /// Bytes of the text.
    pub bytes: u64,
    /// Tokens of text and images, without legend and answers.
    pub observation: Cost,
    /// Tokens of the legend: at step 0 only.
    pub legend: Cost,
    /// The reader's requests, in order; each counts as a call.
    pub requests: Vec<AskedRequest>,
    /// What the reader made of the next action's node.
    pub target: TargetScore,
    /// How the step's named states are shown.
    pub fresh: FreshScore,
    /// How the step's facts were read.
    pub facts: FactScore,
    /// Refs over time.
    pub refs: RefScore,
    /// Differences between shown state and page that no mark covers; none where not counted.
    pub unmarked_differences: Option<u32>,
    /// Actionable, nothing shown wrong, all facts read.
    pub success: bool,
    /// Content hash of the text.
    pub text: String,
    /// Content hashes of the images.
    pub images: Vec<String>,
}

impl StepNumbers {
    /// Returns what the reader's requests cost.
    pub fn request_cost(&self) -> Cost {
        self.requests.iter().map(|asked| asked.cost).sum()
    }

    /// Returns everything that the step cost: observation, legend, answers.
    pub fn cost(&self) -> Cost {
        [self.observation, self.legend, self.request_cost()].into_iter().sum()
    }
}

/// One row: trace × step × strategy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measurement {
    /// Id of the trace in the run: its scenario's name.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// The numbers, or the error that left none.
    pub outcome: Outcome,
}

/// What became of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It was observed.
    Observed(Box<StepNumbers>),
    /// The strategy failed.
    Failed {
        /// What went wrong.
        error: String,
    },
}

impl Measurement {
    /// Returns the numbers; none if the strategy failed.
    pub fn numbers(&self) -> Option<&StepNumbers> {
        match &self.outcome {
            Outcome::Observed(numbers) => Some(numbers),
            Outcome::Failed { .. } => None,
        }
    }

    /// Returns the error, if the strategy failed.
    pub fn error(&self) -> Option<&str> {
        match &self.outcome {
            Outcome::Observed(_) => None,
            Outcome::Failed { error } => Some(error),
        }
    }
}

/// One row a task: trace × strategy, summed over its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Steps with a delta.
    pub deltas: u32,
    /// Requests of the reader.
    pub calls: u32,
    /// Everything shown: observations, legend, answers.
    pub cost: Cost,
    /// Of that, the legend.
    pub legend: Cost,
    /// Of that, the answers to requests.
    pub requests: Cost,
    /// Sum over steps of the context when everything shown is kept.
    pub context_keep_all: Cost,
    /// Sum over steps of the context when only the last full observation and what followed it is kept (and the legend).
    pub context_keep_last_full: Cost,
    /// Facts of all steps.
    pub facts: FactScore,
    /// Refs of all steps.
    pub refs: RefScore,
    /// Unmarked differences of all steps; none where no step counted them.
    pub unmarked_differences: Option<u32>,
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
            failed: 0,
            finished: true,
            success: complete && !rows.is_empty(),
            successful_steps: 0,
            deltas: 0,
            calls: 0,
            cost: Cost::default(),
            legend: Cost::default(),
            requests: Cost::default(),
            context_keep_all: Cost::default(),
            context_keep_last_full: Cost::default(),
            facts: FactScore::default(),
            refs: RefScore::default(),
            unmarked_differences: None,
        };
        let mut since_full = Cost::default();
        for row in rows {
            let Some(numbers) = row.numbers() else {
                task.failed += 1;
                task.finished = false;
                task.success = false;
                continue;
            };
            task.success &= numbers.success;
            task.successful_steps += u32::from(numbers.success);
            task.calls += count(numbers.requests.len());
            task.cost += numbers.cost();
            task.legend += numbers.legend;
            task.requests += numbers.request_cost();
            if numbers.kind == RowKind::Full {
                since_full = Cost::default();
            } else {
                task.deltas += 1;
            }
            since_full += numbers.observation;
            since_full += numbers.request_cost();
            let everything = task.cost;
            task.context_keep_all += everything;
            task.context_keep_last_full += since_full;
            let legend = task.legend;
            task.context_keep_last_full += legend;
            task.facts.total += numbers.facts.total;
            task.facts.read += numbers.facts.read;
            task.facts.by_pixels += numbers.facts.by_pixels;
            task.refs.shown += numbers.refs.shown;
            task.refs.surviving += numbers.refs.surviving;
            task.refs.kept += numbers.refs.kept;
            task.refs.wrong_rebinds += numbers.refs.wrong_rebinds;
            if let Some(unmarked) = numbers.unmarked_differences {
                *task.unmarked_differences.get_or_insert(0) += unmarked;
            }
        }
        task
    }
}

/// Latency of one step of one strategy; never part of a comparison for equality.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Id of the trace in the run.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// Loading the step (page, payloads, images); shared by all strategies of the step.
    pub load: Micros,
    /// The stages that the strategy announced, by name (`route`, `extract`, `diff`, `format`).
    pub stages: BTreeMap<String, Micros>,
    /// The whole of `observe`.
    pub observe: Micros,
    /// Counting tokens.
    pub count: Micros,
    /// Whether the numbers are the last measured ones of an earlier run.
    pub cached: bool,
    /// When they were measured, as the caller of that run gave it.
    pub date: String,
    /// On which machine, as the caller of that run named it.
    pub machine: String,
}

/// Returns a length as a row's integer.
pub(crate) fn count(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(step: u32, kind: RowKind, tokens: u64, legend: u64, success: bool) -> Measurement {
        let text = |o200k| Cost { o200k, cl100k: o200k + 1, images: ImageCost::default() };
        let numbers = StepNumbers {
            kind,
            reason: String::new(),
            representation: None,
            bytes: 0,
            observation: text(tokens),
            legend: if legend > 0 { text(legend) } else { Cost::default() },
            requests: Vec::new(),
            target: TargetScore::NOT_NEEDED,
            fresh: FreshScore::default(),
            facts: FactScore { total: 2, read: 2, by_pixels: 0 },
            refs: RefScore::default(),
            unmarked_differences: None,
            success,
            text: String::new(),
            images: Vec::new(),
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
        assert_eq!((task.deltas, task.facts.total, task.success), (2, 8, true));
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
