//! Checks that a payload is in canonical form.

use super::ax::ax_nodes;
use super::frame_tree::frame_objects;
use super::snapshot::frame_ids;
use crate::frames::number;
use crate::json;
use browserlens_core::page::{FrameProbe, Payload, PayloadKind, SecondLook};

/// Returns what is not canonical about a payload.
pub(crate) fn check(payload: &Payload) -> Result<(), String> {
    if !payload.kind.is_text() {
        return if payload.body.starts_with(b"\x89PNG\r\n\x1a\n") { Ok(()) } else { Err("it is no PNG".to_owned()) };
    }
    let text = std::str::from_utf8(&payload.body).map_err(|error| format!("it is not UTF-8 ({error})"))?;
    let wrong = |error: json::JsonError| error.to_string();
    match payload.kind {
        PayloadKind::Frames => {
            let objects = frame_objects(text).map_err(wrong)?;
            if objects.is_empty() {
                return Err("it has no frame".to_owned());
            }
            for object in &objects {
                frame(&object.id)?;
                object.parent.as_deref().map_or(Ok(()), frame)?;
                number(&object.loader, 'L').ok_or_else(|| format!("loader id {:?} is raw", object.loader))?;
            }
        }
        PayloadKind::Snapshot => {
            let (ids, strings) = frame_ids(text).map_err(wrong)?;
            for id in ids.into_iter().flatten() {
                frame(strings.get(id).copied().unwrap_or(""))?;
            }
        }
        PayloadKind::Ax => {
            for node in ax_nodes(text).map_err(wrong)? {
                node.frame.map_or(Ok(()), frame)?;
                if node.role == "InlineTextBox" {
                    return Err("it has inline text boxes".to_owned());
                }
                if !node.id.starts_with(['n', 'x']) {
                    return Err(format!("accessibility node id {:?} is raw", node.id));
                }
            }
        }
        PayloadKind::Probe => drop(serde_json::from_str::<FrameProbe>(text).map_err(|error| error.to_string())?),
        PayloadKind::SecondLook => drop(serde_json::from_str::<SecondLook>(text).map_err(|error| error.to_string())?),
        _ => json::check(text).map_err(wrong)?,
    }
    Ok(())
}

fn frame(id: &str) -> Result<(), String> {
    number(id, 'F').map(drop).ok_or_else(|| format!("frame id {id:?} is raw"))
}
