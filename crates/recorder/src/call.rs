//! Calls, answers and events of the protocol, as every transport carries them.
//!
//! In: raw JSON. Out: [`Reply`], [`RawEvent`], [`CallError`]. Invariant: nothing is parsed before
//! it is asked for.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_json::value::RawValue;
use std::collections::HashMap;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;

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
pub(crate) struct Reply(pub(crate) Box<RawValue>);

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

    /// Reads one of its parameters. The others are not looked into: a page may have put half a character there.
    pub(crate) fn part<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        let parts: HashMap<&str, &RawValue> = self.read()?;
        serde_json::from_str(parts.get(name)?.get()).ok()
    }
}

pub(crate) type Answer = Result<Box<RawValue>, CallError>;

/// A call that waits for its answer.
pub(crate) struct Call {
    pub(crate) session: Option<String>,
    pub(crate) sender: oneshot::Sender<Answer>,
}

/// The calls of a connection that wait for their answers, and for how long there were any.
#[derive(Default)]
pub(crate) struct Waiting {
    calls: HashMap<u64, Call>,
    /// Since when there have been any, and for how long there were any before.
    since: Option<Instant>,
    before: Duration,
}

impl Waiting {
    pub(crate) fn insert(&mut self, id: u64, call: Call) {
        self.since.get_or_insert_with(Instant::now);
        self.calls.insert(id, call);
    }

    pub(crate) fn remove(&mut self, id: u64) -> Option<Call> {
        let call = self.calls.remove(&id);
        self.count();
        call
    }

    /// Takes the calls that are meant.
    pub(crate) fn take(&mut self, is_meant: impl Fn(&Call) -> bool) -> Vec<Call> {
        let taken = self.calls.extract_if(|_, call| is_meant(call)).map(|(_, call)| call).collect();
        self.count();
        taken
    }

    /// For how long at least one call was under way.
    pub(crate) fn spent(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }

    fn count(&mut self) {
        if self.calls.is_empty()
            && let Some(since) = self.since.take()
        {
            self.before += since.elapsed();
        }
    }
}

impl Call {
    pub(crate) fn end(self, answer: Answer) {
        drop(self.sender.send(answer));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_an_event_is_read_whatever_a_page_put_into_the_others() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let params = format!(r#"{{"frame": {{"id": "F", "name": "\ud800"}}, "args": {deep}, "odd": "\ud800"}}"#);
        let params = RawValue::from_string(params).expect("JSON");
        let event = RawEvent { serial: 1, session: None, method: "Page.frameNavigated".to_owned(), params };
        #[derive(Debug, PartialEq, Deserialize)]
        struct Frame {
            id: String,
        }
        assert_eq!(event.part("frame"), Some(Frame { id: "F".to_owned() }));
        assert_eq!((event.part::<String>("odd"), event.part::<Frame>("none")), (None, None));
        let params = RawValue::from_string("[]".to_owned()).expect("JSON");
        assert_eq!(RawEvent { params, ..event }.part::<Frame>("frame"), None);
    }
}
