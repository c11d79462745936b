//! What is asked of many pages by what they speak of.
//!
//! In: extractions, each with its concepts. Out: a text, with what it left out said. Invariant: a
//! line of the answer holds nothing of a page that could begin another.

use super::SeenAt;
use super::{
    ConceptPath, ContentGraph, FoundConcept, LinkKind, PageGraph, RELATED_CONCEPT, RELATED_LIMIT, RelatedPage,
};
use crate::tool::{Answer, ReadError, Searcher};
use crate::{Extraction, ReadOptions, duplicates};
use browserlens_core::page::text::escaped_line;

/// What is asked of many pages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Together {
    /// Which pages have something to do with it.
    Related(String),
    /// The shortest path from one concept to another.
    Path(String, String),
    /// What all pages say about it, each text once.
    About(String),
    /// What stands on several pages.
    Duplicates,
}

/// One of many pages: what it is called, what it says, and its concepts.
pub type OfMany<'p> = (String, &'p Extraction, &'p [FoundConcept]);

/// Answers from the concepts of all pages; `least` is the similarity of what is related.
///
/// # Errors
/// [`ReadError::Concepts`] if the embedder refuses.
pub fn answer_together(
    pages: &[OfMany<'_>],
    asked: &Together,
    least: Option<f32>,
    searcher: &Searcher,
    options: &ReadOptions,
) -> Result<Answer, ReadError> {
    if *asked == Together::Duplicates {
        let names: Vec<String> = pages.iter().map(|(name, ..)| name.clone()).collect();
        let pages: Vec<&Extraction> = pages.iter().map(|(_, page, _)| *page).collect();
        return Ok(Answer::whole(duplicates(&pages).to_text(&names), pages.len()));
    }
    let mut graph = PageGraph::new(searcher.embedder());
    for (at, (_, page, concepts)) in pages.iter().enumerate() {
        graph.add(ContentGraph::of(&page.url, &page.title, &page.blocks), concepts, SeenAt(at as i64))?;
    }
    let text = match asked {
        Together::Related(what) => {
            let limit = options.limit.unwrap_or(RELATED_LIMIT);
            let found = graph.find_related_pages(what, least.unwrap_or(RELATED_CONCEPT), limit)?;
            let lines: Vec<String> = found.iter().map(related_line).collect();
            if lines.is_empty() { "no page has anything to do with it".to_owned() } else { lines.join("\n") }
        }
        Together::Path(from, to) => match graph.find_concept_path(from, to)? {
            Some(path) => path_lines(&path),
            None => {
                let mut unknown = Vec::new();
                for end in [from, to] {
                    if graph.find_concepts(end, RELATED_CONCEPT, 1)?.is_empty() {
                        unknown.push(format!("no page has a concept like {:?}", escaped_line(end)));
                    }
                }
                if unknown.is_empty() { "no path of at most five steps".to_owned() } else { unknown.join("\n") }
            }
        },
        Together::About(what) => {
            let text = graph.about(what, options.most_chars())?.to_text();
            if text.is_empty() { "no page says anything about it".to_owned() } else { text }
        }
        Together::Duplicates => String::new(),
    };
    Ok(Answer::whole(text, pages.len()))
}

fn related_line(page: &RelatedPage) -> String {
    let (title, url, concept) = (escaped_line(&page.title), escaped_line(&page.url), escaped_line(&page.concept));
    match page.similarity {
        0.0 => format!("in its text: {title} {url} ({concept})"),
        similarity => format!("{:.0} % {title} {url} ({concept})", f64::from(similarity) * 100.0),
    }
}

fn path_lines(path: &ConceptPath) -> String {
    let mut text = path.concepts.first().map(|first| escaped_line(first).into_owned()).unwrap_or_default();
    for (link, concept) in path.links.iter().zip(path.concepts.iter().skip(1)) {
        let how = match link.kind {
            LinkKind::Under => "under one heading",
            LinkKind::LeadsTo => "by a link",
        };
        text.push_str(&format!("\n→ {} ({how}, {})", escaped_line(concept), escaped_line(&link.url)));
    }
    text
}
