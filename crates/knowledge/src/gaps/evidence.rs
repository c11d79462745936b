//! What recordings say about a gap, and what lies around it.
//!
//! In: a [`Knowledge`], a gap whose task is known. Out: the steps of that task before and after the
//! gap. Invariant: both are parts of one task, or empty.

use super::ActionGap;
use crate::model::{Knowledge, TaskId, TaskStep};
use serde_json::Value;

/// What other recordings say.
#[derive(Clone, Debug, PartialEq)]
pub struct FromRecordings {
    /// The steps, as the recording that they are taken from has them.
    pub steps: Vec<TaskStep>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// The tasks or transitions it was read from.
    pub evidence: String,
}

/// What the recording with the gap did before and after it: where an action is done several times,
/// this tells which of them is meant.
#[derive(Default)]
pub(super) struct Around<'k> {
    /// The task with the gap; the rest of it is evidence as well.
    pub(super) task: Option<&'k TaskId>,
    pub(super) before: &'k [TaskStep],
    pub(super) after: &'k [TaskStep],
}

impl<'k> Around<'k> {
    pub(super) fn of(knowledge: &'k Knowledge, gap: &ActionGap) -> Self {
        let Some(task) = gap.task(knowledge) else { return Self::default() };
        let is_gap = |pair: &[TaskStep]| {
            pair[0].action_id.as_ref() == Some(&gap.from_action_id)
                && pair[1].action_id.as_ref() == Some(&gap.to_action_id)
        };
        let told = gap.context.get("position").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let is_told =
            |at: &usize| task.steps.get(at.saturating_sub(1)..=*at).is_some_and(|pair| pair.len() == 2 && is_gap(pair));
        let at = told.filter(is_told).or_else(|| task.steps.windows(2).position(is_gap).map(|at| at + 1));
        let Some((before, after)) = at.map(|at| task.steps.split_at(at)) else { return Self::default() };
        Self { task: Some(&task.task_id), before, after }
    }

    /// How many actions before and after a stretch of another recording are the same, up to
    /// [`ALIKE`] on each side.
    pub(super) fn alike(&self, before: &[TaskStep], after: &[TaskStep]) -> usize {
        let same = |(a, b): &(&TaskStep, &TaskStep)| a.action_id.is_some() && a.action_id == b.action_id;
        let back = self.before.iter().rev().zip(before.iter().rev()).take(ALIKE).take_while(same).count();
        back + self.after.iter().zip(after).take(ALIKE).take_while(same).count()
    }
}

/// Most actions on each side of a gap that are compared.
const ALIKE: usize = 4;
