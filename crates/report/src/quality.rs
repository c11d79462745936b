//! Quality by scenario: how much of what there was to find each strategy found, and the averages of
//! that over scenarios.
//!
//! In: the rows of a run. Out: a [`Quality`] a strategy. Invariants: what there was to find at a
//! step is known from any strategy that did not fail there, so that a failed row counts as a miss
//! instead of vanishing from the whole; a scenario where there was nothing of a kind to find takes
//! no part in the average of that kind.

use crate::share::Share;
use crate::stats::Estimate;
use browserlens_core::named;
use browserlens_replay::{Measurement, StepNumbers, TaskMeasurement};
use std::collections::BTreeMap;

named! {
    /// What is averaged over scenarios, in the order of tables.
    pub enum Metric {
        /// Whether every step succeeded.
        Tasks = "tasks",
        /// Steps with an acceptable action node in the shown state, of the steps whose next action
        /// needs one.
        Target = "target",
        /// … that can be named through the action channel.
        Addressable = "addressable",
        /// Facts that can be read.
        Facts = "facts",
        /// Probes that are in the shown state: nodes and texts together.
        Probes = "probes",
        /// Steps whose required set is shown whole, of the steps that have one.
        Required = "required sets",
    }
}

/// The shares of one strategy on one scenario, by [`Metric`].
type Shares = [Share; Metric::ALL.len()];

/// The quality of one strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    by_scenario: Vec<Shares>,
    averages: [Option<Estimate>; Metric::ALL.len()],
}

impl Quality {
    /// Returns the macro average; none where there was nothing to find.
    pub fn average(&self, metric: Metric) -> Option<Estimate> {
        self.averages[metric as usize]
    }

    /// Returns the paired difference to another strategy, over the scenarios that both have.
    pub fn difference(&self, other: &Self, metric: Metric) -> Option<Estimate> {
        let pairs: Vec<(f64, f64)> = self
            .by_scenario
            .iter()
            .zip(&other.by_scenario)
            .filter_map(|(own, other)| Some((own[metric as usize].value()?, other[metric as usize].value()?)))
            .collect();
        Estimate::difference(&pairs)
    }
}

/// What there was to find at a step.
#[derive(Clone, Copy, Debug, Default)]
struct Sought {
    target: bool,
    facts: u64,
    probes: u64,
    required: bool,
}

/// What there was to find at each step of a run.
pub(crate) struct Wanted<'a> {
    steps: BTreeMap<(&'a str, u32), Sought>,
}

impl<'a> Wanted<'a> {
    pub fn of(rows: &'a [Measurement]) -> Self {
        let known = rows.iter().filter_map(|row| {
            let numbers = row.numbers()?;
            let sought = Sought {
                target: numbers.target.needed,
                facts: numbers.scores.facts.total.into(),
                probes: numbers.scores.probes.drawn().into(),
                required: numbers.required.is_covered().is_some(),
            };
            Some(((row.trace.as_str(), row.step), sought))
        });
        Self { steps: known.collect() }
    }

    /// Scores the rows and tasks of one strategy.
    pub fn score(
        &self,
        scenarios: &[String],
        rows: &[&Measurement],
        task: impl Fn(&String) -> Option<&'a TaskMeasurement>,
    ) -> Quality {
        let mut by_scenario = vec![Shares::default(); scenarios.len()];
        for (scenario, shares) in scenarios.iter().zip(&mut by_scenario) {
            if let Some(task) = task(scenario) {
                shares[Metric::Tasks as usize].add(task.success.into(), 1);
            }
        }
        for row in rows {
            let Ok(at) = scenarios.binary_search(&row.trace) else { continue };
            let sought = self.steps.get(&(row.trace.as_str(), row.step)).copied().unwrap_or_default();
            let mut add = |metric: Metric, whole: u64, part: fn(&StepNumbers) -> u64| {
                by_scenario[at][metric as usize].add(row.numbers().filter(|_| whole > 0).map_or(0, part), whole);
            };
            add(Metric::Target, sought.target.into(), |numbers| numbers.target.recall.into());
            add(Metric::Addressable, sought.target.into(), |numbers| numbers.target.addressable.into());
            add(Metric::Facts, sought.facts, |numbers| numbers.scores.facts.read.into());
            add(Metric::Probes, sought.probes, |numbers| numbers.scores.probes.found().into());
            add(Metric::Required, sought.required.into(), |numbers| {
                numbers.required.is_covered().unwrap_or(false).into()
            });
        }
        let averages = Metric::ALL.map(|metric| {
            let values: Vec<f64> = by_scenario.iter().filter_map(|shares| shares[metric as usize].value()).collect();
            Estimate::average(&values)
        });
        Quality { by_scenario, averages }
    }
}

#[cfg(test)]
impl Quality {
    /// Returns how much was found over all scenarios together.
    pub(crate) fn total(&self, metric: Metric) -> Share {
        let mut total = Share::default();
        for shares in &self.by_scenario {
            total.add(shares[metric as usize].part, shares[metric as usize].whole);
        }
        total
    }
}
