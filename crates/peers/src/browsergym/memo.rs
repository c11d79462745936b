//! The last observation, for other runs that see the same pages: two more strategies cut or search this tool's text.
//!
//! In: the pages that a run has seen, and what came of the last. Out: that again, for a run that has seen the same ones.
//! Invariant: an observation is a function of the pages seen so far (a page comes with the capture that it was parsed from),
//! and pages are the same only if they are one allocation, which a weak pointer keeps from being used again.

use super::bids::Bids;
use browserlens_page::Page;
use browserlens_strategy::Observation;
use std::cell::RefCell;
use std::sync::{Arc, Weak};

/// What a run has seen and marked so far.
#[derive(Clone, Debug, Default)]
pub(super) struct History {
    pages: Vec<Weak<Page>>,
    pub bids: Arc<Bids>,
}

thread_local! {
    static LAST: RefCell<Option<(History, Arc<Observation>)>> = const { RefCell::new(None) };
}

impl History {
    /// Takes in a page.
    pub fn see(&mut self, page: &Arc<Page>) {
        self.pages.push(Arc::downgrade(page));
    }

    /// What another run on this thread made of the same pages; the marks are then those that it left.
    pub fn known(&mut self) -> Option<Arc<Observation>> {
        LAST.with_borrow(|last| {
            let (history, observation) = last.as_ref()?;
            let same = history.pages.len() == self.pages.len()
                && history.pages.iter().zip(&self.pages).all(|(a, b)| a.ptr_eq(b));
            same.then(|| {
                self.bids = Arc::clone(&history.bids);
                Arc::clone(observation)
            })
        })
    }

    /// Keeps what was made of the pages seen.
    pub fn keep(&self, observation: Observation) -> Arc<Observation> {
        let observation = Arc::new(observation);
        LAST.set(Some((self.clone(), Arc::clone(&observation))));
        observation
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::outline;

    #[test]
    fn only_a_run_that_saw_the_very_same_pages_is_given_what_another_made() {
        let (first, second) = (Arc::new(outline("button \"Go\"")), Arc::new(outline("button \"Stop\"")));
        let seen = |pages: &[&Arc<Page>]| {
            let mut history = History::default();
            pages.iter().for_each(|page| history.see(page));
            history
        };
        seen(&[&first, &second]).keep(Observation::full_text("both".to_owned(), "test"));
        let text = |pages: &[&Arc<Page>]| seen(pages).known().map(|observation| observation.text.clone());
        assert_eq!(text(&[&first, &second]).as_deref(), Some("both"));
        assert_eq!(text(&[&second]), None);
        assert_eq!(text(&[&second, &first]), None);
        assert_eq!(text(&[&first, &Arc::new(outline("button \"Stop\""))]), None);
    }
}
