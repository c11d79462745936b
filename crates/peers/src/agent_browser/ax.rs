//! The accessibility nodes of one frame as the tool keeps them: role, name, value and the six
//! properties that it prints.
//!
//! In: the `Accessibility.getFullAXTree` payload of a frame. Out: [`AxNode`]s in the order in which
//! the browser sent them, children as positions. Invariant: ignored nodes keep their place and
//! their children but say nothing; children that were not sent are left out.

use browserlens_core::page::{Capture, PayloadKind};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

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
    /// Makes the node say nothing and hold nothing.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    pub fn is_text(&self) -> bool {
        self.role == "StaticText"
    }
}

#[derive(Deserialize)]
struct Tree<'a> {
    #[serde(borrow)]
    nodes: Vec<Sent<'a>>,
}

/// A node as CDP sends it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'a> {
    #[serde(borrow)]
    node_id: Cow<'a, str>,
    #[serde(default)]
    ignored: Option<bool>,
    #[serde(default)]
    role: Option<SentValue>,
    #[serde(default)]
    name: Option<SentValue>,
    #[serde(default)]
    value: Option<SentValue>,
    #[serde(borrow, default)]
    properties: Option<Vec<Property<'a>>>,
    #[serde(default)]
    child_ids: Option<Vec<String>>,
    #[serde(rename = "backendDOMNodeId", default)]
    backend: Option<i64>,
}

#[derive(Deserialize)]
struct SentValue {
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    value: SentValue,
}

/// Reads the accessibility tree of a frame; none if the capture has none, or one that does not
/// parse.
pub(super) fn nodes(capture: &Capture, frame: u32) -> Option<Vec<AxNode>> {
    let payload = capture.get(PayloadKind::Ax, frame)?;
    let tree: Tree<'_> = crate::payloads::parse(payload)?;
    // Of two nodes with one id, children mean the later.
    let places: HashMap<&str, usize> =
        tree.nodes.iter().enumerate().map(|(place, sent)| (sent.node_id.as_ref(), place)).collect();
    let children_of = |sent: &Sent<'_>| {
        sent.child_ids.iter().flatten().filter_map(|id| places.get(id.as_str()).copied()).collect::<Vec<usize>>()
    };
    Some(tree.nodes.iter().map(|sent| node(sent, children_of(sent))).collect())
}

fn node(sent: &Sent<'_>, children: Vec<usize>) -> AxNode {
    let role = text(sent.role.as_ref());
    let silent = role == "InlineTextBox" || (sent.ignored == Some(true) && role != "RootWebArea");
    if silent {
        return AxNode { children, ..AxNode::default() };
    }
    // Frames that the page declares presentational are frames all the same.
    let role = if role == "IframePresentational" { "Iframe".to_owned() } else { role };
    let mut node = AxNode {
        role,
        name: text(sent.name.as_ref()),
        value: match sent.value.as_ref().and_then(|value| value.value.as_ref()) {
            Some(Value::Bool(_)) | None => String::new(),
            Some(_) => text(sent.value.as_ref()),
        },
        backend: sent.backend.and_then(|backend| u32::try_from(backend).ok()),
        children,
        ..AxNode::default()
    };
    for property in sent.properties.iter().flatten() {
        let value = property.value.value.as_ref();
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

fn text(value: Option<&SentValue>) -> String {
    match value.and_then(|value| value.value.as_ref()) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::Bool(on)) => on.to_string(),
        _ => String::new(),
    }
}
