//! Texts and ids of a step's records.
//!
//! In: a [`StepRecord`]. Out: the same, rewritten. Invariants: what was done stays what it was;
//! addresses, requests and what files are called stay.

use super::{Orders, Sink, capture};
use crate::corpus::error::CorpusError;
use crate::{ActionRecord, StepRecord};
use browserlens_core::strategy::{ActionKind, EventKind};
use std::path::Path;

/// Rewrites a step; returns how many nodes came to stand elsewhere.
pub(crate) fn step(
    step: &mut StepRecord,
    orders: Option<&Orders>,
    sink: &mut dyn Sink,
    path: &Path,
) -> Result<usize, CorpusError> {
    let moved = capture(&mut step.capture, orders, sink, path, step.index.0)?;
    if let Some(action) = &mut step.action {
        rewrite_action(action, sink);
    }
    for event in &mut step.events {
        match &mut event.kind {
            EventKind::Console(message) => message.text = sink.text(&message.text),
            EventKind::Dialog(dialog) => {
                dialog.message = sink.text(&dialog.message);
                dialog.typed = sink.text(&dialog.typed);
            }
            EventKind::Tab(tab) => tab.title = sink.text(&tab.title),
            EventKind::Request(_) | EventKind::Download(_) => {}
        }
    }
    for (key, _) in &mut step.entities {
        *key = sink.key(*key);
    }
    Ok(moved)
}

fn rewrite_action(action: &mut ActionRecord, sink: &mut dyn Sink) {
    for key in action.target.iter_mut().chain(&mut action.acceptable) {
        *key = sink.key(*key);
    }
    if has_words(action.taken.kind) {
        action.taken.text = sink.text(&action.taken.text);
        action.intent.text = sink.text(&action.intent.text);
    }
    action.each_name(|name| *name = sink.text(name));
}

/// Whether an action's text is one of the page's: not an address, a key, or the name of a file.
fn has_words(kind: ActionKind) -> bool {
    matches!(kind, ActionKind::Fill | ActionKind::Type | ActionKind::Select)
}
