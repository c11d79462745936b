//! Writes a trace, one step a transaction.
//!
//! In: [`StepRecord`]s in order, canonical and not redacted. Out: a trace file. Invariants: what is
//! written was redacted before; a step is in the file wholly or not at all, whenever the process
//! ends; a file that is finished is one file, without a journal beside it, and sealed.

use crate::blob::{BlobWriter, Storage, Stored};
use crate::db::Db;
use crate::error::{Fault, Location, TraceError};
use crate::file;
use crate::frames::{self, FramesSeen};
use crate::origin::{self, Origin};
use crate::record::{ActionRecord, Outcome, StepRecord, TraceMeta};
use crate::redact::Redactor;
use crate::rows::{int, json, text};
use crate::schema::{
    ACTION, ACTION_NODE, APPLICATION_ID, CAPTURE, ENTITY_LIST, META, PAGE_SIZE, PAYLOAD, RECORDED_VERSION, STEP, TAB,
    TABLES, migrate,
};
use crate::search::{self, SearchOptions};
use crate::{canonical, events, whole};
use browserlens_core::page::{NodeKey, Payload, PayloadKind};
use browserlens_core::strategy::StepIndex;
use rusqlite::Connection;
use rusqlite::types::Value;
use std::collections::{BTreeSet, HashMap};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempPath;

/// How a trace is created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreateOptions {
    /// Replaces a trace that stands at the path; never a file that is something else.
    pub force: bool,
}

/// Writes one trace.
pub struct TraceWriter {
    db: Db,
    redactor: Redactor,
    meta: TraceMeta,
    state: State,
    search: SearchOptions,
}

/// What the next step builds on.
#[derive(Clone, Default)]
struct Chains {
    /// The body stored last per kind, frame and node.
    last: HashMap<(PayloadKind, u32, u32), Stored>,
    entities: Option<Stored>,
    tabs: BTreeSet<u32>,
    frames: FramesSeen,
    next_step: u32,
    next_event: u64,
    next_payload: i64,
    next_action_node: i64,
}

#[derive(Default)]
struct State {
    blobs: BlobWriter,
    chains: Chains,
}

browserlens_core::opaque_debug!(self: TraceWriter { path: self.db.path, steps: self.state.chains.next_step });

impl TraceWriter {
    /// Creates a trace where no file stands.
    ///
    /// # Errors
    /// [`Fault::Exists`] if one does; [`Fault::Io`] or [`Fault::DiskFull`] if it
    /// cannot be written.
    pub fn create(path: impl AsRef<Path>, meta: &TraceMeta, redactor: Redactor) -> Result<Self, TraceError> {
        Self::create_with(path, meta, redactor, CreateOptions::default())
    }

    /// Creates a trace; with `force` it takes the place of the trace that stands there, which is
    /// kept beside it ([`before_of`](crate::before_of)) until the new one is complete.
    ///
    /// # Errors
    /// As [`TraceWriter::create`], and [`Fault::NotATrace`] if the file that stands there is
    /// something else.
    pub fn create_with(
        path: impl AsRef<Path>,
        meta: &TraceMeta,
        redactor: Redactor,
        options: CreateOptions,
    ) -> Result<Self, TraceError> {
        let path = path.as_ref().to_owned();
        make_way(&path, options)?;
        let mut meta = meta.clone();
        redactor.redact_meta(&mut meta);
        // Made beside its place and moved there whole: no moment has a file at `path` that does not
        // open.
        let beside = beside(&path)?;
        let journal = file::journal_of(&beside);
        if let Err(error) = Self::make(&beside, &path, &meta).and_then(|()| put_in_place(beside, &path, options)) {
            // The first error is the one to report; the rest of a failed start is only swept away.
            let _ = remove_if_there(&journal);
            return Err(error);
        }
        let db = open_for_writing(&path, &path)?;
        Ok(Self { db, redactor, meta, state: State::default(), search: SearchOptions::default() })
    }

    fn make(beside: &Path, path: &Path, meta: &TraceMeta) -> Result<(), TraceError> {
        let db = open_for_writing(beside, path)?;
        let prepare = || {
            db.connection.pragma_update(None, "page_size", PAGE_SIZE)?;
            db.connection.pragma_update(None, "application_id", APPLICATION_ID)?;
            migrate(&db.connection, 0, RECORDED_VERSION)
        };
        prepare().map_err(db.failed(Location::FILE))?;
        write_meta(&db, meta, "recording", "", None)?;
        db.close(Location::FILE)
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        &self.db.path
    }

    /// Returns the redactor, so that the recorder can add values that it learns on the way.
    pub fn redactor_mut(&mut self) -> &mut Redactor {
        &mut self.redactor
    }

    /// Says where an imported trace comes from; the file then has format 4.
    ///
    /// # Errors
    /// [`TraceError`] if it cannot be written.
    pub fn set_origin(&mut self, origin: &Origin) -> Result<(), TraceError> {
        let mut origin = origin.clone();
        self.redactor.redact_origin(&mut origin);
        origin::write(&self.db, &origin)
    }

    /// Lets the file have at most so many pages of 1 KiB: a recording of unknown length must not
    /// fill the disk.
    ///
    /// # Errors
    /// [`TraceError`] if SQLite refuses.
    pub fn limit_pages(&mut self, pages: u64) -> Result<(), TraceError> {
        let pages = i64::try_from(pages).unwrap_or(i64::MAX);
        let limited = self.db.connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()));
        limited.map_err(self.db.failed(Location::FILE))
    }

    /// Lets the disk be waited for once, when the trace is finished, and not after each step: for
    /// what can be made again. A process that ends early leaves whole steps all the same; a machine
    /// that loses power before the end may leave a damaged file.
    ///
    /// # Errors
    /// [`TraceError`] if SQLite refuses.
    pub fn sync_at_end(&mut self) -> Result<(), TraceError> {
        self.db.connection.pragma_update(None, "synchronous", "OFF").map_err(self.db.failed(Location::FILE))
    }

    /// Sets which tables are made fit for searches, and in what pieces.
    pub fn set_search(&mut self, options: SearchOptions) {
        self.search = options;
    }

    /// Redacts and writes one step in one transaction.
    ///
    /// # Errors
    /// [`Fault::OutOfOrder`], [`Fault::EventOutOfOrder`] and [`Fault::NotCanonical`]
    /// for a record that does not fit, [`Fault::DiskFull`] if there is no room. The file then
    /// holds the steps before, and the step can be written again.
    pub fn write_step(&mut self, mut step: StepRecord) -> Result<(), TraceError> {
        self.check_order(&step)?;
        for payload in step.capture.payloads.iter().filter(|payload| payload.kind.is_text()) {
            canonical::check(payload)
                .map_err(|reason| self.db.error(Fault::not_canonical(step.index, payload, reason)))?;
        }
        self.redactor.redact_step(&mut step);
        let before = self.state.chains.clone();
        let Self { db, state, .. } = self;
        let mut rows = StepRows { db, state, step: &step };
        let written = db.transaction(STEP.row(step.index.0), || rows.write());
        match written {
            Ok(()) => self.state.blobs.commit(),
            Err(_) => {
                self.state.blobs.roll_back();
                self.state.chains = before;
            }
        }
        written
    }

    fn check_order(&self, step: &StepRecord) -> Result<(), TraceError> {
        let expected = StepIndex(self.state.chains.next_step);
        if step.index != expected {
            return Err(self.db.error(Fault::OutOfOrder { step: step.index, expected }));
        }
        let mut expected = self.state.chains.next_event;
        for event in &step.events {
            let position = event.position;
            if position < expected || event.step != step.index.0 {
                return Err(self.db.error(Fault::EventOutOfOrder { step: step.index, position, expected }));
            }
            expected = position + 1;
        }
        Ok(())
    }

    /// Ends the recording: the file becomes one compact, sealed file.
    ///
    /// # Errors
    /// [`TraceError`] if the file cannot be written; it then still holds every step, as that of a
    /// killed recorder does.
    pub fn finish(self, outcome: Outcome) -> Result<(), TraceError> {
        let Self { db, redactor, meta, state, search: options } = self;
        let is_complete = matches!(outcome, Outcome::Complete);
        let (name, mut reason) = match outcome {
            Outcome::Complete => ("complete", String::new()),
            Outcome::Incomplete { reason } => ("incomplete", reason),
        };
        redactor.redact_string(&mut reason);
        let unless_full = |done: Result<(), TraceError>| match done {
            Err(TraceError { fault: Fault::DiskFull { .. }, .. }) => Ok(()),
            other => other,
        };
        // What has no room is searched row by row.
        unless_full(search::write(&db, options))?;
        let value = file::open_value(&db)?;
        db.transaction(Location::SEAL, || {
            write_meta(&db, &meta, name, &reason, Some(state.chains.next_step))?;
            let insert = "INSERT INTO file_seal (id, value) VALUES (1, ?1)";
            db.connection.execute(insert, [&value]).map(drop).map_err(db.failed(Location::SEAL))
        })?;
        // Where the copy that VACUUM makes does not fit, the file stays a little larger.
        unless_full(db.connection.execute_batch("VACUUM").map_err(db.failed(Location::SEAL)))?;
        let path = db.path.clone();
        db.close(Location::SEAL)?;
        file::seal(&path, &value)?;
        if is_complete { remove_if_there(&file::before_of(&path)) } else { Ok(()) }
    }
}

/// Writes the rows of one step.
struct StepRows<'a> {
    db: &'a Db,
    state: &'a mut State,
    step: &'a StepRecord,
}

impl StepRows<'_> {
    fn write(&mut self) -> Result<(), TraceError> {
        let Self { db, step, .. } = *self;
        let number = i64::from(step.index.0);
        if self.state.chains.tabs.insert(step.tab) {
            db.insert(&TAB, vec![int(step.tab), int(number)])?;
        }
        for frames in step.capture.of_kind(PayloadKind::Frames) {
            frames::insert(db, &mut self.state.chains.frames, frames, step)?;
        }
        if let Some(action) = &step.action {
            self.action(action)?;
        }
        db.insert(&CAPTURE, vec![int(number), int(step.capture.payloads.len())])?;
        step.capture.payloads.iter().try_for_each(|payload| self.payload(payload))?;
        for event in &step.events {
            events::insert(db, &mut self.state.blobs, event)?;
            self.state.chains.next_event = event.position + 1;
        }
        self.entities(&step.entities)?;
        let values = vec![
            int(number),
            int(step.tab),
            int(i64::from(step.settled.quiet)),
            int(step.settled.waited_ms),
            text(&step.settled.reason),
            int(step.torn_retries),
            json(&step.timings),
            Value::Blob(db.contents(TABLES, number)?.to_vec()),
        ];
        db.insert(&STEP, values)?;
        self.state.chains.next_step += 1;
        Ok(())
    }

    fn action(&mut self, action: &ActionRecord) -> Result<(), TraceError> {
        let coordinate = |value: Option<f32>| value.map_or(Value::Null, |value| Value::Real(f64::from(value)));
        let values = vec![
            int(self.step.index.0),
            text(action.taken.kind.name()),
            json(&action.taken),
            json(&action.intent),
            int(action.resolved_in.0),
            coordinate(action.point.map(|point| point.0)),
            coordinate(action.point.map(|point| point.1)),
        ];
        self.db.insert(&ACTION, values)?;
        let mut nodes: Vec<NodeKey> = action.acceptable.clone();
        if let Some(target) = action.target.filter(|target| !nodes.contains(target)) {
            nodes.push(target);
        }
        for node in nodes {
            self.state.chains.next_action_node += 1;
            let values = vec![
                int(self.state.chains.next_action_node),
                int(self.step.index.0),
                int(node.frame),
                int(node.loader),
                int(node.backend),
                int(i64::from(action.target == Some(node))),
                int(i64::from(action.acceptable.contains(&node))),
            ];
            self.db.insert(&ACTION_NODE, values)?;
        }
        Ok(())
    }

    fn payload(&mut self, payload: &Payload) -> Result<(), TraceError> {
        let storage = if payload.kind.is_text() { Storage::Zstd } else { Storage::Raw };
        let chain = (payload.kind, payload.frame, payload.node);
        let before = self.state.chains.last.get(&chain);
        let stored = self.state.blobs.store(self.db, &payload.body, storage, before)?;
        self.state.chains.next_payload += 1;
        let values = vec![
            int(self.state.chains.next_payload),
            int(self.step.index.0),
            text(payload.kind.name()),
            int(payload.frame),
            int(payload.node),
            int(stored.id),
        ];
        if storage == Storage::Zstd {
            self.state.chains.last.insert(chain, stored);
        }
        self.db.insert(&PAYLOAD, values)
    }

    fn entities(&mut self, entities: &[(NodeKey, String)]) -> Result<(), TraceError> {
        if entities.is_empty() {
            return Ok(());
        }
        let list: Vec<(String, &str)> =
            entities.iter().map(|(key, entity)| (key.to_string(), entity.as_str())).collect();
        let body: Arc<[u8]> = serde_json::to_vec(&list).unwrap_or_default().into();
        let State { blobs, chains } = &mut *self.state;
        let stored = blobs.store(self.db, &body, Storage::Zstd, chains.entities.as_ref())?;
        let values = vec![int(self.step.index.0), int(entities.len()), int(stored.id)];
        chains.entities = Some(stored);
        self.db.insert(&ENTITY_LIST, values)
    }
}

fn write_meta(db: &Db, meta: &TraceMeta, outcome: &str, reason: &str, steps: Option<u32>) -> Result<(), TraceError> {
    let optional = |value: &Option<String>| value.as_deref().map_or(Value::Null, text);
    let values = vec![
        int(1),
        text(&meta.scenario),
        text(&meta.goal),
        optional(&meta.site),
        text(meta.source.name()),
        int(meta.viewport.width),
        int(meta.viewport.height),
        Value::Real(f64::from(meta.viewport.scale)),
        text(&meta.locale),
        text(&meta.timezone),
        text(&meta.browser),
        text(&meta.tool),
        optional(&meta.recorded_at),
        text(outcome),
        text(reason),
        steps.map_or(Value::Null, int),
    ];
    db.replace(&META, values)
}

/// Opens `file` for writing; errors name `path`.
pub(crate) fn open_for_writing(file: &Path, path: &Path) -> Result<Db, TraceError> {
    // References are checked by `verify`, not row by row; a journal in the file's folder lets
    // readers roll back; pages are not written before a step is whole.
    const SETTINGS: &str = "PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = OFF; \
        PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF;";
    let opened = Connection::open(file).and_then(|connection| connection.execute_batch(SETTINGS).map(|()| connection));
    Ok(Db::new(opened.map_err(TraceError::sqlite(path, Location::FILE))?, path))
}

/// Checks that a new trace may stand at `path`.
fn make_way(path: &Path, options: CreateOptions) -> Result<(), TraceError> {
    match std::fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        Err(error) => Err(TraceError::io(path, "look at the path")(error)),
        Ok(_) if !options.force => Err(TraceError::new(path, Fault::Exists)),
        Ok(found) if found.len() == 0 && found.is_file() => Ok(()),
        Ok(_) => match file::open(path) {
            Err(error) if matches!(error.fault, Fault::NotATrace { .. } | Fault::Io { .. } | Fault::Busy) => Err(error),
            _ => Ok(()),
        },
    }
}

/// Gives a new trace its name. Without `force` never over another: of two that are made at once,
/// one is told that the other is there.
fn put_in_place(made: TempPath, path: &Path, options: CreateOptions) -> Result<(), TraceError> {
    let journal = file::journal_of(path);
    if options.force {
        remove_if_there(&journal)?;
        // What a recording before this one kept and did not replace is the one to keep.
        let before = file::before_of(path);
        if !before.exists() && std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
            // Not every file system has a second name for a file.
            std::fs::hard_link(path, &before)
                .or_else(|_| std::fs::copy(path, &before).map(drop))
                .map_err(TraceError::io(path, "keep what stands there"))?;
        }
        return made.persist(path).map_err(|failed| TraceError::io(path, "create the file")(failed.error));
    }
    made.persist_noclobber(path).map_err(|failed| match failed.error.kind() {
        ErrorKind::AlreadyExists => TraceError::new(path, Fault::Exists),
        _ => TraceError::io(path, "create the file")(failed.error),
    })?;
    // What lies there is the journal of a trace that is gone, and would be rolled back into this
    // one. Only now is it nobody's: before the file had its name, another process might have been
    // faster and written by it.
    remove_if_there(&journal)
}

/// Makes an empty file beside a path, under a name that no other process has; it goes when the
/// result is dropped.
pub(crate) fn beside(path: &Path) -> Result<TempPath, TraceError> {
    let made = whole::beside(path, ".new").map(|file| file.into_temp_path());
    made.map_err(TraceError::io(path, "create the file"))
}

pub(crate) fn remove_if_there(path: &Path) -> Result<(), TraceError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(TraceError::io(path, "remove the file")(error)),
        _ => Ok(()),
    }
}
