//! Fills a gap from other recordings.
//!
//! In: a [`Knowledge`], a gap. Out: the actions between, and how sure they are; none if no recording connects the two. Invariants: every action is one that was
//! observed; nothing longer than allowed; equal knowledge gives equal answers.
//!
//! Three questions, from the surest to the weakest:
//! 1. what recordings did between the very same two actions, the rest of the one with the gap included;
//! 2. what they did between the screen where the first one left off and the second action;
//! 3. the surest way through the graph of screens, with the fields that were filled before each step of it.

use super::{ActionGap, ExtrapolationRequest, ExtrapolationResult, InferredAction, InferredTransition};
use crate::model::{ActionId, Inference, Knowledge, ScreenId, TaskDefinition, TaskId, TaskStep};
use crate::protocol::NavigationGraph;
use serde_json::Value;
use std::collections::BTreeMap;

/// How sure the three kinds of evidence are at most.
const SAME_ACTIONS: f64 = 0.95;
const SAME_SCREENS: f64 = 0.85;
const GRAPH: f64 = 0.75;

/// What other recordings say.
#[derive(Clone, Debug, PartialEq)]
pub struct FromRecordings {
    /// The actions, and where each is done.
    pub actions: Vec<(ActionId, Option<ScreenId>)>,
    /// Where each leads.
    pub led_to: Vec<Option<ScreenId>>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Why.
    pub reasoning: String,
    /// The tasks or transitions it was read from.
    pub evidence: String,
}

/// Asks other recordings what is in a gap.
pub fn by_recordings(knowledge: &Knowledge, gap: &ActionGap, request: &ExtrapolationRequest) -> Option<FromRecordings> {
    let own = gap.context.get("task_id").and_then(Value::as_str).map(TaskId::from);
    let all = || knowledge.tasks.values();
    let most = request.max_intermediate_steps;
    let around = Around::of(knowledge, gap, own.as_ref());
    let starts_alike = |step: &TaskStep| step.action_id.as_ref() == Some(&gap.from_action_id);
    let arrives = |step: &TaskStep| gap.from_screen_id.is_some() && step.expected_screen_id == gap.from_screen_id;
    sequences(all(), gap, &around, most, &starts_alike)
        .map(|found| found.weighed(SAME_ACTIONS, "other recordings do this between the same two actions"))
        .or_else(|| {
            let found = sequences(all(), gap, &around, most, &arrives)?;
            Some(found.weighed(SAME_SCREENS, "other recordings do this between the same screen and the same action"))
        })
        .or_else(|| by_graph(knowledge, gap, most))
}

/// What the recording with the gap did before and after it: where an action is done several times, this tells which of them is meant.
#[derive(Default)]
struct Around<'k> {
    /// The task with the gap; the rest of it is evidence as well.
    task: Option<&'k TaskId>,
    before: &'k [TaskStep],
    after: &'k [TaskStep],
}

impl<'k> Around<'k> {
    fn of(knowledge: &'k Knowledge, gap: &ActionGap, own: Option<&TaskId>) -> Self {
        let Some(task) = own.and_then(|id| knowledge.tasks.get(id)) else { return Self::default() };
        let is_gap = |pair: &[TaskStep]| {
            pair[0].action_id.as_ref() == Some(&gap.from_action_id)
                && pair[1].action_id.as_ref() == Some(&gap.to_action_id)
        };
        let told = gap.context.get("position").and_then(Value::as_u64).and_then(|at| usize::try_from(at).ok());
        let is_told =
            |at: &usize| task.steps.get(at.saturating_sub(1)..=*at).is_some_and(|pair| pair.len() == 2 && is_gap(pair));
        let at = told.filter(is_told).or_else(|| task.steps.windows(2).position(is_gap).map(|at| at + 1));
        at.map_or_else(Self::default, |at| Self {
            task: Some(&task.task_id),
            before: &task.steps[..at],
            after: &task.steps[at..],
        })
    }

    /// How many actions before and after a stretch of another recording are the same, up to [`ALIKE`] on each side.
    fn alike(&self, before: &[TaskStep], after: &[TaskStep]) -> usize {
        let same = |(a, b): &(&TaskStep, &TaskStep)| a.action_id.is_some() && a.action_id == b.action_id;
        let back = self.before.iter().rev().zip(before.iter().rev()).take(ALIKE).take_while(same).count();
        back + self.after.iter().zip(after).take(ALIKE).take_while(same).count()
    }
}

/// Most actions on each side of a gap that are compared.
const ALIKE: usize = 4;

/// What was done between the two, how often, and in which tasks.
struct Found<'k> {
    steps: Vec<&'k TaskStep>,
    alike: usize,
    count: usize,
    all: usize,
    tasks: Vec<&'k TaskId>,
}

/// Looks for `begin … to_action` in the tasks, with one to `most` steps between; what lies in the surroundings most like the gap's wins,
/// then the most frequent, then the shortest, then the first.
fn sequences<'k>(
    tasks: impl Iterator<Item = &'k TaskDefinition>,
    gap: &ActionGap,
    around: &Around<'_>,
    most: usize,
    begins: &dyn Fn(&TaskStep) -> bool,
) -> Option<Found<'k>> {
    let mut found: BTreeMap<Vec<&ActionId>, Found<'k>> = BTreeMap::new();
    let mut all = 0;
    for task in tasks {
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
                // The two may have been done one right after the other: that says that there is no gap.
                all += 1;
                let Some(ids) = steps.iter().map(|step| step.action_id.as_ref()).collect::<Option<Vec<_>>>() else {
                    continue;
                };
                let entry = found.entry(ids).or_insert(Found { steps, alike: 0, count: 0, all: 0, tasks: Vec::new() });
                entry.alike = entry.alike.max(around.alike(&task.steps[..=position], &after[length..]));
                entry.count += 1;
                entry.tasks.push(&task.task_id);
            }
        }
    }
    let mut best = found.into_values().filter(|found| !found.steps.is_empty()).max_by(|a, b| {
        a.alike
            .cmp(&b.alike)
            .then(a.count.cmp(&b.count))
            .then(b.steps.len().cmp(&a.steps.len()))
            .then_with(|| b.tasks.cmp(&a.tasks))
    })?;
    best.all = all;
    best.tasks.dedup();
    Some(best)
}

impl Found<'_> {
    fn weighed(self, most: f64, why: &str) -> FromRecordings {
        // One recording of one says less than nine of ten.
        let share = (self.count as f64 + 1.0) / (self.all as f64 + 1.2);
        FromRecordings {
            actions: self
                .steps
                .iter()
                .filter_map(|step| Some((step.action_id.clone()?, step.screen_id.clone())))
                .collect(),
            led_to: self.steps.iter().map(|step| step.expected_screen_id.clone()).collect(),
            confidence: most * share.min(1.0),
            reasoning: format!("{why}: {} of {}", self.count, self.all),
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
    let mut at = from.clone();
    let mut actions = Vec::new();
    let mut led_to = Vec::new();
    for (edge, to) in &path.steps {
        actions.push((edge.action_id.clone(), Some(at)));
        led_to.push(Some(to.clone()));
        at = to.clone();
    }
    let ways = path.steps.iter().filter_map(|(edge, _)| edge.transition_id.as_ref().map(|id| id.as_str()));
    Some(FromRecordings {
        confidence: GRAPH * path.confidence,
        reasoning: format!("the surest known way between the two screens has {} steps", path.steps.len()),
        evidence: ways.collect::<Vec<_>>().join(" "),
        actions,
        led_to,
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
        for (position, ((action_id, screen), led_to)) in self.actions.iter().zip(&self.led_to).enumerate() {
            let Some(action) = knowledge.actions.get(action_id) else { continue };
            let target = action.target.as_ref();
            let words = target.map(|target| if target.name.is_empty() { &target.text } else { &target.name });
            let url = action.parameters.get("url").and_then(Value::as_str);
            result.inferred_actions.push(InferredAction {
                action_type: action.action_type.clone(),
                target: words.map(String::as_str).or(url).unwrap_or_default().to_owned(),
                description: action.name.clone(),
                confidence: self.confidence,
                reasoning: self.reasoning.clone(),
                screen_id: screen.clone(),
                action_id: Some(action_id.clone()),
                by: Inference::Graph,
                gap: gap.key(),
            });
            if let (Some(from), Some(to), true) = (screen, led_to, request.include_screens) {
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
