//! Reading a peers' file, a step at a time.

use super::schema::{APPLICATION_ID, FORMAT_VERSION, PASS, TABLES};
use super::{PeerPass, PeerRow, PeerText};
use crate::blob::BlobReader;
use crate::error::{Location, TraceError};
use crate::file;
use crate::record::TraceHash;
use crate::rows;
use rusqlite::{Connection, OpenFlags};
use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Which observations were dropped, as step and cause, by peer and variant.
pub type Dropped = HashMap<(String, String), Vec<(u32, String)>>;

/// A peers' file, open for reading.
pub struct PeersFile {
    path: PathBuf,
    connection: Connection,
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

impl std::fmt::Debug for PeersFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PeersFile")
            .field("path", &self.path)
            .field("passes", &self.passes.len())
            .finish_non_exhaustive()
    }
}

impl PeersFile {
    /// Opens a file and checks every row's seal; bodies are checked as they are read.
    ///
    /// # Errors
    /// [`TraceError`] if it is no peers' file, of a newer format, or damaged.
    pub fn open(path: &Path) -> Result<Self, TraceError> {
        let bytes = std::fs::read(path).map_err(TraceError::io(path, "read the file"))?;
        check_header(path, &bytes)?;
        let hash = TraceHash(*blake3::hash(&bytes).as_bytes());
        drop(bytes);
        let connection = file::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut damage = None;
        for table in TABLES {
            rows::check_table(&connection, path, table, |error| {
                damage.get_or_insert(error);
            })?;
        }
        if let Some(error) = damage {
            return Err(error);
        }
        let (trace, scenario, passes) = read_meta(&connection, path)?;
        let mut file = Self {
            path: path.to_owned(),
            connection,
            blobs: RefCell::default(),
            hash,
            trace,
            scenario,
            passes: Vec::new(),
        };
        file.passes = file.read_passes()?;
        if file.passes.len() as i64 != passes {
            let reason = format!("it has {} of {passes} rows", file.passes.len());
            return Err(TraceError::damaged(path, Location::table(PASS.name), reason));
        }
        Ok(file)
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
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
        self.passes
            .iter()
            .map(|row| Ok(PeerPass { rows: self.rows("pass = ?1", row.id, Some(row))?, ..row.pass.clone() }))
            .collect()
    }

    /// Returns what every peer said at a step: name of the peer and row, dropped rows included.
    ///
    /// # Errors
    /// [`TraceError`] if a row or body is damaged.
    pub fn outputs(&self, step: u32) -> Result<Vec<(&str, PeerRow)>, TraceError> {
        let mut found = Vec::new();
        for pass in &self.passes {
            let rows = self.rows_of(pass.id, step)?;
            found.extend(rows.into_iter().map(|row| (pass.pass.peer.as_str(), row)));
        }
        Ok(found)
    }

    /// Forgets decoded bodies: reading in the order of steps needs only those of the step before.
    pub fn forget_bodies(&self) {
        self.blobs.borrow_mut().keep(&[]);
    }

    /// Returns each peer's variants of observations with how many rows count and how many were
    /// dropped.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn variants(&self) -> Result<Vec<PeerVariant>, TraceError> {
        let wrap = || TraceError::sqlite(&self.path, Location::table("peer_output"));
        let sql = "SELECT pass, variant, sum(dropped IS NULL), sum(dropped IS NOT NULL) FROM peer_output WHERE kind = \
            'observation' GROUP BY pass, variant ORDER BY pass, min(id)";
        let mut statement = self.connection.prepare(sql).map_err(wrap())?;
        let rows = statement
            .query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?, row.get::<_, u32>(2)?, row.get::<_, u32>(3)?)))
            .and_then(Iterator::collect::<Result<Vec<(i64, String, u32, u32)>, _>>)
            .map_err(wrap())?;
        Ok(rows
            .into_iter()
            .filter_map(|(pass, variant, kept, dropped)| {
                let peer = self.passes.iter().find(|row| row.id == pass)?.pass.peer.clone();
                Some(PeerVariant { peer, variant, kept, dropped })
            })
            .collect())
    }

    /// Returns which observations were dropped and why, by peer and variant.
    ///
    /// # Errors
    /// [`TraceError`] if the table cannot be read.
    pub fn dropped(&self) -> Result<Dropped, TraceError> {
        let wrap = || TraceError::sqlite(&self.path, Location::table("peer_output"));
        let sql = "SELECT pass, variant, step, dropped FROM peer_output WHERE kind = 'observation' AND dropped IS NOT \
            NULL ORDER BY id";
        let mut statement = self.connection.prepare(sql).map_err(wrap())?;
        let rows = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))
            .and_then(Iterator::collect::<Result<Vec<(i64, String, u32, String)>, _>>)
            .map_err(wrap())?;
        let mut dropped = Dropped::new();
        for (pass, variant, step, reason) in rows {
            if let Some(row) = self.passes.iter().find(|row| row.id == pass) {
                dropped.entry((row.pass.peer.clone(), variant)).or_default().push((step, reason));
            }
        }
        Ok(dropped)
    }

    fn read_passes(&self) -> Result<Vec<PassRow>, TraceError> {
        let wrap = || TraceError::sqlite(&self.path, Location::table(PASS.name));
        let mut statement = self
            .connection
            .prepare("SELECT id, peer, browser, failure, tools, rows FROM peer_pass ORDER BY id")
            .map_err(wrap())?;
        type Columns = (i64, String, String, Option<String>, Option<i64>, i64);
        let found = statement
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?)))
            .and_then(Iterator::collect::<Result<Vec<Columns>, _>>)
            .map_err(wrap())?;
        let mut passes = Vec::with_capacity(found.len());
        for (id, peer, browser, failure, tools, rows) in found {
            let tools = match tools {
                Some(blob) => Some(self.text(blob, &Location::row(PASS.name, id))?),
                None => None,
            };
            passes.push(PassRow { id, pass: PeerPass { peer, browser, failure, tools, rows: Vec::new() }, rows });
        }
        Ok(passes)
    }

    fn rows_of(&self, pass: i64, step: u32) -> Result<Vec<PeerRow>, TraceError> {
        self.rows(&format!("pass = ?1 AND step = {step}"), pass, None)
    }

    fn rows(&self, condition: &str, pass: i64, all: Option<&PassRow>) -> Result<Vec<PeerRow>, TraceError> {
        const NAME: &str = "peer_output";
        let wrap = || TraceError::sqlite(&self.path, Location::table(NAME));
        let sql = format!(
            "SELECT id, step, kind, variant, body, micros, dropped, refs FROM peer_output WHERE {condition} ORDER BY id"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(wrap())?;
        type Columns = (i64, u32, String, String, Option<i64>, u64, Option<String>, Option<i64>);
        let found = statement
            .query_map([pass], |row| {
                Ok((
                    row.get(0)?,
                    row.get(1)?,
                    row.get(2)?,
                    row.get(3)?,
                    row.get(4)?,
                    row.get::<_, i64>(5)?.unsigned_abs(),
                    row.get(6)?,
                    row.get(7)?,
                ))
            })
            .and_then(Iterator::collect::<Result<Vec<Columns>, _>>)
            .map_err(wrap())?;
        if let Some(expected) = all.filter(|row| row.rows != found.len() as i64) {
            let reason = format!("{} of {} rows of {} are there", found.len(), expected.rows, expected.pass.peer);
            return Err(TraceError::damaged(&self.path, Location::table(NAME), reason));
        }
        let mut rows = Vec::with_capacity(found.len());
        for (id, step, kind, variant, body, micros, dropped, refs) in found {
            let place = Location::row(NAME, id);
            let kind = PeerText::parse(&kind).ok_or_else(|| {
                TraceError::damaged(&self.path, place.clone(), format!("its kind {kind:?} is unknown"))
            })?;
            let text = match body {
                Some(blob) => self.text(blob, &place)?,
                None => String::new(),
            };
            let refs = match refs {
                Some(blob) => self
                    .text(blob, &place)?
                    .lines()
                    .filter_map(|line| {
                        let (key, handle) = line.split_once(' ')?;
                        Some((handle.to_owned(), key.parse().ok()?))
                    })
                    .collect(),
                None => Vec::new(),
            };
            rows.push(PeerRow { step, kind, variant, text, micros, dropped, refs });
        }
        Ok(rows)
    }

    fn text(&self, blob: i64, referrer: &Location) -> Result<String, TraceError> {
        let body = self.blobs.borrow_mut().read(&self.connection, &self.path, blob, referrer)?;
        String::from_utf8(body.to_vec()).map_err(|_| {
            TraceError::damaged(&self.path, Location::row(crate::schema::BLOB.name, blob), "it is not UTF-8")
        })
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

fn check_header(path: &Path, bytes: &[u8]) -> Result<(), TraceError> {
    let not = |reason: &str| TraceError::NotPeers { path: path.to_owned(), reason: reason.to_owned() };
    if !bytes.starts_with(b"SQLite format 3\0") {
        return Err(not("it is not an SQLite file"));
    }
    let Some(header) = bytes.get(..100) else {
        return Err(TraceError::Truncated { path: path.to_owned(), expected: 100, found: bytes.len() as u64 });
    };
    let word = |at: usize| i64::from(u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]));
    if word(68) != APPLICATION_ID {
        return Err(not("it is an SQLite file of another kind"));
    }
    if word(60) > FORMAT_VERSION {
        return Err(TraceError::TooNew { path: path.to_owned(), found: word(60), supported: FORMAT_VERSION });
    }
    if header[18] != 1 || header[19] != 1 {
        return Err(not("its header asks for a write-ahead log, which these files never have"));
    }
    Ok(())
}

fn read_meta(connection: &Connection, path: &Path) -> Result<(TraceHash, String, i64), TraceError> {
    let place = Location::row("peers_meta", 1);
    let (hash, scenario, passes): (Vec<u8>, String, i64) = connection
        .query_row("SELECT trace_hash, scenario, passes FROM peers_meta WHERE id = 1", [], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })
        .map_err(TraceError::sqlite(path, place.clone()))?;
    let hash: [u8; 32] =
        hash.try_into().map_err(|_| TraceError::damaged(path, place, "the trace's hash has not 32 bytes"))?;
    Ok((TraceHash(hash), scenario, passes))
}
