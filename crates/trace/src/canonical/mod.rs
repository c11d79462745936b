//! Canonical form: CDP answers without what differs from recording to recording.
//!
//! In: the raw JSON text of CDP results, in the order in which they were read. Out: the same JSON
//! without blanks, with recording-wide numbers in place of frame ids (`"F1"`), loader ids (`"L1"`),
//! backend node ids (dense over the recording) and accessibility node ids (`"n12"`, `"x3"`), and
//! without inline text boxes. Invariants: two recordings that differ only in raw ids give the same
//! bytes; canonical form is its own canonical form; fields that are not named here stay as they
//! are.
//!
//! Raw backend node ids are unique only in one renderer process, so they are looked up per
//! document; their numbers are unique in the recording, because tools show such ids to agents, and
//! one number must not mean two nodes. Read the frames of a session before its snapshot, and the
//! snapshot before the rest: numbers are given in order of first sight.

mod ax;
mod check;
mod frame_tree;
mod snapshot;

pub(crate) use ax::{AxPlace, ax_nodes};
pub(crate) use check::check;
pub(crate) use frame_tree::frame_objects;
pub(crate) use snapshot::{Part, SnapshotPlace};

use crate::json::{JsonError, compact};
use browserlens_core::page::NodeKey;
use serde::Deserialize;
use serde_json::json;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A CDP result that cannot be brought into canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the result of {method} cannot be brought into canonical form: {reason}")]
pub struct CanonicalError {
    /// The CDP method.
    pub method: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl CanonicalError {
    fn new(method: &'static str) -> impl Fn(JsonError) -> Self {
        move |error| Self { method, reason: error.to_string() }
    }
}

/// One document: which raw backend node ids it has seen.
#[derive(Clone, Debug)]
struct Document {
    frame: u32,
    numbers: HashMap<i64, u32>,
    raw: HashMap<u32, i64>,
}

/// Gives recording-wide numbers, and remembers which raw ids they stand for. One for each
/// recording.
#[derive(Clone, Debug, Default)]
pub struct Canonicalizer {
    frames: HashMap<String, u32>,
    raw_frames: Vec<String>,
    loaders: HashMap<(u32, String), u32>,
    documents: Vec<Document>,
    /// How many nodes have a number, over all documents.
    nodes: u32,
    /// The document that each frame shows now.
    current: HashMap<u32, u32>,
}

impl Canonicalizer {
    /// Starts a recording.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of a frame; a frame not seen before gets the next one.
    pub fn frame_number(&mut self, raw_frame: &str) -> u32 {
        if let Some(number) = self.frames.get(raw_frame) {
            return *number;
        }
        self.raw_frames.push(raw_frame.to_owned());
        let number = self.raw_frames.len() as u32;
        self.frames.insert(raw_frame.to_owned(), number);
        number
    }

    /// Returns the number of a frame that was seen.
    pub fn known_frame(&self, raw_frame: &str) -> Option<u32> {
        self.frames.get(raw_frame).copied()
    }

    /// Returns the raw id of a frame.
    pub fn raw_frame(&self, frame: u32) -> Option<&str> {
        let index = usize::try_from(frame).ok()?.checked_sub(1)?;
        self.raw_frames.get(index).map(String::as_str)
    }

    /// Returns the number of a document (CDP loader id) of a frame; a document not seen before gets
    /// the next one. From now on the frame shows this document.
    pub fn loader_number(&mut self, frame: u32, raw_loader: &str) -> u32 {
        let documents = &mut self.documents;
        let number = *self.loaders.entry((frame, raw_loader.to_owned())).or_insert_with(|| {
            documents.push(Document { frame, numbers: HashMap::new(), raw: HashMap::new() });
            documents.len() as u32
        });
        self.current.insert(frame, number);
        number
    }

    /// Returns the number of the document that a frame shows.
    pub fn current_loader(&self, frame: u32) -> Option<u32> {
        self.current.get(&frame).copied()
    }

    /// Returns the renumbered backend node id of a node of the document that a frame shows, if a
    /// payload had it.
    pub fn backend(&self, frame: u32, raw_backend: i64) -> Option<u32> {
        let document = self.document(self.current_loader(frame)?)?;
        document.numbers.get(&raw_backend).copied()
    }

    /// Returns the key of a node of the document that a frame shows, if a payload had it.
    pub fn key(&self, frame: u32, raw_backend: i64) -> Option<NodeKey> {
        let loader = self.current_loader(frame)?;
        self.backend(frame, raw_backend).map(|backend| NodeKey { frame, loader, backend })
    }

    /// Returns the raw frame id and raw backend node id of a node. They may belong to a document
    /// that the frame shows no more: compare `key.loader` with [`Canonicalizer::current_loader`].
    pub fn raw_backend(&self, key: NodeKey) -> Option<(&str, i64)> {
        let document = self.document(key.loader).filter(|document| document.frame == key.frame)?;
        Some((self.raw_frame(key.frame)?, *document.raw.get(&key.backend)?))
    }

    fn document(&self, loader: u32) -> Option<&Document> {
        let index = usize::try_from(loader).ok()?.checked_sub(1)?;
        self.documents.get(index)
    }

    /// Returns the document that a frame shows; one of unknown loader if its frame tree was not
    /// read.
    fn document_of(&mut self, frame: u32) -> u32 {
        self.current_loader(frame).unwrap_or_else(|| self.loader_number(frame, ""))
    }

    /// Returns the number of a node of a document; a node not seen before gets the next one.
    fn number_in(&mut self, loader: u32, raw_backend: i64) -> u32 {
        let Some(document) = self.documents.get_mut(loader as usize - 1) else { return 0 };
        if let Some(number) = document.numbers.get(&raw_backend) {
            return *number;
        }
        self.nodes += 1;
        document.raw.insert(self.nodes, raw_backend);
        document.numbers.insert(raw_backend, self.nodes);
        self.nodes
    }

    /// Returns the number of the document that a frame shows, and those of its nodes by their raw
    /// backend node ids; nodes not seen before get the next ones, in the order given.
    pub fn numbers(&mut self, raw_frame: &str, raw_backends: impl Iterator<Item = i64>) -> (u32, Vec<u32>) {
        let frame = self.frame_number(raw_frame);
        let loader = self.document_of(frame);
        (frame, raw_backends.map(|raw| self.number_in(loader, raw)).collect())
    }

    /// Canonicalises any JSON that holds no ids (a probe, say): blanks go.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no JSON.
    pub fn plain(&self, raw: &str) -> Result<String, CanonicalError> {
        compact(raw).map_err(CanonicalError::new("a script"))
    }

    /// Canonicalises the result of `Page.getLayoutMetrics`.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no JSON.
    pub fn metrics(&self, raw: &str) -> Result<String, CanonicalError> {
        compact(raw).map_err(CanonicalError::new("Page.getLayoutMetrics"))
    }

    /// Canonicalises the result of `DOMDebugger.getEventListeners` of one frame's document:
    /// `{"listeners":[{"node":3,"types": ["click"]}]}`, sorted. Listeners of nodes that no other
    /// payload had (in another document, or removed) are left out.
    ///
    /// # Errors
    /// [`CanonicalError`] if the text is no such result.
    pub fn listeners(&mut self, raw_frame: &str, raw: &str) -> Result<String, CanonicalError> {
        #[derive(Deserialize)]
        struct Listener<'a> {
            #[serde(rename = "type", borrow, default)]
            kind: Option<Cow<'a, str>>,
            #[serde(default)]
            types: Vec<String>,
            #[serde(rename = "backendNodeId", alias = "node", default)]
            node: Option<i64>,
        }
        #[derive(Deserialize)]
        struct Listeners<'a> {
            #[serde(borrow, default)]
            listeners: Vec<Listener<'a>>,
        }
        let listeners: Listeners<'_> = serde_json::from_str(raw)
            .map_err(|error| CanonicalError { method: "DOMDebugger.getEventListeners", reason: error.to_string() })?;
        let frame = self.frame_number(raw_frame);
        let mut by_node: BTreeMap<u32, BTreeSet<String>> = BTreeMap::new();
        for listener in listeners.listeners {
            let Some(node) = listener.node.and_then(|raw| self.backend(frame, raw)) else { continue };
            let types = listener.types.into_iter().chain(listener.kind.map(Cow::into_owned));
            by_node.entry(node).or_default().extend(types);
        }
        let listeners: Vec<_> = by_node.iter().map(|(node, types)| json!({ "node": node, "types": types })).collect();
        Ok(json!({ "listeners": listeners }).to_string())
    }
}

fn frame_id(number: u32) -> String {
    format!("F{number}")
}
