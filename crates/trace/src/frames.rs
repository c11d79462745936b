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

/// Returns the number in a canonical id such as `F12`.
pub(crate) fn number(text: &str, letter: char) -> Option<u32> {
    let digits = text.strip_prefix(letter)?;
    let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// Writes the frames and documents that are new; what is not well formed is passed over.
pub(crate) fn insert(db: &Db, seen: &mut FramesSeen, payload: &Payload, step: &StepRecord) -> Result<(), TraceError> {
    let json = String::from_utf8_lossy(&payload.body);
    for object in frame_objects(&json).unwrap_or_default() {
        let Some(frame) = number(&object.id, 'F') else { continue };
        if seen.frames.insert(frame) {
            let parent = object.parent.and_then(|parent| number(&parent, 'F')).map_or(Value::Null, int);
            db.insert(&FRAME, vec![int(frame), parent, int(step.tab), int(step.index.0)])?;
        }
        if let Some(document) = number(&object.loader, 'L').filter(|document| seen.documents.insert(*document)) {
            db.insert(&DOCUMENT, vec![int(document), int(frame), text(&object.url), int(step.index.0)])?;
        }
    }
    Ok(())
}
