//! The ways of reading that are compared.
//!
//! In: a page and a question. Out: what an agent would get. Invariant: each is the tool as it is used, with the defaults of its options but for the number of
//! sections; the plain one is what there is without any of this.

use super::{AskedPage, DEPTH, Reply, Way};
use browserlens_reading::{MAX_CHARS, utf16_prefix, visible_text};

/// The way that is the default of the tools: both rankings, fused.
pub const FUSED: &str = "fused";

/// The plain way: the first 20,000 characters of the page, whatever is asked.
struct FirstCharacters;

impl Way for FirstCharacters {
    fn name(&self) -> &str {
        "first 20,000 characters"
    }

    fn replies(&self, page: &AskedPage<'_>, _question: &str) -> Result<[Reply; DEPTH], String> {
        let text = visible_text(page.page);
        let text = utf16_prefix(&text, MAX_CHARS);
        Ok(std::array::from_fn(|_| Reply { text: text.to_owned(), found: !text.is_empty() }))
    }
}

/// Returns all ways, in the order of tables.
pub(super) fn all() -> Vec<Box<dyn Way>> {
    vec![Box::new(FirstCharacters)]
}

/// Names the versions of what is compared; part of the key.
pub(super) fn version() -> String {
    String::new()
}
