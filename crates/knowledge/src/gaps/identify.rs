//! Finds the gaps.
//!
//! In: a [`Knowledge`]. Out: [`ActionGap`]s in a fixed order. A gap is
//! - a transition without an action: between the last known action of the screen it begins at and
//!   the first of the one it ends at;
//! - two steps of a task of which the second is not done where the first one led;
//! - two steps of a written task between which every recording that does both does something more
//!   (`meant`).
//!
//! Beside them forms that a task sends without having filled a required
//! field, which is a gap before the action that sends. What the page fills itself is none.

use super::ActionGap;
use super::meant::{Recorded, neighbours};
use crate::model::{
    ActionDefinition, ActionId, ElementTarget, FormField, Knowledge, Provenance, ScreenId, TaskDefinition, TaskStep,
    WebsiteId,
};
use crate::purpose::is_read;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Returns the gaps of a website; of all if it is empty.
pub fn identify(knowledge: &Knowledge, website: &WebsiteId) -> Vec<ActionGap> {
    let website_of = |screen: &ScreenId| knowledge.screens.get(screen).map(|screen| &screen.website_id);
    // A task may lead over several websites: what counts is where the gap is.
    let is_of = |gap: &ActionGap| {
        let mut screens = gap.from_screen_id.iter().chain(&gap.to_screen_id);
        website.as_str().is_empty() || screens.any(|screen| website_of(screen) == Some(website))
    };
    let mut gaps: Vec<ActionGap> = Vec::new();
    let order = order_of_actions(knowledge);
    let on = |screen: &ScreenId| -> Vec<ActionId> {
        let mut actions: Vec<&ActionDefinition> = knowledge.actions_on(screen).collect();
        actions.sort_by_key(|action| (order.get(&action.action_id).copied().unwrap_or(u32::MAX), &action.action_id));
        actions.into_iter().map(|action| action.action_id.clone()).collect()
    };
    let mut seen = BTreeSet::new();
    let mut add = |gap: ActionGap| {
        if is_of(&gap) && seen.insert((gap.from_action_id.clone(), gap.to_action_id.clone())) {
            gaps.push(gap);
        }
    };
    for transition in knowledge.transitions.values().filter(|way| way.action_id.is_none()) {
        let (before, after) = (on(&transition.from_screen_id), on(&transition.to_screen_id));
        let (Some(before), Some(after)) = (before.last(), after.first()) else { continue };
        add(ActionGap {
            from_action_id: before.clone(),
            to_action_id: after.clone(),
            from_screen_id: Some(transition.from_screen_id.clone()),
            to_screen_id: Some(transition.to_screen_id.clone()),
            context: told([
                ("transition_id", transition.transition_id.as_str().into()),
                ("why", "a transition without an action".into()),
            ]),
        });
    }
    let mut recorded: BTreeMap<&WebsiteId, Recorded<'_>> = BTreeMap::new();
    for task in knowledge.tasks.values() {
        let recorded = is_read(&task.provenance)
            .then(|| &*recorded.entry(&task.website_id).or_insert_with(|| Recorded::of(knowledge, &task.website_id)));
        let task = recorded.map_or(Cow::Borrowed(task), |recorded| Cow::Owned(recorded.meant_by(task)));
        incomplete_forms(knowledge, &task).into_iter().for_each(&mut add);
        for (at, before, after) in neighbours(&task) {
            let (Some(led), Some(done_on)) = (&before.expected_screen_id, &after.screen_id) else { continue };
            let (Some(from), Some(to)) = (&before.action_id, &after.action_id) else { continue };
            let between = recorded.and_then(|recorded| recorded.between(from, to));
            if between.map_or(led != done_on, |steps| steps > 0) {
                let why = match between {
                    Some(_) => "recordings do more between the two steps",
                    None => "the next step is done elsewhere",
                };
                let task = task.task_id.as_str();
                add(ActionGap {
                    from_action_id: from.clone(),
                    to_action_id: to.clone(),
                    from_screen_id: Some(led.clone()),
                    to_screen_id: Some(done_on.clone()),
                    context: told([("task_id", task.into()), ("why", why.into()), ("position", at.into())]),
                });
            }
        }
    }
    gaps
}

fn told<const N: usize>(facts: [(&str, Value); N]) -> BTreeMap<String, Value> {
    facts.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// When each action was first done in a recording, or on which line of a document it stands: that
/// is what "last" and "first" mean on a screen.
fn order_of_actions(knowledge: &Knowledge) -> BTreeMap<ActionId, u32> {
    let place = |source: &Provenance| match source {
        Provenance::Trace { step, .. } => Some(*step),
        Provenance::Document { line, .. } => Some(*line),
        Provenance::Crawl { .. } | Provenance::Inferred { .. } => None,
    };
    let first = |action: &ActionDefinition| action.provenance.iter().filter_map(place).min();
    knowledge.actions.values().filter_map(|action| Some((action.action_id.clone(), first(action)?))).collect()
}

/// Returns a gap for each form that a task sends with required fields left out: between the step
/// before and the one that sends.
fn incomplete_forms(knowledge: &Knowledge, task: &TaskDefinition) -> Vec<ActionGap> {
    let mut found = Vec::new();
    for (position, step) in task.steps.iter().enumerate().skip(1) {
        let (Some(screen_id), Some(action_id)) = (&step.screen_id, &step.action_id) else { continue };
        let (Some(screen), Some(action)) = (knowledge.screens.get(screen_id), knowledge.actions.get(action_id)) else {
            continue;
        };
        let name = action.target.as_ref().map_or("", |target| target.name.as_str());
        let sends =
            |submit: &Option<String>| submit.as_deref().is_some_and(|submit| !submit.is_empty() && submit == name);
        let is_submit = action.action_type == "submit_form";
        let Some(form) = screen.forms.iter().find(|form| sends(&form.submit) || is_submit && screen.forms.len() == 1)
        else {
            continue;
        };
        // A dialog over the form, such as a calendar, empties nothing.
        let is_over = |id: &ScreenId| {
            let parent = knowledge.screens.get(id).and_then(|screen| screen.parent_screen_id.as_ref());
            id == screen_id || parent == Some(screen_id)
        };
        let filled: Vec<&ElementTarget> = task.steps[..position]
            .iter()
            .rev()
            .take_while(|before| before.action_id.is_none() || before.screen_id.as_ref().is_some_and(is_over))
            .filter_map(|before| knowledge.actions.get(before.action_id.as_ref()?)?.target.as_ref())
            .collect();
        let is_filled = |field: &FormField| {
            let of_group = |other: &FormField| !other.group.is_empty() && other.group == field.group;
            let mut same = form.fields.iter().filter(|other| *other == field || of_group(other));
            same.any(|field| {
                let is_named = |step: &TaskStep| step.action_id.is_none() && step.action.target == field.name;
                field.prefilled
                    || filled.iter().any(|target| target.is_called(&field.name))
                    || task.steps[..position].iter().any(is_named)
            })
        };
        let is_missing = |field: &&FormField| field.required && !field.name.is_empty() && !is_filled(field);
        let missing: Vec<&str> = form.fields.iter().filter(is_missing).map(|field| field.name.as_str()).collect();
        let mut before = task.steps[..position].iter().rev().filter_map(|step| Some((step, step.action_id.as_ref()?)));
        let Some((before, from)) = before.next().filter(|_| !missing.is_empty()) else { continue };
        let context = told([
            ("task_id", task.task_id.as_str().into()),
            ("why", "required fields are not filled".into()),
            ("missing_fields", missing.into()),
        ]);
        found.push(ActionGap {
            from_action_id: from.clone(),
            to_action_id: action_id.clone(),
            from_screen_id: before.screen_id.clone(),
            to_screen_id: Some(screen_id.clone()),
            context,
        });
    }
    found
}
