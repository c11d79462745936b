//! Two runs, strategy by strategy: what changed on the scenarios that both finished.
//!
//! In: the task rows of an earlier and a later run. Out: a [`Comparison`] a strategy, and a table.
//! Paired by scenario, with the statistics of [`crate::stats`]; the verdict says *cheaper*, *dearer*, *more*
//! or *less success* only where the 95 % interval leaves out "no change", and how much: *slightly*
//! below 5 % (of tokens) or 5 points (of success), *much* from 25 on. A verdict is about these
//! scenarios and these recordings; equal runs give intervals without width.

use crate::numbers::{points, ratio, ratio_interval, thousands};
use crate::stats::Estimate;
use crate::text_table::{Tabled, TextTable};
use browserlens_core::tokens::{Encoding, ImageFormula};
use browserlens_replay::TaskMeasurement;
use std::collections::BTreeMap;

/// Below this share a difference is slight, from the other on it is large.
const SLIGHTLY: f64 = 0.05;
const MUCH: f64 = 0.25;
/// Most rows of scenarios that are written out.
const MOST_ROWS: usize = 40;

/// One strategy on one scenario in two runs, where they differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioComparison {
    /// The strategy.
    pub strategy: String,
    /// The scenario, as the run names its trace.
    pub scenario: String,
    /// Tokens of the task, earlier and later.
    pub tokens: (u64, u64),
    /// Steps that succeed, earlier and later.
    pub steps: (u32, u32),
    /// Whether the task succeeds, earlier and later.
    pub success: (bool, bool),
}

/// Compares two runs scenario by scenario: what differs, the largest changes of tokens first; what
/// was lost before everything else.
pub fn scenario_comparisons(
    earlier: &[TaskMeasurement],
    later: &[TaskMeasurement],
    formula: ImageFormula,
) -> Vec<ScenarioComparison> {
    let before: BTreeMap<(&str, &str), &TaskMeasurement> =
        earlier.iter().map(|task| ((task.strategy.as_str(), task.trace.as_str()), task)).collect();
    let total = |task: &TaskMeasurement| task.cost.total(Encoding::O200kBase, formula);
    let compared = later.iter().filter_map(|now| {
        let then = before.get(&(now.strategy.as_str(), now.trace.as_str()))?;
        let row = ScenarioComparison {
            strategy: now.strategy.clone(),
            scenario: now.trace.clone(),
            tokens: (total(then), total(now)),
            steps: (then.successful_steps, now.successful_steps),
            success: (then.success, now.success),
        };
        let same = row.tokens.0 == row.tokens.1 && row.steps.0 == row.steps.1 && row.success.0 == row.success.1;
        (!same).then_some(row)
    });
    let mut compared: Vec<ScenarioComparison> = compared.collect();
    let lost = |row: &ScenarioComparison| row.steps.1 < row.steps.0 || (row.success.0 && !row.success.1);
    compared.sort_by_key(|row| (!lost(row), std::cmp::Reverse(row.tokens.0.abs_diff(row.tokens.1))));
    compared
}

/// One strategy in two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// The strategy.
    pub strategy: String,
    /// Tokens per task, later ÷ earlier; none if they share no finished scenario.
    pub tokens: Option<Estimate>,
    /// Share of steps that succeed, later − earlier.
    pub steps: Option<Estimate>,
    /// Tasks that succeed, later − earlier.
    pub tasks: Option<Estimate>,
}

impl Comparison {
    /// Returns what can be said.
    pub fn verdict(&self) -> String {
        let side = |estimate: Option<Estimate>, none: f64, below: &'static str, above: &'static str| {
            let estimate = estimate?;
            let (low, high) = estimate.interval?;
            let word = if high < none {
                below
            } else if low > none {
                above
            } else {
                return None;
            };
            let much = (estimate.value - none).abs();
            let magnitude = if much < SLIGHTLY {
                "slightly "
            } else if much >= MUCH {
                "much "
            } else {
                ""
            };
            Some(format!("{magnitude}{word}"))
        };
        let said: Vec<String> = [
            side(self.tokens, 1.0, "cheaper", "dearer"),
            side(self.tasks, 0.0, "less task success", "more task success")
                .or_else(|| side(self.steps, 0.0, "less step success", "more step success")),
        ]
        .into_iter()
        .flatten()
        .collect();
        if said.is_empty() { "no clear difference".to_owned() } else { said.join(", ") }
    }
}

/// Compares two runs; strategies that only one of them has are left out.
pub fn comparisons(earlier: &[TaskMeasurement], later: &[TaskMeasurement], formula: ImageFormula) -> Vec<Comparison> {
    let before: BTreeMap<(&str, &str), &TaskMeasurement> =
        earlier.iter().map(|task| ((task.strategy.as_str(), task.trace.as_str()), task)).collect();
    let mut pairs: BTreeMap<&str, Vec<(&TaskMeasurement, &TaskMeasurement)>> = BTreeMap::new();
    for task in later.iter().filter(|task| task.finished) {
        if let Some(known) = before.get(&(task.strategy.as_str(), task.trace.as_str())).filter(|known| known.finished) {
            pairs.entry(&task.strategy).or_default().push((task, known));
        }
    }
    let total = |task: &TaskMeasurement| task.cost.total(Encoding::O200kBase, formula);
    let share = |task: &TaskMeasurement| f64::from(task.successful_steps) / f64::from(task.steps.max(1));
    let success = |task: &TaskMeasurement| if task.success { 1.0 } else { 0.0 };
    pairs
        .into_iter()
        .map(|(strategy, pairs)| {
            let both = |number: &dyn Fn(&TaskMeasurement) -> f64| {
                Estimate::difference(&pairs.iter().map(|(now, then)| (number(now), number(then))).collect::<Vec<_>>())
            };
            Comparison {
                strategy: strategy.to_owned(),
                tokens: Estimate::ratio(&pairs.iter().map(|(now, then)| (total(now), total(then))).collect::<Vec<_>>()),
                steps: both(&share),
                tasks: both(&success),
            }
        })
        .collect()
}

/// Writes strategies beside each other, and below them the scenarios that changed, on a terminal or as Markdown.
pub fn comparison_table(strategies: &[Comparison], scenarios: &[ScenarioComparison], markdown: bool) -> String {
    let mut out = strategies_table(strategies).written(markdown);
    if !scenarios.is_empty() {
        out.push_str(&format!("\n{}", scenarios_table(scenarios).written(markdown)));
    }
    if scenarios.len() > MOST_ROWS {
        out.push_str(&format!("\n… and {} more\n", scenarios.len() - MOST_ROWS));
    }
    out
}

fn strategies_table(strategies: &[Comparison]) -> TextTable {
    strategies.iter().table([
        ("strategy", &|row| row.strategy.clone()),
        ("n", &|row| row.steps.map_or(0, |steps| steps.n).to_string()),
        ("tokens", &|row| ratio(row.tokens.map(|tokens| tokens.value))),
        ("95 %", &|row| ratio_interval(row.tokens)),
        ("steps, points", &|row| points(row.steps)),
        ("tasks, points", &|row| points(row.tasks)),
        ("verdict", &|row| row.verdict()),
    ])
}

fn scenarios_table(scenarios: &[ScenarioComparison]) -> TextTable {
    let task = |row: &ScenarioComparison| match row.success {
        (true, false) => "lost",
        (false, true) => "won",
        (true, true) => "succeeds",
        (false, false) => "fails",
    };
    scenarios.iter().take(MOST_ROWS).table([
        ("scenario", &|row| row.scenario.clone()),
        ("strategy", &|row| row.strategy.clone()),
        ("tokens", &|row| thousands(row.tokens.1)),
        ("before", &|row| thousands(row.tokens.0)),
        ("steps", &|row| row.steps.1.to_string()),
        ("before", &|row| row.steps.0.to_string()),
        ("task", &|row| task(row).to_owned()),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made_up;
    use browserlens_replay::Outcome;

    #[test]
    fn equal_runs_differ_in_nothing() {
        let run = made_up::run();
        let all = comparisons(&run.tasks, &run.tasks, ImageFormula::Claude28);
        assert_eq!(all.len(), 4);
        assert!(all.iter().all(|row| row.verdict() == "no clear difference"), "{all:?}");
        let html = all.iter().find(|row| row.strategy == "raw/html").unwrap();
        assert_eq!(html.steps.map(|steps| steps.n), Some(2), "only what both finished is compared");
    }

    #[test]
    fn fewer_tokens_on_every_scenario_are_cheaper_and_a_lost_step_on_one_is_no_verdict() {
        let (earlier, mut later) = (made_up::run(), made_up::run());
        for row in later.measurements.iter_mut().filter(|row| row.strategy == "playwright-mcp/full") {
            let Outcome::Observed(numbers) = &mut row.outcome else { continue };
            numbers.observation.o200k /= 2;
            numbers.success &= !(row.trace == "shop/cart" && row.step == 1);
        }
        later.sum_up();
        let all = comparisons(&earlier.tasks, &later.tasks, ImageFormula::Claude28);
        let row = all.iter().find(|row| row.strategy == "playwright-mcp/full").unwrap();
        assert!(row.tokens.is_some_and(|tokens| (tokens.value - 0.5).abs() < 1e-9));
        // One of three tasks, one of its three steps: −1/3 and −1/9.
        assert!(row.tasks.is_some_and(|tasks| (tasks.value + 1.0 / 3.0).abs() < 1e-9));
        assert!(row.steps.is_some_and(|steps| (steps.value + 1.0 / 9.0).abs() < 1e-9));
        assert_eq!(row.verdict(), "much cheaper");
        let scenarios = scenario_comparisons(&earlier.tasks, &later.tasks, ImageFormula::Claude28);
        assert_eq!(scenarios.len(), 3, "what did not change is left out");
        assert_eq!(
            (scenarios[0].scenario.as_str(), scenarios[0].success),
            ("shop/cart", (true, false)),
            "losses first"
        );
        insta::assert_snapshot!(comparison_table(std::slice::from_ref(row), &scenarios, false));
    }
}
