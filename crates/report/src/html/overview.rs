//! What the page's script draws charts of, as JSON in a data block: small, since it is read
//! whenever the page opens.
//!
//! In: a run and its [`Summary`]. Out: one document. Invariant: every number is one of the summary
//! or of a row; nothing is worked out here but which strategies lie on the front.

use super::viewer::{Known, label};
use crate::agents::AgentPoint;
use crate::aggregate::{StrategySummary, Summary};
use crate::quality::Metric;
use crate::stats::Estimate;
use crate::{AgentRun, ReportError, ReportInput};
use browserlens_core::strategy::Stage;
use browserlens_core::tokens::Encoding;
use browserlens_replay::Measurement;
use browserlens_replay::routing::FIXED;
use serde::Serialize;
use std::collections::HashMap;

#[derive(Serialize)]
struct Overview<'a> {
    strategies: Vec<&'a str>,
    shown: [usize; 2],
    store: &'a str,
    scenarios: &'a [Known],
    points: Vec<Point>,
    /// By scenario, then strategy: tokens of each step; null where it failed, nothing where it was
    /// not run.
    tokens: Vec<Vec<Vec<Option<u64>>>>,
    stages: Vec<&'static str>,
    latency: Vec<Latency>,
    representations: Vec<&'static str>,
    routers: Vec<Router<'a>>,
    /// A point a tool, and what is known of each run before its block is unpacked.
    agents: Vec<Agent>,
    runs: Vec<Ran>,
}

/// What a tool's runs cost, in tokens read and in seconds, against how many succeed.
#[derive(Serialize)]
struct Agent {
    tool: String,
    runs: [u64; 3],
    success: f64,
    interval: Option<(f64, f64)>,
    cost: [Option<f64>; 2],
    cost_interval: [Option<(f64, f64)>; 2],
    /// Whether it lies on the front by tokens, and by time.
    front: [bool; 2],
}

/// A run, for the list of them.
#[derive(Serialize)]
struct Ran {
    name: String,
    tool: String,
    task: String,
    goal: String,
    model: Option<String>,
    /// Whether the whole reward was given; null where nobody judged.
    success: Option<bool>,
    calls: u32,
}

/// A ranked strategy as a point: cost against success.
#[derive(Serialize)]
struct Point {
    strategy: usize,
    tokens: f64,
    /// Share of tasks, and of steps.
    success: [f64; 2],
    tasks: [u64; 2],
    steps: [u64; 2],
    /// 95 % intervals of those shares.
    interval: [Option<(f64, f64)>; 2],
    /// 95 % interval of the tokens.
    tokens_interval: Option<(f64, f64)>,
    ratio: Option<f64>,
    ratio_interval: Option<(f64, f64)>,
    /// Median time of a step, in ms.
    milliseconds: Option<f64>,
    /// Whether it lies on the front by tasks, and by steps.
    front: [bool; 2],
}

/// Median milliseconds of a step, divided as the time of all steps divides among the stages; the
/// rest last.
#[derive(Serialize)]
struct Latency {
    strategy: usize,
    parts: Vec<f64>,
    total: f64,
    cached: bool,
}

#[derive(Serialize)]
struct Router<'a> {
    name: &'a str,
    chosen: [u32; 4],
    tasks: [u32; 2],
    tokens: f64,
    extra: f64,
    missed: u32,
}

/// Writes the document as JSON.
///
/// # Errors
/// [`ReportError::Viewer`] if it cannot be written.
pub(super) fn json(
    input: &ReportInput<'_>,
    summary: &Summary,
    scenarios: &[Known],
    shown: [usize; 2],
) -> Result<String, ReportError> {
    let overview = Overview {
        strategies: summary.strategies.iter().map(|row| row.strategy.as_str()).collect(),
        shown,
        store: &input.about.store,
        scenarios,
        points: points(summary),
        tokens: tokens(input, summary),
        stages: Stage::ALL.map(Stage::name).into_iter().chain(["other"]).collect(),
        latency: latency(summary),
        representations: FIXED.iter().map(|(_, representation)| *representation).collect(),
        routers: routers(summary),
        agents: agents(input),
        runs: runs(input),
    };
    serde_json::to_string(&overview).map_err(ReportError::Viewer)
}

fn points(summary: &Summary) -> Vec<Point> {
    let interval = |estimate: Option<Estimate>| estimate.and_then(|found| found.interval);
    let point = |(at, row): (usize, &StrategySummary)| {
        Some(Point {
            strategy: at,
            tokens: row.tokens_per_task.filter(|_| row.ranked)?.max(1.0),
            success: [row.tasks.value()?, row.steps.value()?],
            tasks: [row.tasks.part, row.tasks.whole],
            steps: [row.steps.part, row.steps.whole],
            interval: [interval(row.quality.average(Metric::Tasks)), row.steps_interval],
            tokens_interval: row.tokens_interval,
            ratio: row.ratio.map(|ratio| ratio.value),
            ratio_interval: interval(row.ratio),
            milliseconds: row.median_micros.map(|micros| micros / 1_000.0),
            front: [false; 2],
        })
    };
    let mut points: Vec<Point> = summary.strategies.iter().enumerate().filter_map(point).collect();
    for kind in 0..2 {
        let front = front(&points.iter().map(|point| Some((point.tokens, point.success[kind]))).collect::<Vec<_>>());
        points.iter_mut().zip(front).for_each(|(point, front)| point.front[kind] = front);
    }
    points
}

/// Says of each cost and success whether nothing is as good in both and better in one.
fn front(points: &[Option<(f64, f64)>]) -> Vec<bool> {
    let beats = |other: (f64, f64), own: (f64, f64)| other.0 <= own.0 && other.1 >= own.1 && other != own;
    let is_beaten = |own| points.iter().flatten().any(|&other| beats(other, own));
    points.iter().map(|point| point.is_some_and(|own| !is_beaten(own))).collect()
}

fn agents(input: &ReportInput<'_>) -> Vec<Agent> {
    let points = AgentPoint::of(input);
    let costs: Vec<[Option<Estimate>; 2]> = points.iter().map(|point| [Some(point.read), point.seconds]).collect();
    let success = |point: &AgentPoint| point.judged.value().unwrap_or(0.0);
    let fronts = [0, 1].map(|kind| {
        let of = |(point, costs): (&AgentPoint, &[Option<Estimate>; 2])| Some((costs[kind]?.value, success(point)));
        front(&points.iter().zip(&costs).map(of).collect::<Vec<_>>())
    });
    let agent = |(at, point): (usize, &AgentPoint)| Agent {
        tool: label(&point.tool),
        runs: [point.judged.part, point.judged.whole, point.runs as u64],
        success: success(point),
        interval: point.judged.wilson(),
        cost: costs[at].map(|cost| cost.map(|cost| cost.value)),
        cost_interval: costs[at].map(|cost| cost.and_then(|cost| cost.interval)),
        front: [fronts[0][at], fronts[1][at]],
    };
    points.iter().enumerate().map(agent).collect()
}

fn runs(input: &ReportInput<'_>) -> Vec<Ran> {
    let ran = |run: &AgentRun| {
        let header = &run.record.header;
        Ran {
            name: label(&run.name),
            tool: label(&header.tool),
            task: label(&header.task),
            goal: label(&header.goal),
            model: header.agent.model.as_deref().map(label),
            success: run.record.is_success(),
            calls: u32::try_from(run.record.calls.len()).unwrap_or(u32::MAX),
        }
    };
    input.agents.iter().map(ran).collect()
}

fn tokens(input: &ReportInput<'_>, summary: &Summary) -> Vec<Vec<Vec<Option<u64>>>> {
    type Steps = Vec<(u32, Option<u64>)>;
    let mut rows: HashMap<(&str, &str), Steps> = HashMap::new();
    let total = |row: &Measurement| Some(row.numbers()?.cost().total(Encoding::O200kBase, input.formula));
    for row in input.measurements {
        rows.entry((&row.trace, &row.strategy)).or_default().push((row.step, total(row)));
    }
    rows.values_mut().for_each(|steps| steps.sort_by_key(|(step, _)| *step));
    let of = |scenario: &str, strategy: &str| {
        rows.get(&(scenario, strategy)).map_or_else(Vec::new, |steps| steps.iter().map(|(_, tokens)| *tokens).collect())
    };
    summary
        .scenarios
        .iter()
        .map(|scenario| summary.strategies.iter().map(|row| of(scenario, &row.strategy)).collect())
        .collect()
}

fn latency(summary: &Summary) -> Vec<Latency> {
    let mut bars: Vec<Latency> = summary
        .strategies
        .iter()
        .enumerate()
        .filter_map(|(at, row)| {
            let times = row.stage_times.as_ref()?;
            let parts = times.stages.iter().map(|(_, micros)| *micros).chain([times.other]);
            Some(Latency {
                strategy: at,
                parts: parts.map(|micros| micros / 1_000.0).collect(),
                total: times.total / 1_000.0,
                cached: times.cached,
            })
        })
        .collect();
    bars.sort_by(|a, b| a.total.total_cmp(&b.total));
    bars
}

fn routers(summary: &Summary) -> Vec<Router<'_>> {
    let rows = summary.routers.iter().flat_map(|routers| &routers.rows);
    rows.map(|row| Router {
        name: &row.name,
        chosen: row.chosen,
        tasks: [row.tasks_done, row.tasks],
        tokens: row.per_task(row.tokens),
        extra: row.per_task(row.extra_tokens),
        missed: row.missed,
    })
    .collect()
}
