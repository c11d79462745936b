//! Turns the measurements of a run into a report: tables, charts, a summary and one HTML page.
//!
//! In: a [`ReportInput`] (rows, task rows and timings of `replay`, what the scenarios say, the
//! stored observations). Out: one fresh folder with `index.html`, `summary.md`, charts as SVG, the
//! main ones as PNG, `measurements.parquet` and `.csv`, `tasks.csv`, `timings.parquet` and `.csv`,
//! and what the other numbers are made of (`traces.parquet`, `questions.parquet`, …). Invariants:
//! nothing that exists is overwritten, and a report that could not be finished leaves no folder;
//! the measurement files depend on the measurements alone, byte for byte; nothing that came from a
//! page is ever markup.
//!
//! Which part should I use?
//! - the whole report: [`write_report`]
//! - the table for a terminal: [`Summary::of`], then [`terminal_table`]
//! - one aggregate: [`Summary::of`], whose fields say how each number is made

mod agents;
mod aggregate;
mod answers;
mod attacks;
mod charts;
mod compare;
mod error;
mod exam;
mod fidelity;
mod folder;
mod gate;
mod html;
mod imported;
mod input;
mod knowledge;
mod labels;
mod llm;
mod median;
mod numbers;
pub mod preview;
mod quality;
mod reading;
mod scenario_tables;
mod seed_tables;
mod share;
mod stats;
mod summary;
mod sweeps;
pub mod tables;
mod text_table;
mod tiers;

#[cfg(test)]
mod made_up;

pub use agents::{
    AgentPage, AgentRun, AgentsBy, AgentsComparison, Counterfactual, MeasuredRun, OfflineScore, Validity, ValidityRow,
    agents_comparison, agents_table, compared_agents, counterfactual_table, measured_runs,
};
pub use aggregate::{Cell, ErrorRow, LeftOut, StageTimes, StrategySummary, Summary, TaskCosts};
pub use compare::{Comparison, ScenarioComparison, comparison_table, comparisons, scenario_comparisons};
pub use error::ReportError;
pub use exam::{exam_answers_table, exam_table};
pub use fidelity::{fidelity_markdown, fidelity_terminal_table};
pub use gate::{add_change, change_entry, gate_junit, gate_markdown, gate_words};
pub use input::{About, BASELINE, EventInfo, FactInfo, Observations, ReportInput, StepInfo, StrategyRefs};
pub use llm::{llm_markdown, llm_terminal_table};
pub use quality::{Metric, Quality};
pub use share::Share;
pub use stats::{Estimate, RESAMPLES};
pub use summary::{summary_markdown, terminal_table};

use browserlens_replay::llm::LlmResults;
use folder::StagedFolder;
use std::path::{Path, PathBuf};

/// Where the parts of a report lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReportPaths {
    /// The folder.
    pub folder: PathBuf,
    /// The page that opens from disk.
    pub index: PathBuf,
    /// Everything in the folder, in the order in which it was written.
    pub files: Vec<PathBuf>,
}

/// Writes a whole report into the fresh folder `dir`, whose parents are made where they are
/// missing.
///
/// The folder appears when it is complete: everything is written beside it first, then renamed.
///
/// # Errors
/// [`ReportError`] if `dir` exists, or if a part cannot be made or written; nothing is left behind
/// then.
pub fn write_report(input: &ReportInput<'_>, dir: &Path) -> Result<ReportPaths, ReportError> {
    write_report_with(input, &Summary::of(input), None, dir)
}

/// Writes a whole report as [`write_report`] does, of an input whose summary is known, with what
/// models made of the run where any read it.
///
/// # Errors
/// As [`write_report`].
pub fn write_report_with(
    input: &ReportInput<'_>,
    summary: &Summary,
    llm_results: Option<&LlmResults>,
    dir: &Path,
) -> Result<ReportPaths, ReportError> {
    let staged = StagedFolder::beside(dir)?;
    let mut files = Vec::new();
    let mut write = |name: &str, bytes: &[u8]| {
        files.push(dir.join(name));
        staged.write(name, bytes)
    };

    for table in tables::every(input, llm_results) {
        if table.table.rows == 0 && !table.when.is_empty() {
            continue;
        }
        let frame = tables::frame(table.table).map_err(|cause| ReportError::table(table.name, cause))?;
        for format in table.formats {
            let bytes = format.bytes(table.name, &frame)?;
            write(&format!("{}.{}", table.name, format.ending()), &bytes)?;
        }
    }

    let charts = charts::Charts::draw(input, summary)?;
    for chart in charts.all() {
        write(chart.file, chart.svg.as_bytes())?;
        if let Some((file, png)) = &chart.png {
            write(file, png)?;
        }
    }
    let markdown = summary_markdown(input, summary) + &llm_markdown(llm_results);
    write("summary.md", markdown.as_bytes())?;
    let page = html::page(input, summary, &charts, llm_results)?;
    write("index.html", page.as_bytes())?;

    staged.publish()?;
    Ok(ReportPaths { folder: dir.to_owned(), index: dir.join("index.html"), files })
}

#[cfg(test)]
mod tests;
