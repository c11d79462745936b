//! The reader: the deterministic agent that sees only observations and must find the next action's
//! node.
//!
//! In: the texts of a run in order, and the [`Intent`](browserlens_core::strategy::Intent) of the next
//! action. Out: what can be read, and the node it would act on. One small parser a format; one
//! request policy for all ([`policy`]). Invariants: no parser panics, whatever the text; nothing
//! here knows facts, page or action node; equal texts read equally.

pub mod agent_browser;
mod agent_browser_delta;
pub mod aria;
pub mod ax;
pub mod browser_gym;
pub mod browser_use;
pub mod chrome_devtools;
pub mod find;
pub mod html;
mod lens_text;
pub mod markdown;
mod markdown_inline;
pub mod node;
mod outline;
pub mod plain;
mod playwright_incremental;
pub mod policy;
mod simple;
pub mod stagehand;
mod state;
mod tags;
pub mod text;

pub use find::{Found, find};
pub use node::{Mark, ReadNode, Reading};
pub use simple::{SimpleText, steps as simple_steps};
pub use text::Haystack;

use browserlens_core::strategy::{ObservationKind, TextFormat};
use browserlens_lens::ShownState;

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
    /// Changed parts replace parts of the last full snapshot.
    Incremental(playwright_incremental::IncrementalText),
    /// Splices change the lines of the last full text.
    Delta(agent_browser_delta::DeltaText),
    /// Every observation stands alone; answers add to it.
    Standing(fn(&str) -> Reading),
}

impl Reader {
    /// Starts reading a run whose texts are of this format.
    pub fn new(format: TextFormat) -> Self {
        let state = match format {
            TextFormat::Lens => State::Lens(lens_text::LensText::default()),
            TextFormat::PlaywrightAria => State::Standing(aria::parse),
            TextFormat::PlaywrightIncremental => State::Incremental(playwright_incremental::IncrementalText::default()),
            TextFormat::BrowserUse => State::Standing(browser_use::parse),
            TextFormat::AgentBrowser => State::Standing(agent_browser::parse),
            TextFormat::AgentBrowserDelta => State::Delta(agent_browser_delta::DeltaText::default()),
            TextFormat::ChromeDevtools => State::Standing(chrome_devtools::parse),
            TextFormat::Stagehand => State::Standing(stagehand::parse),
            TextFormat::BrowserGym => State::Standing(browser_gym::parse),
            TextFormat::Markdown => State::Standing(markdown::parse),
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
            State::Incremental(held) => self.reading = held.read(text),
            State::Delta(held) => self.reading = held.read(text),
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

    /// Returns the shown state with its marks, where the grammar has any.
    pub fn shown(&self) -> Option<&ShownState> {
        match &self.state {
            State::Lens(text) => Some(text.shown()),
            State::Incremental(_) | State::Delta(_) | State::Standing(_) => None,
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
