//! Writes what can be read of a damaged trace into a new one.
//!
//! In: a damaged file. Out: a new trace that opens, and how much was lost. Invariants: the damaged
//! file is not touched; only rows that match their seal and bodies that match their hash are taken;
//! steps keep their numbers, and a step of which nothing can be read stands there with an empty
//! capture and says so.

use crate::db::Db;
use crate::error::{Fault, TraceError};
use crate::file;
use crate::reader::{PayloadRow, Trace, read_meta};
use crate::record::{Outcome, Settled, StepRecord, StepRow, TraceMeta};
use crate::redact::Redactor;
use crate::schema::{ACTION, ACTION_NODE, ENTITY_LIST, EVENT_TABLES, META, PAYLOAD, STEP};
use crate::writer::{TraceWriter, beside};
use browserlens_core::page::{Capture, Payload};
use browserlens_core::strategy::{Event, EventFilter, StepIndex};
use std::path::{Path, PathBuf};

/// What [`salvage`] kept and lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// The new file.
    pub to: PathBuf,
    /// Whether meta data could be read.
    pub meta: bool,
    /// Steps in the new file.
    pub steps: u32,
    /// Steps among them of which nothing could be read.
    pub empty_steps: Vec<StepIndex>,
    /// Payloads kept.
    pub payloads: u32,
    /// Payloads that were listed and could not be read.
    pub lost_payloads: u32,
    /// Events kept.
    pub events: u32,
    /// Events that were listed and could not be read.
    pub lost_events: u32,
    /// Actions that could not be read.
    pub lost_actions: u32,
}

/// Writes what can be read of the trace `from` into the new file `to`.
///
/// # Errors
/// [`Fault::NotATrace`] if nothing of the file can be read; [`Fault::Exists`] if `to`
/// exists; others if it cannot be written.
pub fn salvage(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<SalvageReport, TraceError> {
    let (from, to) = (from.as_ref(), to.as_ref());
    if to.exists() {
        return Err(TraceError::new(to, Fault::Exists));
    }
    // A journal that cannot be rolled back leaves the pages as they are, and row seals tell which
    // of them to trust.
    let _ = file::roll_back_journal(from);
    let copy = beside(to)?;
    let result = file::open_damaged(from, &copy).and_then(|db| Salvage::new(db)?.write(to));
    let name = copy.to_path_buf();
    match copy.close() {
        Err(error) if result.is_ok() => Err(TraceError::io(&name, "remove the working copy")(error)),
        _ => result,
    }
}

struct Salvage {
    trace: Trace,
    /// Payloads that can be read, each with its step.
    payloads: Vec<(i64, PayloadRow)>,
    report: SalvageReport,
}

impl Salvage {
    fn new(db: Db) -> Result<Self, TraceError> {
        let sql = "SELECT count(*) FROM sqlite_schema WHERE name IN ('step', 'payload', 'blob')";
        if !matches!(db.number(STEP.place(), sql, []), Ok(Some(3))) {
            return Err(db.error(Fault::NotATrace("its list of tables cannot be read".to_owned())));
        }
        let meta = if db.is_whole(&META, 1) { read_meta(&db).ok() } else { None };
        let listed = db.readable_keys(&PAYLOAD);
        let whole: Vec<i64> = listed.iter().copied().filter(|id| db.is_whole(&PAYLOAD, *id)).collect();
        let last_step = db.readable_keys(&STEP).into_iter().rfind(|step| db.is_whole(&STEP, *step));
        let after_last = last_step.map_or(0, |last| u32::try_from(last).unwrap_or(0).saturating_add(1));
        let promised = meta.as_ref().and_then(|(_, _, steps)| *steps);
        let steps = after_last.max(promised.unwrap_or(0));
        let report = SalvageReport { meta: meta.is_some(), steps, ..SalvageReport::default() };
        let trace = Trace::damaged(db, meta.map_or_else(unknown_meta, |(meta, _, _)| meta), steps);
        let payloads: Vec<(i64, PayloadRow)> = whole.iter().filter_map(|id| payload(&trace, *id)).collect();
        let lost_payloads = (listed.len() - payloads.len()) as u32;
        Ok(Self { trace, payloads, report: SalvageReport { lost_payloads, ..report } })
    }

    fn write(mut self, to: &Path) -> Result<SalvageReport, TraceError> {
        let mut events = self.events();
        let mut writer = TraceWriter::create(to, self.trace.meta(), Redactor::done_before())?;
        if let Ok(Some(origin)) = self.trace.origin() {
            writer.set_origin(&origin)?;
        }
        for number in 0..self.trace.len() {
            let mut step = self.step(StepIndex(number));
            let later = events.partition_point(|event| event.step <= number);
            step.events = events.drain(..later).filter(|event| event.step == number).collect();
            if step.capture.payloads.is_empty() {
                self.report.empty_steps.push(step.index);
            }
            writer.write_step(step)?;
        }
        let report = SalvageReport { to: to.to_owned(), ..self.report };
        let lost = report.lost_payloads + report.lost_events + report.lost_actions;
        writer.finish(Outcome::Incomplete { reason: format!("salvaged: {lost} rows could not be read") })?;
        Ok(report)
    }

    fn events(&mut self) -> Vec<Event> {
        let db = self.trace.db();
        let mut events = Vec::new();
        for (kind, table) in EVENT_TABLES {
            let filter = EventFilter { kinds: vec![kind.to_owned()], ..EventFilter::default() };
            for position in db.readable_keys(table) {
                let after = u64::try_from(position).ok().and_then(|position| position.checked_sub(1));
                let found = db.is_whole(table, position).then(|| self.trace.events(&filter, after, 1));
                let event = found.and_then(|found| found.ok()?.pop());
                match event.filter(|event| event.position as i64 == position) {
                    Some(event) => events.push(event),
                    None => self.report.lost_events += 1,
                }
            }
        }
        events.sort_by_key(|event| (event.step, event.position));
        // A damaged file may hold positions that do not rise from step to step; the writer takes
        // only such as do.
        let mut last = None;
        events.retain(|event| {
            let rises = last.is_none_or(|last| event.position > last);
            last = if rises { Some(event.position) } else { last };
            rises
        });
        self.report.events = events.len() as u32;
        events
    }

    fn step(&mut self, index: StepIndex) -> StepRecord {
        let Self { trace, payloads, report } = self;
        let number = i64::from(index.0);
        let db = trace.db();
        let row = if db.is_whole(&STEP, number) { trace.step_alone(index).ok() } else { None };
        let StepRow { tab, settled, torn_retries, timings, .. } = row.unwrap_or_else(|| {
            let reason = "lost: the row of this step could not be read".to_owned();
            StepRow { settled: Settled { reason, ..Settled::default() }, ..StepRow::default() }
        });
        let nodes_whole = || {
            let sql = "SELECT id FROM action_node WHERE step = ?1";
            let ids = db.all(ACTION_NODE.place(), sql, [number], |row| Ok(row.get(0)?));
            ids.is_ok_and(|ids| ids.into_iter().all(|id| db.is_whole(&ACTION_NODE, id)))
        };
        let action = if db.is_whole(&ACTION, number) && nodes_whole() { trace.action(index).ok() } else { None };
        let action = action.flatten();
        if action.is_none() && number > 0 {
            report.lost_actions += 1;
        }
        let mut capture = Capture::default();
        let mut kept = Vec::new();
        for (_, row) in payloads.iter().filter(|(step, _)| *step == number) {
            match trace.body(row.blob, PAYLOAD.row(row.id)) {
                Ok(body) => {
                    kept.push(row.blob);
                    report.payloads += 1;
                    capture.payloads.push(Payload { kind: row.kind, frame: row.frame, node: row.node, body });
                }
                Err(_) => report.lost_payloads += 1,
            }
        }
        trace.blobs().keep(&kept);
        let entities = if db.is_whole(&ENTITY_LIST, number) { trace.entities(index).ok() } else { None };
        let (events, entities) = (Vec::new(), entities.unwrap_or_default());
        StepRecord { index, tab, action, capture, events, entities, timings, settled, torn_retries }
    }
}

/// Reads a payload's row and its step.
fn payload(trace: &Trace, id: i64) -> Option<(i64, PayloadRow)> {
    let sql = "SELECT id, kind, frame, node, blob, step FROM payload WHERE id = ?1";
    let found = trace.db().all(PAYLOAD.row(id), sql, [id], |row| Ok((row.get(5)?, trace.payload_row(row)?)));
    found.ok()?.pop()
}

fn unknown_meta() -> TraceMeta {
    let unknown = || "unknown (salvaged)".to_owned();
    TraceMeta {
        scenario: unknown(),
        goal: unknown(),
        locale: unknown(),
        timezone: unknown(),
        browser: unknown(),
        tool: unknown(),
        ..TraceMeta::default()
    }
}
