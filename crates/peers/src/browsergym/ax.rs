//! The accessibility nodes of one frame as the tool gets them, but for what its marks change.
//!
//! In: the `Accessibility.getFullAXTree` payload of a frame. Out: [`AxNode`]s in the order in which
//! the browser sent them, children as positions. Invariant: ignored nodes keep their place and
//! their children and have no name; children that were not sent are left out.

use crate::payloads::{Sent, SentValue, ax_tree};
use browserlens_core::page::Capture;
use serde_json::Value;

/// Why a node is passed over.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
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

/// Reads the accessibility tree of a frame; none if the capture has none, or one that does not
/// parse or is empty.
pub(super) fn nodes(capture: &Capture, frame: u32) -> Option<Vec<AxNode>> {
    let nodes: Vec<AxNode> = ax_tree(capture, frame)?
        .into_iter()
        .map(|(sent, children)| AxNode {
            children,
            ignored: ignored(&sent),
            backend: sent.backend(),
            role: sent.role.map(text).unwrap_or_default(),
            name: sent.name.map(text),
            value: sent.value.and_then(|value| value.value),
            properties: sent
                .properties
                .into_iter()
                .filter_map(|property| Some((property.name.into_owned(), property.value?.value?)))
                .collect(),
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
    reasons.max().unwrap_or(Ignored::Unmarked)
}

fn text(value: SentValue) -> String {
    match value.value {
        Some(Value::String(text)) => text,
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}
