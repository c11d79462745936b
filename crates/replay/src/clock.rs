//! The clock of replay: the only place where a stage's time is read.
//!
//! In: stages as a run announces them. Out: microseconds per stage. Invariant: times go into [`crate::Timing`] rows only, never into
//! a measurement.

use browserlens_strategy::{Stage, StageClock};
use browserlens_tokens::Micros;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Measures the stages of one `observe`.
#[derive(Debug, Default)]
pub struct StopWatch {
    state: Mutex<Running>,
}

#[derive(Debug, Default)]
struct Running {
    open: Option<(Stage, Instant)>,
    elapsed: BTreeMap<Stage, Duration>,
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
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.end(now);
        state.open = stage.map(|stage| (stage, now));
    }
}

impl StopWatch {
    /// Ends the open stage and returns the time of each stage that was entered, by name.
    pub fn finish(self) -> BTreeMap<String, Micros> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        state.end(Instant::now());
        state.elapsed.into_iter().map(|(stage, elapsed)| (stage_name(stage).to_owned(), elapsed.into())).collect()
    }
}

/// Runs `work` and returns what it returns, with the time it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Micros) {
    let since = Instant::now();
    let result = work();
    (result, since.elapsed().into())
}

/// Returns the name of a stage as timing rows carry it.
pub fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Route => "route",
        Stage::Extract => "extract",
        Stage::Diff => "diff",
        Stage::Format => "format",
    }
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
        let stages = watch.finish();
        assert_eq!(stages.keys().collect::<Vec<_>>(), ["format", "route"]);
    }
}
