//! Where a box lies among many that are alike and have no names: the seats of a plan, the squares of
//! a board, the days of a heat map.
//!
//! In: a box. Out: what stands before its row and above its column, and what its class says that is
//! not so of each of them; none where rows or columns have no texts.

use crate::controls::is_alike;
use browserlens_core::page::{NodeKind, NodeRef};

/// Fewest boxes of a row and of a column.
const LEAST: usize = 3;
/// How many elements above a box are looked at for all of them, and most nodes of such an element.
const LEVELS: usize = 3;
const LARGEST: u32 = 2_000;
/// Most texts that are looked at, and how far from a line they may lie, in CSS px.
const MOST_LABELS: usize = 200;
const ALIGNED: f32 = 4.0;
/// Longest text that says what a row or a column is, in characters.
const LONGEST: usize = 12;

/// Returns where a box lies: `14 A`, or `14 A taken`.
pub(super) fn place_of(node: NodeRef<'_>) -> Option<String> {
    let own = node.bounds();
    if own.is_empty() || node.end() - node.id().0 > 10 {
        return None;
    }
    let (area, boxes) = boxes_around(node)?;
    let is_label = |text: &NodeRef<'_>| {
        let words = text.text().trim();
        let is_short = words.chars().count() <= LONGEST && words.contains(char::is_alphanumeric);
        text.kind() == NodeKind::Text && text.is_visible() && is_short && !is_in_box(*text, node)
    };
    let labels: Vec<NodeRef<'_>> = area.descendants().filter(is_label).take(MOST_LABELS).collect();
    let places: Vec<(f32, f32)> = labels.iter().map(|label| label.bounds().center()).collect();
    // What stands before rows stands in one column, what stands above columns in one row: other
    // texts, such as a tooltip, stand alone.
    let best = |fits: &dyn Fn((f32, f32)) -> bool, beside: &dyn Fn((f32, f32), (f32, f32)) -> bool| {
        let lined = |at: usize| places.iter().filter(|other| beside(places[at], **other)).count();
        let fitting = (0..labels.len()).filter(|at| fits(places[*at]) && lined(*at) >= LEAST);
        let label = fitting.max_by_key(|at| (lined(*at), std::cmp::Reverse(*at)))?;
        Some(labels[label].text().trim())
    };
    let row =
        best(&|(x, y)| is_within(y, own.y, own.height) && !is_within(x, own.x, own.width), &|a, b| near(a.0, b.0))?;
    let column =
        best(&|(x, y)| is_within(x, own.x, own.width) && !is_within(y, own.y, own.height), &|a, b| near(a.1, b.1))?;
    let is_common = |word: &&str| boxes.iter().all(|one| one.classes().any(|other| other == *word));
    let also = node.classes().find(|word| !is_common(word) && word.chars().all(|c| c.is_ascii_alphabetic()));
    Some([row, column].into_iter().chain(also).collect::<Vec<_>>().join(" "))
}

/// Returns the element around a box that holds rows and columns of boxes that are alike, and these.
fn boxes_around(node: NodeRef<'_>) -> Option<(NodeRef<'_>, Vec<NodeRef<'_>>)> {
    let own = node.bounds();
    for area in node.ancestors().take(LEVELS) {
        if area.end() - area.id().0 > LARGEST {
            return None;
        }
        let boxes: Vec<_> = area.descendants().filter(|one| is_alike(*one, node) && one.is_visible()).collect();
        let in_row = boxes.iter().filter(|one| is_within(one.bounds().center().1, own.y, own.height)).count();
        let in_column = boxes.iter().filter(|one| is_within(one.bounds().center().0, own.x, own.width)).count();
        if in_row >= LEAST && in_column >= LEAST {
            return Some((area, boxes));
        }
    }
    None
}

/// Whether two places lie in one line.
fn near(one: f32, other: f32) -> bool {
    (one - other).abs() <= ALIGNED
}

fn is_in_box(text: NodeRef<'_>, one: NodeRef<'_>) -> bool {
    text.ancestors().take(LEVELS).any(|above| is_alike(above, one))
}

fn is_within(at: f32, from: f32, size: f32) -> bool {
    (from..=from + size).contains(&at)
}
