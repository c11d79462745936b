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
use crate::error::{Location, TraceError};
use crate::events::Query;
use crate::file::{self, Opened, Trust};
use crate::record::{Settled, StepRow, TraceHash, TraceMeta, TraceSource};
use crate::schema::{
    ENTITY_LIST, EVENT_TABLES, FORMAT_VERSION, INDEXED_FROM, META, PAYLOAD, REQUEST, SEARCHED_FROM, STEP, TAB, Table,
};
use crate::search::Without;
use browserlens_core::page::{Capture, NodeKey, Payload, PayloadKind, SecondLook, Viewport};
use browserlens_core::strategy::{BodyHead, BodySide, Event, EventFilter, EventTally, StepIndex};
use checks::broken_in_a_blob;
use rusqlite::{Connection, OptionalExtension, Row};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A trace file, opened for reading. One connection: give each thread its own.
pub struct Trace {
    path: PathBuf,
    connection: Connection,
    meta: TraceMeta,
    outcome: (String, String),
    steps: u32,
    hash: TraceHash,
    version: i64,
    bytes: u64,
    sealed: bool,
    /// Whether the indices that queries use are there and stand under the file's seal.
    indexed: bool,
    /// Whether what searches look at stands under the file's seal, where it is there.
    searchable: bool,
    without: Mutex<Without>,
    blobs: Mutex<BlobReader>,
}

impl std::fmt::Debug for Trace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Trace").field("path", &self.path).field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl Trace {
    /// Opens a trace, whole or left behind by a killed recorder.
    ///
    /// # Errors
    /// [`TraceError`] if the file is no trace, of a newer format, truncated, or has a changed byte.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        let path = path.as_ref();
        let opened = file::open(path)?;
        if opened.trust != Trust::Sealed {
            let mut found = Vec::new();
            check_rows(path, &opened, &mut |error| found.push(error))?;
            if let Some(first) = found.into_iter().next() {
                return Err(first);
            }
            if opened.trust == Trust::Broken {
                return Err(
                    broken_in_a_blob(path, &opened).unwrap_or_else(|| TraceError::Altered { path: path.to_owned() })
                );
            }
        }
        Self::from_opened(path, opened)
    }

    /// Takes a file as it is, for `verify` and `salvage`: only what cannot be read at all is an
    /// error.
    pub(crate) fn from_opened(path: &Path, opened: Opened) -> Result<Self, TraceError> {
        let Opened { connection, version, hash, bytes, trust } = opened;
        connection.set_prepared_statement_cache_capacity(64);
        let (meta, outcome, _) = read_meta(&connection, path)?;
        if (trust == Trust::Unfinished) != (outcome.0 == "recording") {
            // The outcome and the place of the seal are written in one transaction.
            return Err(TraceError::Altered { path: path.to_owned() });
        }
        let found: i64 = connection
            .query_row("SELECT count(*) FROM step", [], |row| row.get(0))
            .map_err(TraceError::sqlite(path, Location::table(STEP.name)))?;
        let steps = u32::try_from(found).unwrap_or(0);
        Ok(Self {
            path: path.to_owned(),
            connection,
            meta,
            outcome,
            steps,
            hash,
            version,
            bytes,
            sealed: trust == Trust::Sealed,
            indexed: trust == Trust::Sealed && version >= INDEXED_FROM,
            searchable: trust == Trust::Sealed && version >= SEARCHED_FROM,
            without: Mutex::default(),
            blobs: Mutex::default(),
        })
    }

    fn blobs(&self) -> MutexGuard<'_, BlobReader> {
        // The cache holds only bodies that passed their hash, so one left by a panic is as good as
        // any.
        self.blobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.path
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

    /// Takes what can be read of a damaged file.
    pub(crate) fn damaged(path: &Path, connection: Connection, meta: TraceMeta, steps: u32) -> Self {
        Self {
            path: path.to_owned(),
            connection,
            meta,
            outcome: ("incomplete".to_owned(), String::new()),
            steps,
            hash: TraceHash([0; 32]),
            version: FORMAT_VERSION,
            bytes: 0,
            sealed: false,
            indexed: false,
            searchable: false,
            without: Mutex::default(),
            blobs: Mutex::default(),
        }
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    pub(crate) fn body(&self, blob: i64, referrer: &Location) -> Result<Arc<[u8]>, TraceError> {
        self.blobs().read(&self.connection, &self.path, blob, referrer)
    }

    pub(crate) fn keep_bodies(&self, blobs: &[i64]) {
        self.blobs().keep(blobs);
    }

    fn no_step(&self, step: StepIndex) -> TraceError {
        TraceError::NoStep { path: self.path.clone(), step, steps: self.steps }
    }

    fn wrap(&self, table: &'static Table, row: i64) -> impl FnOnce(rusqlite::Error) -> TraceError {
        TraceError::sqlite(&self.path, Location::row(table.name, row))
    }

    /// Reads the one row that a number selects, if it is there.
    fn one<T>(
        &self,
        sql: &str,
        (table, number): (&'static Table, i64),
        read: impl FnOnce(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Option<T>, TraceError> {
        let statement = self.connection.prepare_cached(sql);
        statement
            .and_then(|mut statement| statement.query_row([number], read).optional())
            .map_err(self.wrap(table, number))
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
    /// [`TraceError::NoStep`] if there is none, or another if its row cannot be read.
    pub fn step(&self, index: StepIndex) -> Result<StepRow, TraceError> {
        let mut step = self.step_alone(index)?;
        step.action = self.action(index)?;
        Ok(step)
    }

    pub(crate) fn step_alone(&self, index: StepIndex) -> Result<StepRow, TraceError> {
        let number = i64::from(index.0);
        let read = |row: &Row<'_>| -> rusqlite::Result<(StepRow, String)> {
            let settled = Settled { quiet: row.get(1)?, waited_ms: row.get(2)?, reason: row.get(3)? };
            let step = StepRow {
                index,
                tab: row.get(0)?,
                action: None,
                settled,
                torn_retries: row.get(4)?,
                timings: Vec::new(),
            };
            Ok((step, row.get(5)?))
        };
        let sql = "SELECT tab, settled_quiet, settled_waited_ms, settled_reason, torn_retries, timings FROM step \
            WHERE number = ?1";
        let (mut step, timings) = self.one(sql, (&STEP, number), read)?.ok_or_else(|| self.no_step(index))?;
        step.timings = serde_json::from_str(&timings).map_err(|error| {
            TraceError::damaged(&self.path, Location::row(STEP.name, number), format!("column timings: {error}"))
        })?;
        Ok(step)
    }

    /// Returns the capture of a step: every payload in the order in which it was written.
    ///
    /// # Errors
    /// [`TraceError::NoStep`], or the error of the first payload that cannot be read.
    pub fn capture(&self, step: StepIndex) -> Result<Capture, TraceError> {
        let listed = self.payload_rows(step)?;
        let mut blobs = self.blobs();
        let mut payloads = Vec::with_capacity(listed.len());
        for row in &listed {
            let body = blobs.read(&self.connection, &self.path, row.blob, &Location::row(PAYLOAD.name, row.id))?;
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
        let place = Location::row(PAYLOAD.name, row.id);
        let body = self.blobs().read(&self.connection, &self.path, row.blob, &place)?;
        serde_json::from_slice(&body)
            .map(Some)
            .map_err(|error| TraceError::damaged(&self.path, place, format!("it is no second look: {error}")))
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
        let (connection, path) = (&self.connection, self.path.as_path());
        Query {
            connection,
            path,
            filter,
            after,
            limit,
            indexed: self.indexed,
            searchable: self.searchable,
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
        let id: Option<Option<i64>> =
            self.one(&format!("SELECT {column} FROM request WHERE position = ?1"), (&REQUEST, number), |row| {
                row.get(0)
            })?;
        let Some(id) = id.flatten() else { return Ok(None) };
        let (head, bytes) = blob::read_head(
            &self.connection,
            &self.path,
            id,
            limit,
            &Location::row(REQUEST.name, number),
            !self.sealed,
        )?;
        Ok(Some(BodyHead { head, bytes }))
    }

    /// Returns the page time of the latest event up to a step, in milliseconds; 0 if there is none.
    ///
    /// # Errors
    /// [`TraceError`] if a table cannot be read.
    pub fn latest_ms(&self, step: StepIndex) -> Result<u64, TraceError> {
        let mut latest = 0;
        for (_, table) in EVENT_TABLES {
            let sql = format!("SELECT max(at_ms) FROM {} WHERE step <= ?1", table.name);
            let found: Option<i64> = self
                .connection
                .prepare_cached(&sql)
                .and_then(|mut statement| statement.query_row([i64::from(step.0)], |row| row.get(0)))
                .map_err(TraceError::sqlite(&self.path, Location::table(table.name)))?;
            latest = latest.max(found.and_then(|found| u64::try_from(found).ok()).unwrap_or(0));
        }
        Ok(latest)
    }

    /// Returns the tabs that were captured up to a step, in order.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn tabs(&self, step: StepIndex) -> Result<Vec<u32>, TraceError> {
        let wrap = || TraceError::sqlite(&self.path, Location::table(TAB.name));
        let mut statement = self
            .connection
            .prepare_cached("SELECT number FROM tab WHERE first_step <= ?1 ORDER BY number")
            .map_err(wrap())?;
        let rows = statement.query_map([i64::from(step.0)], |row| row.get(0)).map_err(wrap())?;
        rows.collect::<rusqlite::Result<_>>().map_err(wrap())
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
        let number = i64::from(step.0);
        let place = Location::row(ENTITY_LIST.name, number);
        let found: Option<(i64, i64)> =
            self.one("SELECT blob, entities FROM entity_list WHERE step = ?1", (&ENTITY_LIST, number), |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let Some((blob, promised)) = found else { return Ok(Vec::new()) };
        let body = self.blobs().read(&self.connection, &self.path, blob, &place)?;
        let list: Vec<(String, String)> = serde_json::from_slice(&body).map_err(|error| {
            TraceError::damaged(&self.path, place.clone(), format!("it is no list of entities: {error}"))
        })?;
        if list.len() as i64 != promised {
            return Err(TraceError::damaged(
                &self.path,
                place,
                format!("it lists {} entities, the row says {promised}", list.len()),
            ));
        }
        list.into_iter()
            .map(|(key, entity)| {
                let key = key
                    .parse()
                    .map_err(|()| TraceError::damaged(&self.path, place.clone(), format!("{key:?} is no node key")))?;
                Ok((key, entity))
            })
            .collect()
    }
}

/// Name of the outcome, and the reason where the recording did not reach its end.
type Outcome = (String, String);

pub(crate) fn read_meta(connection: &Connection, path: &Path) -> Result<(TraceMeta, Outcome, Option<u32>), TraceError> {
    let place = || Location::row(META.name, 1);
    let sql = format!("SELECT {} FROM meta WHERE id = 1", META.columns.join(", "));
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
    let found = connection.query_row(&sql, [], read).optional().map_err(TraceError::sqlite(path, place()))?;
    let Some((mut meta, source, outcome, steps)) = found else {
        let reason = "it says what the trace is a recording of".to_owned();
        return Err(TraceError::Missing { path: path.to_owned(), place: place(), reason });
    };
    meta.source = TraceSource::from_name(&source)
        .ok_or_else(|| TraceError::damaged(path, place(), format!("column source: {source:?} is unknown")))?;
    if !matches!(outcome.0.as_str(), "recording" | "complete" | "incomplete") {
        return Err(TraceError::damaged(path, place(), format!("column outcome: {:?} is unknown", outcome.0)));
    }
    Ok((meta, outcome, steps))
}
