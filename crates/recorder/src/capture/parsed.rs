//! A look made canonical and parsed, with the way back from its nodes to the browser's.
//!
//! In: a [`Look`]. Out: a [`ParsedCapture`]: the capture as the trace stores it, the page, the frames.
//! Invariant: numbers are given in document order of the `iframe` elements, never in the order in
//! which processes happened to attach.

use crate::capture::{Look, LookedFrame, RawPayload};
use browserlens_core::page::raw::{Nodes, Snapshot};
use browserlens_core::page::{Capture, NodeKey, Page, Parts, Payload, PayloadKind};
use browserlens_trace::{CanonicalError, Canonicalizer};
use serde::de::IgnoredAny;
use std::collections::HashMap;
use std::error::Error;
use std::sync::Arc;

/// What was seen at one moment.
#[derive(Clone)]
pub(crate) struct ParsedCapture {
    pub(crate) capture: Capture,
    pub(crate) page: Arc<Page>,
    pub(crate) frames: Vec<LookedFrame>,
    pub(crate) timings: Vec<(String, u64)>,
}

impl ParsedCapture {
    pub(crate) fn from_look(look: Look, canonicalizer: &mut Canonicalizer) -> Result<Self, Box<dyn Error>> {
        let (mut capture, columns) = canonical(&look, canonicalizer)?;
        if let Some(png) = look.screenshot {
            capture.payloads.push(Payload { kind: PayloadKind::Screenshot, frame: 0, node: 0, body: png.into() });
        }
        let mut parts = Parts::of(&capture)?;
        for (session, columns, numbers) in columns {
            parts.add_snapshot(session, columns, numbers);
        }
        for (frame, said) in &look.said {
            let Some(number) = canonicalizer.known_frame(frame) else { continue };
            parts.add_said(
                number,
                said.iter().filter_map(|(raw, heard)| Some((canonicalizer.backend(number, *raw)?, heard.said()))),
            );
        }
        let page = Arc::new(Page::join(&parts)?);
        drop(parts);
        Ok(Self { capture, page, frames: look.frames, timings: look.timings })
    }

    /// Returns what `read` makes of each document that was seen, by the number of its frame.
    pub(crate) fn by_frame<T>(&self, read: impl Fn(&Nodes, &Columns) -> T) -> HashMap<u32, T> {
        let mut documents = HashMap::new();
        for payload in self.capture.of_kind(PayloadKind::Snapshot) {
            let Ok(snapshot) = serde_json::from_slice::<Columns>(&payload.body) else { continue };
            for document in &snapshot.documents {
                if let Some(number) = snapshot.frame_number(document) {
                    documents.insert(number, read(&document.nodes, &snapshot));
                }
            }
        }
        documents
    }
}

/// The elements of one document of a canonical snapshot, without generated ones.
pub(crate) struct ElementTree {
    pub(crate) root: Option<usize>,
    /// Child elements of an element, or of a shadow root.
    pub(crate) children: HashMap<usize, Vec<usize>>,
    backends: Vec<u32>,
}

impl ElementTree {
    pub(crate) fn of(nodes: &Nodes) -> Self {
        let (mut root, mut children) = (None, HashMap::<usize, Vec<usize>>::new());
        for (index, (kind, parent)) in nodes.node_type.iter().zip(&nodes.parent_index).enumerate() {
            if *kind != 1 || nodes.pseudo_type.index.binary_search(&(index as i64)).is_ok() {
                continue;
            }
            if let Ok(parent) = usize::try_from(*parent)
                && nodes.node_type.get(parent) != Some(&9)
            {
                children.entry(parent).or_default().push(index);
            } else {
                root.get_or_insert(index);
            }
        }
        let backends = nodes.backend_node_id.iter().map(|id| u32::try_from(*id).unwrap_or(0)).collect();
        Self { root, children, backends }
    }

    /// Returns the backend node id of an element.
    pub(crate) fn backend(&self, element: usize) -> u32 {
        self.backends.get(element).copied().unwrap_or(0)
    }
}

/// The columns of a canonical snapshot from which nodes are found again.
pub(crate) type Columns = Snapshot<IgnoredAny>;

/// A snapshot by the number of its session's root frame, with the numbers of the frame and the
/// nodes of each document.
type Numbered = (u32, Arc<Snapshot>, Vec<(u32, Vec<u32>)>);

fn canonical(look: &Look, canonicalizer: &mut Canonicalizer) -> Result<(Capture, Vec<Numbered>), CanonicalError> {
    let mut payloads = Vec::new();
    let mut columns = Vec::new();
    let mut push = |kind: PayloadKind, frame: u32, body: String| {
        payloads.push(Payload { kind, frame, node: 0, body: Arc::from(body.into_bytes()) });
    };
    let of = |kind: PayloadKind, frame: &str| {
        look.payloads.iter().find(|payload| payload.kind == kind && payload.frame == frame)
    };
    let mut roots: Vec<(&RawPayload, Option<NodeKey>)> = look
        .payloads
        .iter()
        .filter(|payload| payload.kind == PayloadKind::Frames && !look.owners.contains_key(&payload.frame))
        .map(|payload| (payload, None))
        .collect();
    let mut sessions = Vec::new();
    while !roots.is_empty() {
        let (root, owner) = roots.remove(0);
        let parent = owner.and_then(|key| canonicalizer.raw_frame(key.frame)).map(str::to_owned);
        let frames = canonicalizer.frames(&root.body, parent.as_deref())?;
        let number = canonicalizer.frame_number(&root.frame);
        push(PayloadKind::Frames, number, with_owner(frames, owner));
        if let Some(snapshot) = of(PayloadKind::Snapshot, &root.frame) {
            push(PayloadKind::Snapshot, number, canonicalizer.snapshot(&snapshot.body)?);
        }
        if let Some((_, snapshot)) = look.columns.iter().find(|(of, _)| *of == root.frame) {
            let numbers = snapshot.documents.iter().map(|document| {
                canonicalizer.numbers(snapshot.text(document.frame_id), document.nodes.backend_node_id.iter().copied())
            });
            let numbers = numbers.collect();
            columns.push((number, Arc::clone(snapshot), numbers));
        }
        if let Some(metrics) = of(PayloadKind::Metrics, &root.frame) {
            push(PayloadKind::Metrics, number, canonicalizer.metrics(&metrics.body)?);
        }
        sessions.push(root.frame.clone());
        // Frames with a process of their own, in document order of their elements. Raw node ids are
        // unique in one process, so one of this session's frames knows the element.
        let Some(session) = look.session_of(&root.frame) else { continue };
        let of_session = look.frames.iter().filter(|frame| frame.session == session);
        let held: Vec<u32> = of_session.filter_map(|frame| canonicalizer.known_frame(&frame.frame)).collect();
        let processes = look.payloads.iter().filter(|payload| payload.kind == PayloadKind::Frames);
        let children = processes.filter_map(|payload| {
            let (_, node) = look.owners.get(&payload.frame).filter(|(parent, _)| parent == session)?;
            Some((held.iter().find_map(|frame| canonicalizer.key(*frame, *node))?, payload))
        });
        let mut children: Vec<(NodeKey, &RawPayload)> = children.collect();
        children.sort_by_key(|(key, _)| *key);
        roots.extend(children.into_iter().map(|(key, payload)| (payload, Some(key))));
    }
    for root in &sessions {
        let session = look.session_of(root);
        for frame in look.frames.iter().filter(|frame| Some(frame.session.as_str()) == session) {
            let number = canonicalizer.frame_number(&frame.frame);
            if let Some(ax) = of(PayloadKind::Ax, &frame.frame) {
                push(PayloadKind::Ax, number, canonicalizer.ax(&frame.frame, &ax.body)?);
            }
            if let Some(listeners) = of(PayloadKind::Listeners, &frame.frame) {
                push(PayloadKind::Listeners, number, canonicalizer.listeners(&frame.frame, &listeners.body)?);
            }
            if let Some(probe) = of(PayloadKind::Probe, &frame.frame) {
                push(PayloadKind::Probe, number, canonicalizer.plain(&probe.body)?);
            }
        }
    }
    Ok((Capture { payloads }, columns))
}

impl Look {
    fn session_of(&self, frame: &str) -> Option<&str> {
        self.frames.iter().find(|looked| looked.frame == frame).map(|looked| looked.session.as_str())
    }
}

/// Adds to the frame tree of a process of its own which element holds it: the protocol's snapshots
/// do not tell.
fn with_owner(frames: String, owner: Option<NodeKey>) -> String {
    match (owner, frames.strip_suffix('}')) {
        (Some(key), Some(open)) => {
            format!("{open},\"owner\":{{\"frame\":\"F{}\",\"node\":{}}}}}", key.frame, key.backend)
        }
        _ => frames,
    }
}
