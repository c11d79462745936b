//! What one client was told, kept for whoever looks on.
//!
//! In: calls and what was answered. Out: the newest of them, their number and tokens in all.
//! Invariants: it holds at most [`MOST_CALLS`] calls and some [`MOST_BYTES`], however long a session
//! lasts; while it is held no call of the client begins; it is held only while somebody looks on.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Most calls that are kept.
const MOST_CALLS: usize = 100;

/// Most bytes of texts that are kept, and of one text.
const MOST_BYTES: usize = 1 << 20;
const MOST_OF_ONE: usize = 64 << 10;

/// For how long a client stays held after somebody looked on last.
const LOOKED: Duration = Duration::from_secs(10);

/// Whether a client may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Go {
    /// It may.
    On,
    /// Somebody holds it.
    Held,
    /// It was ended.
    Ended,
}

/// One call, and what was answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Told {
    /// Which call of the client, counted from 1.
    pub number: u64,
    /// The tool.
    pub tool: String,
    /// Its arguments, as JSON in one line; secrets are masked.
    pub arguments: String,
    /// The answer's text, or what is wrong and what to do.
    pub text: String,
    /// What the text costs to read, in tokens of `o200k_base`; images are not counted.
    pub tokens: u64,
    /// How long it took, in milliseconds.
    pub ms: u64,
    /// Whether it was refused.
    pub is_error: bool,
    /// Whether a person did it who looks on.
    pub by_person: bool,
}

/// What a client was told.
#[derive(Debug)]
pub(crate) struct Feed {
    kept: Mutex<Kept>,
    go: watch::Sender<Go>,
    looked: Mutex<Instant>,
    /// Calls under way.
    under_way: AtomicU32,
    /// Whether somebody may look on: else nothing is kept.
    is_shown: AtomicBool,
}

#[derive(Debug, Default)]
struct Kept {
    told: VecDeque<Told>,
    bytes: usize,
    calls: u64,
    tokens: u64,
}

impl Default for Feed {
    fn default() -> Self {
        Self {
            kept: Mutex::default(),
            go: watch::Sender::new(Go::On),
            looked: Mutex::new(Instant::now()),
            under_way: AtomicU32::new(0),
            is_shown: AtomicBool::new(false),
        }
    }
}

impl Feed {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets somebody look on from now on.
    pub(crate) fn show(&self) {
        self.is_shown.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_shown(&self) -> bool {
        self.is_shown.load(Ordering::Relaxed)
    }

    /// Says that a call is under way until what is returned is dropped.
    pub(crate) fn begin(&self) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        UnderWay(&self.under_way)
    }

    /// Returns whether a call is under way.
    pub(crate) fn is_busy(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// Keeps a call that ended; its number is given here.
    pub(crate) fn tell(&self, mut told: Told) {
        let mut kept = self.kept();
        kept.calls += 1;
        kept.tokens += told.tokens;
        told.number = kept.calls;
        for text in [&mut told.text, &mut told.arguments] {
            if text.len() > MOST_OF_ONE {
                text.truncate(text.floor_char_boundary(MOST_OF_ONE));
                text.push_str(" …");
            }
        }
        kept.bytes += size(&told);
        kept.told.push_back(told);
        while kept.told.len() > MOST_CALLS || kept.bytes > MOST_BYTES {
            let Some(oldest) = kept.told.pop_front() else { break };
            kept.bytes -= size(&oldest);
        }
    }

    /// Returns the calls behind one, of those that are kept.
    pub(crate) fn behind(&self, number: u64) -> Vec<Told> {
        self.kept().told.iter().filter(|told| told.number > number).cloned().collect()
    }

    /// Returns how many calls there were, and their tokens.
    pub(crate) fn counts(&self) -> (u64, u64) {
        let kept = self.kept();
        (kept.calls, kept.tokens)
    }

    /// Holds what the client does next, or lets it go on.
    pub(crate) fn hold(&self, is_held: bool) {
        self.looked_on();
        self.go.send_modify(|go| match go {
            Go::Ended => {}
            go => *go = if is_held { Go::Held } else { Go::On },
        });
    }

    /// Says that somebody looks on.
    pub(crate) fn looked_on(&self) {
        *self.looked.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Refuses what waits and what comes.
    pub(crate) fn end(&self) {
        self.go.send_replace(Go::Ended);
    }

    pub(crate) fn is_held(&self) -> bool {
        *self.go.borrow() == Go::Held
    }

    /// Waits until the client may go on, at most for a while; returns whether it may.
    pub(crate) async fn may_go(&self, limit: Duration) -> Go {
        let (mut go, until) = (self.go.subscribe(), Instant::now() + limit);
        loop {
            let now = *go.borrow_and_update();
            if now != Go::Held || Instant::now() >= until {
                return now;
            }
            if self.looked.lock().unwrap_or_else(PoisonError::into_inner).elapsed() > LOOKED {
                // Whoever held it went away.
                self.hold(false);
                continue;
            }
            let left = until.saturating_duration_since(Instant::now()).min(Duration::from_secs(1));
            drop(tokio::time::timeout(left, go.changed()).await);
        }
    }
}

/// A call that is under way, or was given up.
#[derive(Debug)]
pub(crate) struct UnderWay<'f>(&'f AtomicU32);

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

fn size(told: &Told) -> usize {
    told.text.len() + told.arguments.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Told {
        Told {
            number: 0,
            tool: "observe".to_owned(),
            arguments: String::new(),
            text: text.to_owned(),
            tokens: 7,
            ms: 1,
            is_error: false,
            by_person: false,
        }
    }

    #[test]
    fn a_long_session_keeps_what_is_new_and_counts_all() {
        let feed = Feed::default();
        for _ in 0..1_000 {
            feed.tell(told(&"ä".repeat(50_000)));
        }
        let kept = feed.behind(0);
        assert_eq!(feed.counts(), (1_000, 7_000));
        assert!(kept.len() <= MOST_CALLS && kept.iter().map(size).sum::<usize>() <= MOST_BYTES, "{}", kept.len());
        assert_eq!(kept.last().expect("the newest").number, 1_000);
        assert!(kept.iter().all(|told| told.text.ends_with("ä …")));
        assert_eq!(feed.behind(998).iter().map(|told| told.number).collect::<Vec<_>>(), [999, 1_000]);
        for _ in 0..1_000 {
            feed.tell(told("short"));
        }
        assert_eq!(feed.behind(0).len(), MOST_CALLS);
        let under_way = feed.begin();
        assert!(feed.is_busy());
        drop(under_way);
        assert!(!feed.is_busy());
    }

    #[tokio::test]
    async fn what_is_held_goes_on_when_it_is_let_go_or_nobody_looks_on_and_ends_when_it_is_ended() {
        let feed = std::sync::Arc::new(Feed::default());
        assert_eq!(feed.may_go(Duration::ZERO).await, Go::On);
        feed.hold(true);
        assert_eq!((feed.is_held(), feed.may_go(Duration::from_millis(20)).await), (true, Go::Held));
        let waits = || {
            let feed = std::sync::Arc::clone(&feed);
            tokio::spawn(async move { feed.may_go(Duration::from_secs(60)).await })
        };
        let waiting = waits();
        tokio::time::sleep(Duration::from_millis(20)).await;
        feed.hold(false);
        assert_eq!(waiting.await.expect("ends"), Go::On);
        feed.hold(true);
        if let Some(long_ago) = Instant::now().checked_sub(LOOKED * 2) {
            *feed.looked.lock().expect("nobody panicked") = long_ago;
            assert_eq!(feed.may_go(Duration::from_secs(60)).await, Go::On, "nobody looks on");
        }
        feed.hold(true);
        let waiting = waits();
        tokio::time::sleep(Duration::from_millis(20)).await;
        feed.end();
        assert_eq!(waiting.await.expect("ends"), Go::Ended);
        feed.hold(false);
        assert_eq!(feed.may_go(Duration::ZERO).await, Go::Ended);
    }
}
