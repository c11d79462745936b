//! The one way into a trace: a step and what was captured after it become a [`StepRecord`].
//!
//! In: what was done and seen, from a scenario, from a client of ours, or from somebody else's
//! agent. Out: a trace file, and reports. Invariants: steps are numbered as they come; a trace is
//! always finished, with the reason where it ended early.

use crate::error::RecordError;
use crate::options::StepReport;
use browserlens_core::page::{Capture, NodeKey};
use browserlens_core::strategy::{ActionKind, Intent, NodeHint, StepIndex, TakenAction};
use browserlens_trace::{
    ActionRecord, CreateOptions, Outcome, Redactor, Settled, StepRecord, TraceError, TraceMeta, TraceWriter,
};
use std::path::Path;
use std::time::Instant;

pub(crate) use browserlens_trace::scenario::in_words;

pub(crate) struct StepWriter {
    writer: TraceWriter,
    steps: Vec<StepReport>,
}

impl StepWriter {
    /// Creates a trace, which says that this tool wrote it; `force` replaces one that stands there.
    pub(crate) fn create(out: &Path, force: bool, meta: TraceMeta, redactor: Redactor) -> Result<Self, RecordError> {
        let meta = TraceMeta { tool: concat!("browserlens ", env!("CARGO_PKG_VERSION")).to_owned(), ..meta };
        let writer = TraceWriter::create_with(out, &meta, redactor, CreateOptions { force })?;
        Ok(Self { writer, steps: Vec::new() })
    }

    /// Returns the number of the next step.
    pub(crate) fn next(&self) -> u32 {
        self.steps.len() as u32
    }

    /// A secret that was typed: it is replaced wherever it occurs from now on.
    pub(crate) fn learn(&mut self, secret: &str) {
        self.writer.redactor_mut().learn(secret);
    }

    /// Redacts, numbers and writes a step that began at a time and whose capture took so long;
    /// returns how long all of it took. Times are in milliseconds.
    pub(crate) fn write(&mut self, step: StepRecord, began: Instant, capture_millis: u64) -> Result<u64, RecordError> {
        let index = self.next();
        let (settled, torn_retries) = (step.settled.clone(), step.torn_retries);
        self.writer.write_step(StepRecord { index: StepIndex(index), ..step })?;
        let millis = began.elapsed().as_millis() as u64;
        self.steps.push(StepReport { index, settled, torn_retries, millis, capture_millis });
        Ok(millis)
    }

    /// Ends the trace.
    pub(crate) fn finish(self, outcome: Outcome) -> (Vec<StepReport>, Result<(), TraceError>) {
        (self.steps, self.writer.finish(outcome))
    }
}

/// Returns a step of which nothing is known but its tab, what was captured and how the page came to rest; the
/// writer numbers it.
pub(crate) fn step_of(tab: u32, capture: Capture, settled: Settled) -> StepRecord {
    StepRecord {
        index: StepIndex(0),
        tab,
        action: None,
        capture,
        events: Vec::new(),
        entities: Vec::new(),
        timings: Vec::new(),
        settled,
        torn_retries: 0,
    }
}

/// Returns the record of an action on a node of the capture before it, with every node that would
/// have done as well.
pub(crate) fn acted(
    kind: ActionKind,
    text: String,
    node: Option<NodeHint>,
    acceptable: Vec<NodeKey>,
    before: StepIndex,
) -> ActionRecord {
    let intent = Intent { action: kind, node: node.clone(), text: text.clone() };
    let taken = TakenAction { kind, node, text, error: None };
    let target = acceptable.first().copied();
    ActionRecord { taken, intent, target, acceptable, resolved_in: before, point: None }
}
