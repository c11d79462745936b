//! The index of sections, one SQLite database in memory or in a file.
//!
//! In: sections of pages, an embedder. Out: for a query, the sections that it means. Invariants: a page is replaced as a whole; what a
//! transaction did not finish is not there; each embedder has vectors of its own, and a section that lacks them gets them when the file is
//! opened with that embedder; a file that is no index, or of a newer version, is left as it is.
//!
//! Tables: `section`, `passage` (byte ranges of a section's content), `terms` (FTS5 without content, over [`Terms`]; its tokenizer only splits at
//! blanks), and for each embedder `vectors_N` (sqlite-vec: every vector as it is, and as one bit a component). Up to [`EXACT`] passages are
//! compared one by one; of more, the [`COARSE`] whose bits differ least are.

use super::passage::{excerpt, passages};
use super::query::{Query, concept_term};
use super::{By, Hit, SearchOptions, vec_extension};
use crate::concepts;
use crate::embed::{EmbedError, Embedder};
use crate::sections::Section;
use crate::terms::Terms;
use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};
use rustc_hash::FxHashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// `application_id` of an index: "BLri".
const APPLICATION_ID: i32 = 0x424c_7269;
/// `user_version`; changes with the tables and with what [`Terms`] makes of a text.
const VERSION: i32 = 1;
/// Length of a passage, in bytes: some seventy English words.
const PASSAGE: usize = 400;
/// How much a term counts in the section's heading, in the headings above it, in the passage; and a concept of any of them.
const WEIGHTS: &str = "bm25(3.0, 1.5, 1.0, 0.5)";
/// k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).
const RRF_K: f64 = 60.0;
/// How many passages each ranking brings.
const CANDIDATES: usize = 100;
/// Up to how many passages every vector is compared.
const EXACT: u64 = 4_096;
/// How many passages are compared by their vectors after the bits chose them.
const COARSE: usize = 256;
/// How many texts are embedded at once.
const BATCH: usize = 64;
/// How long a writer waits for another.
const BUSY: Duration = Duration::from_secs(10);

const TABLES: &str = "
    create table section (
        id integer primary key, page text not null, position integer not null, level integer not null, heading text not null,
        trail text not null, xpath text not null, content text not null, unique (page, position)
    ) strict;
    create table passage (
        id integer primary key, section integer not null references section (id), first integer not null, last integer not null
    ) strict;
    create index passage_of_section on passage (section);
    create virtual table terms using fts5 (heading, trail, body, concepts, content = '', contentless_delete = 1, tokenize = 'ascii');
    create virtual table term_rows using fts5vocab (terms, 'row');
    create table embedder (id integer primary key, name text not null unique) strict;
    create table embedded (embedder integer not null, section integer not null, primary key (embedder, section)) strict, without rowid;
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
    terms: Terms,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("path", &self.path).field("embedder", &self.embedder.id()).finish_non_exhaustive()
    }
}

/// A passage that one ranking brought.
#[derive(Clone, Copy, Debug)]
struct Found {
    section: i64,
    passage: i64,
    score: f64,
    similarity: f32,
}

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
    /// [`IndexError`] if the file is no index, of another version, damaged or locked, or if a section cannot be embedded.
    pub fn open(path: &Path, embedder: Arc<dyn Embedder>) -> Result<Self, IndexError> {
        let db = Connection::open(path).map_err(at(path))?;
        Self::prepare(db, path.to_owned(), embedder)
    }

    fn prepare(mut db: Connection, path: PathBuf, embedder: Arc<dyn Embedder>) -> Result<Self, IndexError> {
        let of_file = at(&path);
        db.busy_timeout(BUSY).map_err(&of_file)?;
        db.set_prepared_statement_cache_capacity(32);
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
        let mut index = Self { db, path, embedder, number, terms: Terms::default() };
        index.embed_what_lacks()?;
        Ok(index)
    }

    /// Puts the sections of a page in the place of those that the index has of it, without those at the positions `leave_out`. Headings that
    /// only hold other sections are not found by themselves: they count for the sections below.
    ///
    /// # Errors
    /// [`IndexError`] if a section cannot be embedded, or SQLite fails.
    pub fn add(&mut self, page: &str, sections: &[Section], leave_out: &[u32]) -> Result<(), IndexError> {
        let left_out: FxHashSet<u32> = leave_out.iter().copied().collect();
        let parents: FxHashSet<u32> = sections.iter().filter_map(|section| section.trail.last().copied()).collect();
        let heading_of = |position: &u32| sections.get(*position as usize).map_or("", |above| above.heading.as_str());
        let shown = sections.iter().filter(|section| {
            let says_something = !section.content.is_empty() || !parents.contains(&section.position);
            says_something && !left_out.contains(&section.position)
        });
        let rows: Vec<Row<'_>> = shown
            .map(|section| Row {
                trail: section.trail.iter().map(heading_of).collect::<Vec<_>>().join("\n"),
                passages: passages(&section.content, PASSAGE).into_iter().map(|range| (None, range)).collect(),
                heading: &section.heading,
                content: &section.content,
                section: Some(section),
            })
            .collect();
        // Before the transaction: an endpoint may be slow.
        let vectors = embed(&*self.embedder, &rows)?;
        let of_file = at(&self.path);
        let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&of_file)?;
        remove(&done, page).map_err(&of_file)?;
        write(&done, page, self.number, &self.terms, &rows, &vectors).map_err(&of_file)?;
        done.commit().map_err(&of_file)
    }

    /// Takes the sections of a page out.
    ///
    /// # Errors
    /// [`IndexError::Sqlite`] if SQLite fails.
    pub fn remove(&mut self, page: &str) -> Result<(), IndexError> {
        let of_file = at(&self.path);
        let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&of_file)?;
        remove(&done, page).map_err(&of_file)?;
        done.commit().map_err(&of_file)
    }

    /// Returns how many passages there are.
    ///
    /// # Errors
    /// [`IndexError::Sqlite`] if SQLite fails.
    pub fn passages(&self) -> Result<u64, IndexError> {
        let mut count = self.db.prepare_cached("select count(*) from passage").map_err(at(&self.path))?;
        count.query_row([], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs).map_err(at(&self.path))
    }

    /// Returns the sections that a query means, the best first.
    ///
    /// # Errors
    /// [`IndexError`] if the query cannot be embedded, or SQLite fails.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
        let of_file = at(&self.path);
        let total = self.passages()?;
        let mut with = self.db.prepare_cached("select doc from term_rows where term = ?1").map_err(&of_file)?;
        let asked = Query::new(query, &self.terms, total, |term| {
            let rows = with.query_row([term], |row| row.get::<_, i64>(0)).optional();
            rows.map(|rows| rows.unwrap_or_default().unsigned_abs())
        });
        let asked = asked.map_err(&of_file)?;
        if asked.is_empty() || total == 0 || options.top_k == 0 {
            return Ok(Vec::new());
        }
        let by_words = || self.by_words(&asked).map_err(at(&self.path));
        let mut ranked = match options.by {
            By::Bm25 => by_words()?,
            By::Vectors => self.by_vectors(query, &asked, total)?,
            By::Fused => {
                let (by_words, by_vectors) = (by_words()?, self.by_vectors(query, &asked, total)?);
                if by_words.is_empty() { by_vectors } else { fuse(&by_words, &by_vectors) }
            }
        };
        ranked.retain(|found| found.similarity >= options.min_similarity);
        ranked.truncate(options.top_k);
        let mut hits = Vec::with_capacity(ranked.len());
        let mut left = options.max_bytes;
        for (rank, found) in ranked.iter().enumerate() {
            let weights: f32 = (rank..ranked.len()).map(weight).sum();
            let part = (left as f32 * weight(rank) / weights) as usize;
            let hit = self.hit(found, &asked, part).map_err(&of_file)?;
            left = left.saturating_sub(hit.text.len());
            hits.push(hit);
        }
        Ok(hits)
    }

    /// The best passage of each section by BM25, the best first.
    fn by_words(&self, query: &Query) -> rusqlite::Result<Vec<Found>> {
        let Some(expression) = query.expression() else { return Ok(Vec::new()) };
        let mut select = self.db.prepare_cached(
            "select rowid, rank from terms where terms match ?1 and rank match ?2 order by rank limit ?3",
        )?;
        let rows = select.query_map(params![expression, WEIGHTS, CANDIDATES as i64], |row| {
            // FTS5 gives better rows the lesser rank.
            Ok((row.get::<_, i64>(0)?, -row.get::<_, f64>(1)?))
        })?;
        let mut found = self.sections_of(rows.collect::<Result<_, _>>()?)?;
        let best = found.first().map_or(1.0, |best| best.score).max(f64::MIN_POSITIVE);
        for one in &mut found {
            one.similarity = (one.score / best).clamp(0.0, 1.0).sqrt() as f32;
        }
        Ok(found)
    }

    /// The best passage of each section by the cosine of its vector with the query's, the best first.
    fn by_vectors(&self, query: &str, asked: &Query, total: u64) -> Result<Vec<Found>, IndexError> {
        let vector = self.embedder.embed_query(query, &|term| asked.rarity(term))?;
        let vector = crate::embed::checked(vec![vector], 1, self.embedder.dimension())?.remove(0);
        if vector.iter().all(|x| *x == 0.0) {
            return Ok(Vec::new());
        }
        let near = if total <= EXACT { self.near_exactly(&vector) } else { self.near_by_bits(&vector) };
        let mut found = near.and_then(|near| self.sections_of(near)).map_err(at(&self.path))?;
        for one in &mut found {
            one.similarity = self.embedder.similarity(one.score as f32);
        }
        Ok(found)
    }

    fn near_exactly(&self, vector: &[f32]) -> rusqlite::Result<Vec<(i64, f64)>> {
        let sql = format!("select rowid, distance from vectors_{} where fine match ?1 and k = ?2", self.number);
        let mut select = self.db.prepare_cached(&sql)?;
        let rows = select.query_map(params![bytes(vector), CANDIDATES as i64], cosine)?;
        rows.collect()
    }

    fn near_by_bits(&self, vector: &[f32]) -> rusqlite::Result<Vec<(i64, f64)>> {
        let number = self.number;
        let sql =
            format!("select rowid from vectors_{number} where coarse match vec_quantize_binary(?1) and k = {COARSE}");
        let vector = bytes(vector);
        let mut select = self.db.prepare_cached(&sql)?;
        let chosen: Vec<i64> = select.query_map([&vector], |row| row.get(0))?.collect::<Result<_, _>>()?;
        let sql = format!("select rowid, vec_distance_cosine(fine, ?1) from vectors_{number} where rowid = ?2");
        let mut select = self.db.prepare_cached(&sql)?;
        let mut near = Vec::with_capacity(chosen.len());
        for rowid in chosen {
            near.push(select.query_row(params![vector, rowid], cosine)?);
        }
        Ok(near)
    }

    /// Keeps the best passage of each section; the best first, equal ones in the order of the index.
    fn sections_of(&self, mut passages: Vec<(i64, f64)>) -> rusqlite::Result<Vec<Found>> {
        passages.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut section_of = self.db.prepare_cached("select section from passage where id = ?1")?;
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        for (passage, score) in passages {
            let section: i64 = section_of.query_row([passage], |row| row.get(0))?;
            if seen.insert(section) {
                found.push(Found { section, passage, score, similarity: 0.0 });
            }
        }
        Ok(found)
    }

    fn hit(&self, found: &Found, query: &Query, most: usize) -> rusqlite::Result<Hit> {
        let mut select = self.db.prepare_cached(
            "select page, position, level, heading, xpath, content, first, last
             from section join passage on passage.section = section.id where passage.id = ?1",
        )?;
        select.query_row([found.passage], |row| {
            let content: String = row.get(5)?;
            let passage = row.get::<_, i64>(6)? as usize..row.get::<_, i64>(7)? as usize;
            let part = excerpt(&content, &passage, most, |unit| query.worth(&self.terms, unit));
            let (before, after) = (part.start > 0, part.end < content.len());
            let mark = |is_cut: bool| if is_cut { "…" } else { "" };
            Ok(Hit {
                page: row.get(0)?,
                position: row.get(1)?,
                level: row.get(2)?,
                heading: row.get(3)?,
                xpath: row.get(4)?,
                similarity: found.similarity,
                score: found.score,
                text: format!("{}{}{}", mark(before), content[part].trim(), mark(after)),
                is_cut: before || after,
            })
        })
    }

    /// Embeds the sections that were added with other embedders only.
    fn embed_what_lacks(&mut self) -> Result<(), IndexError> {
        let rows = self.without_vectors().map_err(at(&self.path))?;
        if rows.is_empty() {
            return Ok(());
        }
        let borrowed: Vec<Row<'_>> = rows.iter().map(Lacking::row).collect();
        let vectors = embed(&*self.embedder, &borrowed)?;
        let of_file = at(&self.path);
        let done = self.db.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&of_file)?;
        let mut vectors = vectors.iter();
        for row in &rows {
            let of_section: Vec<_> = vectors.by_ref().take(row.passages.len()).collect();
            // Another process may have been faster, or have taken the page out.
            let mark = "insert into embedded (embedder, section) select ?1, id from section where id = ?2 and ?2 not in
                (select section from embedded where embedder = ?1)";
            if done.execute(mark, [self.number, row.section]).map_err(&of_file)? == 1 {
                for ((id, _), vector) in row.passages.iter().zip(of_section) {
                    write_vector(&done, self.number, *id, vector).map_err(&of_file)?;
                }
            }
        }
        done.commit().map_err(&of_file)
    }

    fn without_vectors(&self) -> rusqlite::Result<Vec<Lacking>> {
        let mut select = self.db.prepare(
            "select id, heading, trail, content from section
             where id not in (select section from embedded where embedder = ?1) order by id",
        )?;
        let mut passages = self.db.prepare("select id, first, last from passage where section = ?1 order by id")?;
        let rows = select.query_map([self.number], |row| {
            let (section, mut ranges) = (row.get(0)?, Vec::new());
            for passage in passages.query_map([section], |row| {
                Ok((row.get(0)?, row.get::<_, i64>(1)? as usize..row.get::<_, i64>(2)? as usize))
            })? {
                ranges.push(passage?);
            }
            Ok(Lacking { section, heading: row.get(1)?, trail: row.get(2)?, content: row.get(3)?, passages: ranges })
        })?;
        rows.collect()
    }
}

/// A section on its way into the index.
struct Row<'a> {
    heading: &'a str,
    /// The headings above, one a line.
    trail: String,
    content: &'a str,
    /// Its passages, with their ids where they have any.
    passages: Vec<(Option<i64>, std::ops::Range<usize>)>,
    /// The section, if it is not in the index yet.
    section: Option<&'a Section>,
}

/// A section of the index that has no vectors of the embedder.
struct Lacking {
    section: i64,
    heading: String,
    trail: String,
    content: String,
    passages: Vec<(i64, std::ops::Range<usize>)>,
}

impl Lacking {
    fn row(&self) -> Row<'_> {
        let passages = self.passages.iter().map(|(id, range)| (Some(*id), range.clone())).collect();
        Row { heading: &self.heading, trail: self.trail.clone(), content: &self.content, passages, section: None }
    }
}

/// Embeds every passage of every row, each with its headings.
fn embed(embedder: &dyn Embedder, rows: &[Row<'_>]) -> Result<Vec<Vec<f32>>, EmbedError> {
    let passages: Vec<(&Row<'_>, &std::ops::Range<usize>)> =
        rows.iter().flat_map(|row| row.passages.iter().map(move |(_, range)| (row, range))).collect();
    let mut vectors = Vec::with_capacity(passages.len());
    for batch in passages.chunks(BATCH) {
        let texts: Vec<String> = batch
            .iter()
            .map(|(row, range)| {
                let body = row.content.get((*range).clone()).unwrap_or_default();
                [row.heading, "\n", &row.trail, "\n", body].concat().trim().to_owned()
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        vectors.extend(crate::embed::checked(embedder.embed(&texts)?, texts.len(), embedder.dimension())?);
    }
    Ok(vectors)
}

fn write(
    done: &Transaction<'_>,
    page: &str,
    embedder: i64,
    terms: &Terms,
    rows: &[Row<'_>],
    vectors: &[Vec<f32>],
) -> rusqlite::Result<()> {
    let mut vectors = vectors.iter();
    let mut section_row = done.prepare_cached(
        "insert into section (page, position, level, heading, trail, xpath, content) values (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let mut mark = done.prepare_cached("insert into embedded (embedder, section) values (?1, ?2)")?;
    let mut passage_row = done.prepare_cached("insert into passage (section, first, last) values (?1, ?2, ?3)")?;
    let mut term_row =
        done.prepare_cached("insert into terms (rowid, heading, trail, body, concepts) values (?1, ?2, ?3, ?4, ?5)")?;
    for row in rows {
        let Some(section) = row.section else { continue };
        let known = params![page, section.position, section.level, row.heading, row.trail, section.xpath, row.content];
        let id = section_row.insert(known)?;
        mark.execute([embedder, id])?;
        let (heading, trail) = (joined(terms, row.heading), joined(terms, &row.trail));
        for (_, range) in &row.passages {
            let passage = passage_row.insert(params![id, range.start as i64, range.end as i64])?;
            let body = &row.content[range.clone()];
            let concepts = concepts::of_text(&[row.heading, "\n", &row.trail, "\n", body].concat(), terms);
            let concepts: String = concepts.into_iter().map(|concept| concept_term(concept) + " ").collect();
            term_row.execute(params![passage, heading, trail, joined(terms, body), concepts])?;
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
    let sql = format!("insert into vectors_{embedder} (rowid, fine, coarse) values (?1, ?2, vec_quantize_binary(?2))");
    done.prepare_cached(&sql)?.execute(params![passage, bytes(vector)]).map(drop)
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
        done.execute(&format!("delete from vectors_{embedder} where rowid in {of_page}"), [page])?;
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
    let width = width(embedder.dimension());
    // Small chunks: the table of one page must not take megabytes.
    done.execute_batch(&format!(
        "create virtual table vectors_{number} using vec0 (
            fine float[{width}] distance_metric=cosine, coarse bit[{width}], chunk_size = 128
        )"
    ))?;
    Ok(number)
}

/// Fuses two rankings: each gives 1 / (60 + rank); equal sums stand in the order of the index.
fn fuse(by_words: &[Found], by_vectors: &[Found]) -> Vec<Found> {
    let mut fused: Vec<Found> = Vec::with_capacity(by_words.len() + by_vectors.len());
    let mut at = rustc_hash::FxHashMap::default();
    for ranking in [by_words, by_vectors] {
        for (rank, found) in ranking.iter().enumerate() {
            let score = 1.0 / (RRF_K + 1.0 + rank as f64);
            let known = *at.entry(found.section).or_insert_with(|| {
                fused.push(Found { score: 0.0, similarity: 0.0, ..*found });
                fused.len() - 1
            });
            fused[known].score += score;
        }
    }
    for found in &mut fused {
        found.similarity = (found.score * (RRF_K + 1.0) / 2.0) as f32;
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
    fused
}

/// Which part of an answer the hit at a rank may have, against the others.
fn weight(rank: usize) -> f32 {
    1.0 / (rank + 1) as f32
}

fn joined(terms: &Terms, text: &str) -> String {
    let mut joined = String::with_capacity(text.len());
    terms.each(text, |term| {
        joined.push_str(&term.stem);
        joined.push(' ');
    });
    joined
}

fn cosine(row: &rusqlite::Row<'_>) -> rusqlite::Result<(i64, f64)> {
    Ok((row.get(0)?, 1.0 - row.get::<_, f64>(1)?))
}

/// How many numbers a stored vector has: sqlite-vec wants whole bytes of bits. Zeros at the end change no cosine.
fn width(dimension: usize) -> usize {
    dimension.next_multiple_of(8)
}

fn bytes(vector: &[f32]) -> Vec<u8> {
    let padding = width(vector.len()) - vector.len();
    vector.iter().copied().chain(std::iter::repeat_n(0.0, padding)).flat_map(f32::to_le_bytes).collect()
}

fn at(path: &Path) -> impl Fn(rusqlite::Error) -> IndexError + use<> {
    let path = path.to_owned();
    move |source| IndexError::Sqlite { path: path.clone(), source }
}
