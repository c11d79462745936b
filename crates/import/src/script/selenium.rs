//! Projects of Selenium IDE.
//!
//! In: a `.side` file: `{url, tests: [{name, commands: [{command, target, targets, value}]}]}`.
//! Out: a [`Script`] for each test. Invariant: what a test asserts about text becomes a fact of the
//! step before.

use super::devtools::looks_secret;
use super::{Script, list, selector, side};
use crate::error::ImportError;
use crate::json::text;
use crate::plan::stem;
use serde_json::Value;
use std::path::Path;
use toml::Table;

pub(crate) fn scripts(path: &Path, file: &Value) -> Result<Vec<Script>, ImportError> {
    let tests = list(path, file, "tests")?;
    let base = text(file, "url");
    let project = Some(text(file, "name").to_owned()).filter(|name| !name.is_empty());
    let project = project.unwrap_or_else(|| stem(path, "imported"));
    let mut scripts = Vec::new();
    for test in tests {
        let name = format!("{project} {}", text(test, "name"));
        let mut script = Script::new(name.trim(), "a Selenium IDE test");
        for (at, command) in list(path, test, "commands")?.iter().enumerate() {
            one(&mut script, at, command, base);
        }
        scripts.push(script);
    }
    Ok(scripts)
}

fn one(script: &mut Script, at: usize, command: &Value, base: &str) {
    let name = text(command, "command");
    let (target, value) = (text(command, "target"), text(command, "value"));
    if name.is_empty() || name.starts_with("//") {
        return;
    }
    let simple = match name {
        "click" | "clickAt" => "click",
        "doubleClick" | "doubleClickAt" => "double_click",
        "mouseOver" | "mouseMoveAt" => "hover",
        "check" | "uncheck" => "check",
        "waitForElementPresent" | "waitForElementVisible" => "wait_for",
        _ => "",
    };
    match name {
        "open" => {
            let whole = url::Url::parse(base).and_then(|base| base.join(target));
            script.open(whole.as_ref().map_or(target, url::Url::as_str));
        }
        "setWindowSize" => {
            let parts: Vec<Option<u32>> =
                target.split('x').map(|part| side(&Value::from(part.trim().parse::<f64>().unwrap_or(0.0)))).collect();
            if let [Some(width), Some(height)] = parts[..] {
                script.viewport = Some((width, height));
            }
        }
        "assertText" | "verifyText" | "assertTitle" | "verifyTitle" => {
            let said = if name.ends_with("Title") { target } else { value };
            if said.trim().is_empty() || name.ends_with("Title") || !script.fact(said) {
                script.gap(at, name, "it is no text that can be read after a step");
            }
        }
        "close" => script.step("close_tab", true),
        "webdriverChooseOkOnVisibleConfirmation" | "assertAlert" | "acceptAlert" => script.step("dialog", "accept"),
        "webdriverChooseCancelOnVisibleConfirmation" => script.step("dialog", "dismiss"),
        "webdriverAnswerOnVisiblePrompt" => script.step_with("dialog", "accept", "text", value),
        "selectFrame" => script.gap(at, name, "targets are looked for in every frame"),
        "sendKeys" if value.starts_with("${KEY_") => {
            let key = key_of(value);
            match found(command) {
                Some(on) => script.step_with("press", key, "on", on),
                None => script.step("press", key),
            }
        }
        "type" | "sendKeys" | "select" | "dragAndDropToObject" => match found(command) {
            None => script.gap(at, name, &format!("its target {target:?} cannot be said here")),
            Some(on) if name == "select" => {
                let label = value.strip_prefix("label=");
                script.step_with("select", on, "option", label.unwrap_or(value));
                if label.is_none() {
                    script.gap(at, "what was chosen", "it is not told by label, and options are chosen by that");
                }
            }
            Some(on) if name == "dragAndDropToObject" => match locator(value) {
                Some(to) => script.step_with("drag", on, "to", to),
                None => script.gap(at, name, &format!("its goal {value:?} cannot be said here")),
            },
            Some(on) => script.enter("fill", at, on, value, looks_secret(&target.to_ascii_lowercase())),
        },
        _ if !simple.is_empty() => match found(command) {
            Some(on) if simple == "check" => script.step_with("check", on, "checked", name == "check"),
            Some(on) => script.step(simple, on),
            None => script.gap(at, name, &format!("its target {target:?} cannot be said here")),
        },
        _ => script.gap(at, name, "a scenario has no such step"),
    }
}

/// Returns the target of a command: its own, or one of the others that the recorder noted.
fn found(command: &Value) -> Option<Table> {
    let others = command["targets"].as_array().into_iter().flatten().filter_map(|pair| pair[0].as_str());
    std::iter::once(text(command, "target")).chain(others).find_map(locator)
}

fn locator(locator: &str) -> Option<Table> {
    if locator.starts_with("//") {
        return selector::xpath(locator);
    }
    let (kind, value) = locator.split_once('=')?;
    match kind {
        "id" => Some(selector::attribute("", "id", value)),
        "name" => Some(selector::attribute("", "name", value)),
        "css" => Some(selector::css(value)),
        "class" => Some(selector::css(&format!(".{value}")))
            .filter(|_| value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))),
        "linkText" | "link" => Some(selector::role("link", value)),
        "xpath" => selector::xpath(value),
        _ => None,
    }
}

/// `${KEY_ENTER}` is `Enter`.
fn key_of(value: &str) -> String {
    let name = value.trim_start_matches("${KEY_").split('}').next().unwrap_or("");
    match name {
        "ENTER" | "RETURN" => "Enter".to_owned(),
        "TAB" => "Tab".to_owned(),
        "ESCAPE" | "ESC" => "Escape".to_owned(),
        "BACKSPACE" => "Backspace".to_owned(),
        "DELETE" => "Delete".to_owned(),
        "UP" | "DOWN" | "LEFT" | "RIGHT" => format!("Arrow{}{}", &name[..1], name[1..].to_ascii_lowercase()),
        other => other.chars().enumerate().map(|(at, c)| if at == 0 { c } else { c.to_ascii_lowercase() }).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::script::{read_text, scenario};

    #[test]
    fn a_project_becomes_a_scenario_for_each_test() {
        let json = r##"{"id":"1","version":"2.0","name":"Shop","url":"http://a.test","tests":[{"id":"2","name":"order",
            "commands":[
            {"command":"open","target":"/cart","value":""},{"command":"setWindowSize","target":"1200x900","value":""},
            {"command":"click","target":"id=go","value":""},{"command":"type","target":"name=password",
                "value":"hunter2"},
            {"command":"sendKeys","target":"css=#q","value":"${KEY_ENTER}"},{"command":"select","target":"id=s",
                "value":"label=Low"},
            {"command":"click","target":"xpath=//a[contains(text(),'x')]","targets":[["linkText=Details","linkText"]],
                "value":""},
            {"command":"click","target":"xpath=//a[contains(text(),'x')]","targets":[],"value":""},
            {"command":"uncheck","target":"id=c","value":""},{"command":"assertText","target":"css=h1",
                "value":"Thank you"},
            {"command":"executeScript","target":"return 1","value":"x"},{"command":"//click","target":"","value":""}]},
            {"id":"3","name":"empty","commands":[]}],"suites":[],"urls":[]}"##;
        let scripts = read_text(scripts, json).expect("reads");
        let (scenario, toml, kinds) = scenario(&scripts[0]);
        assert_eq!(kinds, ["click", "fill", "press", "select", "click", "check"]);
        assert_eq!(scenario.steps[5].facts[0].text, "Thank you");
        assert_eq!(scenario.url.as_deref(), Some("http://a.test/cart"));
        assert!(!toml.contains("hunter2"), "{toml}");
        let said = scripts[0].gaps.iter().filter(|gap| gap.starts_with("step 8") || gap.starts_with("step 11"));
        assert_eq!(said.count(), 2);
        assert!(scripts[1].toml(Path::new("x.toml")).expect_err("no page").to_string().contains("never says"));
    }
}
