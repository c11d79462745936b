//! Rows are one thing each, on every bundled page; on others where `BROWSERLENS_TRACES` names their
//! folder (`./just wild-bench`).
//!
//! A row is *mixed* if an element holds some of its texts and a text of another row, but not all of
//! its own; or if no element tells the rows apart and the texts of most rows stand farther from each
//! other than from the next row. Rows that are one element are not looked at: that element holds
//! them.
#![allow(missing_docs, clippy::unwrap_used)]

mod common;

use browserlens_core::page::{BoxInDocument, NodeId, NodeKind, Page, PageBuilder};
use browserlens_core::strategy::{Ref, StepIndex};
use browserlens_lens::extract::{ExtractOptions, extract};
use browserlens_lens::format::folded_rows;
use common::{lines, page};
use std::collections::HashSet;

/// How much closer, in CSS px, a text must stand to the next row than to its own before that says
/// something.
const CLOSER: f32 = 4.0;

/// A text and the node that says it.
type Said = (NodeId, String);

/// The texts of the rows of a page that mix two things.
fn mixed_rows(page: &Page) -> Vec<Vec<String>> {
    let view = extract(page, &HashSet::new(), &ExtractOptions::default());
    // What rows are depends on what has a ref.
    let mut tree = view.tree;
    for (id, _) in (0..).zip(&view.meta).filter(|(_, meta)| meta.interactive) {
        tree.item_mut(id).reference = Some(Ref::new(id));
    }
    let said = |id: &u32| -> Said {
        let item = tree.item(*id);
        let text = if item.name.is_empty() { &item.value } else { &item.name };
        (view.meta[*id as usize].node, text.to_string())
    };
    let texts = |row: &Vec<u32>| row.iter().map(said).filter(|(_, text)| !text.is_empty()).collect::<Vec<Said>>();
    let groups = folded_rows(&tree).into_iter().map(|rows| rows.iter().map(texts).collect::<Vec<_>>());
    groups.flat_map(|rows| mixed_of(page, &rows)).collect()
}

fn mixed_of(page: &Page, rows: &[Vec<Said>]) -> Vec<Vec<String>> {
    let bounds = |said: &Said| page.node(said.0).bounds();
    let stands_apart = |at: &usize| {
        let own = rows[*at].windows(2).map(|pair| gap(bounds(&pair[0]), bounds(&pair[1]))).fold(0.0, f32::max);
        let next = rows.get(at + 1).and_then(|next| rows[*at].last().zip(next.first()));
        next.is_some_and(|(last, next)| own > gap(bounds(last), bounds(next)) + CLOSER)
    };
    let mut mixed: Vec<usize> = (0..rows.len()).filter(|at| is_straddled(page, rows, *at)).collect();
    if mixed.is_empty() {
        mixed = (0..rows.len()).filter(stands_apart).collect();
        mixed.truncate(if mixed.len() * 2 > rows.len() { mixed.len() } else { 0 });
    }
    mixed.into_iter().map(|at| rows[at].iter().map(|(_, text)| text.clone()).collect()).collect()
}

/// Whether an element holds a text of a row and one of another, but not all texts of the row.
fn is_straddled(page: &Page, rows: &[Vec<Said>], at: usize) -> bool {
    let others = || rows.iter().enumerate().filter(|(other, _)| *other != at).flat_map(|(_, row)| row);
    rows[at].iter().any(|(node, _)| {
        let above = page.node(*node).ancestors().find(|above| others().any(|(other, _)| above.holds(*other)));
        above.is_some_and(|above| !rows[at].iter().all(|(own, _)| above.holds(*own)))
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

#[test]
fn no_row_of_a_page_mixes_two_things() {
    let (are_bundled, traces) = common::traces();
    let mut steps = 0;
    let mut mixed = Vec::new();
    for (name, trace) in traces {
        for step in 0..trace.len() {
            let page = trace.page(StepIndex(step)).expect("a page").0;
            mixed.extend(mixed_rows(&page).into_iter().map(|row| format!("{name}@{step}: {row:?}")));
            steps += 1;
        }
    }
    assert!(!are_bundled || steps > 150, "{steps} steps");
    assert!(mixed.is_empty(), "{} mixed rows:\n{}", mixed.len(), mixed[..mixed.len().min(20)].join("\n"));
}

#[test]
fn rows_that_stand_closer_to_the_next_than_together_are_found() {
    let at = |button: u32| {
        let rows = lines(6, |row| {
            let (link, y, below) = (10 + row, row * 200, row * 200 + button);
            format!(
                "  link \"Lamp {row}\" #{link} box=0,{y},90,20\n  button \"Buy {row}\" #{} box=0,{below},90,20\n",
                30 + row
            )
        });
        mixed_rows(&page("https://a.test/", "Lamps", 1, &format!("main #2\n{rows}"))).len()
    };
    assert_eq!((at(22), at(170)), (0, 5));
}

/// The texts of a page in rows of two, from the one at `first` on, that mix two things.
fn mixed_pairs(outline: &str, first: usize) -> Vec<Vec<String>> {
    let page = PageBuilder::outline(outline);
    let texts = page.nodes().filter(|node| node.kind() == NodeKind::Text);
    let texts: Vec<Said> = texts.map(|node| (node.id(), node.text().to_owned())).collect();
    let rows: Vec<Vec<Said>> = texts[first..].chunks_exact(2).map(<[Said]>::to_vec).collect();
    mixed_of(&page, &rows)
}

#[test]
fn a_row_that_begins_in_the_middle_of_a_pair_is_found_by_what_holds_it() {
    let pair = |name: &str, price: &str| format!("  generic\n    text \"{name}\"\n    text \"{price}\"\n");
    let outline = format!("main\n{}{}{}", pair("Express", "$14"), pair("Evening", "$9"), pair("Pick up", "Free"));
    assert!(mixed_pairs(&outline, 0).is_empty());
    assert_eq!(mixed_pairs(&outline, 1), [["$14", "Evening"], ["$9", "Pick up"]]);
}

#[test]
fn without_an_element_it_is_found_by_where_the_texts_stand() {
    let texts = lines(5, |at| {
        let (y, below) = (at * 60, at * 60 + 22);
        format!("  text \"Name {at}\" box=0,{y},90,20\n  text \"${at}\" box=0,{below},90,20\n")
    });
    let outline = format!("main\n{texts}");
    assert!(mixed_pairs(&outline, 0).is_empty());
    let shifted = mixed_pairs(&outline, 1);
    assert_eq!((shifted.len(), &shifted[0][..]), (3, &["$0".to_owned(), "Name 1".to_owned()][..]));
}
