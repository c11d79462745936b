//! What most lenses work out of one page alike: its views, what identifies their items, its full
//! form.
//!
//! In: a step's cache, the page of that step, and what is asked of it. Out: shared results, each a
//! function of what its key names.

use crate::extract::{ExtractOptions, View, extract};
use crate::reference::Reference;
use crate::refs::Acting;
use browserlens_core::page::{NodeKey, Page};
use browserlens_core::strategy::{StageClock, StepCache};
use std::collections::HashSet;
use std::sync::Arc;

/// What a step's lenses share, and the clock that work on it is charged to.
pub(super) type Known<'a> = (&'a StepCache, &'a dyn StageClock);

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
struct ReferenceOf(ExtractOptions);

/// Returns the view of a page.
pub(super) fn view(known: Known<'_>, page: &Page, noisy: &HashSet<NodeKey>, options: ExtractOptions) -> Arc<View> {
    let (shared, clock) = known;
    shared.get_or_make(clock, ViewOf { options, noisy: noisy.clone() }, || extract(page, noisy, &options))
}

/// Returns what identifies the items of a view that can be acted on (and its headings, if they are
/// to have refs).
pub(super) fn acting((shared, clock): Known<'_>, page: &Page, view: &Arc<View>, headings: bool) -> Arc<Acting> {
    let of = ActingOf { view: Arc::clone(view), headings };
    shared.get_or_make(clock, of, || Acting::of(page, view, headings))
}

/// Returns the full form of a page.
pub(super) fn reference((shared, clock): Known<'_>, page: &Page, options: ExtractOptions) -> Arc<Reference> {
    shared.get_or_make(clock, ReferenceOf(options), || Reference::of(page, &options))
}
