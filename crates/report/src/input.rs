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
use browserlens_replay::{Measurement, PerMille, Store, StrategyInfo, TaskMeasurement, Timing, TraceInfo};
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
    /// What is said of the traces; one that is missing is shown with what the rows tell.
    pub traces: &'a [TraceInfo],
    /// What is said of the traces' steps; may be empty.
    pub steps: &'a [StepInfo],
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

/// Returns the rows of what each trace has several of, beside the trace's id.
pub(crate) fn of_each<T>(traces: &[TraceInfo], own: fn(&TraceInfo) -> &Vec<T>) -> Vec<(&str, &T)> {
    traces.iter().flat_map(|info| own(info).iter().map(|row| (info.id.as_str(), row))).collect()
}

/// What a trace and its scenario say of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepInfo {
    /// Id of the trace in the run: `Measurement::trace`.
    pub trace: String,
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
