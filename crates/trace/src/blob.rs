//! Content-addressed bodies: each stored once, compressed against the one before.
//!
//! In: bodies. Out: rows of table `blob`, and bodies again. Invariants: a body that is handed out
//! has the BLAKE3 hash it was stored under; decoding never takes more than [`MAX_BODY`] bytes for
//! one body, whatever the file claims.
//!
//! A text body is zstd with the body of the step before (same kind, frame and node) as prefix,
//! except each eighth, which stands alone: reading one step decodes at most eight bodies, and
//! reading steps in order one each.

use crate::db::Db;
use crate::error::{Location, TraceError};
use crate::rows::{int, text};
use crate::schema::BLOB;
use rusqlite::types::Value;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::sync::Arc;

/// Most bytes that one body may have.
pub(crate) const MAX_BODY: u64 = 512 << 20;

/// Every n-th body of a run of steps stands alone.
const KEY_FRAME_EVERY: u32 = 8;

/// zstd level: a tenth of a second for the largest payloads, a quarter smaller than the default.
const LEVEL: i32 = 9;

/// A window of 1 GiB covers any prefix and body that [`MAX_BODY`] allows.
const MAX_WINDOW_LOG: u32 = 30;

/// How a body is stored.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Storage {
    /// As it is: PNG is compressed already.
    Raw,
    /// zstd.
    Zstd,
}

/// A body that was stored.
#[derive(Clone)]
pub(crate) struct Stored {
    pub id: i64,
    /// How many bodies must be decoded before this one.
    pub chain: u32,
    pub body: Arc<[u8]>,
}

/// Writes bodies; knows which ones are there.
#[derive(Default)]
pub(crate) struct BlobWriter {
    known: HashMap<[u8; 32], (i64, u32)>,
    next: i64,
    /// What was added since the last [`BlobWriter::commit`].
    pending: Vec<[u8; 32]>,
}

impl BlobWriter {
    /// Stores a body, unless it is there already.
    pub(crate) fn store(
        &mut self,
        db: &Db,
        body: &Arc<[u8]>,
        storage: Storage,
        before: Option<&Stored>,
    ) -> Result<Stored, TraceError> {
        let hash = *blake3::hash(body).as_bytes();
        if let Some((id, chain)) = self.known.get(&hash) {
            return Ok(Stored { id: *id, chain: *chain, body: Arc::clone(body) });
        }
        let id = self.next + 1;
        if body.len() as u64 > MAX_BODY {
            let reason = format!("a body of {} bytes is over the limit of {MAX_BODY}", body.len());
            return Err(db.damaged(BLOB.row(id), reason));
        }
        let before = before.filter(|before| storage == Storage::Zstd && before.chain + 1 < KEY_FRAME_EVERY);
        let (encoding, data) = match storage {
            Storage::Raw => ("raw", body.to_vec()),
            Storage::Zstd => {
                let prefix = before.map_or(&[][..], |before| &before.body);
                ("zstd", compress(body, prefix).map_err(TraceError::io(&db.path, "compress a payload"))?)
            }
        };
        let chain = before.map_or(0, |before| before.chain + 1);
        let values = vec![
            int(id),
            Value::Blob(hash.to_vec()),
            int(body.len()),
            text(encoding),
            before.map_or(Value::Null, |before| int(before.id)),
            int(chain),
        ];
        db.write(&BLOB, "INSERT", values, Some(data))?;
        self.next = id;
        self.known.insert(hash, (id, chain));
        self.pending.push(hash);
        Ok(Stored { id, chain, body: Arc::clone(body) })
    }

    /// Keeps what was added: the transaction was committed.
    pub(crate) fn commit(&mut self) {
        self.pending.clear();
    }

    /// Forgets what was added: the transaction was rolled back.
    pub(crate) fn roll_back(&mut self) {
        for hash in self.pending.drain(..) {
            self.known.remove(&hash);
            self.next -= 1;
        }
    }
}

fn compress(body: &[u8], prefix: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = if prefix.is_empty() {
        zstd::stream::write::Encoder::new(Vec::new(), LEVEL)?
    } else {
        zstd::stream::write::Encoder::with_ref_prefix(Vec::new(), LEVEL, prefix)?
    };
    let span = (body.len() + prefix.len()).max(1 << 10) as u64;
    let window = (u64::BITS - span.leading_zeros()).clamp(10, MAX_WINDOW_LOG);
    encoder.window_log(window)?;
    encoder.long_distance_matching(true)?;
    encoder.include_checksum(false)?;
    encoder.set_pledged_src_size(Some(body.len() as u64))?;
    encoder.write_all(body)?;
    encoder.finish()
}

fn decompress(data: &[u8], prefix: &[u8], length: u64) -> std::io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::with_ref_prefix(data, prefix)?;
    decoder.window_log_max(MAX_WINDOW_LOG)?;
    // A damaged header may claim any length: room is made as bytes come, and one byte more than
    // claimed is enough to refuse.
    let mut body = Vec::with_capacity(usize::try_from(length.min(16 << 20)).unwrap_or(0));
    decoder.take(length + 1).read_to_end(&mut body)?;
    Ok(body)
}

/// A row of table `blob`, as far as it was asked for.
struct BlobRow {
    id: i64,
    hash: Vec<u8>,
    length: i64,
    encoding: String,
    prefix: Option<i64>,
    data: Vec<u8>,
}

impl BlobRow {
    /// Reads a row, with its bytes in `column`; `referrer` says who asks, for the message about a row
    /// that is not there.
    fn read(db: &Db, id: i64, column: &str, referrer: impl FnOnce() -> String) -> Result<Self, TraceError> {
        let sql = format!("SELECT hash, length, encoding, prefix, {column} FROM blob WHERE id = ?1");
        let found = db.first(BLOB.row(id), &sql, [id], |row| {
            let (hash, length, encoding) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(Self { id, hash, length, encoding, prefix: row.get(3)?, data: row.get(4)? })
        })?;
        found.ok_or_else(|| db.missing(BLOB.row(id), referrer()))
    }

    fn damaged(&self, db: &Db, reason: impl Into<String>) -> TraceError {
        db.damaged(BLOB.row(self.id), reason)
    }

    fn broken(&self, db: &Db, error: &std::io::Error) -> TraceError {
        self.damaged(db, format!("it does not decompress ({error})"))
    }

    fn unknown_encoding(&self, db: &Db) -> TraceError {
        self.damaged(db, format!("its encoding {:?} is unknown", self.encoding))
    }

    fn check_hash(&self, db: &Db, hash: blake3::Hash) -> Result<(), TraceError> {
        if hash.as_bytes()[..] == self.hash[..] {
            return Ok(());
        }
        Err(self.damaged(db, "its bytes do not match its hash"))
    }

    fn decode(&self, db: &Db, prefix: &[u8]) -> Result<Vec<u8>, TraceError> {
        let length = u64::try_from(self.length).ok().filter(|length| *length <= MAX_BODY);
        let Some(length) = length else {
            return Err(self.damaged(db, format!("it claims {} bytes, the limit is {MAX_BODY}", self.length)));
        };
        let body = match self.encoding.as_str() {
            "raw" => self.data.clone(),
            "zstd" => decompress(&self.data, prefix, length).map_err(|error| self.broken(db, &error))?,
            _ => return Err(self.unknown_encoding(db)),
        };
        if body.len() as u64 != length {
            return Err(self.damaged(db, format!("it claims {length} bytes and has {}", body.len())));
        }
        self.check_hash(db, blake3::hash(&body))?;
        Ok(body)
    }
}

/// Reads bodies; remembers those that the next step builds on.
#[derive(Default)]
pub(crate) struct BlobReader {
    cache: HashMap<i64, Arc<[u8]>>,
}

impl BlobReader {
    /// Returns the body of a row. `referrer` says who asks, for the message about a row that is not there.
    pub(crate) fn read(&mut self, db: &Db, id: i64, referrer: Location) -> Result<Arc<[u8]>, TraceError> {
        let mut chain: Vec<BlobRow> = Vec::new();
        let mut wanted = Some(id);
        let mut base: Option<Arc<[u8]>> = None;
        while let Some(next) = wanted {
            if let Some(body) = self.cache.get(&next) {
                base = Some(Arc::clone(body));
                break;
            }
            // Prefixes point to earlier rows, which also rules out circles.
            if chain.last().is_some_and(|row| next >= row.id) || chain.len() > 4096 {
                return Err(db.damaged(BLOB.row(next), "it is used as the prefix of an earlier row"));
            }
            let row = BlobRow::read(db, next, "data", || match chain.last() {
                Some(row) => format!("{}, row {} is built on it", BLOB.name, row.id),
                None => format!("{referrer} refers to it"),
            })?;
            wanted = row.prefix;
            chain.push(row);
        }
        while let Some(row) = chain.pop() {
            let prefix = if row.prefix.is_some() { base.as_deref().unwrap_or(&[]) } else { &[] };
            let body: Arc<[u8]> = row.decode(db, prefix)?.into();
            self.cache.insert(row.id, Arc::clone(&body));
            base = Some(body);
        }
        base.ok_or_else(|| db.damaged(BLOB.row(id), "it has no body"))
    }

    /// Returns a body that must be a text.
    pub(crate) fn text(&mut self, db: &Db, id: i64, referrer: Location, not: &str) -> Result<String, TraceError> {
        let body = self.read(db, id, referrer)?;
        String::from_utf8(body.to_vec()).map_err(|_| db.damaged(BLOB.row(id), not))
    }

    /// Forgets bodies that no step's payloads keep, where they are many.
    pub(crate) fn forget_single(&mut self) {
        const MOST: usize = 256;
        if self.cache.len() > MOST {
            self.cache.clear();
        }
    }

    /// Forgets every body but these.
    pub(crate) fn keep(&mut self, ids: &[i64]) {
        self.cache.retain(|id, _| ids.contains(id));
    }
}

/// Reads at most the first `limit` bytes of a body, and its length; `check` reads on to its end and
/// checks its hash, in pieces. Only for bodies that are built on nothing, as those of requests are.
pub(crate) fn read_head(
    db: &Db,
    id: i64,
    limit: usize,
    referrer: Location,
    check: bool,
) -> Result<(Vec<u8>, u64), TraceError> {
    let row = BlobRow::read(db, id, "x''", || format!("{referrer} refers to it"))?;
    let length = u64::try_from(row.length).map_err(|_| row.damaged(db, format!("it claims {} bytes", row.length)))?;
    if row.prefix.is_some() {
        return Err(row.damaged(db, "it is built on another body, which those of requests never are"));
    }
    let gone = |error: std::io::Error| row.broken(db, &error);
    let data = db.connection.blob_open("main", "blob", "data", id, true).map_err(db.failed(BLOB.row(id)))?;
    let mut reader: Box<dyn Read + '_> = match row.encoding.as_str() {
        "raw" => Box::new(data),
        "zstd" => {
            let mut decoder = zstd::stream::read::Decoder::new(data).map_err(gone)?;
            decoder.window_log_max(MAX_WINDOW_LOG).map_err(gone)?;
            Box::new(decoder)
        }
        _ => return Err(row.unknown_encoding(db)),
    };
    let mut head = Vec::new();
    (&mut reader).take(limit as u64).read_to_end(&mut head).map_err(gone)?;
    let whole_read = head.len() as u64 == length;
    if check || whole_read {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&head);
        let mut piece = [0; 1 << 14];
        loop {
            let read = reader.read(&mut piece).map_err(gone)?;
            if read == 0 || hasher.count() > length {
                break;
            }
            hasher.update(&piece[..read]);
        }
        row.check_hash(db, hasher.finalize())?;
    }
    Ok((head, length))
}
