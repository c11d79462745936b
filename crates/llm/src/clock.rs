//! Time, through one small trait, so that tests of backoff and rate do not sleep.
//!
//! In: nothing. Out: the time since the clock was made, and pauses. Invariant: time never goes
//! back.

use std::time::{Duration, Instant};

/// Tells the time and pauses.
pub trait Clock: Send + Sync {
    /// Returns the time since some fixed moment before the first call.
    fn now(&self) -> Duration;

    /// Returns when `pause` has passed.
    fn sleep(&self, pause: Duration);
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock {
    began: Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { began: Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    fn sleep(&self, pause: Duration) {
        std::thread::sleep(pause);
    }
}
