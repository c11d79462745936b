//! What the one who looks on is told: what the listener in a page says, and what the browser does.
//!
//! In: protocol events (the pump sends them here, in order). Out: [`Signal`]s. Invariant: only the listener's own world can speak; its
//! name and that of its binding are made anew for each recording, and no page's world has the binding.

use crate::follow::describe::{Described, limits};
use crate::messages::ScriptParsed;
use crate::socket::locked;
use browserlens_page::NodeKey;
use serde::Deserialize;
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
    Said {
        session: String,
        context: i64,
        payload: String,
    },
    /// The scripts on whose stack the untrusted event was sent that was told before, the listener's own left out.
    Stack {
        session: String,
        context: i64,
        scripts: Vec<String>,
    },
    /// A frame is about to navigate; `by_page` if a script, a link or a form asked for it.
    Navigating {
        session: String,
        frame: String,
        by_page: bool,
        kind: String,
        url: String,
    },
    /// A frame has a new document.
    Committed {
        session: String,
        frame: String,
    },
    TabOpened {
        tab: u32,
        opener: String,
    },
    TabClosed {
        tab: u32,
    },
    DialogOpened {
        tab: u32,
    },
    DialogClosed {
        tab: u32,
        accepted: bool,
        typed: String,
    },
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
        (
            Self {
                world: format!("browserlens-{mark}"),
                binding: format!("say{mark}"),
                signals,
                scripts: Mutex::default(),
            },
            received,
        )
    }

    pub(crate) fn tell(&self, signal: Signal) {
        if matches!(&signal, Signal::Said { payload, .. } if payload.len() > MOST_PAYLOAD) {
            return;
        }
        drop(self.signals.send(signal));
    }

    pub(crate) fn learn(&self, session: String, script: ScriptParsed) {
        locked(&self.scripts).insert((session, script.id.clone()), script);
    }

    pub(crate) fn script(&self, session: &str, id: &str) -> Option<ScriptParsed> {
        locked(&self.scripts).get(&(session.to_owned(), id.to_owned())).cloned()
    }

    /// Forgets the scripts: they are asked for anew.
    pub(crate) fn forget(&self) {
        locked(&self.scripts).clear();
    }

    /// Returns the calls that put the listener into every document of a session, before the documents' own scripts run.
    pub(crate) fn calls(&self) -> Vec<(&'static str, Value)> {
        let limits = limits().map(|limit| limit.to_string()).join(", ");
        let source =
            include_str!("../script/watch.js").replace("__SAY__", &self.binding).replace("__LIMITS__", &limits);
        vec![
            ("Runtime.addBinding", json!({ "name": self.binding, "executionContextName": self.world })),
            (
                "Page.addScriptToEvaluateOnNewDocument",
                json!({ "source": source, "worldName": self.world, "runImmediately": true }),
            ),
        ]
    }
}

/// What the listener says of one event.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Said {
    #[serde(rename = "s")]
    pub(crate) serial: u64,
    #[serde(rename = "k")]
    pub(crate) kind: String,
    #[serde(default, rename = "n")]
    pub(crate) place: Option<Told>,
    /// Where a drag ended.
    #[serde(default)]
    pub(crate) to: Option<Told>,
    /// The event in whose task it came.
    #[serde(default)]
    pub(crate) by: u64,
    #[serde(default, rename = "v")]
    pub(crate) value: String,
    /// Kind of the field.
    #[serde(default, rename = "c")]
    pub(crate) control: String,
    #[serde(default, rename = "sec")]
    pub(crate) secret: bool,
    #[serde(default, rename = "u")]
    pub(crate) untrusted: bool,
    #[serde(default)]
    pub(crate) follows: bool,
    #[serde(default)]
    pub(crate) detail: u32,
    #[serde(default)]
    pub(crate) at: Option<(f32, f32)>,
}

/// An element as the listener tells it: by its number in the last capture, or held until the next.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct Told {
    #[serde(default)]
    pub(crate) tag: String,
    /// Epoch and ordinal.
    #[serde(default, rename = "n")]
    pub(crate) number: Option<(u32, u32)>,
    #[serde(default, rename = "h")]
    pub(crate) held: Option<u64>,
    /// The nearest element around it that has a number.
    #[serde(default)]
    pub(crate) near: Option<(u32, u32)>,
    /// What it was and where it stood, if it has no number.
    #[serde(default, rename = "d")]
    pub(crate) described: Option<Described>,
}

/// An element of a document, as far as it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) session: String,
    /// Execution context of the listener: one document's.
    pub(crate) context: i64,
    pub(crate) tag: String,
    pub(crate) key: Option<NodeKey>,
    pub(crate) held: Option<u64>,
    pub(crate) near: Option<NodeKey>,
    pub(crate) described: Option<Described>,
}

impl Spot {
    /// Returns whether both are one element.
    pub(crate) fn is(&self, other: &Self) -> bool {
        (self.key.is_some() && self.key == other.key)
            || (self.held.is_some()
                && (&self.session, self.context, self.held) == (&other.session, other.context, other.held))
    }
}
