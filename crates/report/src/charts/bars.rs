//! Stacked bars, one a row, over a linear axis: a legend of the parts above, words behind each bar.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::style::{GRID, MUTED, linear_ticks, text_width};
use crate::ReportError;
use plotters::style::RGBColor;

const WIDTH: f64 = 960.0;
const ROW: f64 = 28.0;
const TOP: f64 = 44.0;

/// What is drawn.
pub(super) struct Bars<'a> {
    pub file: &'static str,
    pub title: &'static str,
    pub caption: String,
    /// Names and colours of the parts, and the px between them in the legend.
    pub legend: Vec<(&'static str, RGBColor)>,
    pub legend_gap: f64,
    /// What the axis counts, and how a tick is written where the axis ends at a number.
    pub unit: &'static str,
    pub tick: fn(f64, f64) -> String,
    pub rows: Vec<Bar<'a>>,
    /// Room for the words behind the longest bar, and their distance from theirs, in px.
    pub room: f64,
    pub distance: f64,
    /// What stands in the place of rows.
    pub nothing: &'static str,
}

/// One bar: its name, its parts as the legend has them, the words behind it.
pub(super) struct Bar<'a> {
    pub name: &'a str,
    pub parts: Vec<f64>,
    pub words: String,
}

/// Draws the chart.
pub(super) fn draw(bars: Bars<'_>) -> Result<Chart, ReportError> {
    let Bars { file, title, caption, .. } = bars;
    let longest = bars.rows.iter().map(|row| row.parts.iter().sum()).fold(0.0, f64::max);
    let ticks = linear_ticks(longest, 8.0);
    let end = ticks.last().copied().unwrap_or(1.0);
    let widest = bars.rows.iter().map(|row| text_width(row.name, 12.5)).fold(60.0, f64::max);
    let frame = Frame {
        left: (widest + 24.0).min(WIDTH / 3.0),
        top: TOP,
        right: WIDTH - bars.room,
        bottom: TOP + ROW * bars.rows.len().max(1) as f64 + 8.0,
    };
    let shapes = |canvas: &Canvas<'_>| {
        let scale = Scale::over(frame, 0.0..end, 0.0..1.0);
        let x_of = |value: f64| scale.at(value, 0.0).0;
        let mut x = frame.left;
        for (name, color) in &bars.legend {
            canvas.fill(Frame { left: x, top: 12.0, right: x + 14.0, bottom: 24.0 }, *color)?;
            canvas.text(name, (x + 20.0, 18.0), Letters::ink(12.0, Anchor::Start))?;
            x += 20.0 + text_width(name, 12.0) + bars.legend_gap;
        }
        for &tick in &ticks {
            let x = x_of(tick);
            canvas.line(&[(x, frame.top), (x, frame.bottom)], GRID, 1.0)?;
            canvas.text(&(bars.tick)(tick, end), (x, frame.bottom + 14.0), Letters::muted(11.0, Anchor::Middle))?;
        }
        canvas.line(&[(frame.left, frame.top), (frame.left, frame.bottom)], MUTED, 1.0)?;
        let middle = ((frame.left + frame.right) / 2.0, frame.bottom + 38.0);
        canvas.text(bars.unit, middle, Letters::muted(12.0, Anchor::Middle))?;
        for (at, row) in bars.rows.iter().enumerate() {
            let y = frame.top + 4.0 + ROW * (at as f64 + 0.5);
            canvas.text(row.name, (frame.left - 10.0, y), Letters::ink(12.5, Anchor::End))?;
            let mut before = 0.0;
            for (part, (_, color)) in row.parts.iter().zip(&bars.legend) {
                let (left, right) = (x_of(before), x_of(before + part));
                before += part;
                if right > left {
                    canvas.fill(Frame { left, top: y - 8.5, right, bottom: y + 8.5 }, *color)?;
                }
            }
            canvas.text(&row.words, (x_of(before) + bars.distance, y), Letters::muted(11.5, Anchor::Start))?;
        }
        if bars.rows.is_empty() {
            let inside = (frame.left + 12.0, frame.top + 18.0);
            canvas.text(bars.nothing, inside, Letters::muted(12.5, Anchor::Start))?;
        }
        Ok(())
    };
    let svg = canvas::draw(file, (WIDTH, frame.bottom + 56.0), title, &caption, shapes)?;
    Ok(Chart { file, title, caption, svg, png: None })
}
