//! Copies a trace without some of its steps or payloads.
//!
//! In: a trace and what to leave out. Out: a new trace. Invariant: what is kept is kept as it was,
//! placeholders included.

use crate::error::TraceError;
use crate::reader::Trace;
use crate::record::Outcome;
use crate::redact::Redactor;
use crate::writer::TraceWriter;
use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::StepIndex;
use std::path::Path;

/// What [`prune`] leaves out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PruneOptions {
    /// Keeps only this many steps from the start; none keeps all.
    pub steps: Option<u32>,
    /// Leaves out payloads of these kinds.
    pub drop: Vec<PayloadKind>,
    /// Leaves out the bodies of requests and responses.
    pub drop_bodies: bool,
}

/// Copies the trace `from` to the new file `to` without what `options` names.
///
/// # Errors
/// [`TraceError`] if `from` cannot be read, or `to` exists or cannot be written.
pub fn prune(from: impl AsRef<Path>, to: impl AsRef<Path>, options: &PruneOptions) -> Result<(), TraceError> {
    let trace = Trace::open(from)?;
    let mut writer = TraceWriter::create(&to, trace.meta(), Redactor::done_before())?;
    if let Some(origin) = trace.origin()? {
        writer.set_origin(&origin)?;
    }
    let kept = options.steps.map_or(trace.len(), |steps| steps.min(trace.len()));
    let copied = (0..kept).try_for_each(|index| {
        let mut record = trace.record(StepIndex(index))?;
        record.capture.payloads.retain(|payload| !options.drop.contains(&payload.kind));
        if options.drop_bodies {
            record.drop_bodies();
        }
        writer.write_step(record)
    });
    let outcome = match trace.outcome() {
        Outcome::Complete if kept < trace.len() => {
            Outcome::Incomplete { reason: format!("pruned to {kept} of {} steps", trace.len()) }
        }
        outcome => outcome,
    };
    copied.and_then(|()| writer.finish(outcome)).inspect_err(|_| {
        // Half a copy is of no use, and the original is untouched.
        let _ = std::fs::remove_file(to.as_ref());
    })
}
