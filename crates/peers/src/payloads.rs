//! The parts of the raw payloads that peers read and a page does not keep.
//!
//! In: a [`Capture`]. Out: accessibility trees as they were sent ([`AxTree`]), the properties of
//! accessibility nodes in their order ([`AxNode`]), listener types. Invariant: a payload that is
//! missing or malformed reads as absent; numbers out of range read as nothing.

use browserlens_core::page::raw::Listeners;
use browserlens_core::page::{Capture, Payload, PayloadKind};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// The result of `Accessibility.getFullAXTree`. A page reads its own part of it: it needs no ids,
/// and no value that is not plain. What `raw/ax-tree` shows of it is read as the same.
#[derive(Deserialize)]
pub(crate) struct AxTree<'a> {
    #[serde(borrow)]
    pub nodes: Vec<Sent<'a>>,
}

/// A node as it was sent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Sent<'a> {
    #[serde(borrow)]
    pub node_id: Cow<'a, str>,
    pub ignored: bool,
    #[serde(borrow)]
    pub ignored_reasons: Vec<Property<'a>>,
    pub role: Option<SentValue>,
    pub name: Option<SentValue>,
    pub description: Option<SentValue>,
    pub value: Option<SentValue>,
    #[serde(borrow)]
    pub properties: Vec<Property<'a>>,
    pub child_ids: Option<Vec<String>>,
    #[serde(rename = "backendDOMNodeId")]
    backend: Option<i64>,
}

#[derive(Deserialize)]
pub(crate) struct SentValue {
    #[serde(default, deserialize_with = "some")]
    pub value: Option<Value>,
}

/// Keeps `null` apart from nothing at all.
fn some<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(crate) struct Property<'a> {
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    pub value: Option<SentValue>,
}

impl Sent<'_> {
    pub fn backend(&self) -> Option<u32> {
        self.backend.and_then(|backend| u32::try_from(backend).ok())
    }
}

impl AxTree<'_> {
    /// By node: the places of its children in the list. Children that were not sent are left out; of
    /// two nodes with one id, the later is meant.
    pub fn children(&self) -> Vec<Vec<usize>> {
        let places: HashMap<&str, usize> =
            self.nodes.iter().enumerate().map(|(place, sent)| (sent.node_id.as_ref(), place)).collect();
        let of = |sent: &Sent<'_>| {
            sent.child_ids.iter().flatten().filter_map(|id| places.get(id.as_str()).copied()).collect()
        };
        self.nodes.iter().map(of).collect()
    }
}

/// Reads the accessibility tree of a frame: its nodes, each with the places of its children in the
/// list. None if the capture has no tree, one that does not parse, or one with a node without an id.
pub(crate) fn ax_tree(capture: &Capture, frame: u32) -> Option<Vec<(Sent<'_>, Vec<usize>)>> {
    let tree: AxTree<'_> = parse(capture.get(PayloadKind::Ax, frame)?)?;
    let children = tree.children();
    let named = tree.nodes.iter().all(|sent| !sent.node_id.is_empty());
    named.then(|| tree.nodes.into_iter().zip(children).collect())
}

/// What the properties of a node say of it.
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
        let Some(AxTree { nodes: sent }) = parse(payload) else { continue };
        found = true;
        nodes.extend(sent.into_iter().filter_map(|sent| Some(((payload.frame, sent.backend()?), ax_node(sent)))));
    }
    found.then_some(nodes)
}

fn ax_node(sent: Sent<'_>) -> AxNode {
    let value = |sent: Option<SentValue>| sent.and_then(|sent| sent.value);
    let text = |sent: Option<SentValue>| match value(sent) {
        Some(Value::String(text)) => text,
        _ => String::new(),
    };
    let properties = sent.properties.into_iter().filter_map(|property| {
        let value = match value(property.value)? {
            Value::Bool(value) => AxValue::Bool(value),
            Value::String(value) => AxValue::Text(value),
            Value::Number(value) => AxValue::Text(value.to_string()),
            _ => return None,
        };
        Some((property.name.into_owned(), value))
    });
    AxNode {
        properties: properties.collect(),
        role: text(sent.role),
        name: text(sent.name),
        has_children: sent.child_ids.is_some_and(|ids| !ids.is_empty()),
    }
}

/// Returns the backend node ids of a frame with their listener types; none if there is no such
/// payload.
pub(crate) fn listeners(capture: &Capture, frame: u32) -> Option<HashMap<u32, Vec<Cow<'_, str>>>> {
    let Listeners { listeners } = parse(capture.get(PayloadKind::Listeners, frame)?)?;
    Some(listeners.into_iter().map(|listener| (listener.node, listener.types)).collect())
}

/// Parses a payload; deep nesting is no danger, as snapshot, accessibility tree and listeners are
/// flat lists.
pub(crate) fn parse<'a, T: Deserialize<'a>>(payload: &'a Payload) -> Option<T> {
    serde_json::from_slice(&payload.body).ok()
}
