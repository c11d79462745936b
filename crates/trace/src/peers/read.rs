//! Reading a peers' file, a step at a time.

use super::schema::{APPLICATION_ID, FORMAT_VERSION, META, OUTPUT, PASS, TABLES};
use super::{PeerPass, PeerRow, PeerText};
use crate::blob::BlobReader;
use crate::db::{Db, RowError};
use crate::error::{Fault, Location, TraceError};
use crate::file::{self, Header};
use crate::record::TraceHash;
use rusqlite::{OpenFlags, Row};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::Path;

/// Which observations were dropped, as step and cause, by peer and variant.
pub type Dropped = HashMap<(String, String), Vec<(u32, String)>>;

/// A peers' file, open for reading.
pub struct PeersFile {
    db: Db,
    blobs: RefCell<BlobReader>,
    hash: TraceHash,
    trace: TraceHash,
    scenario: String,
    passes: Vec<PassRow>,
}

struct PassRow {
    id: i64,
    pass: PeerPass,
    rows: i64,
}

browserlens_core::opaque_debug!(self: PeersFile { path: self.db.path, passes: self.passes.len() });

impl PeersFile {
    /// Opens a file and checks every row's seal; bodies are checked as they are read.
    ///
    /// # Errors
    /// [`TraceError`] if it is no peers' file, of a newer format, or damaged.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let bytes = std::fs::read(path).map_err(TraceError::io(path, "read the file"))?;
        check_header(&bytes).map_err(|fault| TraceError::new(path, fault))?;
        let hash = TraceHash(*blake3::hash(&bytes).as_bytes());
        drop(bytes);
        let db = file::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut findings = Vec::new();
        TABLES.iter().try_for_each(|table| db.check_table(table, &mut findings))?;
        if let Some(error) = findings.into_iter().next() {
            return Err(error);
        }
        let place = META.row(1);
        let meta = "SELECT trace_hash, scenario, passes FROM peers_meta WHERE id = 1";
        let meta = db.first(place, meta, [], |row| Ok((row.get::<_, Vec<u8>>(0)?, row.get(1)?, row.get(2)?)))?;
        let (trace, scenario, passes): (_, String, i64) =
            meta.ok_or_else(|| db.failed(place)(rusqlite::Error::QueryReturnedNoRows))?;
        let trace = trace.try_into().map_err(|_| db.damaged(place, "the trace's hash has not 32 bytes"))?;
        let (blobs, trace) = (RefCell::default(), TraceHash(trace));
        let mut file = Self { db, blobs, hash, trace, scenario, passes: Vec::new() };
        file.passes = file.read_passes()?;
        if file.passes.len() as i64 != passes {
            let reason = format!("it has {} of {passes} rows", file.passes.len());
            return Err(file.db.damaged(PASS.place(), reason));
        }
        Ok(file)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.db.path
    }

    /// Returns the hash of the file's bytes; part of cache keys.
    pub fn hash(&self) -> TraceHash {
        self.hash
    }

    /// Returns the hash of the trace that the file belongs to.
    pub fn trace(&self) -> TraceHash {
        self.trace
    }

    /// Returns the name of the scenario.
    pub fn scenario(&self) -> &str {
        &self.scenario
    }

    /// Returns the passes without their rows, in the order of the file.
    pub fn passes(&self) -> impl Iterator<Item = &PeerPass> {
        self.passes.iter().map(|row| &row.pass)
    }

    /// Returns the passes with all their rows: for rewriting a file; replay reads step by step.
    ///
    /// # Errors
    /// [`TraceError`] if a row or body is damaged.
    pub fn whole_passes(&self) -> Result<Vec<PeerPass>, TraceError> {
        let whole = |PassRow { id, pass, rows: expected }: &PassRow| {
            let rows = self.rows("pass = ?1", *id)?;
            if *expected != rows.len() as i64 {
                let reason = format!("{} of {expected} rows of {} are there", rows.len(), pass.peer);
                return Err(self.db.damaged(OUTPUT.place(), reason));
            }
            Ok(PeerPass { rows, ..pass.clone() })
        };
        self.passes.iter().map(whole).collect()
    }

    /// Returns what every peer said at a step: name of the peer and row, dropped rows included.
    ///
    /// # Errors
    /// [`TraceError`] if a row or body is damaged.
    pub fn outputs(&self, step: u32) -> Result<Vec<(&str, PeerRow)>, TraceError> {
        let mut found = Vec::new();
        for PassRow { id, pass, .. } in &self.passes {
            let rows = self.rows(&format!("pass = ?1 AND step = {step}"), *id)?;
            found.extend(rows.into_iter().map(|row| (pass.peer.as_str(), row)));
        }
        Ok(found)
    }

    /// Returns each peer's variants of observations with how many rows count and how many were
    /// dropped.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn variants(&self) -> Result<Vec<PeerVariant>, TraceError> {
        let sql = "SELECT pass, variant, sum(dropped IS NULL), sum(dropped IS NOT NULL) FROM peer_output WHERE kind = \
            'observation' GROUP BY pass, variant ORDER BY pass, min(id)";
        let variants = self.db.all(OUTPUT.place(), sql, [], |row| {
            let (variant, kept, dropped) = (row.get(1)?, row.get(2)?, row.get(3)?);
            Ok(self.peer(row)?.map(|peer| PeerVariant { peer: peer.to_owned(), variant, kept, dropped }))
        })?;
        Ok(variants.into_iter().flatten().collect())
    }

    /// Returns which observations were dropped and why, by peer and variant.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn dropped(&self) -> Result<Dropped, TraceError> {
        let sql = "SELECT pass, variant, step, dropped FROM peer_output WHERE kind = 'observation' AND dropped IS NOT \
            NULL ORDER BY id";
        let mut dropped = Dropped::new();
        self.db.each(OUTPUT.place(), sql, [], |row| {
            let (variant, cause) = (row.get(1)?, (row.get(2)?, row.get(3)?));
            if let Some(peer) = self.peer(row)? {
                dropped.entry((peer.to_owned(), variant)).or_default().push(cause);
            }
            Ok(true)
        })?;
        Ok(dropped)
    }

    /// Returns whose row it is, of those selected with their pass first.
    fn peer(&self, row: &Row<'_>) -> rusqlite::Result<Option<&str>> {
        let pass: i64 = row.get(0)?;
        Ok(self.passes.iter().find(|row| row.id == pass).map(|row| row.pass.peer.as_str()))
    }

    fn read_passes(&self) -> Result<Vec<PassRow>, TraceError> {
        let sql = format!("SELECT {} FROM peer_pass ORDER BY id", PASS.list());
        self.db.all(PASS.place(), &sql, [], |row| {
            let id = row.get(0)?;
            let (peer, browser, failure) = (row.get(1)?, row.get(2)?, row.get(3)?);
            let tools = self.text(row, 4, PASS.row(id))?;
            Ok(PassRow { id, pass: PeerPass { peer, browser, failure, tools, rows: Vec::new() }, rows: row.get(5)? })
        })
    }

    fn rows(&self, condition: &str, pass: i64) -> Result<Vec<PeerRow>, TraceError> {
        let sql = format!(
            "SELECT id, step, kind, variant, body, micros, dropped, refs FROM peer_output WHERE {condition} ORDER BY id"
        );
        self.db.all(OUTPUT.place(), &sql, [pass], |row| {
            let place = OUTPUT.row(row.get::<_, i64>(0)?);
            let kind: String = row.get(2)?;
            let kind = PeerText::from_name(&kind)
                .ok_or_else(|| self.db.damaged(place, format!("its kind {kind:?} is unknown")))?;
            let reference = |line: &str| {
                let (key, handle) = line.split_once(' ')?;
                Some((handle.to_owned(), key.parse().ok()?))
            };
            let refs = self.text(row, 7, place)?.unwrap_or_default();
            Ok(PeerRow {
                step: row.get(1)?,
                kind,
                variant: row.get(3)?,
                text: self.text(row, 4, place)?.unwrap_or_default(),
                micros: row.get::<_, i64>(5)?.unsigned_abs(),
                dropped: row.get(6)?,
                refs: refs.lines().filter_map(reference).collect(),
            })
        })
    }

    /// Reads the text that a column refers to, if it does.
    fn text(&self, row: &Row<'_>, column: usize, place: Location) -> Result<Option<String>, RowError> {
        let Some(blob) = row.get(column)? else { return Ok(None) };
        Ok(Some(self.blobs.borrow_mut().text(&self.db, blob, place, "it is not UTF-8")?))
    }
}

/// One variant of a peer's observations in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerVariant {
    /// Name and version of the peer.
    pub peer: String,
    /// The variant.
    pub variant: String,
    /// Rows that count.
    pub kept: u32,
    /// Rows that were dropped.
    pub dropped: u32,
}

fn check_header(bytes: &[u8]) -> Result<(), Fault> {
    let not = |reason: &str| Fault::NotPeers(reason.to_owned());
    let header = Header::of(bytes, not)?;
    if i64::from(header.application()) != APPLICATION_ID {
        return Err(not("it is an SQLite file of another kind"));
    }
    header.version(FORMAT_VERSION)?;
    if header.has_log() {
        return Err(not("its header asks for a write-ahead log, which these files never have"));
    }
    Ok(())
}
