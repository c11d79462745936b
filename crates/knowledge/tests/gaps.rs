//! One to three steps taken out of each bundled recording, and what the other recordings know of
//! them.
//!
//! What is taken out leaves no trace: the steps, and every action and transition that was seen
//! nowhere else. The table in PROTOCOL.md is written by this test (`UPDATE_README=1`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use browserlens_knowledge::gaps::{Hole, HoleCount, Recall, recall};
use browserlens_knowledge::{Knowledge, TaskDefinition, extract};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

fn knowledge(paths: &[PathBuf]) -> Knowledge {
    extract("all", &common::recordings(paths))
}

static ALL: LazyLock<Knowledge> = LazyLock::new(|| knowledge(&[common::traces(), common::variants()].concat()));

/// The scenario that a recording is one of several of, by its name: `site/scenario` or
/// `site/scenario/variant`.
fn scenario(name: &str) -> String {
    name.split('/').take(2).collect::<Vec<_>>().join("/")
}

fn has_variants(task: &TaskDefinition) -> bool {
    ALL.tasks.values().filter(|other| scenario(&other.name) == scenario(&task.name)).count() > 1
}

/// The sums by how many steps were removed, and over all.
fn sums<'r>(recalls: impl Iterator<Item = &'r Recall>) -> ([HoleCount; 3], HoleCount) {
    let (mut sums, mut all) = ([HoleCount::default(); 3], HoleCount::default());
    for recall in recalls {
        sums.iter_mut().zip(recall.by_length).for_each(|(sum, count)| *sum += count);
        all += recall.all();
    }
    (sums, all)
}

#[test]
fn removed_steps_are_recovered_from_other_recordings_of_the_task() {
    let recalls = recall(&ALL, has_variants);
    let once = knowledge(&common::traces());
    let once = recall(&once, |_| true);
    let table = table(&recalls, &once);
    println!("{table}");
    common::readme("gaps", &table);
    let (whole, all) = sums(recalls.iter());
    assert!(whole.iter().all(|count| count.holes > 150), "{whole:?}");
    assert!(all.recovered * 100 >= all.removed * 80, "{all:?}");
}

fn share(part: u32, whole: u32) -> String {
    format!("{part} of {whole} ({:.1} %)", 100.0 * f64::from(part) / f64::from(whole.max(1)))
}

fn table(recalls: &[Recall], once: &[Recall]) -> String {
    let mut out = String::from(
        "| recordings | steps removed | holes | recovered in order | known from elsewhere at all | made up | values \
            right | left open | wrong |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut row = |name: &str, steps: &str, count: HoleCount| {
        let HoleCount { holes, removed, known, recovered, made_up, right, open, other } = count;
        writeln!(
            out,
            "| {name} | {steps} | {holes} | {} | {} | {made_up} | {right} | {open} | {other} |",
            share(recovered, removed),
            share(known, removed)
        )
        .unwrap();
    };
    let (whole, all) = sums(recalls.iter());
    for (length, count) in (1..).zip(whole) {
        row("with variants", &format!("{length}"), count);
    }
    row("with variants", "1 to 3", all);
    let mut names: Vec<String> = recalls.iter().map(|recall| scenario(&recall.task)).collect();
    names.dedup();
    for name in names {
        row(&name, "1 to 3", sums(recalls.iter().filter(|recall| scenario(&recall.task) == name)).1);
    }
    for kind in ["other-product", "other-order", "error-on-the-way"] {
        row(kind, "1 to 3", sums(recalls.iter().filter(|recall| recall.task.ends_with(kind))).1);
    }
    row("one recording a task", "1 to 3", sums(once.iter()).1);
    out
}

#[test]
fn a_hole_leaves_nothing_of_what_was_removed_and_is_mended_without_a_rest() {
    let mut knowledge = ALL.clone();
    let task = ALL.tasks.values().find(|task| task.name == "shop/laptop-to-cart/other-product").unwrap();
    let hole = Hole::cut(&mut knowledge, task, 4, 3).unwrap();
    assert_eq!(hole.removed.len(), 3);
    for step in &hole.removed {
        let source = step.provenance.as_ref().unwrap();
        let left = knowledge.actions.values().any(|action| action.provenance.contains(source))
            || knowledge.transitions.values().any(|way| way.provenance.contains(source));
        assert!(!left, "{step:?}");
    }
    hole.mend(&mut knowledge, task);
    assert!(knowledge == *ALL);
    assert!(Hole::cut(&mut knowledge, task, 0, 1).is_none(), "nothing is before the first step");
    assert!(Hole::cut(&mut knowledge, task, task.steps.len() - 1, 1).is_none(), "nothing is after the last one");
}
