//! Cost against success, a point each, with the front of those that nothing beats on both.
//!
//! In: points with their intervals. Out: a [`Chart`], as SVG and as PNG. Few points are named where
//! they lie; many have numbers, and a key below.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::labels::{self, Labelled};
use super::style::{GRID, Look, MUTED, PALETTE, log_ticks, text_width};
use crate::ReportError;
use crate::numbers::compact;
use plotters::style::RGBColor;
use std::ops::Range;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 500.0;
/// So many points find room for their names in the picture.
pub(super) const NAMED: usize = 12;
const KEY_COLUMNS: usize = 3;
/// No cost is drawn as less, since the axis is logarithmic.
const LEAST: f64 = 0.1;
/// Height of a line of the key, in px.
const KEY_LINE: f64 = 19.0;
/// Of the bars of intervals: they cross each other, and must not hide what they belong to.
const INTERVAL: RGBColor = RGBColor(0xb8, 0xc0, 0xc8);
const FRAME: Frame = Frame { left: 74.0, top: 26.0, right: 936.0, bottom: 436.0 };

/// One point.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Point<'a> {
    pub name: &'a str,
    /// What it costs, in the unit of the axis.
    pub cost: f64,
    /// The share that succeeds.
    pub success: f64,
    /// 95 % intervals of both.
    pub intervals: [Option<(f64, f64)>; 2],
    /// What stands small below the name.
    pub label: String,
    pub look: Look,
}

/// What is drawn.
pub(super) struct Scatter<'a> {
    pub file: &'static str,
    pub png: &'static str,
    pub title: &'static str,
    pub caption: String,
    /// What stands below the picture and beside it.
    pub axes: [&'static str; 2],
    pub points: Vec<Point<'a>>,
}

/// Draws the chart.
pub(super) fn draw(scatter: Scatter<'_>) -> Result<Chart, ReportError> {
    let Scatter { file, png: png_file, title, caption, axes: names, points } = scatter;
    let front = front(&points);
    let [x, y] = ranges(points.iter().map(|point| (point.cost.log10(), point.success)));

    let numbered = points.len() > NAMED;
    let key_lines = if numbered { points.len().div_ceil(KEY_COLUMNS) } else { 0 };
    let size = (WIDTH, HEIGHT + key_lines as f64 * KEY_LINE + if numbered { 8.0 } else { 0.0 });
    let shapes = |canvas: &Canvas<'_>| {
        let scale = Scale::over(FRAME, x.clone(), y.clone());
        axes(canvas, FRAME, &scale, (x.start, x.end), y.start, names)?;
        for point in &points {
            for bar in bars(point, &scale) {
                canvas.line(&bar, INTERVAL, 1.0)?;
            }
        }
        let corners: Vec<(f64, f64)> =
            stairs(&front).into_iter().map(|(cost, success)| scale.at(cost.log10(), success)).collect();
        let mut line = Vec::new();
        if let (Some(&(x, _)), Some(&(_, y))) = (corners.first(), corners.last()) {
            line.push((x, FRAME.bottom));
            line.extend(corners);
            line.push((FRAME.right, y));
            canvas.line(&line, MUTED, 1.25)?;
        }
        let places: Vec<(f64, f64)> = points.iter().map(|point| scale.at(point.cost.log10(), point.success)).collect();
        let wanted: Vec<Labelled> = points
            .iter()
            .zip(&places)
            .enumerate()
            .map(|(at, (point, &place))| {
                let (width, height) = if numbered {
                    (text_width(&(at + 1).to_string(), 11.5), 13.0)
                } else {
                    (text_width(point.name, 13.0).max(text_width(&point.label, 11.0)), 31.0)
                };
                Labelled { at: place, width, height }
            })
            .collect();
        let within = Frame { top: 0.0, right: WIDTH, ..FRAME };
        let labels = labels::place(&wanted, within, std::slice::from_ref(&line));
        for (at, ((point, &place), label)) in points.iter().zip(&places).zip(&labels).enumerate() {
            if let Some(edge) = label.leader() {
                canvas.line(&[place, edge], PALETTE[6], 0.5)?;
            }
            let on_front = front.iter().any(|other| other.name == point.name);
            let weight = |letters: Letters| if on_front { letters.bold() } else { letters };
            if numbered {
                let number = (at + 1).to_string();
                canvas.text(&number, (label.left, label.y), weight(Letters::ink(11.5, Anchor::Start)))?;
                let (column, line) = (at / key_lines, at % key_lines);
                let x = 20.0 + column as f64 * (WIDTH - 30.0) / KEY_COLUMNS as f64;
                let y = HEIGHT + line as f64 * KEY_LINE;
                canvas.text(&number, (x + 16.0, y), weight(Letters::ink(11.5, Anchor::End)))?;
                canvas.marker((x + 28.0, y), 4.5, point.look)?;
                canvas.text(
                    &point.name.replace(":recorded", "*"),
                    (x + 40.0, y),
                    weight(Letters::ink(11.5, Anchor::Start)),
                )?;
                let end = (x + (WIDTH - 30.0) / KEY_COLUMNS as f64 - 14.0, y);
                canvas.text(
                    point.label.split(' ').next().unwrap_or_default(),
                    end,
                    Letters::muted(11.0, Anchor::End),
                )?;
            } else {
                canvas.text(point.name, (label.left, label.y - 7.0), weight(Letters::ink(12.5, Anchor::Start)))?;
                canvas.text(&point.label, (label.left, label.y + 8.0), Letters::muted(11.0, Anchor::Start))?;
            }
        }
        points.iter().zip(&places).try_for_each(|(point, &at)| canvas.marker(at, 5.5, point.look))
    };
    let svg = canvas::draw(file, size, title, &caption, shapes)?;
    let png = canvas::draw_png(file, size, title, shapes)?;
    Ok(Chart { file, title, caption, svg, png: Some((png_file, png)) })
}

/// Returns the bars of a point's intervals, within the frame: cost, then success.
fn bars(point: &Point<'_>, scale: &Scale) -> Vec<[(f64, f64); 2]> {
    let within = |(x, y): (f64, f64)| (x.clamp(FRAME.left, FRAME.right), y.clamp(FRAME.top, FRAME.bottom));
    let at = |cost: f64, success: f64| within(scale.at(cost.max(LEAST).log10(), success));
    let [cost, success] = point.intervals;
    let cost = cost.map(|(low, high)| [at(low, point.success), at(high, point.success)]);
    let success = success.map(|(low, high)| [at(point.cost, low), at(point.cost, high)]);
    // A bar without width is the point itself.
    [cost, success].into_iter().flatten().filter(|[from, to]| from != to).collect()
}

/// Returns the ranges that points lie in with room around them: logarithms of cost, and success.
pub(super) fn ranges(points: impl Iterator<Item = (f64, f64)>) -> [Range<f64>; 2] {
    let start = (f64::INFINITY, f64::NEG_INFINITY, 1.0_f64);
    let (low, high, least) =
        points.fold(start, |(low, high, least), (cost, success)| (low.min(cost), high.max(cost), least.min(success)));
    let (low, high) = if low.is_finite() { (low, high) } else { (2.0, 4.0) };
    let margin = ((high - low) * 0.08).max(0.12);
    let floor = ((least * 10.0 - 0.5).floor() / 10.0).clamp(0.0, 0.8);
    [low - margin..high + margin * 1.6, floor..1.0 + (1.0 - floor) * 0.05]
}

/// Draws the frame of cost, from a logarithm to another, against success, from `floor` to all, and
/// what both sides are called.
pub(super) fn axes(
    canvas: &Canvas<'_>,
    frame: Frame,
    scale: &Scale,
    (from, to): (f64, f64),
    floor: f64,
    names: [&str; 2],
) -> Result<(), ReportError> {
    let step = if floor > 0.55 { 0.1 } else { 0.2 };
    let count = ((1.0 - floor) / step + 1e-9).floor() as u32;
    let levels: Vec<(f64, String)> = (0..=count)
        .map(|at| 1.0 - f64::from(at) * step)
        .map(|level| (level, format!("{:.0} %", level * 100.0)))
        .collect();
    canvas.levels(frame, scale, &levels, from)?;
    for tick in log_ticks(from, to) {
        let (x, _) = scale.at(tick, floor);
        canvas.line(&[(x, frame.top), (x, frame.bottom)], GRID, 1.0)?;
        canvas.text(&compact(10_f64.powf(tick)), (x, frame.bottom + 16.0), Letters::muted(11.0, Anchor::Middle))?;
    }
    canvas.line(&[(frame.left, frame.bottom), (frame.right, frame.bottom)], MUTED, 1.0)?;
    let middle = (frame.left + frame.right) / 2.0;
    canvas.text(names[0], (middle, frame.bottom + 42.0), Letters::muted(12.0, Anchor::Middle))?;
    let side = (frame.top + frame.bottom) / 2.0;
    canvas.text(names[1], (18.0, side), Letters::muted(12.0, Anchor::Middle).upward())
}

/// Returns the points that no other beats: cheapest first, each more successful than all before.
fn front<'p, 'a>(points: &'p [Point<'a>]) -> Vec<&'p Point<'a>> {
    let mut sorted: Vec<&Point<'_>> = points.iter().collect();
    sorted.sort_by(|a, b| a.cost.total_cmp(&b.cost).then(b.success.total_cmp(&a.success)));
    let mut best = f64::NEG_INFINITY;
    sorted.retain(|point| {
        let better = point.success > best;
        best = best.max(point.success);
        better
    });
    sorted
}

/// Returns the corners of the stairs along the front.
fn stairs(front: &[&Point<'_>]) -> Vec<(f64, f64)> {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for point in front {
        if let Some(&(_, before)) = corners.last() {
            corners.push((point.cost, before));
        }
        corners.push((point.cost, point.success));
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(name: &'static str, cost: f64, success: f64) -> Point<'static> {
        let look = Look { color: MUTED, marker: crate::charts::style::Marker::Circle, dashed: false };
        Point { name, cost, success, intervals: [None; 2], label: "1/2 tasks".to_owned(), look }
    }

    #[test]
    fn the_front_holds_what_nothing_beats() {
        let points = [
            point("a", 100.0, 0.5),
            point("b", 50.0, 0.5),
            point("c", 200.0, 1.0),
            point("d", 300.0, 1.0),
            point("e", 150.0, 0.4),
        ];
        let front = front(&points);
        assert_eq!(front.iter().map(|point| point.name).collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(stairs(&front), [(50.0, 0.5), (200.0, 0.5), (200.0, 1.0)]);
    }

    #[test]
    fn bars_stay_in_the_frame_and_one_without_width_is_not_drawn() {
        let scale = Scale::over(FRAME, 1.0..4.0, 0.5..1.0);
        let own = Point { intervals: [Some((1.0, 1_000.0)), Some((0.75, 0.75))], ..point("a", 100.0, 0.75) };
        let drawn = bars(&own, &scale);
        assert_eq!(drawn.len(), 1, "{drawn:?}");
        let [(left, y), (right, same)] = drawn[0];
        assert!(left == FRAME.left && right < FRAME.right && right > scale.at(2.0, 0.75).0 && (y - same).abs() < 0.01);
        assert!(bars(&point("b", 100.0, 0.75), &scale).is_empty());
    }
}
