//! A thread a client: pages are read and acted on by calls that block.
//!
//! In: calls from async code. Out: their answers. Invariants: the calls of one client run one after
//! the other, in order; a client that hangs or panics hurts no other; no lock is held while a call
//! runs; the thread ends with its last handle.

use crate::answer::Answer;
use crate::client::Client;
use crate::error::ToolError;
use crate::shared::Shared;
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot, watch};

/// Calls of one client that may wait.
const MOST_WAITING: usize = 16;

struct Call {
    tool: String,
    arguments: Value,
    reply: oneshot::Sender<Result<Answer, ToolError>>,
}

/// A handle of one client; when the last one is dropped the client ends.
#[derive(Clone, Debug)]
pub struct Worker {
    calls: mpsc::Sender<Call>,
    limit: Duration,
    ended: watch::Receiver<()>,
}

impl Worker {
    /// Starts a client; a call is given up after `limit`. `held` is dropped when the client and its
    /// browser are gone.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if there is no thread for it.
    pub fn start(shared: Arc<Shared>, limit: Duration, held: impl Send + 'static) -> Result<Self, ToolError> {
        let (calls, mut waiting) = mpsc::channel::<Call>(MOST_WAITING);
        let (alive, ended) = watch::channel(());
        let run = move || {
            // Dropped last: then the client and its browser are gone.
            let _alive = (held, alive);
            let mut client = None;
            while let Some(call) = waiting.blocking_recv() {
                if call.reply.is_closed() {
                    continue;
                }
                let answer = catch_unwind(AssertUnwindSafe(|| {
                    let client = match &mut client {
                        Some(client) => client,
                        none => none.insert(Client::new(Arc::clone(&shared))?),
                    };
                    client.call(&call.tool, call.arguments)
                }));
                let answer = answer.unwrap_or_else(|_| {
                    // Whatever state it was in, nobody should go on from there.
                    client = None;
                    Err(ToolError::Internal("the call failed; the client begins anew".to_owned()))
                });
                drop(call.reply.send(answer));
            }
        };
        let thread = std::thread::Builder::new().name("client".to_owned()).stack_size(16 << 20);
        thread.spawn(run).map_err(|error| ToolError::Internal(format!("no thread for a client: {error}")))?;
        Ok(Self { calls, limit, ended })
    }

    /// Waits until the client and its browser are gone.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`Client::call`]; [`ToolError::Busy`] and [`ToolError::TimedOut`].
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        let (reply, answer) = oneshot::channel();
        let call = Call { tool: tool.to_owned(), arguments, reply };
        self.calls.try_send(call).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ToolError::Busy,
            mpsc::error::TrySendError::Closed(_) => ToolError::Internal("the client ended".to_owned()),
        })?;
        match tokio::time::timeout(self.limit, answer).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(_)) => Err(ToolError::Internal("the client ended".to_owned())),
            Err(_) => Err(ToolError::TimedOut(self.limit.as_secs())),
        }
    }
}
