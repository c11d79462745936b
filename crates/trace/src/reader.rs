//! Reads a trace.
//!
//! In: a path. Out: meta, steps, captures, events, entity ids. Invariants: the file is opened
//! read-only; what is handed out is what was written, or an error says which table and row is
//! damaged. A file that was finished carries a seal over all its bytes, which is checked on
//! opening; of an unfinished one every row is checked then; bodies are checked against their hash
//! when read.

mod actions;
mod checks;
mod payloads;

pub(crate) use checks::{check_blobs, check_rows};

pub(crate) use payloads::PayloadRow;

use crate::blob::{self, BlobReader};
use crate::db::Db;
use crate::error::{Fault, Location, TraceError};
use crate::events::Query;
use crate::file::{self, Opened, Trust};
use crate::record::{self, Settled, StepRecord, StepRow, TraceHash, TraceMeta, TraceSource};
use crate::schema::{
    ENTITY_LIST, EVENT_TABLES, FORMAT_VERSION, INDEXED_FROM, META, PAYLOAD, REQUEST, SEARCHED_FROM, STEP, TAB,
};
use crate::search::Without;
use browserlens_core::page::{Capture, NodeKey, Payload, PayloadKind, SecondLook, Viewport};
use browserlens_core::strategy::{BodyHead, BodySide, Event, EventFilter, EventTally, StepIndex};
use browserlens_core::sync::locked;
use checks::broken_in_a_blob;
use rusqlite::Row;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};

/// A trace file, opened for reading. One connection: give each thread its own.
pub struct Trace {
    db: Db,
    meta: TraceMeta,
    outcome: Outcome,
    steps: u32,
    hash: TraceHash,
    version: i64,
    bytes: u64,
    sealed: bool,
    without: Mutex<Without>,
    blobs: Mutex<BlobReader>,
}

browserlens_core::opaque_debug!(self: Trace { path: self.db.path, steps: self.steps });

impl Trace {
    /// Opens a trace, whole or left behind by a killed recorder.
    ///
    /// # Errors
    /// [`TraceError`] if the file is no trace, of a newer format, truncated, or has a changed byte.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        let opened = file::open(path.as_ref())?;
        if opened.trust != Trust::Sealed {
            let mut findings = Vec::new();
            check_rows(&opened, &mut findings)?;
            if let Some(first) = findings.into_iter().next() {
                return Err(first);
            }
            if opened.trust == Trust::Broken {
                return Err(broken_in_a_blob(&opened).unwrap_or_else(|| opened.db.error(Fault::Altered)));
            }
        }
        Self::from_opened(opened)
    }

    /// Takes a file as it is, for `verify` and `salvage`: only what cannot be read at all is an
    /// error.
    pub(crate) fn from_opened(opened: Opened) -> Result<Self, TraceError> {
        let Opened { db, version, hash, bytes, trust } = opened;
        let (meta, outcome, _) = read_meta(&db)?;
        if (trust == Trust::Unfinished) != (outcome.0 == "recording") {
            // The outcome and the place of the seal are written in one transaction.
            return Err(db.error(Fault::Altered));
        }
        let steps = u32::try_from(db.count(&STEP)?).unwrap_or(0);
        Ok(Self { outcome, hash, version, bytes, sealed: trust == Trust::Sealed, ..Self::damaged(db, meta, steps) })
    }

    /// Takes what can be read of a damaged file.
    pub(crate) fn damaged(db: Db, meta: TraceMeta, steps: u32) -> Self {
        Self {
            db,
            meta,
            outcome: ("incomplete".to_owned(), String::new()),
            steps,
            hash: TraceHash([0; 32]),
            version: FORMAT_VERSION,
            bytes: 0,
            sealed: false,
            without: Mutex::default(),
            blobs: Mutex::default(),
        }
    }

    pub(crate) fn blobs(&self) -> MutexGuard<'_, BlobReader> {
        // The cache holds only bodies that passed their hash, so one left by a panic is as good as
        // any.
        locked(&self.blobs)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.db.path
    }

    /// Returns what the trace is a recording of.
    pub fn meta(&self) -> &TraceMeta {
        &self.meta
    }

    /// Returns the format of the file.
    pub fn format_version(&self) -> i64 {
        self.version
    }

    /// Returns the size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the recording reached its end.
    pub fn is_complete(&self) -> bool {
        self.outcome.0 == "complete"
    }

    /// Returns why the recording did not reach its end; none if it did.
    pub fn incomplete_reason(&self) -> Option<&str> {
        match self.outcome.0.as_str() {
            "complete" => None,
            "recording" => Some("the recorder was killed, or is still at work"),
            _ => Some(&self.outcome.1),
        }
    }

    /// Returns how the recording ended, as a writer of a copy is told it.
    pub(crate) fn outcome(&self) -> record::Outcome {
        match self.incomplete_reason() {
            None => record::Outcome::Complete,
            Some(reason) => record::Outcome::Incomplete { reason: reason.to_owned() },
        }
    }

    /// Returns how many steps there are; their indices are `0..len`.
    pub fn len(&self) -> u32 {
        self.steps
    }

    /// Returns whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.steps == 0
    }

    /// Returns the BLAKE3 hash of the file's bytes as they were when it was opened.
    pub fn hash(&self) -> TraceHash {
        self.hash
    }

    pub(crate) fn db(&self) -> &Db {
        &self.db
    }

    pub(crate) fn body(&self, blob: i64, referrer: Location) -> Result<Arc<[u8]>, TraceError> {
        self.blobs().read(&self.db, blob, referrer)
    }

    pub(crate) fn no_step(&self, step: StepIndex) -> TraceError {
        self.db.error(Fault::NoStep { step, steps: self.steps })
    }

    /// Returns every step, in order, without capture and events.
    ///
    /// # Errors
    /// [`TraceError`] if a row cannot be read.
    pub fn steps(&self) -> Result<Vec<StepRow>, TraceError> {
        (0..self.steps).map(|index| self.step(StepIndex(index))).collect()
    }

    /// Returns one step, without capture and events.
    ///
    /// # Errors
    /// [`Fault::NoStep`] if there is none, or another if its row cannot be read.
    pub fn step(&self, index: StepIndex) -> Result<StepRow, TraceError> {
        let mut step = self.step_alone(index)?;
        step.action = self.action(index)?;
        Ok(step)
    }

    pub(crate) fn step_alone(&self, index: StepIndex) -> Result<StepRow, TraceError> {
        let place = STEP.row(index.0);
        let sql = "SELECT tab, settled_quiet, settled_waited_ms, settled_reason, torn_retries, timings FROM step \
            WHERE number = ?1";
        let found = self.db.first(place, sql, [index.0], |row| {
            let settled = Settled { quiet: row.get(1)?, waited_ms: row.get(2)?, reason: row.get(3)? };
            let (tab, torn_retries, timings) = (row.get(0)?, row.get(4)?, Vec::new());
            Ok((StepRow { index, tab, action: None, settled, torn_retries, timings }, row.get::<_, String>(5)?))
        })?;
        let (mut step, timings) = found.ok_or_else(|| self.no_step(index))?;
        step.timings = serde_json::from_str(&timings)
            .map_err(|error| self.db.damaged(place, format!("column timings: {error}")))?;
        Ok(step)
    }

    /// Returns the capture of a step: every payload in the order in which it was written.
    ///
    /// # Errors
    /// [`Fault::NoStep`], or the error of the first payload that cannot be read.
    pub fn capture(&self, step: StepIndex) -> Result<Capture, TraceError> {
        let listed = self.payload_rows(step)?;
        let mut blobs = self.blobs();
        let mut payloads = Vec::with_capacity(listed.len());
        for row in &listed {
            let body = blobs.read(&self.db, row.blob, PAYLOAD.row(row.id))?;
            payloads.push(Payload { kind: row.kind, frame: row.frame, node: row.node, body });
        }
        // The next step is built on these bodies.
        blobs.keep(&listed.iter().map(|row| row.blob).collect::<Vec<_>>());
        Ok(Capture { payloads })
    }

    /// Returns what changed by itself after the capture of a step, if that was looked at.
    ///
    /// # Errors
    /// [`TraceError`] if the payload cannot be read or is no [`SecondLook`].
    pub fn second_look(&self, step: StepIndex) -> Result<Option<SecondLook>, TraceError> {
        let listed = self.payload_rows(step)?;
        let Some(row) = listed.iter().find(|row| row.kind == PayloadKind::SecondLook) else { return Ok(None) };
        let place = PAYLOAD.row(row.id);
        serde_json::from_slice(&self.body(row.blob, place)?)
            .map(Some)
            .map_err(|error| self.db.damaged(place, format!("it is no second look: {error}")))
    }

    /// Returns at most `limit` events that pass the filter, from position `after` (exclusive) on,
    /// in order.
    ///
    /// # Errors
    /// [`TraceError`] if a row cannot be read.
    pub fn events(&self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, TraceError> {
        let mut blobs = self.blobs();
        let events = self.query(filter, after, limit).run(&mut blobs);
        // Bodies of requests are built on nothing and are seldom asked for twice.
        blobs.forget_single();
        events
    }

    fn query<'q>(&'q self, filter: &'q EventFilter, after: Option<u64>, limit: usize) -> Query<'q> {
        Query {
            db: &self.db,
            filter,
            after,
            limit,
            indexed: self.sealed && self.version >= INDEXED_FROM,
            searchable: self.sealed && self.version >= SEARCHED_FROM,
            without: &self.without,
        }
    }

    /// Returns how many events from position `after` (exclusive) on pass the filter, and where the
    /// last of them stands.
    ///
    /// # Errors
    /// [`TraceError`] if a table cannot be read.
    pub fn tally(&self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, TraceError> {
        self.query(filter, after, 0).tally()
    }

    /// Returns at most the first `limit` bytes of a body of the request at a position; the whole is
    /// never held in memory. None if there is no such request or it kept no body.
    ///
    /// # Errors
    /// [`TraceError`] if the body cannot be read.
    pub fn body_head(&self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, TraceError> {
        let column = match side {
            BodySide::Request => "request_body",
            BodySide::Response => "response_body",
        };
        let number = i64::try_from(position).unwrap_or(i64::MAX);
        let place = REQUEST.row(number);
        let sql = format!("SELECT {column} FROM request WHERE position = ?1");
        let id: Option<Option<i64>> = self.db.first(place, &sql, [number], |row| row.get(0))?;
        let Some(id) = id.flatten() else { return Ok(None) };
        let (head, bytes) = blob::read_head(&self.db, id, limit, place, !self.sealed)?;
        Ok(Some(BodyHead { head, bytes }))
    }

    /// Returns the page time of the latest event up to a step, in milliseconds; 0 if there is none.
    ///
    /// # Errors
    /// [`TraceError`] if a table cannot be read.
    pub fn latest_ms(&self, step: StepIndex) -> Result<u64, TraceError> {
        EVENT_TABLES.into_iter().try_fold(0, |latest, (_, table)| {
            let sql = format!("SELECT max(at_ms) FROM {} WHERE step <= ?1", table.name);
            Ok(self.db.number(table.place(), &sql, [step.0])?.unwrap_or(0).max(latest))
        })
    }

    /// Returns the tabs that were captured up to a step, in order.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn tabs(&self, step: StepIndex) -> Result<Vec<u32>, TraceError> {
        let sql = "SELECT number FROM tab WHERE first_step <= ?1 ORDER BY number";
        self.db.all(TAB.place(), sql, [step.0], |row| Ok(row.get(0)?))
    }

    /// Reads all that a step holds.
    pub(crate) fn record(&self, index: StepIndex) -> Result<StepRecord, TraceError> {
        let StepRow { tab, action, settled, torn_retries, timings, .. } = self.step(index)?;
        let filter = EventFilter { from_step: Some(index.0), to_step: Some(index.0), ..EventFilter::default() };
        let (capture, events) = (self.capture(index)?, self.events(&filter, None, usize::MAX)?);
        let entities = self.entities(index)?;
        Ok(StepRecord { index, tab, action, capture, events, entities, timings, settled, torn_retries })
    }

    /// Returns the logical entity ids of a step's nodes. Only replay may call this: no strategy
    /// ever sees them.
    ///
    /// # Errors
    /// [`TraceError`] if the list cannot be read.
    pub fn entities(&self, step: StepIndex) -> Result<Vec<(NodeKey, String)>, TraceError> {
        if step.0 >= self.steps {
            return Err(self.no_step(step));
        }
        let place = ENTITY_LIST.row(step.0);
        let sql = "SELECT blob, entities FROM entity_list WHERE step = ?1";
        let found = self.db.first(place, sql, [step.0], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))?;
        let Some((blob, promised)) = found else { return Ok(Vec::new()) };
        let list: Vec<(String, String)> = serde_json::from_slice(&self.body(blob, place)?)
            .map_err(|error| self.db.damaged(place, format!("it is no list of entities: {error}")))?;
        if list.len() as i64 != promised {
            let reason = format!("it lists {} entities, the row says {promised}", list.len());
            return Err(self.db.damaged(place, reason));
        }
        let keyed = |(key, entity): (String, String)| match key.parse() {
            Ok(key) => Ok((key, entity)),
            Err(()) => Err(self.db.damaged(place, format!("{key:?} is no node key"))),
        };
        list.into_iter().map(keyed).collect()
    }
}

/// Name of the outcome, and the reason where the recording did not reach its end.
type Outcome = (String, String);

pub(crate) fn read_meta(db: &Db) -> Result<(TraceMeta, Outcome, Option<u32>), TraceError> {
    let place = META.row(1);
    let sql = format!("SELECT {} FROM meta WHERE id = 1", META.list());
    let read = |row: &Row<'_>| -> rusqlite::Result<(TraceMeta, String, Outcome, Option<u32>)> {
        let meta = TraceMeta {
            scenario: row.get(1)?,
            goal: row.get(2)?,
            site: row.get(3)?,
            source: TraceSource::Recorded,
            viewport: Viewport { width: row.get(5)?, height: row.get(6)?, scale: row.get(7)? },
            locale: row.get(8)?,
            timezone: row.get(9)?,
            browser: row.get(10)?,
            tool: row.get(11)?,
            recorded_at: row.get(12)?,
        };
        Ok((meta, row.get(4)?, (row.get(13)?, row.get(14)?), row.get(15)?))
    };
    let Some((mut meta, source, outcome, steps)) = db.first(place, &sql, [], read)? else {
        return Err(db.missing(place, "it says what the trace is a recording of".to_owned()));
    };
    meta.source = TraceSource::from_name(&source)
        .ok_or_else(|| db.damaged(place, format!("column source: {source:?} is unknown")))?;
    if !matches!(outcome.0.as_str(), "recording" | "complete" | "incomplete") {
        return Err(db.damaged(place, format!("column outcome: {:?} is unknown", outcome.0)));
    }
    Ok((meta, outcome, steps))
}
