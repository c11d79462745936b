//! The section of what agents did: the table by tool, cost against success, how much the offline
//! numbers are worth, and the frame of the viewer of runs.
//!
//! In: the records of a report. Out: markup, nothing without records. Invariant: every word of a
//! record is escaped text, or data that the script puts into the page as text.

use super::sections::{Parts, chart};
use super::table::{folded, hint, table};
use crate::agents::{Validity, measured_bundle, runs_notes, runs_table};
use crate::{AgentsBy, MeasuredRun};

/// The frame of the viewer of runs; the script fills it.
const VIEWER: &str = include_str!("page/runs.html");

/// Writes what stands below the section's heading.
pub(super) fn section(parts: &Parts<'_>) -> Option<String> {
    let input = parts.input;
    let runs: Vec<MeasuredRun> = measured_bundle(input);
    if runs.is_empty() {
        return None;
    }
    let mut out = hint(
        "What agents did, counted from records of their runs; a page, a site or a judge says what succeeded, never \
        the agent.",
    );
    out.push_str(&table("Runs by tool", &runs_table(&runs, &[AgentsBy::Tool])));
    out.push_str(&hint(&runs_notes(&runs)));
    let files: Vec<&str> = parts.charts.agents.iter().map(|chart| chart.file).collect();
    if !files.is_empty() {
        let tools = "<div class=\"tools\"><label>Cost in <select \
            id=\"agents-cost\"><option>tokens read</option><option>seconds</option></select></label><label><input \
            type=\"checkbox\" id=\"agents-intervals\"> intervals</label></div>\n";
        let caption = "Mean cost of a run (logarithmic) against the share of judged runs with the whole reward; the \
            stepped line is the Pareto front. A tool whose records do not say how long they took has no point in \
            seconds.";
        out.push_str(&chart("agents-chart", "Agents: cost against success", caption, &files.join(", "), tools));
    }
    if let Some(validity) = Validity::of(input.tasks, &runs, &[]) {
        out.push_str("<h3>What the offline numbers are worth</h3>\n");
        out.push_str(&folded("Tools beside their strategies", &validity.tools_table(), true));
        out.push_str(&folded("Rank correlation with rewards", &validity.correlations_table(), true));
        out.push_str(&hint(&validity.in_words()));
    }
    out.push_str(VIEWER);
    Some(out)
}
