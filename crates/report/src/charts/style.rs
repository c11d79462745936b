//! Colours, markers and ticks: one look for all charts.
//!
//! Invariant: a strategy has the same colour and marker in every chart of a report.

use crate::Summary;
use plotters::style::RGBColor;

/// Text and axes.
pub(super) const INK: RGBColor = RGBColor(0x1f, 0x23, 0x28);
/// Labels of ticks and units.
pub(super) const MUTED: RGBColor = RGBColor(0x59, 0x63, 0x6e);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(0xe1, 0xe5, 0xea);
/// Behind everything.
pub(super) const PAPER: RGBColor = RGBColor(0xff, 0xff, 0xff);

/// The palette of Okabe and Ito (2008) without its yellow, which vanishes on white; its black is a
/// grey that shows on dark too.
pub(super) const PALETTE: [RGBColor; 7] = [
    RGBColor(0x00, 0x72, 0xb2),
    RGBColor(0xd5, 0x5e, 0x00),
    RGBColor(0x00, 0x9e, 0x73),
    RGBColor(0xcc, 0x79, 0xa7),
    RGBColor(0xe6, 0x9f, 0x00),
    RGBColor(0x56, 0xb4, 0xe9),
    RGBColor(0x7a, 0x7f, 0x87),
];

/// The shape of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Marker {
    Circle,
    Diamond,
    Square,
    Triangle,
}

/// How one strategy is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub color: RGBColor,
    pub marker: Marker,
    pub dashed: bool,
}

/// Returns the strategies in the order of legends with their looks: `lens/*` first, then by name.
pub(super) fn looks(summary: &Summary) -> Vec<(&str, Look)> {
    let mut names: Vec<&str> = summary.strategies.iter().map(|row| row.strategy.as_str()).collect();
    names.sort_by_key(|name| (!name.starts_with("lens/"), *name));
    names.into_iter().enumerate().map(|(at, name)| (name, look_at(at))).collect()
}

/// Returns the look of what stands at a place of a legend.
pub(super) fn look_at(at: usize) -> Look {
    Look {
        color: PALETTE[at % PALETTE.len()],
        marker: [Marker::Circle, Marker::Diamond, Marker::Square, Marker::Triangle][at / PALETTE.len() % 4],
        dashed: at / PALETTE.len() % 2 == 1,
    }
}

/// Returns the look of one strategy.
pub(super) fn look_of(looks: &[(&str, Look)], name: &str) -> Look {
    let found = looks.iter().find(|(known, _)| *known == name).map(|(_, look)| *look);
    found.unwrap_or(Look { color: MUTED, marker: Marker::Circle, dashed: false })
}

/// Returns ticks of a logarithmic axis over `from..to` (exponents of ten): decades, with 2 and 5
/// between them where they are few.
pub(super) fn log_ticks(from: f64, to: f64) -> Vec<f64> {
    let steps: &[f64] = if to - from < 2.2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let (first, last) = (from.floor() as i32, to.ceil() as i32);
    let ticks = (first..=last).flat_map(|decade| steps.iter().map(move |step| f64::from(decade) + step.log10()));
    ticks.filter(|tick| (from - 1e-9..=to + 1e-9).contains(tick)).collect()
}

/// Returns at most about `count` ticks of a linear axis from 0 to at least `to`, 1, 2 or 5 times a
/// power of ten apart.
pub(super) fn linear_ticks(to: f64, count: f64) -> Vec<f64> {
    if to <= 0.0 || !to.is_finite() {
        return vec![0.0, 1.0];
    }
    let rough = to / count;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * 0.999)
        .unwrap_or(power);
    let last = (to / step).ceil() as u32;
    (0..=last).map(|at| f64::from(at) * step).collect()
}

/// Estimates the width of a text in a sans-serif font, in px.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '/' | '.' | ',' | ':' | ' ' | '-' | '(' | ')' | '\'' => 0.36,
        'm' | 'w' | 'M' | 'W' => 0.86,
        c if c.is_ascii() => 0.57,
        _ => 1.0,
    };
    text.chars().map(em).sum::<f64>() * size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_few() {
        assert_eq!(linear_ticks(7.3, 5.0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(linear_ticks(0.0, 5.0), [0.0, 1.0]);
        assert_eq!(log_ticks(2.0, 5.0), [2.0, 3.0, 4.0, 5.0]);
        let values: Vec<f64> = log_ticks(2.5, 4.0).into_iter().map(|tick| 10_f64.powf(tick).round()).collect();
        assert_eq!(values, [500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0]);
    }
}
