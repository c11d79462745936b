//! Retrieval: the sections that a query means.
//!
//! In: the sections of one page or of many, and a query. Out: [`Hit`]s, the best first: by words
//! (BM25, SQLite FTS5), by vectors (sqlite-vec), or by both, fused by reciprocal rank (k = 60).
//! Invariants: deterministic; what a query holds never reaches FTS5 but as quoted terms; vectors of
//! different embedders never mix; a hit's text is a part of its section within a limit.
//!
//! What is ranked: passages of some seventy words, each with its section's heading and the headings
//! above it. A section counts as its best passage.
//!
//! **What the similarity and its threshold mean.** Every hit has a similarity from 0 to 1, and
//! [`SearchOptions::min_similarity`] (0.5, as in the seed) is asked of it:
//!
//! - by vectors it is the cosine, as the embedder reads it ([`Embedder::similarity`]): cosines of
//!   trained models as they are; those of the lexical embedder, which lie lower, scaled so that
//!   unrelated texts stay below 0.5;
//! - by BM25, whose scores have no upper end, it is the square root of the score's share of the
//!   best hit's: 0.5 keeps what is at least a quarter as good as the best (at half of it, answers
//!   were lost that stood second or third);
//! - fused, it is the score as a share of the highest that there is, rank 1 in both rankings: 0.5
//!   keeps what both rankings found, and of what only one found the first; where no word of the
//!   query stands anywhere, it is the similarity by vectors.
//!
//! **What the relevance means.** [`Hit::relevance`] is a probability, whatever ranking found the
//! hit: that the page answers, judged by how the hit's section and the question meet. It orders
//! nothing. Where no hit has [`DEFAULT_RELEVANCE`], the tool says that nothing answers
//! ([`refusal`]).
//!
//! Queries: stop words are left out as long as another word remains; a query of stop words alone is
//! searched as it stands. A query without a letter or digit finds nothing. Of more than
//! [`MOST_TERMS`] different terms the rarest count.

mod answer;
mod answer_kind;
mod codes;
mod excerpt;
mod index;
mod page;
mod passage;
mod query;
mod ranking;
mod relevance;
mod rows;
mod vec_extension;

pub use answer::{answer, answer_from, no_content, refusal};
pub use index::{Index, IndexError};
pub use page::PageIndex;
pub use query::MOST_TERMS;
pub use relevance::DEFAULT_RELEVANCE;

use crate::boilerplate::OwnSections;
use crate::embed::{Embedder, Lexical};
use crate::sections::Extraction;
use std::sync::Arc;

/// Changes whenever other sections may be found, or shown in other words; results are cached by it.
pub const VERSION: u32 = 6;
/// How much a term counts in the section's heading, in the headings above it, in the passage; and a
/// concept of any of them.
const WEIGHTS: [f64; 4] = [3.0, 1.5, 1.0, 0.5];
/// Most bytes of an answer by default: some 500 tokens of English.
const MOST_BYTES: usize = 2_000;
/// Least bytes that an answer about one page may have, however small the page.
const LEAST_BYTES: usize = 1_000;
/// Which part of a page's text an answer about it may take: an eighth.
const PAGE_SHARE: usize = 8;

/// Up to how many bytes of text, and sections, a page is ranked without SQLite: every vector is
/// then looked at, and kept as it is.
const MOST_IN_MEMORY: usize = 2 << 20;
const MOST_SECTIONS: usize = 4_096;

/// What hits are ranked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum By {
    /// Words: BM25.
    Bm25,
    /// Vectors.
    Vectors,
    /// Both, fused by reciprocal rank.
    #[default]
    Fused,
}

/// How sections are searched.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchOptions {
    /// What hits are ranked by.
    pub by: By,
    /// Most hits.
    pub top_k: usize,
    /// Least similarity of a hit; see the module for what it means.
    pub min_similarity: f32,
    /// Most bytes of the hits' texts together: a section that is longer than its part is shown
    /// around what was found in it. Better hits have larger parts, and what one does not need goes
    /// to the next. Bytes of UTF-8 follow tokens more closely than characters, over all scripts.
    pub max_bytes: usize,
}

impl Default for SearchOptions {
    fn default() -> Self {
        Self { by: By::default(), top_k: 3, min_similarity: 0.5, max_bytes: MOST_BYTES }
    }
}

/// A section that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The page it is on, as it was added.
    pub page: String,
    /// Its number among the page's sections.
    pub position: u32,
    /// Its heading; empty before the first heading of a page.
    pub heading: String,
    /// Level of its heading; 0 before the first.
    pub level: u8,
    /// Where its heading stands.
    pub xpath: String,
    /// Similarity, 0 to 1.
    pub similarity: f32,
    /// The probability that what was asked is answered, judged by how this section meets it.
    pub relevance: f32,
    /// What that was worked out from.
    pub(crate) signals: relevance::Signals,
    /// What orders the hits: BM25, cosine, or the fused score.
    pub score: f64,
    /// What is shown of its content.
    pub text: String,
    /// Whether that is only a part of it.
    pub is_cut: bool,
}

/// Finds the sections of one page that a query means, with the built-in embedder and an index in
/// memory. Beside [`SearchOptions::max_bytes`], the hits' texts take at most an eighth of the
/// page's text, or 1,000 bytes where that is more: an answer that is half of the page would be no
/// answer.
///
/// # Errors
/// [`IndexError`] if SQLite fails.
pub fn rank(extraction: &Extraction, query: &str, options: &SearchOptions) -> Result<Vec<Hit>, IndexError> {
    let whole = OwnSections { sections: extraction.sections.clone(), leave_out: Vec::new() };
    rank_with(Arc::new(Lexical::default()), extraction, &whole, query, options)
}

/// As [`rank`], over what the page says of its own and its site does not repeat, with any embedder.
///
/// # Errors
/// [`IndexError`] if SQLite or the embedder fails.
pub fn rank_with(
    embedder: Arc<dyn Embedder>,
    extraction: &Extraction,
    own: &OwnSections,
    query: &str,
    options: &SearchOptions,
) -> Result<Vec<Hit>, IndexError> {
    let options = for_page(extraction, options);
    if extraction.full_text.len() <= MOST_IN_MEMORY && own.sections.len() <= MOST_SECTIONS {
        return PageIndex::of(embedder, &extraction.url, &own.sections, &own.leave_out)?.search(query, &options);
    }
    let mut index = Index::in_memory(embedder)?;
    index.add(&extraction.url, &own.sections, &own.leave_out)?;
    index.search(query, &options)
}

/// Returns the options of an answer about one page: with the limit that [`rank`] describes.
pub fn for_page(extraction: &Extraction, options: &SearchOptions) -> SearchOptions {
    let share = (extraction.full_text.len() / PAGE_SHARE).max(LEAST_BYTES);
    SearchOptions { max_bytes: options.max_bytes.min(share), ..options.clone() }
}
