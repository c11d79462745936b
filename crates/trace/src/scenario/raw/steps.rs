//! A step of a scenario: from the spelling of its keys to what is done, and on what.

use super::{RawEnv, RawStep, RawTarget, RawTypeTarget, RawValue, all, fact_of, state_fact_of};
use crate::scenario::target::{Target, TargetBy};
use crate::scenario::{Action, Step, Value};

impl TryFrom<RawStep> for Step {
    type Error = String;

    fn try_from(mut raw: RawStep) -> Result<Self, String> {
        let action = action_of(&mut raw)?;
        let unused = [
            ("on", raw.on.is_some()),
            ("to", raw.to.is_some()),
            ("text", raw.text.is_some()),
            ("option", raw.option.is_some()),
            ("checked", raw.checked.is_some()),
            ("files", raw.files.is_some()),
            ("by", raw.by.is_some()),
        ];
        if let Some((key, _)) = unused.iter().find(|(_, set)| *set) {
            return Err(format!("the key {key} does not belong to the action {}", action.kind()));
        }
        Ok(Step {
            action,
            facts: all(raw.facts, fact_of)?,
            fresh: all(raw.fresh, state_fact_of)?,
            require: all(raw.require, target_of)?,
            acceptable: all(raw.acceptable, target_of)?,
            optional: raw.optional,
            timeout_ms: raw.timeout_ms,
        })
    }
}

/// Makes the action of a node.
type OnNode = fn(Target) -> Action;

fn action_of(raw: &mut RawStep) -> Result<Action, String> {
    let mut actions: Vec<Action> = Vec::new();
    let need =
        |what: Option<Value>, action: &str, key: &str| what.ok_or_else(|| format!("{action} needs the key {key}"));
    actions.extend(raw.goto.take().map(|url| Action::Goto { url }));
    let on_a_node: [(_, OnNode); 4] = [
        (&mut raw.click, |on| Action::Click { on }),
        (&mut raw.double_click, |on| Action::DoubleClick { on }),
        (&mut raw.right_click, |on| Action::RightClick { on }),
        (&mut raw.hover, |on| Action::Hover { on }),
    ];
    for (given, action) in on_a_node {
        actions.extend(given.take().map(target_of).transpose()?.map(action));
    }
    if let Some(on) = raw.fill.take() {
        actions.push(Action::Fill { on: target_of(on)?, text: need(raw.text.take().map(value_of), "fill", "text")? });
    }
    if let Some(on) = raw.r#type.take() {
        let on = or_word(on, "focus", "type")?;
        actions.push(Action::Type { on, text: need(raw.text.take().map(value_of), "type", "text")? });
    }
    if let Some(key) = raw.press.take() {
        actions.push(Action::Press { key, on: raw.on.take().map(target_of).transpose()? });
    }
    if let Some(on) = raw.select.take() {
        actions.push(Action::Select {
            on: target_of(on)?,
            option: need(raw.option.take().map(value_of), "select", "option")?,
        });
    }
    if let Some(on) = raw.check.take() {
        actions.push(Action::Check { on: target_of(on)?, checked: raw.checked.take().unwrap_or(true) });
    }
    if let Some(on) = raw.upload.take() {
        let files = raw.files.take().ok_or("upload needs the key files")?;
        actions.push(Action::Upload { on: target_of(on)?, files });
    }
    if let Some(on) = raw.drag.take() {
        let to = raw.to.take().ok_or("drag needs the key to")?;
        actions.push(Action::Drag { on: target_of(on)?, to: target_of(to)? });
    }
    if let Some(on) = raw.scroll.take() {
        let by = raw.by.take().ok_or("scroll needs the key by = [x, y]")?;
        actions.push(Action::Scroll { on: or_word(on, "page", "scroll")?, by });
    }
    let is_set = |given: Option<bool>, action: Action| given.filter(|on| *on).map(|_| action);
    actions.extend(is_set(raw.back, Action::Back));
    actions.extend(is_set(raw.forward, Action::Forward));
    actions.extend(raw.wait_for.take().map(target_of).transpose()?.map(|on| Action::WaitFor { on }));
    actions.extend(raw.switch_tab.map(|index| Action::SwitchTab { index }));
    actions.extend(is_set(raw.close_tab, Action::CloseTab));
    if let Some(answer) = raw.dialog.take() {
        let accept = match answer.as_str() {
            "accept" => true,
            "dismiss" => false,
            other => return Err(format!("dialog is \"accept\" or \"dismiss\", not {other:?}")),
        };
        let text = match raw.text.take() {
            None => None,
            Some(RawValue::Literal(text)) => Some(text),
            Some(RawValue::Env(_)) => return Err("the text of a dialog is a plain string".to_owned()),
        };
        actions.push(Action::Dialog { accept, text });
    }
    match actions.len() {
        1 => Ok(actions.remove(0)),
        0 => Err("no action is given".to_owned()),
        _ => {
            let names: Vec<&str> = actions.iter().map(|action| action.kind().name()).collect();
            Err(format!("several actions are given: {}", names.join(", ")))
        }
    }
}

fn or_word(raw: RawTypeTarget, word: &str, action: &str) -> Result<Option<Target>, String> {
    match raw {
        RawTypeTarget::Target(target) => target_of(target).map(Some),
        RawTypeTarget::Word(given) if given == word => Ok(None),
        RawTypeTarget::Word(given) => Err(format!("{action} takes a target or {word:?}, not {given:?}")),
    }
}

fn value_of(raw: RawValue) -> Value {
    match raw {
        RawValue::Literal(text) => Value::Literal(text),
        RawValue::Env(RawEnv { env }) => Value::Env(env),
    }
}

pub(crate) fn target_of(raw: RawTarget) -> Result<Target, String> {
    let by = match (raw.role, raw.css, raw.text) {
        (Some(role), None, None) => TargetBy::Role { role, name: raw.name.clone() },
        (None, Some(selector), None) => TargetBy::Css { selector, point: raw.point },
        (None, None, Some(text)) => TargetBy::Text(text),
        (None, None, None) => return Err("a target needs role, css or text".to_owned()),
        _ => return Err("a target is named by one of role, css and text".to_owned()),
    };
    if raw.name.is_some() && !matches!(by, TargetBy::Role { .. }) {
        return Err("name goes with role".to_owned());
    }
    if raw.point.is_some() && !matches!(by, TargetBy::Css { .. }) {
        return Err("point goes with css".to_owned());
    }
    let within = raw.within.map(|within| target_of(*within)).transpose()?.map(Box::new);
    Ok(Target { by, within, nth: raw.nth })
}

pub(super) const STATES: [&str; 17] = [
    "checked", "unchecked", "mixed", "expanded", "collapsed", "selected", "unselected", "pressed", "unpressed",
    "disabled", "enabled", "invalid", "valid", "required", "readonly", "focused", "unfocused",
];
