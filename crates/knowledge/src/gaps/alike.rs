//! Fills a gap of a task from tasks that are like it.
//!
//! In: a [`Knowledge`], a gap whose task and place in it are known. Out: the actions that make the
//! task most like the others of its website; none if no other one has a fitting stretch.
//! Invariants: every stretch was observed; equal knowledge gives equal answers.
//!
//! Why not only what others did between the same two actions: who does the same thing in another
//! order, or with a mistake that was mended, has other neighbours at the gap. So stretches are
//! taken from anywhere in the other tasks, also without the actions that this task did elsewhere,
//! and each is tried in the gap: the one with which the whole task is most like the others is the
//! answer (half by the longest common subsequence, half by which actions are done at all, since
//! another order is no other task; more alike tasks count more). If nothing makes it more like
//! them, everything that they do is there already: then what is missing was done more than once
//! (`again`).

use super::again::done_again;
use super::evidence::{Around, FromRecordings};
use super::{ActionGap, ExtrapolationRequest};
use crate::model::{ActionId, Knowledge, TaskDefinition, TaskId, TaskStep};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// How sure it is at most.
const MOST_SURE: f64 = 0.95;
/// Least likeness of a task that is asked.
const LEAST_ALIKE: f64 = 0.2;
/// What a stretch loses that does not begin, or not end, on the screen of the gap.
const OTHER_SCREEN: f64 = 0.08;
/// What a stretch loses for each step: of two that make the task as much alike, the shorter one.
const STEP: f64 = 0.006;

pub(super) type Ids<'k> = Vec<Option<&'k ActionId>>;

/// A task that is asked.
struct Other<'k> {
    task: &'k TaskDefinition,
    ids: Ids<'k>,
    weight: f64,
    /// Lengths of the longest common subsequences of what was done before the gap and each
    /// beginning of this task.
    before: Vec<usize>,
    /// The same of what was done after it and each end.
    after: Vec<usize>,
    /// How often this task does each action more than the one with the gap.
    more: BTreeMap<&'k ActionId, i32>,
    /// How many actions both do.
    both: usize,
    /// How alike the two are.
    alike: f64,
}

/// A stretch that may be what is missing.
struct Stretch<'k> {
    steps: Vec<&'k TaskStep>,
    from: BTreeSet<&'k TaskId>,
    misses: u32,
    near: usize,
}

pub(super) fn by_likeness<'k>(
    knowledge: &'k Knowledge,
    gap: &ActionGap,
    around: &Around<'k>,
    request: &ExtrapolationRequest,
) -> Option<FromRecordings> {
    let own = knowledge.tasks.get(around.task?)?;
    let (before, after) = (ids(around.before), ids(around.after));
    let whole: Ids<'_> = before.iter().chain(&after).copied().collect();
    let done = counts(&whole);
    let websites = own.websites(knowledge);
    let others: Vec<Other<'_>> = knowledge
        .tasks
        .values()
        .filter(|task| task.task_id != own.task_id && !task.websites(knowledge).is_disjoint(&websites))
        .filter_map(|task| {
            let mut other = Other::of(task, &before, &after, &done);
            other.alike = other.likeness(&[], whole.len());
            other.weight = other.alike * other.alike;
            (other.alike >= LEAST_ALIKE).then_some(other)
        })
        .collect();
    let total: f64 = others.iter().map(|other| other.weight).sum();
    if others.is_empty() {
        return None;
    }
    let mut stretches = BTreeMap::new();
    for other in &others {
        let all: Vec<&TaskStep> = other.task.steps.iter().collect();
        collect(&mut stretches, gap, around, other.task, &all, request.max_intermediate_steps);
        let lacking = lacking(&all, &done);
        collect(&mut stretches, gap, around, other.task, &lacking, request.max_intermediate_steps);
    }
    let without: f64 = others.iter().map(|other| other.weight * other.alike).sum::<f64>() / total;
    let scored = stretches.into_values().map(|stretch| {
        let ids: Ids<'_> = stretch.steps.iter().map(|step| step.action_id.as_ref()).collect();
        let with: f64 = others.iter().map(|other| other.weight * other.likeness(&ids, whole.len())).sum();
        let cost = OTHER_SCREEN * f64::from(stretch.misses) + STEP * ids.len() as f64;
        (with / total - cost, with / total, stretch)
    });
    let best = scored.max_by_key(|(score, _, stretch)| {
        let ids: Ids<'_> = stretch.steps.iter().map(|step| step.action_id.as_ref()).collect();
        // Sums of the same numbers in another order differ in their last bits.
        ((score * 1e9).round() as i64, stretch.near, Reverse((ids.len(), ids)))
    });
    let best = match best {
        Some((_, with, best)) if with > without + 1e-9 => best,
        other => match done_again(gap, around) {
            Some(found) => return Some(found),
            None => other?.2,
        },
    };
    let support: f64 =
        others.iter().filter(|other| best.from.contains(&other.task.task_id)).map(|other| other.weight).sum();
    // A single task says less than several.
    let share = (support + 0.5) / (total + 0.6);
    Some(FromRecordings {
        confidence: MOST_SURE * share.sqrt() * 0.9_f64.powi(best.misses as i32),
        reasoning: format!(
            "with this the task is most like {} of {} others of its kind",
            best.from.len(),
            others.len()
        ),
        evidence: best.from.iter().map(|id| id.as_str()).collect::<Vec<_>>().join(" "),
        steps: best.steps.into_iter().cloned().collect(),
    })
}

fn ids(steps: &[TaskStep]) -> Ids<'_> {
    steps.iter().map(|step| step.action_id.as_ref()).collect()
}

/// How often each action is done.
fn counts<'k>(ids: &Ids<'k>) -> BTreeMap<&'k ActionId, i32> {
    let mut counts = BTreeMap::new();
    for id in ids.iter().flatten() {
        *counts.entry(*id).or_default() += 1;
    }
    counts
}

impl<'k> Other<'k> {
    fn of(task: &'k TaskDefinition, before: &Ids<'_>, after: &Ids<'_>, done: &BTreeMap<&ActionId, i32>) -> Self {
        let ids = ids(&task.steps);
        let begun = before.iter().fold(vec![0; ids.len() + 1], |row, id| extended(row, *id, &ids));
        let reversed: Ids<'_> = ids.iter().rev().copied().collect();
        let mut ended = after.iter().rev().fold(vec![0; ids.len() + 1], |row, id| extended(row, *id, &reversed));
        ended.reverse();
        let (mut more, mut both) = (counts(&ids), 0);
        for (id, count) in &mut more {
            let own = done.get(*id).copied().unwrap_or(0);
            both += own.min(*count) as usize;
            *count -= own;
        }
        Self { task, ids, weight: 0.0, before: begun, after: ended, more, both, alike: 0.0 }
    }

    /// How alike the two tasks are if a stretch stands in the gap: half by order, half by which
    /// actions there are.
    fn likeness(&self, stretch: &[Option<&ActionId>], length: usize) -> f64 {
        let row = stretch.iter().fold(self.before.clone(), |row, id| extended(row, *id, &self.ids));
        let ordered = row.iter().zip(&self.after).map(|(begun, ended)| begun + ended).max().unwrap_or(0);
        let gained = stretch.iter().enumerate().filter(|(at, id)| {
            let again = stretch[..*at].iter().filter(|other| other == id).count() as i32;
            id.is_some_and(|id| self.more.get(id).is_some_and(|more| *more > again))
        });
        let common = ordered + self.both + gained.count();
        common as f64 / (length + stretch.len() + self.ids.len()).max(1) as f64
    }
}

/// One more row of the table of longest common subsequences.
pub(super) fn extended(mut row: Vec<usize>, id: Option<&ActionId>, other: &Ids<'_>) -> Vec<usize> {
    let mut before = 0;
    for (at, theirs) in other.iter().enumerate() {
        let above = row[at + 1];
        row[at + 1] = if id.is_some() && id == *theirs { before + 1 } else { above.max(row[at]) };
        before = above;
    }
    row
}

/// The steps of a task that the one with the gap did not do, or not as often; the first doings are
/// taken to be the common ones.
fn lacking<'k>(steps: &[&'k TaskStep], done: &BTreeMap<&ActionId, i32>) -> Vec<&'k TaskStep> {
    let mut left = done.clone();
    let is_lacking = |step: &&&TaskStep| match step.action_id.as_ref().and_then(|id| left.get_mut(id)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    steps.iter().filter(is_lacking).copied().collect()
}

/// Adds the stretches of a task that may stand in the gap: each step is done where the one before
/// led.
fn collect<'k>(
    stretches: &mut BTreeMap<Vec<&'k ActionId>, Stretch<'k>>,
    gap: &ActionGap,
    around: &Around<'_>,
    task: &'k TaskDefinition,
    steps: &[&'k TaskStep],
    most: usize,
) {
    for begin in 0..steps.len() {
        let starts = gap.from_screen_id.is_none() || steps[begin].screen_id == gap.from_screen_id;
        let mut taken: Vec<&TaskStep> = Vec::new();
        for step in steps[begin..].iter().take(most) {
            // The first step of a task opens a URL: that is never what lies between.
            let follows = taken.last().is_none_or(|last| last.expected_screen_id == step.screen_id);
            if step.action_id.is_none() || step.screen_id.is_none() || !follows {
                break;
            }
            taken.push(step);
            let ends = gap.to_screen_id.is_none() || step.expected_screen_id == gap.to_screen_id;
            let misses = u32::from(!starts) + u32::from(!ends);
            let is_contiguous = |pair: &[&TaskStep]| pair[0].order + 1 == pair[1].order;
            let near = if taken.windows(2).all(is_contiguous) {
                let (first, last) = (taken[0].order as usize, step.order as usize);
                let before = &task.steps[..first.min(task.steps.len())];
                around.alike(before, task.steps.get(last + 1..).unwrap_or_default())
            } else {
                0
            };
            let ids: Vec<&ActionId> = taken.iter().filter_map(|step| step.action_id.as_ref()).collect();
            let stretch = stretches.entry(ids).or_insert_with(|| Stretch {
                steps: taken.clone(),
                from: BTreeSet::new(),
                misses,
                near,
            });
            stretch.from.insert(&task.task_id);
            if (misses, usize::MAX - near) < (stretch.misses, usize::MAX - stretch.near) {
                stretch.steps.clone_from(&taken);
                (stretch.misses, stretch.near) = (misses, near);
            }
        }
    }
}
