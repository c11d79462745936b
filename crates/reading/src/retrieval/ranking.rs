//! The order in which sections are found, and what is shown of them.
//!
//! In: an [`Index`], which ranks passages by words and by vectors, and a query. Out: [`Hit`]s.
//! Invariant: equal scores stand in the order of the passages.

use super::excerpt::{Window, excerpt};
use super::index::Index;
use super::query::Query;
use super::relevance::{Question, probability};
use super::{By, Hit, SearchOptions};
use crate::embed::{EmbedError, checked};
use rustc_hash::FxHashMap;

/// k of reciprocal rank fusion (Cormack, Clarke, Büttcher 2009).
const RRF_K: f64 = 60.0;
/// How many passages each ranking brings.
pub(super) const CANDIDATES: usize = 100;
/// From how many passages of a section its excerpt is taken.
const WINDOWS: usize = 8;

/// A passage, by its place in the index, and how good a ranking says that it is.
pub(super) type Scored = (usize, f64);

/// A section that was found.
#[derive(Clone, Debug)]
struct Found {
    section: usize,
    score: f64,
    similarity: f32,
    /// Its passages that were found, the best first.
    passages: Vec<Scored>,
}

/// Returns the sections that a query means, the best first.
pub(super) fn search(index: &Index, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, EmbedError> {
    let asked = Query::new(query, index.passages.len() as u64, |term| index.with(term));
    if asked.is_empty() || index.passages.is_empty() || options.top_k == 0 {
        return Ok(Vec::new());
    }
    let by_words = || with_share(sections_of(index, &index.by_words(&asked)));
    let mut ranked = match options.by {
        By::Bm25 => by_words(),
        By::Vectors => near(index, query, &asked)?,
        By::Fused => {
            let (by_words, by_vectors) = (by_words(), near(index, query, &asked)?);
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
        let hit = hit(index, found, &asked, &question, part);
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

fn near(index: &Index, query: &str, asked: &Query) -> Result<Vec<Found>, EmbedError> {
    let embedder = &*index.embedder;
    let vector = embedder.embed_query(query, &|term| asked.rarity(term))?;
    let vector = checked(vec![vector], 1, embedder.dimension())?.remove(0);
    if vector.iter().all(|x| *x == 0.0) {
        return Ok(Vec::new());
    }
    let mut found = sections_of(index, &index.by_vectors(&vector));
    for one in &mut found {
        one.similarity = embedder.similarity(one.score as f32);
    }
    Ok(found)
}

/// Ranks sections by their best passages.
fn sections_of(index: &Index, passages: &[Scored]) -> Vec<Found> {
    let mut at: FxHashMap<usize, usize> = FxHashMap::default();
    let mut found: Vec<Found> = Vec::new();
    for (passage, score) in passages {
        let section = index.passages[*passage].section;
        let known = *at.entry(section).or_insert_with(|| {
            found.push(Found { section, score: *score, similarity: 0.0, passages: Vec::new() });
            found.len() - 1
        });
        found[known].passages.push((*passage, *score));
    }
    found
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
    let mut at: FxHashMap<usize, usize> = FxHashMap::default();
    for ranking in [by_words, by_vectors] {
        let mut order: Vec<Scored> = ranking.iter().flat_map(|found| found.passages.iter().copied()).collect();
        best_first(&mut order);
        let rank_of: FxHashMap<usize, usize> =
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

fn hit(index: &Index, found: &Found, query: &Query, question: &Question, most: usize) -> Hit {
    let of = &index.sections[found.section];
    let section = &of.section;
    let best = found.passages.first().map_or(1.0, |(_, score)| *score);
    let window = |(passage, score): &Scored| Window {
        range: index.passages[*passage].range.clone(),
        worth: (score / best) as f32,
    };
    let windows: Vec<Window> = found.passages.iter().take(WINDOWS).map(window).collect();
    let passages = windows.iter().map(|window| &section.content[window.range.clone()]);
    let signals = question.signals(&section.heading, &of.trail, passages);
    let parts = excerpt(&section.content, &windows, most, |unit| query.worth(unit));
    let mut text = String::new();
    let mut end = 0;
    for part in &parts {
        match (part.start > 0, text.is_empty()) {
            (true, true) => text.push('…'),
            (true, false) => text.push_str("\n…"),
            _ => {}
        }
        text.push_str(section.content[part.clone()].trim());
        end = part.end;
    }
    let is_cut = parts.len() > 1 || parts.first().is_some_and(|part| part.start > 0) || end < section.content.len();
    if end < section.content.len() {
        text.push('…');
    }
    Hit {
        page: of.page.clone(),
        position: section.position,
        level: section.level,
        heading: section.heading.clone(),
        xpath: section.xpath.clone(),
        similarity: found.similarity,
        relevance: probability(&signals),
        signals,
        score: found.score,
        text,
        is_cut,
    }
}
