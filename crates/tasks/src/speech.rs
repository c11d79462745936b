//! How scripts speak to a tool: which function opens, looks, acts, and with which arguments.
//!
//! In: the functions that a tool lists. Out: calls. Invariant: a tool is known by its functions, not
//! by its name, so that any server with the same functions is spoken to alike; a command line is
//! known by the word that its commands begin with. Models need none of this: they read the schemas.

use crate::agent::Wanted;
use crate::reading::Seen;
use crate::tool::{Function, SHELL};
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target, TargetBy, Value as StepValue};
use serde_json::{Value, json};
use std::path::Path;

mod agent_browser;
mod browser_use;
mod browserlens;
mod devtools;
mod playwright;
mod stagehand;

/// A way to speak.
pub(crate) trait Speech: Send + Sync {
    /// Opens a page, at the beginning or later.
    fn open(&self, url: &str) -> Wanted;

    /// Whether every answer shows the page, so that nothing is looked for.
    fn tells_always(&self) -> bool {
        false
    }

    /// Looks for what a target names; `again` where it was not found at the first look.
    fn look_for(&self, _target: &Target, _again: bool) -> Wanted {
        self.look()
    }

    /// Looks at everything that has a ref.
    fn look(&self) -> Wanted;

    /// Reads the elements out of the answer to a look.
    fn read(&self, answer: &str) -> Vec<Seen>;

    /// Returns the answer to what the tool asks back before it acts; `None` where it asks nothing.
    fn asked_back(&self, _answer: &str, _action: &Action, _found: Option<&Seen>) -> Option<Wanted> {
        None
    }

    /// Waits a moment for what a target names.
    fn wait_for(&self, target: &Target, ms: u32) -> Wanted;

    /// Returns the call of an action on elements that were found; `None` where the tool has none.
    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted>;
}

/// Returns how to speak to a tool with these functions; none if scripts know no such tool.
pub(crate) fn of(functions: &[Function]) -> Option<Box<dyn Speech>> {
    let function = |name: &str| functions.iter().find(|function| function.name == name);
    let has = |names: &[&str]| names.iter().all(|name| function(name).is_some());
    if let Some(shell) = function(SHELL) {
        let pattern = shell.schema["properties"]["command"]["pattern"].as_str().unwrap_or_default();
        return match pattern.trim_start_matches('^').trim_end() {
            "browserlens" => Some(Box::new(browserlens::Ours { is_typed: true })),
            "playwright-cli" => Some(Box::new(playwright::CommandLine)),
            "agent-browser" => Some(Box::new(agent_browser::CommandLine)),
            _ => None,
        };
    }
    if has(&["navigate", "find", "click", "type"]) {
        return Some(Box::new(browserlens::Ours { is_typed: false }));
    }
    if has(&["browser_navigate", "browser_snapshot"]) {
        let click = function("browser_click")?;
        let has = |name: &&str| click.schema["properties"].get(*name).is_some();
        let reference = ["target", "ref"].into_iter().find(has)?;
        let finds = function("browser_find").is_some();
        return Some(Box::new(playwright::Functions { reference, finds }));
    }
    if has(&["navigate_page", "take_snapshot", "fill"]) {
        return Some(Box::new(devtools::Functions));
    }
    if has(&["goto", "ariaTree", "act"]) {
        return Some(Box::new(stagehand::Answers));
    }
    if has(&["navigate", "click", "input", "select_dropdown"]) {
        return Some(Box::new(browser_use::Answers));
    }
    None
}

fn call(name: &str, arguments: Value) -> Wanted {
    Wanted { name: name.to_owned(), arguments }
}

/// Adds an argument where there is one.
fn with(mut arguments: Value, name: &str, value: Option<impl Into<Value>>) -> Value {
    if let Some(value) = value {
        arguments[name] = value.into();
    }
    arguments
}

/// Calls a command line; each word is quoted as a shell wants it.
fn command(words: &[&str]) -> Wanted {
    call(SHELL, json!({ "command": quoted(words) }))
}

fn quoted(words: &[&str]) -> String {
    // Only a null byte cannot be quoted, and no page's text that was read holds one.
    shlex::try_join(words.iter().copied()).unwrap_or_default()
}

fn literal(value: &StepValue) -> &str {
    match value {
        StepValue::Literal(text) => text,
        // Refused where tasks are read.
        StepValue::Env(_) => "",
    }
}

/// Returns the text of what a target names.
fn text_of(target: &Target) -> &str {
    match &target.by {
        TargetBy::Role { name, .. } => name.as_deref().unwrap_or_default(),
        TargetBy::Text(text) => text,
        TargetBy::Css { .. } => "",
    }
}

/// Returns the longest part of a name that stands in every tool's text alike.
fn searched(name: &str) -> String {
    let is_odd = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let longest = name.split(is_odd).max_by_key(|part| part.len()).unwrap_or_default();
    folded(longest).chars().take(60).collect::<String>().trim_end().to_owned()
}

fn point_of(target: &Target) -> Option<(f32, f32)> {
    match target.by {
        TargetBy::Css { point, .. } => point,
        TargetBy::Role { .. } | TargetBy::Text(_) => None,
    }
}

/// What an action's paths are relative to.
pub(crate) struct Places<'p> {
    /// URL of the path `/`.
    pub base: &'p str,
    /// Folder of the files that are uploaded.
    pub files: Option<&'p Path>,
}

impl Places<'_> {
    fn url(&self, path: &str) -> String {
        format!("{}/{}", self.base.trim_end_matches('/'), path.trim_start_matches('/'))
    }

    fn files(&self, files: &[String]) -> Vec<String> {
        let path = |file: &String| self.files.map_or_else(|| file.into(), |folder| folder.join(file));
        files
            .iter()
            .map(|file| std::path::absolute(path(file)).unwrap_or_else(|_| path(file)).display().to_string())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each way to speak says for the same actions.
    #[test]
    fn each_tool_is_spoken_to_in_its_own_words() {
        let seen = Seen {
            role: "textbox".to_owned(),
            name: "E mail".to_owned(),
            reference: Some("5".to_owned()),
            ..Seen::default()
        };
        let at = Places { base: "http://a/", files: None };
        let on = Target::role("textbox", "E mail");
        let fill = Action::Fill { on: on.clone(), text: StepValue::Literal("it's \"me\"".to_owned()) };
        let click = Action::Click { on };
        let mut said = String::new();
        let ways: [(&str, Box<dyn Speech>); 8] = [
            ("browserlens", Box::new(browserlens::Ours { is_typed: false })),
            ("browserlens page", Box::new(browserlens::Ours { is_typed: true })),
            ("playwright-mcp", Box::new(playwright::Functions { reference: "target", finds: true })),
            ("playwright-cli", Box::new(playwright::CommandLine)),
            ("agent-browser", Box::new(agent_browser::CommandLine)),
            ("chrome-devtools-mcp", Box::new(devtools::Functions)),
            ("browser-use", Box::new(browser_use::Answers)),
            ("stagehand", Box::new(stagehand::Answers)),
        ];
        for (tool, speech) in ways {
            said.push_str(&format!("# {tool}\n"));
            let acts = [&click, &fill].map(|action| speech.act(action, Some(&seen), None, &at).expect("an action"));
            let looks =
                [speech.open("http://a/"), speech.look_for(&Target::role("button", "Go \"on\""), false), speech.look()];
            for wanted in looks.into_iter().chain(acts).chain([speech.wait_for(&Target::role("status", "Done"), 1_500)])
            {
                said.push_str(&format!("{} {}\n", wanted.name, wanted.arguments));
            }
        }
        insta::assert_snapshot!(said);
    }
}
