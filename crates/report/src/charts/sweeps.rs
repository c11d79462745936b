//! Families of strategies that differ in numbers: tokens per task against the share of steps that
//! succeed, one line a family.

use super::Chart;
use super::canvas::{self, Anchor, Canvas, Frame, Letters, Scale};
use super::labels::{self, Labelled};
use super::scatter::{axes, ranges};
use super::style::{Look, Marker, PALETTE, text_width};
use crate::ReportError;
use crate::sweeps::{Family, SWEEPS_NOTE};
use browserlens_replay::SweepPoint;

const FILE: &str = "sweeps.svg";
const WIDTH: f64 = 960.0;
const TITLE: &str = "Sweeps: tokens against success";
const FRAME: Frame = Frame { left: 74.0, top: 26.0, right: 936.0, bottom: 396.0 };
/// Height of a line of the legend, in px.
const LEGEND_LINE: f64 = 20.0;

/// One member as a point: logarithm of its tokens, success, values in words.
type Point = (f64, f64, String);

/// The parameter of a point and its value, where it is one.
fn only(point: &SweepPoint) -> Option<(&String, String)> {
    let mut parameters = point.parameters.iter();
    let (name, value) = parameters.next()?;
    parameters.next().is_none().then(|| (name, value.to_string()))
}

/// A family, and the parameter that differs in it, where it is one.
fn name_of(family: &Family<'_>) -> String {
    match family.members.first().and_then(|(point, _)| only(point)) {
        Some((parameter, _)) => format!("{}, by {parameter}", family.name),
        None => family.name.to_owned(),
    }
}

/// Draws the chart; none where no family has two members with numbers.
pub(super) fn draw(families: &[Family<'_>]) -> Result<Option<Chart>, ReportError> {
    let curves: Vec<(String, Vec<Point>)> = families
        .iter()
        .map(|family| {
            let point = |(point, row): &(&SweepPoint, &crate::StrategySummary)| {
                Some((
                    row.tokens_per_task?.max(1.0).log10(),
                    row.steps.value()?,
                    only(point).map_or_else(|| point.values(), |(_, value)| value),
                ))
            };
            (name_of(family), family.members.iter().filter_map(point).collect::<Vec<Point>>())
        })
        .filter(|(_, points)| points.len() > 1)
        .collect();
    let all = || curves.iter().flat_map(|(_, points)| points);
    if all().next().is_none() {
        return Ok(None);
    }
    let [x, y] = ranges(all().map(|point| (point.0, point.1)));
    let caption = format!(
        "Mean tokens per task (logarithmic) against the share of all steps that succeed, one line a family. \
            {SWEEPS_NOTE}"
    );

    let shapes = |canvas: &Canvas<'_>| {
        let scale = Scale::over(FRAME, x.clone(), y.clone());
        axes(canvas, FRAME, &scale, (x.start, x.end), y.start, ["tokens per task", "steps that succeed"])?;
        let wanted: Vec<Labelled> = all()
            .map(|point| Labelled { at: scale.at(point.0, point.1), width: text_width(&point.2, 11.0), height: 14.0 })
            .collect();
        let lines: Vec<Vec<(f64, f64)>> =
            curves.iter().map(|(_, points)| points.iter().map(|point| scale.at(point.0, point.1)).collect()).collect();
        let mut labels = labels::place(&wanted, Frame { top: 0.0, right: WIDTH, ..FRAME }, &lines).into_iter();
        for (at, (name, points)) in curves.iter().enumerate() {
            let marker = [Marker::Circle, Marker::Diamond, Marker::Square, Marker::Triangle][at % 4];
            let look = Look { color: PALETTE[at % PALETTE.len()], marker, dashed: at >= PALETTE.len() };
            let places = &lines[at];
            canvas.stroke(places, look, 2.0)?;
            for ((point, &place), label) in points.iter().zip(places).zip(labels.by_ref()) {
                canvas.marker(place, 5.0, look)?;
                if let Some(edge) = label.leader() {
                    canvas.line(&[place, edge], PALETTE[6], 0.5)?;
                }
                canvas.text(&point.2, (label.left, label.y), Letters::muted(11.0, Anchor::Start))?;
            }
            let y = FRAME.bottom + 66.0 + at as f64 * LEGEND_LINE;
            canvas.marker((FRAME.left + 6.0, y), 5.0, look)?;
            canvas.text(name, (FRAME.left + 20.0, y), Letters::ink(12.5, Anchor::Start))?;
        }
        Ok(())
    };
    let size = (WIDTH, FRAME.bottom + 66.0 + curves.len() as f64 * LEGEND_LINE);
    let svg = canvas::draw(FILE, size, TITLE, &caption, shapes)?;
    Ok(Some(Chart { file: FILE, title: TITLE, caption, svg, png: None }))
}
