//! Whether a row is one thing: the check of what [`super::find`] takes for rows.
//!
//! In: a page and a view of it. Out: the rows that mix two things. A row is *mixed* if an element
//! holds some of its texts and a text of another row, but not all of its own; or if no element
//! tells the rows apart and the texts of most rows stand farther from each other than from the next
//! row. Rows that are one element are not looked at: that element holds them.

use super::find::{Kind, groups};
use crate::extract::View;
use crate::tree::{NONE, ROOT};
use browserlens_core::page::{BoxInDocument, NodeId, Page};
use browserlens_core::strategy::Ref;

/// How much closer, in CSS px, a text must stand to the next row than to its own before that says
/// something.
const CLOSER: f32 = 4.0;

/// A row whose texts belong to two things.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixedRow {
    /// Its texts.
    pub texts: Vec<String>,
    /// What is wrong with it.
    pub why: &'static str,
}

struct NodeText {
    node: NodeId,
    text: String,
}

/// Returns the rows of a view that mix two things.
pub fn mixed_rows(page: &Page, view: &View) -> Vec<MixedRow> {
    let mut mixed = Vec::new();
    // What rows are depends on what has a ref.
    let mut tree = view.tree.clone();
    for (id, _) in view.meta.iter().enumerate().filter(|(_, meta)| meta.interactive) {
        tree.item_mut(id as u32).reference = Some(Ref::new(id as u32));
    }
    let tree = &tree;
    for parent in tree.subtree(ROOT) {
        for group in groups(tree, parent) {
            let Kind::Rows(shape) = &group.kind else { continue };
            if shape.depths.iter().filter(|depth| **depth == 0).count() < 2 {
                continue;
            }
            let said = |id: &u32| {
                let item = tree.item(*id);
                let text = if item.name.is_empty() { &item.value } else { &item.name };
                (!text.is_empty()).then(|| NodeText { node: view.meta[*id as usize].node, text: text.to_string() })
            };
            let rows: Vec<Vec<NodeText>> =
                shape.rows.iter().map(|row| row.iter().filter(|id| **id != NONE).filter_map(said).collect()).collect();
            mixed.extend(mixed_of(page, &rows));
        }
    }
    mixed
}

fn mixed_of(page: &Page, rows: &[Vec<NodeText>]) -> Vec<MixedRow> {
    let row =
        |at: usize, why: &'static str| MixedRow { texts: rows[at].iter().map(|said| said.text.clone()).collect(), why };
    let straddled: Vec<usize> = (0..rows.len()).filter(|at| is_straddled(page, rows, *at)).collect();
    if !straddled.is_empty() {
        return straddled
            .into_iter()
            .map(|at| row(at, "an element holds some of it and some of another row"))
            .collect();
    }
    let bounds = |said: &NodeText| page.node(said.node).bounds();
    let apart: Vec<usize> = (0..rows.len().saturating_sub(1))
        .filter(|at| {
            let own = rows[*at].windows(2).map(|pair| gap(bounds(&pair[0]), bounds(&pair[1]))).fold(0.0, f32::max);
            let (last, next) = (rows[*at].last(), rows[at + 1].first());
            last.zip(next).is_some_and(|(last, next)| own > gap(bounds(last), bounds(next)) + CLOSER)
        })
        .collect();
    if apart.len() * 2 > rows.len() {
        return apart.into_iter().map(|at| row(at, "it stands closer to the next row than together")).collect();
    }
    Vec::new()
}

/// Whether an element holds a text of a row and one of another, but not all texts of the row.
fn is_straddled(page: &Page, rows: &[Vec<NodeText>], at: usize) -> bool {
    let others = || rows.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, row)| row);
    rows[at].iter().any(|said| {
        let above = page.node(said.node).ancestors().find(|above| others().any(|other| above.holds(other.node)));
        above.is_some_and(|above| !rows[at].iter().all(|own| above.holds(own.node)))
    })
}

/// How far two boxes stand apart, in CSS px: below each other, or beside each other on one line.
fn gap(a: BoxInDocument, b: BoxInDocument) -> f32 {
    let apart = |from: f32, length: f32, other: f32, other_length: f32| {
        (other - (from + length)).max(from - (other + other_length)).max(0.0)
    };
    let (down, across) = (apart(a.y, a.height, b.y, b.height), apart(a.x, a.width, b.x, b.width));
    if down > 0.0 { down } else { across.min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::{NodeKind, PageBuilder};

    /// The texts of a page in rows of two, from the one at `first` on.
    fn rows(page: &Page, first: usize) -> Vec<Vec<NodeText>> {
        let texts: Vec<NodeId> =
            page.nodes().filter(|node| node.kind() == NodeKind::Text).map(|node| node.id()).collect();
        let said = |id: &NodeId| NodeText { node: *id, text: page.node(*id).text().to_owned() };
        texts[first..].chunks(2).filter(|row| row.len() == 2).map(|row| row.iter().map(said).collect()).collect()
    }

    #[test]
    fn a_row_that_begins_in_the_middle_of_a_pair_is_found_by_what_holds_it() {
        let page = PageBuilder::outline(
            "main\n  generic\n    text \"Express\"\n    text \"$14\"\n  generic\n    text \"Evening\"\n    text \
                \"$9\"\n  generic\n    text \"Pick up\"\n    text \"Free\"",
        );
        assert_eq!(mixed_of(&page, &rows(&page, 0)), []);
        let shifted = mixed_of(&page, &rows(&page, 1));
        assert_eq!(shifted.len(), 2);
        assert_eq!(shifted[0].texts, ["$14", "Evening"]);
    }

    #[test]
    fn without_an_element_it_is_found_by_where_the_texts_stand() {
        let lines: String = (0..5)
            .map(|at| {
                let y = at * 60;
                format!("  text \"Name {at}\" box=0,{y},90,20\n  text \"${at}\" box=0,{},90,20\n", y + 22)
            })
            .collect();
        let page = PageBuilder::outline(&format!("main\n{lines}"));
        assert_eq!(mixed_of(&page, &rows(&page, 0)), []);
        let shifted = mixed_of(&page, &rows(&page, 1));
        assert_eq!(shifted.len(), 3);
        assert_eq!(shifted[0].texts, ["$0", "Name 1"]);
    }
}
