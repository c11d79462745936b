//! Payloads to a page: joins the DOM snapshot and the accessibility tree on (frame, loader, backend
//! node id).
//!
//! In: a [`Capture`] in canonical form, or its [`Parts`]. Out: a [`Page`]. Invariants: no JSON
//! makes it panic; it is iterative, so a tree of any depth fits a small stack; a payload that does
//! not decode is named by kind and frame. The walk streams the snapshot's pre-order arrays: a node
//! whose parent is not open (hostile input) goes below the open node, a content document is entered
//! once, so no cycle can be built.

mod assemble;
mod ax;
mod chosen;
mod geometry;
mod modal;
mod partial;
mod payload;
pub mod raw;
mod styles;
mod unseen;

use crate::page::capture::{Capture, FrameProbe, Payload, PayloadKind};
use crate::page::node::Viewport;
use crate::page::tree::Page;
use ax::AxTree;
use payload::{AxResult, FrameTree, FrameTreeResult, Metrics};
use raw::{AxNodeInfo, Listeners, Snapshot};
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::Arc;

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
pub(in crate::page::parse) struct FrameInfo {
    pub number: u32,
    pub loader: u32,
    pub parent: Option<u32>,
    pub url: String,
    pub owner: Option<(u32, u32)>,
}

/// A snapshot of one session, and what stands in it for frames and nodes.
pub(in crate::page::parse) struct SessionSnapshot {
    pub session: u32,
    pub columns: Arc<Snapshot>,
    /// Frame and backend node ids of each document in place of those of the columns; none where
    /// those are canonical.
    numbers: Option<Vec<(u32, Vec<u32>)>>,
}

impl SessionSnapshot {
    /// Returns the number of the frame that a document is shown in.
    fn frame(&self, document: usize) -> Option<u32> {
        match &self.numbers {
            Some(numbers) => numbers.get(document).map(|(frame, _)| *frame),
            None => self.columns.frame_number(self.columns.documents.get(document)?),
        }
    }

    /// Returns the backend node id of a node; 0 where it has none.
    fn backend(&self, document: usize, node: usize) -> u32 {
        let found = match &self.numbers {
            Some(numbers) => numbers.get(document).and_then(|(_, backends)| backends.get(node)).copied(),
            None => self
                .columns
                .documents
                .get(document)
                .and_then(|document| u32::try_from(*document.nodes.backend_node_id.get(node)?).ok()),
        };
        found.unwrap_or(0)
    }
}

/// What a page is made of: the payloads of a capture, decoded, or what a live look read without
/// writing payloads.
#[derive(Default)]
pub struct Parts<'a> {
    pub(in crate::page::parse) frames: Vec<FrameInfo>,
    pub(in crate::page::parse) snapshots: Vec<SessionSnapshot>,
    pub(in crate::page::parse) ax: HashMap<u32, AxTree<'a>>,
    pub(in crate::page::parse) listeners: HashMap<u32, HashMap<u32, bool>>,
    pub(in crate::page::parse) probes: HashMap<u32, FrameProbe>,
    pub(in crate::page::parse) metrics: Option<Metrics>,
    /// Whether the texts of scripts and styles are kept.
    pub(in crate::page::parse) has_code: bool,
}

crate::opaque_debug!(self: Parts<'_> { snapshots: self.snapshots.len() });

impl<'a> Parts<'a> {
    /// Adds the snapshot of a session, by the number of its root frame; `numbers` has for each
    /// document the number of its frame and the recording-wide backend node ids of its nodes.
    pub fn add_snapshot(&mut self, session: u32, columns: Arc<Snapshot>, numbers: Vec<(u32, Vec<u32>)>) {
        self.snapshots.push(SessionSnapshot { session, columns, numbers: Some(numbers) });
    }

    /// Adds what the accessibility tree of a frame says, by recording-wide backend node id.
    pub fn add_said(&mut self, frame: u32, said: impl Iterator<Item = (u32, AxNodeInfo<'a>)>) {
        self.ax.insert(frame, AxTree::of(said));
    }

    /// Decodes the payloads of a capture in canonical form.
    ///
    /// # Errors
    /// [`ParseError`] naming the payload that is malformed.
    pub fn of(capture: &'a Capture) -> Result<Self, ParseError> {
        let mut decoded = Self::default();
        for payload in &capture.payloads {
            match payload.kind {
                PayloadKind::Frames => {
                    let tree: FrameTreeResult<'_> = from_json(payload)?;
                    let owner = tree.owner.and_then(|owner| Some((number_of(&owner.frame, 'F')?, owner.node)));
                    flatten_frames(tree.frame_tree, owner, &mut decoded.frames);
                }
                PayloadKind::Snapshot => {
                    let columns = Arc::new(from_json(payload)?);
                    decoded.snapshots.push(SessionSnapshot { session: payload.frame, columns, numbers: None });
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
        Ok(decoded)
    }
}

impl Page {
    /// Parses the payloads of a capture.
    ///
    /// # Errors
    /// [`ParseError`] naming the payload that is missing or malformed.
    pub fn parse(capture: &Capture) -> Result<Self, ParseError> {
        Self::join(&Parts::of(capture)?)
    }

    /// Parses the payloads of a capture, with the texts of scripts and styles.
    ///
    /// # Errors
    /// As [`Page::parse`].
    pub fn parse_with_code(capture: &Capture) -> Result<Self, ParseError> {
        Self::join(&Parts { has_code: true, ..Parts::of(capture)? })
    }

    /// Joins parts to a page.
    ///
    /// # Errors
    /// [`ParseError`] if there is no snapshot, or one without a document.
    pub fn join(parts: &Parts<'_>) -> Result<Self, ParseError> {
        if parts.snapshots.is_empty() {
            return Err(ParseError::Missing { kind: PayloadKind::Snapshot.name() });
        }
        assemble::assemble(parts)
    }
}

fn from_json<'a, T: Deserialize<'a>>(payload: &'a Payload) -> Result<T, ParseError> {
    let (kind, frame) = (payload.kind.name(), payload.frame);
    serde_json::from_slice(&payload.body).map_err(|cause| ParseError::Malformed { kind, frame, cause })
}

fn flatten_frames(tree: FrameTree<'_>, owner: Option<(u32, u32)>, frames: &mut Vec<FrameInfo>) {
    let mut stack = vec![(tree, owner)];
    while let Some((tree, owner)) = stack.pop() {
        if let Some(number) = number_of(&tree.frame.id, 'F')
            && !frames.iter().any(|known| known.number == number)
        {
            let loader = number_of(&tree.frame.loader_id, 'L').unwrap_or(0);
            let parent = tree.frame.parent_id.as_deref().and_then(|id| number_of(id, 'F'));
            frames.push(FrameInfo { number, loader, parent, url: tree.frame.url.into_owned(), owner });
        }
        stack.extend(tree.child_frames.into_iter().rev().map(|child| (child, None)));
    }
}

/// Reads `F12` or `L3`.
fn number_of(id: &str, letter: char) -> Option<u32> {
    id.strip_prefix(letter)?.parse().ok()
}

fn is_pointer_event(kind: &str) -> bool {
    [
        "click", "dblclick", "mousedown", "mouseup", "pointerdown", "pointerup", "touchstart", "touchend",
        "contextmenu", "auxclick",
    ]
    .contains(&kind)
}

/// The viewport as the capture's metrics give it; scale as a fraction of device px per CSS px is
/// not in them.
pub(in crate::page::parse) fn viewport_of(metrics: &Metrics) -> Viewport {
    let (size, scale) = (&metrics.css_layout_viewport, metrics.css_visual_viewport.scale);
    let [width, height] = [size.client_width, size.client_height].map(|side| side.clamp(0.0, 1e6) as u32);
    Viewport { width, height, scale: if scale > 0.0 { scale } else { 1.0 } }
}

#[cfg(test)]
mod tests;
