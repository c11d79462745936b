//! How alike two pages are built.
//!
//! In: two [`PageView`]s. Out: a likeness from 0 to 1. Invariant: symmetric, and 1 for equal views;
//! text and language have no part in it.

use super::view::PageView;
use std::collections::BTreeSet;

/// Returns how alike the pages below any dialog are built.
pub(crate) fn likeness(one: &PageView, other: &PageView) -> f64 {
    0.5 * shared(&one.skeleton, &other.skeleton)
        + 0.3 * shared(&one.fields, &other.fields)
        + 0.2 * shared(&one.outline, &other.outline)
}

/// Returns the share of what two sets have in common; two empty sets are alike.
pub(crate) fn shared<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}
