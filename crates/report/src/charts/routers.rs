//! What routers chose: one stacked bar a router, with what its choices cost over hindsight.

use super::Chart;
use super::bars::{self, Bar, Bars};
use super::style::PALETTE;
use crate::ReportError;
use crate::numbers::rounded;
use browserlens_replay::routing::{FIXED, RouterTable};

/// Draws the chart.
pub(super) fn draw(table: &RouterTable) -> Result<Chart, ReportError> {
    let rows = table.rows.iter().map(|row| {
        let extra = rounded(row.per_task(row.extra_tokens));
        let words = format!("+{extra} tokens per task, {} missed", row.missed);
        Bar { name: &row.name, parts: row.chosen.map(f64::from).to_vec(), words }
    });
    bars::draw(Bars {
        file: "routers.svg",
        title: "Choices of routers",
        caption: "Number of steps on which each representation was chosen. Beside the bars: tokens per task over \
            those of hindsight, which takes the cheapest representation with which the step succeeds, and the steps \
            that only hindsight makes succeed."
            .to_owned(),
        legend: FIXED.iter().zip(PALETTE).map(|((_, name), color)| (*name, color)).collect(),
        legend_gap: 28.0,
        unit: "steps",
        tick: |tick, _| format!("{tick:.0}"),
        rows: rows.collect(),
        room: 250.0,
        distance: 8.0,
        nothing: "",
    })
}
