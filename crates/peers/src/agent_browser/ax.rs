//! The accessibility nodes of one frame as the tool keeps them: role, name, value and the six
//! properties that it prints.
//!
//! In: the `Accessibility.getFullAXTree` payload of a frame. Out: [`AxNode`]s in the order in which
//! the browser sent them, children as positions. Invariant: ignored nodes keep their place and
//! their children but say nothing; children that were not sent are left out.

use crate::payloads::{Sent, SentValue, ax_tree};
use browserlens_core::page::Capture;
use serde_json::Value;

/// One node; an empty role means that it is passed over.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AxNode {
    pub role: String,
    pub name: String,
    pub value: String,
    pub level: Option<i64>,
    pub checked: Option<String>,
    pub expanded: Option<bool>,
    pub selected: bool,
    pub disabled: bool,
    pub required: bool,
    pub backend: Option<u32>,
    /// Positions in the list.
    pub children: Vec<usize>,
}

impl AxNode {
    pub fn is_text(&self) -> bool {
        self.role == "StaticText"
    }
}

/// Reads the accessibility tree of a frame; none if the capture has none, or one that does not
/// parse.
pub(super) fn nodes(capture: &Capture, frame: u32) -> Option<Vec<AxNode>> {
    Some(ax_tree(capture, frame)?.into_iter().map(|(sent, children)| node(&sent, children)).collect())
}

fn node(sent: &Sent<'_>, children: Vec<usize>) -> AxNode {
    let role = text(sent.role.as_ref());
    let silent = role == "InlineTextBox" || (sent.ignored && role != "RootWebArea");
    if silent {
        return AxNode { children, ..AxNode::default() };
    }
    // Frames that the page declares presentational are frames all the same.
    let role = if role == "IframePresentational" { "Iframe".to_owned() } else { role };
    let mut node = AxNode {
        role,
        name: text(sent.name.as_ref()),
        value: match plain(sent.value.as_ref()) {
            Some(Value::Bool(_)) | None => String::new(),
            Some(_) => text(sent.value.as_ref()),
        },
        backend: sent.backend(),
        children,
        ..AxNode::default()
    };
    for property in &sent.properties {
        let value = plain(property.value.as_ref());
        let on = value.and_then(Value::as_bool);
        match property.name.as_ref() {
            "level" => node.level = value.and_then(Value::as_i64),
            "checked" => {
                node.checked = value.map(|value| match value {
                    Value::String(text) => text.clone(),
                    Value::Bool(on) => on.to_string(),
                    _ => false.to_string(),
                });
            }
            "expanded" => node.expanded = on,
            "selected" => node.selected = on == Some(true),
            "disabled" => node.disabled = on == Some(true),
            "required" => node.required = on == Some(true),
            _ => {}
        }
    }
    node
}

/// The value that was sent; `null` is none.
fn plain(value: Option<&SentValue>) -> Option<&Value> {
    value?.value.as_ref().filter(|value| !value.is_null())
}

fn text(value: Option<&SentValue>) -> String {
    match plain(value) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(on)) => on.to_string(),
        _ => String::new(),
    }
}
