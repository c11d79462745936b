//! The index of sections, in memory.
//!
//! In: sections of pages, an embedder. Out: for a query, the sections that it means. BM25 is that
//! of SQLite's FTS5: k1 = 1.2, b = 0.75, lengths over all columns, the rarity of a term
//! ln((N - n + 0.5) / (n + 0.5)) and at least 0.000001, a term counted by the weights of the columns
//! that it stands in. Invariants: what is added is not changed any more; up to [`EXACT`] passages
//! are compared vector by vector; of more, the [`COARSE`] whose [signs](super::codes) differ least
//! are.

use super::codes::Codes;
use super::query::Query;
use super::ranking::{CANDIDATES, Scored, best_first, search};
use super::rows::{embed, rows};
use super::{Hit, SearchOptions, WEIGHTS};
use crate::embed::{EmbedError, Embedder};
use crate::sections::Section;
use crate::words::Lexicon;
use browserlens_core::bm25::saturated;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The least that a term's rarity is taken for.
const LEAST_IDF: f64 = 1e-6;
/// Up to how many passages every vector is compared.
const EXACT: usize = 4_096;
/// How many passages are compared by their vectors after the signs chose them.
const COARSE: usize = 256;
/// To how many digits cosines are told apart: the last bits depend on the order in which they are
/// summed.
const DIGITS: i32 = 5;

/// Sections of pages, ready to be searched.
pub struct Index {
    pub(super) embedder: Arc<dyn Embedder>,
    pub(super) sections: Vec<Indexed>,
    pub(super) passages: Vec<Passage>,
    terms: FxHashMap<String, Vec<Posting>>,
    /// Terms of all passages, in all columns.
    length: u64,
    /// The vectors of the passages, one after the other.
    vectors: Vec<f32>,
    codes: Codes,
}

/// A section of the index.
pub(super) struct Indexed {
    pub(super) page: String,
    pub(super) section: Section,
    /// The headings above it, one a line.
    pub(super) trail: String,
}

pub(super) struct Passage {
    /// Index of its section.
    pub(super) section: usize,
    pub(super) range: Range<usize>,
    /// How many terms it has, in all columns.
    length: u64,
}

/// A passage that a term stands in.
struct Posting {
    passage: usize,
    /// How often, each time by the weight of its column.
    weight: f64,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("embedder", &self.embedder.id()).finish_non_exhaustive()
    }
}

impl Index {
    /// Makes an empty index.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        Self {
            codes: Codes::new(embedder.dimension()),
            embedder,
            sections: Vec::new(),
            passages: Vec::new(),
            terms: FxHashMap::default(),
            length: 0,
            vectors: Vec::new(),
        }
    }

    /// Indexes the sections of one page, as [`Self::add`] does.
    ///
    /// # Errors
    /// As [`Self::add`].
    pub fn of(
        embedder: Arc<dyn Embedder>,
        page: &str,
        sections: &[Section],
        leave_out: &[u32],
    ) -> Result<Self, EmbedError> {
        let mut index = Self::new(embedder);
        index.add(page, sections, leave_out)?;
        Ok(index)
    }

    /// Adds the sections of a page, without those at the positions `leave_out`. Headings that only
    /// hold other sections are not found by themselves: they count for the sections below.
    ///
    /// # Errors
    /// [`EmbedError`] if a section cannot be embedded; then nothing was added.
    pub fn add(&mut self, page: &str, sections: &[Section], leave_out: &[u32]) -> Result<(), EmbedError> {
        let rows = rows(sections, leave_out);
        let vectors = embed(&*self.embedder, &rows.iter().map(|(_, row)| row).collect::<Vec<_>>())?;
        for (vector, passage) in vectors.into_iter().zip(self.passages.len()..) {
            // A vector without length has no direction and is found by words only.
            if vector.iter().any(|x| *x != 0.0) {
                self.codes.add(passage, &vector);
            }
            self.vectors.extend(vector);
        }
        let mut lexicon = Lexicon::default();
        for (section, row) in rows {
            let (heading, trail) = (lexicon.words(row.heading), lexicon.words(&row.trail));
            for range in &row.passages {
                let of_passage = row.words(range, &mut lexicon);
                let passage = self.passages.len();
                let mut length = of_passage.concepts.len() as u64;
                for (column, weight) in [&heading, &trail, &of_passage.body].into_iter().zip(WEIGHTS) {
                    length += column.len() as u64;
                    column.iter().for_each(|word| self.post(&word.term.stem, passage, weight));
                }
                for concept in &of_passage.concepts {
                    self.post(concept, passage, WEIGHTS[3]);
                }
                self.length += length;
                self.passages.push(Passage { section: self.sections.len(), range: range.clone(), length });
            }
            self.sections.push(Indexed { page: page.to_owned(), section: section.clone(), trail: row.trail });
        }
        Ok(())
    }

    fn post(&mut self, term: &str, passage: usize, weight: f64) {
        let postings = match self.terms.get_mut(term) {
            Some(postings) => postings,
            None => self.terms.entry(term.to_owned()).or_default(),
        };
        match postings.last_mut() {
            Some(last) if last.passage == passage => last.weight += weight,
            _ => postings.push(Posting { passage, weight }),
        }
    }

    /// Returns the sections that a query means, the best first.
    ///
    /// # Errors
    /// [`EmbedError`] if the query cannot be embedded.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, EmbedError> {
        search(self, query, options)
    }

    /// In how many passages a term stands.
    pub(super) fn with(&self, term: &str) -> u64 {
        self.terms.get(term).map_or(0, |postings| postings.len() as u64)
    }

    /// The [`CANDIDATES`] best passages by BM25, the best first.
    pub(super) fn by_words(&self, query: &Query) -> Vec<Scored> {
        let total = self.passages.len() as f64;
        let average = self.length as f64 / total;
        let mut scores: FxHashMap<usize, f64> = FxHashMap::default();
        for term in query.looked_up() {
            let Some(postings) = self.terms.get(term) else { continue };
            let with = postings.len() as f64;
            let idf = ((total - with + 0.5) / (with + 0.5)).ln();
            let idf = if idf <= 0.0 { LEAST_IDF } else { idf };
            for posting in postings {
                let length = self.passages[posting.passage].length as f64;
                *scores.entry(posting.passage).or_insert(0.0) += idf * saturated(posting.weight, length, average);
            }
        }
        first(scores.into_iter().collect())
    }

    /// The [`CANDIDATES`] nearest passages by their cosine, the nearest first.
    pub(super) fn by_vectors(&self, vector: &[f32]) -> Vec<Scored> {
        let near =
            if self.passages.len() <= EXACT { self.codes.passages() } else { &self.codes.nearest(vector, COARSE) };
        let of = |passage: usize| &self.vectors[passage * vector.len()..][..vector.len()];
        first(near.iter().map(|passage| (*passage, rounded(f64::from(dot(vector, of(*passage)))))).collect())
    }
}

fn first(mut ranked: Vec<Scored>) -> Vec<Scored> {
    best_first(&mut ranked);
    ranked.truncate(CANDIDATES);
    ranked
}

fn rounded(cosine: f64) -> f64 {
    let unit = 10_f64.powi(DIGITS);
    1.0 - ((1.0 - cosine) * unit).round() / unit
}

/// The cosine of two vectors of unit length. In eight sums, so that they are worked out at once.
fn dot(left: &[f32], right: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 8];
    for (left, right) in left.chunks(8).zip(right.chunks(8)) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum += left * right;
        }
    }
    sums.iter().sum()
}
