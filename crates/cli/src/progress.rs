//! Progress bars on standard error, when that is a terminal.
//!
//! In: calls of the replay engine, from any thread. Out: one bar. Invariant: silent where nobody looks.

use browserlens_replay::{Measurement, Progress};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// One bar over the steps of a replay.
pub(crate) struct Bar(ProgressBar);

impl Bar {
    /// Returns a bar, hidden unless standard error is a terminal.
    pub(crate) fn new(what: &str) -> Self {
        let bar = ProgressBar::new(0);
        if !std::io::stderr().is_terminal() {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let style = ProgressStyle::with_template("{prefix} {bar:32} {pos}/{len} steps  {per_sec}  {eta} left  {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style);
        bar.set_prefix(what.to_owned());
        Self(bar)
    }

    /// Ends the bar and leaves nothing behind.
    pub(crate) fn finish(&self) {
        self.0.finish_and_clear();
    }

    /// Sets how many steps there are.
    #[cfg(feature = "record")]
    pub(crate) fn length(&self, steps: u64) {
        self.0.set_length(steps);
    }

    /// Says what is being done.
    #[cfg(feature = "record")]
    pub(crate) fn message(&self, message: &str) {
        self.0.set_message(crate::exit::one_line(message));
    }

    /// Says that a step is done.
    #[cfg(feature = "record")]
    pub(crate) fn step(&self) {
        self.0.inc(1);
    }
}

impl Progress for Bar {
    fn planned(&self, _traces: usize, steps: usize) {
        self.0.set_length(steps as u64);
    }

    fn step_done(&self, trace: &str, _step: u32) {
        self.0.set_message(crate::exit::one_line(trace));
        self.0.inc(1);
    }

    fn row(&self, _row: &Measurement) {}
}
