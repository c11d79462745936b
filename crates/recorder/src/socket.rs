//! The recorder's own protocol session: raw JSON over one WebSocket, or over a transport that is
//! given; flat sessions.
//!
//! In: a method, its parameters and a session id. Out: the result as raw JSON text; events as they
//! arrive, raw too. Invariant: nothing is parsed that the caller does not parse, so a capture's
//! time is the browser's and a field that a newer browser renamed is never lost. Why beside
//! chromiumoxide: its typed layer doubles the time of large answers.

pub(crate) use crate::call::{CallError, RawEvent, Reply};

use crate::call::{Answer, Call};
use crate::wire::{CdpCall, CdpInbox, CdpTransport};
use browserlens_core::sync::locked;
use futures::{SinkExt, StreamExt};
use serde_json::Value;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Largest message: a snapshot of 100,000 elements is some 100 MB.
const MAX_MESSAGE: usize = 1 << 30;

/// Longest that a call of the browser may take.
pub(crate) const CALL_LIMIT: Duration = Duration::from_secs(60);

/// The connection; cheap to clone.
#[derive(Clone)]
pub(crate) struct Socket {
    transport: Arc<dyn CdpTransport>,
    inbox: CdpInbox,
    next_id: Arc<AtomicU64>,
}

/// A WebSocket of our own: the writer's end.
struct WebSocket(mpsc::UnboundedSender<String>);

impl CdpTransport for WebSocket {
    fn send(&self, call: CdpCall) -> bool {
        let mut message = serde_json::json!({ "id": call.id, "method": call.method, "params": call.params });
        if let Some(session) = call.session {
            message["sessionId"] = Value::from(session);
        }
        self.0.send(message.to_string()).is_ok()
    }
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
        let (inbox, received) = CdpInbox::new();
        tokio::spawn(async move {
            while let Some(text) = to_send.recv().await {
                if sink.send(Message::text(text)).await.is_err() {
                    break;
                }
            }
        });
        let told = inbox.clone();
        // The events end with the reader: only it and those who have the inbox of a transport hold
        // their channel.
        let inbox = inbox.without_events();
        tokio::spawn(async move {
            while let Some(Ok(message)) = stream.next().await {
                if let Message::Text(text) = message {
                    told.deliver(text.as_str());
                }
            }
            told.close();
        });
        Ok((Self::over(Arc::new(WebSocket(outgoing)), inbox), received))
    }

    /// Speaks through a transport, which puts what it hears into the inbox.
    pub(crate) fn over(transport: Arc<dyn CdpTransport>, inbox: CdpInbox) -> Self {
        Self { transport, inbox, next_id: Arc::new(AtomicU64::new(1)) }
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.inbox.closed.load(Ordering::SeqCst)
    }

    /// Returns the serial of the last event that came: whoever has an answer has the serials of all
    /// events before it.
    pub(crate) fn received(&self) -> u64 {
        self.inbox.received.load(Ordering::SeqCst)
    }

    /// Sends a call; the answer is awaited with [`Pending::answer`], so that calls can be in flight
    /// together.
    pub(crate) fn send(&self, session: Option<&str>, method: &str, params: &Value) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, receiver) = oneshot::channel();
        let session = session.map(str::to_owned);
        locked(&self.inbox.waiting).insert(id, Call { session: session.clone(), sender });
        let call = CdpCall { id, session, method: method.to_owned(), params: params.clone() };
        // The reader drains the waiting calls once, when it ends: a call registered after that has
        // nobody to answer it.
        if (self.is_closed() || !self.transport.send(call))
            && let Some(call) = locked(&self.inbox.waiting).remove(id)
        {
            call.end(Err(CallError::Gone));
        }
        Pending { receiver }
    }

    /// Returns for how long at least one call was under way since it was connected.
    pub(crate) fn waited(&self) -> Duration {
        locked(&self.inbox.waiting).spent()
    }

    /// Ends the calls of a session that is closed: the browser never answers them.
    pub(crate) fn end_session(&self, session: &str) {
        let ended = locked(&self.inbox.waiting).take(|call| call.session.as_deref() == Some(session));
        for call in ended {
            call.end(Err(CallError::Refused { message: "the page or frame is closed".to_owned() }));
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
    pub(crate) async fn answer(self, limit: Duration) -> Result<Reply, CallError> {
        match tokio::time::timeout(limit, self.receiver).await {
            Ok(Ok(answer)) => answer.map(Reply),
            Ok(Err(_)) => Err(CallError::Gone),
            Err(_) => Err(CallError::TimedOut(limit)),
        }
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
        let waited = socket.waited();
        assert!(!waited.is_zero());
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(socket.waited(), waited, "nothing is under way any more");
        for serial in 1..=3 {
            assert_eq!(events.recv().await.map(|event| event.serial), Some(serial));
        }
    }
}
