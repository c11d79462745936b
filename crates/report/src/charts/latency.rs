//! Latency by stage: one stacked bar a strategy.

use super::Chart;
use super::bars::{self, Bar, Bars};
use super::style::PALETTE;
use crate::aggregate::StageTimes;
use crate::numbers::milliseconds;
use crate::{ReportError, Summary};
use browserlens_core::strategy::Stage;
use plotters::style::RGBColor;

/// Draws the chart.
pub(super) fn draw(summary: &Summary) -> Result<Chart, ReportError> {
    let mut timed: Vec<(&str, &StageTimes)> =
        summary.strategies.iter().filter_map(|row| Some((row.strategy.as_str(), row.stage_times.as_ref()?))).collect();
    timed.sort_by(|a, b| a.1.total.total_cmp(&b.1.total).then(a.0.cmp(b.0)));
    let mut caption = "What a strategy would take alone for an observation, in milliseconds, median over the steps as \
        in the table; loading the page and counting tokens are left out. A bar is divided as the time of all steps \
        divides among the stages. “other” is what a strategy did outside the named stages."
        .to_owned();
    if timed.iter().any(|(_, times)| times.cached) {
        caption.push_str(" Bars marked * were measured in an earlier run.");
    }
    let rows = timed.into_iter().map(|(name, times)| {
        let parts = times.stages.iter().map(|(_, micros)| *micros).chain([times.other]);
        let mark = if times.cached { " *" } else { "" };
        let words = format!("{}{mark}", milliseconds(Some(times.total)));
        Bar { name, parts: parts.map(|micros| micros / 1_000.0).collect(), words }
    });
    let stages = Stage::ALL.map(|stage| (stage.name(), color(stage)));
    bars::draw(Bars {
        file: "latency.svg",
        title: "Latency by stage",
        caption,
        legend: stages.into_iter().chain([("other", PALETTE[6])]).collect(),
        legend_gap: 24.0,
        unit: "milliseconds per step",
        tick: |tick, end| if end < 5.0 && tick > 0.0 { trimmed(tick) } else { format!("{tick:.0}") },
        rows: rows.collect(),
        room: 84.0,
        distance: 7.0,
        nothing: "nothing was timed",
    })
}

fn color(stage: Stage) -> RGBColor {
    match stage {
        Stage::Route => PALETTE[4],
        Stage::Extract => PALETTE[0],
        Stage::Diff => PALETTE[1],
        Stage::Format => PALETTE[2],
    }
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
