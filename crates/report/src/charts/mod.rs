//! The charts of a report, as SVG; the two main ones as PNG too.
//!
//! In: a run and its [`Summary`]. Out: charts, each with a title and a caption that says what is
//! drawn and in which unit. Invariants: the same rows give the same bytes (but for latency); a
//! chart needs no font of the machine, since it brings its own; names of strategies and scenarios
//! are text, never markup; colours can be told apart by colour-blind readers, and where they
//! repeat, marker and dash tell the lines apart.

mod agents;
mod bars;
mod canvas;
mod labels;
mod latency;
mod pareto;
mod routers;
mod scatter;
mod steps;
mod style;
mod sweeps;

use crate::agents::AgentPoint;
use crate::{ReportError, ReportInput, Summary};

/// One chart.
#[derive(Clone, Debug)]
pub(crate) struct Chart {
    /// Name of its file.
    pub file: &'static str,
    /// What it shows, in a few words.
    pub title: &'static str,
    /// How to read it.
    pub caption: String,
    /// The drawing.
    pub svg: String,
    /// Name and bytes of the same as PNG, of the main charts.
    pub png: Option<(&'static str, Vec<u8>)>,
}

/// The charts of a report.
#[derive(Clone, Debug)]
pub(crate) struct Charts {
    /// Tokens against steps that succeed.
    pub pareto: Chart,
    /// Tokens per step over each task.
    pub steps: Chart,
    /// Latency by stage.
    pub latency: Chart,
    /// What routers chose; none where hindsight is not known.
    pub routers: Option<Chart>,
    /// Curves of sweeps; none where nothing was swept.
    pub sweeps: Option<Chart>,
    /// What agents did: tokens read, then time, against the runs that succeed; none without judged
    /// runs.
    pub agents: Vec<Chart>,
}

impl Charts {
    /// Draws every chart.
    ///
    /// # Errors
    /// [`ReportError::Chart`] if the backend refuses a shape.
    pub fn draw(input: &ReportInput<'_>, summary: &Summary) -> Result<Self, ReportError> {
        Ok(Self {
            pareto: pareto::draw(summary)?,
            steps: steps::draw(input, summary)?,
            latency: latency::draw(summary)?,
            routers: summary.routers.as_ref().map(routers::draw).transpose()?,
            sweeps: sweeps::draw(&crate::sweeps::families(input, summary))?,
            agents: agents::draw(&AgentPoint::of(input))?,
        })
    }

    /// Returns them in reading order.
    pub fn all(&self) -> impl Iterator<Item = &Chart> {
        [&self.pareto, &self.steps, &self.latency]
            .into_iter()
            .chain(&self.routers)
            .chain(&self.sweeps)
            .chain(&self.agents)
    }
}
