//! What is done with fields and forms, and by the keyboard.
//!
//! In: an action with its node. Out: calls, in order. Invariants: keys go to the node that is
//! named, which gets the focus first; a check that is already as wanted gives no call; a file is
//! handed to the input itself, not to the button that stands for it.

use super::keys::{chord, is_key};
use super::place::{At, file_input};
use super::work::{Calls, MOST_FIELDS, Work, by_script, call, one};
use crate::model::ElementTarget;
use crate::translate::ActionType;
use crate::translate::error::{TranslateError, shown};
use crate::translate::resolve::Wanted;
use crate::translate::script::{ElementLocator, Operation};
use serde_json::{Value, json};

impl Work<'_, '_> {
    pub(super) fn input(&self) -> Calls {
        let clears = match self.kind {
            ActionType::Input => self.flag("clear")?.unwrap_or(true),
            ActionType::Clear => true,
            _ => self.flag("clear")?.unwrap_or(false),
        };
        let text = match self.kind {
            ActionType::Clear => String::new(),
            _ => self.needed("text", &["value"])?,
        };
        if Wanted::of(self.action).is_empty() && self.kind != ActionType::Clear {
            return self.type_into_focus(&text);
        }
        let at = self.at()?;
        let text = if self.is_seed() { text } else { secret_for_browser_use(&text) };
        let values = json!({ "text": text, "add": !clears });
        let (tool, parameters) = match (self.is_seed(), self.kind) {
            (true, ActionType::Clear) => ("clear", json!({})),
            (true, ActionType::TypeSlowly) => ("type_slowly", json!({ "text": text })),
            _ => ("input", json!({ "text": text, "clear": clears })),
        };
        self.with_element(tool, &at, parameters, Operation::SetText, values)
    }

    /// Types into what has the focus. `send_keys` reads `+` as a chord and some words as keys:
    /// these go by a script.
    pub(super) fn type_into_focus(&self, text: &str) -> Calls {
        if text.is_empty() {
            return Err(self.bad("text", "is empty, and no node is named"));
        }
        if text.contains('+') || is_key(text) {
            let values = json!({ "text": text, "add": true });
            return by_script(Operation::SetText, Some(&ElementLocator::Focused), values);
        }
        one("send_keys", json!({ "keys": text }))
    }

    pub(super) fn key(&self) -> Result<String, TranslateError> {
        let keys = self.needed("keys", &["key", "text"])?;
        chord(&keys).ok_or_else(|| self.bad("keys", format!("{:?} is no key or chord", shown(&keys))))
    }

    /// Presses keys; where a node is named that has not the focus, it gets it first.
    pub(super) fn keys(&self, keys: &str) -> Calls {
        let mut calls = Vec::new();
        if !Wanted::of(self.action).is_empty() {
            let at = self.at()?;
            let has_focus = matches!(&at, At::Node(node) if node.page().focused() == Some(*node));
            if !has_focus {
                calls = self.scripted(Operation::Focus, &at, json!({}))?;
            }
        }
        calls.push(call("send_keys", json!({ "keys": keys })));
        Ok(calls)
    }

    pub(super) fn chord(&self, tool: &'static str, keys: &str) -> Calls {
        if !self.is_seed() {
            return self.keys(keys);
        }
        if Wanted::of(self.action).is_empty() {
            return one(tool, json!({}));
        }
        let (at, mut parameters) = (self.at()?, json!({}));
        if at.name_in(&mut parameters, "") {
            return one(tool, parameters);
        }
        let mut calls = self.scripted(Operation::Focus, &at, json!({}))?;
        calls.push(call(tool, json!({})));
        Ok(calls)
    }

    pub(super) fn select(&self) -> Calls {
        let text = self.needed("option", &["text", "value"])?;
        let at = self.at()?;
        self.with_element("select_dropdown", &at, json!({ "text": text }), Operation::Choose, json!({ "text": text }))
    }

    /// `wanted` is none for "the other state".
    pub(super) fn check(&self, wanted: Option<bool>) -> Calls {
        let at = self.at()?;
        if is_checked_so(&at, wanted) {
            return Ok(Vec::new());
        }
        // Without a page a click might undo what is already so: a script looks first.
        if matches!(at, At::Selector(_)) && wanted.is_some() {
            return self.scripted(Operation::SetChecked, &at, json!({ "on": wanted }));
        }
        self.with_element("click", &at, json!({}), Operation::SetChecked, json!({ "on": wanted }))
    }

    /// The files that are handed over, by their paths.
    pub(super) fn files(&self) -> Result<Vec<String>, TranslateError> {
        Ok(match self.action.parameters.get("files").or(self.action.parameters.get("paths")) {
            Some(Value::Array(files)) => files.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
            _ => vec![self.needed("path", &["file", "text"])?],
        })
    }

    pub(super) fn upload(&self) -> Calls {
        let files = self.files()?;
        let [path] = files.as_slice() else {
            return Err(self.bad("files", "are not exactly one; the tool hands over one file"));
        };
        let at = self.at()?;
        match &at {
            At::Selector(selector) if self.is_seed() => {
                one("upload_file", json!({ "selector": selector, "path": path }))
            }
            At::Node(node) => one("upload_file", json!({ "index": file_input(*node).key().backend, "path": path })),
            // The tool cannot be told of an element that is not there yet, and a script cannot read
            // the disk: it hands over a file made for the purpose.
            _ => {
                let file = placeholder(path);
                self.scripted(Operation::Upload, &at, json!({ "name": file.name, "text": file.text }))
            }
        }
    }

    /// The fields of a form, each with what is typed into it.
    pub(super) fn form_fields(&self) -> Result<Vec<(Wanted, String)>, TranslateError> {
        let fields = match self.action.parameters.get("fields") {
            Some(Value::Array(fields)) if !fields.is_empty() => fields,
            _ => return Err(self.lacks("fields: a list of {target, selector or index, text}")),
        };
        if fields.len() > MOST_FIELDS {
            return Err(self.bad("fields", format!("are {}; allowed: {MOST_FIELDS}", fields.len())));
        }
        let field = |field: &Value| {
            let field = field.as_object().ok_or_else(|| self.bad("fields", "hold something else than objects"))?;
            let text = field.get("text").or(field.get("value")).and_then(Value::as_str);
            let text = text.ok_or_else(|| self.bad("fields", "hold one without `text`"))?;
            let target = field.get("target").map(|target| serde_json::from_value::<ElementTarget>(target.clone()));
            let wanted = Wanted {
                index: field.get("index").and_then(Value::as_u64).and_then(|index| u32::try_from(index).ok()),
                selector: field.get("selector").and_then(Value::as_str).map(str::to_owned),
                target: target
                    .transpose()
                    .map_err(|error| self.bad("fields", format!("name no node: {}", shown(&error.to_string()))))?,
            };
            Ok((wanted, text.to_owned()))
        };
        fields.iter().map(field).collect()
    }

    pub(super) fn fill_form(&self) -> Calls {
        let mut seed = Vec::new();
        let mut calls = Vec::new();
        let mut is_named = true;
        for (wanted, text) in self.form_fields()? {
            let work = Work { kind: ActionType::Input, ..*self };
            let at = work.at_of(&wanted)?;
            let mut more = json!({ "text": text });
            is_named &= at.name_in(&mut more, "");
            seed.push(more);
            let (clear, set) = (json!({ "text": text, "clear": true }), json!({ "text": text, "add": false }));
            calls.extend(work.with_element("input", &at, clear, Operation::SetText, set)?);
        }
        if self.is_seed() && is_named {
            return one("fill_form", json!({ "fields": seed }));
        }
        Ok(calls)
    }

    pub(super) fn form(&self, tool: &'static str, operation: Operation) -> Calls {
        let is_named = !Wanted::of(self.action).is_empty();
        match (is_named, self.is_seed()) {
            (false, true) => one(tool, json!({})),
            // The form of the field that has the focus.
            (false, false) => by_script(operation, Some(&ElementLocator::Focused), json!({})),
            (true, true) => self.with_element(tool, &self.at()?, json!({}), operation, json!({})),
            (true, false) => self.scripted(operation, &self.at()?, json!({})),
        }
    }
}

/// Whether a check is already as wanted.
pub(super) fn is_checked_so(at: &At<'_>, wanted: Option<bool>) -> bool {
    let At::Node(node) = at else { return false };
    node.checked().is_some_and(|checked| Some(checked == browserlens_core::page::Tri::True) == wanted)
}

/// A file that stands in for one that was handed over in a recording: traces keep its name, not
/// what was in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceholderFile {
    /// The last part of its path.
    pub name: String,
    /// What it holds.
    pub text: String,
}

/// Returns a file made for the purpose in place of the one at a path.
pub fn placeholder(path: &str) -> PlaceholderFile {
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default().trim();
    let name = if last.is_empty() { "file.txt" } else { last };
    PlaceholderFile { name: name.to_owned(), text: format!("Placeholder of {name}\n") }
}

/// Placeholders of secrets, `{{secret:name}}`, as browser-use writes them: it fills in what it was
/// given under that name.
fn secret_for_browser_use(text: &str) -> String {
    match text.strip_prefix("{{secret:").and_then(|rest| rest.strip_suffix("}}")) {
        Some(name) if !name.contains(['<', '>', '{', '}']) => format!("<secret>{name}</secret>"),
        _ => text.to_owned(),
    }
}
