//! Routers against hindsight: what was the cheapest representation with which a step succeeds, and
//! what did a router's choice cost beside it?
//!
//! In: the measured rows of the strategies that show one representation whatever the page
//! ([`FIXED`]), and of those that choose. Out: a [`RouterTable`]. Rules: the oracle knows which
//! representations made the step succeed and takes the cheapest of them; a choice is priced at the
//! whole observation of its representation, so that routers are compared with each other and not
//! with deltas. Its regret is in tokens on the steps where both succeed, and in missed successes:
//! steps that the oracle's representation makes succeed and the chosen one does not. On steps where
//! none succeeds nothing can be regretted; they are counted apart. Invariant: the oracle is made of
//! the run's rows alone; no strategy can see it.

use crate::error::ReplayError;
use crate::inspect::Inspected;
use crate::measure::{Measurement, StepNumbers};
use crate::strategies::ConfiguredStrategy;
use browserlens_core::strategy::ActionChannel;
use browserlens_core::tokens::{Encoding, ImageFormula};
use std::collections::BTreeMap;
use std::path::Path;

/// The strategies that show one representation, cheapest to act on first: of two that cost the same
/// the earlier counts.
pub const FIXED: [(&str, &str); 4] =
    [("lens/a11y", "a11y"), ("lens/dom", "dom"), ("lens/hybrid", "hybrid"), ("lens/vision", "vision")];

/// Index of vision in [`FIXED`]: the one that cannot be acted on by refs.
const VISION: usize = 3;

/// What one representation gave at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Tokens of the whole observation, images and answers included.
    pub tokens: u64,
    /// Whether the step succeeded with it.
    pub success: bool,
}

/// What every representation gave at one step, in the order of [`FIXED`].
pub type StepOutcomes = [Outcome; 4];

/// Returns the index of the representation that hindsight takes: the cheapest with which the step
/// succeeds; none if there is none.
///
/// `channel` says how the agent acts; one that acts by refs cannot take a screenshot.
pub fn oracle(outcomes: &StepOutcomes, channel: ActionChannel) -> Option<usize> {
    (0..FIXED.len())
        .filter(|at| outcomes[*at].success && (*at != VISION || channel == ActionChannel::Point))
        .min_by_key(|at| (outcomes[*at].tokens, *at))
}

fn given(numbers: &StepNumbers, formula: ImageFormula) -> Outcome {
    let mut cost = numbers.observation;
    cost += numbers.request_cost();
    Outcome { tokens: cost.total(Encoding::O200kBase, formula), success: numbers.success }
}

/// Returns what each representation gave at each step; none unless all four were run on at least
/// one step without failing.
pub fn outcomes(rows: &[Measurement], formula: ImageFormula) -> Option<BTreeMap<(String, u32), StepOutcomes>> {
    let mut found: BTreeMap<(String, u32), [Option<Outcome>; 4]> = BTreeMap::new();
    for row in rows {
        let Some(at) = FIXED.iter().position(|(strategy, _)| *strategy == row.strategy) else { continue };
        let Some(numbers) = row.numbers() else { continue };
        found.entry((row.trace.clone(), row.step)).or_default()[at] = Some(given(numbers, formula));
    }
    let whole: BTreeMap<_, _> =
        found.into_iter().filter_map(|(step, [a, b, c, d])| Some((step, [a?, b?, c?, d?]))).collect();
    (!whole.is_empty()).then_some(whole)
}

/// What every representation would have given at one step, known afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hindsight {
    /// Each of [`FIXED`].
    pub outcomes: StepOutcomes,
    /// The cheapest with which the step succeeds for an agent that acts by refs.
    pub best: Option<usize>,
}

impl Hindsight {
    /// Runs each of [`FIXED`] over a trace up to a step; `scratch` is a folder for what is stored
    /// on the way. None if the strategies given lack one of them, the trace has no such step, or
    /// one of them failed there.
    ///
    /// # Errors
    /// As [`Inspected::at`].
    pub fn at(
        trace: &Path,
        scenarios_dir: &Path,
        strategies: &[ConfiguredStrategy],
        step: u32,
        formula: ImageFormula,
        scratch: &Path,
    ) -> Result<Option<Self>, ReplayError> {
        let mut outcomes = [Outcome { tokens: 0, success: false }; 4];
        for (outcome, (name, _)) in outcomes.iter_mut().zip(FIXED) {
            let Some(configured) = strategies.iter().find(|strategy| strategy.name == name) else { return Ok(None) };
            let inspected = Inspected::at(trace, scenarios_dir, configured, step, scratch)?;
            let Some(given) = inspected.and_then(|inspected| Some(given(inspected.numbers()?, formula))) else {
                return Ok(None);
            };
            *outcome = given;
        }
        Ok(Some(Self { outcomes, best: oracle(&outcomes, ActionChannel::Ref) }))
    }

    /// Returns what a choice cost beside the best, in words.
    pub fn words(&self, chosen: Option<&str>) -> String {
        let told = |(name, outcome): (&str, &Outcome)| {
            format!("{name} {} {}", outcome.tokens, if outcome.success { "succeeds" } else { "fails" })
        };
        let told: Vec<String> = FIXED.iter().map(|(_, name)| *name).zip(&self.outcomes).map(told).collect();
        let regret = match (self.best, chosen.and_then(|chosen| FIXED.iter().position(|(_, name)| *name == chosen))) {
            (None, _) => "none succeeds: nothing to regret".to_owned(),
            (Some(best), None) => format!("best: {}", FIXED[best].1),
            (Some(best), Some(at)) if !self.outcomes[at].success => {
                format!("best: {}; regret: the step fails with {}", FIXED[best].1, FIXED[at].1)
            }
            (Some(best), Some(at)) => {
                let more = self.outcomes[at].tokens.saturating_sub(self.outcomes[best].tokens);
                format!("best: {}; regret: {more} tokens", FIXED[best].1)
            }
        };
        format!("in hindsight, shown whole: {}\n{regret}", told.join(", "))
    }
}

/// One line of the comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RouterRow {
    /// The strategy that chose, or the oracle.
    pub name: String,
    /// How often each representation was chosen, in the order of [`FIXED`].
    pub chosen: [u32; 4],
    /// Steps on which it chose and all four representations are known.
    pub steps: u32,
    /// Of those, on how many it chose what costs no more than the oracle's choice and succeeds.
    pub agreed: u32,
    /// Tasks of which every step succeeds with what it chose.
    pub tasks_done: u32,
    /// Tasks.
    pub tasks: u32,
    /// Tokens of the whole observations that it chose.
    pub tokens: u64,
    /// Tokens over the oracle's on the steps where both succeed.
    pub extra_tokens: u64,
    /// Steps that the oracle's choice makes succeed and its own does not.
    pub missed: u32,
    /// Steps on which nothing succeeds.
    pub hopeless: u32,
}

/// Every strategy that chose, and the oracle for agents that act by refs and for those that act by
/// points too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouterTable {
    /// The strategies in the order of their names, then the oracles.
    pub rows: Vec<RouterRow>,
}

/// Name of the oracle that may not choose a screenshot.
pub const ORACLE_BY_REFS: &str = "hindsight, by refs";
/// Name of the oracle that may choose any representation.
pub const ORACLE: &str = "hindsight, by points";

impl RouterTable {
    /// Compares every strategy that chose a representation at every step; none unless all of
    /// [`FIXED`] were run.
    ///
    /// Regret is against the oracle that acts by refs, as routed strategies do; a screenshot chosen
    /// counts as the strategy was measured with it.
    pub fn of(rows: &[Measurement], formula: ImageFormula) -> Option<Self> {
        let outcomes = outcomes(rows, formula)?;
        let mut choices: BTreeMap<&str, BTreeMap<(String, u32), usize>> = BTreeMap::new();
        for row in rows {
            let chosen = row.numbers().and_then(|numbers| numbers.representation.as_deref());
            let Some(at) = chosen.and_then(|chosen| FIXED.iter().position(|(_, name)| *name == chosen)) else {
                continue;
            };
            choices.entry(&row.strategy).or_default().insert((row.trace.clone(), row.step), at);
        }
        let mut table: Vec<RouterRow> =
            choices.into_iter().map(|(name, choices)| RouterRow::of(name, &choices, &outcomes)).collect();
        for (name, channel) in [(ORACLE_BY_REFS, ActionChannel::Ref), (ORACLE, ActionChannel::Point)] {
            // Where nothing succeeds, hindsight takes the cheapest.
            let cheapest = |step: &StepOutcomes| (0..VISION).min_by_key(|at| (step[*at].tokens, *at)).unwrap_or(0);
            let choices = outcomes
                .iter()
                .map(|(step, outcome)| (step.clone(), oracle(outcome, channel).unwrap_or_else(|| cheapest(outcome))))
                .collect();
            table.push(RouterRow::of(name, &choices, &outcomes));
        }
        Some(Self { rows: table })
    }
}

impl RouterRow {
    /// Returns the tokens of a task, of those of all.
    pub fn per_task(&self, tokens: u64) -> f64 {
        tokens as f64 / f64::from(self.tasks.max(1))
    }

    fn of(
        name: &str,
        choices: &BTreeMap<(String, u32), usize>,
        outcomes: &BTreeMap<(String, u32), StepOutcomes>,
    ) -> Self {
        let mut row = Self { name: name.to_owned(), ..Self::default() };
        let mut tasks: BTreeMap<&str, bool> = BTreeMap::new();
        for (step, at) in choices {
            let Some(outcome) = outcomes.get(step) else { continue };
            let own = outcome[*at];
            row.chosen[*at] += 1;
            row.steps += 1;
            row.tokens += own.tokens;
            *tasks.entry(&step.0).or_insert(true) &= own.success;
            match oracle(outcome, ActionChannel::Ref) {
                Some(best) if own.success => {
                    let extra = own.tokens.saturating_sub(outcome[best].tokens);
                    row.extra_tokens += extra;
                    row.agreed += u32::from(extra == 0);
                }
                Some(_) => row.missed += 1,
                None => row.hopeless += 1,
            }
        }
        row.tasks = tasks.len() as u32;
        row.tasks_done = tasks.values().filter(|done| **done).count() as u32;
        row
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(tokens: u64, success: bool) -> Outcome {
        Outcome { tokens, success }
    }

    fn step(a11y: (u64, bool), dom: (u64, bool), hybrid: (u64, bool), vision: (u64, bool)) -> StepOutcomes {
        [a11y, dom, hybrid, vision].map(|(tokens, success)| outcome(tokens, success))
    }

    #[test]
    fn hindsight_takes_the_cheapest_that_succeeds_and_the_plainest_of_equals() {
        let cheap_fails = step((10, false), (30, true), (20, true), (5, true));
        assert_eq!(oracle(&cheap_fails, ActionChannel::Ref), Some(2));
        assert_eq!(oracle(&cheap_fails, ActionChannel::Point), Some(3));
        let equal = step((10, true), (10, true), (10, true), (10, true));
        assert_eq!(oracle(&equal, ActionChannel::Point), Some(0));
        let none = step((1, false), (1, false), (1, false), (1, true));
        assert_eq!(oracle(&none, ActionChannel::Ref), None);
    }

    #[test]
    fn regret_is_tokens_where_both_succeed_and_successes_where_only_hindsight_does() {
        let outcomes: BTreeMap<(String, u32), StepOutcomes> = [
            step((100, true), (120, true), (150, true), (50, true)),
            step((100, false), (120, true), (150, true), (50, true)),
            step((100, false), (120, false), (150, false), (50, true)),
        ]
        .into_iter()
        .enumerate()
        .map(|(at, outcomes)| (("t".to_owned(), at as u32), outcomes))
        .collect();
        let always = |at: usize| outcomes.keys().map(|step| (step.clone(), at)).collect();
        let a11y = RouterRow::of("a11y", &always(0), &outcomes);
        assert_eq!((a11y.agreed, a11y.extra_tokens, a11y.missed, a11y.hopeless), (1, 0, 1, 1));
        let hybrid = RouterRow::of("hybrid", &always(2), &outcomes);
        assert_eq!((hybrid.agreed, hybrid.extra_tokens, hybrid.missed, hybrid.tokens), (0, 50 + 30, 0, 450));
        assert_eq!((hybrid.steps, hybrid.tasks, hybrid.tasks_done, hybrid.chosen), (3, 1, 0, [0, 0, 3, 0]));
        let vision = RouterRow::of("vision", &always(3), &outcomes);
        assert_eq!((vision.tasks_done, vision.extra_tokens), (1, 0));
    }

    #[test]
    fn a_run_without_the_four_fixed_strategies_has_no_table() {
        assert_eq!(RouterTable::of(&[], ImageFormula::Claude28), None);
    }
}
