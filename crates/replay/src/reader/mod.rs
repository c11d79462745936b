//! The reader: the deterministic agent that sees only observations and must find the next action's node.
//!
//! In: the texts of a run in order, and the [`Intent`](browserlens_strategy::Intent) of the next action. Out: what can be read, and the node it
//! would act on. One small parser a format; one request policy for all ([`policy`]).
//! Invariants: no parser panics, whatever the text; nothing here knows facts, page or action node; equal texts read equally.

pub mod aria;
pub mod ax;
pub mod browser_use;
pub mod find;
pub mod html;
mod lens_text;
pub mod node;
pub mod plain;
pub mod policy;
mod tags;
pub mod text;

pub use find::{Found, find};
pub use node::{Mark, ReadNode, Reading};
pub use text::Haystack;

use browserlens_strategy::{ObservationKind, TextFormat};

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
    /// Every observation stands alone; answers add to it.
    Standing(fn(&str) -> Reading),
}

impl Reader {
    /// Starts reading a run whose texts are of this format.
    pub fn new(format: TextFormat) -> Self {
        let state = match format {
            TextFormat::Lens => State::Lens(lens_text::LensText::default()),
            TextFormat::PlaywrightAria => State::Standing(aria::parse),
            TextFormat::BrowserUse => State::Standing(browser_use::parse),
            TextFormat::AxJson => State::Standing(ax::parse),
            TextFormat::Html => State::Standing(html::parse),
            TextFormat::Plain => State::Standing(plain::parse),
        };
        Self { state, reading: Reading::default() }
    }

    /// Reads the next text.
    pub fn read(&mut self, text: &str, kind: &ObservationKind) {
        match &mut self.state {
            State::Lens(shown) => self.reading = shown.read(text),
            State::Standing(parse) => {
                let read = parse(text);
                if matches!(kind, ObservationKind::Full { .. }) {
                    self.reading = read;
                } else {
                    self.reading.extend(read);
                }
            }
        }
    }

    /// Returns what can be read in the shown state.
    pub fn reading(&self) -> &Reading {
        &self.reading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_text_replaces_and_an_answer_adds() {
        let mut reader = Reader::new(TextFormat::Plain);
        let full = ObservationKind::Full { reason: String::new() };
        reader.read("one", &full);
        reader.read("two", &full);
        reader.read("three", &ObservationKind::Answer);
        let haystack = reader.reading().haystack();
        assert!(!haystack.holds("one") && haystack.holds("two three"));
    }
}
