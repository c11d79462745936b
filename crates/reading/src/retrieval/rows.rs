//! Sections as they are indexed: in passages, each with its headings.
//!
//! In: the sections of a page. Out: rows of passages, the words of each by where they stand, and
//! the text that is embedded. Invariant: every place where passages are kept indexes the same words
//! and embeds the same texts.

use super::passage::passages;
use super::query::concept_term;
use crate::embed::{EmbedError, Embedder, checked};
use crate::sections::Section;
use crate::words::{Lexicon, Word, of_words};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Length of a passage, in bytes: some seventy English words.
const PASSAGE: usize = 400;
/// How many texts are embedded at once.
const BATCH: usize = 64;

/// A section on its way into an index.
pub(super) struct SectionRow<'a> {
    pub heading: Cow<'a, str>,
    /// The headings above, one a line.
    pub trail: String,
    pub content: Cow<'a, str>,
    pub passages: Vec<Range<usize>>,
}

/// The words of a passage, by where they stand.
pub(super) struct PassageWords {
    pub body: Vec<Arc<Word>>,
    /// The terms of what the passage and its headings are about.
    pub concepts: Vec<String>,
}

/// Returns the sections that are indexed, without those at the positions `leave_out`. Headings that
/// only hold other sections are not found by themselves: they count for the sections below.
pub(super) fn rows<'a>(sections: &'a [Section], leave_out: &[u32]) -> Vec<(&'a Section, SectionRow<'a>)> {
    let left_out: FxHashSet<u32> = leave_out.iter().copied().collect();
    let parents: FxHashSet<u32> = sections.iter().filter_map(|section| section.trail.last().copied()).collect();
    let heading_of = |position: &u32| {
        let at = sections.binary_search_by_key(position, |section| section.position);
        at.map_or("", |at| sections[at].heading.as_str())
    };
    // A section that goes on has its heading already.
    let above = |section: &'a Section| &section.trail[..section.trail.len() - usize::from(section.part > 0)];
    let shown = sections.iter().filter(|section| {
        let says_something = !section.content.is_empty() || !parents.contains(&section.position);
        says_something && !left_out.contains(&section.position)
    });
    shown
        .map(|section| {
            let row = SectionRow {
                trail: above(section).iter().map(heading_of).collect::<Vec<_>>().join("\n"),
                passages: passages(&section.content, PASSAGE),
                heading: Cow::from(&section.heading),
                content: Cow::from(&section.content),
            };
            (section, row)
        })
        .collect()
}

impl SectionRow<'_> {
    /// Returns the words of a passage.
    pub fn words(&self, passage: &Range<usize>, lexicon: &mut Lexicon) -> PassageWords {
        let body_text = self.content.get(passage.clone()).unwrap_or_default();
        let body = lexicon.words(body_text);
        let mut all = [lexicon.words(&self.heading), lexicon.words(&self.trail)].concat();
        all.extend(body.iter().cloned());
        let notations = [&*self.heading, "\n", &self.trail, "\n", body_text].concat();
        let concepts = of_words(&all, &notations).into_iter().map(concept_term).collect();
        PassageWords { body, concepts }
    }
}

/// Embeds every passage of every row, each with its headings.
pub(super) fn embed<'r>(
    embedder: &dyn Embedder,
    rows: impl Iterator<Item = &'r SectionRow<'r>>,
) -> Result<Vec<Vec<f32>>, EmbedError> {
    let passages: Vec<(&SectionRow<'_>, &Range<usize>)> =
        rows.flat_map(|row| row.passages.iter().map(move |range| (row, range))).collect();
    let mut vectors = Vec::with_capacity(passages.len());
    for batch in passages.chunks(BATCH) {
        let texts: Vec<String> = batch
            .iter()
            .map(|(row, range)| {
                let body = row.content.get((*range).clone()).unwrap_or_default();
                [&*row.heading, "\n", &row.trail, "\n", body].concat().trim().to_owned()
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        vectors.extend(checked(embedder.embed(&texts)?, texts.len(), embedder.dimension())?);
    }
    Ok(vectors)
}
