//! The columns of a canonical snapshot from which nodes are found again.
//!
//! In: the body of a snapshot's payload. Out: its documents, by the numbers of their frames.
//! Invariant: a body that is no snapshot has no documents.

use crate::seen::Seen;
use browserlens_core::page::PayloadKind;
use serde::Deserialize;
use std::collections::HashMap;

#[derive(Deserialize)]
pub(crate) struct Snapshot {
    #[serde(default)]
    pub(crate) documents: Vec<Document>,
    #[serde(default)]
    pub(crate) strings: Vec<String>,
}

#[derive(Deserialize)]
pub(crate) struct Document {
    #[serde(rename = "frameId")]
    pub(crate) frame: i64,
    pub(crate) nodes: Nodes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Nodes {
    #[serde(default)]
    pub(crate) parent_index: Vec<i64>,
    #[serde(default)]
    pub(crate) node_type: Vec<i64>,
    #[serde(default)]
    pub(crate) node_name: Vec<i64>,
    #[serde(default)]
    pub(crate) backend_node_id: Vec<u32>,
    #[serde(default)]
    pub(crate) pseudo_type: Rare,
    #[serde(default)]
    pub(crate) shadow_root_type: Rare,
}

#[derive(Default, Deserialize)]
pub(crate) struct Rare {
    #[serde(default)]
    pub(crate) index: Vec<usize>,
    #[serde(default)]
    pub(crate) value: Vec<i64>,
}

/// Returns what `read` makes of each document that was seen, by the number of its frame.
pub(crate) fn by_frame<T>(seen: &Seen, read: impl Fn(&Nodes, &[String]) -> T) -> HashMap<u32, T> {
    let mut documents = HashMap::new();
    for payload in seen.capture.of_kind(PayloadKind::Snapshot) {
        let Ok(snapshot) = serde_json::from_slice::<Snapshot>(&payload.body) else { continue };
        for document in &snapshot.documents {
            let frame = usize::try_from(document.frame).ok().and_then(|index| snapshot.strings.get(index));
            if let Some(number) = frame.and_then(|frame| frame.strip_prefix('F')?.parse().ok()) {
                documents.insert(number, read(&document.nodes, &snapshot.strings));
            }
        }
    }
    documents
}
