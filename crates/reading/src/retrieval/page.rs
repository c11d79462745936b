//! The index of one page, in memory.
//!
//! In: the sections of a page, an embedder. Out: the same hits as an [`super::Index`] of that page
//! alone would give (a property test), in a fraction of the time: most of what that takes for a
//! page is making its tables.
//!
//! BM25 is that of FTS5, to the bit: k1 = 1.2, b = 0.75, lengths over all columns, the rarity of a
//! term ln((N - n + 0.5) / (n + 0.5)) and at least 0.000001, a term counted by the weights of the
//! columns that it stands in.
//!
//! Invariants: as those of the other index; what is added is not changed any more.

use super::query::Query;
use super::ranking::{CANDIDATES, DIGITS, Number, Passages, Scored, Whole, best_first, search};
use super::rows::{embed, rows};
use super::{Hit, IndexError, SearchOptions, WEIGHTS};
use crate::embed::Embedder;
use crate::sections::Section;
use crate::words::Lexicon;
use browserlens_core::bm25::saturated;
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// The least that FTS5 takes a term's rarity for.
const LEAST_IDF: f64 = 1e-6;

/// The sections of one page, ready to be searched.
pub struct PageIndex {
    page: String,
    embedder: Arc<dyn Embedder>,
    sections: Vec<Section>,
    /// The headings above each section, one a line.
    trails: Vec<String>,
    passages: Vec<Passage>,
    terms: FxHashMap<String, Vec<Posting>>,
    /// Terms of all passages, in all columns.
    length: u64,
    /// The vectors of the passages, one after the other.
    vectors: Vec<f32>,
}

struct Passage {
    /// Index of its section.
    section: usize,
    range: Range<usize>,
    /// How many terms it has, in all columns.
    length: u64,
}

/// A passage that a term stands in.
struct Posting {
    passage: u32,
    /// How often, each time by the weight of its column.
    weight: f64,
}

browserlens_core::opaque_debug!(self: PageIndex { page: self.page, embedder: self.embedder.id() });

impl PageIndex {
    /// Indexes the sections of a page, without those at the positions `leave_out`.
    ///
    /// # Errors
    /// [`IndexError::Embed`] if a section cannot be embedded.
    pub fn of(
        embedder: Arc<dyn Embedder>,
        page: &str,
        sections: &[Section],
        leave_out: &[u32],
    ) -> Result<Self, IndexError> {
        let rows = rows(sections, leave_out);
        let vectors = embed(&*embedder, rows.iter().map(|(_, row)| row))?.concat();
        let mut index = Self {
            page: page.to_owned(),
            embedder,
            sections: Vec::with_capacity(rows.len()),
            trails: Vec::with_capacity(rows.len()),
            passages: Vec::new(),
            terms: FxHashMap::default(),
            length: 0,
            vectors,
        };
        let mut lexicon = Lexicon::default();
        for (section, row) in rows {
            let (heading, trail) = (lexicon.words(&row.heading), lexicon.words(&row.trail));
            for range in &row.passages {
                let of_passage = row.words(range, &mut lexicon);
                let columns = [&heading, &trail, &of_passage.body];
                let number = index.passages.len() as u32;
                let mut length = of_passage.concepts.len() as u64;
                for (column, weight) in columns.into_iter().zip(WEIGHTS) {
                    length += column.len() as u64;
                    column.iter().for_each(|word| index.post(&word.term.stem, number, weight));
                }
                for concept in &of_passage.concepts {
                    index.post(concept, number, WEIGHTS[3]);
                }
                index.length += length;
                index.passages.push(Passage { section: index.sections.len(), range: range.clone(), length });
            }
            index.sections.push(section.clone());
            index.trails.push(row.trail);
        }
        Ok(index)
    }

    fn post(&mut self, term: &str, passage: u32, weight: f64) {
        let postings = match self.terms.get_mut(term) {
            Some(postings) => postings,
            None => self.terms.entry(term.to_owned()).or_default(),
        };
        match postings.last_mut() {
            Some(last) if last.passage == passage => last.weight += weight,
            _ => postings.push(Posting { passage, weight }),
        }
    }

    /// Returns how many passages there are.
    pub fn passages(&self) -> usize {
        self.passages.len()
    }

    /// Returns the sections that a query means, the best first.
    ///
    /// # Errors
    /// [`IndexError::Embed`] if the query cannot be embedded.
    pub fn search(&self, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
        search(self, query, options)
    }

    fn passage(&self, number: Number) -> &Passage {
        &self.passages[(number - 1) as usize]
    }
}

impl Passages for PageIndex {
    fn embedder(&self) -> &dyn Embedder {
        &*self.embedder
    }

    fn total(&self) -> Result<u64, IndexError> {
        Ok(self.passages.len() as u64)
    }

    fn with(&self, term: &str) -> Result<u64, IndexError> {
        Ok(self.terms.get(term).map_or(0, |postings| postings.len() as u64))
    }

    fn by_words(&self, query: &Query) -> Result<Vec<Scored>, IndexError> {
        let total = self.passages.len() as f64;
        let average = self.length as f64 / total;
        let mut scores: FxHashMap<u32, f64> = FxHashMap::default();
        for term in query.looked_up() {
            let Some(postings) = self.terms.get(term) else { continue };
            let with = postings.len() as f64;
            let idf = ((total - with + 0.5) / (with + 0.5)).ln();
            let idf = if idf <= 0.0 { LEAST_IDF } else { idf };
            for posting in postings {
                let length = self.passages[posting.passage as usize].length as f64;
                *scores.entry(posting.passage).or_insert(0.0) += idf * saturated(posting.weight, length, average);
            }
        }
        let mut ranked: Vec<Scored> =
            scores.into_iter().map(|(passage, score)| (Number::from(passage) + 1, score)).collect();
        best_first(&mut ranked);
        ranked.truncate(CANDIDATES);
        Ok(ranked)
    }

    fn by_vectors(&self, vector: &[f32], _total: u64) -> Result<Vec<Scored>, IndexError> {
        let all = self.vectors.chunks_exact(vector.len()).zip(1..);
        let mut ranked: Vec<Scored> = all
            .filter(|(other, _)| other.iter().any(|x| *x != 0.0))
            .map(|(other, number)| (number, rounded(f64::from(dot(vector, other)))))
            .collect();
        best_first(&mut ranked);
        ranked.truncate(CANDIDATES);
        Ok(ranked)
    }

    fn section_of(&self, passage: Number) -> Result<Number, IndexError> {
        Ok(self.passage(passage).section as Number + 1)
    }

    fn whole(&self, section: Number) -> Result<Whole, IndexError> {
        let at = (section - 1) as usize;
        let section = &self.sections[at];
        Ok(Whole {
            page: self.page.clone(),
            position: section.position,
            level: section.level,
            heading: section.heading.clone(),
            trail: self.trails[at].clone(),
            xpath: section.xpath.clone(),
            content: section.content.clone(),
        })
    }

    fn range(&self, passage: Number) -> Result<Range<usize>, IndexError> {
        Ok(self.passage(passage).range.clone())
    }
}

/// A cosine to the digits that the other index tells apart.
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
