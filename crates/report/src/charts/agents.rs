//! What agents did: tokens read, and time, against the runs that succeed.

use super::Chart;
use super::scatter::{Point, Scatter, draw as draw_scatter};
use super::style::look_at;
use crate::agents::AgentPoint;
use crate::numbers::fraction;
use crate::{Estimate, ReportError};
use browserlens_core::tokens::Encoding;

/// One picture: its files, its title, what it is against, and a point's cost.
struct Kind {
    files: (&'static str, &'static str),
    title: &'static str,
    what: String,
    axis: &'static str,
    cost: fn(&AgentPoint) -> Option<Estimate>,
}

/// Draws a picture against tokens and one against time, each where there is a point for it.
pub(super) fn draw(points: &[AgentPoint]) -> Result<Vec<Chart>, ReportError> {
    let kinds = [
        Kind {
            files: ("agents-tokens.svg", "agents-tokens.png"),
            title: "Agents: tokens read against success",
            what: format!("tokens that the model reads over all turns of a run ({})", Encoding::O200kBase.name()),
            axis: "tokens read a run (cheaper to the left)",
            cost: |point| Some(point.read),
        },
        Kind {
            files: ("agents-time.svg", "agents-time.png"),
            title: "Agents: time against success",
            what: "seconds of a run, of the tool alone where the whole is not known".to_owned(),
            axis: "seconds a run (faster to the left)",
            cost: |point| point.seconds,
        },
    ];
    let mut charts = Vec::new();
    for kind in kinds {
        let drawn = points.iter().enumerate().filter_map(|(at, point)| {
            let cost = (kind.cost)(point)?;
            Some(Point {
                name: &point.tool,
                cost: cost.value.max(0.1),
                success: point.judged.value()?,
                intervals: [cost.interval, point.judged.wilson()],
                label: format!("{} runs", fraction(point.judged)),
                look: look_at(at),
            })
        });
        let drawn: Vec<Point<'_>> = drawn.collect();
        if drawn.is_empty() {
            continue;
        }
        let caption = format!(
            "Mean of {} (logarithmic) against the share of judged runs with the whole reward. The line is the Pareto \
                front. Thin bars: 95 % intervals, of the mean over runs (bootstrap), of the share by Wilson. Tools \
                whose records do not say are left out.",
            kind.what
        );
        let (file, png) = kind.files;
        let axes = [kind.axis, "runs that succeed"];
        charts.push(draw_scatter(Scatter { file, png, title: kind.title, caption, axes, points: drawn })?);
    }
    Ok(charts)
}
