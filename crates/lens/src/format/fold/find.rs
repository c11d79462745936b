//! Finds siblings that repeat: runs of leaves of one role, rows of one shape, and sequences that
//! come again and again.
//!
//! In: a tree and some siblings in it. Out: [`Group`]s from left to right. Invariants: the answer
//! depends on roles, names and on whether items have refs, not on which; a row is small and holds
//! no mark and no cut name; every item of a row has its place in the pattern.

use crate::tree::{Item, NONE, ROOT, StateSet, TEXT, Tree};
use std::collections::HashMap;

/// Fewest repetitions that are folded.
const FEWEST: usize = 3;
/// Most items of a row.
const LARGEST_ROW: usize = 90;
/// Most levels of a row.
const DEEPEST_ROW: usize = 12;
/// Longest sequence of siblings that is taken for one row.
const LONGEST_PERIOD: usize = 10;
/// Most pairs of siblings that are compared to align two rows.
const MOST_PAIRS: usize = 2_500;

/// Siblings that repeat.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    /// Position of the first among the siblings.
    pub at: usize,
    /// How many siblings.
    pub len: usize,
    pub kind: Kind,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Leaves of one role.
    Leaves,
    /// Rows of one shape.
    Rows(Shape),
}

/// The parts that rows have, and which item each row has for each.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    /// Depth of each part, in document order.
    pub depths: Vec<usize>,
    /// Item by row and part; [`NONE`] where the row has no such part.
    pub rows: Vec<Vec<u32>>,
}

/// Returns the groups among the children of an item.
pub(crate) fn groups(tree: &Tree, parent: u32) -> Vec<Group> {
    let children = tree.children(parent);
    let mut groups = Vec::new();
    let mut at = 0;
    while at + FEWEST <= children.len() {
        match group_at(tree, children, at) {
            Found::Group(group) => {
                at = group.at + group.len;
                groups.push(group);
            }
            Found::Nothing(siblings) => at += siblings,
        }
    }
    groups
}

/// What was found at a position: a group, or how many siblings need not be looked at again.
enum Found {
    Group(Group),
    Nothing(usize),
}

fn group_at(tree: &Tree, children: &[u32], at: usize) -> Found {
    let first = tree.item(children[at]);
    if !first.is_text() && is_leaf(tree, children[at]) {
        let alike = |id: &&u32| {
            let item = tree.item(**id);
            is_leaf(tree, **id) && item.role == first.role
        };
        let len = children[at..].iter().take_while(alike).count();
        if len >= FEWEST {
            return Found::Group(Group { at, len, kind: Kind::Leaves });
        }
    }
    match rows_at(tree, children, at) {
        Found::Nothing(1) => sequence_at(tree, children, at),
        found => found,
    }
}

/// Whether an item can stand in a list of leaves.
fn is_leaf(tree: &Tree, id: u32) -> bool {
    let item = tree.item(id);
    tree.children(id).is_empty() && is_plain(item) && item.value.is_empty()
}

fn is_plain(item: &Item) -> bool {
    item.mark.is_none() && item.cut.is_none()
}

/// Returns the roles below and at an item, sorted; none if it is too large for a row or holds what
/// no row may hold.
fn roles(tree: &Tree, id: u32) -> Option<Vec<&str>> {
    let mut roles = Vec::new();
    let mut stack = vec![(id, 0)];
    while let Some((id, depth)) = stack.pop() {
        if roles.len() == LARGEST_ROW || depth == DEEPEST_ROW || !is_plain(tree.item(id)) {
            return None;
        }
        roles.push(&*tree.item(id).role);
        stack.extend(tree.children(id).iter().map(|child| (*child, depth + 1)));
    }
    roles.sort_unstable();
    Some(roles)
}

/// Whether two sorted lists of roles have most of their entries in common.
fn alike(a: &[&str], b: &[&str]) -> bool {
    let (mut common, mut i, mut j) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (common, i, j) = (common + 1, i + 1, j + 1),
        }
    }
    common * 2 > a.len().max(b.len())
}

fn rows_at(tree: &Tree, children: &[u32], at: usize) -> Found {
    let first = children[at];
    let Some(shape) = roles(tree, first).filter(|_| !tree.item(first).is_text()) else { return Found::Nothing(1) };
    // A cell that is missing would shift those behind it into other columns.
    let cells = |id: u32| (&*tree.item(id).role == "row").then(|| tree.children(id).len());
    let fits = |id: &&u32| {
        tree.item(**id).role == tree.item(first).role
            && cells(**id) == cells(first)
            && tree.children(**id).is_empty() == tree.children(first).is_empty()
            && roles(tree, **id).is_some_and(|other| alike(&shape, &other))
    };
    let len = children[at..].iter().take_while(fits).count();
    if len < FEWEST {
        return Found::Nothing(1);
    }
    shape_of(tree, children[at..at + len].chunks(1), at, len).map_or(Found::Nothing(len), Found::Group)
}

/// Finds siblings that come again in the same order, such as term and definition.
fn sequence_at(tree: &Tree, children: &[u32], at: usize) -> Found {
    let sign = |id: u32| {
        let below = tree.children(id).iter().take(LARGEST_ROW).map(|child| &*tree.item(*child).role);
        std::iter::once(&*tree.item(id).role).chain(below)
    };
    let same = |a: usize, b: usize| sign(children[a]).eq(sign(children[b]));
    for period in 2..=LONGEST_PERIOD.min((children.len() - at) / FEWEST) {
        let acts = children[at..at + period]
            .iter()
            .any(|id| tree.item(*id).reference.is_some() || !tree.children(*id).is_empty());
        // What repeats inside the sequence is better said by itself, unless it is text alone.
        let is_text = |index: usize| tree.item(children[index]).is_text();
        let repeats_inside =
            (at + 2..at + period).any(|index| !is_text(index) && same(index, index - 1) && same(index - 1, index - 2));
        if !acts || repeats_inside {
            continue;
        }
        let repeats = (at + period..children.len())
            .take_while(|index| same(*index, *index - period) && roles(tree, children[*index]).is_some())
            .count();
        // What says no word, as an ellipsis, begins no row.
        let end = at + period + repeats;
        let says = |id: &u32| tree.item(*id).name.contains(char::is_alphanumeric);
        let repeats = match children[end - repeats % period..end].iter().any(says) {
            true => repeats,
            false => repeats - repeats % period,
        };
        let rows = 1 + repeats / period;
        if rows < FEWEST || children[at..at + period].iter().any(|id| roles(tree, *id).is_none()) {
            continue;
        }
        let Some(before) = first_of_a_row(tree, &children[at..at + period], repeats % period) else {
            return Found::Nothing(period + repeats);
        };
        let says_so = matches!(&*tree.item(children[at]).role, "heading" | "term" | "rowheader");
        let before = match before {
            0 if !says_so => by_names(tree, &children[at..at + period + repeats], period),
            before => before,
        };
        let (start, rows) = (at + before, (period + repeats - before) / period);
        if rows < FEWEST {
            return Found::Nothing(period + repeats);
        }
        let len = rows * period;
        return shape_of(tree, children[start..start + len].chunks(period), start, len)
            .map_or(Found::Nothing(before + len), Found::Group);
    }
    Found::Nothing(1)
}

/// Returns where in a sequence that comes again and again a row begins: a person reads what follows
/// a heading, a term, or a choice that says its name, as belonging to it. Other sequences begin
/// where they are found; none if they begin with a text that may as well end the one before, which
/// `left` siblings behind the last whole row show.
fn first_of_a_row(tree: &Tree, sequence: &[u32], left: usize) -> Option<usize> {
    if !tree.item(*sequence.first()?).is_text() {
        return Some(0);
    }
    let begins = |id: &u32| {
        let item = tree.item(*id);
        match &*item.role {
            "heading" | "term" | "rowheader" => true,
            "radio" | "checkbox" | "switch" | "menuitemradio" | "menuitemcheckbox" => {
                !item.name.is_empty() && !item.states.has(StateSet::DERIVED)
            }
            _ => false,
        }
    };
    sequence.iter().position(begins).or((left == 0).then_some(0))
}

/// Returns where rows begin by what they say: where there is one sibling too many, it is the first
/// or the last, and the items of a row more often say the same than those of two.
fn by_names(tree: &Tree, siblings: &[u32], period: usize) -> usize {
    let says_the_same = |row: &[u32]| {
        let name = |id: &u32| format!(" {} ", tree.item(*id).name);
        let names: Vec<String> = row.iter().map(name).filter(|name| !name.trim().is_empty()).collect();
        let alike = |a: &str, b: &str| a.contains(b) || b.contains(a);
        (1..names.len()).any(|at| names[..at].iter().any(|other| alike(other, &names[at])))
    };
    let alike = |start: usize| siblings[start..].chunks_exact(period).filter(|row| says_the_same(row)).count();
    (0..=siblings.len() % period).max_by_key(|start| (alike(*start), std::cmp::Reverse(*start))).unwrap_or(0)
}

/// One place in the shape of rows.
struct ShapeNode<'t> {
    role: &'t str,
    name: &'t str,
    children: Vec<usize>,
}

struct Builder<'t> {
    tree: &'t Tree,
    places: Vec<ShapeNode<'t>>,
}

fn shape_of<'a>(tree: &Tree, rows: impl Iterator<Item = &'a [u32]> + Clone, at: usize, len: usize) -> Option<Group> {
    let mut builder = Builder { tree, places: Vec::new() };
    let mut tops: Vec<usize> = Vec::new();
    let mut largest = 0;
    for row in rows.clone() {
        largest = largest.max(row.iter().map(|id| tree.subtree(*id).count()).sum());
        builder.absorb(&mut tops, row)?;
        if builder.places.len() > 2 * largest + 4 {
            return None;
        }
    }
    let mut order: Vec<(usize, usize)> = Vec::with_capacity(builder.places.len());
    let mut stack: Vec<(usize, usize)> = tops.iter().rev().map(|top| (*top, 0)).collect();
    while let Some((place, depth)) = stack.pop() {
        order.push((place, depth));
        stack.extend(builder.places[place].children.iter().rev().map(|child| (*child, depth + 1)));
    }
    let mut part_of = vec![0; builder.places.len()];
    for (part, (place, _)) in order.iter().enumerate() {
        part_of[*place] = part;
    }
    let mut assigned = Vec::new();
    for row in rows {
        let mut found = vec![NONE; builder.places.len()];
        builder.assign(&tops, row, &mut found)?;
        let mut by_part = vec![NONE; found.len()];
        for (place, id) in found.into_iter().enumerate() {
            by_part[part_of[place]] = id;
        }
        assigned.push(by_part);
    }
    let depths = order.iter().map(|(_, depth)| *depth).collect();
    Some(Group { at, len, kind: Kind::Rows(Shape { depths, rows: assigned }) })
}

impl<'t> Builder<'t> {
    fn add(&mut self, id: u32) -> usize {
        let item = self.tree.item(id);
        let place = self.places.len();
        self.places.push(ShapeNode { role: &item.role, name: &item.name, children: Vec::new() });
        let tree = self.tree;
        let children = tree.children(id).iter().map(|child| self.add(*child)).collect();
        self.places[place].children = children;
        place
    }

    /// Makes room for the items of a row.
    fn absorb(&mut self, places: &mut Vec<usize>, items: &[u32]) -> Option<()> {
        let matched = self.align(places, items)?;
        let mut merged = Vec::with_capacity(places.len().max(items.len()));
        let mut next = 0;
        for (item, place) in items.iter().zip(&matched) {
            match place {
                Some(index) => {
                    merged.extend_from_slice(&places[next..*index]);
                    let place = places[*index];
                    let mut below = std::mem::take(&mut self.places[place].children);
                    self.absorb(&mut below, self.tree.children(*item))?;
                    self.places[place].children = below;
                    merged.push(place);
                    next = index + 1;
                }
                None => merged.push(self.add(*item)),
            }
        }
        merged.extend_from_slice(&places[next..]);
        *places = merged;
        Some(())
    }

    /// Finds the place of each item of a row.
    fn assign(&self, places: &[usize], items: &[u32], found: &mut [u32]) -> Option<()> {
        for (item, place) in items.iter().zip(self.align(places, items)?) {
            let place = places[place?];
            found[place] = *item;
            self.assign(&self.places[place].children, self.tree.children(*item), found)?;
        }
        Some(())
    }

    /// Returns for each item the index of the place that it fits best, in order; as many as can be
    /// have one.
    fn align(&self, places: &[usize], items: &[u32]) -> Option<Vec<Option<usize>>> {
        // Of texts beside each other, a number says the same as the first that looks like it: a
        // price that was follows the price that is.
        let first_of_its_kind = |at: usize| {
            let before = at.checked_sub(1).map(|before| &self.places[places[before]]);
            before.is_none_or(|before| before.role != TEXT || class(before.name) != class(self.places[places[at]].name))
        };
        let score = |at: usize, item: u32| -> u32 {
            let (place, below) = (&self.places[places[at]], self.tree.children(item));
            let (item, leaf) = (self.tree.item(item), below.is_empty());
            if place.role != &*item.role || place.children.is_empty() != leaf {
                return 0;
            }
            let looks = class(&item.name);
            let alike = if place.name == &*item.name { 4 } else { 2 * u32::from(class(place.name) == looks) };
            let number = item.is_text() && matches!(looks, Class::Number | Class::Amount);
            1_000 + alike + u32::from(number && first_of_its_kind(at))
        };
        if places.len() == items.len() && items.iter().enumerate().all(|(at, item)| score(at, *item) > 0) {
            return Some((0..items.len()).map(Some).collect());
        }
        let (rows, width) = (items.len(), places.len());
        if rows * width > MOST_PAIRS {
            return None;
        }
        // Best score of the items from i and the places from j on.
        let mut best = vec![0u32; (rows + 1) * (width + 1)];
        for i in (0..rows).rev() {
            for j in (0..width).rev() {
                let here = score(j, items[i]);
                let with = if here > 0 { here + best[(i + 1) * (width + 1) + j + 1] } else { 0 };
                best[i * (width + 1) + j] =
                    with.max(best[(i + 1) * (width + 1) + j]).max(best[i * (width + 1) + j + 1]);
            }
        }
        let mut matched = vec![None; rows];
        let (mut i, mut j) = (0, 0);
        while i < rows && j < width {
            // Of equals the later ones: what is not in every row, such as a badge, more often leads
            // than follows.
            let now = best[i * (width + 1) + j];
            if now == best[i * (width + 1) + j + 1] {
                j += 1;
            } else if now == best[(i + 1) * (width + 1) + j] {
                i += 1;
            } else {
                matched[i] = Some(j);
                (i, j) = (i + 1, j + 1);
            }
        }
        Some(matched)
    }
}

/// What a text looks like.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Begins with a letter.
    Words,
    /// Begins with a digit.
    Number,
    /// A sign, then a number: `$5`, `−17%`.
    Amount,
    Other,
}

fn class(text: &str) -> Class {
    match text.chars().next() {
        Some(c) if c.is_alphabetic() => Class::Words,
        Some(c) if c.is_ascii_digit() => Class::Number,
        Some(_) if text.chars().take(4).any(|c| c.is_ascii_digit()) => Class::Amount,
        _ => Class::Other,
    }
}

/// Returns the rows of more than one item that siblings fold into, group by group: for tests of what
/// is taken for a row.
pub fn folded_rows(tree: &Tree) -> Vec<Vec<Vec<u32>>> {
    let mut folded = Vec::new();
    for group in tree.subtree(ROOT).flat_map(|parent| groups(tree, parent)) {
        let Kind::Rows(shape) = group.kind else { continue };
        if shape.depths.iter().filter(|depth| **depth == 0).count() > 1 {
            let present = |row: Vec<u32>| row.into_iter().filter(|id| *id != NONE).collect();
            folded.push(shape.rows.into_iter().map(present).collect());
        }
    }
    folded
}

fn holds_rows(tree: &Tree, id: u32) -> bool {
    let is_of_rows = |group: &Group| matches!(group.kind, Kind::Rows(_));
    tree.subtree(id).any(|below| tree.children(below).len() >= FEWEST && groups(tree, below).iter().any(is_of_rows))
}

/// Returns which items are a row's further controls: by item, its place among the controls of its
/// row (0 for the first) and the row's first control. Rows with one control only are left out.
pub(crate) fn row_controls(tree: &Tree) -> HashMap<u32, (u32, u16)> {
    let mut controls = HashMap::new();
    let mut todo = vec![ROOT];
    while let Some(parent) = todo.pop() {
        let groups = groups(tree, parent);
        let children = tree.children(parent);
        let mut at = 0;
        for group in &groups {
            todo.extend_from_slice(&children[at..group.at]);
            at = group.at + group.len;
            let Kind::Rows(shape) = &group.kind else { continue };
            // What holds rows itself is told row by row: these have numbers of their own.
            let rows = &children[group.at..at];
            if rows.iter().filter(|row| holds_rows(tree, **row)).count() * 2 > rows.len() {
                todo.extend_from_slice(rows);
                continue;
            }
            let acting: Vec<usize> = (0..shape.depths.len())
                .filter(|part| {
                    shape.rows.iter().any(|row| row[*part] != NONE && tree.item(row[*part]).reference.is_some())
                })
                .collect();
            for row in &shape.rows {
                let first = acting.iter().find(|part| row[**part] != NONE);
                let Some(first) = first else { continue };
                for (number, part) in acting.iter().enumerate() {
                    if row[*part] != NONE {
                        controls.insert(row[*part], (row[*first], number as u16));
                    }
                }
            }
        }
        todo.extend_from_slice(&children[at..]);
    }
    controls
}
