//! What several strategies work out of one page alike: its views, what identifies its items, its full form.
//!
//! In: a page, and what is asked of it. Out: shared results. Invariants: what comes out depends on nothing but what went in; a result is
//! kept as long as its page is alive on this thread, and no longer than the next few pages.
//! Why a memory of the thread: a replay shows one page to a dozen strategies one after the other, and most of them look alike.

use crate::extract::{ExtractOptions, Grade, Representation, View, extract};
use crate::reference::Reference;
use crate::refs::Acting;
use browserlens_page::{NodeKey, Page};
use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::{Arc, Weak};

/// Most pages that a thread remembers.
const REMEMBERED: usize = 2;

struct Known {
    of: Weak<Page>,
    views: Vec<KnownView>,
    references: Vec<((Representation, Grade, usize), Arc<Reference>)>,
}

struct KnownView {
    options: ExtractOptions,
    noisy: HashSet<NodeKey>,
    view: Arc<View>,
    /// Whether headings have refs too, and what identifies the items then.
    acting: [Option<Arc<Acting>>; 2],
}

thread_local! {
    static KNOWN: RefCell<Vec<Known>> = const { RefCell::new(Vec::new()) };
}

/// Returns the view of a page, and what identifies the items of it that can be acted on (and its headings, if they are to have refs).
pub(super) fn view(
    page: &Arc<Page>,
    noisy: &HashSet<NodeKey>,
    options: ExtractOptions,
    headings: bool,
) -> (Arc<View>, Arc<Acting>) {
    with_known(page, |known| {
        let at = known.views.iter().position(|view| view.options == options && view.noisy == *noisy);
        let at = at.unwrap_or_else(|| {
            let view = Arc::new(extract(page, noisy, &options));
            known.views.push(KnownView { options, noisy: noisy.clone(), view, acting: [None, None] });
            known.views.len() - 1
        });
        let KnownView { view, acting, .. } = &mut known.views[at];
        let acting = acting[usize::from(headings)].get_or_insert_with(|| {
            Arc::new(Acting::of(page, view, |id| headings && &*view.tree.item(id).role == "heading"))
        });
        (Arc::clone(view), Arc::clone(acting))
    })
}

/// Returns the full form of a page.
pub(super) fn reference(
    page: &Arc<Page>,
    representation: Representation,
    grade: Grade,
    regions_shown: usize,
) -> Arc<Reference> {
    let asked = (representation, grade, regions_shown);
    with_known(page, |known| {
        if let Some((_, reference)) = known.references.iter().find(|(of, _)| *of == asked) {
            return Arc::clone(reference);
        }
        let reference = Arc::new(Reference::of(page, representation, grade, regions_shown));
        known.references.push((asked, Arc::clone(&reference)));
        reference
    })
}

fn with_known<T>(page: &Arc<Page>, work: impl FnOnce(&mut Known) -> T) -> T {
    KNOWN.with_borrow_mut(|all| {
        // An address says which page it is only while that is alive.
        all.retain(|known| known.of.strong_count() > 0);
        let at = all.iter().position(|known| std::ptr::addr_eq(known.of.as_ptr(), Arc::as_ptr(page)));
        let mut known = match at {
            Some(at) => all.remove(at),
            None => Known { of: Arc::downgrade(page), views: Vec::new(), references: Vec::new() },
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

    #[test]
    fn what_was_worked_out_of_a_page_is_shared_while_it_lives() {
        let page = Arc::new(PageBuilder::outline("main\n  button \"Go\""));
        let of = |page| view(page, &HashSet::new(), ExtractOptions::default(), false);
        let (first, acting) = of(&page);
        let (again, same) = of(&page);
        assert!(Arc::ptr_eq(&first, &again) && Arc::ptr_eq(&acting, &same));
        let (_, with_headings) = view(&page, &HashSet::new(), ExtractOptions::default(), true);
        assert!(!Arc::ptr_eq(&acting, &with_headings));
        let noisy = HashSet::from([page.root().key()]);
        assert!(!Arc::ptr_eq(&first, &view(&page, &noisy, ExtractOptions::default(), false).0));
    }

    #[test]
    fn another_page_is_worked_out_anew_whatever_lies_at_its_address() {
        for name in ["One", "Two", "Three", "Four", "Five", "Six"] {
            let page = Arc::new(PageBuilder::outline(&format!("main\n  button \"{name}\"")));
            let (view, _) = view(&page, &HashSet::new(), ExtractOptions::default(), false);
            assert!(view.tree.items().any(|(_, item)| &*item.name == name));
            let reference = reference(&page, Representation::A11y, Grade::All, 0);
            assert!(reference.tree.items().any(|(_, item)| &*item.name == name));
        }
    }
}
