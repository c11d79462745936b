//! Fills a gap from other recordings.
//!
//! In: a [`Knowledge`], a gap. Out: the actions between, and how sure they are; none if no
//! recording connects the two. Invariants: every action is one that was observed; nothing longer
//! than allowed; equal knowledge gives equal answers.
//!
//! Four questions, from the surest to the weakest:
//! 1. which stretch of other tasks makes the one with the gap most like them (`alike`), where it is
//!    known which task that is;
//! 2. what recordings did between the very same two actions, the rest of the one with the gap
//!    included;
//! 3. what they did between the screen where the first one left off and the second action;
//! 4. the surest way through the graph of screens.

use super::alike::by_likeness;
use super::evidence::{Around, FromRecordings};
use super::{
    ActionGap, ExtrapolationRequest, ExtrapolationResult, InferredAction, InferredTransition, MOST_INVENTED, values,
};
use crate::model::{ActionId, Inference, Knowledge, StepAction, TaskId, TaskStep};
use crate::protocol::NavigationGraph;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// How sure the three kinds of evidence are at most.
const SAME_ACTIONS: f64 = 0.95;
const SAME_SCREENS: f64 = 0.85;
const GRAPH: f64 = 0.75;

/// Asks other recordings what is in a gap.
pub fn by_recordings(knowledge: &Knowledge, gap: &ActionGap, request: &ExtrapolationRequest) -> Option<FromRecordings> {
    let most = request.max_intermediate_steps;
    let around = Around::of(knowledge, gap);
    let starts_alike = |step: &TaskStep| step.action_id.as_ref() == Some(&gap.from_action_id);
    let arrives = |step: &TaskStep| gap.from_screen_id.is_some() && step.expected_screen_id == gap.from_screen_id;
    let observed = |begins: &dyn Fn(&TaskStep) -> bool, sure, why| {
        sequences(knowledge, gap, &around, most, begins).map(|(found, all)| found.weighed(all, sure, why))
    };
    by_likeness(knowledge, gap, &around, request)
        .or_else(|| observed(&starts_alike, SAME_ACTIONS, "the same two actions"))
        .or_else(|| observed(&arrives, SAME_SCREENS, "the same screen and the same action"))
        .or_else(|| by_graph(knowledge, gap, most))
}

/// What was done between the two, how often, and in which tasks.
struct Found<'k> {
    steps: Vec<&'k TaskStep>,
    alike: usize,
    count: usize,
    tasks: Vec<&'k TaskId>,
}

/// Looks for `begin … to_action` in the tasks, with one to `most` steps between; what lies in the
/// surroundings most like the gap's wins, then the most frequent, then the shortest, then the
/// first. Returns it, and how often there was anything between the two, or nothing.
fn sequences<'k>(
    knowledge: &'k Knowledge,
    gap: &ActionGap,
    around: &Around<'_>,
    most: usize,
    begins: &dyn Fn(&TaskStep) -> bool,
) -> Option<(Found<'k>, usize)> {
    let mut found: BTreeMap<Vec<&ActionId>, Found<'k>> = BTreeMap::new();
    let mut all = 0;
    for task in knowledge.tasks.values() {
        for (position, _) in task.steps.iter().enumerate().filter(|(_, step)| begins(step)) {
            let after = &task.steps[position + 1..];
            // A stretch over the gap itself says nothing about it.
            let is_over_gap = |length: usize| {
                let hole = around.before.len();
                around.task == Some(&task.task_id) && position < hole && position + 1 + length >= hole
            };
            let ends = after.iter().take(most + 1).enumerate().filter(|(length, _)| !is_over_gap(*length));
            for (length, _) in ends.filter(|(_, step)| step.action_id.as_ref() == Some(&gap.to_action_id)) {
                let steps: Vec<&TaskStep> = after[..length].iter().collect();
                // The two may have been done one right after the other: that says that there is no
                // gap.
                all += 1;
                let Some(ids) = steps.iter().map(|step| step.action_id.as_ref()).collect::<Option<Vec<_>>>() else {
                    continue;
                };
                let entry = found.entry(ids).or_insert(Found { steps, alike: 0, count: 0, tasks: Vec::new() });
                entry.alike = entry.alike.max(around.alike(&task.steps[..=position], &after[length..]));
                entry.count += 1;
                entry.tasks.push(&task.task_id);
            }
        }
    }
    let rank = |found: &Found<'k>| (found.alike, found.count, Reverse((found.steps.len(), found.tasks.clone())));
    let mut best = found.into_values().filter(|found| !found.steps.is_empty()).max_by_key(rank)?;
    best.tasks.dedup();
    Some((best, all))
}

impl Found<'_> {
    fn weighed(self, all: usize, most: f64, between: &str) -> FromRecordings {
        // One recording of one says less than nine of ten.
        let share = (self.count as f64 + 1.0) / (all as f64 + 1.2);
        FromRecordings {
            steps: self.steps.into_iter().cloned().collect(),
            confidence: most * share.min(1.0),
            reasoning: format!("other recordings do this between {between}: {} of {all}", self.count),
            evidence: self.tasks.iter().map(|task| task.as_str()).collect::<Vec<_>>().join(" "),
        }
    }
}

fn by_graph(knowledge: &Knowledge, gap: &ActionGap, most: usize) -> Option<FromRecordings> {
    let (from, to) = (gap.from_screen_id.as_ref()?, gap.to_screen_id.as_ref()?);
    if from == to {
        return None;
    }
    let path = NavigationGraph::new(knowledge).path(Some(from), to)?;
    // A way that begins by opening a URL is not what was done in between.
    if path.from.is_none() || path.steps.is_empty() || path.steps.len() > most {
        return None;
    }
    let is_invented = path.steps.iter().any(|(edge, _)| edge.inferred);
    let mut at = from.clone();
    let mut steps = Vec::new();
    for (edge, to) in &path.steps {
        let action = knowledge.actions.get(&edge.action_id)?;
        steps.push(TaskStep {
            action: StepAction {
                action_type: action.action_type.clone(),
                parameters: action.parameters.clone(),
                ..StepAction::default()
            },
            action_id: Some(edge.action_id.clone()),
            screen_id: Some(at),
            expected_screen_id: Some(to.clone()),
            ..TaskStep::default()
        });
        at = to.clone();
    }
    let ways = path.steps.iter().filter_map(|(edge, _)| edge.transition_id.as_ref().map(|id| id.as_str()));
    Some(FromRecordings {
        confidence: (GRAPH * path.confidence).min(if is_invented { MOST_INVENTED } else { 1.0 }),
        reasoning: format!("the surest known way between the two screens has {} steps", path.steps.len()),
        evidence: ways.collect::<Vec<_>>().join(" "),
        steps,
    })
}

impl FromRecordings {
    /// Returns it as the result of one gap.
    pub(super) fn into_result(
        self,
        knowledge: &Knowledge,
        gap: &ActionGap,
        request: &ExtrapolationRequest,
    ) -> ExtrapolationResult {
        let mut result = ExtrapolationResult { gaps_filled: 1, ..ExtrapolationResult::default() };
        let own = gap.task(knowledge);
        for step in &self.steps {
            let Some(action_id) = &step.action_id else { continue };
            let Some(action) = knowledge.actions.get(action_id) else { continue };
            let (parameters, target) = values::of(knowledge, own, step);
            let position = result.inferred_actions.len();
            result.inferred_actions.push(InferredAction {
                action_type: action.action_type.clone(),
                target,
                parameters,
                description: action.name.clone(),
                confidence: self.confidence,
                reasoning: self.reasoning.clone(),
                screen_id: step.screen_id.clone(),
                action_id: Some(action_id.clone()),
                by: Inference::Graph,
                gap: gap.key(),
            });
            if let (Some(from), Some(to), true) = (&step.screen_id, &step.expected_screen_id, request.include_screens) {
                result.inferred_transitions.push(InferredTransition {
                    from_screen_id: from.clone(),
                    to_screen_id: to.clone(),
                    trigger_action: action.name.clone(),
                    action: Some(position),
                    action_id: Some(action_id.clone()),
                    confidence: self.confidence,
                    by: Inference::Graph,
                    evidence: self.evidence.clone(),
                });
            }
        }
        result.confidence_scores.insert(gap.key(), self.confidence);
        result
    }
}
