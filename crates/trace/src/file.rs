//! The file around the tables: opening it, its header, and the seal over all its bytes.
//!
//! In: a path. Out: a connection to a file that is a trace of a readable format and as long as it
//! says. Invariants: a file that was finished and is opened has not one byte changed; nothing is
//! written, except that SQLite rolls back the journal that a killed recorder left beside the file.
//!
//! The seal is a row of table `file_seal`, 16 bytes of state and a BLAKE3 hash over the file in
//! which these 32 bytes are zero. It is set in place, without SQLite, once the file is closed: an
//! update through SQLite would change its header again.

use crate::error::{Location, TraceError};
use crate::record::TraceHash;
use crate::schema::{APPLICATION_ID, FORMAT_VERSION, tables_of};
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

const OPEN: &[u8; 16] = b"browserlens-open";
const SEALED: &[u8; 16] = b"browserlens-seal";

/// Whether all bytes of a file are known to be those that were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The seal matches.
    Sealed,
    /// There is no seal: the recorder was killed, or is at work.
    Unfinished,
    /// The recorder was killed between its last transaction and the seal.
    Unsealed,
    /// The seal does not match.
    Broken,
}

/// A file that was opened for reading.
pub(crate) struct Opened {
    pub connection: Connection,
    pub version: i64,
    pub trust: Trust,
    pub hash: TraceHash,
    pub bytes: u64,
}

/// Returns the path of the rollback journal of a file.
pub(crate) fn journal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    PathBuf::from(name)
}

fn not_a_trace(path: &Path, reason: impl Into<String>) -> TraceError {
    TraceError::NotATrace { path: path.to_owned(), reason: reason.into() }
}

/// Checks the 100 bytes of header that every SQLite file begins with.
fn check_header(path: &Path, bytes: &[u8]) -> Result<(), TraceError> {
    const MAGIC: &[u8] = b"SQLite format 3\0";
    if bytes.is_empty() {
        return Err(not_a_trace(path, "the file is empty"));
    }
    if !bytes.starts_with(MAGIC) && !MAGIC.starts_with(bytes) {
        return Err(not_a_trace(path, "it is not an SQLite file"));
    }
    let Some(header) = bytes.get(..100) else {
        return Err(TraceError::Truncated { path: path.to_owned(), expected: 100, found: bytes.len() as u64 });
    };
    let word = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if i64::from(word(68)) != APPLICATION_ID {
        return Err(not_a_trace(path, format!("it is an SQLite file of another application (id {:#010x})", word(68))));
    }
    let version = i64::from(word(60));
    if version > FORMAT_VERSION {
        return Err(TraceError::TooNew { path: path.to_owned(), found: version, supported: FORMAT_VERSION });
    }
    let damaged = |reason: &str| TraceError::damaged(path, Location::table("sqlite_schema"), reason);
    if tables_of(version).is_none() {
        return Err(damaged("the header has no format version"));
    }
    if header[18] != 1 || header[19] != 1 {
        return Err(damaged("the header asks for a write-ahead log, which traces never have"));
    }
    let page_size = match u16::from_be_bytes([header[16], header[17]]) {
        1 => 65536,
        size => u64::from(size),
    };
    let expected = page_size * u64::from(word(28));
    if word(24) == word(92) && expected > bytes.len() as u64 {
        return Err(TraceError::Truncated { path: path.to_owned(), expected, found: bytes.len() as u64 });
    }
    Ok(())
}

/// Lets SQLite roll back the journal that a killed recorder left, if there is one.
pub(crate) fn roll_back_journal(path: &Path) -> Result<(), TraceError> {
    let journal = journal_of(path);
    if !std::fs::metadata(&journal).is_ok_and(|journal| journal.len() > 0) {
        return Ok(());
    }
    let wrap = || TraceError::sqlite(path, Location::table("sqlite_schema"));
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Any read rolls back; the lock of a recorder that is alive keeps it from happening.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(wrap())
}

/// Opens a copy of a damaged file as far as SQLite can read it: pages that are gone become empty
/// ones.
pub(crate) fn open_damaged(path: &Path, copy: &Path) -> Result<Connection, TraceError> {
    let mut bytes = std::fs::read(path).map_err(TraceError::io(path, "read the file"))?;
    if !bytes.starts_with(b"SQLite format 3\0") || bytes.len() < 100 {
        return Err(not_a_trace(path, "it does not begin as an SQLite file does"));
    }
    let page_size = match u16::from_be_bytes([bytes[16], bytes[17]]) {
        1 => 65536,
        size => usize::from(size).max(512),
    };
    let pages = u32::from_be_bytes([bytes[28], bytes[29], bytes[30], bytes[31]]) as usize;
    // A damaged header may promise any number of pages: at most what is there and as much again is
    // made up.
    let promised = pages.saturating_mul(page_size).min(bytes.len().saturating_mul(64).max(1 << 20));
    let whole = bytes.len().div_ceil(page_size) * page_size;
    bytes.resize(whole.max(promised), 0);
    // Neither a write-ahead log nor a journal belongs to the copy.
    bytes[18] = 1;
    bytes[19] = 1;
    std::fs::write(copy, &bytes).map_err(TraceError::io(copy, "write a working copy"))?;
    connect(copy, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| match error {
        TraceError::Damaged { .. } => not_a_trace(path, "its list of tables cannot be read"),
        other => other,
    })
}

pub(crate) fn connect(path: &Path, mode: OpenFlags) -> Result<Connection, TraceError> {
    let wrap = || TraceError::sqlite(path, Location::table("sqlite_schema"));
    let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(wrap())?;
    connection.busy_timeout(Duration::from_secs(5)).map_err(wrap())?;
    // A file from elsewhere may hold views and triggers: none of ours does, so nothing of the
    // schema may run. A search through a hundred thousand messages reads their pages more than
    // once.
    connection
        .execute_batch(
            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA cache_size = \
                -32768;",
        )
        .map_err(wrap())?;
    Ok(connection)
}

/// Opens a file for reading and says how far it can be trusted.
pub(crate) fn open(path: &Path) -> Result<Opened, TraceError> {
    roll_back_journal(path)?;
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(TraceError::io(path, "read the file"))?;
    check_header(path, &bytes)?;
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let wrap = || TraceError::sqlite(path, Location::table("file_seal"));
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(wrap())?;
    let value: Option<Vec<u8>> = connection
        .query_row("SELECT value FROM file_seal WHERE id = 1", [], |row| row.get(0))
        .optional()
        .map_err(wrap())?;
    let hash = TraceHash(*blake3::hash(&bytes).as_bytes());
    let trust = trust_of(&mut bytes, value.as_deref());
    Ok(Opened { connection, version, trust, hash, bytes: bytes.len() as u64 })
}

fn trust_of(bytes: &mut [u8], value: Option<&[u8]>) -> Trust {
    let Some(value) = value else { return Trust::Unfinished };
    match value.split_at_checked(16) {
        Some((state, _)) if state == OPEN => Trust::Unsealed,
        Some((state, hash)) if state == SEALED && hash.len() == 32 => {
            let Some(at) = find_once(bytes, value) else { return Trust::Broken };
            bytes[at + 16..at + 48].fill(0);
            if blake3::hash(bytes).as_bytes()[..] == *hash { Trust::Sealed } else { Trust::Broken }
        }
        _ => Trust::Broken,
    }
}

/// Returns where `needle` stands in `bytes`, if it stands there exactly once.
fn find_once(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    let finder = aho_corasick::AhoCorasick::new([needle]).ok()?;
    let mut found = finder.find_overlapping_iter(bytes).map(|hit| hit.start());
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

/// Makes the value that stands in table `file_seal` until the file is closed; no page can know it
/// beforehand.
pub(crate) fn open_value(connection: &Connection, path: &Path) -> Result<Vec<u8>, TraceError> {
    let mut hasher = blake3::Hasher::new();
    let wrap = || TraceError::sqlite(path, Location::table("step"));
    let mut statement = connection.prepare("SELECT seal FROM step ORDER BY number").map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    while let Some(row) = rows.next().map_err(wrap())? {
        let seal: Vec<u8> = row.get(0).map_err(wrap())?;
        hasher.update(&seal);
    }
    Ok([OPEN.as_slice(), hasher.finalize().as_bytes()].concat())
}

/// Seals a file that is closed.
pub(crate) fn seal(path: &Path, open_value: &[u8]) -> Result<(), TraceError> {
    let read = |source| TraceError::io(path, "read the file back")(source);
    let mut file = File::options().read(true).write(true).open(path).map_err(read)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(read)?;
    let at = find_once(&bytes, open_value).ok_or_else(|| {
        TraceError::damaged(path, Location::row("file_seal", 1), "the place of the seal was not found in the file")
    })?;
    bytes[at..at + 16].copy_from_slice(SEALED);
    bytes[at + 16..at + 48].fill(0);
    let hash = blake3::hash(&bytes);
    let value = [SEALED.as_slice(), hash.as_bytes()].concat();
    file.seek(SeekFrom::Start(at as u64))
        .and_then(|_| file.write_all(&value))
        .and_then(|()| file.sync_all())
        .map_err(TraceError::io(path, "seal the file"))
}

/// Returns where a trace is kept that a new one at `path` takes the place of, until that is
/// complete: the same name with `.before` behind it.
pub fn before_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".before");
    name.into()
}
