//! What a report is made of.
//!
//! In: rows of `replay`, what the scenarios and strategies say of themselves, and the store of
//! observations behind a small trait. Out: one value that every part of the report reads.
//! Invariant: the report recomputes no observation; where something is not given (a screenshot, a
//! text) the report says so.

use crate::AgentRun;
use crate::preview;
use browserlens_core::page::BoxInViewport;
use browserlens_core::tokens::ImageFormula;
use browserlens_knowledge::Knowledge;
use browserlens_replay::{
    AnswerInfo, AskedInfo, AttackInfo, KnownInfo, Measurement, Origin, PerMille, RecordedPeer, Store, SweepPoint,
    TaskMeasurement, Timing,
};
use rayon::prelude::*;
use std::error::Error;

/// The strategy that ratios are taken against by default.
pub const BASELINE: &str = "playwright-mcp@0.0.83/full";

/// Everything a report is made of.
#[derive(Clone, Copy)]
pub struct ReportInput<'a> {
    /// One row per trace × strategy × step.
    pub measurements: &'a [Measurement],
    /// One row per trace × strategy.
    pub tasks: &'a [TaskMeasurement],
    /// Latency, one row per trace × strategy × step; may be empty.
    pub timings: &'a [Timing],
    /// What the scenarios say, by trace; one that is missing is shown with what the rows tell.
    pub scenarios: &'a [ScenarioInfo],
    /// What the strategies say of themselves; may be empty.
    pub strategies: &'a [StrategyInfo],
    /// Where the texts and images of the rows' content hashes are.
    pub observations: &'a dyn Observations,
    /// The strategy that ratios are taken against, such as `playwright-mcp@0.0.83/full`.
    pub baseline: &'a str,
    /// How image tokens are counted.
    pub formula: ImageFormula,
    /// What a prompt cache takes off the price of what the call before read at the same place.
    pub cache_discount: PerMille,
    /// What is known of the websites of the traces, for their maps; none where that was not made.
    pub knowledge: Option<&'a Knowledge>,
    /// What agents did, from records of their runs; may be empty.
    pub agents: &'a [AgentRun],
    /// How the run came about.
    pub about: &'a About,
}

/// How a run came about; printed as given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Tool and version, such as `browserlens 0.1.0`.
    pub tool: String,
    /// The command that makes the report again, such as `just bench`.
    pub command: String,
    /// When the run was made, as the caller writes it; empty where that is not told.
    pub date: String,
    /// On which machine; empty where that is not told.
    pub machine: String,
    /// Where the full observations lie, relative to the report or as a command.
    pub store: String,
    /// What is to be said of recorded tools: how much was dropped and why, which outputs are
    /// missing.
    pub recorded: Vec<String>,
    /// The git revision that the report was made at; empty where that is not known.
    pub revision: String,
    /// What counted tokens; empty where that is not told.
    pub tokenizer: String,
    /// `reports/fidelity.md` as it stands; empty where there is none.
    pub fidelity: String,
}

/// What a scenario says of one trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScenarioInfo {
    /// Id of the trace in the run: `Measurement::trace`.
    pub trace: String,
    /// The goal in the user's words.
    pub goal: String,
    /// Why the scenario is there.
    pub why: String,
    /// Whether the recording reached its end.
    pub complete: bool,
    /// Hash of the trace file; empty where that is not told.
    pub hash: String,
    /// Name and version of the browser that was recorded; empty where that is not told.
    pub browser: String,
    /// Its steps, in order.
    pub steps: Vec<StepInfo>,
    /// What its pages' text tries on readers.
    pub attacks: Vec<AttackInfo>,
    /// What answers about console and requests cost there, and tell.
    pub answers: Vec<AnswerInfo>,
    /// What came of the questions about its pages.
    pub asked: Vec<AskedInfo>,
    /// What other recordings make known of it.
    pub known: Option<KnownInfo>,
    /// What recorded tools gave beside it.
    pub peers: Vec<RecordedPeer>,
    /// Where it was imported from; none if it was recorded here.
    pub origin: Option<Origin>,
}

/// Returns the rows of what each trace has several of, beside the trace's id.
pub(crate) fn of_each<T>(scenarios: &[ScenarioInfo], own: fn(&ScenarioInfo) -> &Vec<T>) -> Vec<(&str, &T)> {
    scenarios.iter().flat_map(|info| own(info).iter().map(|row| (info.trace.as_str(), row))).collect()
}

/// What a trace and its scenario say of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Index of the step.
    pub step: u32,
    /// The action that led here, in words.
    pub action: String,
    /// What the agent is to do next, in words; empty at the end.
    pub next: String,
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// What the agent must be able to read here.
    pub facts: Vec<FactInfo>,
    /// Content hash of the screenshot of the viewport.
    pub screenshot: Option<String>,
    /// Width and height of the viewport, in CSS px; none where that is not told.
    pub viewport: Option<(u32, u32)>,
    /// Where the acceptable nodes of the next action lie, in CSS px.
    pub targets: Vec<BoxInViewport>,
    /// Where the nodes of refs lie, by strategy; of those that were asked for.
    pub refs: Vec<StrategyRefs>,
    /// What the browser said during the step, first things first.
    pub events: Vec<EventInfo>,
    /// How many events there were beside those.
    pub more_events: usize,
}

/// Where the nodes lie that one strategy's refs mean after a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrategyRefs {
    /// The strategy.
    pub strategy: String,
    /// Each handle and its box, in CSS px.
    pub boxes: Vec<(String, BoxInViewport)>,
}

/// A console message, a request, a dialog, a tab or a download, in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventInfo {
    /// `console`, `request`, `dialog`, `tab` or `download`.
    pub kind: String,
    /// Level, method or state.
    pub label: String,
    /// What it says.
    pub text: String,
    /// Whether it is an error.
    pub is_error: bool,
}

/// A fact that the agent must be able to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FactInfo {
    /// The text.
    pub text: String,
    /// Whether it may be read from pixels.
    pub pixels: bool,
}

/// What a strategy says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StrategyInfo {
    /// Its name, `family/variant`.
    pub name: String,
    /// Version of what it writes.
    pub version: String,
    /// Why it is in the bench.
    pub why: String,
    /// How an agent acts on what it shows; empty where that is not told.
    pub channel: String,
    /// How its texts are parsed; empty where that is not told.
    pub format: String,
    /// Its options as JSON; empty where that is not told.
    pub options: String,
    /// Which member of a family it is; none where nothing was swept.
    pub sweep: Option<SweepPoint>,
}

impl StrategyInfo {
    /// Returns what a run's header says of a strategy.
    pub fn of(info: &browserlens_replay::StrategyInfo) -> Self {
        let channel = serde_json::to_value(info.channel).unwrap_or_default();
        Self {
            name: info.name.clone(),
            version: info.version.clone(),
            why: info.why.clone(),
            channel: channel.as_str().unwrap_or_default().to_owned(),
            format: info.format.as_str().to_owned(),
            options: info.options.to_string(),
            sweep: info.sweep.clone(),
        }
    }

    /// Returns the class of models that its option `tier` names.
    pub fn tier(&self) -> Option<String> {
        let options: serde_json::Value = serde_json::from_str(&self.options).ok()?;
        let own = |options: &serde_json::Value| options.get("tier")?.as_str().map(str::to_owned);
        own(&options).or_else(|| own(options.get("options")?))
    }
}

/// The store of observations, read by content hash.
pub trait Observations: Sync {
    /// Returns the text of a content hash; none if the store does not have it.
    ///
    /// # Errors
    /// Any error of the store; the report goes on and shows it in the text's place.
    fn text(&self, hash: &str) -> Result<Option<String>, Box<dyn Error + Send + Sync>>;

    /// Returns the PNG bytes of a content hash; none if the store does not have it.
    ///
    /// # Errors
    /// Any error of the store; the report goes on and shows it in the image's place.
    fn image(&self, hash: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>>;

    /// Returns small copies of images, in the order of their hashes; none for one that cannot be
    /// read.
    ///
    /// Making them takes most of a report's time: a store that is asked again may keep them.
    fn previews(&self, hashes: &[&str], size: preview::Size) -> Vec<Option<Vec<u8>>> {
        hashes.par_iter().map(|hash| preview::preview(&self.image(hash).ok()??, size)).collect()
    }
}

impl Observations for Store {
    fn text(&self, hash: &str) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
        if self.has_text(hash) { Ok(Some(Self::text(self, hash)?)) } else { Ok(None) }
    }

    fn image(&self, hash: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        if self.has_image(hash) { Ok(Some(Self::image(self, hash)?)) } else { Ok(None) }
    }
}
