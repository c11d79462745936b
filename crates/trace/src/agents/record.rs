//! A run as values: who did what with which tool, what was answered, how it ended.

use browserlens_core::tokens::{Encoding, ImageSize};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the first line of a record says it is.
pub const FORMAT: &str = "browserlens-run";

/// Version of the format; a newer one is refused.
pub const VERSION: u32 = 1;

/// What was known before the first call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The task: runs of the same task are compared with each other.
    pub task: String,
    /// How hard the task is, from 1: one action, a form, several pages, long with traps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<u8>,
    /// What the agent was asked to do.
    pub goal: String,
    /// The tool that it reached pages through.
    pub tool: String,
    /// Who acted.
    #[serde(default)]
    pub agent: Agent,
    /// Everything that the agent was told before the goal: system prompt, skill.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub instructions: String,
    /// The list of tools as it was sent to the model, as JSON; null if it is not known.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub tools: Value,
    /// Most calls that were allowed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// When it began, as RFC 3339 in UTC.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub began: Option<String>,
    /// Where the record comes from: a format of [`crate::agents::Format`]; none if it was recorded by us.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imported: Option<String>,
    /// The file name of the trace of the run's pages, which lies beside the record; none if no page
    /// was recorded. [`Call::step`] says which call told of which of its steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
}

/// Who acted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Agent {
    /// The model, as its endpoint names it; none of a script, and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The script that acted in a model's place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<String>,
    /// Temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
}

/// One call of the tool, and its answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// Its number, from 1.
    pub call: u32,
    /// The turn of the model in which it was made, from 1; a model may make several calls at once.
    pub turn: u32,
    /// Name of the tool's function, or the command's program.
    pub name: String,
    /// What it was given.
    pub arguments: Value,
    /// What it answered.
    pub answer: String,
    /// Whether the tool called it an error.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_error: bool,
    /// Sizes of the images of the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<ImageSize>,
    /// How long it took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// Tokens of the answer's text, counted when the record is written.
    #[serde(default)]
    pub tokens: TextTokens,
    /// Tokens of the text that the model read for the turn, where the tool's own loop words it; none
    /// where it is all that was said before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<TextTokens>,
    /// What the model said before it, on the first call of a turn; none if words were not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What the endpoint counted for the turn, on its first call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The step of the run's trace whose page the answer tells of, from 0; none of an answer that
    /// tells of no page, or not of a whole one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
}

/// Tokens of one text under each encoding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextTokens {
    /// Under `o200k_base`.
    pub o200k_base: u32,
    /// Under `cl100k_base`.
    pub cl100k_base: u32,
}

impl TextTokens {
    /// Counts a text.
    pub fn of(text: &str) -> Self {
        Self { o200k_base: Encoding::O200kBase.count(text).0, cl100k_base: Encoding::Cl100kBase.count(text).0 }
    }

    /// Returns the count under one encoding.
    pub fn under(self, encoding: Encoding) -> u32 {
        match encoding {
            Encoding::O200kBase => self.o200k_base,
            Encoding::Cl100kBase => self.cl100k_base,
        }
    }
}

/// Tokens of a turn as the endpoint counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Read, those from its cache included.
    pub input: u64,
    /// Of them read from its cache.
    #[serde(default)]
    pub cached: u64,
    /// Written.
    pub output: u64,
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.cached = self.cached.saturating_add(other.cached);
        self.output = self.output.saturating_add(other.output);
    }
}

/// How a run ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct End {
    /// Why there were no more calls.
    pub end: EndReason,
    /// What the page or the site said of the result, never the agent; 1 is all of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reward: Option<f64>,
    /// The model's last words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// What the endpoint counted for the last turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// How long the whole run took, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ms: Option<u64>,
    /// BLAKE3 of the trace of the run's pages, in hexadecimal; another one is not taken for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_hash: Option<String>,
}

/// Why there were no more calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The agent stopped by itself.
    #[default]
    Stopped,
    /// The limit of calls was reached.
    Limit,
    /// The tool or the endpoint failed.
    Failed,
    /// The transcript does not say.
    Unknown,
}

/// A whole run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunRecord {
    /// What was known before.
    pub header: Header,
    /// The calls, in order.
    pub calls: Vec<Call>,
    /// How it ended; none if the record ends before the run did.
    pub end: Option<End>,
    /// Where and why it ends early, in words; none of a sealed record.
    pub cut: Option<String>,
}

impl RunRecord {
    /// Returns whether the task was done: the whole reward; none if nobody judged.
    pub fn is_success(&self) -> Option<bool> {
        let reward = self.end.as_ref()?.reward?;
        Some(reward >= 1.0)
    }
}
