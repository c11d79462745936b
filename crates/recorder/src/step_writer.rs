//! The one way into a trace: a step and what was captured after it become a [`StepRecord`].
//!
//! In: what was done and seen, from a scenario, from a client of ours, or from somebody else's
//! agent. Out: a trace file, and reports. Invariants: steps are numbered as they come; a trace is
//! always finished, with the reason where it ended early.

use crate::error::RecordError;
use crate::options::StepReport;
use crate::settle::Rest;
use browserlens_core::page::{Capture, NodeKey};
use browserlens_core::strategy::{ActionKind, Event, Intent, NodeHint, StepIndex, TakenAction};
use browserlens_trace::scenario::{Target, called};
use browserlens_trace::{ActionRecord, Outcome, Settled, StepRecord, TraceError, TraceWriter};
use std::time::Instant;

/// A step before it is numbered.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) tab: u32,
    pub(crate) action: Option<ActionRecord>,
    pub(crate) capture: Capture,
    pub(crate) events: Vec<Event>,
    pub(crate) entities: Vec<(NodeKey, String)>,
    pub(crate) timings: Vec<(String, u64)>,
    pub(crate) rest: Rest,
    pub(crate) torn_retries: u32,
    /// When the step began, and how long its capture took.
    pub(crate) began: Instant,
    pub(crate) capture_millis: u64,
}

pub(crate) struct StepWriter {
    writer: TraceWriter,
    steps: Vec<StepReport>,
}

impl StepWriter {
    pub(crate) fn new(writer: TraceWriter) -> Self {
        Self { writer, steps: Vec::new() }
    }

    /// Returns the number of the next step.
    pub(crate) fn next(&self) -> u32 {
        self.steps.len() as u32
    }

    /// A secret that was typed: it is replaced wherever it occurs from now on.
    pub(crate) fn learn(&mut self, secret: &str) {
        self.writer.redactor_mut().learn(secret);
    }

    /// Redacts and writes a step; returns how long it took, in milliseconds.
    pub(crate) fn write(&mut self, taken: Taken) -> Result<u64, RecordError> {
        let index = self.next();
        let settled = Settled { quiet: taken.rest.quiet, waited_ms: taken.rest.waited_ms, reason: taken.rest.reason };
        let report = StepReport {
            index,
            action: taken.action.as_ref().map(|action| action.taken.kind),
            settled: settled.clone(),
            torn_retries: taken.torn_retries,
            millis: 0,
            capture_millis: taken.capture_millis,
        };
        self.writer.write_step(StepRecord {
            index: StepIndex(index),
            tab: taken.tab,
            action: taken.action,
            capture: taken.capture,
            events: taken.events,
            entities: taken.entities,
            timings: taken.timings,
            settled,
            torn_retries: taken.torn_retries,
        })?;
        let millis = taken.began.elapsed().as_millis() as u64;
        self.steps.push(StepReport { millis, ..report });
        Ok(millis)
    }

    /// Ends the trace.
    pub(crate) fn finish(self, outcome: Outcome) -> (Vec<StepReport>, Result<(), TraceError>) {
        (self.steps, self.writer.finish(outcome))
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

/// Returns a node in words: its role and name, and which one it is where several are called so.
pub(crate) fn in_words(page: &browserlens_core::page::Page, key: NodeKey) -> Option<NodeHint> {
    let node = page.find(key)?;
    let (role, name) = (node.role().to_owned(), called(node));
    let alike = Target::role(&role, &name).matches(page);
    let nth = alike.iter().position(|id| *id == node.id()).filter(|_| alike.len() > 1).map(|at| at as u32);
    Some(NodeHint { role, name, within: None, nth })
}
