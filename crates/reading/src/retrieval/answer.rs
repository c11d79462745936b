//! The answer to a query, in the seed's words.
//!
//! In: hits and the query. Out: markdown: heading, text and relevance of each hit, rules between
//! them; or that nothing was found. Invariants: a heading is one line; a query that is repeated is
//! one line of at most 200 characters; what nobody sees is escaped.

use super::Hit;
use browserlens_page::text::{escaped, one_line};
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
        let relevance = f64::from(hit.similarity) * 100.0;
        let source = source(hit);
        let source = if source.is_empty() { source } else { format!("; {}", one_line(&source)) };
        let _ = write!(text, "## {heading}\n\n{}\n\n(Relevance: {relevance:.1}%{source})", escaped(&hit.text));
    }
    text
}

/// Says that nothing was found.
pub fn no_content(query: &str) -> String {
    let query = one_line(query);
    match query.char_indices().nth(LONGEST_QUERY) {
        Some((end, _)) => format!("No content found matching query: \"{}…\"", &query[..end]),
        None => format!("No content found matching query: \"{query}\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hits_are_written_as_the_seed_does() {
        let hit = |heading: &str, text: &str, similarity: f32| Hit {
            page: String::new(),
            position: 0,
            heading: heading.to_owned(),
            level: 2,
            xpath: String::new(),
            similarity,
            score: 0.0,
            text: text.to_owned(),
            is_cut: false,
            relevance: None,
            signals: None,
        };
        insta::assert_snapshot!(answer("x", &[hit("Returns", "Within 30 days.", 1.0), hit("", "Before all.", 0.5)]), @r"
        ## Returns

        Within 30 days.

        (Relevance: 100.0%)

        ---

        ## Section

        Before all.

        (Relevance: 50.0%)
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
