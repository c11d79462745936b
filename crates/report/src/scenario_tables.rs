//! Tables of averages over scenarios, with their intervals and how many scenarios they are made of;
//! and what else was counted.
//!
//! In: a [`Summary`]. Out: text tables. Invariant: every column of averages says its n; a cell that
//! is made of another number of scenarios says its own.

use crate::aggregate::{StrategySummary, Summary, TaskCosts};
use crate::labels::strategy_label;
use crate::numbers::{
    NONE, average, fraction, percent, percent_interval, points, ratio, ratio_interval, rounded, thousands,
};
use crate::quality::Metric;
use crate::stats::Estimate;
use crate::text_table::{Tabled, TextTable};
use browserlens_replay::Scores;
use browserlens_replay::routing::{RouterRow, RouterTable};

/// The metrics that the table of averages shows.
const AVERAGES: [Metric; 6] = Metric::ALL;
/// Those that are compared with the baseline.
const COMPARED: [Metric; 4] = [Metric::Tasks, Metric::Target, Metric::Facts, Metric::Probes];

/// Returns the largest n of a column.
fn most(estimates: impl Iterator<Item = Option<Estimate>>) -> usize {
    estimates.flatten().map(|estimate| estimate.n).max().unwrap_or(0)
}

/// Returns of how many scenarios the averages of a metric are made.
pub(crate) fn n_of(summary: &Summary, metric: Metric) -> usize {
    most(summary.strategies.iter().map(|row| row.quality.average(metric)))
}

fn own_n(cell: String, estimate: Option<Estimate>, of_column: usize) -> String {
    match estimate {
        Some(estimate) if estimate.n != of_column => format!("{cell} n={}", estimate.n),
        _ => cell,
    }
}

fn with_interval(value: String, interval: &str) -> String {
    if interval == NONE { value } else { format!("{value} ({interval})") }
}

/// Averages and ratio with their intervals.
pub(crate) fn averages_table(summary: &Summary) -> TextTable {
    let n_of_ratio = most(summary.strategies.iter().map(|row| row.ratio));
    let names = AVERAGES.map(|metric| format!("{} % (n = {})", metric.name(), n_of(summary, metric)));
    let ratio_name = format!("ratio (n = {n_of_ratio})");
    let mut table = TextTable::new(["strategy".to_owned()].into_iter().chain(names).chain([ratio_name]));
    for row in &summary.strategies {
        let mut cells = vec![row.strategy.clone()];
        cells.extend(AVERAGES.map(|metric| {
            let estimate = row.quality.average(metric);
            own_n(with_interval(average(estimate), &percent_interval(estimate)), estimate, n_of(summary, metric))
        }));
        let value = ratio(row.ratio.map(|ratio| ratio.value));
        cells.push(own_n(with_interval(value, &ratio_interval(row.ratio)), row.ratio, n_of_ratio));
        table.row(cells);
    }
    table
}

/// The intervals alone, for a terminal; names are cut at `longest` characters.
pub(crate) fn intervals_table(summary: &Summary, longest: usize) -> TextTable {
    let n_of_ratio = most(summary.strategies.iter().map(|row| row.ratio));
    let names = COMPARED.map(|metric| format!("{} % n={}", metric.name(), n_of(summary, metric)));
    let mut table =
        TextTable::new(["strategy".to_owned()].into_iter().chain(names).chain([format!("ratio n={n_of_ratio}")]));
    for row in &summary.strategies {
        let mut cells = vec![strategy_label(&row.strategy, longest)];
        cells.extend(COMPARED.map(|metric| {
            let estimate = row.quality.average(metric);
            own_n(percent_interval(estimate), estimate, n_of(summary, metric))
        }));
        cells.push(own_n(ratio_interval(row.ratio), row.ratio, n_of_ratio));
        table.row(cells);
    }
    table
}

/// Paired differences to the baseline, in percentage points; none without a baseline.
pub(crate) fn differences_table(summary: &Summary) -> Option<TextTable> {
    let baseline = summary.strategies.iter().find(|row| Some(&row.strategy) == summary.baseline.as_ref())?;
    let others: Vec<&StrategySummary> =
        summary.strategies.iter().filter(|row| row.strategy != baseline.strategy).collect();
    // Each is a bootstrap: made once.
    let differences: Vec<[Option<Estimate>; COMPARED.len()]> =
        others.iter().map(|row| COMPARED.map(|metric| row.quality.difference(&baseline.quality, metric))).collect();
    let n_of: [usize; COMPARED.len()] = std::array::from_fn(|at| most(differences.iter().map(|row| row[at])));
    let names = COMPARED.iter().zip(n_of).map(|(metric, n)| format!("{}, points (n = {n})", metric.name()));
    let mut table = TextTable::new(["strategy".to_owned()].into_iter().chain(names));
    for (row, differences) in others.iter().zip(&differences) {
        let mut cells = vec![row.strategy.clone()];
        cells.extend(differences.iter().zip(n_of).map(|(estimate, n)| own_n(points(*estimate), *estimate, n)));
        table.row(cells);
    }
    Some(table)
}

/// One column of costs: its name and the number.
type CostColumn = (&'static str, fn(&TaskCosts) -> String);

const COSTS: [CostColumn; 8] = [
    ("calls", |costs| format!("{:.1}", costs.calls)),
    ("scrolls", |costs| format!("{:.1}", costs.scrolls)),
    ("tokens of scrolls", |costs| rounded(costs.scroll_tokens)),
    ("tool definitions", |costs| rounded(costs.definitions)),
    ("context, keep all", |costs| rounded(costs.keep_all)),
    ("… cached", |costs| rounded(costs.keep_all_discounted)),
    ("context, keep last full", |costs| rounded(costs.keep_last_full)),
    ("… cached", |costs| rounded(costs.keep_last_full_discounted)),
];

/// Calls, scrolls, definitions and contexts: means per task over the ranked scenarios.
pub(crate) fn costs_table(summary: &Summary) -> TextTable {
    let n = summary.ranked_scenarios.len();
    let mut table =
        TextTable::new([format!("per task (n = {n})")].into_iter().chain(COSTS.map(|(name, _)| name.to_owned())));
    for row in &summary.strategies {
        let mut cells = vec![row.strategy.clone()];
        cells.extend(COSTS.map(|(_, cell)| row.costs.as_ref().map_or_else(|| NONE.to_owned(), cell)));
        table.row(cells);
    }
    table
}

/// What is reached by scrolling, what marks cover, and refs.
pub(crate) fn shown_table(summary: &Summary) -> TextTable {
    let unmarked =
        |scores: &Scores| scores.unmarked_differences.map_or_else(|| NONE.to_owned(), |count| count.to_string());
    summary.strategies.iter().table([
        ("strategy", &|row| row.strategy.clone()),
        ("tasks with scrolls", &|row| fraction(row.tasks_with_scrolls)),
        ("steps with scrolls", &|row| fraction(row.steps_with_scrolls)),
        ("elided %", &|row| percent(row.elided_and_volatile()[0])),
        ("volatile %", &|row| percent(row.elided_and_volatile()[1])),
        ("wrong rebinds", &|row| row.scores.refs.wrong_rebinds.to_string()),
        ("unmarked differences", &|row| unmarked(&row.scores)),
    ])
}

/// Says what must be 0 of [`shown_table`], and which strategies have it.
pub(crate) fn shown_note(summary: &Summary) -> String {
    let counted = summary.strategies.iter().filter(|row| row.scores.unmarked_differences.is_some()).count();
    format!(
        "Refs that came to mean another entity: {}. Differences that no mark covers: {} (counted for {counted} of {} \
            strategies).",
        offenders(summary, |scores| scores.refs.wrong_rebinds),
        offenders(summary, |scores| scores.unmarked_differences.unwrap_or(0)),
        summary.strategies.len()
    )
}

/// Says how many there are, and which strategies have them.
fn offenders(summary: &Summary, count: fn(&Scores) -> u32) -> String {
    let counts = summary.strategies.iter().map(|row| (&row.strategy, u64::from(count(&row.scores))));
    let total: u64 = counts.clone().map(|(_, count)| count).sum();
    if total == 0 {
        return "0".to_owned();
    }
    let those = counts.filter(|(_, count)| *count > 0);
    let named: Vec<String> = those.map(|(name, count)| format!("{name} {}", thousands(count))).collect();
    format!("{} ({})", thousands(total), named.join(", "))
}

/// Routers against hindsight: what was chosen, what it cost as whole observations, and what
/// hindsight would have saved or won.
///
/// Names are cut at `longest` characters.
pub(crate) fn routers_table(routers: &RouterTable, longest: usize) -> TextTable {
    let n = routers.rows.iter().map(|row| row.steps).max().unwrap_or(0);
    let own = |row: &RouterRow| if row.steps == n { String::new() } else { format!(" n={}", row.steps) };
    routers.rows.iter().table([
        (format!("chooses (n = {n} steps)").as_str(), &|row| {
            format!("{}{}", strategy_label(&row.name, longest), own(row))
        }),
        ("a11y/dom/hybrid/vision", &|row| row.chosen.map(|count| count.to_string()).join("/")),
        ("tasks", &|row| format!("{}/{}", row.tasks_done, row.tasks)),
        ("tokens/task", &|row| rounded(row.per_task(row.tokens))),
        ("extra/task", &|row| rounded(row.per_task(row.extra_tokens))),
        ("missed", &|row| row.missed.to_string()),
        ("best", &|row| format!("{}/{}", row.agreed, row.steps.saturating_sub(row.hopeless))),
    ])
}

/// Says how to read [`routers_table`].
pub(crate) const ROUTERS_NOTE: &str = "Each choice is priced at the whole observation of that representation, without \
    deltas and legend. Hindsight takes the cheapest representation with which the step succeeds. Extra: tokens over \
    hindsight by refs where both succeed. Missed: steps that only hindsight makes succeed. Best: steps on which no \
    success was cheaper, of those where any representation by refs succeeds.";
