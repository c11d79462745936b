//! Places for clients: how many there may be at once.
//!
//! In: the wish for a client. Out: a [`Worker`] that gives its place back when it is gone.
//! Invariant: never more clients than places, whatever channel they come by; a client's thread
//! begins with its first call.

use crate::desk::Desk;
use crate::metrics::Metrics;
use crate::worker::Worker;
use browserlens_session::{Answer, Shared, ToolError};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::{OnceCell, OwnedSemaphorePermit, Semaphore};

/// What makes clients.
#[derive(Clone, Debug)]
pub struct Seats {
    shared: Arc<Shared>,
    limit: Duration,
    free: Arc<Semaphore>,
    most: u32,
    metrics: Arc<Metrics>,
    desk: Option<Arc<Desk>>,
}

/// One place, held until its client and the client's browser are gone.
struct HeldSeat {
    metrics: Arc<Metrics>,
    _permit: OwnedSemaphorePermit,
}

impl Drop for HeldSeat {
    fn drop(&mut self) {
        self.metrics.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One client's place, taken at its first call.
#[derive(Clone, Debug)]
pub struct Seat {
    seats: Seats,
    taken: Arc<OnceCell<Arc<Worker>>>,
    channel: &'static str,
}

impl Seats {
    /// Makes places for `most` clients; a call is given up after `limit`.
    pub fn new(shared: Arc<Shared>, limit: Duration, most: u32) -> Self {
        let free = Arc::new(Semaphore::new(most as usize));
        Self { shared, limit, free, most, metrics: Arc::default(), desk: None }
    }

    /// Takes where clients can be looked at.
    pub fn watched(self, desk: Option<Arc<Desk>>) -> Self {
        Self { desk, ..self }
    }

    /// Returns the counters of all clients.
    pub fn metrics(&self) -> &Arc<Metrics> {
        &self.metrics
    }

    /// Returns what all clients share.
    pub fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    /// Returns the place of a client that comes by a channel.
    pub fn seat(&self, channel: &'static str) -> Seat {
        Seat { seats: self.clone(), taken: Arc::default(), channel }
    }

    /// Waits until no client is left, for some time.
    pub async fn all_gone(&self, limit: Duration) {
        drop(tokio::time::timeout(limit, self.free.acquire_many(self.most)).await);
    }

    fn take(&self) -> Result<Arc<Worker>, ToolError> {
        let permit = Arc::clone(&self.free).try_acquire_owned().map_err(|_| ToolError::Full)?;
        self.metrics.clients.fetch_add(1, Ordering::Relaxed);
        let place = HeldSeat { metrics: Arc::clone(&self.metrics), _permit: permit };
        Worker::start(Arc::clone(&self.shared), self.limit, place)
    }
}

impl Seat {
    /// Returns what all clients share.
    pub fn shared(&self) -> &Shared {
        &self.seats.shared
    }

    /// Takes the place now.
    ///
    /// # Errors
    /// [`ToolError::Full`] if there is none.
    pub async fn take(&self) -> Result<(), ToolError> {
        self.worker().await.map(drop)
    }

    async fn worker(&self) -> Result<&Arc<Worker>, ToolError> {
        let take = async || {
            let worker = self.seats.take()?;
            let shared = &self.seats.shared;
            if let Some(desk) = &self.seats.desk {
                let source = shared.start_url.as_deref().unwrap_or_default();
                desk.come_as(self.channel, source, shared.opener.is_live(), &worker);
            }
            Ok(worker)
        };
        self.taken.get_or_try_init(take).await
    }

    /// Calls a tool, counts and logs it.
    ///
    /// # Errors
    /// As [`Worker::call`].
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        let began = Instant::now();
        let answer = match self.worker().await {
            Ok(worker) => worker.call(tool, arguments).await,
            Err(error) => Err(error),
        };
        self.seats.metrics.called(tool, self.channel, began.elapsed(), answer.as_ref().err());
        answer
    }

    /// Gives the place back, and waits until the client and its browser are gone, but not for ever.
    pub async fn end(self) {
        let ended = self.taken.get().map(|worker| worker.ended());
        drop(self);
        if let Some(ended) = ended {
            drop(tokio::time::timeout(Duration::from_secs(15), ended).await);
        }
    }
}
