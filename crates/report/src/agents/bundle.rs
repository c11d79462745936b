//! Records of runs as a report shows them.
//!
//! In: records, and what is known of their pages. Out: one measured run a record, a point a tool.
//! Invariant: a tool whose runs nobody judged is no point.

use super::{AgentsBy, MeasuredRun, measured};
use crate::aggregate::grouped;
use crate::{Estimate, ReportInput, Share};
use browserlens_core::tokens::Encoding;
use browserlens_trace::agents::RunRecord;
use rayon::prelude::*;

/// One record of a run, and the pages that were recorded with it.
#[derive(Clone, Debug, Default)]
pub struct AgentRun {
    /// Name of its file, without the extension.
    pub name: String,
    /// The record.
    pub record: RunRecord,
    /// The steps of its trace, in order; empty where it names none, or none that is there.
    pub pages: Vec<AgentPage>,
}

/// What a run's trace says of one step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentPage {
    /// Index of the step.
    pub step: u32,
    /// The action that led here, in words; empty of the first page.
    pub action: String,
    /// URL of the page.
    pub url: String,
    /// Its title.
    pub title: String,
    /// Its screenshot as [`crate::preview::preview`] makes it; none if there is none.
    pub picture: Option<Vec<u8>>,
}

/// Measures the runs of a report, by tool, in their order.
pub(crate) fn measured_bundle(input: &ReportInput<'_>) -> Vec<MeasuredRun> {
    let one = |run: &AgentRun| measured(&run.record, &[AgentsBy::Tool], Encoding::O200kBase, input.formula, None);
    input.agents.par_iter().map(one).collect()
}

/// What one tool's runs cost, against how many of them succeed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct AgentPoint {
    pub tool: String,
    /// Runs.
    pub runs: usize,
    /// Runs that succeed, of those that were judged; of some.
    pub judged: Share,
    /// Tokens read, a run.
    pub read: Estimate,
    /// Seconds a run; none where a run does not say.
    pub seconds: Option<Estimate>,
}

impl AgentPoint {
    /// Returns a point a tool, by name.
    pub fn of(input: &ReportInput<'_>) -> Vec<Self> {
        let runs = measured_bundle(input);
        let tools = grouped(&runs, |run| run.tool.as_str());
        tools.into_iter().filter_map(|(tool, runs)| Self::of_tool(tool, &runs)).collect()
    }

    fn of_tool(tool: &str, runs: &[&MeasuredRun]) -> Option<Self> {
        let mut judged = Share::default();
        runs.iter().filter_map(|run| run.success).for_each(|success| judged.add(success.into(), 1));
        let read: Vec<f64> = runs.iter().map(|run| run.costs.read as f64).collect();
        let seconds: Option<Vec<f64>> =
            runs.iter().map(|run| Some(run.costs.ms.or(run.costs.tool_ms)? as f64 / 1e3)).collect();
        judged.value()?;
        let (runs, read) = (runs.len(), Estimate::average(&read)?);
        Some(Self {
            tool: tool.to_owned(),
            runs,
            judged,
            read,
            seconds: Estimate::average(&seconds.unwrap_or_default()),
        })
    }
}
