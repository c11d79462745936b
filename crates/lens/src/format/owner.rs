//! Whose an item is: what a change of it is about, where the item does not say so itself.
//!
//! In: a tree and an item without a ref. Out: items before it or around it that name it, nearest
//! first. Invariant: an owner stands before its item in document order, so that the item is the
//! first of its kind behind the owner.

use super::fold;
use crate::tree::{Item, ROOT, Tree};
use browserlens_core::page::role;

/// Levels above an item on which its owner is looked for.
const MOST_LEVELS: usize = 6;
/// Most children of what a person would call one thing: an option with its price, a card.
const ONE_THING: usize = 12;
/// Siblings that are looked at, and items below each.
const MOST_SEARCHED: usize = 16;
/// Items of a table among which its head is looked for, and the days of a calendar.
const HEAD_WITHIN: usize = 200;

/// Whether an item says by itself what it is about: `8` in a cell does not, `Total £128` does.
pub(super) fn says_its_subject(item: &Item) -> bool {
    match &*item.role {
        "cell" | "gridcell" | "definition" | "deletion" | "insertion" => return false,
        "timer" => return true,
        _ => {}
    }
    let words = item.name.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    // `Total £64` has a label; `3 left` has none.
    let labelled = item.name.starts_with(char::is_alphabetic) && item.name.contains(|c: char| c.is_ascii_digit());
    words.take(2).count() >= if item.is_text() && !labelled { 2 } else { 1 }
}

/// What can own an item, and what it is called.
pub(super) struct Owning<'t> {
    pub id: u32,
    pub name: &'t str,
}

/// Returns what can own an item, the best first.
pub(super) fn owners(tree: &Tree, id: u32) -> impl Iterator<Item = Owning<'_>> {
    let mut found: Vec<(u32, u32)> = Vec::new();
    let mut at = id;
    for above in tree.ancestors(id).take(MOST_LEVELS) {
        let siblings = tree.children(above);
        let before = &siblings[..siblings.iter().position(|sibling| *sibling == at).unwrap_or(0)];
        let near = || before.iter().rev().take(MOST_SEARCHED).copied();
        let item = |id: &u32| tree.item(*id);
        let mut own = |owner: Option<u32>| found.extend(owner.map(|owner| (owner, above)));
        if matches!(&*tree.item(at).role, "definition") {
            own(near().find(|id| &*item(id).role == "term"));
        }
        // A row is one thing however many cells it has.
        let around = &*tree.item(above).role;
        let is_small = siblings.len() <= ONE_THING || around == "row";
        let one_thing = above != ROOT && !role::is_landmark(around) && is_small;
        let next = before.last().copied().filter(|next| tree.children(*next).is_empty());
        own(next.filter(|id| labels(item(id)) || one_thing && names_with_ref(item(id))));
        let inside = |id: u32| tree.subtree(id).take(MOST_SEARCHED);
        if one_thing {
            let all = || before.iter().flat_map(|id| inside(*id));
            own(all().find(|id| is_title(item(id))));
            own(all().find(|id| names_with_ref(item(id))));
            own(all().find(|id| says_name(item(id))));
        } else {
            own(near().flat_map(inside).find(|id| is_title(item(id))));
        }
        own((above != ROOT && says_name(tree.item(above))).then_some(above));
        at = above;
    }
    found.into_iter().map(|(id, around)| Owning { id, name: called(tree, id, around) })
}

/// Returns what an owner is called: by its name, but for a control that each row has (`Pick`),
/// which is called by what the row says first.
fn called(tree: &Tree, id: u32, around: u32) -> &str {
    let item = tree.item(id);
    let each_row_has = |one: &Item| {
        let like = |other: u32| tree.item(other).role == one.role && tree.item(other).name == one.name;
        let siblings = tree.children(tree.parent(around));
        let near = siblings.iter().filter(|sibling| **sibling != around).take(MOST_SEARCHED);
        near.flat_map(|sibling| tree.subtree(*sibling).take(MOST_SEARCHED)).any(like)
    };
    if item.reference.is_some() && around != id && around != ROOT && each_row_has(item) {
        let says = |other: u32| Some(tree.item(other)).filter(|said| says_name(said) && !each_row_has(said));
        if let Some(said) = tree.subtree(around).take(MOST_SEARCHED).find_map(says) {
            return &said.name;
        }
    }
    &item.name
}

/// Returns the name of the column of a table that an item stands in; empty if none is shown.
pub(super) fn column(tree: &Tree, id: u32) -> &str {
    let path: Vec<u32> = std::iter::once(id).chain(tree.ancestors(id)).collect();
    let Some(row) = path.iter().position(|id| &*tree.item(*id).role == "row").filter(|at| *at > 0) else { return "" };
    let Some(table) = path[row..].iter().find(|id| matches!(&*tree.item(**id).role, "table" | "grid" | "treegrid"))
    else {
        return "";
    };
    let is_head = |id: &u32| {
        &*tree.item(*id).role == "row"
            && tree.children(*id).iter().any(|cell| &*tree.item(*cell).role == "columnheader")
    };
    let cells = tree.children(path[row]);
    let place = cells.iter().position(|cell| *cell == path[row - 1]).unwrap_or(cells.len());
    let head = tree.subtree(*table).take(HEAD_WITHIN).find(is_head);
    let heads = head.map(|head| tree.children(head)).filter(|heads| heads.len() == cells.len());
    heads.and_then(|heads| heads.get(place)).map_or("", |head| &tree.item(*head).name)
}

/// Fewest days that make a table a calendar.
const FEWEST_DAYS: usize = 7;
/// The last day of the shortest month: a next one may begin behind it.
const SHORTEST_MONTH: u32 = 28;

/// Returns the heads of the columns that the children of a row stand in, one a child, where the row
/// is one of a calendar: a table with a head whose cells are leaves that count on, day by day.
/// There, nothing in a cell but its place says which day of the week it is.
pub(super) fn days(tree: &Tree, row: u32) -> Option<&[u32]> {
    if &*tree.item(row).role != "row" || tree.children(row).iter().any(|cell| !tree.children(*cell).is_empty()) {
        return None;
    }
    let is_table = |id: &u32| matches!(&*tree.item(*id).role, "table" | "grid" | "treegrid");
    let table = tree.ancestors(row).find(is_table).unwrap_or(ROOT);
    let mut rows = tree.subtree(table).take(HEAD_WITHIN).filter(|id| &*tree.item(*id).role == "row");
    // Behind a day, a column that is called as a state is would be one; a comma ends states.
    let is_named_head = |id: &u32| {
        let item = tree.item(*id);
        &*item.role == "columnheader"
            && says_name(item)
            && !item.name.contains(", ")
            && fold::Own::read(&item.name).is_none()
    };
    let head = rows.next().filter(|head| *head != row)?;
    let heads = tree.children(head);
    // Only that of the weeks' numbers has no name.
    let first_is_blank = heads.first().is_some_and(|first| tree.item(*first).name.is_empty());
    let named = &heads[usize::from(first_is_blank)..];
    if heads.len() < 3 || !named.iter().all(is_named_head) || tree.children(row).len() != heads.len() {
        return None;
    }
    let (mut before, mut days) = (None, 0);
    for cell in rows.flat_map(|row| tree.children(row)) {
        let item = tree.item(*cell);
        if item.name.is_empty() || &*item.role == "rowheader" {
            continue;
        }
        let day: u32 = item.name.parse().ok().filter(|_| item.cut.is_none())?;
        let follows = |before: u32| day == before + 1 || day == 1 && before >= SHORTEST_MONTH;
        if day > 31 || !before.is_none_or(follows) {
            return None;
        }
        (before, days) = (Some(day), days + 1);
    }
    (days >= FEWEST_DAYS).then_some(heads)
}

fn says_name(item: &Item) -> bool {
    item.mark.is_none() && item.name.chars().any(char::is_alphabetic)
}

fn names_with_ref(item: &Item) -> bool {
    item.reference.is_some() && says_name(item)
}

/// Whether a text right before an item names it.
fn labels(item: &Item) -> bool {
    let letters = item.name.chars().filter(|c| c.is_alphabetic()).take(2).count();
    item.is_text() && item.mark.is_none() && letters > 1 && !item.name.contains(|c: char| c.is_ascii_digit())
}

fn is_title(item: &Item) -> bool {
    matches!(&*item.role, "heading" | "rowheader" | "caption" | "legend") && says_name(item)
}
