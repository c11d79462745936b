//! Page time as the server of a bundled site sees it.

use browserlens_core::sync::locked;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use tokio::sync::watch;

/// Page time as the server sees it: an answer that is delayed waits for the page's clock, not for
/// the machine's, so that a page can show its spinner, or abort, as it would. All times in
/// milliseconds of page time.
#[derive(Debug, Default)]
pub(crate) struct SiteClock {
    /// What requests that arrive now are dated.
    arriving: Mutex<u64>,
    /// How far answers are let go.
    released: watch::Sender<u64>,
    /// When the answers are due that are held back, and how many then.
    held: Mutex<BTreeMap<u64, usize>>,
}

impl SiteClock {
    /// Begins a slice of page time that ends at `ms`.
    pub(crate) fn begin_slice(&self, ms: u64) {
        *locked(&self.arriving) = ms;
    }

    /// Ends the slice: answers that are due are sent.
    pub(crate) fn end_slice(&self, ms: u64) {
        locked(&self.held).retain(|due, _| *due > ms);
        self.released.send_replace(ms);
    }

    /// Returns how many answers are held back, and when the first is due.
    pub(crate) fn held(&self) -> (usize, Option<u64>) {
        let held = locked(&self.held);
        (held.values().sum(), held.keys().next().copied())
    }

    pub(super) async fn hold(self: &Arc<Self>, delay_ms: u64) {
        let due = *locked(&self.arriving) + delay_ms;
        *locked(&self.held).entry(due).or_default() += 1;
        // Dropped early when the browser gives the request up.
        let _guard = Held { clock: Arc::clone(self), due };
        // The clock lives as long as the server.
        drop(self.released.subscribe().wait_for(|now| *now >= due).await);
    }
}

struct Held {
    clock: Arc<SiteClock>,
    due: u64,
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut held = locked(&self.clock.held);
        if let Some(count) = held.get_mut(&self.due) {
            *count -= 1;
            if *count == 0 {
                held.remove(&self.due);
            }
        }
    }
}
