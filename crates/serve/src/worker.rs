//! A thread a client: pages are read and acted on by calls that block.
//!
//! In: calls from async code. Out: their answers. Invariants: the calls of one client run one after
//! the other, in order; what was told is kept where somebody may look on; a client that hangs or
//! panics hurts no other; no lock is held while a call runs; the thread ends with its last handle.

use crate::feed::{Feed, Go, Told};
use browserlens_core::page::text::{escaped, escaped_line};
use browserlens_core::tokens::Encoding;
use browserlens_session::{Answer, Session, Shared, ToolError, View};
use serde_json::Value;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot, watch};

/// Calls of one client that may wait.
const MOST_WAITING: usize = 16;

/// What a client does next; it says by itself what came of it.
type Work = Box<dyn FnOnce(Result<&mut Session, ToolError>) + Send>;

/// A handle of one client; when the last one is dropped the client ends.
#[derive(Debug)]
pub struct Worker {
    work: mpsc::Sender<Work>,
    limit: Duration,
    ended: watch::Receiver<()>,
    feed: Feed,
}

impl Worker {
    /// Starts a client; a call is given up after `limit`. `held` is dropped when the client and its
    /// browser are gone.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if there is no thread for it.
    pub fn start(shared: Arc<Shared>, limit: Duration, held: impl Send + 'static) -> Result<Arc<Self>, ToolError> {
        let (work, mut waiting) = mpsc::channel::<Work>(MOST_WAITING);
        let (alive, ended) = watch::channel(());
        let run = move || {
            // Dropped last: then the client and its browser are gone.
            let _alive = (held, alive);
            let mut client = None;
            while let Some(work) = waiting.blocking_recv() {
                let done = catch_unwind(AssertUnwindSafe(|| match &mut client {
                    Some(client) => work(Ok(client)),
                    none => match Session::new(Arc::clone(&shared)) {
                        Ok(made) => work(Ok(none.insert(made))),
                        Err(error) => work(Err(error)),
                    },
                }));
                if done.is_err() {
                    // Whatever state it was in, nobody should go on from there.
                    client = None;
                }
            }
        };
        let thread = std::thread::Builder::new().name("client".to_owned()).stack_size(16 << 20);
        thread.spawn(run).map_err(|error| ToolError::Internal(format!("no thread for a client: {error}")))?;
        Ok(Arc::new(Self { work, limit, ended, feed: Feed::default() }))
    }

    /// Waits until the client and its browser are gone.
    pub fn ended(&self) -> impl Future<Output = ()> + use<> {
        let mut ended = self.ended.clone();
        async move { while ended.changed().await.is_ok() {} }
    }

    /// Calls a tool.
    ///
    /// # Errors
    /// As [`Session::call`]; [`ToolError::Busy`], [`ToolError::TimedOut`] and [`ToolError::Held`].
    pub async fn call(&self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        match self.may_go().await {
            Go::On => self.told(tool, arguments, false).await,
            Go::Held => Err(ToolError::Held),
            Go::Ended => {
                Err(ToolError::NotThere { message: "the session was closed".to_owned(), hint: "open it again" })
            }
        }
    }

    /// Waits until a call may begin, at most for as long as one may take.
    pub(crate) async fn may_go(&self) -> Go {
        self.feed.may_go(self.limit).await
    }

    /// Calls a tool for somebody who looks on, also while the client is held.
    ///
    /// # Errors
    /// As [`Session::call`]; [`ToolError::Busy`] and [`ToolError::TimedOut`].
    pub(crate) async fn call_by_person(&self, tool: &str, arguments: Value) -> Result<Answer, ToolError> {
        self.told(tool, arguments, true).await
    }

    /// Returns what somebody sees who looks on.
    ///
    /// # Errors
    /// As [`Session::view`]; [`ToolError::Busy`] and [`ToolError::TimedOut`].
    pub(crate) async fn view(&self) -> Result<(View, Arc<[u8]>), ToolError> {
        self.with(Session::view).await
    }

    /// Returns what this client was told.
    pub(crate) fn feed(&self) -> &Feed {
        &self.feed
    }

    async fn told(&self, tool: &str, arguments: Value, by_person: bool) -> Result<Answer, ToolError> {
        let (began, name) = (Instant::now(), tool.to_owned());
        let (_under_way, is_shown) = (self.feed.begin(), self.feed.is_shown());
        let work = move |client: &mut Session| {
            let words = if arguments.is_null() || !is_shown { String::new() } else { arguments.to_string() };
            let answer = client.call(&name, arguments);
            // What was typed is known for a secret only now.
            let words = client.masked(words);
            let answer =
                if by_person { client.note_by_hand(&name, &words, answer) } else { client.told_by_hand(answer) };
            Ok((answer, words))
        };
        let done = self.with(work).await;
        let (answer, arguments) = done.unwrap_or_else(|error| (Err(error), String::new()));
        if !is_shown {
            return answer;
        }
        let text = match &answer {
            Ok(answer) => answer.text.clone(),
            Err(error) => format!("error: {}", error.told()),
        };
        self.feed.tell(Told {
            number: 0,
            tool: tool.to_owned(),
            arguments: escaped_line(&arguments).into_owned(),
            tokens: u64::from(Encoding::O200kBase.count(&text).0),
            text: escaped(&text).into_owned(),
            ms: began.elapsed().as_millis() as u64,
            is_error: answer.is_err(),
            by_person,
        });
        answer
    }

    /// Has something done in the client's thread, in its turn.
    async fn with<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Session) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (reply, done) = oneshot::channel();
        let work: Work = Box::new(move |client| {
            if !reply.is_closed() {
                drop(reply.send(client.and_then(work)));
            }
        });
        self.work.try_send(work).map_err(|error| match error {
            mpsc::error::TrySendError::Full(_) => ToolError::Busy,
            mpsc::error::TrySendError::Closed(_) => ToolError::Internal("the client ended".to_owned()),
        })?;
        match tokio::time::timeout(self.limit, done).await {
            Ok(Ok(done)) => done,
            Ok(Err(_)) => Err(ToolError::Internal("the call failed; the client begins anew".to_owned())),
            Err(_) => Err(ToolError::TimedOut(self.limit.as_secs())),
        }
    }
}
