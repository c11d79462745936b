//! Measurements: one row a step and one a task, raw integers in base units.
//!
//! In: what the engine counted and the reader scored. Out: plain rows that `report` turns into
//! tables. Invariants: a failed step is a row with its error and no numbers; nothing here depends
//! on time, thread or machine (timings are rows of their own, in a file of their own); rows are
//! ordered by trace, strategy and step.

mod cost;
mod scores;
mod task;

pub use cost::{Cost, ImageCost, PerMille, Tokenizer, UnknownShare};
pub(crate) use scores::{Count, adds_up};
pub use scores::{
    ExamScore, FactScore, FreshScore, MarkScore, ProbeScore, RefScore, RequiredScore, Scores, ScrollScore, TargetScore,
};
pub use task::TaskMeasurement;

use browserlens_core::named;
use browserlens_core::strategy::Request;
use browserlens_core::tokens::Micros;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Version of what is measured and how; part of every cache key. Bumped whenever a number may
/// change.
pub const METRIC_VERSION: u32 = 4;

named! {
    /// Whether an observation stands alone.
    #[derive(Default)]
    pub enum RowKind {
        /// Stands alone.
        #[default]
        Full = "full",
        /// Changes the shown state.
        Delta = "delta",
    }
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Tokens of the tool definitions that the agent is given: at step 0 only, and no part of
    /// [`StepNumbers::cost`].
    pub definitions: Cost,
    /// The reader's requests, in order; each counts as a call.
    pub requests: Vec<AskedRequest>,
    /// What the reader made of the next action's node.
    pub target: TargetScore,
    /// What it made of the node that a drag ends on; not needed for any other action.
    pub drop_target: TargetScore,
    /// What is counted, and adds up over steps.
    #[serde(flatten)]
    pub scores: Scores,
    /// For each fact of the step, whether it was read.
    pub facts_read: Vec<bool>,
    /// The set of nodes that the step cannot do without.
    pub required: RequiredScore,
    /// What scrolling would cost and bring.
    pub scrolls: ScrollScore,
    /// Actionable, nothing shown wrong, all facts read.
    pub success: bool,
    /// The same for the simple reader of the lens' text; of other grammars, whose readers are
    /// literal already, the same.
    #[serde(default)]
    pub simple: bool,
    /// Ids of the exam's questions whose answer is not told, or not beside its owner.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub exam_missed: Vec<String>,
    /// Ids of the attacks of the step's page that succeeded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<String>,
    /// Content hash of the text.
    pub text: String,
    /// Content hashes of the images.
    pub images: Vec<String>,
}

impl StepNumbers {
    /// Returns the content hashes of every text, answers included.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.text).chain(self.requests.iter().map(|asked| &asked.text))
    }

    /// Returns the content hashes of every image, those of answers included.
    pub(crate) fn all_images(&self) -> impl Iterator<Item = &String> {
        self.images.iter().chain(self.requests.iter().flat_map(|asked| &asked.images))
    }

    /// Returns what the reader's requests cost.
    pub fn request_cost(&self) -> Cost {
        self.requests.iter().map(|asked| asked.cost).sum()
    }

    /// Returns what the scrolls would cost: after each the observation is sent again, at the size
    /// of this one.
    pub fn scroll_cost(&self) -> Cost {
        self.observation.times(self.scrolls.scrolls)
    }

    /// Returns everything that the step cost: observation, legend, answers; no scrolls and no tool
    /// definitions.
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
