//! The clients of one process that somebody may look at.
//!
//! In: clients as they come, and what who looks on asks. Out: how they stand, what they were told, a
//! view of a page. Invariants: looking on keeps no client alive, and changes nothing that one knows;
//! only what is done by hand, or held, is noticed.

use crate::feed::Told;
use crate::sessions::{Reply, Request, said};
use crate::worker::Worker;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use browserlens_core::page::text::escaped_line;
use browserlens_session::ToolError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// How a client stands, for who looks on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watched {
    /// Tells it from another of its name, before or after it.
    pub id: String,
    /// Its name: of a session, or how the client came (`stdio`, `mcp-2`).
    pub name: String,
    /// What was opened first.
    pub source: String,
    /// Whether it is a browser.
    pub is_live: bool,
    /// Calls so far.
    pub calls: u64,
    /// Tokens that were told so far.
    pub tokens: u64,
    /// Whether it is held.
    pub is_held: bool,
    /// Whether a call is under way.
    pub is_busy: bool,
    /// What was told behind the last that is known, the oldest first.
    pub told: Vec<Told>,
}

/// The clients of a process.
#[derive(Debug, Default)]
pub struct Desk {
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    clients: BTreeMap<String, One>,
    came: u64,
}

#[derive(Debug)]
struct One {
    number: u64,
    source: String,
    is_live: bool,
    worker: Weak<Worker>,
}

impl Seen {
    fn add(&mut self, name: String, source: &str, is_live: bool, worker: &Arc<Worker>) -> u64 {
        self.came += 1;
        worker.feed().show();
        let (source, worker) = (escaped_line(source).into_owned(), Arc::downgrade(worker));
        self.clients.insert(name, One { number: self.came, source, is_live, worker });
        self.came
    }
}

impl Desk {
    /// Returns who is there still.
    fn seen(&self) -> MutexGuard<'_, Seen> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.clients.retain(|_, one| one.worker.strong_count() > 0);
        seen
    }

    /// Lets a client be looked at under a name, in the place of one that had it; returns its number,
    /// which tells it from that one.
    pub(crate) fn come(&self, name: &str, source: &str, is_live: bool, worker: &Arc<Worker>) -> u64 {
        self.seen().add(name.to_owned(), source, is_live, worker)
    }

    /// The same, under the first name of a kind that is free: `stdio`, `stdio-2`.
    pub(crate) fn come_as(&self, kind: &str, source: &str, is_live: bool, worker: &Arc<Worker>) {
        let mut seen = self.seen();
        let mut names = std::iter::once(kind.to_owned()).chain((2_u64..).map(|number| format!("{kind}-{number}")));
        let free = names.find(|name| !seen.clients.contains_key(name)).unwrap_or_default();
        seen.add(free, source, is_live, worker);
    }

    fn worker(&self, name: &str) -> Result<Arc<Worker>, Reply> {
        let found = self.seen().clients.get(name).and_then(|one| one.worker.upgrade());
        found.ok_or_else(|| Reply::error("no_session", format!("{name:?} is not there"), "look again which are"))
    }

    fn all(&self, behind: &BTreeMap<String, u64>) -> Vec<Watched> {
        let watched = |(name, one): (&String, &One)| {
            let (worker, id) = (one.worker.upgrade()?, format!("{name}#{}", one.number));
            let feed = worker.feed();
            feed.looked_on();
            let (calls, tokens) = feed.counts();
            Some(Watched {
                told: feed.behind(behind.get(&id).copied().unwrap_or_default()),
                name: name.clone(),
                source: one.source.clone(),
                is_live: one.is_live,
                is_held: feed.is_held(),
                is_busy: feed.is_busy(),
                id,
                calls,
                tokens,
            })
        };
        self.seen().clients.iter().filter_map(watched).collect()
    }

    /// Answers who looks on; what is asked of sessions is not asked here.
    pub(crate) async fn answer(&self, request: Request) -> Reply {
        let unwritten = |error: serde_json::Error| ToolError::Internal(error.to_string());
        let done = async {
            Ok(match request {
                Request::Watch { behind } => Reply::text(serde_json::to_string(&self.all(&behind)).map_err(unwritten)?),
                Request::View { session } => {
                    let (view, png) = self.worker(&session)?.view().await?;
                    let text = serde_json::to_string(&view).map_err(unwritten)?;
                    Reply::Answer { text, images: vec![STANDARD.encode(png)], is_undone: false }
                }
                Request::Hold { session, on } => {
                    self.worker(&session)?.feed().hold(on);
                    Reply::text(if on { "held\n" } else { "goes on\n" })
                }
                Request::Step { session, tool, arguments } => {
                    let worker = self.worker(&session)?;
                    if !worker.feed().is_held() {
                        return Err(Reply::error("not_held", "the agent is at work", "pause it first"));
                    }
                    said(worker.call_by_person(&tool, arguments).await)
                }
                _ => Reply::error("arguments", "these clients can only be looked at", "sessions are those of `page`"),
            })
        };
        done.await.unwrap_or_else(|refused: Reply| refused)
    }
}
