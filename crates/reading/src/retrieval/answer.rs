//! The answer to a query, in the seed's words.
//!
//! In: hits and the query. Out: markdown: heading, text and relevance of each hit, rules between
//! them; or that nothing was found. Invariants: a heading is one line; a query that is repeated is
//! one line of at most 200 characters; what nobody sees is escaped.

use super::Hit;
use browserlens_core::page::text::{cut, escaped, one_line};
use std::fmt::Write as _;

/// Most characters of a query that an answer repeats.
const LONGEST_QUERY: usize = 200;

/// Writes the answer to a query.
pub fn answer(query: &str, hits: &[Hit]) -> String {
    answer_from(query, hits, |_| String::new())
}

/// As [`answer`], with the source of each hit behind its relevance; an empty one is not said.
pub fn answer_from(query: &str, hits: &[Hit], source: impl Fn(&Hit) -> String) -> String {
    if hits.is_empty() {
        return no_content(query);
    }
    let mut text = String::new();
    for hit in hits {
        if !text.is_empty() {
            text.push_str("\n\n---\n\n");
        }
        let heading = one_line(&hit.heading);
        let heading = if heading.is_empty() { "Section" } else { &heading };
        let relevance = hit.relevance * 100.0;
        let source = source(hit);
        let source = if source.is_empty() { source } else { format!("; {}", one_line(&source)) };
        let _ = write!(text, "## {heading}\n\n{}\n\n(Relevance: {relevance:.0}%{source})", escaped(&hit.text));
    }
    text
}

/// Says that nothing was found.
pub fn no_content(query: &str) -> String {
    format!("No content found matching query: {}", quoted(query))
}

/// Says that hits do not answer, with the nearest headings; none where one has the least relevance,
/// or there are none.
pub fn refusal(query: &str, hits: &[Hit], least: f32) -> Option<String> {
    let best = hits.iter().map(|hit| hit.relevance).reduce(f32::max).filter(|best| *best < least)?;
    let mut headings: Vec<_> = hits.iter().map(|hit| one_line(&hit.heading)).collect();
    headings.dedup();
    headings.retain(|heading| !heading.is_empty());
    let mut text = format!("Nothing here seems to answer {} (relevance at most {:.0}%).", quoted(query), best * 100.0);
    if !headings.is_empty() {
        let _ = write!(text, " Nearest headings: {}", escaped(&headings.join("; ")));
    }
    Some(text)
}

fn quoted(query: &str) -> String {
    format!("\"{}\"", cut(&one_line(query), LONGEST_QUERY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_written_as_the_seed_does() {
        let hit = |heading: &str, text: &str, relevance: f32| Hit {
            page: String::new(),
            position: 0,
            heading: heading.to_owned(),
            level: 2,
            xpath: String::new(),
            similarity: 1.0,
            relevance,
            signals: [0.0; 3],
            score: 0.0,
            text: text.to_owned(),
            is_cut: false,
        };
        let hits = [hit("Returns", "Within 30 days.", 1.0), hit("", "Before all.", 0.5)];
        assert_eq!(refusal("x", &hits, 1.0).or_else(|| refusal("x", &[], 0.5)), None);
        let said = refusal("when", &hits[1..], 0.6);
        assert_eq!(said.as_deref(), Some("Nothing here seems to answer \"when\" (relevance at most 50%)."));
        insta::assert_snapshot!(answer("x", &hits), @r"
        ## Returns

        Within 30 days.

        (Relevance: 100%)

        ---

        ## Section

        Before all.

        (Relevance: 50%)
        ");
    }

    #[test]
    fn nothing_found_is_said_as_the_seed_does() {
        assert_eq!(answer("gift wrapping", &[]), "No content found matching query: \"gift wrapping\"");
        assert_eq!(answer("", &[]), "No content found matching query: \"\"");
        let long = no_content(&"word\n".repeat(20_000));
        assert!(long.chars().count() < 250 && long.ends_with("…\"") && !long.contains('\n'), "{long}");
    }
}
