//! Playwright's tools: `browser_snapshot` and refs such as `e5`, as functions or as commands.

use super::{Places, Speech, call, command, literal, point_of, quoted, searched, text_of, with};
use crate::agent::Wanted;
use crate::reading::{Seen, of_outline};
use crate::tool::SHELL;
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target};
use serde_json::{Value, json};

/// What is no longer a moment, in milliseconds.
const LONG_MS: u32 = 5_000;

/// Over MCP.
pub(super) struct Functions {
    /// The argument that holds a ref.
    pub reference: &'static str,
    /// Whether a snapshot can be searched.
    pub finds: bool,
}

/// `playwright-cli …`.
pub(super) struct CommandLine;

/// What is searched for at the first look; a snapshot's text may write a name otherwise.
fn words_of(target: &Target, again: bool) -> Option<String> {
    let text = searched(text_of(target));
    // What lies between two finds is not in the answer, and so not what a target lies in.
    (!again && !text.is_empty() && target.within.is_none() && target.nth.is_none()).then_some(text)
}

impl Speech for Functions {
    fn open(&self, url: &str) -> Wanted {
        call("browser_navigate", json!({ "url": url }))
    }

    fn look_for(&self, target: &Target, again: bool) -> Wanted {
        match words_of(target, again).filter(|_| self.finds) {
            Some(text) => call("browser_find", json!({ "text": text })),
            None => self.look(),
        }
    }

    fn look(&self) -> Wanted {
        call("browser_snapshot", json!({}))
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_outline(answer)
    }

    fn wait_for(&self, target: &Target, ms: u32) -> Wanted {
        let text = text_of(target);
        // It waits for a text without an end that is ours to name, or for a time.
        if !text.is_empty() && ms > LONG_MS {
            return call("browser_wait_for", json!({ "text": folded(text) }));
        }
        call("browser_wait_for", json!({ "time": f64::from(ms) / 1000.0 }))
    }

    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        playwrights(action, found, to, at, self.reference)
    }
}

impl Speech for CommandLine {
    fn open(&self, url: &str) -> Wanted {
        command(&["playwright-cli", "open", url])
    }

    fn look_for(&self, target: &Target, again: bool) -> Wanted {
        match words_of(target, again) {
            Some(text) => command(&["playwright-cli", "find", &text]),
            None => self.look(),
        }
    }

    fn look(&self) -> Wanted {
        command(&["playwright-cli", "snapshot"])
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_outline(answer)
    }

    fn wait_for(&self, _target: &Target, ms: u32) -> Wanted {
        // It has no command that waits.
        command(&["sleep", &(f64::from(ms) / 1000.0).to_string()])
    }

    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        let reference = found.and_then(|seen| seen.reference.as_deref());
        let cli = |words: &[&str]| command(&[&["playwright-cli"], words].concat());
        Some(match action {
            Action::Goto { url } => cli(&["goto", &at.url(url)]),
            Action::Click { on } if point_of(on).is_none() => cli(&["click", reference?]),
            Action::DoubleClick { on } if point_of(on).is_none() => cli(&["dblclick", reference?]),
            Action::RightClick { on } if point_of(on).is_none() => cli(&["click", reference?, "right"]),
            Action::Hover { .. } => cli(&["hover", reference?]),
            Action::Fill { text, .. } => cli(&["fill", reference?, literal(text)]),
            Action::Type { text, on: Some(_) } => {
                let click = quoted(&["playwright-cli", "click", reference?]);
                let keys = quoted(&["playwright-cli", "type", literal(text)]);
                call(SHELL, json!({ "command": format!("{click} && {keys}") }))
            }
            Action::Type { text, on: None } => cli(&["type", literal(text)]),
            Action::Press { key, .. } => cli(&["press", key]),
            Action::Select { option, .. } => cli(&["select", reference?, literal(option)]),
            Action::Check { checked, .. } => cli(&[if *checked { "check" } else { "uncheck" }, reference?]),
            Action::Drag { on, to: place } if point_of(on).is_none() && point_of(place).is_none() => {
                cli(&["drag", reference?, to?.reference.as_deref()?])
            }
            Action::Scroll { by: (x, y), .. } => cli(&["mousewheel", &x.to_string(), &y.to_string()]),
            Action::Back => cli(&["go-back"]),
            Action::Forward => cli(&["go-forward"]),
            Action::SwitchTab { index } => cli(&["tab-select", &index.to_string()]),
            Action::CloseTab => cli(&["tab-close"]),
            Action::Dialog { accept: true, text: Some(text) } => cli(&["dialog-accept", text]),
            Action::Dialog { accept: true, text: None } => cli(&["dialog-accept"]),
            Action::Dialog { accept: false, .. } => cli(&["dialog-dismiss"]),
            _ => return None,
        })
    }
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
            call("browser_handle_dialog", with(json!({ "accept": accept }), "promptText", text.as_deref()))
        }
        _ => return None,
    })
}
