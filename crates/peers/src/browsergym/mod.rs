//! `browsergym@0.14.3/axtree`: BrowserGym's flattened accessibility tree, as AgentLab's default agent asks for it: with
//! `visible` and `clickable`.
//!
//! In: the accessibility payload of every frame of the main session, and its DOM snapshot. Out: one line a node; a handle
//! is the bid in front of it. Invariants: nothing is cut; what is out of view, or hidden by a cover, is written all the same.
//! Follows: which element has which bid ([`bids`]), what the tool's marks do to the tree ([`marked`]), what it takes from the
//! layout ([`layout`]), which lines and properties are written and how ([`mod@write`]), written anew from the behaviour of that version.
//! Known to differ: an element that the page clones with its attributes keeps the bid of the original there and gets a new
//! one here; the lines that a text area breaks its value into, and those of generated content; `progress` and `input`
//! elements whose `value` attribute the marks write where there was none; lists that the page declares presentational;
//! where one line changes its direction at collapsed blanks, two boxes are one.

mod ax;
mod bids;
mod layout;
mod marked;
mod memo;
mod write;

use crate::dom::{self, Dom};
use browserlens_reading::{OptionsError, OptionsReader};
use browserlens_strategy::{
    ActionChannel, Observation, Run, Stage, StepInput, Strategy, StrategyError, Task, TextFormat,
};
use layout::Layout;
use memo::History;
use std::sync::Arc;

pub(crate) const NAME: &str = "browsergym@0.14.3/axtree";

/// The strategy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BrowserGym;

impl BrowserGym {
    /// Reads the options: there are none.
    ///
    /// # Errors
    /// [`OptionsError`] for any option.
    pub fn from_options(options: &serde_json::Value) -> Result<Self, OptionsError> {
        OptionsReader::new(options)?.finish().map(|()| Self)
    }
}

impl Strategy for BrowserGym {
    fn name(&self) -> &str {
        NAME
    }

    fn version(&self) -> &str {
        "0.14.3+bl1"
    }

    fn channel(&self) -> ActionChannel {
        ActionChannel::Ref
    }

    fn format(&self) -> TextFormat {
        TextFormat::BrowserGym
    }

    fn start(&self, _task: &Task) -> Box<dyn Run> {
        Box::new(BrowserGymRun::default())
    }
}

#[derive(Debug, Default)]
struct BrowserGymRun {
    history: History,
}

impl Run for BrowserGymRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        let missing =
            |what: &str| StrategyError::Missing { step: input.step, what: what.to_owned(), strategy: NAME.to_owned() };
        self.history.see(input.page);
        if let Some(observation) = self.history.known() {
            return Ok(Arc::unwrap_or_clone(observation));
        }
        input.clock.enter(Some(Stage::Extract));
        let layout = Layout::new(input.page, input.capture).ok_or_else(|| missing("DOM snapshot"))?;
        let snapshots = dom::snapshots(input.capture);
        let dom = Dom::new(input.page, &snapshots);
        let bids = Arc::make_mut(&mut self.history.bids).mark(&dom);
        input.clock.enter(Some(Stage::Format));
        let lines = write::write(&dom, input.capture, &layout, &bids).ok_or_else(|| missing("accessibility tree"))?;
        let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
        let mut observation = Observation::full_text(text.join("\n"), crate::REPRODUCED);
        observation.refs = lines.into_iter().filter_map(|line| line.target).collect();
        input.clock.enter(None);
        Ok(Arc::unwrap_or_clone(self.history.keep(observation)))
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
