//! The file around the tables: opening it, its header, and the seal over all its bytes.
//!
//! In: a path. Out: a connection to a file that is a trace of a readable format and as long as it
//! says. Invariants: a file that was finished and is opened has not one byte changed; nothing is
//! written, except that SQLite rolls back the journal that a killed recorder left beside the file.
//!
//! The seal is a row of table `file_seal`, 16 bytes of state and a BLAKE3 hash over the file in
//! which these 32 bytes are zero. It is set in place, without SQLite, once the file is closed: an
//! update through SQLite would change its header again.

use crate::db::Db;
use crate::error::{Fault, Location, TraceError};
use crate::record::TraceHash;
use crate::schema::{APPLICATION_ID, FORMAT_VERSION, STEP, Table, tables_of};
use rusqlite::{Connection, OpenFlags};
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
    pub db: Db,
    pub version: i64,
    pub trust: Trust,
    pub hash: TraceHash,
    pub bytes: u64,
}

impl Opened {
    /// Returns the sealed tables of its format.
    pub fn tables(&self) -> &'static [&'static Table] {
        tables_of(self.version).unwrap_or(&[])
    }
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Returns the path of the rollback journal of a file.
pub(crate) fn journal_of(path: &Path) -> PathBuf {
    with_suffix(path, "-journal")
}

/// Returns where a trace is kept that a new one at `path` takes the place of, until that is
/// complete: the same name with `.before` behind it.
pub fn before_of(path: &Path) -> PathBuf {
    with_suffix(path, ".before")
}

const MAGIC: &[u8] = b"SQLite format 3\0";

/// The 100 bytes that every SQLite file begins with.
pub(crate) struct Header<'b>(&'b [u8]);

impl<'b> Header<'b> {
    /// Takes the header of a file; `not` makes the fault of what is none. The beginning of one is a truncated file.
    pub fn of(bytes: &'b [u8], not: impl FnOnce(&str) -> Fault) -> Result<Self, Fault> {
        match bytes.get(..100) {
            Some(header) if header.starts_with(MAGIC) => Ok(Self(header)),
            None if bytes.starts_with(MAGIC) => Err(Fault::Truncated { expected: 100, found: bytes.len() as u64 }),
            _ => Err(not("it is not an SQLite file")),
        }
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_be_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }

    pub fn application(&self) -> u32 {
        self.word(68)
    }

    /// Returns the format of the file, unless it is later than the last that this build reads.
    pub fn version(&self, supported: i64) -> Result<i64, Fault> {
        let found = i64::from(self.word(60));
        if found > supported { Err(Fault::TooNew { found, supported }) } else { Ok(found) }
    }

    /// Returns whether it asks for a write-ahead log.
    pub fn has_log(&self) -> bool {
        self.0[18] != 1 || self.0[19] != 1
    }

    fn page_size(&self) -> u64 {
        match u16::from_be_bytes([self.0[16], self.0[17]]) {
            1 => 65536,
            size => u64::from(size),
        }
    }

    fn pages(&self) -> u64 {
        u64::from(self.word(28))
    }
}

fn not_a_trace(reason: impl Into<String>) -> Fault {
    Fault::NotATrace(reason.into())
}

fn check_header(bytes: &[u8]) -> Result<(), Fault> {
    if bytes.is_empty() {
        return Err(not_a_trace("the file is empty"));
    }
    if bytes.len() < MAGIC.len() && MAGIC.starts_with(bytes) {
        return Err(Fault::Truncated { expected: 100, found: bytes.len() as u64 });
    }
    let header = Header::of(bytes, |reason| not_a_trace(reason))?;
    if i64::from(header.application()) != APPLICATION_ID {
        let id = header.application();
        return Err(not_a_trace(format!("it is an SQLite file of another application (id {id:#010x})")));
    }
    let damaged = |reason: &str| Fault::Damaged { place: Location::FILE, reason: reason.to_owned() };
    if tables_of(header.version(FORMAT_VERSION)?).is_none() {
        return Err(damaged("the header has no format version"));
    }
    if header.has_log() {
        return Err(damaged("the header asks for a write-ahead log, which traces never have"));
    }
    let (expected, found) = (header.page_size() * header.pages(), bytes.len() as u64);
    if header.word(24) == header.word(92) && expected > found {
        return Err(Fault::Truncated { expected, found });
    }
    Ok(())
}

/// Lets SQLite roll back the journal that a killed recorder left, if there is one.
pub(crate) fn roll_back_journal(path: &Path) -> Result<(), TraceError> {
    if !std::fs::metadata(journal_of(path)).is_ok_and(|journal| journal.len() > 0) {
        return Ok(());
    }
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // Any read rolls back; the lock of a recorder that is alive keeps it from happening.
    db.number(Location::FILE, "SELECT count(*) FROM sqlite_schema", []).map(drop)
}

/// Opens a copy of a damaged file as far as SQLite can read it: pages that are gone become empty
/// ones.
pub(crate) fn open_damaged(path: &Path, copy: &Path) -> Result<Db, TraceError> {
    let not = |reason: &str| TraceError::new(path, not_a_trace(reason));
    let mut bytes = std::fs::read(path).map_err(TraceError::io(path, "read the file"))?;
    let header = Header::of(&bytes, |reason| not_a_trace(reason));
    let header = header.map_err(|_| not("it does not begin as an SQLite file does"))?;
    let (page_size, pages) = (header.page_size().max(512) as usize, header.pages() as usize);
    // A damaged header may promise any number of pages: at most what is there and as much again is
    // made up.
    let promised = pages.saturating_mul(page_size).min(bytes.len().saturating_mul(64).max(1 << 20));
    let whole = bytes.len().div_ceil(page_size) * page_size;
    bytes.resize(whole.max(promised), 0);
    // Neither a write-ahead log nor a journal belongs to the copy.
    bytes[18] = 1;
    bytes[19] = 1;
    std::fs::write(copy, &bytes).map_err(TraceError::io(copy, "write a working copy"))?;
    let db = connect(copy, OpenFlags::SQLITE_OPEN_READ_ONLY).map_err(|error| match error.fault {
        Fault::Damaged { .. } => not("its list of tables cannot be read"),
        _ => error,
    })?;
    Ok(Db { path: path.to_owned(), ..db })
}

pub(crate) fn connect(path: &Path, mode: OpenFlags) -> Result<Db, TraceError> {
    // A file from elsewhere may hold views and triggers: none of ours does, so nothing of the
    // schema may run. A search through a hundred thousand messages reads their pages more than
    // once.
    const SETTINGS: &str = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; \
        PRAGMA cache_size = -32768;";
    let open = || {
        let connection = Connection::open_with_flags(path, mode | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
        connection.busy_timeout(Duration::from_secs(5))?;
        connection.execute_batch(SETTINGS)?;
        Ok(connection)
    };
    Ok(Db::new(open().map_err(TraceError::sqlite(path, Location::FILE))?, path))
}

/// Opens a file for reading and says how far it can be trusted.
pub(crate) fn open(path: &Path) -> Result<Opened, TraceError> {
    roll_back_journal(path)?;
    let mut bytes = std::fs::read(path).map_err(TraceError::io(path, "read the file"))?;
    check_header(&bytes).map_err(|fault| TraceError::new(path, fault))?;
    let db = connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let version = db.connection.pragma_query_value(None, "user_version", |row| row.get(0));
    let version = version.map_err(db.failed(Location::SEAL))?;
    let value: Option<Vec<u8>> =
        db.first(Location::SEAL, "SELECT value FROM file_seal WHERE id = 1", [], |row| row.get(0))?;
    let hash = TraceHash(*blake3::hash(&bytes).as_bytes());
    let trust = trust_of(&mut bytes, value.as_deref());
    Ok(Opened { db, version, trust, hash, bytes: bytes.len() as u64 })
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
pub(crate) fn open_value(db: &Db) -> Result<Vec<u8>, TraceError> {
    let mut hasher = blake3::Hasher::new();
    db.each(STEP.place(), "SELECT seal FROM step ORDER BY number", [], |row| {
        hasher.update(&row.get::<_, Vec<u8>>(0)?);
        Ok(true)
    })?;
    Ok([OPEN.as_slice(), hasher.finalize().as_bytes()].concat())
}

/// Seals a file that is closed.
pub(crate) fn seal(path: &Path, open_value: &[u8]) -> Result<(), TraceError> {
    let read = |source| TraceError::io(path, "read the file back")(source);
    let mut file = File::options().read(true).write(true).open(path).map_err(read)?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(read)?;
    let at = find_once(&bytes, open_value).ok_or_else(|| {
        let (place, reason) =
            (Location { row: Some(1), ..Location::SEAL }, "the place of the seal was not found in the file");
        TraceError::new(path, Fault::Damaged { place, reason: reason.to_owned() })
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
