//! The way to the browser's protocol: a WebSocket of our own, or a session that somebody else
//! holds, such as Playwright's.
//!
//! In: calls. Out: their answers and events, put into a [`CdpInbox`] as they come. Invariants:
//! every capture and every action goes through a [`CdpTransport`], whichever it is, so that pages
//! are read in one way only; answers of unknown calls change nothing. Why no call that returns its
//! answer: many calls are under way at once, and who carries them may be a script with one thread.

use crate::call::{Answer, CallError, RawEvent, Waiting};
use browserlens_core::sync::locked;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::mpsc;

/// A call of the browser's protocol.
#[derive(Clone, Debug, PartialEq)]
pub struct CdpCall {
    /// Number that its answer bears.
    pub id: u64,
    /// Session that it is for; none for the browser itself.
    pub session: Option<String>,
    /// Method, such as `Page.getFrameTree`.
    pub method: String,
    /// Its parameters, an object.
    pub params: Value,
}

/// Carries calls to a browser; what it says comes back through the [`CdpInbox`].
pub trait CdpTransport: Send + Sync {
    /// Takes a call, without waiting for its answer; returns false if the connection is closed. It must not wait
    /// for anything that needs the browser's state: that is locked meanwhile.
    fn send(&self, call: CdpCall) -> bool;
}

/// Where a transport puts what the browser says; clones share one connection.
#[derive(Clone)]
pub struct CdpInbox {
    pub(crate) waiting: Arc<Mutex<Waiting>>,
    /// Its receiver ends when nobody holds this any more.
    events: Option<mpsc::UnboundedSender<RawEvent>>,
    /// Serial of the last event that came.
    pub(crate) received: Arc<AtomicU64>,
    pub(crate) closed: Arc<AtomicBool>,
}

browserlens_core::opaque_debug!(self: CdpInbox { received: self.received, closed: self.closed });

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

impl CdpInbox {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<RawEvent>) {
        let (events, receiver) = mpsc::unbounded_channel();
        (
            Self { waiting: Arc::default(), events: Some(events), received: Arc::default(), closed: Arc::default() },
            receiver,
        )
    }

    /// The same connection, for who only calls.
    pub(crate) fn without_events(&self) -> Self {
        Self { events: None, ..self.clone() }
    }

    /// Takes the result of a call, as JSON text.
    pub fn answer(&self, id: u64, result: String) {
        let result = RawValue::from_string(result).map_err(|error| CallError::Unreadable(error.to_string()));
        self.take(id, result);
    }

    /// Takes the browser's refusal of a call.
    pub fn refuse(&self, id: u64, message: &str) {
        self.take(id, Err(CallError::Refused { message: message.to_owned() }));
    }

    /// Refuses every call that waits for its answer.
    pub fn refuse_all(&self, message: &str) {
        for call in locked(&self.waiting).take(|_| true) {
            call.end(Err(CallError::Refused { message: message.to_owned() }));
        }
    }

    /// Takes an event of a session, with its parameters as JSON text; what is no JSON is passed
    /// over.
    pub fn event(&self, session: Option<&str>, method: &str, params: String) {
        if let Ok(params) = RawValue::from_string(params) {
            self.tell(session.map(str::to_owned), method.to_owned(), params);
        }
    }

    /// Ends every call: the connection is closed.
    pub fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        for call in locked(&self.waiting).take(|_| true) {
            call.end(Err(CallError::Gone));
        }
    }

    fn take(&self, id: u64, answer: Answer) {
        if let Some(call) = locked(&self.waiting).remove(id) {
            call.end(answer);
        }
    }

    fn tell(&self, session: Option<String>, method: String, params: Box<RawValue>) {
        let serial = self.received.fetch_add(1, Ordering::SeqCst) + 1;
        if let Some(events) = &self.events {
            drop(events.send(RawEvent { serial, session, method, params }));
        }
    }

    /// Takes a message as the protocol writes it.
    pub(crate) fn deliver(&self, text: &str) {
        let Ok(message) = serde_json::from_str::<Incoming>(text) else { return };
        match (message.id, message.method, message.params) {
            (Some(id), ..) => {
                let answer = match (message.result, message.error) {
                    (Some(result), _) => Ok(result),
                    (None, Some(error)) => {
                        let detail = error.data.as_str().map(|data| format!(" ({data})")).unwrap_or_default();
                        Err(CallError::Refused { message: format!("{}{detail}", error.message) })
                    }
                    (None, None) => Err(CallError::Unreadable("neither result nor error".to_owned())),
                };
                self.take(id, answer);
            }
            (None, Some(method), Some(params)) => self.tell(message.session, method, params),
            _ => {}
        }
    }
}
