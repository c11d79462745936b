//! Tasks of whole recordings.
//!
//! In: recordings, and the screen of each step. Out: tasks in a [`Knowledge`], and on each screen
//! the names of the tasks that lead over it. Invariant: a success criterion was true of the last
//! page of the recording.

use super::actions;
use super::ids;
use super::recording::{Recording, Seen};
use super::screens::Placed;
use super::signature::is_indicator_text;
use crate::model::{
    Indicator, IndicatorKind, Knowledge, Metadata, ScreenId, StepAction, SuccessCriteria, TaskDefinition, TaskId,
    TaskStep,
};
use serde_json::Value;
use std::collections::BTreeMap;

/// Messages of the last page that become criteria.
const MAX_MESSAGES: usize = 3;

/// Adds a task for each recording that has a goal or a name.
pub(crate) fn add(knowledge: &mut Knowledge, recordings: &[&Recording], placed: &Placed) {
    let mut runs: BTreeMap<&str, u32> = BTreeMap::new();
    for recording in recordings {
        *runs.entry(&recording.scenario).or_default() += 1;
    }
    for (at, recording) in recordings.iter().enumerate() {
        if recording.steps.is_empty() || (recording.scenario.is_empty() && recording.goal.is_empty()) {
            continue;
        }
        let once = runs.get(recording.scenario.as_str()) == Some(&1);
        let hash = if once { "" } else { recording.trace_hash.as_str() };
        let task_id = TaskId(ids::id(&recording.scenario, &[recording.website_id.as_str(), &recording.scenario, hash]));
        let screen_at = |position: usize| placed.get(&(at, position));
        let steps: Vec<TaskStep> =
            (0..recording.steps.len()).map(|position| step(knowledge, recording, position, &screen_at)).collect();
        let last = recording.steps.len() - 1;
        let task = TaskDefinition {
            task_id: task_id.clone(),
            knowledge_id: knowledge.knowledge_id.clone(),
            website_id: recording.website_id.clone(),
            name: recording.scenario.clone(),
            description: recording.without_secrets(&recording.goal),
            success_criteria: criteria(knowledge, recording, screen_at(last)),
            provenance: steps.iter().filter_map(|step| step.provenance.clone()).collect(),
            steps,
            metadata: Metadata::default(),
        };
        let flow = if task.name.is_empty() { task.description.clone() } else { task.name.clone() };
        for step in &task.steps {
            if let Some(screen) = step.expected_screen_id.as_ref().and_then(|id| knowledge.screens.get_mut(id))
                && !screen.user_flows.contains(&flow)
            {
                screen.user_flows.push(flow.clone());
                screen.user_flows.sort();
            }
        }
        knowledge.tasks.insert(task_id, task);
    }
}

fn step<'p>(
    knowledge: &Knowledge,
    recording: &Recording,
    position: usize,
    screen_at: &impl Fn(usize) -> Option<&'p ScreenId>,
) -> TaskStep {
    let seen = &recording.steps[position];
    let from = seen.done.as_ref().and_then(|done| screen_at(done.on));
    let id = || actions::id_of(knowledge, recording, seen, from, screen_at(position));
    TaskStep {
        order: position as u32,
        description: describe(seen),
        action: step_action(recording, seen),
        action_id: if position == 0 || seen.done.is_some() { id() } else { None },
        screen_id: from.cloned(),
        expected_screen_id: screen_at(position).cloned(),
        shown_ms: seen.done.as_ref().map(|done| shown_ms(recording, done.on, screen_at)).filter(|ms| *ms > 0),
        provenance: Some(recording.provenance(seen)),
        metadata: Metadata::default(),
    }
}

/// How long a screen had been shown when something was done on a step's page.
fn shown_ms<'p>(recording: &Recording, on: usize, screen_at: &impl Fn(usize) -> Option<&'p ScreenId>) -> u64 {
    let of_screen = (0..=on).rev().take_while(|position| screen_at(*position) == screen_at(on));
    of_screen.map(|position| recording.steps[position].waited_ms).sum()
}

fn describe(seen: &Seen) -> String {
    match &seen.done {
        Some(done) => actions::name_of(done, seen),
        None => format!("Open {}", seen.view.url),
    }
}

fn step_action(recording: &Recording, seen: &Seen) -> StepAction {
    let Some(done) = &seen.done else {
        let url = recording.without_secrets(&seen.view.url);
        return StepAction {
            action_type: "navigate".to_owned(),
            target: url.clone(),
            parameters: BTreeMap::from([("url".to_owned(), Value::String(url))]),
        };
    };
    let target = done.target.as_ref().map(|target| format!("{} \"{}\"", target.role, target.called()));
    StepAction {
        action_type: actions::type_of(done).to_owned(),
        target: target.unwrap_or_default(),
        parameters: actions::parameters(done, seen, recording),
    }
}

fn criteria(knowledge: &Knowledge, recording: &Recording, screen: Option<&ScreenId>) -> SuccessCriteria {
    let mut criteria = SuccessCriteria { screen_id: screen.cloned(), indicators: Vec::new() };
    let Some(last) = recording.steps.last() else { return criteria };
    let before = recording.steps.iter().rev().nth(1);
    // What the page said only then is what tells that it was done.
    let said =
        last.view.messages.iter().filter(|message| before.is_none_or(|seen| !seen.view.messages.contains(*message)));
    let said = said.filter(|message| is_indicator_text(message)).take(MAX_MESSAGES);
    criteria.indicators.extend(said.map(|message| {
        let message = recording.without_secrets(message);
        Indicator::text(message, "[role=\"status\"], [role=\"alert\"]", "what the page said at the end")
    }));
    let Some(screen) = screen.and_then(|id| knowledge.screens.get(id)) else { return criteria };
    let text = last.view.text().to_lowercase();
    let held = |indicator: &&Indicator| match (indicator.kind, &indicator.value, &indicator.pattern) {
        (IndicatorKind::DomContains, Some(value), _) => text.contains(&value.to_lowercase()),
        (IndicatorKind::UrlMatches, _, Some(_)) => true,
        _ => false,
    };
    criteria.indicators.extend(screen.state_signature.required_indicators.iter().filter(held).cloned());
    criteria
}
