//! How much the offline numbers are worth: their rank correlation with what agents were rewarded
//! for.
//!
//! In: the tasks of a bench, and measured runs. Out: a [`Validity`]. Invariants: a pair is one tool
//! on one task that was both replayed and run; none is made of different tasks but those that say
//! so; of too few pairs, or of a side that is all the same, there is no correlation.
//!
//! Spearman's ρ: Pearson's correlation of ranks, equal values sharing the mean of their ranks. The
//! interval is the percentile bootstrap of `stats` over pairs; a resample in which one side is all
//! the same has no order and counts as 0.

use super::MeasuredRun;
use crate::Share;
use crate::numbers::{NONE, percent, thousands};
use crate::stats::{Estimate, resampled};
use crate::text_table::{Tabled, TextTable, paragraph};
use browserlens_core::named;
use browserlens_replay::{RECORDED_SUFFIX, TaskMeasurement};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer pairs have no order that means anything: two always agree or disagree.
const LEAST_PAIRS: usize = 3;
/// With fewer pairs a perfect order still comes about by chance in more than one case of a hundred.
const FEW_PAIRS: usize = 6;
/// The strategy that `browserlens serve` tells pages by.
const OWN: &str = "lens/delta";

named! {
    /// What of the bench is compared, in the order of tables.
    pub enum OfflineScore {
        /// Steps that succeed for the strict reader.
        Steps = "offline success",
        /// Steps that succeed for the simple reader.
        Simple = "simple reader",
        /// Questions of the exam that are told beside their owner.
        Exam = "exam",
    }
}

impl OfflineScore {
    fn of(self, task: &TaskMeasurement) -> Share {
        let (part, whole) = match self {
            Self::Steps => (task.successful_steps, task.steps),
            Self::Simple => (task.simple_steps, task.steps),
            Self::Exam => (task.scores.exam.local, task.scores.exam.asked),
        };
        Share { part: part.into(), whole: whole.into() }
    }
}

/// What pairs are made of.
const BETWEEN: [&str; 4] = ["tools, any tasks", "tools × tasks", "tools, same tasks", "tasks"];

/// One correlation.
#[derive(Clone, Debug, PartialEq)]
pub struct ValidityRow {
    /// What of the bench.
    pub score: OfflineScore,
    /// What the pairs are.
    pub between: &'static str,
    /// How many pairs.
    pub pairs: usize,
    /// Spearman's ρ with its interval; none of too few pairs, or without an order on one side.
    pub correlation: Option<Estimate>,
}

/// A tool of the runs beside its strategy of the bench.
#[derive(Clone, Debug, PartialEq)]
struct ToolLine {
    tool: String,
    strategy: Option<String>,
    /// Judged runs.
    runs: usize,
    /// Their mean reward, each between 0 and 1.
    reward: f64,
    /// Each [`OfflineScore`] over all tasks of the bench, as shares of sums.
    offline: [Share; 3],
}

/// What can be said of the offline numbers' worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Validity {
    tools: Vec<ToolLine>,
    /// Correlations, by [`OfflineScore`] and what the pairs are.
    pub rows: Vec<ValidityRow>,
    /// Tasks that were run and judged; of them those that were replayed too.
    tasks: Share,
}

impl Validity {
    /// Compares a bench with runs. `given` names the strategy of a tool, where it is not found by
    /// name; none if no run was judged or nothing was replayed.
    pub fn of(tasks: &[TaskMeasurement], runs: &[MeasuredRun], given: &[(String, String)]) -> Option<Self> {
        let strategies: BTreeSet<&str> = tasks.iter().map(|task| task.strategy.as_str()).collect();
        // A task is called as its scenario, with `-` where that has `/`.
        let plain = |name: &str| name.replace('/', "-");
        let offline: BTreeMap<(&str, String), &TaskMeasurement> =
            tasks.iter().map(|task| ((task.strategy.as_str(), plain(&task.trace)), task)).collect();
        let mut rewards: BTreeMap<(&str, &str), Vec<f64>> = BTreeMap::new();
        for run in runs {
            if let Some(reward) = run.reward {
                // Sites differ in what they take off: nothing is less than nothing done.
                rewards.entry((&run.tool, &run.task)).or_default().push(reward.clamp(0.0, 1.0));
            }
        }
        if rewards.is_empty() || offline.is_empty() {
            return None;
        }
        let strategy_of = |tool: &str| -> Option<&str> {
            let named = given.iter().find(|(name, _)| name == tool).map(|(_, strategy)| strategy.as_str());
            named.or_else(|| strategy_by_name(tool, &strategies))
        };
        let names: BTreeSet<&str> = rewards.keys().map(|(tool, _)| *tool).collect();
        let lines: Vec<ToolLine> = names
            .iter()
            .map(|tool| {
                let strategy = strategy_of(tool).filter(|strategy| strategies.contains(strategy));
                let all: Vec<f64> = rewards
                    .iter()
                    .filter(|((own, _), _)| own == tool)
                    .flat_map(|(_, rewards)| rewards)
                    .copied()
                    .collect();
                let mut offline = [Share::default(); 3];
                for task in tasks.iter().filter(|task| Some(task.strategy.as_str()) == strategy) {
                    for (sum, score) in offline.iter_mut().zip(OfflineScore::ALL) {
                        let share = score.of(task);
                        sum.add(share.part, share.whole);
                    }
                }
                let (tool, strategy) = ((*tool).to_owned(), strategy.map(str::to_owned));
                ToolLine { tool, strategy, runs: all.len(), reward: mean(&all), offline }
            })
            .collect();
        let mut judged: BTreeMap<&str, bool> = BTreeMap::new();
        let mut rows = Vec::new();
        for (at, score) in OfflineScore::ALL.into_iter().enumerate() {
            let mut pairs: Vec<Pair<'_>> = Vec::new();
            for ((tool, task), rewards) in &rewards {
                let found = strategy_of(tool).and_then(|strategy| offline.get(&(strategy, plain(task))));
                *judged.entry(task).or_default() |= found.is_some();
                let Some(value) = found.and_then(|task| score.of(task).value()) else { continue };
                pairs.push(Pair { tool, task, offline: value, real: mean(rewards) });
            }
            let other = lines.iter().filter_map(|line| Some((line.offline[at].value()?, line.reward))).collect();
            let each = pairs.iter().map(|pair| (pair.offline, pair.real)).collect();
            let kinds: [Vec<(f64, f64)>; 4] = [
                other,
                each,
                means(&pairs, |pair| pair.tool, |pair| pair.task),
                means(&pairs, |pair| pair.task, |pair| pair.tool),
            ];
            for (between, values) in BETWEEN.into_iter().zip(kinds) {
                rows.push(ValidityRow { score, between, pairs: values.len(), correlation: spearman(&values) });
            }
        }
        let tasks = Share { part: judged.values().filter(|both| **both).count() as u64, whole: judged.len() as u64 };
        Some(Self { tools: lines, rows, tasks })
    }

    /// Tools beside their strategies.
    pub(crate) fn tools_table(&self) -> TextTable {
        let scores = OfflineScore::ALL.map(|score| format!("{} %", score.name()));
        let headers = ["tool", "strategy", "judged runs", "mean reward"].map(str::to_owned);
        let mut table = TextTable::new(headers.into_iter().chain(scores)).left(2);
        for line in &self.tools {
            let mut cells = vec![
                line.tool.clone(),
                line.strategy.clone().unwrap_or_else(|| NONE.to_owned()),
                thousands(line.runs as u64),
                format!("{:.2}", line.reward),
            ];
            cells.extend(line.offline.map(percent));
            table.row(cells);
        }
        table
    }

    /// A row a correlation.
    pub(crate) fn correlations_table(&self) -> TextTable {
        let spelled = |value: f64| format!("{value:.2}").replace('-', "−");
        let spelled_interval = |row: &ValidityRow| {
            let interval = row.correlation.and_then(|found| found.interval);
            interval.map(|(low, high)| format!("{} to {}", spelled(low), spelled(high)))
        };
        let or_none = |text: Option<String>| text.unwrap_or_else(|| NONE.to_owned());
        let table = self.rows.iter().table([
            ("offline", &|row| row.score.name().to_owned()),
            ("pairs are", &|row| row.between.to_owned()),
            ("pairs", &|row| row.pairs.to_string()),
            ("ρ", &|row| or_none(row.correlation.map(|found| spelled(found.value)))),
            ("95 %", &|row| or_none(spelled_interval(row))),
        ]);
        table.left(2)
    }

    /// Says what the tables say, and what they cannot.
    pub fn in_words(&self) -> String {
        let Share { part: both, whole } = self.tasks;
        let mut words = format!(
            "Of {whole} tasks that agents were judged on, {both} {} in the bench too.",
            if both == 1 { "is" } else { "are" }
        );
        let most = |strict: bool| {
            let rows = self.rows.iter().filter(|row| (row.between == BETWEEN[0]) != strict);
            rows.map(|row| row.pairs).max().unwrap_or(0)
        };
        if most(true) < LEAST_PAIRS {
            words.push_str(
                " Of so few no correlation on the same tasks can be made: whether what is found offline is what \
                    agents are rewarded for is not known from these records.",
            );
        } else if most(true) < FEW_PAIRS {
            words.push_str(" So few pairs fall into a perfect order by chance too often for ρ to mean much.");
        }
        let others = most(false);
        if others >= LEAST_PAIRS {
            words.push_str(&format!(
                " {} tools have a strategy in the bench: side by side over whatever tasks each side has, which \
                    says how they stand in both, not that the one foretells the other.",
                thousands(others as u64)
            ));
            if others < FEW_PAIRS {
                words.push_str(" That is too few for any order of them to be told from chance.");
            }
        }
        words.push_str(
            " A tool is set beside the strategy of its name that tells whole pages, which is less than what an agent \
                could do with it; rewards are means over runs, each counted between nothing and all of it. ρ is \
                Spearman's rank correlation, 95 % by bootstrap over pairs.",
        );
        if both < whole {
            words.push_str(" Records of runs on the tasks of the bench would fill the rows that are empty.");
        }
        words
    }

    /// Writes everything, on a terminal or as Markdown.
    pub fn text(&self, markdown: bool) -> String {
        let (tools, rows) = (self.tools_table().written(markdown), self.correlations_table().written(markdown));
        format!("{tools}\n{rows}\n{}\n", paragraph(&self.in_words(), markdown))
    }
}

/// One tool on one task, offline and really.
struct Pair<'a> {
    tool: &'a str,
    task: &'a str,
    offline: f64,
    real: f64,
}

/// Returns the means of both sides for each value of `by`, over the values of `over` that all have:
/// only then are they of the same.
fn means<'a>(pairs: &[Pair<'a>], by: fn(&Pair<'a>) -> &'a str, over: fn(&Pair<'a>) -> &'a str) -> Vec<(f64, f64)> {
    let groups: BTreeSet<&str> = pairs.iter().map(by).collect();
    let is_everywhere =
        |value: &str| groups.iter().all(|group| pairs.iter().any(|pair| by(pair) == *group && over(pair) == value));
    let shared: BTreeSet<&str> = pairs.iter().map(over).filter(|value| is_everywhere(value)).collect();
    let mut found = Vec::new();
    for group in &groups {
        let own: Vec<&Pair<'_>> =
            pairs.iter().filter(|pair| by(pair) == *group && shared.contains(over(pair))).collect();
        if !own.is_empty() {
            let side = |of: fn(&Pair<'_>) -> f64| mean(&own.iter().map(|pair| of(pair)).collect::<Vec<_>>());
            found.push((side(|pair| pair.offline), side(|pair| pair.real)));
        }
    }
    found
}

/// Returns the strategy of a tool by its name and version: of ours `lens/delta`, else the one whose
/// name begins with the tool's, what the tool itself said first, whole pages first.
fn strategy_by_name<'s>(tool: &str, strategies: &BTreeSet<&'s str>) -> Option<&'s str> {
    let plain = |text: &str| {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
        format!(" {} ", words.map(str::to_ascii_lowercase).collect::<Vec<_>>().join(" "))
    };
    let tool = plain(tool);
    if tool.starts_with(" browserlens ") {
        return strategies.get(OWN).copied();
    }
    let named = strategies.iter().filter(|strategy| {
        let product = strategy.split('/').next().unwrap_or_default();
        product.contains('@') && tool.contains(&plain(product))
    });
    named
        .min_by_key(|strategy| {
            let variant = strategy.strip_suffix(RECORDED_SUFFIX).unwrap_or(strategy);
            (variant == **strategy, !variant.ends_with("/full"), **strategy)
        })
        .copied()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// Spearman's rank correlation with its interval; none of too few pairs, and none where one side is
/// all the same.
fn spearman(pairs: &[(f64, f64)]) -> Option<Estimate> {
    if pairs.len() < LEAST_PAIRS {
        return None;
    }
    let value = rho(pairs)?;
    let interval =
        resampled(pairs.len(), |drawn| rho(&drawn.iter().map(|at| pairs[*at]).collect::<Vec<_>>()).unwrap_or(0.0));
    Some(Estimate { value, interval, n: pairs.len() })
}

fn rho(pairs: &[(f64, f64)]) -> Option<f64> {
    let (first, second): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
    let (first, second) = (ranks(&first), ranks(&second));
    let middle = (pairs.len() as f64 + 1.0) / 2.0;
    let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - middle) * (b - middle)).sum::<f64>();
    let spread = (sum(&first, &first) * sum(&second, &second)).sqrt();
    (spread > 0.0).then(|| (sum(&first, &second) / spread).clamp(-1.0, 1.0))
}

/// Returns each value's rank from 1; equal values share the mean of theirs.
fn ranks(values: &[f64]) -> Vec<f64> {
    let below = |value: f64| values.iter().filter(|other| **other < value).count() as f64;
    let equal = |value: f64| values.iter().filter(|other| **other == value).count() as f64;
    values.iter().map(|value| below(*value) + (equal(*value) + 1.0) / 2.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_replay::ExamScore;

    #[test]
    fn the_rank_correlation_is_that_of_the_books() {
        // M. G. Kendall, "Rank Correlation Methods": Σd² = 24 of ten gives 1 − 6 × 24 ÷ 990.
        let first = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0];
        let second = [2.0, 1.0, 5.0, 3.0, 4.0, 6.0, 9.0, 7.0, 8.0, 10.0];
        let pairs: Vec<(f64, f64)> = first.into_iter().zip(second).collect();
        let squares: f64 = pairs.iter().map(|(a, b)| (a - b).powi(2)).sum();
        let found = spearman(&pairs).unwrap();
        assert!((found.value - (1.0 - 6.0 * squares / 990.0)).abs() < 1e-12 && found.n == 10);
        let (low, high) = found.interval.unwrap();
        assert!(low < found.value && found.value <= high && high <= 1.0, "{low} {high}");
        // Equal values share their ranks: 1.5, 1.5, 3 against 1, 2, 3.
        let tied = rho(&[(0.0, 1.0), (0.0, 2.0), (9.0, 3.0)]).unwrap();
        assert!((tied - 1.5 / (1.5_f64 * 2.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn too_few_pairs_or_a_side_without_order_have_no_correlation() {
        assert_eq!(spearman(&[(0.0, 0.0), (1.0, 1.0)]), None);
        assert_eq!(spearman(&[(0.5, 0.0), (0.5, 1.0), (0.5, 2.0)]), None);
        let three = spearman(&[(0.1, 0.0), (0.2, 1.0), (0.3, 2.0)]).unwrap();
        assert_eq!((three.value, three.interval), (1.0, Some((0.0, 1.0))), "three are drawn alike too often");
    }

    #[test]
    fn a_correlation_depends_on_the_order_alone_and_changes_sign_with_it() {
        let mut random = browserlens_replay::SplitMix64::new(5);
        for _ in 0..200 {
            let n = 3 + random.below(6);
            let pairs: Vec<(f64, f64)> = (0..n).map(|_| (random.below(4) as f64, random.below(4) as f64)).collect();
            let Some(found) = rho(&pairs) else { continue };
            let bent: Vec<(f64, f64)> = pairs.iter().map(|(a, b)| (a.exp(), b * b * b + 7.0)).collect();
            let turned: Vec<(f64, f64)> = pairs.iter().rev().map(|(a, b)| (*a, -b)).collect();
            assert!((rho(&bent).unwrap() - found).abs() < 1e-12 && (rho(&turned).unwrap() + found).abs() < 1e-12);
            assert!((-1.0..=1.0).contains(&found));
        }
    }

    #[test]
    fn tools_find_their_strategies_by_name_and_version() {
        let strategies = BTreeSet::from([
            "lens/delta",
            "playwright-mcp@0.0.83/full",
            "playwright-mcp@0.0.83/full:recorded",
            "playwright-mcp@0.0.68/incremental:recorded",
            "agent-browser@0.41.2/interactive:recorded",
            "agent-browser@0.41.2/full:recorded",
            "browser-use@0.13.14/dom",
        ]);
        let of = |tool| strategy_by_name(tool, &strategies);
        assert_eq!(of("@playwright/mcp 0.0.83"), Some("playwright-mcp@0.0.83/full:recorded"));
        assert_eq!(of("agent-browser 0.41.2 (command line)"), Some("agent-browser@0.41.2/full:recorded"));
        assert_eq!(of("browser-use 0.13.14"), Some("browser-use@0.13.14/dom"));
        assert_eq!(of("browserlens serve (MCP)"), Some("lens/delta"));
        assert_eq!((of("agent-browser 0.41.20"), of("agent-browser"), of("raw")), (None, None, None));
    }

    fn task(strategy: &str, trace: &str, steps: u32, told: u32) -> TaskMeasurement {
        let mut task = TaskMeasurement::of(trace, strategy, &[], true);
        (task.steps, task.successful_steps, task.simple_steps) = (10, steps, steps);
        task.scores.exam = ExamScore { asked: 10, told, local: told };
        task
    }

    fn run(tool: &str, task: &str, reward: f64) -> MeasuredRun {
        let header = browserlens_trace::agents::Header { task: task.into(), tool: tool.into(), ..Default::default() };
        let end = browserlens_trace::agents::End { reward: Some(reward), ..Default::default() };
        let record = browserlens_trace::agents::RunRecord { header, end: Some(end), ..Default::default() };
        let images = browserlens_core::tokens::ImageFormula::Claude28;
        crate::measured_runs(&[record], &[], browserlens_core::tokens::Encoding::O200kBase, images, None).remove(0)
    }

    #[test]
    fn pairs_are_tools_on_tasks_that_were_both_replayed_and_run() {
        let tasks: Vec<_> = [("a", 9), ("b", 7), ("site/c", 3)]
            .into_iter()
            .flat_map(|(trace, steps)| [task("lens/delta", trace, steps, 8), task("x@1/full", trace, steps - 2, steps)])
            .collect();
        let runs = [
            run("browserlens", "a", 1.0),
            run("browserlens", "a", 0.0),
            run("browserlens", "b", 0.4),
            run("browserlens", "site-c", 0.1),
            run("x 1", "a", 0.3),
            run("x 1", "b", 0.2),
            run("x 1", "elsewhere", 1.0),
            run("unknown", "a", 1.0),
        ];
        let validity = Validity::of(&tasks, &runs, &[]).unwrap();
        let pairs: Vec<usize> = validity.rows.iter().map(|row| row.pairs).collect();
        // Two tools over all; five pairs; two tools on the two tasks that both have; three tasks by
        // the one tool that was run on all of them.
        assert_eq!(pairs[..4], [2, 5, 2, 3]);
        assert_eq!(validity.tasks, Share { part: 3, whole: 4 });
        insta::assert_snapshot!(validity.text(false));
        assert_eq!(Validity::of(&[], &runs, &[]), None);
        assert_eq!(Validity::of(&tasks, &[], &[]), None);
        let named = Validity::of(&tasks, &runs, &[("unknown".into(), "x@1/full".into())]).unwrap();
        assert_eq!(named.rows[1].pairs, 6);
    }
}
