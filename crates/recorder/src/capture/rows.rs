//! The columns of a canonical snapshot from which nodes are found again.
//!
//! In: the body of a snapshot's payload. Out: its documents, by the numbers of their frames.
//! Invariant: a body that is no snapshot has no documents.

use crate::capture::ParsedCapture;
use browserlens_core::page::PayloadKind;
use browserlens_core::page::raw::{self, Nodes};
use serde::de::IgnoredAny;
use std::collections::HashMap;

pub(crate) type Snapshot = raw::Snapshot<IgnoredAny>;

/// Returns what `read` makes of each document that was seen, by the number of its frame.
pub(crate) fn by_frame<T>(seen: &ParsedCapture, read: impl Fn(&Nodes, &Snapshot) -> T) -> HashMap<u32, T> {
    let mut documents = HashMap::new();
    for payload in seen.capture.of_kind(PayloadKind::Snapshot) {
        let Ok(snapshot) = serde_json::from_slice::<Snapshot>(&payload.body) else { continue };
        for document in &snapshot.documents {
            if let Some(number) = snapshot.frame_number(document) {
                documents.insert(number, read(&document.nodes, &snapshot));
            }
        }
    }
    documents
}
