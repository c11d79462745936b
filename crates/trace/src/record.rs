//! The records that go into a trace and come out of it.
//!
//! In: what the recorder saw. Out: plain types, the same for writer and reader.
//! Invariant: what the writer was given (redacted) the reader gives back.

use browserlens_core::hex_hash;
use browserlens_core::named;
use browserlens_core::page::{Capture, NodeKey, Viewport};
use browserlens_core::strategy::{Event, EventKind, Intent, NodeHint, StepIndex, TakenAction};
use serde::{Deserialize, Serialize};

named! {
    /// Where a trace comes from.
    #[derive(Default)]
    pub enum TraceSource {
        /// Recorded from a browser.
        #[default]
        Recorded = "recorded",
        /// Made from somebody else's recording.
        Imported = "imported",
        /// Written while a live page was served.
        Served = "served",
    }
}

/// What a trace is a recording of.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TraceMeta {
    /// Name of the scenario.
    pub scenario: String,
    /// Goal of the scenario, in the user's words.
    pub goal: String,
    /// Name of the bundled site, if it is one.
    pub site: Option<String>,
    /// Where the trace comes from.
    pub source: TraceSource,
    /// Viewport of the browser.
    pub viewport: Viewport,
    /// Locale, such as `en-US`.
    pub locale: String,
    /// Time zone, such as `UTC`.
    pub timezone: String,
    /// Name and version of the browser.
    pub browser: String,
    /// Name and version of the tool that wrote the trace, such as `browserlens 0.1.0`.
    pub tool: String,
    /// When it was recorded, as RFC 3339; none for bundled traces, whose bytes should not depend on
    /// the day.
    pub recorded_at: Option<String>,
}

/// An action with the node it was carried out on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// What was done.
    pub taken: TakenAction,
    /// What the reader is told beforehand.
    pub intent: Intent,
    /// The node that was acted on.
    #[serde(default)]
    pub target: Option<NodeKey>,
    /// Every node that would have done as well, the target included.
    #[serde(default)]
    pub acceptable: Vec<NodeKey>,
    /// The capture in which the nodes were resolved: of the step before.
    pub resolved_in: StepIndex,
    /// Where on the node it was acted, in CSS px of the document, for canvases.
    #[serde(default)]
    pub point: Option<(f32, f32)>,
}

impl ActionRecord {
    /// Gives each name of the nodes that it tells of, and of those around them.
    pub(crate) fn each_name(&mut self, mut each: impl FnMut(&mut String)) {
        for mut next in [self.taken.node.as_mut(), self.intent.node.as_mut()] {
            while let Some(NodeHint { name, within, .. }) = next {
                each(name);
                next = within.as_deref_mut();
            }
        }
    }
}

/// How a step came to rest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Whether the page was quiet when it was captured.
    pub quiet: bool,
    /// How long it was waited for, in page milliseconds.
    pub waited_ms: u32,
    /// What ended the wait, in words.
    pub reason: String,
}

/// Everything about one step, as the recorder hands it over.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRecord {
    /// Index of the step.
    pub index: StepIndex,
    /// Tab that was captured, counted from 0.
    pub tab: u32,
    /// The action that led here; none at step 0 of traces that begin on a page.
    pub action: Option<ActionRecord>,
    /// The capture: canonical, not redacted; screenshot, crops and second look included.
    pub capture: Capture,
    /// What happened since the step before.
    pub events: Vec<Event>,
    /// Logical entity ids, which only replay reads.
    pub entities: Vec<(NodeKey, String)>,
    /// Wall time per CDP call, in microseconds.
    pub timings: Vec<(String, u64)>,
    /// How the step came to rest.
    pub settled: Settled,
    /// How often the capture was torn and taken again.
    pub torn_retries: u32,
}

impl StepRecord {
    /// Leaves out the bodies of requests and responses.
    pub(crate) fn drop_bodies(&mut self) {
        for event in &mut self.events {
            if let EventKind::Request(request) = &mut event.kind {
                (request.request_body, request.response_body) = (None, None);
            }
        }
    }
}

/// One step as the trace lists it: without capture and events.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRow {
    /// Index of the step.
    pub index: StepIndex,
    /// Tab that was captured.
    pub tab: u32,
    /// The action that led here.
    pub action: Option<ActionRecord>,
    /// How the step came to rest.
    pub settled: Settled,
    /// How often the capture was torn and taken again.
    pub torn_retries: u32,
    /// Wall time per CDP call, in microseconds.
    pub timings: Vec<(String, u64)>,
}

/// How a recording ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// All steps are there.
    Complete,
    /// It ended early.
    Incomplete {
        /// Why, in words.
        reason: String,
    },
}

hex_hash! {
    /// BLAKE3 hash of a trace file's bytes; part of every cache key.
    pub struct TraceHash;
}
