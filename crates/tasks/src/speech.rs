//! How scripts speak to a tool: which function opens, looks, acts, and with which arguments.
//!
//! In: the functions that a tool lists. Out: calls. Invariant: a tool is known by its functions, not
//! by its name, so that any server with the same functions is spoken to alike. Models need none of
//! this: they read the schemas.

use crate::agent::Wanted;
use crate::reading::{Seen, of_find, of_outline, plain, tag_of};
use crate::tool::Function;
use browserlens_scenario::{Action, Target, TargetBy, Value as StepValue};
use serde_json::{Value, json};
use std::path::Path;

/// A way to speak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Speech {
    /// `navigate`, `find`, `click` with refs such as `@e5`.
    Browserlens,
    /// `browser_navigate`, `browser_snapshot`, `browser_click`.
    Playwright {
        /// The argument that holds a ref.
        reference: String,
    },
}

/// What is no longer a moment, in milliseconds.
const LONG_MS: u32 = 5_000;
/// Most elements that are asked for at once.
const MOST_FOUND: u32 = 300;

fn call(name: &str, arguments: Value) -> Wanted {
    Wanted { name: name.to_owned(), arguments }
}

fn literal(value: &StepValue) -> &str {
    match value {
        StepValue::Literal(text) => text,
        // Refused where tasks are read.
        StepValue::Env(_) => "",
    }
}

impl Speech {
    /// Returns how to speak to a tool with these functions; none if scripts know no such tool.
    pub(crate) fn of(functions: &[Function]) -> Option<Self> {
        let function = |name: &str| functions.iter().find(|function| function.name == name);
        if ["navigate", "find", "click", "type"].iter().all(|name| function(name).is_some()) {
            return Some(Self::Browserlens);
        }
        if function("browser_navigate").is_some() && function("browser_snapshot").is_some() {
            let click = function("browser_click")?;
            let has = |name: &&str| click.schema["properties"].get(*name).is_some();
            let reference = ["target", "ref"].into_iter().find(has)?;
            return Some(Self::Playwright { reference: reference.to_owned() });
        }
        None
    }

    pub(crate) fn open(&self, url: &str) -> Wanted {
        match self {
            Self::Browserlens => call("navigate", json!({ "url": url })),
            Self::Playwright { .. } => call("browser_navigate", json!({ "url": url })),
        }
    }

    /// Looks for what a target names.
    pub(crate) fn look_for(&self, target: &Target) -> Wanted {
        match self {
            Self::Browserlens => {
                let arguments = match &target.by {
                    TargetBy::Role { role, name } => {
                        // A long name may be shown cut; marks within it are not searched for.
                        let text = name.as_deref().map(searched).unwrap_or_default();
                        json!({ "text": text, "role": role, "limit": MOST_FOUND })
                    }
                    TargetBy::Text(text) => json!({ "text": searched(text), "limit": MOST_FOUND }),
                    TargetBy::Css { selector, .. } => json!({ "role": tag_of(selector), "limit": MOST_FOUND }),
                };
                call("find", arguments)
            }
            Self::Playwright { .. } => self.look(),
        }
    }

    /// Looks at everything that has a ref.
    pub(crate) fn look(&self) -> Wanted {
        match self {
            Self::Browserlens => call("find", json!({ "limit": MOST_FOUND })),
            Self::Playwright { .. } => call("browser_snapshot", json!({})),
        }
    }

    /// Reads the elements out of the answer to a look.
    pub(crate) fn read(&self, answer: &str) -> Vec<Seen> {
        match self {
            Self::Browserlens => of_find(answer),
            Self::Playwright { .. } => of_outline(answer),
        }
    }

    /// Waits a moment for what a target names.
    pub(crate) fn wait_for(&self, target: &Target, ms: u32) -> Wanted {
        let text = match &target.by {
            TargetBy::Role { name, .. } => name.as_deref().unwrap_or_default(),
            TargetBy::Text(text) => text,
            TargetBy::Css { .. } => "",
        };
        match self {
            Self::Browserlens if text.is_empty() => call("wait", json!({ "ms": ms })),
            Self::Browserlens => call("wait", json!({ "text": plain(text), "ms": ms })),
            // It waits for a text without an end that is ours to name, or for a time.
            Self::Playwright { .. } if !text.is_empty() && ms > LONG_MS => {
                call("browser_wait_for", json!({ "text": plain(text) }))
            }
            Self::Playwright { .. } => call("browser_wait_for", json!({ "time": f64::from(ms) / 1000.0 })),
        }
    }

    /// Returns the call of an action on elements that were found; `None` where the tool has none.
    pub(crate) fn act(
        &self,
        action: &Action,
        found: Option<&Seen>,
        to: Option<&Seen>,
        at: &Places<'_>,
    ) -> Option<Wanted> {
        match self {
            Self::Browserlens => ours(action, found, to, at),
            Self::Playwright { reference } => playwrights(action, found, to, at, reference),
        }
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

/// Returns the longest part of a name that stands in every tool's text alike.
fn searched(name: &str) -> String {
    let is_odd = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let longest = name.split(is_odd).max_by_key(|part| part.len()).unwrap_or_default();
    plain(longest).chars().take(60).collect::<String>().trim_end().to_owned()
}

fn point_of(target: &Target) -> Option<(f32, f32)> {
    match target.by {
        TargetBy::Css { point, .. } => point,
        TargetBy::Role { .. } | TargetBy::Text(_) => None,
    }
}

fn ours(action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
    let reference = found.and_then(|seen| seen.reference.clone());
    let click = |kind: &str, on: &Target| {
        let mut arguments = json!({ "ref": reference, "kind": kind });
        if let Some((x, y)) = point_of(on) {
            arguments["at"] = json!([x, y]);
        }
        call("click", arguments)
    };
    let with_ref = |mut arguments: Value| {
        if let Some(reference) = &reference {
            arguments["ref"] = json!(reference);
        }
        arguments
    };
    Some(match action {
        Action::Goto { url } => call("navigate", json!({ "url": at.url(url) })),
        Action::Click { on } => click("left", on),
        Action::DoubleClick { on } => click("double", on),
        Action::RightClick { on } => click("right", on),
        Action::Hover { .. } => call("hover", json!({ "ref": reference })),
        Action::Fill { text, .. } => call("type", json!({ "ref": reference, "text": literal(text) })),
        Action::Type { text, .. } => call("type", with_ref(json!({ "text": literal(text), "keys": true }))),
        Action::Press { key, .. } => call("press", with_ref(json!({ "key": key }))),
        Action::Select { option, .. } => {
            call("fill", json!({ "fields": [{ "ref": reference, "value": literal(option) }] }))
        }
        Action::Check { checked, .. } => call("fill", json!({ "fields": [{ "ref": reference, "value": checked }] })),
        Action::Upload { files, .. } => call("upload", json!({ "ref": reference, "files": at.files(files) })),
        Action::Drag { on, to: place } => {
            let mut arguments = json!({ "from": reference });
            match (point_of(on), point_of(place)) {
                (Some((x, y)), Some((to_x, to_y))) => {
                    arguments["at"] = json!([x, y]);
                    arguments["by"] = json!([to_x - x, to_y - y]);
                }
                _ => arguments["to"] = json!(to?.reference),
            }
            call("drag", arguments)
        }
        Action::Scroll { by: (x, y), .. } => call("scroll", with_ref(json!({ "x": *x as i32, "y": *y as i32 }))),
        Action::Back => call("navigate", json!({ "url": "back" })),
        Action::Forward => call("navigate", json!({ "url": "forward" })),
        Action::SwitchTab { index } => call("tabs", json!({ "switch": index })),
        Action::CloseTab => call("tabs", json!({ "close": true })),
        Action::Dialog { accept, text } => {
            let mut arguments = json!({ "accept": accept });
            if let Some(text) = text {
                arguments["text"] = json!(text);
            }
            call("dialog", arguments)
        }
        Action::WaitFor { .. } => return None,
    })
}

fn playwrights(action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>, key: &str) -> Option<Wanted> {
    let element = |seen: Option<&Seen>| seen.map(|seen| format!("{} {}", seen.role, seen.name));
    let on = |mut arguments: Value| {
        arguments["element"] = json!(element(found));
        arguments[key] = json!(found.and_then(|seen| seen.reference.clone()));
        arguments
    };
    Some(match action {
        Action::Goto { url } => call("browser_navigate", json!({ "url": at.url(url) })),
        Action::Click { on: target } if point_of(target).is_none() => call("browser_click", on(json!({}))),
        Action::DoubleClick { on: target } if point_of(target).is_none() => {
            call("browser_click", on(json!({ "doubleClick": true })))
        }
        Action::RightClick { on: target } if point_of(target).is_none() => {
            call("browser_click", on(json!({ "button": "right" })))
        }
        Action::Hover { .. } => call("browser_hover", on(json!({}))),
        Action::Fill { text, .. } => call("browser_type", on(json!({ "text": literal(text) }))),
        Action::Type { text, on: Some(_) } => {
            call("browser_type", on(json!({ "text": literal(text), "slowly": true })))
        }
        Action::Press { key, .. } => call("browser_press_key", json!({ "key": key })),
        Action::Select { option, .. } => call("browser_select_option", on(json!({ "values": [literal(option)] }))),
        Action::Check { .. } => call("browser_click", on(json!({}))),
        Action::Drag { on: from, to: place } if point_of(from).is_none() && point_of(place).is_none() => {
            let place = to?;
            let (start, end) = if key == "ref" { ("startRef", "endRef") } else { ("startTarget", "endTarget") };
            let mut arguments = json!({ "startElement": element(found), "endElement": element(to) });
            arguments[start] = json!(found.and_then(|seen| seen.reference.clone()));
            arguments[end] = json!(place.reference);
            call("browser_drag", arguments)
        }
        Action::Back => call("browser_navigate_back", json!({})),
        Action::SwitchTab { index } => call("browser_tabs", json!({ "action": "select", "index": index })),
        Action::CloseTab => call("browser_tabs", json!({ "action": "close" })),
        Action::Dialog { accept, text } => {
            let mut arguments = json!({ "accept": accept });
            if let Some(text) = text {
                arguments["promptText"] = json!(text);
            }
            call("browser_handle_dialog", arguments)
        }
        Action::Click { .. }
        | Action::DoubleClick { .. }
        | Action::RightClick { .. }
        | Action::Type { .. }
        | Action::Upload { .. }
        | Action::Drag { .. }
        | Action::Scroll { .. }
        | Action::Forward
        | Action::WaitFor { .. } => return None,
    })
}
