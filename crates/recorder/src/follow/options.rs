//! How somebody else's browser is recorded, and what came of it.
//!
//! In: what the caller wants. Out: [`FollowOptions`], [`FollowReport`]. Invariant: the defaults
//! touch nothing of the browser that is looked at.

use crate::options::{Cancel, ProgressCallback, StepReport};
use browserlens_trace::RedactionKey;
use std::path::PathBuf;
use std::time::Duration;

/// How somebody else's browser is recorded.
#[derive(Clone)]
pub struct FollowOptions {
    /// Where the browser's protocol is: `http://host:port` or `ws://…`.
    pub url: String,
    /// The trace to write.
    pub out: PathBuf,
    /// Name that the trace carries in place of a scenario's.
    pub name: String,
    /// What the agent was told to do, if it is known.
    pub goal: String,
    /// Whether a trace that stands at `out` is replaced.
    pub force: bool,
    /// Whether each step keeps a picture of the viewport.
    pub screenshots: bool,
    /// Ends the recording when nothing was done for so long.
    pub idle: Option<Duration>,
    /// Longest time that a page is given to become quiet after an action.
    pub ceiling: Duration,
    /// Key of the placeholders of secrets.
    pub redaction_key: RedactionKey,
    /// Date of the recording, as RFC 3339.
    pub recorded_at: Option<String>,
    /// Told of every step.
    pub progress: Option<ProgressCallback>,
    /// Ends the recording.
    pub cancel: Cancel,
}

impl FollowOptions {
    /// Returns options that record the browser at `url` to `out`.
    pub fn new(url: impl Into<String>, out: impl Into<PathBuf>) -> Self {
        let out = out.into();
        let name = out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            url: url.into(),
            out,
            name,
            goal: String::new(),
            force: false,
            screenshots: true,
            idle: None,
            ceiling: Duration::from_secs(10),
            redaction_key: RedactionKey::Fixed,
            recorded_at: None,
            progress: None,
            cancel: Cancel::default(),
        }
    }
}

browserlens_core::opaque_debug!(self: FollowOptions { url: self.url, out: self.out });

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowReport {
    /// The trace.
    pub path: PathBuf,
    /// The steps.
    pub steps: Vec<StepReport>,
    /// How many steps have a capture that was not taken between their action and the next.
    pub late: u32,
    /// What ended it, in words.
    pub ended: String,
    /// Wall time of the whole, in milliseconds.
    pub millis: u64,
}
