//! Projects of Selenium IDE.
//!
//! In: a `.side` file: `{url, tests: [{name, commands: [{command, target, targets, value}]}]}`.
//! Out: a [`Script`] for each test. Invariant: what a test asserts about text becomes a fact of the
//! step before.

use super::devtools::looks_secret;
use super::{Script, json_file, list, selector, side, stem};
use crate::error::ImportError;
use crate::json::text;
use serde_json::Value;
use std::path::Path;
use toml::Table;

pub(crate) fn read(path: &Path) -> Result<Vec<Script>, ImportError> {
    scripts(path, &json_file(path)?)
}

pub(crate) fn scripts(path: &Path, file: &Value) -> Result<Vec<Script>, ImportError> {
    let tests = list(path, file, "tests")?;
    let base = text(file, "url");
    let project = text(file, "name");
    let mut scripts = Vec::new();
    for test in tests {
        let name =
            [if project.is_empty() { stem(path) } else { project.to_owned() }, text(test, "name").to_owned()].join(" ");
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
            let url = url::Url::parse(base)
                .ok()
                .and_then(|base| base.join(target).ok())
                .map_or_else(|| target.to_owned(), Into::into);
            script.open(&url);
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
        "close" => {
            script.word("close_tab", true);
        }
        "webdriverChooseOkOnVisibleConfirmation" | "assertAlert" | "acceptAlert" => {
            script.word("dialog", "accept");
        }
        "webdriverChooseCancelOnVisibleConfirmation" => {
            script.word("dialog", "dismiss");
        }
        "webdriverAnswerOnVisiblePrompt" => {
            script.word("dialog", "accept").insert("text".to_owned(), value.into());
        }
        "selectFrame" => script.gap(at, name, "targets are looked for in every frame"),
        "sendKeys" if value.starts_with("${KEY_") => {
            let key = key_of(value);
            match found(command) {
                Some(on) => drop(script.word("press", key).insert("on".to_owned(), on.into())),
                None => {
                    script.word("press", key);
                }
            }
        }
        "type" | "sendKeys" | "select" | "dragAndDropToObject" => match found(command) {
            None => script.gap(at, name, &format!("its target {target:?} cannot be said here")),
            Some(on) if name == "select" => {
                let label = value.strip_prefix("label=");
                script.on("select", on).insert("option".to_owned(), label.unwrap_or(value).into());
                if label.is_none() {
                    script.gap(at, "what was chosen", "it is not told by label, and options are chosen by that");
                }
            }
            Some(on) if name == "dragAndDropToObject" => match locator(value) {
                Some(to) => drop(script.on("drag", on).insert("to".to_owned(), to.into())),
                None => script.gap(at, name, &format!("its goal {value:?} cannot be said here")),
            },
            Some(on) => script.fill(at, on, value, looks_secret(&target.to_ascii_lowercase())),
        },
        _ if !simple.is_empty() => match found(command) {
            Some(on) => {
                let step = script.on(simple, on);
                if simple == "check" {
                    step.insert("checked".to_owned(), (name == "check").into());
                }
            }
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
        "linkText" | "link" => Some(selector::role("link", Some(value))),
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
    use std::io::Write;

    #[test]
    fn a_project_becomes_a_scenario_for_each_test() {
        let mut file = tempfile::NamedTempFile::with_suffix(".side").expect("file");
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
        file.write_all(json.as_bytes()).expect("writes");
        let scripts = read(file.path()).expect("reads");
        let toml = scripts[0].toml(Path::new("order.toml")).expect("a scenario");
        let scenario = browserlens_trace::scenario::Scenario::parse(&toml, Path::new("order.toml")).expect("parses");
        let kinds: Vec<&str> = scenario.steps.iter().map(|step| step.action.kind().name()).collect();
        assert_eq!(kinds, ["click", "fill", "press", "select", "click", "check"]);
        assert_eq!(scenario.steps[5].facts[0].text, "Thank you");
        assert_eq!(scenario.url.as_deref(), Some("http://a.test/cart"));
        assert!(!toml.contains("hunter2"), "{toml}");
        assert_eq!(
            scripts[0].gaps.iter().filter(|gap| gap.starts_with("step 8") || gap.starts_with("step 11")).count(),
            2
        );
        assert!(scripts[1].toml(Path::new("x.toml")).expect_err("no page").to_string().contains("never says"));
    }
}
