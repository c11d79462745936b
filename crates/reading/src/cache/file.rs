//! The cache's file: opening, its tables, and what is done with one that is damaged, of another
//! version or locked.
//!
//! In: a path. Out: a connection to a file of this version. Invariant: of those who find a damaged
//! file, one moves it away and the others use the new one. Files are opened under a shared lock of
//! `<name>.lock` and moved under an exclusive one: SQLite finds its log by name, so who opens the
//! old file while it is moved would read and write the new one's log.

use super::{CACHE_VERSION, CacheError};
use rusqlite::{Connection, ErrorCode};
use std::ffi::OsString;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Tells a cache of this program from other SQLite files ("BLrd").
const APPLICATION: i64 = 0x424c_7264;

/// What is added to the name of the cache for its lock.
const LOCK: &str = ".lock";

/// How often a new file's journal is set, and how long is waited in between.
const TRIES: u32 = 20;
const BETWEEN_TRIES: Duration = Duration::from_millis(5);

const TABLES: &str = "
    CREATE TABLE pages (
        id INTEGER PRIMARY KEY,
        url TEXT NOT NULL,
        hash BLOB NOT NULL,
        origin TEXT NOT NULL,
        checked_ms INTEGER NOT NULL,
        used INTEGER NOT NULL,
        bytes INTEGER NOT NULL,
        body BLOB NOT NULL,
        own BLOB NOT NULL,
        UNIQUE (url, hash)
    ) STRICT;
    CREATE TABLE visits (
        address TEXT PRIMARY KEY, url TEXT NOT NULL, hash BLOB NOT NULL, shown TEXT NOT NULL, seen_ms INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX by_origin ON pages (origin, used);
    CREATE TABLE texts (
        id INTEGER PRIMARY KEY, origin TEXT NOT NULL, key INTEGER NOT NULL, text TEXT NOT NULL, bytes INTEGER NOT \
        NULL, uses INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX of_origin ON texts (origin);
    CREATE INDEX by_use ON pages (used);
    CREATE TABLE clock (used INTEGER NOT NULL, total INTEGER NOT NULL) STRICT;
    INSERT INTO clock VALUES (1, 0);
    CREATE TRIGGER more AFTER INSERT ON pages BEGIN UPDATE clock SET total = total + new.bytes; END;
    CREATE TRIGGER other AFTER UPDATE OF bytes ON pages BEGIN UPDATE clock SET total = total - old.bytes + new.bytes; \
    END;
    CREATE TRIGGER more_text AFTER INSERT ON texts BEGIN UPDATE clock SET total = total + new.bytes; END;
    CREATE TRIGGER less_text AFTER DELETE ON texts BEGIN UPDATE clock SET total = total - old.bytes; END;
    CREATE TRIGGER less AFTER DELETE ON pages BEGIN UPDATE clock SET total = total - old.bytes; END;
";

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

/// Returns whether an error says that the file is no database, or no whole one.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase))
}

/// Returns whether an error says that another process holds the file.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

pub(super) fn failure(path: &Path, waited: Duration, error: rusqlite::Error) -> CacheError {
    let path = path.to_owned();
    if is_busy(&error) { CacheError::Locked { path, waited } } else { CacheError::Failed { path, source: error } }
}

/// What is found at a path.
enum Found {
    Ready(Connection),
    /// No cache that can be used, and why.
    Damaged(String),
}

/// Opens a cache; the second value says why it was made anew, if it was.
pub(super) fn open(path: &Path, timeout: Duration) -> Result<(Connection, Option<String>), CacheError> {
    // Where no lock can be made no file can be moved either, and SQLite says best what is wrong
    // with the folder.
    let lock = lock_file(path).ok();
    if let Some(lock) = &lock {
        lock.lock_shared().map_err(|source| CacheError::Io { path: path.to_owned(), source })?;
    }
    let found = look(path, timeout);
    if matches!(found, Err(CacheError::Foreign { .. })) {
        // Nothing of ours stays beside the file of another program.
        let _ = std::fs::remove_file(beside(path, LOCK));
    }
    drop(lock);
    match found? {
        Found::Ready(connection) => Ok((connection, None)),
        Found::Damaged(why) => rebuild(path, timeout, &why),
    }
}

fn lock_file(path: &Path) -> std::io::Result<File> {
    File::options().create(true).truncate(false).write(true).open(beside(path, LOCK))
}

/// Moves a damaged file away and makes a new one, unless another process did so in the meantime.
pub(super) fn rebuild(path: &Path, timeout: Duration, why: &str) -> Result<(Connection, Option<String>), CacheError> {
    let io = |source| CacheError::Io { path: path.to_owned(), source };
    let lock = lock_file(path).map_err(io)?;
    lock.lock().map_err(io)?;
    if let Found::Ready(connection) = look(path, timeout)?
        && whole(&connection)
    {
        return Ok((connection, None));
    }
    let damaged = beside(path, ".damaged");
    // The logs first: once the file is gone, another process may make a new one with a log of its
    // own.
    for suffix in ["-wal", "-shm"] {
        match std::fs::remove_file(beside(path, suffix)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(io(error)),
            _ => {}
        }
    }
    std::fs::rename(path, &damaged).map_err(io)?;
    match look(path, timeout)? {
        Found::Ready(connection) => {
            let said = format!("{}: damaged ({why}), moved to {} and made anew", path.display(), damaged.display());
            Ok((connection, Some(said)))
        }
        Found::Damaged(why) => Err(io(std::io::Error::other(why))),
    }
}

fn whole(connection: &Connection) -> bool {
    connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0)).is_ok_and(|said| said == "ok")
}

fn look(path: &Path, timeout: Duration) -> Result<Found, CacheError> {
    match ready(path, timeout) {
        Ok(found) => found,
        Err(error) if is_damage(&error) => Ok(Found::Damaged(error.to_string())),
        Err(error) => Err(failure(path, timeout, error)),
    }
}

/// Opens the file and sees to its tables.
fn ready(path: &Path, timeout: Duration) -> Result<Result<Found, CacheError>, rusqlite::Error> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(timeout)?;
    let pragma =
        |connection: &Connection, name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    // Before anything is written to it: is it ours? In one look, for another process may be making
    // it.
    let (application, version, tables): (i64, i64, i64) = {
        let at_once = connection.transaction()?;
        let tables = at_once.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        (pragma(&at_once, "application_id")?, pragma(&at_once, "user_version")?, tables)
    };
    if application != APPLICATION && (application != 0 || version != 0 || tables != 0) {
        return Ok(Err(CacheError::Foreign { path: path.to_owned() }));
    }
    if version > CACHE_VERSION {
        return Ok(Err(CacheError::TooNew { path: path.to_owned(), found: version }));
    }
    write_ahead(&connection)?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    if version < CACHE_VERSION {
        // Another process may do the same: whoever is second finds the tables there.
        let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        if pragma(&transaction, "user_version")? < CACHE_VERSION {
            if tables > 0 {
                return Ok(Ok(Found::Damaged(format!("of version {version}"))));
            }
            transaction.execute_batch(TABLES)?;
            transaction.pragma_update(None, "application_id", APPLICATION)?;
            transaction.pragma_update(None, "user_version", CACHE_VERSION)?;
        }
        transaction.commit()?;
    }
    connection.query_row("SELECT used FROM clock", [], |_| Ok(()))?;
    Ok(Ok(Found::Ready(connection)))
}

/// Sets the journal to a write-ahead log. Of several processes that do this to a new file at once,
/// SQLite turns some down without waiting.
fn write_ahead(connection: &Connection) -> Result<(), rusqlite::Error> {
    let set = || connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
    for _ in 0..TRIES {
        match set() {
            Err(error) if is_busy(&error) => std::thread::sleep(BETWEEN_TRIES),
            done => return done,
        }
    }
    set()
}
