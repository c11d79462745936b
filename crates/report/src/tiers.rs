//! Results by model tier: what a model of each class would be given, and what it can do with it.
//!
//! In: the measurements and tasks of a run. Out: for each tier the strategy that does the most
//! tasks in its window, then the cheapest; and what every strategy does in each window. A tier is a
//! window: how many tokens of observations a model of that class is given room for, beside its
//! instructions and its own words. Invariants: a task counts for a tier if every step of it
//! succeeded and the largest context of its calls fits; every number is made of rows of
//! `measurements`.
//!
//! The context that is needed: the legend, the last full observation, what followed it, and answers
//! to requests. Deltas of `lens/*` may start from any earlier state, so that where they sent one,
//! everything shown is kept. The windows of 8,192 and 32,768 are those that D2Snap (arXiv 2508.04412)
//! fits pages into; 131,072 is four times the second.

use crate::aggregate::{StrategySummary, Summary, grouped};
use crate::input::ReportInput;
use crate::numbers::{NONE, fraction, rounded_or_none, thousands};
use crate::share::Share;
use crate::text_table::TextTable;
use browserlens_core::tokens::Encoding;
use browserlens_replay::{Cost, Measurement, RECORDED_SUFFIX, RowKind, StrategyInfo};
use serde_json::Value;

/// A class of models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tier {
    /// Its name, as options and `lab llm --tier` have it.
    pub name: &'static str,
    /// Tokens of observations that it has room for.
    pub window: u64,
}

/// Every tier, the smallest first.
pub(crate) const TIERS: [Tier; 3] = [
    Tier { name: "small", window: 8_192 },
    Tier { name: "mid", window: 32_768 },
    Tier { name: "large", window: 131_072 },
];

/// How to read the tables.
pub(crate) const TIERS_NOTE: &str = "A tier is a window for observations: 8,192 (small), 32,768 (mid) or 131,072 \
    (large) tokens. A task counts if every step of it succeeded and the largest context of its calls fits: legend, \
    last full observation, what followed it, answers; where lens/* sent a delta, everything shown, since it may start \
    from any earlier state. First: most tasks, then fewest tokens per task; strategies whose option tier names another \
    class are not considered. The reader is no language model: what a weaker model makes of a text is measured by \
    `browserlens lab llm --tier` only.";

/// What one strategy does in the windows.
#[derive(Clone, Debug, PartialEq)]
struct TierRow<'a> {
    summary: &'a StrategySummary,
    /// The class of models that its option `tier` names.
    made_for: Option<&'a str>,
    /// Tasks done in the window of each of [`TIERS`].
    done: [u64; TIERS.len()],
    /// Largest context of all tasks that did not fail on a step.
    largest: Option<u64>,
}

/// Results by tier.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiers<'a> {
    rows: Vec<TierRow<'a>>,
    tasks: u64,
}

/// Returns the class of models that a strategy's option `tier` names; of a command, one of its own
/// options.
pub(crate) fn tier_of(info: &StrategyInfo) -> Option<&str> {
    fn own(options: &Value) -> Option<&str> {
        options.get("tier")?.as_str()
    }
    own(&info.options).or_else(|| own(info.options.get("options")?))
}

/// Returns the largest context of the calls of a task; none where a step failed.
fn largest_context(strategy: &str, rows: &[&Measurement], total: impl Fn(Cost) -> u64) -> Option<u64> {
    let mut numbers = Vec::with_capacity(rows.len());
    for row in rows {
        numbers.push(row.numbers()?);
    }
    let keeps_all = strategy.starts_with("lens/") && numbers.iter().any(|numbers| numbers.kind == RowKind::Delta);
    let (mut legend, mut shown, mut largest) = (0, 0, 0);
    for numbers in numbers {
        legend += total(numbers.legend);
        if numbers.kind == RowKind::Full && !keeps_all {
            shown = 0;
        }
        shown += total(numbers.observation) + total(numbers.request_cost());
        largest = largest.max(legend + shown);
    }
    Some(largest)
}

impl<'a> Tiers<'a> {
    /// Works out what each strategy does in each window; none where nothing was run.
    pub fn of(input: &ReportInput<'a>, summary: &'a Summary) -> Option<Self> {
        let mut steps = grouped(input.measurements, |row| (row.strategy.as_str(), row.trace.as_str()));
        steps.values_mut().for_each(|rows| rows.sort_by_key(|row| row.step));
        let total = |cost: Cost| cost.total(Encoding::O200kBase, input.formula);
        let row_of = |summary: &'a StrategySummary| {
            let info = input.strategies.iter().find(|info| info.name == summary.strategy);
            let made_for = info.and_then(tier_of);
            let mut row = TierRow { summary, made_for, done: [0; TIERS.len()], largest: None };
            for task in input.tasks.iter().filter(|task| task.strategy == summary.strategy) {
                let known = steps.get(&(task.strategy.as_str(), task.trace.as_str()));
                let context = known.and_then(|rows| largest_context(&task.strategy, rows, total));
                row.largest = row.largest.max(context);
                for (done, tier) in row.done.iter_mut().zip(TIERS) {
                    *done += u64::from(task.success && context.is_some_and(|context| context <= tier.window));
                }
            }
            row
        };
        let rows: Vec<TierRow<'a>> = summary.strategies.iter().map(row_of).collect();
        (!rows.is_empty()).then_some(Self { rows, tasks: summary.scenarios.len() as u64 })
    }

    /// Returns the strategy that a tier gets, of those that are wanted.
    fn first(&self, at: usize, is_wanted: impl Fn(&str) -> bool) -> Option<&TierRow<'a>> {
        let tokens = |row: &TierRow<'_>| row.summary.tokens_per_task.unwrap_or(f64::INFINITY);
        self.rows
            .iter()
            .filter(|row| row.summary.ranked && row.done[at] > 0 && is_wanted(&row.summary.strategy))
            .filter(|row| row.made_for.is_none_or(|tier| tier == TIERS[at].name))
            .min_by(|a, b| {
                b.done[at]
                    .cmp(&a.done[at])
                    .then(tokens(a).total_cmp(&tokens(b)))
                    .then(a.summary.strategy.cmp(&b.summary.strategy))
            })
    }

    /// What each tier gets: the first strategy, and the first of what other tools really said.
    pub fn table(&self) -> TextTable {
        let mut table = TextTable::new([
            "tier",
            "window",
            "first by tasks, then tokens",
            "tasks",
            "tokens/task",
            "largest context",
            "first of recorded tools",
            "tasks",
            "tokens/task",
        ]);
        for (at, tier) in TIERS.iter().enumerate() {
            let cells = |row: Option<&TierRow<'a>>| match row {
                Some(row) => [
                    row.summary.strategy.clone(),
                    fraction(Share { part: row.done[at], whole: self.tasks }),
                    rounded_or_none(row.summary.tokens_per_task),
                    row.largest.map_or_else(|| NONE.to_owned(), thousands),
                ],
                None => [NONE, NONE, NONE, NONE].map(str::to_owned),
            };
            let first = cells(self.first(at, |_| true));
            let recorded = cells(self.first(at, |name| name.ends_with(RECORDED_SUFFIX)));
            let mut row = vec![tier.name.to_owned(), thousands(tier.window)];
            row.extend(first);
            row.extend(recorded.into_iter().take(3));
            table.row(row);
        }
        table
    }

    /// What every strategy does in each window.
    pub fn by_strategy(&self) -> TextTable {
        let names = TIERS.map(|tier| format!("tasks, {} ({})", tier.name, thousands(tier.window)));
        let head = ["strategy".to_owned()].into_iter().chain(names);
        let mut table = TextTable::new(head.chain(["largest context", "made for"].map(str::to_owned)));
        for row in &self.rows {
            let mut cells = vec![row.summary.strategy.clone()];
            cells.extend(row.done.map(|part| fraction(Share { part, whole: self.tasks })));
            cells.push(row.largest.map_or_else(|| NONE.to_owned(), thousands));
            cells.push(row.made_for.unwrap_or_default().to_owned());
            table.row(cells);
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;

    #[test]
    fn contexts_are_as_worked_by_hand() {
        let total = |cost: Cost| cost.o200k;
        let run = made_up::run();
        let of = |strategy: &str, trace: &str| {
            let rows: Vec<&Measurement> =
                run.measurements.iter().filter(|row| row.strategy == strategy && row.trace == trace).collect();
            largest_context(strategy, &rows, total)
        };
        // 900 + 60 + 40 and the legend's 100, all kept; 500 + 300 + an answer of 100 + the legend.
        assert_eq!(of("lens/delta", "shop/cart"), Some(1_100));
        assert_eq!(of("lens/delta", "docs/answer"), Some(1_000));
        // Whole observations stand alone: the largest of 2,000, 1,800 and 1,700.
        assert_eq!(of("playwright-mcp/full", "shop/cart"), Some(2_000));
        assert_eq!(of("raw/html", "docs/answer"), None, "it failed on a step");
    }

    #[test]
    fn a_tier_gets_what_does_most_in_its_window() {
        let mut run = made_up::run();
        for row in run.measurements.iter_mut().filter(|row| row.strategy == "playwright-mcp/full") {
            if let browserlens_replay::Outcome::Observed(numbers) = &mut row.outcome {
                numbers.observation = made_up::text_cost(20_000);
            }
        }
        run.sum_up();
        let summary = Summary::of(&run.input());
        let input = run.input();
        let tiers = Tiers::of(&input, &summary).expect("was run");
        let of = |name: &str| tiers.rows.iter().find(|row| row.summary.strategy == name).expect("is there");
        let playwright = of("playwright-mcp/full");
        assert_eq!((playwright.done[0], playwright.largest), (0, Some(20_000)), "no page of it fits a small model");
        assert_eq!(playwright.done[1], playwright.done[2]);
        let lens = of("lens/delta");
        assert!(lens.done[0] > 0 && lens.done[0] == lens.summary.tasks.part);
        assert_eq!(tiers.first(0, |_| true).expect("one").summary.strategy, summary.strategies[0].strategy);
        assert!(tiers.first(0, |name| name == "playwright-mcp/full").is_none());
        let markdown = crate::summary_markdown(&run.input(), &summary);
        assert!(markdown.contains("## Results by model tier") && markdown.contains("32,768"), "{markdown}");
    }

    #[test]
    fn what_is_made_for_another_tier_is_not_considered() {
        let mut run = made_up::run();
        let options = serde_json::json!({ "tier": "large" });
        run.strategies = vec![StrategyInfo { options, ..made_up::strategy("lens/delta") }];
        let summary = Summary::of(&run.input());
        let input = run.input();
        let tiers = Tiers::of(&input, &summary).expect("was run");
        assert_ne!(tiers.first(0, |_| true).expect("one").summary.strategy, "lens/delta");
        assert_eq!(tiers.first(2, |_| true).expect("one").summary.strategy, summary.strategies[0].strategy);
    }
}
