//! What routers chose: one stacked bar a router, with what its choices cost over hindsight.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::style::{GRID, MUTED, PALETTE, linear_ticks, text_width};
use crate::ReportError;
use crate::numbers::rounded;
use browserlens_replay::routing::{FIXED, RouterTable};

const FILE: &str = "routers.svg";
const TITLE: &str = "Choices of routers";
const WIDTH: f64 = 960.0;
const ROW: f64 = 28.0;
const TOP: f64 = 44.0;

/// Draws the chart.
pub(super) fn draw(table: &RouterTable) -> Result<Chart, ReportError> {
    let rows = &table.rows;
    let most = rows.iter().map(|row| f64::from(row.chosen.iter().sum::<u32>())).fold(1.0, f64::max);
    let ticks = linear_ticks(most, 8.0);
    let end = ticks.last().copied().unwrap_or(most);
    let widest = rows.iter().map(|row| text_width(&row.name, 12.5)).fold(60.0, f64::max);
    let frame = Frame {
        left: (widest + 24.0).min(WIDTH / 3.0),
        top: TOP,
        right: WIDTH - 250.0,
        bottom: TOP + ROW * rows.len().max(1) as f64 + 8.0,
    };
    let caption = "Number of steps on which each representation was chosen. Beside the bars: tokens per task over \
        those of hindsight, which takes the cheapest representation with which the step succeeds, and the steps that \
        only hindsight makes succeed."
        .to_owned();
    let shapes = |canvas: &Canvas<'_>| {
        let scale = Scale::over(frame, 0.0..end, 0.0..1.0);
        let mut x = frame.left;
        for (at, (_, name)) in FIXED.iter().enumerate() {
            canvas.fill(Frame { left: x, top: 12.0, right: x + 14.0, bottom: 24.0 }, PALETTE[at])?;
            canvas.text(name, (x + 20.0, 18.0), Letters::ink(12.0, Anchor::Start))?;
            x += 34.0 + text_width(name, 12.0) + 14.0;
        }
        for &tick in &ticks {
            let (x, _) = scale.at(tick, 0.0);
            canvas.line(&[(x, frame.top), (x, frame.bottom)], GRID, 1.0)?;
            canvas.text(&format!("{tick:.0}"), (x, frame.bottom + 14.0), Letters::muted(11.0, Anchor::Middle))?;
        }
        canvas.line(&[(frame.left, frame.top), (frame.left, frame.bottom)], MUTED, 1.0)?;
        let middle = ((frame.left + frame.right) / 2.0, frame.bottom + 38.0);
        canvas.text("steps", middle, Letters::muted(12.0, Anchor::Middle))?;
        for (at, row) in rows.iter().enumerate() {
            let y = frame.top + 4.0 + ROW * (at as f64 + 0.5);
            canvas.text(&row.name, (frame.left - 10.0, y), Letters::ink(12.5, Anchor::End))?;
            let mut before = 0.0;
            for (at, count) in row.chosen.iter().enumerate() {
                let (left, _) = scale.at(before, 0.0);
                before += f64::from(*count);
                let (right, _) = scale.at(before, 0.0);
                if right > left {
                    canvas.fill(Frame { left, top: y - 8.5, right, bottom: y + 8.5 }, PALETTE[at])?;
                }
            }
            let extra = rounded(row.extra_tokens as f64 / f64::from(row.tasks.max(1)));
            let (right, _) = scale.at(before, 0.0);
            let words = format!("+{extra} tokens per task, {} missed", row.missed);
            canvas.text(&words, (right + 8.0, y), Letters::muted(11.5, Anchor::Start))?;
        }
        Ok(())
    };
    let svg = canvas::draw(FILE, (WIDTH, frame.bottom + 56.0), TITLE, &caption, shapes)?;
    Ok(Chart { file: FILE, title: TITLE, caption, svg, png: None })
}
