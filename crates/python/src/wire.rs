//! The recorder's transport over a session that Python holds.
//!
//! In: calls of the recorder, from its threads; answers and events, from Python's. Out: calls for
//! Python to send. Invariants: no call into Python is made from here, so that the recorder never
//! waits for Python's lock; calls that come while no work is under way wait for the next.

use crate::errors::Raised;
use browserlens_core::sync::locked;
use browserlens_recorder::{CdpCall, CdpInbox, CdpTransport};
use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What Python is to do next.
pub(crate) enum Next {
    /// Send these.
    Calls(Vec<CdpCall>),
    /// Nothing came within the time.
    Nothing,
    /// The work is done.
    Done,
}

#[derive(Default)]
struct Queue {
    calls: VecDeque<CdpCall>,
    /// Whether work is under way.
    is_busy: bool,
    /// Whether nobody carries calls any more until the work ends.
    is_given_up: bool,
}

/// How long work that is given up may take to notice.
pub(crate) const GIVE_UP: Duration = Duration::from_secs(20);

/// Both directions of a connection that Python carries.
pub(crate) struct Wire {
    queue: Mutex<Queue>,
    changed: Condvar,
    inbox: OnceLock<CdpInbox>,
    /// Whether bodies of answers are asked for: each is a call.
    bodies: bool,
}

impl Wire {
    pub(crate) fn new(bodies: bool) -> Self {
        Self { queue: Mutex::default(), changed: Condvar::new(), inbox: OnceLock::new(), bodies }
    }

    pub(crate) fn connect(&self, inbox: CdpInbox) {
        drop(self.inbox.set(inbox));
    }

    pub(crate) fn inbox(&self) -> Result<&CdpInbox, Raised> {
        self.inbox.get().ok_or_else(|| Raised::page("no browser is connected", "observe a page first"))
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        locked(&self.queue)
    }

    /// Begins a piece of work; returns false if another is under way.
    pub(crate) fn begin(&self) -> bool {
        !std::mem::replace(&mut self.queue().is_busy, true)
    }

    /// Ends it.
    pub(crate) fn end(&self) {
        let mut queue = self.queue();
        (queue.is_busy, queue.is_given_up) = (false, false);
        self.changed.notify_all();
    }

    /// Gives the work up: its calls are refused, and it ends by that.
    pub(crate) fn give_up(&self) {
        let mut queue = self.queue();
        if !queue.is_busy {
            return;
        }
        queue.is_given_up = true;
        queue.calls.clear();
        drop(queue);
        if let Some(inbox) = self.inbox.get() {
            inbox.refuse_all("given up");
        }
        let queue = self.queue();
        drop(self.changed.wait_timeout_while(queue, GIVE_UP, |queue| queue.is_busy));
    }

    /// Waits for what Python is to do next.
    pub(crate) fn next(&self, limit: Duration) -> Next {
        let deadline = Instant::now() + limit;
        let mut queue = self.queue();
        loop {
            // Also what was sent last and is waited for by nobody yet: a look goes on in the
            // browser while its page is parsed.
            if !queue.calls.is_empty() {
                return Next::Calls(queue.calls.drain(..).collect());
            }
            if !queue.is_busy {
                return Next::Done;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Next::Nothing;
            }
            queue = self.changed.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

impl CdpTransport for Wire {
    fn send(&self, call: CdpCall) -> bool {
        let refused = |why: &str| {
            if let Some(inbox) = self.inbox.get() {
                inbox.refuse(call.id, why);
            }
            true
        };
        if call.method == "Network.getResponseBody" && !self.bodies {
            return refused("bodies are not kept");
        }
        let mut queue = self.queue();
        if queue.is_given_up {
            drop(queue);
            return refused("given up");
        }
        queue.calls.push_back(call);
        self.changed.notify_all();
        true
    }
}
