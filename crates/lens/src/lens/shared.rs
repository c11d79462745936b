//! What most lenses work out of one page alike: its views, what identifies their items, its full
//! form.
//!
//! In: a step's cache, the page of that step, and what is asked of it. Out: shared results, each a
//! function of what its key names.

use crate::extract::{ExtractOptions, Grade, Representation, View, extract};
use crate::reference::Reference;
use crate::refs::Acting;
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{StageClock, StepCache};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(PartialEq)]
struct ViewOf {
    options: ExtractOptions,
    noisy: HashSet<NodeKey>,
}

struct ActingOf {
    view: Arc<View>,
    headings: bool,
}

impl PartialEq for ActingOf {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.view, &other.view) && self.headings == other.headings
    }
}

#[derive(PartialEq)]
struct ReferenceOf {
    representation: Representation,
    grade: Grade,
    regions_shown: usize,
}

/// Returns the view of a page.
pub(super) fn view(
    (shared, clock): (&StepCache, &dyn StageClock),
    page: &Page,
    noisy: &HashSet<NodeKey>,
    options: ExtractOptions,
) -> Arc<View> {
    shared.get_or_make(clock, ViewOf { options: options.clone(), noisy: noisy.clone() }, || {
        extract(page, noisy, &options)
    })
}

/// Returns what identifies the items of a view that can be acted on (and its headings, if they are
/// to have refs).
pub(super) fn acting(
    (shared, clock): (&StepCache, &dyn StageClock),
    page: &Page,
    view: &Arc<View>,
    headings: bool,
) -> Arc<Acting> {
    let of = ActingOf { view: Arc::clone(view), headings };
    shared.get_or_make(clock, of, || Acting::of(page, view, |id| headings && &*view.tree.item(id).role == "heading"))
}

/// Returns the full form of a page.
pub(super) fn reference(
    (shared, clock): (&StepCache, &dyn StageClock),
    page: &Page,
    representation: Representation,
    grade: Grade,
    regions_shown: usize,
) -> Arc<Reference> {
    shared.get_or_make(clock, ReferenceOf { representation, grade, regions_shown }, || {
        Reference::of(page, representation, grade, regions_shown)
    })
}
