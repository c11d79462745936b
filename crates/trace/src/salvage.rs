//! Writes what can be read of a damaged trace into a new one.
//!
//! In: a damaged file. Out: a new trace that opens, and how much was lost. Invariants: the damaged
//! file is not touched; only rows that match their seal and bodies that match their hash are taken;
//! steps keep their numbers, and a step of which nothing can be read stands there with an empty
//! capture and says so.

use crate::error::{Location, TraceError};
use crate::file;
use crate::reader::{PayloadRow, Trace, read_meta};
use crate::record::{Outcome, Settled, StepRecord, StepRow, TraceMeta, TraceSource};
use crate::redact::Redactor;
use crate::rows::{is_whole, readable_keys};
use crate::schema::{ACTION, ACTION_NODE, ENTITY_LIST, EVENT_TABLES, META, PAYLOAD, STEP, Table};
use crate::writer::{TraceWriter, beside};
use browserlens_core::page::{Capture, Payload, Viewport};
use browserlens_core::strategy::{Event, EventFilter, StepIndex};
use rusqlite::Connection;
use std::path::{Path, PathBuf};

/// What [`salvage`] kept and lost.
#[derive(Clone, Debug, PartialEq, Eq)]
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
/// [`TraceError::NotATrace`] if nothing of the file can be read; [`TraceError::Exists`] if `to`
/// exists; others if it cannot be written.
pub fn salvage(from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<SalvageReport, TraceError> {
    let (from, to) = (from.as_ref(), to.as_ref());
    if to.exists() {
        return Err(TraceError::Exists { path: to.to_owned() });
    }
    // A journal that cannot be rolled back leaves the pages as they are, and row seals tell which
    // of them to trust.
    let _ = file::roll_back_journal(from);
    let copy = beside(to)?;
    let result = file::open_damaged(from, &copy).and_then(|connection| Salvage::new(from, connection)?.write(to));
    let name = copy.to_path_buf();
    match copy.close() {
        Err(error) if result.is_ok() => Err(TraceError::io(&name, "remove the working copy")(error)),
        _ => result,
    }
}

struct Salvage {
    trace: Trace,
    has_meta: bool,
    payloads: Vec<(i64, PayloadRow)>,
    lost_payloads: u32,
}

impl Salvage {
    fn new(from: &Path, connection: Connection) -> Result<Self, TraceError> {
        let tables: rusqlite::Result<i64> = connection.query_row(
            "SELECT count(*) FROM sqlite_schema WHERE name IN ('step', 'payload', 'blob')",
            [],
            |row| row.get(0),
        );
        if !matches!(tables, Ok(3)) {
            let reason = "its list of tables cannot be read".to_owned();
            return Err(TraceError::NotATrace { path: from.to_owned(), reason });
        }
        let meta = is_whole(&connection, &META, 1).then(|| read_meta(&connection, from).ok()).flatten();
        let whole = |table: &Table| -> Vec<i64> {
            readable_keys(&connection, table).into_iter().filter(|key| is_whole(&connection, table, *key)).collect()
        };
        let rows = whole(&PAYLOAD);
        let listed = readable_keys(&connection, &PAYLOAD).len();
        let last_step = whole(&STEP).into_iter().max();
        let promised = meta.as_ref().and_then(|(_, _, steps)| *steps);
        let steps =
            last_step.map_or(0, |last| u32::try_from(last).unwrap_or(0).saturating_add(1)).max(promised.unwrap_or(0));
        let has_meta = meta.is_some();
        let meta = meta.map_or_else(unknown_meta, |(meta, _, _)| meta);
        let trace = Trace::damaged(from, connection, meta, steps);
        let payloads: Vec<(i64, PayloadRow)> = rows.iter().filter_map(|id| payload(&trace, *id)).collect();
        let lost_payloads = (listed - payloads.len()) as u32;
        Ok(Self { trace, has_meta, payloads, lost_payloads })
    }

    fn write(self, to: &Path) -> Result<SalvageReport, TraceError> {
        let mut report = SalvageReport {
            to: to.to_owned(),
            meta: self.has_meta,
            steps: self.trace.len(),
            empty_steps: Vec::new(),
            payloads: 0,
            lost_payloads: self.lost_payloads,
            events: 0,
            lost_events: 0,
            lost_actions: 0,
        };
        let mut events = self.events(&mut report);
        let mut writer = TraceWriter::create(to, self.trace.meta(), Redactor::done_before())?;
        if let Ok(Some(origin)) = self.trace.origin() {
            writer.set_origin(&origin)?;
        }
        for number in 0..self.trace.len() {
            let mut step = self.step(StepIndex(number), &mut report);
            let later = events.partition_point(|event| event.step <= number);
            step.events = events.drain(..later).filter(|event| event.step == number).collect();
            if step.capture.payloads.is_empty() {
                report.empty_steps.push(step.index);
            }
            writer.write_step(step)?;
        }
        let lost = report.lost_payloads + report.lost_events + report.lost_actions;
        writer.finish(Outcome::Incomplete { reason: format!("salvaged: {lost} rows could not be read") })?;
        Ok(report)
    }

    fn events(&self, report: &mut SalvageReport) -> Vec<Event> {
        let mut events = Vec::new();
        for (kind, table) in EVENT_TABLES {
            for position in readable_keys(self.trace.connection(), table) {
                let filter = EventFilter { kinds: vec![kind.to_owned()], ..EventFilter::default() };
                let after = u64::try_from(position).ok().and_then(|position| position.checked_sub(1));
                let found = is_whole(self.trace.connection(), table, position)
                    .then(|| self.trace.events(&filter, after, 1).ok())
                    .flatten();
                match found.and_then(|mut found| found.pop()).filter(|event| event.position as i64 == position) {
                    Some(event) => events.push(event),
                    None => report.lost_events += 1,
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
        report.events = events.len() as u32;
        events
    }

    fn step(&self, index: StepIndex, report: &mut SalvageReport) -> StepRecord {
        let number = i64::from(index.0);
        let connection = self.trace.connection();
        let row = is_whole(connection, &STEP, number)
            .then(|| self.trace.step_alone(index).ok())
            .flatten()
            .unwrap_or_else(|| StepRow {
                index,
                tab: 0,
                action: None,
                settled: Settled {
                    quiet: false,
                    waited_ms: 0,
                    reason: "lost: the row of this step could not be read".to_owned(),
                },
                torn_retries: 0,
                timings: Vec::new(),
            });
        let nodes_whole = || {
            let sql = "SELECT id FROM action_node WHERE step = ?1";
            let ids = connection
                .prepare_cached(sql)
                .and_then(|mut found| found.query_map([number], |row| row.get(0))?.collect::<Result<Vec<i64>, _>>());
            ids.is_ok_and(|ids| ids.into_iter().all(|id| is_whole(connection, &ACTION_NODE, id)))
        };
        let action = (is_whole(connection, &ACTION, number) && nodes_whole())
            .then(|| self.trace.action(index).ok())
            .flatten()
            .flatten();
        if action.is_none() && number > 0 {
            report.lost_actions += 1;
        }
        let mut capture = Capture::default();
        let mut kept = Vec::new();
        for (_, row) in self.payloads.iter().filter(|(step, _)| *step == number) {
            match self.trace.body(row.blob, &Location::row(PAYLOAD.name, row.id)) {
                Ok(body) => {
                    kept.push(row.blob);
                    report.payloads += 1;
                    capture.payloads.push(Payload { kind: row.kind, frame: row.frame, node: row.node, body });
                }
                Err(_) => report.lost_payloads += 1,
            }
        }
        self.trace.keep_bodies(&kept);
        let entities = is_whole(connection, &ENTITY_LIST, number)
            .then(|| self.trace.entities(index).ok())
            .flatten()
            .unwrap_or_default();
        let StepRow { tab, settled, torn_retries, timings, .. } = row;
        StepRecord { index, tab, action, capture, events: Vec::new(), entities, timings, settled, torn_retries }
    }
}

/// Reads a payload's row and its step.
fn payload(trace: &Trace, id: i64) -> Option<(i64, PayloadRow)> {
    let sql = "SELECT id, kind, frame, node, blob, step FROM payload WHERE id = ?1";
    let mut statement = trace.connection().prepare_cached(sql).ok()?;
    let mut rows = statement.query([id]).ok()?;
    let row = rows.next().ok().flatten()?;
    let step = row.get(5).ok()?;
    trace.payload_row(row).ok().map(|row| (step, row))
}

fn unknown_meta() -> TraceMeta {
    let unknown = || "unknown (salvaged)".to_owned();
    TraceMeta {
        scenario: unknown(),
        goal: unknown(),
        site: None,
        source: TraceSource::Recorded,
        viewport: Viewport::default(),
        locale: unknown(),
        timezone: unknown(),
        browser: unknown(),
        tool: unknown(),
        recorded_at: None,
    }
}
