//! Reading a page as text.
//!
//! In: a [`browserlens_core::page::Page`] and, for the baseline, the capture that it was parsed from.
//! Out: what a person could read on it: whole, in sections, by question, as a graph; and the
//! strategies that show only that. Invariants: what no person sees is not said; nothing here keeps
//! handles or states, so an agent that is shown only this cannot act (channel `none`); nothing here
//! reads a clock.
//!
//! Which should I use? [`extract`] for text in its structure: [`Extraction::part`] gives any part
//! of it, [`Extraction::pieces`] streams it. [`Cache`] around it where pages are read more than
//! once; [`retrieval`] finds sections, [`graph`] says how they hang together; [`take`] and
//! [`answer_of`] are all of it, for an agent. [`read_text`] is the plain baseline that both are measured
//! against: every rendered text node, one a line.

mod address;
mod baseline;
mod blocks;
mod boilerplate;
mod cache;
mod concepts;
mod content_hash;
pub mod embed;
pub mod graph;
mod many;
mod parts;
mod read_options;
pub mod retrieval;
mod sections;
mod shared;
mod strategies;
pub mod terms;
mod tool;
mod visible;
mod visited;
mod words;
mod xpath;

pub use address::{TRACKING, normal_url};
pub use baseline::{BaselineError, READ_TEXT_SCRIPT, read_text};
pub use blocks::{Block, BlockKind, LONGEST_BLOCK, blocks};
pub use boilerplate::{BoilerplateIndex, MAX_PAGES, OwnSections, PagePlace, PageTexts, Repeatable, TextHash};
pub use cache::{CACHE_VERSION, Cache, CacheError, CacheOptions, Outcome, Reading};
pub use content_hash::{ContentHash, content_hash};
pub use many::{ALIKE, Alike, Duplicates, Repeated, answer_of_many, duplicates};
pub use parts::{BehindEnd, NoSection};
pub use read_options::{DEFAULT_CHARS, DEFAULT_LIMIT, ReadOptions};
pub use sections::{Cut, Extraction, LONGEST_SECTION, Section, extract};
pub use tool::{Answer, ReadError, Searcher, answer_of, place_in, take};
pub use visible::MAX_CHARS;
pub use visited::{MOST_BYTES, MOST_PAGES, Mark, Visited};
pub use xpath::Xpaths;

/// The README, whose examples are run as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
pub struct Readme;

use browserlens_core::strategy::{OptionsError, Strategy};

/// Returns the names that [`build`] knows.
pub fn names() -> &'static [&'static str] {
    &[visible::NAME, strategies::SECTION_SEARCH, strategies::GRAPH_SUMMARY, strategies::EMBEDDING_SECTIONS]
}

/// Builds the strategy of a name from its options; none if the name is not one of this crate.
///
/// An unknown option, or a value of the wrong kind, is an [`OptionsError`].
pub fn build(name: &str, options: &serde_json::Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    if name == visible::NAME {
        return Some(visible::build(options));
    }
    strategies::build(name, options)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_name_builds_and_bears_its_name() {
        for name in names() {
            let strategy = build(name, &json!({})).expect("known").expect("default options are fine");
            assert_eq!(strategy.name(), *name);
        }
        assert!(build("read-text/other", &json!({})).is_none());
    }

    #[test]
    fn an_unknown_option_is_named_with_the_known_ones() {
        let error = build("read-text/visible", &json!({ "max_char": 3 })).expect("known").err().expect("an error");
        assert_eq!(error.to_string(), "option \"max_char\": is not known; known are \"max_chars\"");
        let error =
            build("read-text/visible", &json!({ "max_chars": "many" })).expect("known").err().expect("an error");
        assert_eq!(error.to_string(), "option \"max_chars\": is \"many\", expected a whole number of at least 0");
    }
}
