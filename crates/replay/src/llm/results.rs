//! What models made of a run: one row a step, and the four numbers of Mind2Web.
//!
//! In: scored steps. Out: `llm.json` in the run's folder: one entry a reader (model, tier, prompt,
//! settings) with its rows, raw integers; and [`summarise`]. Invariants: rows are ordered by trace,
//! strategy and step of the run; reading a run again with the same reader replaces its rows and
//! nothing else; no time, machine or endpoint stands in the file.
//!
//! * *Element accuracy*, *operation F1*, *step success rate*: mean over the asked steps of a task,
//!   then mean over tasks (macro).
//! * *Task success rate*: share of tasks whose asked steps all succeed.
//!
//! A step without an answer (no JSON, refused, the strategy failed) is a wrong step. One that the
//! endpoint never answered counts too, and is named: it is asked for again when the run is read
//! again.

use super::answer::{NextAction, NoAnswer};
use super::error::LlmReadError;
use super::score::{ElementScore, OperationScore, ResolvedBy};
use crate::store::write_atomically;
use browserlens_llm::ResponseFormat;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Version of the form of `llm.json`.
pub const LLM_RESULTS_VERSION: u32 = 1;
const FILE: &str = "llm.json";

/// What became of one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RowOutcome {
    /// The model named an action.
    Answered(NextAction),
    /// It said something else.
    NoAnswer(NoAnswer),
    /// The endpoint refused the request, such as one longer than the model's context.
    Refused {
        /// HTTP status.
        status: u16,
        /// What the endpoint said.
        message: String,
    },
    /// The endpoint did not answer.
    Failed {
        /// Why.
        error: String,
    },
    /// The strategy showed nothing.
    NotObserved {
        /// Its error.
        error: String,
    },
}

/// One row: trace × strategy × step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LlmRow {
    /// Id of the trace in the run.
    pub trace: String,
    /// Name of the strategy.
    pub strategy: String,
    /// Index of the step.
    pub step: u32,
    /// What became of the question.
    pub outcome: RowOutcome,
    /// Whether the element was right.
    pub element: ElementScore,
    /// How much of the operation was right.
    pub operation: OperationScore,
    /// Tokens of the request, as the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer, as the endpoint counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}

impl LlmRow {
    /// Returns whether element and operation are right.
    pub fn is_success(&self) -> bool {
        self.element.right && self.operation.is_exact()
    }
}

/// Something of the run that was not asked about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct LeftOut {
    /// A trace or a strategy.
    pub what: String,
    /// Why.
    pub reason: String,
}

/// Settings that answers depend on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Which observations the model sees.
    pub context: String,
    /// Whether images were sent.
    pub images: bool,
    /// How the endpoint was told that the answer is JSON.
    pub response_format: ResponseFormat,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// Temperature.
    pub temperature: f64,
    /// More parameters of the request.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// One model over one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmReader {
    /// Name of the model.
    pub model: String,
    /// Which class of models it stands for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Version of the prompt.
    pub prompt: String,
    /// Settings.
    pub settings: Settings,
    /// One row an asked step.
    pub rows: Vec<LlmRow>,
    /// What was not asked about.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

impl LlmReader {
    fn is_same(&self, other: &Self) -> bool {
        (&self.model, &self.tier, &self.prompt, &self.settings)
            == (&other.model, &other.tier, &other.prompt, &other.settings)
    }
}

/// Everything that models made of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LlmResults {
    /// [`LLM_RESULTS_VERSION`].
    pub format: u32,
    /// The readers, in the order in which they first read the run.
    pub readers: Vec<LlmReader>,
}

impl Default for LlmResults {
    fn default() -> Self {
        Self { format: LLM_RESULTS_VERSION, readers: Vec::new() }
    }
}

impl LlmResults {
    /// Loads the results from the folder of a run; none if no model has read it.
    ///
    /// # Errors
    /// [`LlmReadError::Results`] if the file cannot be read.
    pub fn load(folder: &Path) -> Result<Option<Self>, LlmReadError> {
        load(&folder.join(FILE), LLM_RESULTS_VERSION)
    }

    /// Adds what a reader made of the run; rows of a trace and strategy that it read before are
    /// replaced.
    pub fn add(&mut self, reader: LlmReader) {
        let Some(before) = self.readers.iter_mut().find(|before| before.is_same(&reader)) else {
            self.readers.push(reader);
            return;
        };
        let is_read =
            |row: &LlmRow| reader.rows.iter().any(|new| new.trace == row.trace && new.strategy == row.strategy);
        before.rows.retain(|row| !is_read(row));
        before.rows.extend(reader.rows);
        before.rows.sort_by(|a, b| (&a.trace, &a.strategy, a.step).cmp(&(&b.trace, &b.strategy, b.step)));
        before.left_out.extend(reader.left_out);
        before.left_out.sort();
        before.left_out.dedup();
        let rows = &before.rows;
        before.left_out.retain(|left| !rows.iter().any(|row| row.strategy == left.what));
    }

    /// Writes the results into the folder of a run, whole or not at all.
    ///
    /// # Errors
    /// [`LlmReadError::Replay`] if they cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), LlmReadError> {
        save(&folder.join(FILE), self)
    }
}

/// Loads a file of results; none if there is none.
pub(super) fn load<T: DeserializeOwned>(path: &Path, newest: u32) -> Result<Option<T>, LlmReadError> {
    #[derive(Deserialize)]
    struct Version {
        format: u32,
    }
    let wrong = |reason: String| LlmReadError::Results { path: path.to_owned(), reason };
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(format!("cannot read the results: {error}"))),
    };
    let Version { format } = serde_json::from_slice(&bytes).map_err(|error| wrong(error.to_string()))?;
    if format > newest {
        return Err(wrong(format!("format {format}, this build reads up to {newest}")));
    }
    serde_json::from_slice(&bytes).map(Some).map_err(|error| wrong(error.to_string()))
}

/// Writes a file of results, whole or not at all.
pub(super) fn save<T: Serialize>(path: &Path, results: &T) -> Result<(), LlmReadError> {
    let wrong = |error: serde_json::Error| LlmReadError::Results { path: path.to_owned(), reason: error.to_string() };
    let json = serde_json::to_string_pretty(results).map_err(wrong)?;
    Ok(write_atomically(path, format!("{json}\n").as_bytes())?)
}

/// The numbers of one reader and strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct LlmSummary {
    /// Name of the strategy.
    pub strategy: String,
    /// Tasks with asked steps.
    pub tasks: u64,
    /// Asked steps.
    pub steps: u64,
    /// Element accuracy, macro.
    pub element_accuracy: f64,
    /// Operation F1, macro.
    pub operation_f1: f64,
    /// Step success rate, macro.
    pub step_success: f64,
    /// Tasks all of whose asked steps succeed.
    pub successful_tasks: u64,
    /// Steps whose answer named no action, or was refused.
    pub no_answer: u64,
    /// Steps that the endpoint never answered.
    pub failed: u64,
    /// Steps that the strategy failed to show.
    pub not_observed: u64,
    /// Steps whose element was looked up by words, because the strategy's own map was not known.
    pub by_words: u64,
}

/// Returns the numbers of a reader, one entry a strategy, in the order of the rows.
pub fn summarise(reader: &LlmReader) -> Vec<LlmSummary> {
    let mut seen = BTreeSet::new();
    let names = reader.rows.iter().map(|row| row.strategy.as_str()).filter(|name| seen.insert(*name));
    names.map(|strategy| summary_of(reader, strategy)).collect()
}

fn summary_of(reader: &LlmReader, strategy: &str) -> LlmSummary {
    let mut tasks: BTreeMap<&str, Vec<&LlmRow>> = BTreeMap::new();
    for row in reader.rows.iter().filter(|row| row.strategy == strategy) {
        tasks.entry(&row.trace).or_default().push(row);
    }
    let macro_mean = |value: fn(&LlmRow) -> f64| {
        let means = tasks.values().map(|rows| rows.iter().map(|row| value(row)).sum::<f64>() / rows.len() as f64);
        means.sum::<f64>() / tasks.len().max(1) as f64
    };
    let rows = || tasks.values().flatten();
    let count = |wanted: fn(&LlmRow) -> bool| rows().filter(|row| wanted(row)).count() as u64;
    LlmSummary {
        strategy: strategy.to_owned(),
        tasks: tasks.len() as u64,
        steps: rows().count() as u64,
        element_accuracy: macro_mean(|row| f64::from(u8::from(row.element.right))),
        operation_f1: macro_mean(|row| row.operation.f1()),
        step_success: macro_mean(|row| f64::from(u8::from(row.is_success()))),
        successful_tasks: tasks.values().filter(|rows| rows.iter().all(|row| row.is_success())).count() as u64,
        no_answer: count(|row| matches!(row.outcome, RowOutcome::NoAnswer(_) | RowOutcome::Refused { .. })),
        failed: count(|row| matches!(row.outcome, RowOutcome::Failed { .. })),
        not_observed: count(|row| matches!(row.outcome, RowOutcome::NotObserved { .. })),
        by_words: count(|row| row.element.by == ResolvedBy::Words),
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
mod tests;
