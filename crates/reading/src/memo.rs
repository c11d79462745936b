//! What several strategies work out of one page alike: its sections, the hashes of its texts, its index.
//!
//! In: a page. Out: shared results. Invariants: what comes out depends on nothing but what went in; a result is kept as long as its page is alive
//! on this thread, and no longer than the next few pages.
//! Why a memory of the thread: a replay shows one page to several strategies one after the other, and reading it is most of their work.

use crate::boilerplate::{OwnSections, PageTexts};
use crate::embed::Lexical;
use crate::retrieval::{IndexError, PageIndex};
use crate::sections::{Cut, Extraction, extract};
use browserlens_page::Page;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// Most pages that a thread remembers.
const REMEMBERED: usize = 2;

/// A page that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Read {
    pub extraction: Arc<Extraction>,
    pub texts: Arc<PageTexts>,
}

struct Known {
    of: Weak<Page>,
    read: Option<Read>,
    /// By what is searched: a site that repeats other texts leaves other sections.
    indexes: Vec<(OwnSections, Arc<PageIndex>)>,
}

thread_local! {
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// Reads a page, cut at headings of every level.
pub(crate) fn read(page: &Arc<Page>) -> Read {
    with_known(page, |known| {
        let read = known.read.get_or_insert_with(|| {
            let extraction = extract(page, Cut::default());
            Read { texts: Arc::new(PageTexts::of(&extraction)), extraction: Arc::new(extraction) }
        });
        read.clone()
    })
}

/// Returns the index of what a page says of its own, with the built-in embedder.
pub(crate) fn index(page: &Arc<Page>, own: OwnSections) -> Result<Arc<PageIndex>, IndexError> {
    with_known(page, |known| {
        if let Some((_, index)) = known.indexes.iter().find(|(of, _)| *of == own) {
            return Ok(Arc::clone(index));
        }
        let index = PageIndex::of(Arc::new(Lexical::default()), page.url(), &own.sections, &own.leave_out)?;
        let index = Arc::new(index);
        known.indexes.push((own, Arc::clone(&index)));
        Ok(index)
    })
}

fn with_known<T>(page: &Arc<Page>, work: impl FnOnce(&mut Known) -> T) -> T {
    KNOWN.with_borrow_mut(|all| {
        // An address says which page it is only while that is alive.
        all.retain(|known| known.of.strong_count() > 0);
        let at = all.iter().position(|known| std::ptr::addr_eq(known.of.as_ptr(), Arc::as_ptr(page)));
        let mut known = match at {
            Some(at) => all.remove(at),
            None => Known { of: Arc::downgrade(page), read: None, indexes: Vec::new() },
        };
        let result = work(&mut known);
        all.truncate(REMEMBERED - 1);
        all.insert(0, known);
        result
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;

    fn page(text: &str) -> Arc<Page> {
        Arc::new(PageBuilder::outline(&format!("main\n  paragraph\n    text \"{text}\"")))
    }

    fn own(read: &Read, leave_out: &[u32]) -> OwnSections {
        OwnSections { sections: read.extraction.sections.clone(), leave_out: leave_out.to_vec() }
    }

    #[test]
    fn a_page_is_read_and_indexed_once_while_it_lives() {
        let page = page("All about tides.");
        let read = super::read(&page);
        assert!(Arc::ptr_eq(&read.extraction, &super::read(&page).extraction));
        let index = |leave_out| index(&page, own(&read, leave_out)).expect("never fails");
        assert!(Arc::ptr_eq(&index(&[]), &index(&[])));
        assert!(!Arc::ptr_eq(&index(&[]), &index(&[0])), "other sections have another index");
    }

    #[test]
    fn another_page_is_read_anew_whatever_lies_at_its_address() {
        for text in ["One", "Two", "Three", "Four", "Five", "Six"] {
            assert_eq!(super::read(&page(text)).extraction.full_text, text);
        }
    }
}
