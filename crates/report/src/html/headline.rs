//! The first section: who is first, and the table of all strategies with n and intervals.
//!
//! In: a [`Summary`] and the timings. Out: markup. Invariant: every average says its n in its
//! header, or in its cell where that differs.

use super::escape::escape;
use super::table::{TableRow, Value, folded, table_of};
use crate::ReportInput;
use crate::aggregate::{StrategySummary, Summary};
use crate::numbers::{NONE, average, fraction, milliseconds, percent_interval, ratio, ratio_interval, rounded_or_none};
use crate::quality::Metric;
use crate::scenario_tables::{averages_table, costs_table, differences_table, n_of, shown_table};
use crate::stats::Estimate;
use browserlens_replay::RECORDED_SUFFIX;
use std::fmt::Write;

/// Writes the section's content.
pub(super) fn section(input: &ReportInput<'_>, summary: &Summary) -> String {
    let mut out = String::new();
    if let Some(best) = summary.strategies.first().filter(|best| best.ranked) {
        out.push_str(&key_figures(summary, best));
    }
    out.push_str(
        "<div class=\"tools\"><label>Show strategies <input type=\"search\" id=\"filter\" placeholder=\"lens, \
        recorded, …\" autocomplete=\"off\"></label><span class=\"hint\" id=\"filter-count\" \
        role=\"status\"></span></div>\n",
    );
    out.push_str(&headline_table(input, summary).replacen(
        "<table class=\"sortable\"",
        "<table class=\"sortable\" id=\"headline\"",
        1,
    ));
    out.push_str(
        "<p class=\"hint\">Click a header to sort. Small below a number: its 95 % interval over scenarios \
        (paired bootstrap); below a median: from the 5th to the 95th percentile of steps.</p>\n",
    );
    out.push_str(&folded("Averages over scenarios, with 95 % intervals", &averages_table(summary), false));
    if let (Some(baseline), Some(table)) = (&summary.baseline, differences_table(summary)) {
        out.push_str(&folded(&format!("Against {baseline}, scenario by scenario"), &table, false));
    }
    out.push_str(&folded("What else a task costs", &costs_table(summary), false));
    out.push_str(&folded("What else is shown", &shown_table(summary), false));
    out
}

fn headline_table(input: &ReportInput<'_>, summary: &Summary) -> String {
    let of_tasks = format!("n = {} tasks", summary.ranked_scenarios.len());
    let of_all = format!("n = {} scenarios", summary.scenarios.len());
    let of_metric = |metric: Metric| format!("n = {} scenarios", n_of(summary, metric));
    let headers = [
        Value::of("strategy"),
        Value::with("tokens per task", of_tasks.as_str()),
        Value::with("ratio to the baseline", of_tasks.as_str()),
        Value::with("tasks succeeded", of_all.as_str()),
        Value::with("steps succeeded", format!("n = {} steps", summary.steps)),
        Value::with("target recall %", of_metric(Metric::Target)),
        Value::with("fact recall %", of_metric(Metric::Facts)),
        Value::with("probe recall %", of_metric(Metric::Probes)),
        Value::with("median ms per step", format!("n = {} steps", summary.steps)),
    ];
    let rows: Vec<TableRow> = summary.strategies.iter().map(|row| self::row(input, summary, row)).collect();
    table_of("Strategies", &headers, &rows)
}

fn row(input: &ReportInput<'_>, summary: &Summary, row: &StrategySummary) -> TableRow {
    let (class, note) = match (row.ranked, Some(&row.strategy) == summary.baseline.as_ref()) {
        (false, _) => ("unranked", "not ranked"),
        (true, true) => ("baseline", "baseline"),
        (true, false) => ("", ""),
    };
    let with_interval = |metric: Metric| {
        let estimate = row.quality.average(metric);
        Value::with(average(estimate), or_nothing(percent_interval(estimate)))
    };
    let own_n = |estimate: Option<Estimate>| match estimate {
        Some(found) if found.n != summary.ranked_scenarios.len() => format!(" n = {}", found.n),
        _ => String::new(),
    };
    TableRow {
        class,
        name: row.strategy.clone(),
        note,
        cells: vec![
            Value::of(rounded_or_none(row.tokens_per_task)),
            Value::with(
                ratio(row.ratio.map(|ratio| ratio.value)),
                format!("{}{}", or_nothing(ratio_interval(row.ratio)), own_n(row.ratio)),
            ),
            Value::with(fraction(row.tasks), percent_of(row.quality.average(Metric::Tasks))),
            Value::of(fraction(row.steps)),
            with_interval(Metric::Target),
            with_interval(Metric::Facts),
            with_interval(Metric::Probes),
            latency(input, row),
        ],
    }
}

fn percent_of(estimate: Option<Estimate>) -> String {
    let interval = or_nothing(percent_interval(estimate));
    if interval.is_empty() { interval } else { format!("{interval} %") }
}

fn or_nothing(text: String) -> String {
    if text == NONE { String::new() } else { text }
}

/// The median, and from the 5th to the 95th percentile (the nearest ranks).
fn latency(input: &ReportInput<'_>, row: &StrategySummary) -> Value {
    if row.median_micros.is_none() || row.strategy.ends_with(RECORDED_SUFFIX) {
        return Value::of(milliseconds(row.median_micros));
    }
    let own = input.timings.iter().filter(|timing| timing.strategy == row.strategy);
    let mut micros: Vec<u64> = own.map(|timing| timing.observe.0).collect();
    micros.sort_unstable();
    let at = |percent: usize| micros.get((micros.len() * percent).div_ceil(100).saturating_sub(1)).copied();
    let range = match (at(5), at(95)) {
        (Some(low), Some(high)) if micros.len() > 1 => {
            format!("{}–{}", milliseconds(Some(low as f64)), milliseconds(Some(high as f64)))
        }
        _ => String::new(),
    };
    Value::with(milliseconds(row.median_micros), range)
}

fn key_figures(summary: &Summary, best: &StrategySummary) -> String {
    let baseline = summary
        .baseline
        .as_deref()
        .map_or_else(|| "no baseline was run".to_owned(), |name| format!("of the tokens of {name}"));
    let figures = [
        (fraction(best.tasks), "tasks succeed".to_owned()),
        (rounded_or_none(best.tokens_per_task), "tokens per task".to_owned()),
        (ratio(best.ratio.map(|ratio| ratio.value)), baseline),
        (format!("{} ms", milliseconds(best.median_micros)), "median per step".to_owned()),
    ];
    let mut out = format!(
        "<div class=\"figures\" role=\"group\" aria-label=\"First of the table\">\n<p class=\"who\">{}</p>\n",
        escape(&best.strategy)
    );
    for (value, name) in figures {
        let _ = writeln!(out, "<div><strong>{}</strong><span>{}</span></div>", escape(&value), escape(&name));
    }
    out.push_str("</div>\n");
    out
}
