//! Which pages are one screen.
//!
//! In: the views of a website's pages. Out: a screen number for each. Invariants: the answer does
//! not depend on the order of the pages; pages with different open dialogs or different selected
//! tabs are never one screen. Why structure before URL: one path may hold several screens (an
//! application that swaps its content) and many paths one (142 products). At one and the same URL
//! the data is the same, so a difference in structure means more there than between two URLs.

use super::urls::Parts;
use super::view::{ElementKind, PageView, without_numbers};
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};

/// Two states of one URL are one screen from this likeness on.
const ALIKE_AT_ONE_URL: f64 = 0.75;
/// Two pages of one path with different queries.
const ALIKE_AT_ONE_PATH: f64 = 0.6;
/// Two pages of different paths of one depth.
const ALIKE_AT_ONE_DEPTH: f64 = 0.66;

/// What a screen is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Indices of the views, ascending.
    pub members: Vec<usize>,
    /// The group of what lies below, for the state of an open dialog.
    pub parent: Option<usize>,
}

/// Groups the pages of one website; groups come in the order of their first members.
pub(crate) fn group(views: &[&PageView]) -> Vec<Group> {
    let base = base_groups(views);
    let mut groups: Vec<Group> = Vec::new();
    let mut base_at: BTreeMap<usize, usize> = BTreeMap::new();
    for (root, members) in &base {
        let plain: Vec<usize> = members.iter().copied().filter(|at| views[*at].dialog.is_none()).collect();
        if !plain.is_empty() {
            base_at.insert(*root, groups.len());
            groups.push(Group { members: plain, parent: None });
        }
    }
    for (root, members) in &base {
        let with_dialog: Vec<usize> = members.iter().copied().filter(|at| views[*at].dialog.is_some()).collect();
        for members in join(&with_dialog, |one, other| same_dialog(views[one], views[other])) {
            groups.push(Group { members, parent: base_at.get(root).copied() });
        }
    }
    groups
}

fn base_groups(views: &[&PageView]) -> BTreeMap<usize, Vec<usize>> {
    // A thousand visits to one page are one page: only different ones are compared with each other.
    let mut different: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (at, view) in views.iter().enumerate() {
        different.entry(fingerprint(view)).or_default().push(at);
    }
    let firsts: Vec<usize> = different.values().map(|same| same[0]).collect();
    let parts: Vec<Option<Parts>> = views.iter().map(|view| Parts::of(&view.url)).collect();
    let tabs: Vec<Vec<String>> = views.iter().map(|view| tab_key(view)).collect();
    let joined = join(&firsts, |one, other| {
        tabs[one] == tabs[other]
            && threshold(&parts[one], &parts[other]).is_some_and(|least| likeness(views[one], views[other]) >= least)
    });
    let members: BTreeMap<usize, &Vec<usize>> = different.values().map(|same| (same[0], same)).collect();
    joined
        .into_iter()
        .map(|firsts| {
            let mut all: Vec<usize> = firsts.iter().flat_map(|first| members[first].iter().copied()).collect();
            all.sort_unstable();
            (all[0], all)
        })
        .collect()
}

fn tab_key(view: &PageView) -> Vec<String> {
    view.selected_tabs.iter().map(|name| without_numbers(name)).collect()
}

fn fingerprint(view: &PageView) -> String {
    let parts = Parts::of(&view.url).map(|parts| (parts.path(), parts.query));
    format!("{parts:?} {:?} {:?} {:?} {:?}", tab_key(view), view.skeleton, view.fields, view.outline)
}

/// Returns how alike two pages have to be; none if they are never one screen.
fn threshold(one: &Option<Parts>, other: &Option<Parts>) -> Option<f64> {
    let (Some(one), Some(other)) = (one, other) else { return None };
    if one.path() == other.path() {
        return Some(if one.query == other.query { ALIKE_AT_ONE_URL } else { ALIKE_AT_ONE_PATH });
    }
    (one.host == other.host && one.segments.len() == other.segments.len()).then_some(ALIKE_AT_ONE_DEPTH)
}

fn same_dialog(one: &PageView, other: &PageView) -> bool {
    let (Some(first), Some(second)) = (&one.dialog, &other.dialog) else { return false };
    if !first.name.is_empty() && without_numbers(&first.name) == without_numbers(&second.name) {
        return true;
    }
    // One dialog may ask about many things: then its buttons stay.
    let buttons = |view: &PageView| -> BTreeSet<String> {
        let of_dialog = view.elements.iter().filter(|element| element.in_dialog && element.kind == ElementKind::Button);
        of_dialog.map(|button| without_numbers(&button.name)).collect()
    };
    shared(&first.skeleton, &second.skeleton) >= ALIKE_AT_ONE_URL && shared(&buttons(one), &buttons(other)) >= 0.5
}

/// Returns how alike the pages below any dialog are built, from 0 to 1; text and language have no
/// part in it.
fn likeness(one: &PageView, other: &PageView) -> f64 {
    0.5 * shared(&one.skeleton, &other.skeleton)
        + 0.3 * shared(&one.fields, &other.fields)
        + 0.2 * shared(&one.outline, &other.outline)
}

/// Returns the share of what two sets have in common; two empty sets are alike.
fn shared<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let both = one.intersection(other).count();
    let all = one.len() + other.len() - both;
    if all == 0 { 1.0 } else { both as f64 / all as f64 }
}

/// Joins what is alike, directly or over others; ordered by the least of each.
fn join(items: &[usize], alike: impl Fn(usize, usize) -> bool) -> Vec<Vec<usize>> {
    let mut joined = UnionFind::new(items.len());
    for one in 0..items.len() {
        for other in one + 1..items.len() {
            if !joined.equiv(one, other) && alike(items[one], items[other]) {
                joined.union(one, other);
            }
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (item, root) in items.iter().zip(joined.into_labeling()) {
        groups.entry(root).or_default().push(*item);
    }
    let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
    groups.sort_unstable();
    groups
}
