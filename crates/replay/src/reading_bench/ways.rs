//! The ways of reading that are compared.
//!
//! In: a page and a question. Out: what an agent would get. Invariant: each is the tool as it is
//! used, with the defaults of its options but for the number of sections; the plain one is what
//! there is without any of this.

use super::{AskedPage, DEPTH, Reply, Way};
use browserlens_core::page::{Page, utf16_prefix, visible_text};
use browserlens_reading::embed::{Embedder, Lexical};
use browserlens_reading::retrieval::{By, Hit, IndexError, PageIndex, SearchOptions, VERSION, answer, for_page};
use browserlens_reading::{BoilerplateIndex, Cut, Extraction, MAX_CHARS, extract};
use std::sync::Arc;

/// The way that is the default of the tools: both rankings, fused.
pub const FUSED: &str = "fused";

/// The sections that a question means, by one ranking.
struct Sections {
    name: &'static str,
    by: By,
}

impl Way for Sections {
    fn name(&self) -> &str {
        self.name
    }

    fn replies(&self, page: &AskedPage<'_>, question: &str) -> Result<[Reply; DEPTH], String> {
        // Asked anew for each number: what is shown of a section depends on how many share the
        // answer.
        let mut replies = Vec::with_capacity(DEPTH);
        for top_k in 1..=DEPTH {
            let options = SearchOptions { by: self.by, top_k, ..SearchOptions::default() };
            let hits = page.index.search(question, &for_page(&page.extraction, &options));
            let hits: Vec<Hit> = hits.map_err(|error| error.to_string())?;
            replies.push(Reply { text: answer(question, &hits), found: !hits.is_empty() });
        }
        replies.try_into().map_err(|_| "an answer for each number of sections".to_owned())
    }
}

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
    vec![
        Box::new(Sections { name: FUSED, by: By::Fused }),
        Box::new(Sections { name: "BM25", by: By::Bm25 }),
        Box::new(Sections { name: "vectors", by: By::Vectors }),
        Box::new(FirstCharacters),
    ]
}

/// Names the versions and options of what is compared; part of the key.
pub(super) fn version() -> String {
    format!("{} {} {:?}", VERSION, Lexical::default().id(), SearchOptions::default())
}

/// Reads a page.
pub(super) fn read(page: &Page) -> Extraction {
    extract(page, Cut::default())
}

/// Makes the index of a page that was read: of what it says of its own.
pub(super) fn prepare<'a>(
    page: &'a Page,
    extraction: Extraction,
    site: &BoilerplateIndex,
) -> Result<AskedPage<'a>, IndexError> {
    let own = site.own_sections(&extraction);
    let index = PageIndex::of(Arc::new(Lexical::default()), &extraction.url, &own.sections, &own.leave_out)?;
    Ok(AskedPage { page, extraction, index })
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;
    use browserlens_reading::retrieval::rank;

    #[test]
    fn what_is_read_is_what_the_tool_answers() {
        let page = PageBuilder::outline(
            r#"
            main
              heading "Delivery" level=2 tag=h2
                text "Delivery"
              paragraph
                text "The courier brings the parcel tomorrow."
              heading "Returns" level=2 tag=h2
                text "Returns"
              paragraph
                text "Send the parcel back to the shop within thirty days."
              heading "Stores" level=2 tag=h2
                text "Stores"
              paragraph
                text "Collect the parcel in a shop."
            "#,
        );
        let page = prepare(&page, read(&page), &BoilerplateIndex::default()).expect("prepares");
        assert_eq!(page.extraction.sections.len(), 3);
        let question = "Which shop has the parcel?";
        for by in [By::Fused, By::Bm25, By::Vectors] {
            let replies = Sections { name: "some", by }.replies(&page, question).expect("replies");
            for (at, reply) in replies.iter().enumerate() {
                let options = SearchOptions { by, top_k: at + 1, ..SearchOptions::default() };
                let hits = rank(&page.extraction, question, &options).expect("searches");
                assert_eq!(reply.text, answer(question, &hits), "{by:?} {at}");
            }
            assert!(replies[0].found && replies[0].text.len() < replies[1].text.len(), "{by:?} {replies:?}");
        }
    }

    #[test]
    fn nothing_found_is_said_and_is_no_find() {
        let page = PageBuilder::outline("main\n  paragraph\n    text \"All about tides.\"");
        let page = prepare(&page, read(&page), &BoilerplateIndex::default()).expect("prepares");
        let replies = Sections { name: "some", by: By::Bm25 }.replies(&page, "zebra crossing").expect("replies");
        assert!(replies.iter().all(|reply| !reply.found && reply.text.starts_with("No content found")), "{replies:?}");
    }
}
