//! A cache of what pages say, in one SQLite file.
//!
//! In: pages, and the time in milliseconds of any clock that all users of the file share. Out:
//! [`Extraction`]s, and how each came about. Invariants: an extraction is only given for a page of
//! the same URL (in its [normal form](crate::normal_url)) and the same
//! [content](crate::content_hash); the bodies never take more than [`CacheOptions::max_bytes`]; any
//! number of processes may use one file at once.
//!
//! What a hit saves, and what not. [`Cache::read`] is asked with a page at hand, so the page was
//! captured and parsed, which takes far longer than reading it: of a live page a hit saves the
//! extraction, and lets a caller keep more under the same key (an index; vectors, which may have
//! been paid for), but it does not save the look at the browser. That look is cheap only as long as
//! nobody acts: [`browserlens_core::strategy::PageSource::page`] gives the capture that it has until the
//! next action. This is the price of never being stale. [`Cache::latest`] answers without a page,
//! by the address that somebody went to ([`Cache::visit`]) and for [`CacheOptions::life_ms`], as a
//! cache in front of a browser would, and may be wrong about a page that changed since.
//!
//! What the pages of a site repeat is stored once ([`body`]): a text that a second page has, too,
//! moves out of both into a table of texts.
//!
//! Past its life an entry is not dropped: if the page at hand still reads alike, it is good for
//! another life ([`Outcome::Revalidated`]). Where space runs out, what was used longest ago goes
//! first.

mod body;
mod file;
#[cfg(test)]
mod tests;

use crate::address::normal_url;
use crate::boilerplate::PagePlace;
use crate::content_hash::{ContentHash, content_hash};
use crate::sections::{Cut, Extraction};
use body::{Body, Key, TextId};
use browserlens_core::page::Page;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Version of the cache file; a file of a later one is refused, one of an earlier one is rebuilt.
pub const CACHE_VERSION: i64 = 3;

/// With how many pages of its site, those used last, a new one is compared.
const COMPARED: i64 = 64;

/// How a cache behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CacheOptions {
    /// How long an entry is good, in milliseconds.
    pub life_ms: u64,
    /// Most bytes of bodies.
    pub max_bytes: u64,
    /// How long a locked file is waited for.
    pub timeout: Duration,
}

impl Default for CacheOptions {
    /// Five minutes, 64 MiB, five seconds.
    fn default() -> Self {
        Self { life_ms: 5 * 60 * 1_000, max_bytes: 64 << 20, timeout: Duration::from_secs(5) }
    }
}

/// The cache cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// Another process holds the file.
    #[error("{}: locked by another process for over {} ms", .path.display(), .waited.as_millis())]
    Locked {
        /// The file.
        path: PathBuf,
        /// How long it was waited for.
        waited: Duration,
    },
    /// Written by a later version.
    #[error("{}: a cache of version {found}, this build reads up to {CACHE_VERSION}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
    },
    /// A database of something else.
    #[error("{}: an SQLite file of another program", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be opened, read or written.
    #[error("{}: the cache cannot be used", .path.display())]
    Failed {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: rusqlite::Error,
    },
    /// A damaged file cannot be moved out of the way.
    #[error("{}: a damaged cache cannot be replaced", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
}

impl CacheError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Locked { .. } => "try again when the other process is done, or read with `nocache`",
            Self::TooNew { .. } => {
                "update this tool, name another cache file, or remove this one: it only holds copies"
            }
            Self::Foreign { .. } => "name another cache file",
            Self::Failed { .. } | Self::Io { .. } => {
                "see that the folder is there and can be written, or read with `nocache`"
            }
        }
    }
}

/// How an extraction came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// From the cache.
    Hit,
    /// From the cache, past its life; the page reads as it did.
    Revalidated,
    /// Read anew: the cache knows the URL with other content alone.
    Changed,
    /// Read anew: the cache does not know the URL.
    Miss,
    /// Read anew: `nocache`.
    Bypassed,
}

impl Outcome {
    /// Returns whether nothing had to be read anew.
    pub fn is_hit(self) -> bool {
        matches!(self, Self::Hit | Self::Revalidated)
    }
}

/// An extraction and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What the page says.
    pub extraction: Extraction,
    /// Hash of what it says; with the URL, the key of whatever else is kept of it.
    pub hash: ContentHash,
    /// From the cache or not.
    pub outcome: Outcome,
}

/// A cache file that is open.
#[derive(Debug)]
pub struct Cache {
    connection: Connection,
    path: PathBuf,
    options: CacheOptions,
    rebuilt: Option<String>,
}

impl Cache {
    /// Opens a cache file, or makes it.
    ///
    /// A file that is no database any more is moved to `<name>.damaged` and made anew;
    /// [`Cache::rebuilt`] says so.
    ///
    /// # Errors
    /// [`CacheError`]: locked for longer than the timeout, of a later version, of another program, or out of reach.
    pub fn open(path: &Path, options: CacheOptions) -> Result<Self, CacheError> {
        let (connection, rebuilt) = file::open(path, options.timeout)?;
        Ok(Self { connection, path: path.to_owned(), options, rebuilt })
    }

    /// Returns why the file was made anew, if it was.
    pub fn rebuilt(&self) -> Option<&str> {
        self.rebuilt.as_deref()
    }

    /// Reads a page: from the cache if it holds this content of this URL, else anew, and then keeps
    /// it.
    ///
    /// # Errors
    /// [`CacheError`] if the file is locked for too long or cannot be used.
    pub fn read(&mut self, page: &Page, cut: Cut, now_ms: u64) -> Result<Reading, CacheError> {
        let hash = content_hash(page);
        let (found, outcome) = self.lookup(page.url(), hash, cut, now_ms)?;
        if let Some(extraction) = found {
            return Ok(Reading { extraction, hash, outcome });
        }
        let extraction = crate::extract(page, cut);
        self.store(hash, &extraction, now_ms)?;
        Ok(Reading { extraction, hash, outcome })
    }

    /// Reads a page anew, whatever is in the cache, and keeps it (`nocache`).
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn read_anew(&mut self, page: &Page, cut: Cut, now_ms: u64) -> Result<Reading, CacheError> {
        let hash = content_hash(page);
        let extraction = crate::extract(page, cut);
        self.store(hash, &extraction, now_ms)?;
        Ok(Reading { extraction, hash, outcome: Outcome::Bypassed })
    }

    /// Returns what the cache holds of this content of a URL, and how it stands.
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn lookup(
        &mut self,
        url: &str,
        hash: ContentHash,
        cut: Cut,
        now_ms: u64,
    ) -> Result<(Option<Extraction>, Outcome), CacheError> {
        let (asked, url, life) = (url, normal_url(url), self.options.life_ms);
        self.guarded(|connection| {
            let sql = "SELECT id, checked_ms, body FROM pages WHERE url = ?1 AND hash = ?2";
            let Some(entry) = entry(connection, sql, params![url, hash.0])? else {
                let known =
                    connection.prepare_cached("SELECT 1 FROM pages WHERE url = ?1 LIMIT 1")?.exists(params![url])?;
                return Ok((None, if known { Outcome::Changed } else { Outcome::Miss }));
            };
            let (id, checked) = (entry.id, entry.checked_ms);
            let Some(extraction) = entry.into_extraction(asked, cut) else {
                // What cannot be read is not there.
                forget_alone(connection, id)?;
                return Ok((None, Outcome::Miss));
            };
            let fresh = is_fresh(checked, now_ms, life);
            touch(connection, id, now_ms)?;
            Ok((Some(extraction), if fresh { Outcome::Hit } else { Outcome::Revalidated }))
        })
    }

    /// Notes that an address led to a page that was just read, so that [`Cache::latest`] knows it.
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn visit(&mut self, address: &str, reading: &Reading, now_ms: u64) -> Result<(), CacheError> {
        let (address, life) = (of_address(address), self.options.life_ms);
        let (shown, hash) = (reading.extraction.url.as_str(), reading.hash);
        self.guarded(|connection| {
            let oldest = now_ms.saturating_sub(life) as i64;
            run(connection, "DELETE FROM visits WHERE seen_ms < ?1", [oldest])?;
            let sql = "INSERT OR REPLACE INTO visits (address, url, hash, shown, seen_ms) VALUES (?1, ?2, ?3, ?4, ?5)";
            run(connection, sql, params![address, normal_url(shown), hash.0, shown, now_ms as i64])
        })
    }

    /// Returns what the page said that an address led to last, and how many milliseconds ago, if
    /// that was within an entry's life: without a look at the page, which may say something else by
    /// now.
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn latest(&mut self, address: &str, cut: Cut, now_ms: u64) -> Result<Option<(Extraction, u64)>, CacheError> {
        let (address, life) = (of_address(address), self.options.life_ms);
        self.guarded(|connection| {
            let visit = connection
                .prepare_cached("SELECT shown, seen_ms FROM visits WHERE address = ?1")?
                .query_row([&address], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?)))
                .optional()?;
            let Some((shown, seen_ms)) = visit.filter(|(_, seen_ms)| is_fresh(*seen_ms, now_ms, life)) else {
                return Ok(None);
            };
            let sql = "SELECT pages.id, pages.checked_ms, pages.body FROM visits
                JOIN pages ON pages.url = visits.url AND pages.hash = visits.hash WHERE address = ?1";
            let Some(entry) = entry(connection, sql, params![address])? else { return Ok(None) };
            let id = entry.id;
            let extraction = entry.into_extraction(&shown, cut);
            if extraction.is_none() {
                forget_alone(connection, id)?;
            }
            Ok(extraction.map(|extraction| (extraction, now_ms.saturating_sub(seen_ms.max(0) as u64))))
        })
    }

    /// Keeps an extraction, and drops what was used longest ago where space runs out. One that is
    /// larger than all the space is not kept.
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn store(&mut self, hash: ContentHash, extraction: &Extraction, now_ms: u64) -> Result<(), CacheError> {
        let url = normal_url(&extraction.url);
        let origin = PagePlace::of(&url).origin;
        let whole = Body::of(extraction);
        let max = self.options.max_bytes;
        let is_too_large = whole.encode().len() as u64 > max;
        self.guarded(|connection| {
            if is_too_large {
                return Ok(());
            }
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let known: Option<(i64, i64)> = transaction
                .prepare_cached("SELECT id, checked_ms FROM pages WHERE url = ?1 AND hash = ?2")?
                .query_row(params![url, hash.0], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            let mut checked = now_ms as i64;
            if let Some((id, before)) = known {
                forget(&transaction, id)?;
                checked = checked.max(before);
            }
            let mut body = whole.clone();
            share(&transaction, &origin, &mut body)?;
            let (encoded, own) = (body.encode(), keys(&body));
            let sql = "INSERT INTO pages (url, hash, origin, bytes, body, own, checked_ms, used)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, (SELECT used FROM clock))";
            let page = params![url, hash.0, origin, encoded.len() as i64, encoded, own, checked];
            run(&transaction, sql, page)?;
            run(&transaction, "UPDATE clock SET used = used + 1", [])?;
            let total = || -> Result<i64, rusqlite::Error> {
                transaction.prepare_cached("SELECT total FROM clock")?.query_row([], |row| row.get(0))
            };
            while total()? as u64 > max {
                let oldest = transaction
                    .prepare_cached("SELECT id FROM pages ORDER BY used LIMIT 1")?
                    .query_row([], |row| row.get(0))
                    .optional()?;
                let Some(oldest) = oldest else { break };
                forget(&transaction, oldest)?;
            }
            transaction.commit()
        })
    }

    /// Returns how many entries there are, and the bytes of their bodies and of the texts that
    /// these share.
    ///
    /// # Errors
    /// As [`Cache::read`].
    pub fn size(&mut self) -> Result<(u64, u64), CacheError> {
        self.guarded(|connection| {
            let sql =
                "SELECT count(*), coalesce(sum(bytes), 0) + (SELECT coalesce(sum(bytes), 0) FROM texts) FROM pages";
            connection.query_row(sql, [], |row| Ok((row.get::<_, i64>(0)? as u64, row.get::<_, i64>(1)? as u64)))
        })
    }

    /// Carries something out; if the file turns out to be damaged, makes it anew and tries again.
    fn guarded<T>(
        &mut self,
        mut what: impl FnMut(&mut Connection) -> Result<T, rusqlite::Error>,
    ) -> Result<T, CacheError> {
        let (path, timeout) = (self.path.as_path(), self.options.timeout);
        let failure = |error| file::failure(path, timeout, error);
        let error = match what(&mut self.connection) {
            Err(error) if file::is_damage(&error) => error,
            result => return result.map_err(failure),
        };
        // The file is let go before it is moved.
        self.connection = Connection::open_in_memory().map_err(failure)?;
        let (connection, rebuilt) = file::rebuild(path, timeout, &error.to_string())?;
        self.connection = connection;
        self.rebuilt = rebuilt.or(self.rebuilt.take());
        what(&mut self.connection).map_err(failure)
    }
}

/// An address as visits are told apart: in its normal form, but with a fragment that leads to
/// another page of a site that runs in one document (`#/cart`, `#!cart`).
pub(crate) fn of_address(url: &str) -> String {
    let mut address = normal_url(url);
    if let Some((_, fragment)) = url.split_once('#').filter(|(_, fragment)| fragment.starts_with(['/', '!'])) {
        address.push('#');
        address.push_str(fragment);
    }
    address
}

fn is_fresh(checked_ms: i64, now_ms: u64, life_ms: u64) -> bool {
    // A clock that went back makes nothing old.
    now_ms.saturating_sub(checked_ms.max(0) as u64) <= life_ms
}

/// Carries out a statement, which is remembered.
fn run(connection: &Connection, sql: &str, of: impl rusqlite::Params) -> Result<(), rusqlite::Error> {
    connection.prepare_cached(sql)?.execute(of).map(drop)
}

/// A row of the table, with the texts that it shares.
struct Entry {
    id: i64,
    checked_ms: i64,
    body: Option<Body>,
    texts: FxHashMap<TextId, String>,
}

impl Entry {
    fn into_extraction(self, url: &str, cut: Cut) -> Option<Extraction> {
        self.body?.into_extraction(url, cut, &self.texts)
    }
}

/// Looks an entry up, in one look: another process may be sharing its texts.
fn entry(
    connection: &mut Connection,
    sql: &str,
    known: impl rusqlite::Params,
) -> Result<Option<Entry>, rusqlite::Error> {
    let at_once = connection.transaction()?;
    let row = at_once
        .prepare_cached(sql)?
        .query_row(known, |row| Ok((row.get(0)?, row.get(1)?, Body::decode(row.get_ref(2)?.as_blob()?))))
        .optional()?;
    let Some((id, checked_ms, body)) = row else { return Ok(None) };
    let mut texts = FxHashMap::default();
    for shared in body.iter().flat_map(Body::shared) {
        let mut select = at_once.prepare_cached("SELECT text FROM texts WHERE id = ?1")?;
        if let Some(text) = select.query_row([shared], |row| row.get(0)).optional()? {
            texts.insert(shared, text);
        }
    }
    Ok(Some(Entry { id, checked_ms, body, texts }))
}

/// The keys of what a page has for itself, as they are stored.
fn keys(body: &Body) -> Vec<u8> {
    let mut keys: Vec<Key> = body.own().into_keys().collect();
    keys.sort_unstable();
    keys.into_iter().flat_map(Key::to_le_bytes).collect()
}

/// Moves what a new page and others of its site both say into the table of texts, out of all of
/// them.
fn share(transaction: &Transaction<'_>, origin: &str, body: &mut Body) -> Result<(), rusqlite::Error> {
    let own = body.own();
    let mut known: FxHashMap<Key, (TextId, String)> = FxHashMap::default();
    let mut select = transaction.prepare_cached("SELECT id, key, text FROM texts WHERE origin = ?1")?;
    let mut rows = select.query([origin])?;
    while let Some(row) = rows.next()? {
        let key: Key = row.get(1)?;
        if own.contains_key(&key) {
            known.insert(key, (row.get(0)?, row.get(2)?));
        }
    }
    let mut both: Vec<(i64, FxHashSet<Key>)> = Vec::new();
    let mut select =
        transaction.prepare_cached("SELECT id, own FROM pages WHERE origin = ?1 ORDER BY used DESC LIMIT ?2")?;
    let mut rows = select.query(params![origin, COMPARED])?;
    while let Some(row) = rows.next()? {
        let (keys, _) = row.get_ref(1)?.as_blob()?.as_chunks::<8>();
        let keys = keys.iter().map(|key| Key::from_le_bytes(*key));
        let common: FxHashSet<Key> = keys.filter(|key| own.contains_key(key) && !known.contains_key(key)).collect();
        if !common.is_empty() {
            both.push((row.get(0)?, common));
        }
    }
    for (id, common) in both {
        let mut select = transaction.prepare_cached("SELECT body FROM pages WHERE id = ?1")?;
        let Some(mut other) = select.query_row([id], |row| Ok(Body::decode(row.get_ref(0)?.as_blob()?)))? else {
            continue;
        };
        let texts: Vec<(Key, String)> = {
            let theirs = other.own();
            let equal = common.iter().filter(|key| theirs.get(key).is_some_and(|text| own.get(key) == Some(text)));
            equal.map(|key| (*key, theirs[key].to_owned())).collect()
        };
        for (key, text) in texts {
            if let std::collections::hash_map::Entry::Vacant(entry) = known.entry(key) {
                let sql = "INSERT INTO texts (origin, key, text, bytes, uses) VALUES (?1, ?2, ?3, ?4, 0)";
                run(transaction, sql, params![origin, entry.key(), text, text.len() as i64])?;
                entry.insert((transaction.last_insert_rowid(), text));
            }
        }
        let before = other.shared();
        other.share(&known);
        used_by(transaction, other.shared().difference(&before))?;
        let (encoded, keys) = (other.encode(), keys(&other));
        let sql = "UPDATE pages SET body = ?2, bytes = ?3, own = ?4 WHERE id = ?1";
        run(transaction, sql, params![id, encoded, encoded.len() as i64, keys])?;
    }
    body.share(&known);
    used_by(transaction, &body.shared())
}

fn used_by<'i>(
    transaction: &Transaction<'_>,
    texts: impl IntoIterator<Item = &'i TextId>,
) -> Result<(), rusqlite::Error> {
    let mut more = transaction.prepare_cached("UPDATE texts SET uses = uses + 1 WHERE id = ?1")?;
    texts.into_iter().try_for_each(|text| more.execute([text]).map(drop))
}

/// Drops an entry, and the texts that only it used.
fn forget(transaction: &Transaction<'_>, id: i64) -> Result<(), rusqlite::Error> {
    let mut select = transaction.prepare_cached("SELECT body FROM pages WHERE id = ?1")?;
    let body = select.query_row([id], |row| Ok(Body::decode(row.get_ref(0)?.as_blob()?))).optional()?.flatten();
    for text in body.iter().flat_map(Body::shared) {
        run(transaction, "UPDATE texts SET uses = uses - 1 WHERE id = ?1", [text])?;
        run(transaction, "DELETE FROM texts WHERE id = ?1 AND uses <= 0", [text])?;
    }
    run(transaction, "DELETE FROM pages WHERE id = ?1", [id])?;
    // What an entry used that could not be read is not known: with the last entry, all texts go.
    run(transaction, "DELETE FROM texts WHERE NOT EXISTS (SELECT 1 FROM pages)", [])
}

fn forget_alone(connection: &mut Connection, id: i64) -> Result<(), rusqlite::Error> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    forget(&transaction, id)?;
    transaction.commit()
}

/// Notes that an entry was used; where another process writes at this moment, the note is left out
/// rather than waited for.
fn touch(connection: &Connection, id: i64, now_ms: u64) -> Result<(), rusqlite::Error> {
    let noted = connection.pragma_query_value(None, "busy_timeout", |row| row.get::<_, i64>(0)).and_then(|timeout| {
        connection.busy_timeout(Duration::ZERO)?;
        let sql = "UPDATE pages SET used = (SELECT used FROM clock), checked_ms = max(checked_ms, ?2) WHERE id = ?1";
        let noted = run(connection, sql, params![id, now_ms as i64])
            .and_then(|()| run(connection, "UPDATE clock SET used = used + 1", []));
        connection.busy_timeout(Duration::from_millis(timeout.max(0) as u64))?;
        noted
    });
    match noted {
        Err(error) if !file::is_busy(&error) => Err(error),
        _ => Ok(()),
    }
}
