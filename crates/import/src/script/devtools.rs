//! Recordings of the DevTools Recorder.
//!
//! In: `{title, steps: [{type, selectors, …}]}`. Out: a [`Script`]. Invariant: of a step's
//! selectors the one that says most of the node is taken: role and name, then CSS, then text, then
//! a plain XPath.

use super::{Script, list, selector, side};
use crate::error::ImportError;
use crate::json::{number, text};
use crate::plan::stem;
use serde_json::Value;
use std::path::Path;
use toml::Table;

/// Keys that only change what another key means.
const MODIFIERS: [&str; 4] = ["Control", "Shift", "Alt", "Meta"];

pub(crate) fn scripts(path: &Path, file: &Value) -> Result<Vec<Script>, ImportError> {
    let steps = list(path, file, "steps")?;
    let title = Some(text(file, "title").to_owned()).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| stem(path, "imported"));
    let mut script = Script::new(&title, "a DevTools Recorder script");
    let mut held: Vec<&str> = Vec::new();
    let mut scrolled = (0.0, 0.0);
    for (at, step) in steps.iter().enumerate() {
        let kind = text(step, "type");
        match kind {
            "setViewport" => script.viewport = side(&step["width"]).zip(side(&step["height"])),
            "navigate" => script.open(text(step, "url")),
            "keyDown" => {
                let key = text(step, "key");
                if MODIFIERS.contains(&key) {
                    if !held.contains(&key) {
                        held.push(key);
                    }
                } else if !key.is_empty() {
                    let chord = held.iter().copied().chain([key]).collect::<Vec<_>>().join("+");
                    script.step("press", chord);
                }
            }
            "keyUp" => held.retain(|key| *key != text(step, "key")),
            "scroll" if step["selectors"].as_array().is_none_or(Vec::is_empty) => {
                let to = (number(step, "x").unwrap_or(0.0), number(step, "y").unwrap_or(0.0));
                script.scroll("page", to.0 - scrolled.0, to.1 - scrolled.1);
                scrolled = to;
            }
            "click" | "doubleClick" | "hover" | "change" | "waitForElement" => {
                let Some((target, role)) = target(&step["selectors"]) else {
                    script.gap(at, kind, "none of its selectors can be said here");
                    continue;
                };
                on_target(&mut script, at, step, target, &role);
            }
            "close" => script.gap(at, kind, "a recording ends by itself"),
            other => script.gap(at, other, "a scenario has no such step"),
        }
        if step["frame"].as_array().is_some_and(|frame| !frame.is_empty()) {
            script.gap(at, "its frame", "targets are looked for in every frame");
        }
    }
    Ok(vec![script])
}

fn on_target(script: &mut Script, at: usize, step: &Value, target: Table, role: &str) {
    match text(step, "type") {
        "doubleClick" => script.step("double_click", target),
        "hover" => script.step("hover", target),
        "waitForElement" => script.step("wait_for", target),
        "change" => {
            let value = text(step, "value");
            let words = step["selectors"].to_string().to_ascii_lowercase();
            if ["combobox", "listbox"].contains(&role) || words.contains("select") {
                script.step_with("select", target, "option", value);
                script.gap(at, "what was chosen", "it is told by value, and options are chosen by their label");
            } else {
                script.enter("fill", at, target, value, looks_secret(&words));
            }
        }
        _ if step["button"] == "secondary" => script.step("right_click", target),
        _ => script.step("click", target),
    }
}

/// Returns whether a field's names say that its value is secret.
pub(super) fn looks_secret(words: &str) -> bool {
    ["passw", "pwd", "secret", "otp", "one-time", "token", "pin-code", "cvc", "cvv"]
        .iter()
        .any(|word| words.contains(word))
}

/// Returns the best target of a list of selectors, and its role if it has one.
fn target(selectors: &Value) -> Option<(Table, String)> {
    let last = |one: &Value| match one {
        Value::Array(chain) => chain.iter().filter_map(Value::as_str).next_back().map(str::to_owned),
        one => one.as_str().map(str::to_owned),
    };
    let lasts: Vec<String> = selectors.as_array()?.iter().filter_map(last).collect();
    let with_role = lasts.iter().filter_map(|one| one.strip_prefix("aria/")).find_map(|aria| {
        let (name, role) = aria.split_once("[role=")?;
        let role = role.trim_end_matches(']').trim_matches(['"', '\'']);
        Some((selector::role(role, name.trim()), role.to_owned()))
    });
    let prefixed = |one: &&String| ["aria/", "xpath/", "text/", "pierce/"].iter().any(|prefix| one.starts_with(prefix));
    let plain = || lasts.iter().find(|one| !prefixed(one) && !one.is_empty()).map(|css| selector::css(css));
    let pierce = || lasts.iter().find_map(|one| one.strip_prefix("pierce/")).map(selector::css);
    let by_text = || {
        lasts.iter().find_map(|one| one.strip_prefix("text/").or_else(|| one.strip_prefix("aria/"))).map(selector::text)
    };
    let by_path = || lasts.iter().find_map(|one| selector::xpath(one.strip_prefix("xpath/")?));
    with_role.or_else(|| Some((plain().or_else(pierce).or_else(by_text).or_else(by_path)?, String::new())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{read_text, scenario};

    #[test]
    fn a_recording_becomes_a_scenario_that_parses() {
        let read = read_text(
            scripts,
            r##"{"title":"Order","steps":[
            {"type":"setViewport","width":1000,"height":700},
            {"type":"navigate","url":"http://a.test/","assertedEvents":[]},
            {"type":"click","selectors":[["aria/Go[role=\"button\"]"],["#go"]],"offsetX":1,"offsetY":2},
            {"type":"change","value":"lamp","selectors":[["aria/Search"],["#q"]]},
            {"type":"change","value":"hunter2","selectors":[["#password"]]},
            {"type":"change","value":"low","selectors":[["aria/Sort[role=\"combobox\"]"]]},
            {"type":"keyDown","key":"Control"},{"type":"keyDown","key":"a"},{"type":"keyUp","key":"a"},{"type":"keyUp",
                "key":"Control"},{"type":"keyDown","key":"Enter"},
            {"type":"scroll","x":0,"y":300},{"type":"scroll","x":0,"y":200},
            {"type":"waitForElement","selectors":["text/Done"]},
            {"type":"waitForExpression","expression":"1"},
            {"type":"click","selectors":[["xpath///a[contains(.,'x')]"]]},
            {"type":"navigate","url":"http://a.test/b"}]}"##,
        );
        let script = read.expect("reads").remove(0);
        let (scenario, toml, kinds) = scenario(&script);
        assert_eq!(
            kinds,
            ["click", "fill", "fill", "select", "press", "press", "scroll", "scroll", "wait_for", "goto"]
        );
        assert_eq!((scenario.url.as_deref(), scenario.viewport.width), (Some("http://a.test/"), 1000));
        assert!(!toml.contains("hunter2") && toml.contains("SECRET_1") && toml.contains("Control+a"), "{toml}");
        assert!(script.gaps.iter().any(|gap| gap.contains("waitForExpression")), "{:?}", script.gaps);
        assert!(script.gaps.iter().any(|gap| gap.starts_with("step 16: click")), "{:?}", script.gaps);
    }
}
