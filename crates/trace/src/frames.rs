//! Which frames and documents a recording saw.
//!
//! In: canonical `frames` payloads. Out: rows of tables `frame` and `document`. Invariant: each is
//! written once, at the step of its first sight.

use crate::canonical::frame_objects;
use crate::db::Db;
use crate::error::TraceError;
use crate::record::StepRecord;
use crate::rows::{int, text};
use crate::schema::{DOCUMENT, FRAME};
use browserlens_core::page::Payload;
use rusqlite::types::Value;
use std::collections::BTreeSet;

/// The frames and documents that have rows.
#[derive(Clone, Default)]
pub(crate) struct FramesSeen {
    frames: BTreeSet<u32>,
    documents: BTreeSet<u32>,
}

/// One entry of a frame tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FrameEntry {
    pub frame: u32,
    pub parent: Option<u32>,
    pub document: u32,
    pub url: String,
}

/// Returns the frames of a canonical `frames` payload in document order; what is not well formed is
/// passed over.
pub(crate) fn list(json: &str) -> Vec<FrameEntry> {
    let Ok(objects) = frame_objects(json) else { return Vec::new() };
    let entries = objects.into_iter().map(|object| FrameEntry {
        frame: number(&object.id, 'F').unwrap_or(0),
        parent: object.parent.and_then(|parent| number(&parent, 'F')),
        document: number(&object.loader, 'L').unwrap_or(0),
        url: object.url.into_owned(),
    });
    entries.filter(|entry| entry.frame > 0).collect()
}

/// Returns the number in a canonical id such as `F12`.
pub(crate) fn number(text: &str, letter: char) -> Option<u32> {
    let digits = text.strip_prefix(letter)?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// Writes the frames and documents that are new.
pub(crate) fn insert(db: &Db, seen: &mut FramesSeen, payload: &Payload, step: &StepRecord) -> Result<(), TraceError> {
    let json = String::from_utf8_lossy(&payload.body);
    for entry in list(&json) {
        if seen.frames.insert(entry.frame) {
            let parent = entry.parent.map_or(Value::Null, int);
            db.insert(&FRAME, vec![int(entry.frame), parent, int(step.tab), int(step.index.0)])?;
        }
        if entry.document > 0 && seen.documents.insert(entry.document) {
            let values = vec![int(entry.document), int(entry.frame), text(&entry.url), int(step.index.0)];
            db.insert(&DOCUMENT, values)?;
        }
    }
    Ok(())
}
