//! The index of sections, one SQLite database in memory or in a file.
//!
//! In: sections of pages, an embedder. Out: for a query, the sections that it means. Invariants: a
//! page is replaced as a whole; what a transaction did not finish is not there; each embedder has
//! vectors of its own, and a section that lacks them gets them when the file is opened with that
//! embedder; a file that is no index, or of a newer version, is left as it is.
//!
//! Tables: `section`, `passage` (byte ranges of a section's content), `terms` (FTS5 without
//! content, over [`crate::terms`]; its tokenizer only splits at blanks), and for each embedder
//! `vectors_N` (every vector as it is; sqlite-vec compares them) and `codes_N` (its
//! [signs](super::codes)). Up to [`EXACT`] passages are compared one by one; of more, the
//! [`COARSE`] whose signs differ least are.

use super::codes::{self, Codes, signs};
use super::query::Query;
use super::ranking::{CANDIDATES, DIGITS, Number, Passages, Scored, Whole, best_first, search};
use super::rows::{SectionRow, embed, rows};
use super::{Hit, SearchOptions, WEIGHTS, vec_extension};
use crate::embed::{EmbedError, Embedder};
use crate::sections::Section;
use crate::words::{Lexicon, Word};
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// `application_id` of an index: "BLri".
const APPLICATION_ID: i32 = 0x424c_7269;
/// `user_version`; changes with the tables and with what `Terms` makes of a text.
const VERSION: i32 = 2;
/// Up to how many passages every vector is compared.
const EXACT: u64 = 4_096;
/// How many passages are compared by their vectors after the signs chose them.
const COARSE: usize = 256;
/// Pages of the file that a connection keeps in memory, in KiB.
const KEPT_KIB: i64 = 32 << 10;
/// How long a writer waits for another.
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = "
    create table section (
        id integer primary key, page text not null, position integer not null, level integer not null, heading text \
        not null,
        trail text not null, xpath text not null, content text not null, unique (page, position)
    ) strict;
    create table passage (
        id integer primary key, section integer not null references section (id), first integer not null, last integer \
        not null
    ) strict;
    create index passage_of_section on passage (section);
    create virtual table terms using fts5 (heading, trail, body, concepts, content = '', contentless_delete = 1, \
    tokenize = 'ascii');
    create virtual table term_rows using fts5vocab (terms, 'row');
    create table embedder (id integer primary key, name text not null unique) strict;
    create table embedded (embedder integer not null, section integer not null, primary key (embedder, section)) \
    strict, without rowid;
";

/// Something with the index went wrong.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// SQLite failed.
    #[error("{}: {source}", .path.display())]
    Sqlite {
        /// The file; `:memory:` if there is none.
        path: PathBuf,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The file is something else.
    #[error("{}: this is no index of sections", .path.display())]
    NotAnIndex {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a later version.
    #[error("{}: index version {found}, this build reads {VERSION}", .path.display())]
    OtherVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i32,
    },
    /// Texts were not embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
}

impl IndexError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "delete the file if it is damaged: an index can be built again from its pages",
            Self::NotAnIndex { .. } => "name an index, or a file that does not exist yet",
            Self::OtherVersion { .. } => {
                "name another file, or delete this one: an index can be built again from its pages"
            }
            Self::Embed(error) => error.hint(),
        }
    }
}

/// Sections of pages, ready to be searched.
pub struct Index {
    db: Connection,
    path: PathBuf,
    embedder: Arc<dyn Embedder>,
    /// Number of the embedder in the file.
    number: i64,
    /// The signs of its vectors, and the state of the file that they are of; none where they are
    /// not read, or old.
    codes: RefCell<Option<(i64, Codes)>>,
}

browserlens_core::opaque_debug!(self: Index { path: self.path, embedder: self.embedder.id() });

impl Index {
    /// Makes an empty index in memory.
    ///
    /// # Errors
    /// [`IndexError::Sqlite`] if SQLite cannot make its tables.
    pub fn in_memory(embedder: Arc<dyn Embedder>) -> Result<Self, IndexError> {
        let path = PathBuf::from(":memory:");
        let db = Connection::open_in_memory().map_err(at(&path))?;
        Self::prepare(db, path, embedder)
    }

    /// Opens an index, or makes one where no file is.
    ///
    /// # Errors
    /// [`IndexError`] if the file is no index, of another version, damaged or locked, or if a
    /// section cannot be embedded.
    pub fn open(path: &Path, embedder: Arc<dyn Embedder>) -> Result<Self, IndexError> {
        let db = Connection::open(path).map_err(at(path))?;
        Self::prepare(db, path.to_owned(), embedder)
    }

    fn prepare(mut db: Connection, path: PathBuf, embedder: Arc<dyn Embedder>) -> Result<Self, IndexError> {
        let of_file = at(&path);
        db.busy_timeout(BUSY).map_err(&of_file)?;
        db.set_prepared_statement_cache_capacity(32);
        db.pragma_update(None, "cache_size", -KEPT_KIB).map_err(&of_file)?;
        vec_extension::register(&db).map_err(&of_file)?;
        let made = db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&of_file)?;
        let pragma = |name: &str| made.query_row(&format!("pragma {name}"), [], |row| row.get::<_, i32>(0));
        let application = pragma("application_id").map_err(&of_file)?;
        let version = pragma("user_version").map_err(&of_file)?;
        let tables: i64 =
            made.query_row("select count(*) from sqlite_schema", [], |row| row.get(0)).map_err(&of_file)?;
        if (application, tables) == (0, 0) {
            made.execute_batch(TABLES).map_err(&of_file)?;
            let marks = format!("pragma application_id = {APPLICATION_ID}; pragma user_version = {VERSION};");
            made.execute_batch(&marks).map_err(&of_file)?;
        } else if application != APPLICATION_ID {
            return Err(IndexError::NotAnIndex { path });
        } else if version != VERSION {
            return Err(IndexError::OtherVersion { path, found: version });
        }
        let number = embedder_number(&made, &*embedder).map_err(&of_file)?;
        made.commit().map_err(&of_file)?;
        let mut index = Self { db, path, embedder, number, codes: RefCell::default() };
        index.embed_what_lacks()?;
        Ok(index)
    }

    /// Puts the sections of a page in the place of those that the index has of it, without those at
    /// the positions `leave_out`. Headings that only hold other sections are not found by
    /// themselves: they count for the sections below.
    ///
    /// # Errors
    /// [`IndexError`] if a section cannot be embedded, or SQLite fails.
    pub fn add(&mut self, page: &str, sections: &[Section], leave_out: &[u32]) -> Result<(), IndexError> {
        let rows = rows(sections, leave_out);
        // Before the transaction: an endpoint may be slow.
        let vectors = embed(&*self.embedder, rows.iter().map(|(_, row)| row))?;
        let number = self.number;
        self.change(|done| {
            remove(done, page)?;
            write(done, page, number, &rows, &vectors)
        })
    }

    /// Takes the sections of a page out.
    ///
    /// # Errors
    /// [`IndexError::Sqlite`] if SQLite fails.
    pub fn remove(&mut self, page: &str) -> Result<(), IndexError> {
        self.change(|done| remove(done, page))
    }

    /// Changes the file in one transaction.
    fn change(&mut self, change: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<()>) -> Result<(), IndexError> {
        let changed = || {
            let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate)?;
            change(&done)?;
            done.commit()
        };
        changed().map_err(at(&self.path))?;
        self.codes.take();
        Ok(())
    }

    /// Reads what a query that has one row finds.
    fn one<T>(
        &self,
        sql: &str,
        of: impl rusqlite::Params,
        read: impl FnOnce(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, IndexError> {
        let select = self.db.prepare_cached(sql);
        select.and_then(|mut select| select.query_row(of, read)).map_err(at(&self.path))
    }

    /// Returns how many passages there are.
    ///
    /// # Errors
    /// [`IndexError::Sqlite`] if SQLite fails.
    pub fn passages(&self) -> Result<u64, IndexError> {
        self.one("select count(*) from passage", [], |row| row.get(0)).map(i64::unsigned_abs)
    }

    /// Returns the sections that a query means, the best first.
    ///
    /// # Errors
    /// [`IndexError`] if the query cannot be embedded, or SQLite fails.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
        search(self, query, options)
    }

    fn near_exactly(&self, vector: &[f32]) -> rusqlite::Result<Vec<Scored>> {
        let sql = format!(
            "select passage, round(vec_distance_cosine(fine, ?1), {DIGITS}) as distance from vectors_{} order by \
                distance, passage limit ?2",
            self.number
        );
        let mut select = self.db.prepare_cached(&sql)?;
        let rows = select.query_map(params![bytes(vector), CANDIDATES as i64], cosine)?;
        rows.collect()
    }

    fn near_by_signs(&self, vector: &[f32]) -> rusqlite::Result<Vec<Scored>> {
        let number = self.number;
        // Changes when another connection wrote; what this one writes drops the signs.
        let state: i64 = self.db.prepare_cached("pragma data_version")?.query_row([], |row| row.get(0))?;
        let mut known = self.codes.borrow_mut();
        if known.as_ref().is_none_or(|(of, _)| *of != state) {
            let mut codes = Codes::new(self.embedder.dimension());
            let mut select = self.db.prepare(&format!("select passage, signs from codes_{number} order by passage"))?;
            let mut rows = select.query([])?;
            while let Some(row) = rows.next()? {
                codes.add(row.get(0)?, row.get_ref(1)?.as_blob()?);
            }
            *known = Some((state, codes));
        }
        let chosen = known.as_ref().map_or_else(Vec::new, |(_, codes)| codes.nearest(vector, COARSE));
        let sql = format!(
            "select passage, round(vec_distance_cosine(fine, ?1), {DIGITS}) from vectors_{number} where passage = ?2"
        );
        let mut select = self.db.prepare_cached(&sql)?;
        let vector = bytes(vector);
        let near = chosen.into_iter().map(|passage| select.query_row(params![vector, passage], cosine).optional());
        near.filter_map(Result::transpose).collect()
    }

    /// Embeds the sections that were added with other embedders only.
    fn embed_what_lacks(&mut self) -> Result<(), IndexError> {
        let rows = self.without_vectors().map_err(at(&self.path))?;
        if rows.is_empty() {
            return Ok(());
        }
        let vectors = embed(&*self.embedder, rows.iter().map(|(.., row)| row))?;
        let (number, mut vectors) = (self.number, vectors.iter());
        self.change(|done| {
            for (section, passages, _) in &rows {
                let of_section: Vec<_> = vectors.by_ref().take(passages.len()).collect();
                // Another process may have been faster, or have taken the page out.
                let mark = "insert into embedded (embedder, section) select ?1, id from section where id = ?2 and ?2
                    not in (select section from embedded where embedder = ?1)";
                if done.execute(mark, [number, *section])? == 1 {
                    for (id, vector) in passages.iter().zip(of_section) {
                        write_vector(done, number, *id, vector)?;
                    }
                }
            }
            Ok(())
        })
    }

    /// The sections that have no vectors of the embedder: their numbers, those of their passages, and what they say.
    fn without_vectors(&self) -> rusqlite::Result<Vec<(i64, Vec<i64>, SectionRow<'static>)>> {
        let mut select = self.db.prepare(
            "select id, heading, trail, content from section
             where id not in (select section from embedded where embedder = ?1) order by id",
        )?;
        let mut of_section = self.db.prepare("select id, first, last from passage where section = ?1 order by id")?;
        let rows = select.query_map([self.number], |row| {
            let section: i64 = row.get(0)?;
            let found = of_section.query_map([section], |row| Ok((row.get(0)?, range(row, 1)?)))?;
            let (ids, passages) = found.collect::<rusqlite::Result<Vec<(i64, Range<usize>)>>>()?.into_iter().unzip();
            let (heading, content) = (Cow::Owned(row.get(1)?), Cow::Owned(row.get(3)?));
            Ok((section, ids, SectionRow { heading, trail: row.get(2)?, content, passages }))
        })?;
        rows.collect()
    }
}

impl Passages for Index {
    fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    fn total(&self) -> Result<u64, IndexError> {
        self.passages()
    }

    fn with(&self, term: &str) -> Result<u64, IndexError> {
        let mut with = self.db.prepare_cached("select doc from term_rows where term = ?1").map_err(at(&self.path))?;
        let rows = with.query_row([term], |row| row.get::<_, i64>(0)).optional().map_err(at(&self.path))?;
        Ok(rows.unwrap_or_default().unsigned_abs())
    }

    fn by_words(&self, query: &Query) -> Result<Vec<Scored>, IndexError> {
        let Some(expression) = query.expression() else { return Ok(Vec::new()) };
        let [heading, trail, body, concepts] = WEIGHTS;
        let weights = format!("bm25({heading:?}, {trail:?}, {body:?}, {concepts:?})");
        let sql = "select rowid, rank from terms where terms match ?1 and rank match ?2 order by rank limit ?3";
        let read = || -> rusqlite::Result<Vec<Scored>> {
            // FTS5 gives better rows the lesser rank.
            let scored = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, -row.get::<_, f64>(1)?));
            self.db.prepare_cached(sql)?.query_map(params![expression, weights, CANDIDATES as i64], scored)?.collect()
        };
        let mut ranked = read().map_err(at(&self.path))?;
        best_first(&mut ranked);
        Ok(ranked)
    }

    fn by_vectors(&self, vector: &[f32], total: u64) -> Result<Vec<Scored>, IndexError> {
        let near = if total <= EXACT { self.near_exactly(vector) } else { self.near_by_signs(vector) };
        let mut ranked = near.map_err(at(&self.path))?;
        best_first(&mut ranked);
        ranked.truncate(CANDIDATES);
        Ok(ranked)
    }

    fn section_of(&self, passage: Number) -> Result<Number, IndexError> {
        self.one("select section from passage where id = ?1", [passage], |row| row.get(0))
    }

    fn whole(&self, section: Number) -> Result<Whole, IndexError> {
        let sql = "select page, position, level, heading, trail, xpath, content from section where id = ?1";
        self.one(sql, [section], |row| {
            Ok(Whole {
                page: row.get(0)?,
                position: row.get(1)?,
                level: row.get(2)?,
                heading: row.get(3)?,
                trail: row.get(4)?,
                xpath: row.get(5)?,
                content: row.get(6)?,
            })
        })
    }

    fn range(&self, passage: Number) -> Result<Range<usize>, IndexError> {
        self.one("select first, last from passage where id = ?1", [passage], |row| range(row, 0))
    }
}

fn write(
    done: &Transaction<'_>,
    page: &str,
    embedder: i64,
    rows: &[(&Section, SectionRow<'_>)],
    vectors: &[Vec<f32>],
) -> rusqlite::Result<()> {
    let mut vectors = vectors.iter();
    let mut section_row = done.prepare_cached(
        "insert into section (page, position, level, heading, trail, xpath, content) values (?1, ?2, ?3, ?4, ?5, ?6, \
            ?7)",
    )?;
    let mut mark = done.prepare_cached("insert into embedded (embedder, section) values (?1, ?2)")?;
    let mut passage_row = done.prepare_cached("insert into passage (section, first, last) values (?1, ?2, ?3)")?;
    let mut term_row =
        done.prepare_cached("insert into terms (rowid, heading, trail, body, concepts) values (?1, ?2, ?3, ?4, ?5)")?;
    let mut lexicon = Lexicon::default();
    for (section, row) in rows {
        let known = params![page, section.position, section.level, row.heading, row.trail, section.xpath, row.content];
        let id = section_row.insert(known)?;
        mark.execute([embedder, id])?;
        let (heading, trail) = (joined(&lexicon.words(&row.heading)), joined(&lexicon.words(&row.trail)));
        for range in &row.passages {
            let passage = passage_row.insert(params![id, range.start as i64, range.end as i64])?;
            let of_passage = row.words(range, &mut lexicon);
            let concepts = of_passage.concepts.join(" ");
            term_row.execute(params![passage, heading, trail, joined(&of_passage.body), concepts])?;
            if let Some(vector) = vectors.next() {
                write_vector(done, embedder, passage, vector)?;
            }
        }
    }
    Ok(())
}

/// A vector without length has no direction and is found by words only.
fn write_vector(done: &Transaction<'_>, embedder: i64, passage: i64, vector: &[f32]) -> rusqlite::Result<()> {
    if vector.iter().all(|x| *x == 0.0) {
        return Ok(());
    }
    let sql = format!("insert into vectors_{embedder} (passage, fine) values (?1, ?2)");
    done.prepare_cached(&sql)?.execute(params![passage, bytes(vector)])?;
    let sql = format!("insert into codes_{embedder} (passage, signs) values (?1, ?2)");
    done.prepare_cached(&sql)?.execute(params![passage, codes::bytes(&signs(vector))]).map(drop)
}

fn remove(done: &Transaction<'_>, page: &str) -> rusqlite::Result<()> {
    let of_page =
        "(select passage.id from passage join section on section.id = passage.section where section.page = ?1)";
    let known: i64 = done.query_row("select count(*) from section where page = ?1", [page], |row| row.get(0))?;
    if known == 0 {
        return Ok(());
    }
    let embedders: Vec<i64> =
        done.prepare("select id from embedder")?.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for embedder in embedders {
        for table in ["vectors", "codes"] {
            done.execute(&format!("delete from {table}_{embedder} where passage in {of_page}"), [page])?;
        }
    }
    done.execute(&format!("delete from terms where rowid in {of_page}"), [page])?;
    for sql in [
        "delete from embedded where section in (select id from section where page = ?1)",
        "delete from passage where section in (select id from section where page = ?1)",
        "delete from section where page = ?1",
    ] {
        done.execute(sql, [page])?;
    }
    Ok(())
}

/// Returns the embedder's number in the file; a new one gets a table for its vectors.
fn embedder_number(done: &Transaction<'_>, embedder: &dyn Embedder) -> rusqlite::Result<i64> {
    let name = embedder.id();
    let known = done.query_row("select id from embedder where name = ?1", [&name], |row| row.get(0)).optional()?;
    if let Some(number) = known {
        return Ok(number);
    }
    done.execute("insert into embedder (name) values (?1)", [&name])?;
    let number = done.last_insert_rowid();
    done.execute_batch(&format!(
        "create table vectors_{number} (passage integer primary key, fine blob not null) strict;
         create table codes_{number} (passage integer primary key, signs blob not null) strict;"
    ))?;
    Ok(number)
}

fn joined(words: &[Arc<Word>]) -> String {
    words.iter().map(|word| word.term.stem.as_str()).collect::<Vec<_>>().join(" ")
}

/// Reads where a passage begins and ends, in two columns.
fn range(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Range<usize>> {
    Ok(row.get::<_, i64>(first)? as usize..row.get::<_, i64>(first + 1)? as usize)
}

fn cosine(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, f64)> {
    Ok((row.get(0)?, 1.0 - row.get::<_, f64>(1)?))
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    vector.iter().copied().flat_map(f32::to_le_bytes).collect()
}

fn at(path: &Path) -> impl Fn(rusqlite::Error) -> IndexError + use<> {
    let path = path.to_owned();
    move |source| IndexError::Sqlite { path: path.clone(), source }
}
