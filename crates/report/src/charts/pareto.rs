//! Tokens per task against the share of steps that succeed, with the front of strategies that
//! nothing beats on both.

use super::Chart;
use super::scatter::{NAMED, Point, Scatter, draw as draw_scatter};
use super::style::{look_of, looks};
use crate::numbers::fraction;
use crate::{ReportError, Summary};
use browserlens_core::tokens::Encoding;

const FILE: &str = "pareto.svg";
const PNG: &str = "pareto.png";
const TITLE: &str = "Cost against success";

/// Draws the chart.
pub(super) fn draw(summary: &Summary) -> Result<Chart, ReportError> {
    let looks = looks(summary);
    let points: Vec<Point<'_>> = summary
        .strategies
        .iter()
        .filter(|row| row.ranked)
        .filter_map(|row| {
            let (tokens, success) = (row.tokens_per_task?.max(1.0), row.steps.value()?);
            Some(Point {
                name: &row.strategy,
                cost: tokens,
                success,
                intervals: [row.tokens_interval, row.steps_interval],
                label: format!("{} tasks", fraction(row.tasks)),
                look: look_of(&looks, &row.strategy),
            })
        })
        .collect();
    let caption = format!(
        "Mean tokens per task ({}, images by {}; logarithmic) against the share of all steps that succeed. The line is \
            the Pareto front: for what lies on it, no strategy is cheaper and as successful. Thin bars: 95 % intervals \
            over scenarios (bootstrap), cut at the frame. {} how many tasks succeed as a whole.",
        Encoding::O200kBase.name(),
        summary.formula.name(),
        if points.len() > NAMED {
            "Bold numbers lie on the front. The key names each strategy (* is what the tool itself said) and says"
        } else {
            "Labels say"
        }
    );
    draw_scatter(Scatter {
        file: FILE,
        png: PNG,
        title: TITLE,
        caption,
        axes: ["tokens per task (cheaper to the left)", "steps that succeed"],
        points,
    })
}
