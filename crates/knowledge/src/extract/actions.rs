//! Actions and transitions of what was done between steps.
//!
//! In: recordings, and the screen of each step. Out: actions and transitions in a [`Knowledge`].
//! Invariants: an action is done on one screen; nodes that are one of many (the cards of a listing)
//! make one action whose target says that its name varies; a transition's confidence is the share
//! of times that its action led there from its screen.

use super::ids;
use super::recording::{Done, Recording, Seen};
use super::screens::Placed;
use crate::model::{
    ActionDefinition, ActionId, ElementTarget, Knowledge, Metadata, Provenance, ScreenId, TransitionDefinition,
    TransitionId, WebsiteId,
};
use browserlens_core::strategy::ActionKind;
use serde_json::Value;
use std::collections::BTreeMap;

/// Adds what was done in all recordings.
pub(crate) fn add(knowledge: &mut Knowledge, recordings: &[&Recording], placed: &Placed) {
    for (at, recording) in recordings.iter().enumerate() {
        for (position, seen) in recording.steps.iter().enumerate() {
            let Some(to) = placed.get(&(at, position)) else { continue };
            let website_of = |screen: &ScreenId| knowledge.screens[screen].website_id.clone();
            let provenance = recording.provenance(seen);
            let Some(done) = &seen.done else {
                // A recording begins by opening a page: that is known to work from anywhere.
                if position == 0 && seen.step == 0 {
                    let action = opening(&website_of(to), seen);
                    note(knowledge, action, provenance);
                }
                continue;
            };
            let Some(from) = placed.get(&(at, done.on)).filter(|_| !done.failed) else { continue };
            let website = website_of(from);
            let action = action(&website, from, done, seen, recording);
            let action_id = note(knowledge, action, provenance.clone());
            add_transition(knowledge, &website, from, to, &action_id, provenance);
        }
    }
    set_confidence(knowledge);
}

/// Returns the id of the action that led from one screen to another, as [`add`] gave it.
pub(crate) fn id_of(
    knowledge: &Knowledge,
    recording: &Recording,
    seen: &Seen,
    from: Option<&ScreenId>,
    to: Option<&ScreenId>,
) -> Option<ActionId> {
    let website_of = |screen: &ScreenId| Some(&knowledge.screens.get(screen)?.website_id);
    match (&seen.done, from) {
        (Some(done), Some(from)) if !done.failed => {
            Some(action(website_of(from)?, from, done, seen, recording).action_id)
        }
        (None, None) => Some(opening(website_of(to?)?, seen).action_id),
        _ => None,
    }
}

/// Counts one doing of an action.
fn note(knowledge: &mut Knowledge, mut action: ActionDefinition, provenance: Provenance) -> ActionId {
    let id = action.action_id.clone();
    action.knowledge_id = knowledge.knowledge_id.clone();
    let known = knowledge.actions.entry(id.clone()).or_insert(action);
    known.count += 1;
    known.provenance.push(provenance);
    known.provenance.sort();
    id
}

fn opening(website: &WebsiteId, seen: &Seen) -> ActionDefinition {
    let url = &seen.view.url;
    ActionDefinition {
        action_id: ActionId(ids::id("open", &[website.as_str(), url])),
        website_id: website.clone(),
        name: format!("Open {url}"),
        action_type: "navigate".to_owned(),
        parameters: BTreeMap::from([("url".to_owned(), Value::String(url.clone()))]),
        ..ActionDefinition::default()
    }
}

fn action(website: &WebsiteId, from: &ScreenId, done: &Done, seen: &Seen, recording: &Recording) -> ActionDefinition {
    let action_type = type_of(done);
    let parameters = parameters(done, seen, recording);
    let key = match (&done.target, done.point) {
        // A canvas is one node; what is meant lies at a point of it.
        (Some(target), Some(point)) if target.role.eq_ignore_ascii_case("canvas") => {
            format!("{} {point:?}", words(target))
        }
        (Some(target), _) if target.name_varies => {
            // What encloses it may be one of many as well: its name is no part of the key.
            let within = target.within.as_ref().map(|within| format!("{:?}", within.role)).unwrap_or_default();
            format!("{} {} {within}", target.role, done.built)
        }
        (Some(target), _) => words(target),
        (None, _) => format!("{parameters:?}"),
    };
    // To drag the same thing elsewhere is another action.
    let ends = done.meant.iter().filter(|_| done.kind == ActionKind::Drag);
    let ends: String = ends.map(|(name, value)| format!(" {name}={value}")).collect();
    let pressed = if done.kind == ActionKind::Press { done.text.as_str() } else { "" };
    let key = format!("{action_type} {key}{ends} {pressed}");
    let name = name_of(done, seen);
    // What a card is called is no part of the id of an action on any card.
    let called = match &done.target {
        Some(target) if target.name_varies => format!("{action_type} any {}", target.role),
        _ => name.clone(),
    };
    ActionDefinition {
        action_id: ActionId(ids::id(&called, &[website.as_str(), from.as_str(), &key])),
        website_id: website.clone(),
        name,
        action_type: action_type.to_owned(),
        target_selector: done.selector.clone(),
        target: done.target.clone(),
        parameters,
        screen_ids: vec![from.clone()],
        ..ActionDefinition::default()
    }
}

fn words(target: &ElementTarget) -> String {
    // What encloses a node may be one of many although the node is always called the same: the cart
    // button of a product.
    let has_number = |within: &ElementTarget| within.name.chars().chain(within.text.chars()).any(char::is_numeric);
    let of_ancestor =
        |within: &ElementTarget| if has_number(within) { format!("{:?}", within.role) } else { words(within) };
    let within = target.within.as_deref().map(of_ancestor).unwrap_or_default();
    format!("{:?} {:?} {:?} {:?} in [{within}]", target.role, target.name, target.text, target.nth)
}

/// Returns the type of an action, in the vocabulary that browser-use's tools are named after, and what
/// a person would call it; `{}` stands for its target.
fn words_for(done: &Done) -> (&'static str, &'static str) {
    match done.kind {
        ActionKind::Goto => ("navigate", "Open {}"),
        ActionKind::Click => ("click", "Click {}"),
        ActionKind::DoubleClick => ("double_click", "Double-click {}"),
        ActionKind::RightClick => ("right_click", "Right-click {}"),
        ActionKind::Hover => ("hover", "Hover over {}"),
        ActionKind::Fill => ("input", "Fill {}"),
        ActionKind::Type => ("type_slowly", "Type into {}"),
        ActionKind::Press => ("send_keys", "Press a key in {}"),
        ActionKind::Select => ("select_dropdown", "Choose in {}"),
        ActionKind::Check if done.text == "false" => ("uncheck", "Uncheck {}"),
        ActionKind::Check => ("check", "Check {}"),
        ActionKind::Upload => ("upload_file", "Upload a file with {}"),
        ActionKind::Drag => ("drag_drop", "Drag {}"),
        ActionKind::Scroll => ("scroll", "Scroll {}"),
        ActionKind::Back => ("go_back", "Go back"),
        ActionKind::Forward => ("go_forward", "Go forward"),
        ActionKind::WaitFor => ("wait_for", "Wait for {}"),
        ActionKind::SwitchTab => ("switch", "Switch the tab"),
        ActionKind::CloseTab => ("close", "Close the tab"),
        ActionKind::Dialog => ("dialog", "Answer the browser's dialog"),
    }
}

pub(super) fn type_of(done: &Done) -> &'static str {
    words_for(done).0
}

pub(super) fn parameters(done: &Done, seen: &Seen, recording: &Recording) -> BTreeMap<String, Value> {
    let text = recording.without_secrets(&done.text);
    let mut parameters: BTreeMap<String, Value> = BTreeMap::new();
    let said = match done.kind {
        ActionKind::Goto if text.is_empty() => Some(("url", seen.view.url.clone())),
        ActionKind::Goto => Some(("url", text)),
        ActionKind::Fill | ActionKind::Type | ActionKind::Select => Some(("text", text)),
        ActionKind::Press => Some(("keys", text)),
        ActionKind::Upload => Some(("path", text)),
        ActionKind::WaitFor | ActionKind::Dialog | ActionKind::SwitchTab => {
            Some(("text", text)).filter(|(_, text)| !text.is_empty())
        }
        _ => None,
    };
    parameters.extend(said.map(|(key, value)| (key.to_owned(), Value::String(value))));
    parameters.extend(done.meant.clone());
    let point = done.point.map(|(x, y)| [("coordinate_x", x), ("coordinate_y", y)]);
    for (key, value) in point.into_iter().flatten().filter(|(_, value)| value.is_finite()) {
        parameters.insert(key.to_owned(), Value::from(value.round() as i64));
    }
    parameters
}

/// Returns what a person would call the action.
pub(super) fn name_of(done: &Done, seen: &Seen) -> String {
    let target = match &done.target {
        _ if done.kind == ActionKind::Goto => seen.view.url.clone(),
        None => "the page".to_owned(),
        Some(target) => {
            let role = if target.role.is_empty() { "element".to_owned() } else { target.role.to_lowercase() };
            if target.called().is_empty() { role } else { format!("{role} \"{}\"", target.called()) }
        }
    };
    words_for(done).1.replace("{}", &target)
}

fn add_transition(
    knowledge: &mut Knowledge,
    website: &WebsiteId,
    from: &ScreenId,
    to: &ScreenId,
    action: &ActionId,
    provenance: Provenance,
) {
    let id = TransitionId(ids::id("to", &[from.as_str(), action.as_str(), to.as_str()]));
    let transition = knowledge.transitions.entry(id.clone()).or_insert_with(|| TransitionDefinition {
        transition_id: id,
        knowledge_id: knowledge.knowledge_id.clone(),
        website_id: website.clone(),
        from_screen_id: from.clone(),
        to_screen_id: to.clone(),
        action_id: Some(action.clone()),
        ..TransitionDefinition::default()
    });
    transition.count += 1;
    transition.provenance.push(provenance);
    transition.provenance.sort();
}

fn set_confidence(knowledge: &mut Knowledge) {
    let key = |way: &TransitionDefinition| (way.from_screen_id.clone(), way.action_id.clone());
    let mut total: BTreeMap<(ScreenId, Option<ActionId>), u32> = BTreeMap::new();
    for transition in knowledge.transitions.values() {
        *total.entry(key(transition)).or_default() += transition.count;
    }
    for transition in knowledge.transitions.values_mut() {
        let confidence = f64::from(transition.count) / f64::from(total[&key(transition)].max(1));
        transition.metadata = Metadata { confidence, ..Metadata::default() };
    }
}
