//! Counts what a shown state owes to the page.
//!
//! In: a shown state and a [`Reference`]. Out: the number of differences that no mark in the shown
//! state covers. Invariant: a mark covers exactly as many siblings as it says; so both trees align
//! without a search, and a wrong count is itself a difference.

use super::Reference;
use crate::shown::ShownState;
use crate::tree::{Elided, Item, Mark, ROOT, Tree};

/// Counts the differences between what is shown and the full form of the page that no mark in the
/// shown state covers.
pub fn unmarked_differences(shown: &ShownState, full: &Reference) -> u32 {
    let tree = shown.tree();
    let blank = |id: &u32| tree.item(*id).mark.is_some_and(|mark| mark.what == Elided::Items && mark.count.is_none());
    if tree.children(ROOT).iter().any(blank) {
        // "Everything is elided" covers title and URL as well; it stands alone.
        return tree.len().saturating_sub(2) as u32;
    }
    let head = match shown.head() {
        None => !(full.title.is_empty() && full.url.is_empty()),
        Some(head) if head.cut => !full.title.starts_with(&head.title) || !full.url.starts_with(&head.url),
        Some(head) => head.title != full.title || head.url != full.url,
    };
    let mut differences = u32::from(head);
    let (shown_sizes, full_sizes) = (tree.sizes(), full.tree.sizes());
    let mut pairs = vec![(ROOT, ROOT)];
    while let Some((s, r)) = pairs.pop() {
        let item = tree.item(s);
        if item.volatile && !full.acts[r as usize] {
            differences += differences_in_controls(tree, s, full, r);
            continue;
        }
        if s != ROOT {
            differences += u32::from(!says(item, full.tree.item(r), full.acts[r as usize]));
        }
        let (below, theirs) = (tree.children(s), full.tree.children(r));
        let mut at = 0;
        for child in below {
            match tree.item(*child).mark {
                Some(Mark { what, count, .. }) if what.is_cut() => at += count.unwrap_or(0) as usize,
                _ if at < theirs.len() => {
                    pairs.push((*child, theirs[at]));
                    at += 1;
                }
                _ => differences += shown_sizes[*child as usize],
            }
        }
        differences += at.saturating_sub(theirs.len()) as u32;
        differences += theirs.iter().skip(at).map(|id| full_sizes[*id as usize]).sum::<u32>();
    }
    differences
}

/// Whether an item says what R says; a cut name says its beginning and how much is missing.
fn says(shown: &Item, full: &Item, acts: bool) -> bool {
    let name = match shown.cut {
        None => shown.name == full.name,
        Some(cut) => {
            let missing = full.name.strip_prefix(&*shown.name).map(|rest| rest.chars().count());
            missing == Some(cut.chars as usize)
        }
    };
    let marks = match (shown.mark, full.mark) {
        (None, None) => true,
        (Some(a), Some(b)) => a.count == b.count && a.what == b.what,
        _ => false,
    };
    name && marks
        && shown.role == full.role
        && shown.value == full.value
        && shown.states == full.states
        && (!acts || shown.reference.is_some())
}

/// Below a volatile item, text may be old, but what can be acted on may not.
fn differences_in_controls(tree: &Tree, s: u32, full: &Reference, r: u32) -> u32 {
    let shown: Vec<&Item> = tree.subtree(s).map(|id| tree.item(id)).filter(|item| item.reference.is_some()).collect();
    let theirs: Vec<&Item> =
        full.tree.subtree(r).filter(|id| full.acts[*id as usize]).map(|id| full.tree.item(id)).collect();
    let unequal = shown.iter().zip(&theirs).filter(|(a, b)| !says(a, b, true)).count();
    (unequal + shown.len().abs_diff(theirs.len())) as u32
}
