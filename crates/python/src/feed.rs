//! Hands what Python was told by the browser to the recorder, large answers from a thread of its
//! own.
//!
//! In: answers, refusals and events, as Playwright made them into objects, and pieces of work. Out:
//! the same to the recorder and the lens' thread. Invariants: in the order in which they came in,
//! whichever thread hands them in; what is waiting is handed in before work that was given up is
//! over. Why a thread: the next call of a synchronous page can be under way while a snapshot is
//! written as JSON, a millisecond of each look. Why not for everything: the thread needs Python's
//! lock, which may be held for long just then, and a small answer is written in less time than a
//! thread wakes up in.

use crate::json;
use browserlens_core::sync::locked;
use browserlens_recorder::CdpInbox;
use pyo3::prelude::*;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

/// Answers that are shorter are written at once, in bytes of JSON.
const SHORT: usize = 16 << 10;

/// What is handed in.
enum Item<J> {
    Long { id: u64, result: Py<PyAny> },
    Answer { id: u64, text: String },
    Refusal { id: u64, message: String },
    Event { session: String, method: String, text: String },
    Job(J),
}

/// How much waits for the thread.
#[derive(Default)]
struct Backlog {
    count: Mutex<usize>,
    empty: Condvar,
}

/// Where things are handed in.
struct Out<J> {
    inbox: CdpInbox,
    jobs: Sender<J>,
}

impl<J> Out<J> {
    /// Hands one thing in; returns false if nobody takes it any more.
    fn deliver(&self, item: Item<J>) -> bool {
        match item {
            Item::Long { id, result } => {
                let written = Python::try_attach(|py| {
                    let text = json::write(result.bind(py));
                    drop(result);
                    text.map_err(|error| error.to_string())
                });
                match written {
                    Some(Ok(text)) => self.inbox.answer(id, text),
                    Some(Err(message)) => self.inbox.refuse(id, &message),
                    None => return false,
                }
            }
            Item::Answer { id, text } => self.inbox.answer(id, text),
            Item::Refusal { id, message } => self.inbox.refuse(id, &message),
            Item::Event { session, method, text } => self.inbox.event(Some(&session), &method, text),
            Item::Job(job) => return self.jobs.send(job).is_ok(),
        }
        true
    }
}

/// The way of everything that comes in.
pub(crate) struct Feed<J> {
    out: Arc<Out<J>>,
    backlog: Arc<Backlog>,
    waiting: Sender<Item<J>>,
}

impl<J: Send + 'static> Feed<J> {
    pub(crate) fn new(inbox: CdpInbox, jobs: Sender<J>) -> std::io::Result<Self> {
        let (waiting, items) = channel();
        let (out, backlog) = (Arc::new(Out { inbox, jobs }), Arc::<Backlog>::default());
        let theirs = (Arc::clone(&out), Arc::clone(&backlog));
        std::thread::Builder::new()
            .name("browserlens-feed".to_owned())
            .spawn(move || run(&theirs.0, &theirs.1, &items))?;
        Ok(Self { out, backlog, waiting })
    }

    /// Hands an answer in.
    pub(crate) fn answer(&self, id: u64, result: &Bound<'_, PyAny>) -> PyResult<()> {
        let item = match json::write_within(result, SHORT)? {
            Some(text) => Item::Answer { id, text },
            None => Item::Long { id, result: result.clone().unbind() },
        };
        result.py().detach(|| self.put(item));
        Ok(())
    }

    /// Says that a call failed.
    pub(crate) fn refuse(&self, py: Python<'_>, id: u64, message: &str) {
        py.detach(|| self.put(Item::Refusal { id, message: message.to_owned() }));
    }

    /// Hands an event in.
    pub(crate) fn event(&self, session: &str, method: &str, params: &Bound<'_, PyAny>) -> PyResult<()> {
        let text = json::write(params)?;
        let item = Item::Event { session: session.to_owned(), method: method.to_owned(), text };
        params.py().detach(|| self.put(item));
        Ok(())
    }

    /// Hands a piece of work to the lens' thread; returns false if that has ended.
    pub(crate) fn job(&self, py: Python<'_>, job: J) -> bool {
        py.detach(|| self.put(Item::Job(job)))
    }

    /// Waits until nothing waits, at most so long.
    pub(crate) fn settle(&self, limit: Duration) {
        let count = locked(&self.backlog.count);
        drop(self.backlog.empty.wait_timeout_while(count, limit, |count| *count > 0));
    }

    fn put(&self, item: Item<J>) -> bool {
        let mut count = locked(&self.backlog.count);
        if *count == 0 && !matches!(item, Item::Long { .. }) {
            return self.out.deliver(item);
        }
        let is_taken = self.waiting.send(item).is_ok();
        if is_taken {
            *count += 1;
        }
        is_taken
    }
}

fn run<J>(out: &Out<J>, backlog: &Backlog, items: &Receiver<Item<J>>) {
    while let Ok(item) = items.recv() {
        // A panic is a mistake of ours; whoever waits for what comes after must not wait for ever.
        let delivered = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| out.deliver(item)));
        let mut count = locked(&backlog.count);
        *count -= 1;
        if *count == 0 {
            backlog.empty.notify_all();
        }
        drop(count);
        if !matches!(delivered, Ok(true)) {
            out.inbox.close();
        }
    }
}
