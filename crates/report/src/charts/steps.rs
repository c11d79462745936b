//! Tokens per step over a task: one small chart a scenario, all on one scale.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::style::{GRID, Look, MUTED, log_ticks, looks, text_width};
use crate::numbers::compact;
use crate::{ReportError, ReportInput, Summary};
use browserlens_core::tokens::Encoding;
use browserlens_replay::Measurement;
use std::collections::BTreeMap;

const FILE: &str = "tokens-per-step.svg";
const PNG: &str = "tokens-per-step.png";
const TITLE: &str = "Tokens per step over a task";
const WIDTH: f64 = 960.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 12.0;
const GAP: f64 = 30.0;
const PLOT_HEIGHT: f64 = 190.0;
const PANEL_HEIGHT: f64 = PLOT_HEIGHT + 78.0;
/// More scenarios than this are left to the tables.
const PANELS: usize = 30;

/// Tokens of each strategy's steps in one scenario, by step; none where it failed.
type Lines<'a> = BTreeMap<&'a str, Vec<(u32, Option<u64>)>>;

/// Draws the chart.
pub(super) fn draw(input: &ReportInput<'_>, summary: &Summary) -> Result<Chart, ReportError> {
    let scenarios: Vec<(&str, Lines<'_>)> =
        summary.scenarios.iter().take(PANELS).map(|name| (name.as_str(), lines(input, name))).collect();
    let known: Vec<u64> =
        scenarios.iter().flat_map(|(_, lines)| lines.values().flatten().filter_map(|(_, tokens)| *tokens)).collect();
    let exponent = |tokens: u64| (tokens.max(1) as f64).log10();
    let from = known.iter().map(|&tokens| exponent(tokens)).fold(f64::INFINITY, f64::min);
    let to = known.iter().map(|&tokens| exponent(tokens)).fold(f64::NEG_INFINITY, f64::max);
    let (from, to) = if from.is_finite() { ((from * 2.0).floor() / 2.0, (to * 2.0).ceil() / 2.0) } else { (0.0, 1.0) };
    let range = from..if to > from { to } else { from + 1.0 };

    let looks = looks(summary);
    let legend = legend_rows(&looks);
    let legend_height = legend.len() as f64 * 22.0 + 12.0;
    let columns = match scenarios.len() {
        0 | 1 => 1,
        2..=4 => 2,
        _ => 3,
    };
    let rows = scenarios.len().div_ceil(columns).max(1);
    let panel_width = (WIDTH - LEFT - RIGHT - GAP * (columns - 1) as f64) / columns as f64;
    let height = legend_height + rows as f64 * PANEL_HEIGHT;
    let ticks: Vec<(f64, String)> =
        log_ticks(range.start, range.end).into_iter().map(|tick| (tick, compact(10_f64.powf(tick)))).collect();

    let left_out = summary.scenarios.len().saturating_sub(PANELS);
    let mut caption = format!(
        "Tokens that each step adds: text ({}) and images ({}), with the legend at step 0 and the answers to requests. \
            Logarithmic axis, the same in every panel; a gap is a step on which the strategy failed.",
        Encoding::O200kBase.name(),
        input.formula.name()
    );
    if known.contains(&0) {
        caption.push_str(" A step that adds nothing is drawn at 1.");
    }
    if left_out > 0 {
        caption.push_str(&format!(" {left_out} more scenarios stand in the tables."));
    }
    let size = (WIDTH, height);
    let shapes = |canvas: &Canvas<'_>| {
        for (at, row) in legend.iter().enumerate() {
            row.iter()
                .try_for_each(|(x, name, look)| legend_entry(canvas, (*x, 14.0 + at as f64 * 22.0), name, *look))?;
        }
        for (at, (name, lines)) in scenarios.iter().enumerate() {
            let left = LEFT + (at % columns) as f64 * (panel_width + GAP);
            let top = legend_height + (at / columns) as f64 * PANEL_HEIGHT + 30.0;
            let frame = Frame { left, top, right: left + panel_width, bottom: top + PLOT_HEIGHT };
            let panel =
                Panel { frame, range: range.clone(), ticks: &ticks, looks: &looks, labelled: at % columns == 0 };
            panel.draw(canvas, name, lines)?;
        }
        Ok(())
    };
    let svg = canvas::draw(FILE, size, TITLE, &caption, shapes)?;
    let png = canvas::draw_png(FILE, size, TITLE, shapes)?;
    Ok(Chart { file: FILE, title: TITLE, caption, svg, png: Some((PNG, png)) })
}

fn lines<'a>(input: &ReportInput<'a>, scenario: &str) -> Lines<'a> {
    let mut lines = Lines::new();
    let tokens = |row: &Measurement| Some(row.numbers()?.cost().total(Encoding::O200kBase, input.formula));
    for row in input.measurements.iter().filter(|row| row.trace == scenario) {
        lines.entry(row.strategy.as_str()).or_default().push((row.step, tokens(row)));
    }
    lines.values_mut().for_each(|steps| steps.sort_by_key(|(step, _)| *step));
    lines
}

fn legend_rows<'a>(looks: &[(&'a str, Look)]) -> Vec<Vec<(f64, &'a str, Look)>> {
    let mut rows = vec![Vec::new()];
    let mut x = LEFT;
    for &(name, look) in looks {
        let width = 34.0 + text_width(name, 12.0) + 18.0;
        if x > LEFT && x + width > WIDTH {
            rows.push(Vec::new());
            x = LEFT;
        }
        if let Some(row) = rows.last_mut() {
            row.push((x, name, look));
        }
        x += width;
    }
    rows
}

fn legend_entry(canvas: &Canvas<'_>, (x, y): (f64, f64), name: &str, look: Look) -> Result<(), ReportError> {
    canvas.stroke(&[(x, y), (x + 26.0, y)], look, 1.5)?;
    canvas.marker((x + 13.0, y), 3.5, look)?;
    canvas.text(name, (x + 33.0, y), Letters::ink(12.0, Anchor::Start))
}

struct Panel<'a> {
    frame: Frame,
    range: std::ops::Range<f64>,
    ticks: &'a [(f64, String)],
    looks: &'a [(&'a str, Look)],
    labelled: bool,
}

impl Panel<'_> {
    fn draw(&self, canvas: &Canvas<'_>, name: &str, lines: &Lines<'_>) -> Result<(), ReportError> {
        let frame = self.frame;
        let last = lines.values().flatten().map(|(step, _)| *step).max().unwrap_or(0).max(1);
        let inset = Frame { left: frame.left + 8.0, right: frame.right - 8.0, ..frame };
        let scale = Scale::over(inset, 0.0..f64::from(last), self.range.clone());

        canvas.text(name, (frame.left, frame.top - 16.0), Letters::ink(12.5, Anchor::Start).bold())?;
        for (value, label) in self.ticks {
            let (_, y) = scale.at(0.0, *value);
            canvas.line(&[(frame.left, y), (frame.right, y)], GRID, 1.0)?;
            if self.labelled {
                canvas.text(label, (frame.left - 8.0, y), Letters::muted(11.0, Anchor::End))?;
            }
        }
        canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], MUTED, 1.0)?;
        let stride = last.div_ceil(if frame.right - frame.left > 500.0 { 20 } else { 8 }).max(1);
        for step in (0..=last).step_by(stride as usize) {
            let (x, _) = scale.at(f64::from(step), self.range.start);
            canvas.line(&[(x, frame.bottom), (x, frame.bottom + 4.0)], MUTED, 1.0)?;
            canvas.text(&step.to_string(), (x, frame.bottom + 14.0), Letters::muted(11.0, Anchor::Middle))?;
        }
        canvas.text(
            "step",
            ((frame.left + frame.right) / 2.0, frame.bottom + 31.0),
            Letters::muted(11.0, Anchor::Middle),
        )?;
        if self.labelled {
            let middle = (frame.top + frame.bottom) / 2.0;
            canvas.text("tokens", (14.0, middle), Letters::muted(11.0, Anchor::Middle).upward())?;
        }

        // The first of the legend lie on top.
        for (strategy, look) in self.looks.iter().rev() {
            let Some(steps) = lines.get(strategy) else { continue };
            let place =
                |&(step, tokens): &(u32, Option<u64>)| Some(scale.at(f64::from(step), (tokens?.max(1) as f64).log10()));
            let places: Vec<Option<(f64, f64)>> = steps.iter().map(place).collect();
            for run in places.split(|place| place.is_none()) {
                let points: Vec<(f64, f64)> = run.iter().flatten().copied().collect();
                if points.len() > 1 {
                    canvas.stroke(&points, *look, 1.5)?;
                }
            }
            let radius = if last > 20 { 2.0 } else { 2.75 };
            places.iter().flatten().try_for_each(|&at| canvas.marker(at, radius, *look))?;
        }
        Ok(())
    }
}
