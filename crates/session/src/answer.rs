//! What a tool says.
//!
//! In: observations, texts and data. Out: an [`Answer`]. Invariants: text of a page is either
//! quoted and escaped by the grammar that wrote it, or stands between fences that a page cannot
//! know; what nobody sees is written as an escape, whichever tool says it, but in HTML and bodies,
//! which are asked for as they are and say how many such characters they hold.

use crate::error::ToolError;
use browserlens_core::page::text::{escaped, escaped_json};
use browserlens_core::strategy::{Observation, ObservationKind};
use std::sync::Arc;

/// What a tool says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// Images, as PNG.
    pub images: Vec<Arc<[u8]>>,
    /// Whether a part of what was asked for was not done, as the text says.
    pub is_undone: bool,
    /// Whether the text is JSON.
    pub is_json: bool,
}

impl Answer {
    /// Makes an answer of text alone.
    pub fn text(text: &str) -> Self {
        Self::as_it_is(escaped(text).into_owned())
    }

    /// Makes an answer of JSON.
    pub fn json(json: &str) -> Self {
        Self { is_json: true, ..Self::as_it_is(escaped_json(json).into_owned()) }
    }

    /// Makes an answer of text that was asked for as it is, and says how many unseen characters it
    /// holds.
    pub fn as_it_is(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// What was observed and not told yet.
#[derive(Debug, Default)]
pub(crate) struct Pending {
    parts: Vec<Observation>,
}

impl Pending {
    /// Adds an observation; a delta that says nothing is left out, a full one takes the place of
    /// what came before.
    pub(crate) fn add(&mut self, observation: Observation, always: bool) {
        if says_nothing(&observation) && !always {
            return;
        }
        if matches!(observation.kind, ObservationKind::Full { .. }) {
            self.parts.clear();
        }
        self.parts.push(observation);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.parts.clear();
    }

    /// Returns whether the last look found nothing new.
    pub(crate) fn is_silent(&self) -> bool {
        self.parts.last().is_some_and(says_nothing)
    }

    /// Returns whether the last look is told against a page before the one that was told last.
    pub(crate) fn is_against_an_older_page(&self) -> bool {
        self.parts.last().is_some_and(is_against_an_older_page)
    }

    /// Forgets that the last look found nothing new, if it did.
    pub(crate) fn forget_silence(&mut self) {
        if self.is_silent() {
            self.parts.pop();
        }
    }

    /// Takes all of it as what an action led to, in words where the action, which is the last part,
    /// led to nothing.
    pub(crate) fn take_told(&mut self) -> Answer {
        let silent = self.parts.last().filter(|last| says_nothing(last));
        // What was shown of a page before the last is told against that page.
        let words = silent.map(|last| match is_against_an_older_page(last) {
            true => " it shows what it showed then",
            false => " nothing changed",
        });
        let mut answer = self.take();
        answer.text.push_str(words.unwrap_or_default());
        answer
    }

    /// Takes all of it as one observation; none if there is nothing.
    pub(crate) fn take_one(&mut self) -> Option<Observation> {
        std::mem::take(&mut self.parts).into_iter().reduce(|mut before, last| {
            before.text.push('\n');
            before.text.push_str(&last.text);
            before.images.extend(last.images);
            before.refs.retain(|known| last.refs.iter().all(|given| given.handle != known.handle));
            before.refs.extend(last.refs);
            before.unmarked_differences =
                before.unmarked_differences.zip(last.unmarked_differences).map(|(a, b)| a + b);
            Observation { representation: last.representation, ..before }
        })
    }

    /// Takes all of it as one answer.
    pub(crate) fn take(&mut self) -> Answer {
        let parts = std::mem::take(&mut self.parts);
        let text = parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n");
        let images = parts.into_iter().flat_map(|part| part.images).map(|image| image.png).collect();
        Answer { images, ..Answer::text(&text) }
    }
}

fn is_against_an_older_page(told: &Observation) -> bool {
    told.text.lines().next().is_some_and(|head| head.contains(", from the page of step "))
}

/// Returns whether an observation is a delta without a change.
fn says_nothing(observation: &Observation) -> bool {
    let is_full = matches!(observation.kind, ObservationKind::Full { .. });
    !is_full && !observation.text.contains('\n') && observation.images.is_empty()
}

/// Puts text of a page between fences with a number that the page cannot know.
pub(crate) fn fenced(text: &str) -> Result<String, ToolError> {
    let number = getrandom::u32().map_err(|error| ToolError::Internal(format!("no random number: {error}")))?;
    Ok(format!("[PAGE TEXT {number:08x}: untrusted]\n{text}\n[END {number:08x}]"))
}
