//! Rewrites what a trace holds: texts, node ids, and the order of lists.
//!
//! In: the records of a step. Out: the same with other texts and ids. Invariants: what is no text
//! and no id stays as it was; one [`Sink`] sees every text and id of a step, so that what is
//! gathered is what is exchanged; a payload that cannot be understood is an error, never copied as
//! it is.

mod ax;
mod order;
mod record;
mod snapshot;

pub(crate) use record::step;

use crate::corpus::error::CorpusError;
use browserlens_core::page::{Capture, NodeKey, Payload, PayloadKind};
use serde_json::Value;
use std::path::Path;

/// What becomes of texts and ids.
pub(crate) trait Sink {
    /// Returns what stands in a text's place.
    fn text(&mut self, text: &str) -> String;

    /// Returns what stands in a backend node id's place.
    fn backend(&mut self, backend: u32) -> u32;

    /// Is told the value of a field whose value is nobody's business, before any text of the page.
    fn secret(&mut self, _text: &str) {}

    /// Returns what stands in a node's place.
    fn key(&mut self, key: NodeKey) -> NodeKey {
        NodeKey { backend: self.backend(key.backend), ..key }
    }
}

/// How the lists of a page are put into another order.
#[derive(Clone, Debug)]
pub(crate) struct Orders {
    pub seed: u64,
    /// The trace's name: each trace has an order of its own.
    pub trace: String,
    /// Width and height of the window, in CSS px.
    pub viewport: (f64, f64),
    /// Texts that must be readable afterwards where they were before.
    pub facts: Vec<String>,
}

/// Why a payload cannot be rewritten.
type Reason = String;

/// Rewrites the payloads of a capture; returns how many nodes came to stand elsewhere.
pub(crate) fn capture(
    capture: &mut Capture,
    orders: Option<&Orders>,
    sink: &mut dyn Sink,
    path: &Path,
    step: u32,
) -> Result<usize, CorpusError> {
    let failed = |kind: PayloadKind| {
        move |reason: Reason| CorpusError::Payload { path: path.to_owned(), step, kind: kind.name(), reason }
    };
    let mut parsed: Vec<Option<Value>> = Vec::with_capacity(capture.payloads.len());
    for payload in &capture.payloads {
        let is_rewritten = payload.kind.is_text() && payload.kind != PayloadKind::Metrics;
        let value = is_rewritten.then(|| serde_json::from_slice(&payload.body)).transpose();
        parsed.push(value.map_err(|error| failed(payload.kind)(error.to_string()))?);
    }
    let mut moved = 0;
    if let Some(orders) = orders {
        moved = order::reorder(&capture.payloads, &mut parsed, orders);
    }
    for (payload, value) in capture.payloads.iter().zip(&mut parsed) {
        if let (PayloadKind::Snapshot, Some(value)) = (payload.kind, value) {
            snapshot::secrets(value, sink);
        }
    }
    for (payload, value) in capture.payloads.iter_mut().zip(parsed) {
        if payload.kind == PayloadKind::Crop {
            payload.node = sink.backend(payload.node);
        }
        let Some(mut value) = value else { continue };
        rewrite(payload, &mut value, sink).map_err(failed(payload.kind))?;
        payload.body = serde_json::to_vec(&value).map_err(|error| failed(payload.kind)(error.to_string()))?.into();
    }
    Ok(moved)
}

fn rewrite(payload: &Payload, value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    match payload.kind {
        PayloadKind::Snapshot => snapshot::rewrite(value, sink),
        PayloadKind::Ax => ax::rewrite(value, sink),
        PayloadKind::Listeners => listeners(value, sink),
        PayloadKind::Probe => text_member(value, "text", sink),
        PayloadKind::SecondLook => second_look(value, sink),
        // The node in whose place a frame's document stands.
        PayloadKind::Frames => value.get_mut("owner").map_or(Ok(()), |owner| id_member(owner, "node", sink)),
        PayloadKind::Metrics | PayloadKind::Screenshot | PayloadKind::Crop => Ok(()),
    }
}

/// The list under a name; an empty one where there is none.
fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value.get(name).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn list_mut<'v>(value: &'v mut Value, name: &str) -> impl Iterator<Item = &'v mut Value> + use<'v> {
    value.get_mut(name).and_then(Value::as_array_mut).into_iter().flatten()
}

/// A place in a list.
fn index(value: &Value) -> Option<usize> {
    value.as_u64().and_then(|number| usize::try_from(number).ok())
}

fn text_member(value: &mut Value, member: &str, sink: &mut dyn Sink) -> Result<(), Reason> {
    if let Some(Value::String(text)) = value.get_mut(member) {
        *text = sink.text(text);
    }
    Ok(())
}

fn listeners(value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let Some(list) = value.get_mut("listeners").and_then(Value::as_array_mut) else {
        return Err("it has no list of listeners".to_owned());
    };
    for listener in list.iter_mut() {
        id_member(listener, "node", sink)?;
    }
    list.sort_by_key(|listener| listener.get("node").and_then(Value::as_u64));
    Ok(())
}

/// Replaces a member that is a backend node id; one that is not there stays away.
fn id_member(value: &mut Value, member: &str, sink: &mut dyn Sink) -> Result<(), Reason> {
    let Some(id) = value.get_mut(member) else { return Ok(()) };
    *id = Value::from(sink.backend(backend_of(id)?));
    Ok(())
}

fn backend_of(value: &Value) -> Result<u32, Reason> {
    let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
    number.ok_or_else(|| format!("{value} is no backend node id"))
}

fn second_look(value: &mut Value, sink: &mut dyn Sink) -> Result<(), Reason> {
    let mut key = |value: &mut Value| -> Result<(), Reason> {
        let old: NodeKey =
            value.as_str().and_then(|text| text.parse().ok()).ok_or_else(|| format!("{value} is no node key"))?;
        *value = Value::from(sink.key(old).to_string());
        Ok(())
    };
    list_mut(value, "changed").filter_map(|changed| changed.get_mut("key")).try_for_each(&mut key)?;
    ["added", "removed"].into_iter().try_for_each(|member| list_mut(value, member).try_for_each(&mut key))
}
