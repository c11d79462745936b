//! The accessibility nodes of one frame as the tool gets them, but for what its marks change.
//!
//! In: the `Accessibility.getFullAXTree` payload of a frame. Out: [`AxNode`]s in the order in which
//! the browser sent them, children as positions. Invariant: ignored nodes keep their place and
//! their children and have no name; children that were not sent are left out.

use browserlens_core::page::{Capture, PayloadKind};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

/// Why a node is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Ignored {
    #[default]
    No,
    /// Nothing speaks for it: a mark does.
    Unmarked,
    /// The page says that it is presentational, which a mark contradicts.
    Presentational,
    /// Something speaks against it.
    Barred,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct AxNode {
    pub role: String,
    /// None: no line is written, whatever the role.
    pub name: Option<String>,
    pub value: Option<Value>,
    pub properties: Vec<(String, Value)>,
    pub ignored: Ignored,
    pub backend: Option<u32>,
    /// Positions in the list.
    pub children: Vec<usize>,
}

#[derive(Deserialize)]
struct Tree<'a> {
    #[serde(borrow)]
    nodes: Vec<Sent<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Sent<'a> {
    #[serde(borrow)]
    node_id: Cow<'a, str>,
    #[serde(default)]
    ignored: bool,
    #[serde(borrow, default)]
    ignored_reasons: Vec<Property<'a>>,
    #[serde(default)]
    role: SentValue,
    #[serde(default)]
    name: Option<SentValue>,
    #[serde(default)]
    value: Option<SentValue>,
    #[serde(borrow, default)]
    properties: Vec<Property<'a>>,
    #[serde(default)]
    child_ids: Vec<String>,
    #[serde(rename = "backendDOMNodeId", default)]
    backend: Option<i64>,
}

#[derive(Default, Deserialize)]
struct SentValue {
    #[serde(default, deserialize_with = "some")]
    value: Option<Value>,
}

/// Keeps `null` apart from nothing at all.
fn some<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

#[derive(Deserialize)]
struct Property<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(default)]
    value: SentValue,
}

/// Reads the accessibility tree of a frame; none if the capture has none, or one that does not
/// parse or is empty.
pub(super) fn nodes(capture: &Capture, frame: u32) -> Option<Vec<AxNode>> {
    let tree: Tree<'_> = crate::payloads::parse(capture.get(PayloadKind::Ax, frame)?)?;
    let places: HashMap<String, usize> =
        tree.nodes.iter().enumerate().map(|(place, sent)| (sent.node_id.clone().into_owned(), place)).collect();
    let nodes: Vec<AxNode> = tree
        .nodes
        .into_iter()
        .map(|sent| AxNode {
            children: sent.child_ids.iter().filter_map(|id| places.get(id).copied()).collect(),
            ignored: ignored(&sent),
            role: text(sent.role.value),
            name: sent.name.map(|name| text(name.value)),
            value: sent.value.and_then(|value| value.value),
            properties: sent
                .properties
                .into_iter()
                .filter_map(|property| Some((property.name.into_owned(), property.value.value?)))
                .collect(),
            backend: sent.backend.and_then(|backend| u32::try_from(backend).ok()),
        })
        .collect();
    (!nodes.is_empty()).then_some(nodes)
}

fn ignored(sent: &Sent<'_>) -> Ignored {
    if !sent.ignored {
        return Ignored::No;
    }
    let reasons = sent.ignored_reasons.iter().map(|reason| match reason.name.as_ref() {
        "uninteresting" | "emptyAlt" | "labelFor" => Ignored::Unmarked,
        "presentationalRole" => Ignored::Presentational,
        _ => Ignored::Barred,
    });
    let mut found = Ignored::Unmarked;
    for reason in reasons {
        match (found, reason) {
            (_, Ignored::Barred) => return Ignored::Barred,
            (Ignored::Unmarked, Ignored::Presentational) => found = Ignored::Presentational,
            _ => {}
        }
    }
    found
}

fn text(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}
