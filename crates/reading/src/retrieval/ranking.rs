//! The order in which sections are found, and what is shown of them: the same for every place where
//! passages are kept.
//!
//! In: [`Passages`], which rank by words and by vectors, and a query. Out: [`Hit`]s. Invariants:
//! equal scores stand in the order of the passages' numbers; nothing here knows SQLite.

use super::excerpt::{Window, excerpt};
use super::query::Query;
use super::relevance::{Question, probability};
use super::{By, Hit, IndexError, SearchOptions};
use crate::embed::{Embedder, checked};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).
const RRF_K: f64 = 60.0;
/// How many passages each ranking brings.
pub(super) const CANDIDATES: usize = 100;
/// To how many digits cosines are told apart: the last bits depend on the order in which they are
/// summed.
pub(super) const DIGITS: i32 = 5;
/// From how many passages of a section its excerpt is taken.
const WINDOWS: usize = 8;

/// Number of a passage or section, from 1.
pub(super) type Number = i64;

/// A passage, and how good a ranking says that it is.
pub(super) type Scored = (Number, f64);

/// What is known of a section.
pub(super) struct Whole {
    pub page: String,
    pub position: u32,
    pub level: u8,
    pub heading: String,
    /// The headings above, one a line.
    pub trail: String,
    pub xpath: String,
    pub content: String,
}

/// Passages that can be ranked.
pub(super) trait Passages {
    fn embedder(&self) -> &dyn Embedder;
    fn total(&self) -> Result<u64, IndexError>;
    /// In how many passages a term stands.
    fn with(&self, term: &str) -> Result<u64, IndexError>;
    /// The [`CANDIDATES`] best by BM25, the best first.
    fn by_words(&self, query: &Query) -> Result<Vec<Scored>, IndexError>;
    /// The [`CANDIDATES`] nearest by their cosine, the nearest first.
    fn by_vectors(&self, vector: &[f32], total: u64) -> Result<Vec<Scored>, IndexError>;
    fn section_of(&self, passage: Number) -> Result<Number, IndexError>;
    fn whole(&self, section: Number) -> Result<Whole, IndexError>;
    fn range(&self, passage: Number) -> Result<Range<usize>, IndexError>;
}

/// A section that was found.
#[derive(Clone, Debug)]
struct Found {
    section: Number,
    score: f64,
    similarity: f32,
    /// Its passages that were found, the best first.
    passages: Vec<Scored>,
}

/// Returns the sections that a query means, the best first.
pub(super) fn search(from: &impl Passages, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
    let total = from.total()?;
    let asked = Query::new(query, total, |term| from.with(term))?;
    if asked.is_empty() || total == 0 || options.top_k == 0 {
        return Ok(Vec::new());
    }
    let by_words = || from.by_words(&asked).and_then(|passages| sections_of(from, &passages)).map(with_share);
    let by_vectors = || near(from, query, &asked, total);
    let mut ranked = match options.by {
        By::Bm25 => by_words()?,
        By::Vectors => by_vectors()?,
        By::Fused => {
            let (by_words, by_vectors) = (by_words()?, by_vectors()?);
            if by_words.is_empty() { by_vectors } else { fuse(&by_words, &by_vectors) }
        }
    };
    ranked.retain(|found| found.similarity >= options.min_similarity);
    ranked.truncate(options.top_k);
    let mut hits = Vec::with_capacity(ranked.len());
    let mut left = options.max_bytes;
    let question = Question::new(query, &asked);
    for (rank, found) in ranked.iter().enumerate() {
        let weights: f32 = (rank..ranked.len()).map(weight).sum();
        let part = (left as f32 * weight(rank) / weights) as usize;
        let hit = hit(from, found, &asked, &question, part)?;
        left = left.saturating_sub(hit.text.len());
        hits.push(hit);
    }
    Ok(hits)
}

/// Gives every section by words the square root of its share of the best one's score.
fn with_share(mut found: Vec<Found>) -> Vec<Found> {
    let best = found.first().map_or(1.0, |best| best.score).max(f64::MIN_POSITIVE);
    for one in &mut found {
        one.similarity = (one.score / best).clamp(0.0, 1.0).sqrt() as f32;
    }
    found
}

fn near(from: &impl Passages, query: &str, asked: &Query, total: u64) -> Result<Vec<Found>, IndexError> {
    let embedder = from.embedder();
    let vector = embedder.embed_query(query, &|term| asked.rarity(term))?;
    let vector = checked(vec![vector], 1, embedder.dimension())?.remove(0);
    if vector.iter().all(|x| *x == 0.0) {
        return Ok(Vec::new());
    }
    let mut found = sections_of(from, &from.by_vectors(&vector, total)?)?;
    for one in &mut found {
        one.similarity = embedder.similarity(one.score as f32);
    }
    Ok(found)
}

/// Ranks sections by their best passages.
fn sections_of(from: &impl Passages, passages: &[Scored]) -> Result<Vec<Found>, IndexError> {
    let mut at: FxHashMap<Number, usize> = FxHashMap::default();
    let mut found: Vec<Found> = Vec::new();
    for (passage, score) in passages {
        let section = from.section_of(*passage)?;
        let known = *at.entry(section).or_insert_with(|| {
            found.push(Found { section, score: *score, similarity: 0.0, passages: Vec::new() });
            found.len() - 1
        });
        found[known].passages.push((*passage, *score));
    }
    Ok(found)
}

/// Sorts passages: the best first, equal ones by their numbers.
pub(super) fn best_first(passages: &mut [Scored]) {
    passages.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// What the place in one ranking gives, from 0.
fn share(rank: usize) -> f64 {
    1.0 / (RRF_K + 1.0 + rank as f64)
}

/// Fuses two rankings of sections, and within each section those of its passages.
fn fuse(by_words: &[Found], by_vectors: &[Found]) -> Vec<Found> {
    let mut fused: Vec<Found> = Vec::with_capacity(by_words.len() + by_vectors.len());
    let mut at: FxHashMap<Number, usize> = FxHashMap::default();
    for ranking in [by_words, by_vectors] {
        let mut order: Vec<Scored> = ranking.iter().flat_map(|found| found.passages.iter().copied()).collect();
        best_first(&mut order);
        let rank_of: FxHashMap<Number, usize> =
            order.iter().enumerate().map(|(rank, (passage, _))| (*passage, rank)).collect();
        for (rank, found) in ranking.iter().enumerate() {
            let known = *at.entry(found.section).or_insert_with(|| {
                fused.push(Found { section: found.section, score: 0.0, similarity: 0.0, passages: Vec::new() });
                fused.len() - 1
            });
            let known = &mut fused[known];
            known.score += share(rank);
            for (passage, _) in &found.passages {
                let score = share(rank_of.get(passage).copied().unwrap_or_default());
                match known.passages.iter_mut().find(|(other, _)| other == passage) {
                    Some((_, sum)) => *sum += score,
                    None => known.passages.push((*passage, score)),
                }
            }
        }
    }
    for found in &mut fused {
        best_first(&mut found.passages);
        found.similarity = (found.score * (RRF_K + 1.0) / 2.0) as f32;
    }
    fused.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.section.cmp(&b.section)));
    fused
}

/// Which part of an answer the hit at a rank may have, against the others.
fn weight(rank: usize) -> f32 {
    2.0 / (rank + 2) as f32
}

fn hit(
    from: &impl Passages,
    found: &Found,
    query: &Query,
    question: &Question,
    most: usize,
) -> Result<Hit, IndexError> {
    let whole = from.whole(found.section)?;
    let best = found.passages.first().map_or(1.0, |(_, score)| *score);
    let mut windows = Vec::with_capacity(WINDOWS);
    for (passage, score) in found.passages.iter().take(WINDOWS) {
        windows.push(Window { range: from.range(*passage)?, worth: (score / best) as f32 });
    }
    let passages = windows.iter().map(|window| &whole.content[window.range.clone()]);
    let signals = question.signals(&whole.heading, &whole.trail, passages);
    let parts = excerpt(&whole.content, &windows, most, |unit| query.worth(unit));
    let mut text = String::new();
    let mut end = 0;
    for part in &parts {
        match (part.start > 0, text.is_empty()) {
            (true, true) => text.push('…'),
            (true, false) => text.push_str("\n…"),
            _ => {}
        }
        text.push_str(whole.content[part.clone()].trim());
        end = part.end;
    }
    let is_cut = parts.len() > 1 || parts.first().is_some_and(|part| part.start > 0) || end < whole.content.len();
    if end < whole.content.len() {
        text.push('…');
    }
    Ok(Hit {
        page: whole.page,
        position: whole.position,
        level: whole.level,
        heading: whole.heading,
        xpath: whole.xpath,
        similarity: found.similarity,
        relevance: probability(&signals),
        signals,
        score: found.score,
        text,
        is_cut,
    })
}
