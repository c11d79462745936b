//! `browsergym@0.14.3/axtree`: BrowserGym's flattened accessibility tree, as AgentLab's default
//! agent asks for it: with `visible` and `clickable`.
//!
//! In: the accessibility payload of every frame of the main session, and its DOM snapshot. Out: one
//! line a node; a handle is the bid in front of it. Invariants: nothing is cut; what is out of
//! view, or hidden by a cover, is written all the same. Follows: which element has which bid
//! ([`bids`]), what the tool's marks do to the tree ([`marked`]), what it takes from the layout
//! ([`layout`]), which lines and properties are written and how ([`mod@write`]), written anew from
//! the behaviour of that version. Known to differ: an element that the page clones with its
//! attributes keeps the bid of the original there and gets a new one here; the lines that a text
//! area breaks its value into, and those of generated content; `progress` and `input` elements
//! whose `value` attribute the marks write where there was none; lists that the page declares
//! presentational; where one line changes its direction at collapsed blanks, two boxes are one.

mod ax;
mod bids;
mod layout;
mod lines;
mod marked;
mod read;
mod write;

use crate::dom::{self, Dom};
use crate::read::TextReader;
use crate::tool::{Format, Harness, Packages, PeerStrategy, RecordedOutput, Reproduction, Tool, missing, no_options};
use bids::Bids;
use browserlens_core::strategy::{Observation, OptionsError, Run, Stage, StepInput, StrategyError};
use layout::Layout;
use std::sync::Arc;

pub(crate) const NAME: &str = "browsergym@0.14.3/axtree";

/// The flattened accessibility tree.
pub(crate) static TREE: Format =
    Format::new("browser-gym", || TextReader::Standing(read::parse)).compared_by(lines::RULES);

pub(crate) static TOOL: Tool = Tool {
    packages: Packages::Pip(include_str!("requirements.txt")),
    harnesses: &[Harness::looking("browsergym@0.14.3", "browsergym/harness.py")],
    recorded: &[RecordedOutput::whole("browsergym@0.14.3/axtree:recorded", &TREE)],
    reproductions: &[Reproduction { name: NAME, build: strategy }],
    formats: &[&TREE],
};

fn strategy(options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    no_options(options)?;
    Ok(PeerStrategy::new(NAME, "0.14.3+bl1", &TREE, |_| BrowserGymRun::default()))
}

#[derive(Debug, Default)]
pub(crate) struct BrowserGymRun {
    /// What was marked at the steps before; none at the first.
    bids: Option<Arc<Bids>>,
}

/// Two more strategies cut or search this text: of one page, runs with the same marks behind them
/// say the same.
struct After(Option<Arc<Bids>>);

impl PartialEq for After {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_ref().map(Arc::as_ptr) == other.0.as_ref().map(Arc::as_ptr)
    }
}

impl Run for BrowserGymRun {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let before = self.bids.clone();
        let said = input.shared.get_or_make(input.clock, After(before.clone()), || {
            let layout = Layout::new(input.page, input.capture).ok_or("DOM snapshot")?;
            let snapshots = dom::snapshots(input.capture);
            let dom = Dom::new(input.page, &snapshots);
            let mut bids = before.map(Arc::unwrap_or_clone).unwrap_or_default();
            let marked = bids.mark(&dom);
            let lines = write::write(&dom, input.capture, &layout, &marked).ok_or("accessibility tree")?;
            let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
            let mut observation = Observation::full_text(text.join("\n"), crate::REPRODUCED);
            observation.refs = lines.into_iter().filter_map(|line| line.target).collect();
            Ok((Arc::new(bids), observation))
        });
        input.clock.enter(None);
        let (bids, observation): &(Arc<Bids>, Observation) =
            said.as_ref().as_ref().map_err(|what: &&str| missing(input, what, NAME))?;
        self.bids = Some(Arc::clone(bids));
        Ok(observation.clone())
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::example;
