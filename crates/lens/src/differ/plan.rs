//! Chooses how changes are told: one by one, by an order list, or by writing anew what is below an
//! item.
//!
//! In: two sides, their [`Matching`], and which changes are hidden. Out: a [`Plan`]. Invariants:
//! one pass from the leaves up, linear in the page; what is chosen costs at most what the changes
//! one by one cost, by an estimate of tokens; a change is told once.

use super::emit::{MOST_NAMED, MOST_TOLD, only_blocks};
use super::together::MANY;
use super::{Change, Matching, Side};
use crate::tree::{Item, NONE, ROOT, StateSet, Tree};
use browserlens_core::page::role;
use std::collections::{HashMap, HashSet};

/// What a ref costs, in quarters of a token, as everything here.
const REF: u32 = 12;
/// What the word of an entry and its line cost.
const ENTRY: u32 = 14;
/// Fewest siblings that fold.
const FEWEST_ROWS: usize = 3;
/// What the names of all that went from one item may cost.
const LONGEST_GONE: u32 = 320;
/// Characters of a name that a locator spells out.
const LONGEST_NAME: u32 = 48;

/// How changes are told.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    /// Changes that something else tells, by index.
    pub absorbed: Vec<bool>,
    /// Matched items whose content is written anew: (old, new).
    pub rewritten: Vec<(u32, u32)>,
    /// Matched items whose remaining children are named in their order: (old, new).
    pub ordered: Vec<(u32, u32)>,
    /// Shown items that move to where all is written anew.
    pub removed: Vec<u32>,
    /// New items that come from where all is written anew.
    pub added: Vec<u32>,
}

impl Plan {
    /// Every change one by one.
    pub fn itemised(matching: &Matching) -> Self {
        Self { absorbed: vec![false; matching.changes.len()], ..Self::default() }
    }
}

/// What the changes right below a matched item cost.
#[derive(Clone, Copy, Default)]
struct Costs {
    /// Changes of the children and of what is below them.
    below: u32,
    /// Children that went or moved.
    displaced: u32,
    displacements: u32,
    /// Of these, those that moved.
    moves: u32,
    /// Of these, items of lists and tables.
    rows: u32,
    said: u32,
}

/// Makes the plan.
pub(super) fn plan(old: &Side, new: &Side, matching: &Matching, hidden: &HashSet<usize>) -> Plan {
    let mut plan = Plan::itemised(matching);
    if matching.changes.iter().enumerate().all(|(index, _)| hidden.contains(&index)) {
        return plan;
    }
    let mut to_new = vec![NONE; old.tree.len()];
    let mut to_old = vec![NONE; new.tree.len()];
    for (s, t) in matching.pairs.iter().copied().chain(matching.same.iter().map(|(s, t, _)| (*s, *t))) {
        to_new[s as usize] = t;
        to_old[t as usize] = s;
    }
    let written = written(&new.tree);
    let mut costs = vec![Costs::default(); new.tree.len()];
    let mut came = vec![false; new.tree.len()];
    // The new item whose children a change is about.
    let place = |s: u32| to_new[old.tree.parent(s) as usize];
    let shown = || matching.changes.iter().enumerate().filter(|(index, _)| !hidden.contains(index));
    let states = |s: u32, t: u32| {
        let (was, is) = (old.tree.item(s), new.tree.item(t));
        let alone = was.name == is.name && was.value == is.value && was.reference.is_some();
        alone.then(|| (is.states.without(was.states).0, was.states.without(is.states).0))
    };
    let mut alike: HashMap<(u32, u32), usize> = HashMap::new();
    for (_, change) in shown() {
        if let Change::Said { old: s, new: t } = *change {
            states(s, t).into_iter().for_each(|states| *alike.entry(states).or_default() += 1);
        }
    }
    for (_, change) in shown() {
        match *change {
            Change::Said { old: s, new: t } => {
                let (was, is) = (old.tree.item(s), new.tree.item(t));
                let name = if was.name == is.name { 0 } else { text(&is.name) + 4 };
                let value = if was.value == is.value { 0 } else { text_up_to(&was.value, 40) + text(&is.value) + 8 };
                let by_ref =
                    states(s, t).is_some_and(|both| only_blocks(StateSet(both.0 | both.1)) || alike[&both] >= MANY);
                costs[t as usize].said = if by_ref { REF } else { ENTRY + locator(was) + name + value + 8 };
            }
            Change::Removed { old: s } => {
                let at = &mut costs[place(s) as usize];
                at.displaced += locator(old.tree.item(s)) + 4;
                at.displacements += 1;
                at.rows += u32::from(role::is_item(&old.tree.item(s).role));
            }
            Change::Moved { old: s, new: t } => {
                let at = &mut costs[new.tree.parent(t) as usize];
                // Those beside it are called much as it is.
                at.displaced += ENTRY + 3 * locator(old.tree.item(s)) + 4;
                at.displacements += 1;
                at.moves += 1;
            }
            Change::Added { new: t } => came[t as usize] = true,
        }
    }
    let mut rewritten = vec![false; new.tree.len()];
    let mut ordered = vec![false; new.tree.len()];
    for (s, t) in matching.pairs.iter().rev().copied() {
        let Costs { below, mut displaced, displacements, moves, rows, said } = costs[t as usize];
        let added = added(&new.tree, t, &came, &written);
        // A list of what stays says little of what went: where nothing moved, that is named as long as it may be.
        let can_be_named = displacements <= MOST_NAMED as u32
            || rows == 0 && displacements <= MOST_TOLD as u32 && displaced <= LONGEST_GONE;
        if displacements > 1 && (moves > 0 || !can_be_named) {
            let order = ENTRY + locator(old.tree.item(s)) + order_cost(old, new, (s, t), &to_old);
            if order < displaced {
                displaced = order;
                ordered[t as usize] = true;
            }
        }
        let mut total = below + added + displaced;
        let children = new.tree.children(t);
        if total > ENTRY && !children.is_empty() {
            let content = content(&new.tree, children, &written);
            let anew = ENTRY + locator(old.tree.item(s)) + content;
            if anew < total {
                total = anew;
                rewritten[t as usize] = true;
            }
        }
        if t != ROOT {
            costs[new.tree.parent(t) as usize].below += total + said;
        }
    }
    // Whether an item stands below one that is written anew; only what is matched one by one is
    // asked for.
    let mut within = vec![false; new.tree.len()];
    for (s, t) in matching.pairs.iter().copied() {
        if t != ROOT {
            let parent = new.tree.parent(t) as usize;
            within[t as usize] = within[parent] || rewritten[parent];
        }
        if !within[t as usize] {
            if rewritten[t as usize] {
                plan.rewritten.push((s, t));
            } else if ordered[t as usize] {
                plan.ordered.push((s, t));
            }
        }
    }
    let gone = |t: u32| within[t as usize] || rewritten[t as usize];
    for (index, change) in matching.changes.iter().enumerate() {
        plan.absorbed[index] = match *change {
            Change::Said { new: t, .. } => within[t as usize],
            Change::Added { new: t } => gone(new.tree.parent(t)),
            Change::Removed { old: s } => gone(place(s)) || ordered[place(s) as usize],
            Change::Moved { old: s, new: t } => {
                let (from, to) = (place(s), new.tree.parent(t));
                match (gone(from), gone(to)) {
                    (false, true) => plan.removed.push(s),
                    (true, false) => plan.added.push(t),
                    _ => {}
                }
                gone(from) || gone(to) || (from == to && ordered[to as usize])
            }
        };
    }
    plan
}

/// Returns what the children that came cost: those that stand side by side share an entry.
fn added(tree: &Tree, parent: u32, came: &[bool], written: &[u32]) -> u32 {
    let header = ENTRY + locator(tree.item(parent)) + 8;
    let runs = tree.children(parent).chunk_by(|a, b| came[*a as usize] == came[*b as usize]);
    runs.filter(|run| came[run[0] as usize]).map(|run| header + content(tree, run, written)).sum()
}

/// Returns what the children that remain cost in an order list.
fn order_cost(old: &Side, new: &Side, (s, t): (u32, u32), to_old: &[u32]) -> u32 {
    let before = old.tree.children(s);
    let mut last = NONE;
    let (mut run, mut cost) = (0, 0);
    for child in new.tree.children(t) {
        let was = to_old[*child as usize];
        if was == NONE || old.tree.parent(was) != s {
            continue;
        }
        let position = before.partition_point(|sibling| *sibling < was) as u32;
        run = if last != NONE && position == last + 1 { run + 1 } else { 1 };
        cost += if run <= 2 { REF } else { u32::from(run == 3) * 4 };
        last = position;
    }
    cost
}

/// Returns what each item and all below it cost when written.
fn written(tree: &Tree) -> Vec<u32> {
    let mut costs: Vec<u32> = tree.items().map(|(_, item)| item_cost(item)).collect();
    for index in (1..tree.len()).rev() {
        let own = costs[index] + if tree.children(index as u32).is_empty() { 2 } else { 10 };
        costs[index] = own;
        let parent = tree.parent(index as u32);
        if parent != NONE {
            costs[parent as usize] += own;
        }
    }
    costs
}

/// Returns what siblings cost together: those that repeat fold, and say only what is their own.
fn content(tree: &Tree, siblings: &[u32], written: &[u32]) -> u32 {
    let first_role = |id: u32| tree.children(id).first().map(|child| &tree.item(*child).role);
    let alike = |a: &u32, b: &u32| {
        tree.item(*a).role == tree.item(*b).role
            && !tree.item(*b).is_text()
            && tree.children(*a).len().abs_diff(tree.children(*b).len()) <= 1
            && first_role(*a) == first_role(*b)
    };
    let runs = siblings.chunk_by(alike);
    runs.map(|run| {
        let rows = run.windows(2).filter_map(|pair| match pair {
            [before, row] if run.len() >= FEWEST_ROWS => {
                Some(written[*row as usize].min(row_cost(tree, *before, *row)))
            }
            [_, row] => Some(written[*row as usize]),
            _ => None,
        });
        run.first().map_or(0, |first| written[*first as usize]) + rows.sum::<u32>()
    })
    .sum()
}

/// Returns what a row costs behind a row that is like it.
fn row_cost(tree: &Tree, before: u32, row: u32) -> u32 {
    let shared: HashSet<&str> = tree.subtree(before).map(|id| &*tree.item(id).name).collect();
    let mut cost = REF;
    for item in tree.subtree(row).map(|id| tree.item(id)) {
        let own = !item.name.is_empty() && (item.is_text() || !shared.contains(&*item.name));
        // Names of controls are mostly made of the texts beside them.
        cost += if own { item.name.len() as u32 / if item.reference.is_some() { 2 } else { 1 } + 4 } else { 0 };
        cost += if item.value.is_empty() { 0 } else { text(&item.value) };
    }
    cost
}

fn item_cost(item: &Item) -> u32 {
    let name = if item.name.is_empty() { 0 } else { text(&item.name) };
    let value = if item.value.is_empty() { 0 } else { 8 + text(&item.value) };
    let role = if item.is_text() { 0 } else { 6 };
    role + name
        + value
        + item.reference.map_or(0, |_| REF)
        + item.states.0.count_ones() * 6
        + item.mark.map_or(0, |_| 24)
        + item.cut.map_or(0, |_| 24)
}

/// A text in quotes: four bytes are about a token.
fn text(text: &str) -> u32 {
    text.len() as u32 + 4
}

fn text_up_to(said: &str, longest: u32) -> u32 {
    text(said).min(longest + 4)
}

fn locator(item: &Item) -> u32 {
    if item.mark.is_some() {
        return REF;
    }
    6 + text_up_to(&item.name, LONGEST_NAME) + item.reference.map_or(4, |_| REF)
}
