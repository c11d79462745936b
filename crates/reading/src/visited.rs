//! Pages that a session has read: answers from what was read a moment ago, and from all of them at
//! once.
//!
//! In: extractions, each with the [`Mark`] of the page that it was read from. Out: the extraction
//! of a page that is known to be the same document, untouched since, for five minutes; the pages
//! read so far. Invariants: a page with another mark is never answered from what was read of this
//! one; at most [`MOST_PAGES`] pages and [`MOST_BYTES`] bytes of text are kept, the oldest go
//! first.

use crate::cache::of_address;
use crate::graph::{FoundConcept, OfMany};
use crate::sections::{Cut, Extraction};
use std::collections::VecDeque;
use std::sync::Arc;

/// How long a page is answered from what was read of it, in milliseconds.
const LIFE_MS: u64 = 5 * 60 * 1_000;
/// Most pages that are kept.
pub const MOST_PAGES: usize = 64;
/// Most bytes of text that are kept.
pub const MOST_BYTES: usize = 16 << 20;

/// What tells a page as it stands from any other: where it is, which document, and what was done to
/// it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Mark {
    /// Its address.
    pub url: String,
    /// Its document, which a navigation and a reload replace.
    pub document: String,
    /// Changes with everything that may have changed the page: what was done, what was seen.
    pub state: u64,
}

#[derive(Clone, Debug)]
struct Kept {
    mark: Mark,
    cut: Cut,
    read_ms: u64,
    extraction: Arc<Extraction>,
    concepts: Vec<FoundConcept>,
}

/// The pages that a session has read, each as it was read last.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    pages: VecDeque<Kept>,
}

impl Visited {
    /// Returns what was read of a page with this mark within the last five minutes, and how many
    /// milliseconds ago.
    pub fn latest(&self, mark: &Mark, cut: Cut, now_ms: u64) -> Option<(Arc<Extraction>, u64)> {
        let kept = self.pages.iter().rev().find(|kept| kept.mark == *mark && kept.cut == cut)?;
        let ago = now_ms.saturating_sub(kept.read_ms);
        (ago <= LIFE_MS).then(|| (Arc::clone(&kept.extraction), ago))
    }

    /// Keeps what was read of a page, in the place of what was read at its address before.
    pub fn keep(
        &mut self,
        mark: Mark,
        cut: Cut,
        (extraction, concepts): (Arc<Extraction>, Vec<FoundConcept>),
        now_ms: u64,
    ) {
        let address = of_address(&mark.url);
        self.pages.retain(|kept| of_address(&kept.mark.url) != address);
        self.pages.push_back(Kept { mark, cut, read_ms: now_ms, extraction, concepts });
        let bytes = |pages: &VecDeque<Kept>| pages.iter().map(|kept| kept.extraction.full_text.len()).sum::<usize>();
        while self.pages.len() > 1 && (self.pages.len() > MOST_PAGES || bytes(&self.pages) > MOST_BYTES) {
            self.pages.pop_front();
        }
    }

    /// Returns the pages by their addresses, the one read last last.
    pub fn pages(&self) -> Vec<OfMany<'_>> {
        self.pages
            .iter()
            .map(|kept| (kept.extraction.url.clone(), &*kept.extraction, kept.concepts.as_slice()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract;
    use browserlens_core::page::PageBuilder;

    fn mark(url: &str, document: &str, state: u64) -> Mark {
        Mark { url: url.to_owned(), document: document.to_owned(), state }
    }

    fn read(text: &str) -> (Arc<Extraction>, Vec<FoundConcept>) {
        let page = PageBuilder::outline(&format!("paragraph\n  text \"{text}\""));
        (Arc::new(extract(&page, Cut::All)), Vec::new())
    }

    #[test]
    fn only_the_same_document_in_the_same_state_is_answered_from_it() {
        let mut visited = Visited::default();
        visited.keep(mark("https://a.test/", "d1", 0), Cut::All, read("one"), 1_000);
        let latest = |mark: Mark, cut, now| visited.latest(&mark, cut, now).map(|(_, ago)| ago);
        assert_eq!(latest(mark("https://a.test/", "d1", 0), Cut::All, 3_000), Some(2_000));
        assert_eq!(latest(mark("https://a.test/", "d1", 0), Cut::H3, 3_000), None, "cut elsewhere");
        assert_eq!(latest(mark("https://a.test/", "d2", 0), Cut::All, 3_000), None, "reloaded");
        assert_eq!(latest(mark("https://a.test/", "d1", 1), Cut::All, 3_000), None, "acted on");
        assert_eq!(latest(mark("https://a.test/b", "d1", 0), Cut::All, 3_000), None, "elsewhere");
        assert_eq!(latest(mark("https://a.test/", "d1", 0), Cut::All, 1_001 + LIFE_MS), None, "too old");
    }

    #[test]
    fn a_page_is_kept_once_and_the_oldest_go_first() {
        let mut visited = Visited::default();
        visited.keep(mark("https://a.test/", "d1", 0), Cut::All, read("one"), 0);
        visited.keep(mark("https://a.test/#top", "d2", 0), Cut::All, read("two"), 1);
        assert_eq!(visited.pages().len(), 1);
        assert_eq!(visited.pages()[0].1.full_text, "two");
        for at in 0..MOST_PAGES {
            visited.keep(mark(&format!("https://a.test/{at}"), "d", 0), Cut::All, read("more"), 2);
        }
        assert_eq!((visited.pages().len(), visited.pages[0].mark.url.as_str()), (MOST_PAGES, "https://a.test/0"));
    }
}
