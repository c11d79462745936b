//! How much of what is taken out of a recording is found again from the others.
//!
//! In: a [`Knowledge`] in which tasks have several recordings. Out: [`Recall`] of each recording.
//! One to three steps are taken out of every place of a task, and with them every action and
//! transition that was seen nowhere else; the rest of the recording stays. Invariants: nothing of
//! what is asked for is left in what is asked; an action counts as recovered where its tool, its
//! screen, its target and the names of its parameters are those of the one that was removed, in
//! order. Values are counted apart.

use super::alike::extended;
use super::{ActionGap, ExtrapolationRequest, FromRecordings, by_recordings, values};
use crate::model::{
    ActionId, Knowledge, Provenance, ScreenDefinition, TaskDefinition, TaskStep, TransitionDefinition, TransitionId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Most steps that are taken out at once.
pub const MOST_REMOVED: usize = 3;

/// What was found again of one recording, for holes of one length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HoleCount {
    /// Holes that were made.
    pub holes: u32,
    /// Actions that were removed.
    pub removed: u32,
    /// Of them, what is known from elsewhere at all.
    pub known: u32,
    /// Of them, found again in order.
    pub recovered: u32,
    /// Actions that were inferred and had not been there.
    pub made_up: u32,
    /// Texts of recovered actions (values, names that vary) that are those of the removed one.
    pub right: u32,
    /// Those that are placeholders.
    pub open: u32,
    /// Those that are others.
    pub other: u32,
}

impl std::ops::AddAssign for HoleCount {
    fn add_assign(&mut self, other: Self) {
        self.holes += other.holes;
        self.removed += other.removed;
        self.known += other.known;
        self.recovered += other.recovered;
        self.made_up += other.made_up;
        self.right += other.right;
        self.open += other.open;
        self.other += other.other;
    }
}

/// What was found again of one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recall {
    /// Name of the task.
    pub task: String,
    /// By how many steps were removed, from one on.
    pub by_length: [HoleCount; MOST_REMOVED],
}

impl Recall {
    /// Returns the sum over all lengths.
    pub fn all(&self) -> HoleCount {
        let mut sum = HoleCount::default();
        self.by_length.iter().for_each(|count| sum += *count);
        sum
    }
}

/// Takes steps out of each task that is wanted, and counts what is found again.
pub fn recall(knowledge: &Knowledge, is_wanted: impl Fn(&TaskDefinition) -> bool) -> Vec<Recall> {
    let mut bare = bare(knowledge);
    let mut request = ExtrapolationRequest::all(knowledge.knowledge_id.clone());
    request.max_intermediate_steps = 5;
    let mut recalls = Vec::new();
    for task in knowledge.tasks.values().filter(|task| is_wanted(task)) {
        let mut recall = Recall { task: task.name.clone(), ..Recall::default() };
        for (length, count) in (1..).zip(&mut recall.by_length) {
            for at in 1..task.steps.len().saturating_sub(length) {
                let Some(hole) = Hole::cut(&mut bare, task, at, length) else { continue };
                *count += hole.count(&bare, by_recordings(&bare, &hole.gap, &request).as_ref());
                hole.mend(&mut bare, task);
            }
        }
        recalls.push(recall);
    }
    recalls
}

/// The knowledge without what inference does not read, so that it is cheap to change.
fn bare(knowledge: &Knowledge) -> Knowledge {
    let screens = knowledge.screens.iter().map(|(id, screen)| {
        let screen = ScreenDefinition {
            screen_id: id.clone(),
            website_id: screen.website_id.clone(),
            content_type: screen.content_type,
            is_actionable: screen.is_actionable,
            ..ScreenDefinition::default()
        };
        (id.clone(), screen)
    });
    Knowledge { screens: screens.collect(), ..knowledge.clone() }
}

/// A hole in a task, and what was there.
pub struct Hole {
    /// Between which actions it is.
    pub gap: ActionGap,
    /// The steps that were removed.
    pub removed: Vec<TaskStep>,
    transitions: Vec<(TransitionId, TransitionDefinition)>,
    actions: Vec<(ActionId, crate::model::ActionDefinition)>,
}

impl Hole {
    /// Takes steps out of a task, and everything that was seen nowhere else; none where an action
    /// beside the hole or in it is not known.
    pub fn cut(knowledge: &mut Knowledge, task: &TaskDefinition, at: usize, length: usize) -> Option<Self> {
        let around = task.steps.get(at.checked_sub(1)?..=at + length)?;
        if around.iter().any(|step| step.action_id.is_none()) {
            return None;
        }
        let (before, after) = (&task.steps[at - 1], &task.steps[at + length]);
        let removed = task.steps[at..at + length].to_vec();
        let gap = ActionGap {
            from_action_id: before.action_id.clone()?,
            to_action_id: after.action_id.clone()?,
            from_screen_id: before.expected_screen_id.clone(),
            to_screen_id: after.screen_id.clone(),
            context: BTreeMap::from([
                ("task_id".to_owned(), Value::from(task.task_id.as_str())),
                ("position".to_owned(), Value::from(at)),
            ]),
        };
        let gone: Vec<&Provenance> = removed.iter().filter_map(|step| step.provenance.as_ref()).collect();
        let transitions = take_out(&mut knowledge.transitions, &gone, |way| &mut way.provenance);
        let actions = take_out(&mut knowledge.actions, &gone, |action| &mut action.provenance);
        if let Some(steps) = knowledge.tasks.get_mut(&task.task_id).map(|task| &mut task.steps) {
            steps.drain(at..at + length);
        }
        Some(Self { gap, removed, transitions, actions })
    }

    /// Puts back what [`Hole::cut`] took out of a task.
    pub fn mend(self, knowledge: &mut Knowledge, task: &TaskDefinition) {
        knowledge.transitions.extend(self.transitions);
        knowledge.actions.extend(self.actions);
        if let Some(known) = knowledge.tasks.get_mut(&task.task_id) {
            known.steps.clone_from(&task.steps);
        }
    }

    /// Compares what was removed with what was inferred.
    pub fn count(&self, knowledge: &Knowledge, found: Option<&FromRecordings>) -> HoleCount {
        let inferred = found.map(|found| found.steps.as_slice()).unwrap_or_default();
        let keys = |steps: &[TaskStep]| -> Vec<ActionId> { steps.iter().filter_map(key).collect() };
        let (removed, found) = (keys(&self.removed), keys(inferred));
        let recovered = in_common(&removed, &found);
        let known = self.removed.iter().filter_map(|step| knowledge.actions.get(step.action_id.as_ref()?));
        let mut count = HoleCount {
            holes: 1,
            removed: removed.len() as u32,
            known: known.count() as u32,
            recovered: recovered as u32,
            made_up: (found.len() - recovered) as u32,
            ..HoleCount::default()
        };
        let own = self.gap.task(knowledge);
        let mut left = inferred.iter();
        for step in &self.removed {
            let mut rest = left.clone();
            let Some(other) = rest.find(|other| key(other) == key(step)) else { continue };
            left = rest;
            let (parameters, name) = values::of(knowledge, own, other);
            let varies = step.action_id.as_ref().and_then(|id| knowledge.actions.get(id)?.target.as_ref());
            let names = varies.filter(|target| target.name_varies).and_then(|_| values::name_in(step));
            let texts = step.action.parameters.iter().filter_map(|(key, value)| {
                let text = value.as_str()?;
                Some((text, parameters.get(key)?.as_str()?))
            });
            for (was, is) in texts.chain(names.map(|was| (was, name.as_str()))) {
                *(if was == is {
                    &mut count.right
                } else if is.starts_with("{{value:") {
                    &mut count.open
                } else {
                    &mut count.other
                }) += 1;
            }
        }
        count
    }
}

/// Takes out what was seen in steps that are gone and nowhere else; returns all that was seen there, as it was.
fn take_out<K: Clone + Ord, T: Clone>(
    known: &mut BTreeMap<K, T>,
    gone: &[&Provenance],
    sources: fn(&mut T) -> &mut Vec<Provenance>,
) -> Vec<(K, T)> {
    let mut touched = Vec::new();
    known.retain(|id, one| {
        if !sources(one).iter().any(|source| gone.contains(&source)) {
            return true;
        }
        touched.push((id.clone(), one.clone()));
        let left = sources(one);
        left.retain(|source| !gone.contains(&source));
        !left.is_empty()
    });
    touched
}

/// Returns how many actions two lists have in common, in order.
fn in_common(one: &[ActionId], other: &[ActionId]) -> usize {
    let other: Vec<Option<&ActionId>> = other.iter().map(Some).collect();
    let row = one.iter().fold(vec![0; other.len() + 1], |row, id| extended(row, Some(id), &other));
    row[other.len()]
}

/// What has to be equal: the id stands for tool, screen and target.
fn key(step: &TaskStep) -> Option<ActionId> {
    let kinds: Vec<&str> = step.action.parameters.keys().map(String::as_str).collect();
    Some(ActionId(format!("{} {} {}", step.action_id.as_ref()?, step.action.action_type, kinds.join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_in_order_counts() {
        let ids = |text: &str| text.chars().map(|c| ActionId(c.to_string())).collect::<Vec<_>>();
        for (removed, inferred, expected) in
            [("abc", "abc", 3), ("abc", "cba", 1), ("abc", "xaxbx", 2), ("", "a", 0), ("a", "", 0), ("aab", "ab", 2)]
        {
            assert_eq!(in_common(&ids(removed), &ids(inferred)), expected, "{removed} {inferred}");
        }
    }
}
