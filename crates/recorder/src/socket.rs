//! The recorder's own protocol session: raw JSON over one WebSocket, flat sessions.
//!
//! In: a method, its parameters and a session id. Out: the result as raw JSON text; events as they arrive, raw too.
//! Invariant: nothing is parsed that the caller does not parse, so a capture's time is the browser's and a field that a
//! newer browser renamed is never lost. Why beside chromiumoxide: its typed layer doubles the time of large answers.

use futures::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Largest message: a snapshot of 100,000 elements is some 100 MB.
const MAX_MESSAGE: usize = 1 << 30;

/// Longest that a call of the browser may take.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(60);

/// A call that failed.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum CallError {
    /// The connection is closed: Chromium ended.
    #[error("the connection to Chromium is closed")]
    Gone,
    /// Chromium refused.
    #[error("{message}")]
    Refused { message: String },
    /// No answer came in time.
    #[error("no answer within {0:?}")]
    TimedOut(Duration),
    /// A dialog of the browser blocks the page.
    #[error("a dialog is open")]
    Dialog,
    /// The page's process ended.
    #[error("{0}")]
    Crashed(String),
    /// The answer has not the expected form.
    #[error("the answer cannot be read: {0}")]
    Unreadable(String),
}

/// The result of a call, as raw JSON text.
#[derive(Debug)]
pub(crate) struct Reply(Box<RawValue>);

impl Reply {
    pub(crate) fn text(&self) -> &str {
        self.0.get()
    }

    pub(crate) fn read<'a, T: Deserialize<'a>>(&'a self) -> Result<T, CallError> {
        serde_json::from_str(self.0.get()).map_err(|error| CallError::Unreadable(error.to_string()))
    }

    pub(crate) fn value(&self) -> Value {
        self.read().unwrap_or(Value::Null)
    }
}

/// An event.
#[derive(Debug)]
pub(crate) struct RawEvent {
    /// Which event of the connection it is, counted from 1.
    pub(crate) serial: u64,
    pub(crate) session: Option<String>,
    pub(crate) method: String,
    pub(crate) params: Box<RawValue>,
}

impl RawEvent {
    pub(crate) fn read<'a, T: Deserialize<'a>>(&'a self) -> Option<T> {
        serde_json::from_str(self.params.get()).ok()
    }
}

#[derive(Deserialize)]
struct Incoming {
    id: Option<u64>,
    method: Option<String>,
    #[serde(rename = "sessionId")]
    session: Option<String>,
    params: Option<Box<RawValue>>,
    result: Option<Box<RawValue>>,
    error: Option<ErrorBody>,
}

#[derive(Deserialize)]
struct ErrorBody {
    message: String,
    #[serde(default)]
    data: Value,
}

type Answer = Result<Box<RawValue>, CallError>;
type Waiting = Arc<Mutex<HashMap<u64, Call>>>;

/// A call that waits for its answer.
struct Call {
    session: Option<String>,
    sender: oneshot::Sender<Answer>,
}

/// The connection; cheap to clone.
#[derive(Clone)]
pub(crate) struct Socket {
    outgoing: mpsc::UnboundedSender<String>,
    waiting: Waiting,
    next_id: Arc<AtomicU64>,
    closed: Arc<AtomicBool>,
    /// Serial of the last event that came.
    received: Arc<AtomicU64>,
}

pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // State behind these locks is plain data that stays valid if a holder panicked.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Socket {
    /// Connects; events go to the returned channel, which closes when Chromium ends.
    pub(crate) async fn connect(address: &str) -> Result<(Self, mpsc::UnboundedReceiver<RawEvent>), CallError> {
        let config = WebSocketConfig::default().max_message_size(Some(MAX_MESSAGE)).max_frame_size(Some(MAX_MESSAGE));
        let (stream, _) = tokio_tungstenite::connect_async_with_config(address, Some(config), true)
            .await
            .map_err(|error| CallError::Refused { message: error.to_string() })?;
        let (mut sink, mut stream) = stream.split();
        let (outgoing, mut to_send) = mpsc::unbounded_channel::<String>();
        let (events, received) = mpsc::unbounded_channel();
        let waiting: Waiting = Arc::default();
        let closed = Arc::new(AtomicBool::new(false));
        tokio::spawn(async move {
            while let Some(text) = to_send.recv().await {
                if sink.send(Message::text(text)).await.is_err() {
                    break;
                }
            }
        });
        let (answers, is_closed) = (Arc::clone(&waiting), Arc::clone(&closed));
        let count: Arc<AtomicU64> = Arc::default();
        let serials = Arc::clone(&count);
        tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                if let Message::Text(text) = message {
                    deliver(text.as_str(), &answers, &events, &serials);
                }
            }
            is_closed.store(true, Ordering::SeqCst);
            for (_, call) in locked(&answers).drain() {
                drop(call.sender.send(Err(CallError::Gone)));
            }
        });
        Ok((Self { outgoing, waiting, next_id: Arc::new(AtomicU64::new(1)), closed, received: count }, received))
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    /// Returns the serial of the last event that came: whoever has an answer has the serials of all events before it.
    pub(crate) fn received(&self) -> u64 {
        self.received.load(Ordering::SeqCst)
    }

    /// Sends a call; the answer is awaited with [`Pending::answer`], so that calls can be in flight together.
    pub(crate) fn send(&self, session: Option<&str>, method: &str, params: &Value) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let mut message = serde_json::json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = Value::from(session);
        }
        locked(&self.waiting).insert(id, Call { session: session.map(str::to_owned), sender });
        // The reader drains the waiting calls once, when it ends: a call registered after that has nobody to answer it.
        if (self.is_closed() || self.outgoing.send(message.to_string()).is_err())
            && let Some(call) = locked(&self.waiting).remove(&id)
        {
            drop(call.sender.send(Err(CallError::Gone)));
        }
        Pending { receiver }
    }

    /// Ends the calls of a session that is closed: the browser never answers them.
    pub(crate) fn end_session(&self, session: &str) {
        let ended: Vec<Call> = locked(&self.waiting)
            .extract_if(|_, call| call.session.as_deref() == Some(session))
            .map(|(_, call)| call)
            .collect();
        for call in ended {
            drop(call.sender.send(Err(CallError::Refused { message: "the page or frame is closed".to_owned() })));
        }
    }

    /// Calls and awaits the answer.
    pub(crate) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> Result<Reply, CallError> {
        self.send(session, method, params).answer(limit).await
    }
}

/// A call in flight.
pub(crate) struct Pending {
    receiver: oneshot::Receiver<Answer>,
}

impl Pending {
    /// A call whose answer was taken already.
    pub(crate) fn never() -> Self {
        Self { receiver: oneshot::channel().1 }
    }

    pub(crate) async fn answer(self, limit: Duration) -> Result<Reply, CallError> {
        match tokio::time::timeout(limit, self.receiver).await {
            Ok(Ok(answer)) => answer.map(Reply),
            Ok(Err(_)) => Err(CallError::Gone),
            Err(_) => Err(CallError::TimedOut(limit)),
        }
    }
}

fn deliver(text: &str, waiting: &Waiting, events: &mpsc::UnboundedSender<RawEvent>, received: &AtomicU64) {
    let Ok(message) = serde_json::from_str::<Incoming>(text) else { return };
    match (message.id, message.method) {
        (Some(id), _) => {
            let Some(Call { sender, .. }) = locked(waiting).remove(&id) else { return };
            let answer = match (message.result, message.error) {
                (Some(result), _) => Ok(result),
                (None, Some(error)) => {
                    let detail = error.data.as_str().map(|data| format!(" ({data})")).unwrap_or_default();
                    Err(CallError::Refused { message: format!("{}{detail}", error.message) })
                }
                (None, None) => Err(CallError::Unreadable("neither result nor error".to_owned())),
            };
            drop(sender.send(answer));
        }
        (None, Some(method)) => {
            if let Some(params) = message.params {
                let serial = received.fetch_add(1, Ordering::SeqCst) + 1;
                drop(events.send(RawEvent { serial, session: message.session, method, params }));
            }
        }
        (None, None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::net::TcpListener;

    #[tokio::test]
    async fn whoever_has_an_answer_knows_of_every_event_before_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = format!("ws://{}/", listener.local_addr().expect("is bound"));
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.expect("somebody connects");
            let mut browser = tokio_tungstenite::accept_async(stream).await.expect("a handshake");
            drop(browser.next().await);
            for text in [r#"{"method":"Network.one","params":{}}"#; 3] {
                browser.send(Message::text(text)).await.expect("sends");
            }
            browser.send(Message::text(r#"{"id":1,"result":{}}"#)).await.expect("sends");
        });
        let (socket, mut events) = Socket::connect(&address).await.expect("connects");
        let answer = socket.call(None, "Page.any", &serde_json::json!({}), Duration::from_secs(10)).await;
        assert!(answer.is_ok());
        assert_eq!(socket.received(), 3);
        for serial in 1..=3 {
            assert_eq!(events.recv().await.map(|event| event.serial), Some(serial));
        }
    }
}
