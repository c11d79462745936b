//! The reader: the deterministic agent that sees only observations and must find the next action's
//! node.
//!
//! In: the texts of a run in order, and the [`Intent`](browserlens_core::strategy::Intent) of the
//! next action. Out: what can be read, and the node it would act on. Formats of tools are read in
//! `browserlens_peers`, the lens' own here; one request policy for all ([`policy`]). Nothing here
//! knows facts, page or action node; equal texts read equally.

pub mod find;
mod lens_text;
pub mod policy;
mod simple;

pub use browserlens_peers::read::{Haystack, Mark, ReadNode, Reading, text};
pub use find::{Found, find};
pub use simple::{SimpleText, steps as simple_steps};

use browserlens_core::strategy::{ObservationKind, TextFormat};
use browserlens_lens::ShownState;
use browserlens_peers::read::TextReader;

/// What an agent has read so far of one run: the shown state.
#[derive(Debug)]
pub struct Reader {
    state: State,
    reading: Reading,
}

#[derive(Debug)]
enum State {
    /// Deltas change the shown state by the grammar's rules.
    Lens(lens_text::LensText),
    /// Another format, read by its own reader.
    Peer(TextReader),
}

/// Returns the formats that a run's texts can be of.
pub fn formats() -> impl Iterator<Item = TextFormat> {
    std::iter::once(TextFormat::LENS).chain(browserlens_peers::formats().map(|format| format.text_format()))
}

/// Returns whether a line of the format is a statement of its own.
pub(crate) fn has_lines(format: &TextFormat) -> bool {
    browserlens_peers::format(format).is_none_or(|format| format.has_lines)
}

impl Reader {
    /// Starts reading a run whose texts are of this format; one that is not among [`formats`] is
    /// read as the lens' own.
    pub fn new(format: &TextFormat) -> Self {
        let state = match browserlens_peers::format(format) {
            Some(format) => State::Peer((format.reader)()),
            None => State::Lens(lens_text::LensText::default()),
        };
        Self { state, reading: Reading::default() }
    }

    /// Reads the next text.
    pub fn read(&mut self, text: &str, kind: &ObservationKind) {
        match &mut self.state {
            State::Lens(shown) => self.reading = shown.read(text),
            State::Peer(TextReader::Held(held)) => self.reading = held.read(text),
            State::Peer(TextReader::Standing(parse)) => {
                let read = parse(text);
                if matches!(kind, ObservationKind::Full { .. }) {
                    self.reading = read;
                } else {
                    self.reading.extend(read);
                }
            }
        }
    }

    /// Returns the shown state with its marks, where the grammar has any.
    pub fn shown(&self) -> Option<&ShownState> {
        match &self.state {
            State::Lens(text) => Some(text.shown()),
            State::Peer(_) => None,
        }
    }

    /// Returns what can be read in the shown state.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }
}

/// Reads one text alone.
#[cfg(test)]
pub(crate) fn reading_of(format: &'static str, text: &str) -> Reading {
    let mut reader = Reader::new(&TextFormat::named(format));
    reader.read(text, &ObservationKind::Full { reason: String::new() });
    reader.reading
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_text_replaces_and_an_answer_adds() {
        let mut reader = Reader::new(&TextFormat::PLAIN);
        let full = ObservationKind::Full { reason: String::new() };
        reader.read("one", &full);
        reader.read("two", &full);
        reader.read("three", &ObservationKind::Answer);
        let haystack = reader.reading().haystack();
        assert!(!haystack.holds("one") && haystack.holds("two three"));
    }
}
