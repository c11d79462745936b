//! Latency by stage: one stacked bar a strategy.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::style::{GRID, MUTED, PALETTE, linear_ticks, text_width};
use crate::aggregate::{StageTimes, stage_name};
use crate::numbers::milliseconds;
use crate::{ReportError, Summary};
use browserlens_core::strategy::Stage;
use plotters::style::RGBColor;

const FILE: &str = "latency.svg";
const TITLE: &str = "Latency by stage";
const WIDTH: f64 = 960.0;
const ROW: f64 = 28.0;
const TOP: f64 = 44.0;

/// Draws the chart.
pub(super) fn draw(summary: &Summary) -> Result<Chart, ReportError> {
    let mut bars: Vec<(&str, &StageTimes)> =
        summary.strategies.iter().filter_map(|row| Some((row.strategy.as_str(), row.stage_times.as_ref()?))).collect();
    bars.sort_by(|a, b| a.1.total.total_cmp(&b.1.total).then(a.0.cmp(b.0)));
    let longest = bars.iter().map(|(_, times)| times.total).fold(0.0, f64::max) / 1_000.0;
    let ticks = linear_ticks(longest, 8.0);
    let end = ticks.last().copied().unwrap_or(1.0);
    let widest = bars.iter().map(|(name, _)| text_width(name, 12.5)).fold(60.0, f64::max);
    let frame = Frame {
        left: (widest + 24.0).min(WIDTH / 3.0),
        top: TOP,
        right: WIDTH - 84.0,
        bottom: TOP + ROW * bars.len().max(1) as f64 + 8.0,
    };
    let mut caption = "What a strategy would take alone for an observation, in milliseconds, median over the steps as \
        in the table; loading the page and counting tokens are left out. A bar is divided as the time of all steps \
        divides among the stages. “other” is what a strategy did outside the named stages."
        .to_owned();
    if bars.iter().any(|(_, times)| times.cached) {
        caption.push_str(" Bars marked * were measured in an earlier run.");
    }
    let size = (WIDTH, frame.bottom + 56.0);
    let shapes = |canvas: &Canvas<'_>| {
        let scale = Scale::over(frame, 0.0..end, 0.0..1.0);
        legend(canvas, frame)?;
        for &tick in &ticks {
            let (x, _) = scale.at(tick, 0.0);
            canvas.line(&[(x, frame.top), (x, frame.bottom)], GRID, 1.0)?;
            let label = if end < 5.0 && tick > 0.0 { trimmed(tick) } else { format!("{tick:.0}") };
            canvas.text(&label, (x, frame.bottom + 14.0), Letters::muted(11.0, Anchor::Middle))?;
        }
        canvas.line(&[(frame.left, frame.top), (frame.left, frame.bottom)], MUTED, 1.0)?;
        canvas.text(
            "milliseconds per step",
            ((frame.left + frame.right) / 2.0, frame.bottom + 38.0),
            Letters::muted(12.0, Anchor::Middle),
        )?;
        for (at, (name, times)) in bars.iter().enumerate() {
            let y = frame.top + 4.0 + ROW * (at as f64 + 0.5);
            canvas.text(name, (frame.left - 10.0, y), Letters::ink(12.5, Anchor::End))?;
            let mut before = 0.0;
            for (micros, color) in parts(times) {
                let (left, _) = scale.at(before / 1_000.0, 0.0);
                before += micros;
                let (right, _) = scale.at(before / 1_000.0, 0.0);
                if right > left {
                    canvas.fill(Frame { left, top: y - 8.5, right, bottom: y + 8.5 }, color)?;
                }
            }
            let (right, _) = scale.at(times.total / 1_000.0, 0.0);
            let mark = if times.cached { " *" } else { "" };
            let total = format!("{}{mark}", milliseconds(Some(times.total)));
            canvas.text(&total, (right + 7.0, y), Letters::muted(11.5, Anchor::Start))?;
        }
        if bars.is_empty() {
            canvas.text(
                "nothing was timed",
                (frame.left + 12.0, frame.top + 18.0),
                Letters::muted(12.5, Anchor::Start),
            )?;
        }
        Ok(())
    };
    let svg = canvas::draw(FILE, size, TITLE, &caption, shapes)?;
    Ok(Chart { file: FILE, title: TITLE, caption, svg, png: None })
}

fn color(stage: Option<Stage>) -> RGBColor {
    match stage {
        Some(Stage::Route) => PALETTE[4],
        Some(Stage::Extract) => PALETTE[0],
        Some(Stage::Diff) => PALETTE[1],
        Some(Stage::Format) => PALETTE[2],
        None => PALETTE[6],
    }
}

fn parts(times: &StageTimes) -> Vec<(f64, RGBColor)> {
    times
        .stages
        .iter()
        .map(|(stage, micros)| (*micros, color(Some(*stage))))
        .chain([(times.other, color(None))])
        .collect()
}

fn legend(canvas: &Canvas<'_>, frame: Frame) -> Result<(), ReportError> {
    let mut x = frame.left;
    for stage in Stage::ALL.map(Some).into_iter().chain([None]) {
        let name = stage.map_or("other", stage_name);
        canvas.fill(Frame { left: x, top: 12.0, right: x + 14.0, bottom: 24.0 }, color(stage))?;
        canvas.text(name, (x + 20.0, 18.0), Letters::ink(12.0, Anchor::Start))?;
        x += 20.0 + text_width(name, 12.0) + 24.0;
    }
    Ok(())
}

fn trimmed(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
