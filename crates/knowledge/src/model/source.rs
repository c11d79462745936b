//! Where something is known from, and how sure it is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn certain() -> f64 {
    1.0
}

/// Who inferred something that was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Inference {
    /// Other recordings that connect the same screens.
    Graph,
    /// A language model.
    Llm,
}

/// Where something is known from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Provenance {
    /// It happened in a recording.
    Trace {
        /// BLAKE3 hash of the trace file, in hex.
        trace_hash: String,
        /// Step of the recording.
        step: u32,
    },
    /// It was read in a document.
    Document {
        /// Name of the document.
        name: String,
        /// Line, counted from 1.
        line: u32,
    },
    /// It was seen by the crawler.
    Crawl {
        /// URL of the page.
        url: String,
    },
    /// It was inferred.
    Inferred {
        /// By what.
        by: Inference,
        /// What the inference can be looked up by (hash of a request, ids of a path); empty if
        /// nothing.
        #[serde(default)]
        evidence: String,
    },
}

/// How sure something is, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Whether it was inferred and never observed.
    #[serde(default)]
    pub inferred: bool,
    /// From 0 to 1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// Why it is believed, in words; empty for what was observed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
}

impl Default for Metadata {
    fn default() -> Self {
        Self { inferred: false, confidence: 1.0, reasoning: String::new() }
    }
}
