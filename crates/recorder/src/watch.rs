//! What the one who looks on is told: what the listener in a page says, and what the browser does.
//!
//! In: protocol events (the event loop sends them here, in order). Out: [`Signal`]s. Invariant: only the
//! listener's own world can speak; its name and that of its binding are made anew for each
//! recording, and no page's world has the binding.

use crate::follow::LIMITS;
use crate::messages::ScriptParsed;
use browserlens_core::sync::locked;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::Mutex;
use tokio::sync::mpsc;

/// Longest text that the listener sends: the value of a field is cut at 10,000 characters.
const MOST_PAYLOAD: usize = 200_000;

/// One thing that happened, in order.
#[derive(Clone, Debug)]
pub(crate) enum Signal {
    /// The listener of a document told of an event.
    Said { session: String, context: i64, payload: String },
    /// The scripts on whose stack the untrusted event was sent that was told before, the listener's
    /// own left out.
    Stack { session: String, context: i64, scripts: Vec<String> },
    /// A frame is about to navigate; `by_page` if a script, a link or a form asked for it.
    Navigating { session: String, frame: String, by_page: bool, kind: String, url: String },
    /// A frame has a new document.
    Committed { session: String, frame: String, url: String },
    /// A frame has moved within its document.
    Within { session: String, frame: String, url: String },
    /// All that was told before this was told.
    Mark,
    /// A tab was opened, by the one whose target is said, if any.
    TabOpened { tab: u32, opener: String },
    /// A tab was closed.
    TabClosed { tab: u32 },
    /// A dialog blocks a tab.
    DialogOpened { tab: u32 },
    /// A dialog was answered.
    DialogClosed { tab: u32, accepted: bool, typed: String },
}

/// The listener's names, and where its words go.
pub(crate) struct Watch {
    pub(crate) world: String,
    pub(crate) binding: String,
    signals: mpsc::UnboundedSender<Signal>,
    /// Scripts by session and id, as far as the debugger told of them.
    scripts: Mutex<HashMap<(String, String), ScriptParsed>>,
}

impl Watch {
    pub(crate) fn new(mark: &str) -> (Self, mpsc::UnboundedReceiver<Signal>) {
        let (signals, received) = mpsc::unbounded_channel();
        let (world, binding) = (format!("browserlens-{mark}"), format!("say{mark}"));
        (Self { world, binding, signals, scripts: Mutex::default() }, received)
    }

    pub(crate) fn tell(&self, signal: Signal) {
        if matches!(&signal, Signal::Said { payload, .. } if payload.len() > MOST_PAYLOAD) {
            return;
        }
        drop(self.signals.send(signal));
    }

    pub(crate) fn learn(&self, session: String, script: ScriptParsed) {
        locked(&self.scripts).insert((session, script.script_id.clone()), script);
    }

    pub(crate) fn script(&self, session: &str, id: &str) -> Option<ScriptParsed> {
        locked(&self.scripts).get(&(session.to_owned(), id.to_owned())).cloned()
    }

    /// Forgets the scripts: they are asked for anew.
    pub(crate) fn forget(&self) {
        locked(&self.scripts).clear();
    }

    /// Returns the calls that put the listener into every document of a session, before the
    /// documents' own scripts run.
    pub(crate) fn calls(&self) -> Vec<(&'static str, Value)> {
        let limits = LIMITS.map(|limit| limit.to_string()).join(", ");
        let source = include_str!("script/watch.js").replace("__SAY__", &self.binding).replace("__LIMITS__", &limits);
        let script = json!({ "source": source, "worldName": self.world, "runImmediately": true });
        vec![
            ("Runtime.addBinding", json!({ "name": self.binding, "executionContextName": self.world })),
            ("Page.addScriptToEvaluateOnNewDocument", script),
        ]
    }
}
