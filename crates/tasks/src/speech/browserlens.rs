//! Our own tool: `navigate`, `find`, `click` with refs such as `@e5`, as functions or as commands.

use super::{Places, Speech, call, command, literal, point_of, searched, text_of, with};
use crate::agent::Wanted;
use crate::reading::{Seen, of_find, tag_of};
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target, TargetBy};
use serde_json::{Value, json};

/// Most elements that are asked for at once.
const MOST_FOUND: u32 = 300;

/// The functions, over MCP or as `browserlens page …`: the commands have the same names and arguments.
pub(super) struct Ours {
    /// Whether they are typed as commands.
    pub is_typed: bool,
}

impl Ours {
    fn call(&self, name: &str, arguments: Value) -> Wanted {
        self.said(call(name, arguments))
    }

    fn said(&self, wanted: Wanted) -> Wanted {
        if self.is_typed { typed(&wanted) } else { wanted }
    }
}

impl Speech for Ours {
    fn open(&self, url: &str) -> Wanted {
        if self.is_typed {
            return command(&["browserlens", "page", "open", url]);
        }
        call("navigate", json!({ "url": url }))
    }

    fn look_for(&self, target: &Target, _again: bool) -> Wanted {
        let arguments = match &target.by {
            TargetBy::Role { role, name } => {
                // A long name may be shown cut; marks within it are not searched for.
                let text = name.as_deref().map(searched).unwrap_or_default();
                json!({ "text": text, "role": role, "limit": MOST_FOUND })
            }
            TargetBy::Text(text) => json!({ "text": searched(text), "limit": MOST_FOUND }),
            TargetBy::Css { selector, .. } => json!({ "role": tag_of(selector), "limit": MOST_FOUND }),
        };
        self.call("find", arguments)
    }

    fn look(&self) -> Wanted {
        self.call("find", json!({ "limit": MOST_FOUND }))
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_find(answer)
    }

    fn wait_for(&self, target: &Target, ms: u32) -> Wanted {
        match text_of(target) {
            "" => self.call("wait", json!({ "ms": ms })),
            text => self.call("wait", json!({ "text": folded(text), "ms": ms })),
        }
    }

    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        Some(self.said(ours(action, found, to, at)?))
    }
}

/// Arguments that stand in a command without their name, by function, in their order.
const PLAIN: [(&str, &[&str]); 12] = [
    ("navigate", &["url"]),
    ("find", &["text"]),
    ("click", &["ref"]),
    ("hover", &["ref"]),
    ("type", &["ref", "text"]),
    ("press", &["key"]),
    ("fill", &["fields"]),
    ("upload", &["ref", "files"]),
    ("drag", &["from", "to"]),
    ("scroll", &["ref"]),
    ("wait", &["text"]),
    ("dialog", &["accept"]),
];

/// Writes a call of a function as the command it is.
fn typed(wanted: &Wanted) -> Wanted {
    let plain = PLAIN.iter().find(|(name, _)| *name == wanted.name).map_or(&[][..], |(_, plain)| *plain);
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let mut words = vec!["browserlens".to_owned(), "page".to_owned(), wanted.name.clone()];
    for (name, value) in wanted.arguments.as_object().into_iter().flatten() {
        if !plain.contains(&name.as_str()) && !value.is_null() {
            words.push(format!("--{name}={}", text(value)));
        }
    }
    let options = words.len();
    for name in plain {
        match (*name, &wanted.arguments[*name]) {
            (_, Value::Null) => {}
            ("fields", Value::Array(fields)) => {
                words.extend(fields.iter().map(|field| format!("{}={}", text(&field["ref"]), text(&field["value"]))));
            }
            ("accept", answer) => {
                words.push(if answer == &Value::Bool(true) { "accept" } else { "dismiss" }.to_owned());
            }
            (_, Value::Array(many)) => words.extend(many.iter().map(text)),
            (_, Value::String(text)) if text.is_empty() && wanted.name == "find" => {}
            (_, value) => words.push(text(value)),
        }
    }
    if words[options..].iter().any(|word| word.starts_with('-')) {
        words.insert(options, "--".to_owned());
    }
    command(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

fn ours(action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
    let reference = found.and_then(|seen| seen.reference.clone());
    let click = |kind: &str, on: &Target| {
        let at = point_of(on).map(|(x, y)| json!([x, y]));
        call("click", with(json!({ "ref": reference, "kind": kind }), "at", at))
    };
    let with_ref = |arguments: Value| with(arguments, "ref", reference.clone());
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
        Action::Dialog { accept, text } => call("dialog", with(json!({ "accept": accept }), "text", text.as_deref())),
        Action::WaitFor { .. } => return None,
    })
}
