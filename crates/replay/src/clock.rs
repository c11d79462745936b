//! The clock of replay: the only place where a stage's time is read.
//!
//! In: stages as a run announces them, and what shared values of the step cost. Out: microseconds
//! per stage. Invariant: times go into [`crate::Timing`] rows only, never into a measurement.

use browserlens_core::strategy::{Stage, StageClock};
use browserlens_core::sync::locked;
use browserlens_core::tokens::Micros;
use std::collections::{BTreeMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What a latency means: times of another version are not comparable. Version 2 charges what is
/// shared at a step to every strategy that uses it, and counts the checks that decide what is sent.
pub const LATENCY_VERSION: u32 = 2;

/// Measures the stages of one `observe`.
#[derive(Debug, Default)]
pub struct StopWatch {
    state: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    open: Option<(Stage, Instant)>,
    elapsed: BTreeMap<Stage, Duration>,
    /// The shared values that are paid for, and what those cost that somebody else made.
    paid: HashSet<usize>,
    charged: Micros,
}

impl Running {
    fn end(&mut self, now: Instant) {
        if let Some((stage, since)) = self.open.take() {
            *self.elapsed.entry(stage).or_default() += now.duration_since(since);
        }
    }
}

impl StageClock for StopWatch {
    fn enter(&self, stage: Option<Stage>) {
        let now = Instant::now();
        let mut state = self.lock();
        state.end(now);
        state.open = stage.map(|stage| (stage, now));
    }

    fn charge(&self, value: usize, cost: Micros) {
        let mut state = self.lock();
        if state.paid.insert(value) {
            state.charged += cost;
            if let Some((stage, _)) = state.open {
                *state.elapsed.entry(stage).or_default() += Duration::from_micros(cost.0);
            }
        }
    }
}

impl StopWatch {
    fn lock(&self) -> MutexGuard<'_, Running> {
        locked(&self.state)
    }

    /// Ends the open stage. Out: the time of each stage that was entered, by name, and how much of
    /// it others spent on what was shared.
    pub fn finish(self) -> (BTreeMap<String, Micros>, Micros) {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.end(Instant::now());
        let named = |(stage, elapsed): (Stage, Duration)| (stage.name().to_owned(), elapsed.into());
        (state.elapsed.into_iter().map(named).collect(), state.charged)
    }
}

/// Runs `work` and returns what it returns, with the time it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Micros) {
    let since = Instant::now();
    let result = work();
    (result, since.elapsed().into())
}

/// The [`browserlens_core::strategy::Timer`] of the shared values of a step.
pub(crate) fn timer(work: &mut dyn FnMut()) -> Micros {
    timed(work).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_summed_and_the_open_one_is_ended() {
        let watch = StopWatch::default();
        for stage in [Some(Stage::Route), Some(Stage::Format), None, Some(Stage::Format)] {
            watch.enter(stage);
        }
        let (stages, charged) = watch.finish();
        assert_eq!(stages.keys().collect::<Vec<_>>(), ["format", "route"]);
        assert_eq!(charged, Micros(0));
    }

    #[test]
    fn what_is_shared_is_charged_once_and_to_the_stage_that_asked() {
        let watch = StopWatch::default();
        watch.enter(Some(Stage::Extract));
        watch.charge(0, Micros(9_000_000));
        watch.charge(0, Micros(9_000_000));
        watch.enter(Some(Stage::Diff));
        watch.charge(1, Micros(5_000_000));
        watch.charge(0, Micros(9_000_000));
        let (stages, charged) = watch.finish();
        assert_eq!(charged, Micros(14_000_000));
        assert_eq!([stages["extract"], stages["diff"]].map(|time| time.0 / 1_000_000), [9, 5]);
    }
}
