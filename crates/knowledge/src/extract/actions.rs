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
use serde_json::{Number, Value};
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
            format!("{} {} {}", target.role, done.built, target.within.as_deref().map(stable_words).unwrap_or_default())
        }
        (Some(target), _) => words(target),
        (None, _) => format!("{parameters:?}"),
    };
    // To drag the same thing elsewhere is another action.
    let key = if done.kind == ActionKind::Drag { format!("{key}{}", drop_key(done)) } else { key };
    let key = format!("{action_type} {key} {}", if done.kind == ActionKind::Press { done.text.as_str() } else { "" });
    let name = name_of(done, seen);
    // What a card is called is no part of the id of an action on any card.
    let varies = done.target.as_ref().is_some_and(|target| target.name_varies);
    let called = if varies {
        format!("{action_type} any {}", done.target.as_ref().map_or("", |target| &target.role))
    } else {
        name.clone()
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

fn drop_key(done: &Done) -> String {
    done.meant.iter().map(|(name, value)| format!(" {name}={value}")).collect()
}

fn words(target: &ElementTarget) -> String {
    // What encloses a node may be one of many although the node is always called the same: the cart
    // button of a product.
    let has_number = |within: &ElementTarget| within.name.chars().chain(within.text.chars()).any(char::is_numeric);
    let of_ancestor = |within: &ElementTarget| if has_number(within) { stable_words(within) } else { words(within) };
    let within = target.within.as_deref().map(of_ancestor).unwrap_or_default();
    format!("{:?} {:?} {:?} {:?} in [{within}]", target.role, target.name, target.text, target.nth)
}

/// Words of an ancestor without its name: that may be one of many as well.
fn stable_words(target: &ElementTarget) -> String {
    format!("{:?}", target.role)
}

/// Returns the type of an action, in the vocabulary that browser-use's tools are named after.
pub(super) fn type_of(done: &Done) -> &'static str {
    match done.kind {
        ActionKind::Goto => "navigate",
        ActionKind::Click => "click",
        ActionKind::DoubleClick => "double_click",
        ActionKind::RightClick => "right_click",
        ActionKind::Hover => "hover",
        ActionKind::Fill => "input",
        ActionKind::Type => "type_slowly",
        ActionKind::Press => "send_keys",
        ActionKind::Select => "select_dropdown",
        ActionKind::Check if done.text == "false" => "uncheck",
        ActionKind::Check => "check",
        ActionKind::Upload => "upload_file",
        ActionKind::Drag => "drag_drop",
        ActionKind::Scroll => "scroll",
        ActionKind::Back => "go_back",
        ActionKind::Forward => "go_forward",
        ActionKind::WaitFor => "wait_for",
        ActionKind::SwitchTab => "switch",
        ActionKind::CloseTab => "close",
        ActionKind::Dialog => "dialog",
    }
}

pub(super) fn parameters(done: &Done, seen: &Seen, recording: &Recording) -> BTreeMap<String, Value> {
    let text = recording.without_secrets(&done.text);
    let mut parameters: BTreeMap<String, Value> = BTreeMap::new();
    let mut tell = |key: &str, value: String| parameters.insert(key.to_owned(), Value::String(value));
    match done.kind {
        ActionKind::Goto if text.is_empty() => drop(tell("url", seen.view.url.clone())),
        ActionKind::Goto => drop(tell("url", text)),
        ActionKind::Fill | ActionKind::Type | ActionKind::Select => drop(tell("text", text)),
        ActionKind::Press => drop(tell("keys", text)),
        ActionKind::Upload => drop(tell("path", text)),
        ActionKind::WaitFor | ActionKind::Dialog | ActionKind::SwitchTab if !text.is_empty() => {
            drop(tell("text", text))
        }
        _ => {}
    }
    parameters.extend(done.meant.clone());
    if let Some((x, y)) = done.point {
        for (key, value) in [("coordinate_x", x), ("coordinate_y", y)] {
            if value.is_finite() {
                parameters.insert(key.to_owned(), Value::Number(Number::from(value.round() as i64)));
            }
        }
    }
    parameters
}

/// Returns what a person would call the action.
pub(super) fn name_of(done: &Done, seen: &Seen) -> String {
    let target = done.target.as_ref().map(|target| {
        let called = if target.name.is_empty() { &target.text } else { &target.name };
        let role = if target.role.is_empty() { "element" } else { target.role.as_str() };
        if called.is_empty() { role.to_lowercase() } else { format!("{} \"{called}\"", role.to_lowercase()) }
    });
    let verb = match done.kind {
        ActionKind::Goto => return format!("Open {}", seen.view.url),
        ActionKind::Click => "Click",
        ActionKind::DoubleClick => "Double-click",
        ActionKind::RightClick => "Right-click",
        ActionKind::Hover => "Hover over",
        ActionKind::Fill => "Fill",
        ActionKind::Type => "Type into",
        ActionKind::Press => "Press a key in",
        ActionKind::Select => "Choose in",
        ActionKind::Check if done.text == "false" => "Uncheck",
        ActionKind::Check => "Check",
        ActionKind::Upload => "Upload a file with",
        ActionKind::Drag => "Drag",
        ActionKind::Scroll => "Scroll",
        ActionKind::Back => return "Go back".to_owned(),
        ActionKind::Forward => return "Go forward".to_owned(),
        ActionKind::WaitFor => "Wait for",
        ActionKind::SwitchTab => return "Switch the tab".to_owned(),
        ActionKind::CloseTab => return "Close the tab".to_owned(),
        ActionKind::Dialog => return "Answer the browser's dialog".to_owned(),
    };
    format!("{verb} {}", target.as_deref().unwrap_or("the page"))
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
    let mut total: BTreeMap<(ScreenId, Option<ActionId>), u32> = BTreeMap::new();
    for transition in knowledge.transitions.values() {
        *total.entry((transition.from_screen_id.clone(), transition.action_id.clone())).or_default() +=
            transition.count;
    }
    for transition in knowledge.transitions.values_mut() {
        let all = total.get(&(transition.from_screen_id.clone(), transition.action_id.clone())).copied().unwrap_or(0);
        let confidence = f64::from(transition.count) / f64::from(all.max(1));
        transition.metadata = Metadata { confidence, ..Metadata::default() };
    }
}
