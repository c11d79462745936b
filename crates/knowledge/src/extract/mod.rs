//! Knowledge from recordings: pages to screens, actions to transitions, runs to tasks.
//!
//! In: [`Recording`]s, read from traces once and held without their pages. Out: a [`Knowledge`].
//! Invariants: the same recordings in any order give the same knowledge; a screen belongs to the
//! website of its pages, an action to that of the screen it is done on, whatever websites the
//! recording leads over; everything names the trace
//! and step it was seen at; nothing that was typed into a secret field is kept.

mod actions;
mod group;
pub(crate) mod ids;
pub(crate) mod nodes;
mod recording;
mod screens;
pub(crate) mod signature;
mod tasks;
pub(crate) mod urls;
pub(crate) mod view;

pub use recording::Recording;

use crate::model::{Knowledge, KnowledgeId};
use crate::purpose::fill_purposes;

/// Makes knowledge of recordings.
pub fn extract(knowledge_id: impl Into<KnowledgeId>, recordings: &[Recording]) -> Knowledge {
    let mut knowledge = Knowledge::new(knowledge_id);
    let mut recordings: Vec<&Recording> = recordings.iter().collect();
    // The order in which traces are given must not matter, nor whether one is given twice.
    recordings.sort_by(|one, other| one.trace_hash.cmp(&other.trace_hash));
    recordings.dedup_by(|one, other| one.trace_hash == other.trace_hash);
    let placed = screens::add(&mut knowledge, &recordings);
    actions::add(&mut knowledge, &recordings, &placed);
    tasks::add(&mut knowledge, &recordings, &placed);
    fill_purposes(&mut knowledge);
    knowledge
}

#[cfg(test)]
mod tests;
