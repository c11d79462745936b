//! Payloads to a page: joins the DOM snapshot and the accessibility tree on (frame, loader, backend node id).
//!
//! In: a [`Capture`] in canonical form. Out: a [`Page`]. Invariants: no JSON makes it panic; it is iterative, so a tree
//! of any depth fits a small stack; a payload that does not decode is named by kind and frame.
//! The walk streams the snapshot's pre-order arrays: a node whose parent is not open (hostile input) goes below the
//! open node, a content document is entered once, so no cycle can be built.

mod assemble;
mod ax;
mod geometry;
mod payload;
mod styles;
mod unseen;

use crate::capture::{Capture, FrameProbe, Payload, PayloadKind};
use crate::node::Viewport;
use crate::page::Page;
use ax::AxTree;
use payload::{AxResult, FrameTree, FrameTreeResult, Listeners, Metrics, Snapshot};
use serde::Deserialize;
use std::collections::HashMap;

/// A capture that is no page.
#[derive(Debug, thiserror::Error)]
pub enum ParseError {
    /// A payload that every page needs is not there.
    #[error("the capture has no {kind} payload")]
    Missing {
        /// Name of the kind.
        kind: &'static str,
    },
    /// A payload is no JSON of the expected shape.
    #[error("{kind} payload of frame F{frame}: {cause}")]
    Malformed {
        /// Name of the kind.
        kind: &'static str,
        /// Number of the frame.
        frame: u32,
        /// What is wrong, with line and column.
        #[source]
        cause: serde_json::Error,
    },
    /// The snapshot holds no document.
    #[error("the snapshot payload holds no document")]
    Empty,
}

/// What is known of one frame before its nodes are walked.
pub(in crate::parse) struct FrameInfo {
    pub number: u32,
    pub loader: u32,
    pub parent: Option<u32>,
    pub url: String,
    pub owner: Option<(u32, u32)>,
}

/// All payloads of a capture, decoded.
pub(in crate::parse) struct Decoded<'a> {
    pub frames: Vec<FrameInfo>,
    pub snapshots: Vec<(u32, Snapshot<'a>)>,
    pub ax: HashMap<u32, AxTree<'a>>,
    pub listeners: HashMap<u32, HashMap<u32, bool>>,
    pub probes: HashMap<u32, FrameProbe>,
    pub metrics: Option<Metrics>,
}

impl Page {
    /// Parses the payloads of a capture.
    ///
    /// # Errors
    /// [`ParseError`] naming the payload that is missing or malformed.
    pub fn parse(capture: &Capture) -> Result<Self, ParseError> {
        let decoded = decode(capture)?;
        assemble::assemble(&decoded)
    }
}

fn from_json<'a, T: Deserialize<'a>>(payload: &'a Payload) -> Result<T, ParseError> {
    serde_json::from_slice(&payload.body).map_err(|cause| ParseError::Malformed {
        kind: payload.kind.name(),
        frame: payload.frame,
        cause,
    })
}

fn decode(capture: &Capture) -> Result<Decoded<'_>, ParseError> {
    let mut decoded = Decoded {
        frames: Vec::new(),
        snapshots: Vec::new(),
        ax: HashMap::new(),
        listeners: HashMap::new(),
        probes: HashMap::new(),
        metrics: None,
    };
    for payload in &capture.payloads {
        match payload.kind {
            PayloadKind::Frames => {
                let tree: FrameTreeResult<'_> = from_json(payload)?;
                let owner = tree.owner.and_then(|owner| Some((number_of(&owner.frame, 'F')?, owner.node)));
                flatten_frames(tree.frame_tree, owner, &mut decoded.frames);
            }
            PayloadKind::Snapshot => {
                let snapshot: Snapshot<'_> = from_json(payload)?;
                decoded.snapshots.push((payload.frame, snapshot));
            }
            PayloadKind::Ax => {
                let tree: AxResult<'_> = from_json(payload)?;
                decoded.ax.insert(payload.frame, AxTree::new(tree.nodes));
            }
            PayloadKind::Listeners => {
                let list: Listeners<'_> = from_json(payload)?;
                let nodes = list
                    .listeners
                    .into_iter()
                    .map(|entry| (entry.node, entry.types.iter().any(|kind| is_pointer_event(kind))));
                decoded.listeners.insert(payload.frame, nodes.collect());
            }
            PayloadKind::Probe => {
                decoded.probes.insert(payload.frame, from_json(payload)?);
            }
            PayloadKind::Metrics => {
                if decoded.metrics.is_none() {
                    decoded.metrics = Some(from_json(payload)?);
                }
            }
            PayloadKind::Screenshot | PayloadKind::Crop | PayloadKind::SecondLook => {}
        }
    }
    if decoded.snapshots.is_empty() {
        return Err(ParseError::Missing { kind: PayloadKind::Snapshot.name() });
    }
    Ok(decoded)
}

fn flatten_frames(tree: FrameTree<'_>, owner: Option<(u32, u32)>, frames: &mut Vec<FrameInfo>) {
    let mut stack = vec![(tree, owner)];
    while let Some((tree, owner)) = stack.pop() {
        if let Some(number) = number_of(&tree.frame.id, 'F')
            && !frames.iter().any(|known| known.number == number)
        {
            frames.push(FrameInfo {
                number,
                loader: number_of(&tree.frame.loader_id, 'L').unwrap_or(0),
                parent: tree.frame.parent_id.as_deref().and_then(|id| number_of(id, 'F')),
                url: tree.frame.url.into_owned(),
                owner,
            });
        }
        stack.extend(tree.child_frames.into_iter().rev().map(|child| (child, None)));
    }
}

/// Reads `F12` or `L3`.
fn number_of(id: &str, letter: char) -> Option<u32> {
    id.strip_prefix(letter)?.parse().ok()
}

fn is_pointer_event(kind: &str) -> bool {
    matches!(
        kind,
        "click"
            | "dblclick"
            | "mousedown"
            | "mouseup"
            | "pointerdown"
            | "pointerup"
            | "touchstart"
            | "touchend"
            | "contextmenu"
            | "auxclick"
    )
}

/// The viewport as the capture's metrics give it; scale as a fraction of device px per CSS px is not in them.
pub(in crate::parse) fn viewport_of(metrics: &Metrics) -> Viewport {
    let size = &metrics.css_layout_viewport;
    Viewport {
        width: size.client_width.clamp(0.0, 1e6) as u32,
        height: size.client_height.clamp(0.0, 1e6) as u32,
        scale: if metrics.css_visual_viewport.scale > 0.0 { metrics.css_visual_viewport.scale } else { 1.0 },
    }
}

#[cfg(test)]
mod tests;
