//! Places for clients: how many there may be at once.
//!
//! In: the wish for a client. Out: a [`Worker`] that gives its place back when it is gone. Invariant: never more clients than places, whatever channel
//! they come by; a client's thread begins with its first call.

use crate::answer::Answer;
use crate::client::Shared;
use crate::error::ToolError;
use crate::metrics::Metrics;
use crate::worker::Worker;
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
    metrics: Arc<Metrics>,
}

#[derive(Debug)]
struct Taken {
    worker: Worker,
    metrics: Arc<Metrics>,
    _place: OwnedSemaphorePermit,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.metrics.clients.fetch_sub(1, Ordering::Relaxed);
    }
}

/// One client's place, taken at its first call.
#[derive(Clone, Debug)]
pub struct Seat {
    seats: Seats,
    taken: Arc<OnceCell<Taken>>,
    channel: &'static str,
}

impl Seats {
    /// Makes places for `most` clients; a call is given up after `limit`.
    pub fn new(shared: Arc<Shared>, limit: Duration, most: usize) -> Self {
        Self { shared, limit, free: Arc::new(Semaphore::new(most)), metrics: Arc::default() }
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

    fn take(&self) -> Result<Taken, ToolError> {
        let place = Arc::clone(&self.free).try_acquire_owned().map_err(|_| ToolError::Full)?;
        let worker = Worker::start(Arc::clone(&self.shared), self.limit)?;
        self.metrics.clients.fetch_add(1, Ordering::Relaxed);
        Ok(Taken { worker, metrics: Arc::clone(&self.metrics), _place: place })
    }
}

impl Seat {
    /// Takes the place now.
    ///
    /// # Errors
    /// [`ToolError::Full`] if there is none.
    pub async fn take(&self) -> Result<(), ToolError> {
        self.worker().await.map(drop)
    }

    async fn worker(&self) -> Result<&Worker, ToolError> {
        let taken = self.taken.get_or_try_init(|| async { self.seats.take() }).await?;
        Ok(&taken.worker)
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

    /// Waits until the client and its browser are gone; returns at once if there never was one.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        let ended = self.taken.get().map(|taken| taken.worker.ended());
        async move {
            if let Some(ended) = ended {
                ended.await;
            }
        }
    }
}
