//! The parts of the raw payloads that peers read and a page does not keep.
//!
//! In: a [`Capture`]. Out: the snapshot's node table with raw text and attributes ([`Snapshot`]),
//! the properties of accessibility nodes in their order ([`AxNode`]), listener types. Invariant: a
//! payload that is missing or malformed reads as absent; numbers out of range read as nothing.

use browserlens_core::page::{Capture, Payload, PayloadKind};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// One `DOMSnapshot.captureSnapshot`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Snapshot<'a> {
    #[serde(borrow)]
    pub strings: Vec<Cow<'a, str>>,
    pub documents: Vec<Document>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Document {
    pub frame_id: i64,
    pub nodes: Nodes,
    pub layout: Layout,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Nodes {
    pub parent_index: Vec<i64>,
    pub node_type: Vec<i64>,
    pub node_name: Vec<i64>,
    pub node_value: Vec<i64>,
    pub backend_node_id: Vec<i64>,
    pub attributes: Vec<Vec<i64>>,
    pub shadow_root_type: Rare,
    pub input_value: Rare,
    pub text_value: Rare,
    pub input_checked: Option<Marked>,
    pub option_selected: Option<Marked>,
}

/// The nodes of which something is true, by index.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Marked {
    pub index: Vec<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Rare {
    pub index: Vec<i64>,
    pub value: Vec<i64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Layout {
    pub node_index: Vec<i64>,
    pub client_rects: Vec<Vec<f64>>,
    pub scroll_rects: Vec<Vec<f64>>,
}

impl Rare {
    /// The values by node index.
    pub fn map(&self) -> HashMap<usize, i64> {
        self.index
            .iter()
            .zip(&self.value)
            .filter_map(|(index, value)| Some((usize::try_from(*index).ok()?, *value)))
            .collect()
    }
}

impl Marked {
    /// The indices as a set.
    pub fn set(&self) -> HashSet<usize> {
        self.index.iter().filter_map(|index| usize::try_from(*index).ok()).collect()
    }
}

impl Snapshot<'_> {
    /// The string of an index; empty if there is none.
    pub fn string(&self, index: i64) -> &str {
        usize::try_from(index).ok().and_then(|index| self.strings.get(index)).map_or("", AsRef::as_ref)
    }

    /// The recording-wide number of a document's frame (`"F3"` in canonical form).
    pub fn frame_number(&self, document: &Document) -> Option<u32> {
        self.string(document.frame_id).strip_prefix('F')?.parse().ok()
    }
}

/// Parses the snapshots of a capture; those that do not parse are left out.
pub(crate) fn snapshots(capture: &Capture) -> Vec<Snapshot<'_>> {
    capture.of_kind(PayloadKind::Snapshot).filter_map(parse).collect()
}

/// One node of `Accessibility.getFullAXTree`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct AxNode {
    pub role: String,
    pub name: String,
    /// Names and values as a Python client prints them: `true`, `1`, `menu`.
    pub properties: Vec<(String, AxValue)>,
    pub has_children: bool,
}

/// The value of a property.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AxValue {
    Bool(bool),
    Text(String),
}

impl AxValue {
    /// Whether Python would take the value as true; the text `"false"` is.
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Bool(value) => *value,
            Self::Text(text) => !text.is_empty() && text != "0",
        }
    }

    /// The value in lower-case words.
    pub fn text(&self) -> &str {
        match self {
            Self::Bool(true) => "true",
            Self::Bool(false) => "false",
            Self::Text(text) => text,
        }
    }
}

/// Returns the accessibility nodes of a capture by frame number and backend node id; none if there
/// is no such payload.
pub(crate) fn ax_nodes(capture: &Capture) -> Option<HashMap<(u32, u32), AxNode>> {
    let mut nodes = HashMap::new();
    let mut found = false;
    for payload in capture.of_kind(PayloadKind::Ax) {
        let Some(Value::Object(tree)) = parse(payload) else { continue };
        found = true;
        for node in tree.get("nodes").and_then(Value::as_array).into_iter().flatten() {
            let Some(backend) = node["backendDOMNodeId"].as_u64().and_then(|id| u32::try_from(id).ok()) else {
                continue;
            };
            nodes.insert((payload.frame, backend), ax_node(node));
        }
    }
    found.then_some(nodes)
}

fn ax_node(node: &Value) -> AxNode {
    let text = |field: &str| node[field]["value"].as_str().unwrap_or_default().to_owned();
    let properties = node["properties"].as_array().into_iter().flatten().filter_map(|property| {
        let value = match &property["value"]["value"] {
            Value::Bool(value) => AxValue::Bool(*value),
            Value::String(value) => AxValue::Text(value.clone()),
            Value::Number(value) => AxValue::Text(value.to_string()),
            _ => return None,
        };
        Some((property["name"].as_str()?.to_owned(), value))
    });
    AxNode {
        role: text("role"),
        name: text("name"),
        properties: properties.collect(),
        has_children: node["childIds"].as_array().is_some_and(|ids| !ids.is_empty()),
    }
}

/// Returns the backend node ids of a frame with their listener types; none if there is no such
/// payload.
pub(crate) fn listeners(capture: &Capture, frame: u32) -> Option<HashMap<u32, Vec<String>>> {
    #[derive(Deserialize)]
    struct Listeners {
        listeners: Vec<Listener>,
    }
    #[derive(Deserialize)]
    struct Listener {
        node: u32,
        #[serde(default)]
        types: Vec<String>,
    }
    let listeners: Listeners = parse(capture.get(PayloadKind::Listeners, frame)?)?;
    Some(listeners.listeners.into_iter().map(|listener| (listener.node, listener.types)).collect())
}

/// Parses a payload; deep nesting is no danger, as snapshot, accessibility tree and listeners are
/// flat lists.
pub(crate) fn parse<'a, T: Deserialize<'a>>(payload: &'a Payload) -> Option<T> {
    serde_json::from_slice(&payload.body).ok()
}
