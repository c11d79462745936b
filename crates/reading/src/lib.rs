//! Reading a page as text.
//!
//! In: a [`browserlens_page::Page`]. Out: what a person could read on it, and the strategies that show only that.
//! Invariant: nothing here keeps handles or states; an agent that is shown only this cannot act (channel `none`).
//!
//! Which should I use?
//! - [`visible_text`]: the plain baseline, every rendered text node, one a line.
//! - [`extract`]: the same text in sections, whole.
//! - [`retrieval::rank`]: the sections of one page that a query means; [`retrieval::Index`]: of many pages, in a file.

mod blocks;
mod concepts;
pub mod embed;
mod js_text;
mod options;
pub mod retrieval;
mod sections;
mod strategies;
pub mod terms;
mod visible;
mod xpath;

pub use blocks::{Block, BlockKind, blocks};
pub use js_text::{is_js_space, js_trim, utf16_prefix};
pub use options::{OptionsError, OptionsReader};
pub use sections::{Cut, Extraction, Section, extract};
pub use visible::{MAX_CHARS, ReadTextVisible, visible_text};
pub use xpath::Xpaths;

use browserlens_strategy::Strategy;

/// Returns the names that [`build`] knows.
pub fn names() -> &'static [&'static str] {
    &[visible::NAME, strategies::SECTION_SEARCH, strategies::GRAPH_SUMMARY, strategies::EMBEDDING_SECTIONS]
}

/// Builds the strategy of a name from its options; none if the name is not one of this crate.
///
/// An unknown option, or a value of the wrong kind, is an [`OptionsError`].
pub fn build(name: &str, options: &serde_json::Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    if name == visible::NAME {
        return Some(ReadTextVisible::from_options(options).map(|strategy| Box::new(strategy) as Box<dyn Strategy>));
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
