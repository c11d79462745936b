//! What the passes beside the measured runs came to, as runs and the cache keep it.
//!
//! In: nothing. Out: rows about answers ([`AnswerInfo`]) and about questions ([`AskedInfo`]).
//! Invariant: counts and tokens only; what they mean is worked out from them elsewhere.

use browserlens_knowledge::gaps::HoleCount;
use browserlens_trace::scenario::Wording;
use serde::{Deserialize, Serialize};

/// What a kind of answer costs over the steps of a trace, and what it tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerInfo {
    /// Which answers: `unfiltered`, `default`, …, or the name and version of a tool.
    pub answers: String,
    /// Tokens of its console answers, over all steps.
    pub console: u64,
    /// Tokens of its network answers, over all steps.
    pub network: u64,
    /// Facts about messages and requests that it tells.
    pub told: u32,
    /// Facts that there are.
    pub facts: u32,
}

/// Up to how many sections an answer is asked for.
pub const DEPTH: usize = 5;

/// A question about a page, and what each way of reading gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AskedInfo {
    /// Its name within the scenario.
    pub id: String,
    /// The trace's step whose page was asked.
    pub step: u32,
    /// In whose words it is put.
    pub words: Wording,
    /// Whether the page answers it.
    pub answerable: bool,
    /// Whether it is counted apart, as one that nothing may be tuned by.
    pub held_out: bool,
    /// Tokens of all the text of the page.
    pub page: u64,
    /// One row a way of reading.
    pub ways: Vec<ReadInfo>,
}

/// What a way of reading gave for a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadInfo {
    /// Which way.
    pub way: String,
    /// Whether the answer was there with one section, with two, up to [`DEPTH`]. More sections may
    /// tell less: they share an answer's length.
    pub told: [bool; DEPTH],
    /// Whether anything was found, right or wrong.
    pub found: bool,
    /// Tokens of what an agent gets for one section, for two, up to [`DEPTH`].
    pub tokens: [u64; DEPTH],
}

/// Pages that were held back, and what recognition made of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCount {
    /// All of them.
    pub pages: u32,
    /// Those whose screen was known from elsewhere.
    pub asked: u32,
    /// Of those, the ones for which that screen was recognised.
    pub right: u32,
    /// Of all, the ones that were taken for another screen.
    pub wrong: u32,
}

/// Recorded actions, and how many each profile can say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TranslatedCount {
    /// All of them.
    pub actions: u32,
    /// In the tools that were proposed.
    pub seed: u32,
    /// In the tools of browser-use 0.13.
    pub browser_use: u32,
}

/// What is known of a trace and its variants from other recordings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownInfo {
    /// How many recordings of the scenario there are, variants included.
    pub recordings: u32,
    /// Screens of every second step, held back.
    pub steps: SeenCount,
    /// Screens of whole recordings, held back.
    pub whole: SeenCount,
    /// Actions.
    pub translated: TranslatedCount,
    /// Steps that were taken out; empty where the scenario has one recording.
    pub gaps: HoleCount,
}
