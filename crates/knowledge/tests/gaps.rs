//! One to three steps taken out of each bundled recording, and what the other recordings know of them.
//!
//! What is taken out leaves no trace: the steps, and every action and transition that was seen nowhere else. The table in PROTOCOL.md is written by
//! this test (`UPDATE_README=1`).

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod common;

use browserlens_knowledge::gaps::{ActionGap, ExtrapolationRequest, Recovered, by_recordings, recovered};
use browserlens_knowledge::{ActionId, Knowledge, Provenance, Recording, TaskDefinition, TaskId, extract};
use browserlens_trace::Trace;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write;

fn recordings() -> Vec<Recording> {
    common::traces().iter().map(|path| Recording::read(&Trace::open(path).unwrap()).unwrap()).collect()
}

/// The knowledge without some steps of a task, and the gap that they leave.
fn holed(full: &Knowledge, task: &TaskDefinition, at: usize, length: usize) -> (Knowledge, ActionGap, Vec<ActionId>) {
    let mut knowledge = full.clone();
    let removed = &task.steps[at..at + length];
    let gone: Vec<&Provenance> = removed.iter().filter_map(|step| step.provenance.as_ref()).collect();
    let is_gone = |provenance: &mut Vec<Provenance>| {
        let before = provenance.len();
        provenance.retain(|source| !gone.contains(&source));
        before > 0 && provenance.is_empty()
    };
    knowledge.transitions.retain(|_, transition| !is_gone(&mut transition.provenance));
    let known =
        |knowledge: &Knowledge, id: &ActionId| knowledge.transitions.values().any(|t| t.action_id.as_ref() == Some(id));
    let unknown: Vec<ActionId> = knowledge
        .actions
        .iter_mut()
        .filter_map(|(id, action)| is_gone(&mut action.provenance).then(|| id.clone()))
        .collect();
    for id in unknown {
        if !known(&knowledge, &id) {
            knowledge.actions.remove(&id);
        }
    }
    let steps = &mut knowledge.tasks.get_mut(&task.task_id).unwrap().steps;
    steps.drain(at..at + length);
    let (before, after) = (&task.steps[at - 1], &task.steps[at + length]);
    let gap = ActionGap {
        from_action_id: before.action_id.clone().unwrap(),
        to_action_id: after.action_id.clone().unwrap(),
        from_screen_id: before.expected_screen_id.clone(),
        to_screen_id: after.screen_id.clone(),
        context: BTreeMap::from([
            ("task_id".to_owned(), Value::from(task.task_id.as_str())),
            ("position".to_owned(), Value::from(at)),
        ]),
    };
    (knowledge, gap, removed.iter().filter_map(|step| step.action_id.clone()).collect())
}

#[derive(Clone, Copy, Default)]
struct Sums {
    /// As the recordings are.
    all: Recovered,
    /// Holes whose every action is known from elsewhere.
    knowable: Recovered,
    /// With a second recording of the same task.
    twice: Recovered,
    holes: usize,
}

#[test]
fn removed_steps_are_recovered_where_another_recording_has_them() {
    let full = extract("all", &recordings());
    let mut by_length = [Sums::default(); 3];
    let mut request = ExtrapolationRequest::all("all");
    request.max_intermediate_steps = 5;
    for task in full.tasks.values() {
        for length in 1..=3 {
            for at in 1..task.steps.len().saturating_sub(length) {
                let range = &task.steps[at - 1..=at + length];
                if range.iter().any(|step| step.action_id.is_none()) {
                    continue;
                }
                let sums = &mut by_length[length - 1];
                sums.holes += 1;
                let (mut knowledge, gap, removed) = holed(&full, task, at, length);
                let inferred = |knowledge: &Knowledge| -> Vec<ActionId> {
                    let found = by_recordings(knowledge, &gap, &request);
                    found.map(|found| found.actions.into_iter().map(|(id, _)| id).collect()).unwrap_or_default()
                };
                let found = recovered(&removed, &inferred(&knowledge));
                sums.all += found;
                if removed.iter().all(|id| knowledge.actions.contains_key(id)) {
                    sums.knowable += found;
                }
                // The same task recorded another time: everything of it is known, but for the hole in this recording.
                let other = TaskDefinition { task_id: TaskId(format!("{}-again", task.task_id)), ..task.clone() };
                knowledge.tasks.insert(other.task_id.clone(), other);
                knowledge.actions.clone_from(&full.actions);
                knowledge.transitions.clone_from(&full.transitions);
                sums.twice += recovered(&removed, &inferred(&knowledge));
            }
        }
    }
    let table = table(&by_length);
    println!("{table}");
    common::readme("gaps", &table);
    for (length, sums) in by_length.iter().enumerate() {
        assert!(sums.holes > 30, "{length}");
        assert!(sums.twice.share() >= 0.8, "{} of {}", sums.twice.recovered, sums.twice.removed);
    }
}

fn table(by_length: &[Sums]) -> String {
    let mut out = String::from(
        "| steps removed | holes | one recording a task: recovered | of those known from elsewhere | made up | a second recording of the task: recovered | made up |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let share = |found: Recovered| format!("{} of {} ({:.1} %)", found.recovered, found.removed, 100.0 * found.share());
    let mut all = Sums::default();
    let mut row = |name: &str, sums: &Sums| {
        let (one, knowable, twice) = (share(sums.all), share(sums.knowable), share(sums.twice));
        let made_up = (sums.all.made_up, sums.twice.made_up);
        writeln!(out, "| {name} | {} | {one} | {knowable} | {} | {twice} | {} |", sums.holes, made_up.0, made_up.1)
            .unwrap();
    };
    for (length, sums) in by_length.iter().enumerate() {
        row(&(length + 1).to_string(), sums);
        all.all += sums.all;
        all.knowable += sums.knowable;
        all.twice += sums.twice;
        all.holes += sums.holes;
    }
    row("all", &all);
    out
}
