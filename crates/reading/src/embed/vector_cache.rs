//! Vectors that were paid for once, in SQLite.
//!
//! In: an embedder's id, texts, vectors. Out: the vector of a text that was kept under that id.
//! Invariants: vectors of different ids never mix; a text is known by its BLAKE3 hash and not kept
//! itself; a row that does not have the dimension is as if it were not there.

use super::EmbedError;
use rusqlite::{Connection, OptionalExtension as _, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// `application_id`: "BLvc".
const APPLICATION_ID: i32 = 0x424c_7663;
const TABLES: &str = "
    create table if not exists vector (
        id integer primary key, embedder text not null, text blob not null, numbers blob not null, unique (embedder, \
        text)
    ) strict;
";

/// A file of vectors.
#[derive(Debug)]
pub struct VectorCache {
    db: Connection,
    path: PathBuf,
}

impl VectorCache {
    /// Opens a cache, or makes one where no file is.
    ///
    /// # Errors
    /// [`EmbedError::Cache`] if the file is no such cache, damaged or locked.
    pub fn open(path: &Path) -> Result<Self, EmbedError> {
        let prepare = || {
            let db = Connection::open(path)?;
            db.busy_timeout(Duration::from_secs(10))?;
            let application: i32 = db.query_row("pragma application_id", [], |row| row.get(0))?;
            let tables: i64 = db.query_row("select count(*) from sqlite_schema", [], |row| row.get(0))?;
            if application != APPLICATION_ID && tables > 0 {
                let code = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_NOTADB);
                return Err(rusqlite::Error::SqliteFailure(code, Some("this is no cache of vectors".to_owned())));
            }
            db.execute_batch(&format!("begin immediate; pragma application_id = {APPLICATION_ID}; {TABLES} commit;"))?;
            Ok(db)
        };
        prepare().map(|db| Self { db, path: path.to_owned() }).map_err(at(path))
    }

    /// Returns the vector of a text, if it was kept.
    ///
    /// # Errors
    /// [`EmbedError::Cache`] if SQLite fails.
    pub fn get(&self, embedder: &str, text: &str, dimension: usize) -> Result<Option<Vec<f32>>, EmbedError> {
        let find = || {
            let mut select = self.db.prepare_cached("select numbers from vector where embedder = ?1 and text = ?2")?;
            select.query_row(params![embedder, hash(text)], |row| row.get::<_, Vec<u8>>(0)).optional()
        };
        let numbers = find().map_err(at(&self.path))?;
        let vector = numbers.map(|bytes| {
            let (numbers, rest) = bytes.as_chunks::<4>();
            let numbers: Vec<f32> = numbers.iter().map(|number| f32::from_le_bytes(*number)).collect();
            (rest.is_empty() && numbers.len() == dimension && numbers.iter().all(|x| x.is_finite())).then_some(numbers)
        });
        Ok(vector.flatten())
    }

    /// Keeps vectors, all or none of them.
    ///
    /// # Errors
    /// [`EmbedError::Cache`] if SQLite fails.
    pub fn keep<'a>(
        &mut self,
        embedder: &str,
        vectors: impl Iterator<Item = (&'a str, &'a Vec<f32>)>,
    ) -> Result<(), EmbedError> {
        let write = || {
            let done = self.db.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
            for (text, vector) in vectors {
                let numbers: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
                done.prepare_cached("insert or replace into vector (embedder, text, numbers) values (?1, ?2, ?3)")?
                    .execute(params![embedder, hash(text), numbers])?;
            }
            done.commit()
        };
        write().map_err(at(&self.path))
    }
}

fn hash(text: &str) -> [u8; 32] {
    *blake3::hash(text.as_bytes()).as_bytes()
}

fn at(path: &Path) -> impl FnOnce(rusqlite::Error) -> EmbedError + use<> {
    let path = path.to_owned();
    move |source| EmbedError::Cache { path, source }
}
