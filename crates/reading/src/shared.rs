//! What several strategies work out of one page alike: its sections, the hashes of its texts, its
//! index.
//!
//! In: a step's cache and its page. Out: shared results, each a function of what its key names.

use crate::boilerplate::{OwnSections, PageTexts};
use crate::embed::{Embedder, Lexical};
use crate::retrieval::PageIndex;
use crate::sections::{Cut, Extraction, extract};
use browserlens_core::page::Page;
use browserlens_core::strategy::{StageClock, StepCache};
use std::sync::Arc;

/// A page that was read, cut at headings of every level.
#[derive(Debug)]
pub(crate) struct Read {
    pub extraction: Arc<Extraction>,
    pub texts: PageTexts,
}

#[derive(PartialEq)]
struct ReadOf;

/// By what is searched: a site that repeats other texts leaves other sections.
#[derive(PartialEq)]
struct IndexOf(OwnSections);

/// Reads a page.
pub(crate) fn read(shared: &StepCache, clock: &dyn StageClock, page: &Page) -> Arc<Read> {
    shared.get_or_make(clock, ReadOf, || {
        let extraction = extract(page, Cut::default());
        Read { texts: PageTexts::of(&extraction), extraction: Arc::new(extraction) }
    })
}

/// Returns the index of what a page says of its own, with the built-in embedder; else why there is
/// none.
pub(crate) fn index(
    shared: &StepCache,
    clock: &dyn StageClock,
    page: &Page,
    own: OwnSections,
    embedder: &Arc<Lexical>,
) -> Arc<Result<PageIndex, String>> {
    shared.get_or_make(clock, IndexOf(own.clone()), || {
        PageIndex::of(Arc::clone(embedder) as Arc<dyn Embedder>, page.url(), &own.sections, &own.leave_out)
            .map_err(|error| error.to_string())
    })
}
