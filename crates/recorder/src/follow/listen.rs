//! Asks at once what only a document that is still there can tell: who sent an event by script, and
//! where in its history a tab stands.
//!
//! In: signals, as the event loop tells them. Out: [`Heard`], in the same order. Invariants: it never
//! waits for a capture, which takes longer than an agent needs to leave a document; untrusted
//! events come out only if [`Judge`] lets them pass.

use super::describe::without_fragment;
use super::early::Early;
use super::judge::Judge;
use super::signal::ListenerMessage;
use crate::browser_state::BrowserState;
use crate::socket::Socket;
use crate::watch::Signal;
use serde::Deserialize;
use serde_json::json;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// The browser itself answers, whatever its pages do.
const LIMIT: Duration = Duration::from_secs(5);

/// How often, and how far apart, a page is asked that cannot tell.
const TRIES: u32 = 50;
const PAUSE: Duration = Duration::from_millis(10);

/// Who acts twice in so short a time will not wait for a capture.
pub(super) const HURRY: Duration = Duration::from_secs(4);
/// How long after an early look an element that is new takes another one.
const LATELY: Duration = Duration::from_millis(150);

/// What was heard, with what was asked about it.
#[derive(Debug)]
pub(super) enum Heard {
    /// Something was done to an element.
    Said { session: String, context: i64, said: Box<ListenerMessage> },
    /// A document of an agent in a hurry is looked at.
    Early(Early),
    /// A tab goes through its history.
    Way { session: String, frame: String, forward: bool },
    /// Anything else.
    Signal(Signal),
}

/// A tab's history, as `Page.getNavigationHistory` tells it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct History {
    current_index: usize,
    entries: Vec<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
struct Entry {
    id: i64,
    url: String,
}

impl Entry {
    fn shows(&self, url: &str) -> bool {
        without_fragment(&self.url) == without_fragment(url)
    }
}

impl History {
    /// Returns the position of the entry that a navigation to a URL (or none) leads to: the current
    /// one, unless the tab has gone on since; then the nearest of that URL. Only what has come to
    /// its end can be the entry on which the tab was known to stand.
    fn to(&self, url: &str, from: Option<usize>, ended: bool) -> usize {
        let at = self.current_index;
        if url.is_empty() || self.entries.get(at).is_some_and(|entry| entry.shows(url)) {
            return at;
        }
        let near = from.unwrap_or(at);
        let those =
            self.entries.iter().enumerate().filter(|(index, entry)| (ended || *index != near) && entry.shows(url));
        those.map(|(index, _)| index).min_by_key(|index| index.abs_diff(near)).unwrap_or(at)
    }
}

/// Stands between the event loop and the recorder.
pub(super) struct Listener {
    socket: Socket,
    browser: Arc<BrowserState>,
    judge: Judge,
    /// The entry of its history on which each tab stands, by session.
    stood: HashMap<String, Entry>,
    /// When the last two things were done.
    done: [Option<Instant>; 2],
    /// When a session was last looked at early.
    looked: HashMap<String, Instant>,
    out: mpsc::UnboundedSender<(Instant, Heard)>,
}

impl Listener {
    /// Starts to listen, and tells with everything when it came; ends when nobody hears any more.
    pub(super) fn start(
        socket: Socket,
        browser: Arc<BrowserState>,
        signals: mpsc::UnboundedReceiver<Signal>,
    ) -> mpsc::UnboundedReceiver<(Instant, Heard)> {
        let (out, heard) = mpsc::unbounded_channel();
        let (judge, stood, looked) = (Judge::default(), HashMap::new(), HashMap::new());
        let listener = Self { socket, browser, judge, stood, done: [None; 2], looked, out };
        tokio::spawn(listener.run(signals));
        heard
    }

    async fn run(mut self, mut signals: mpsc::UnboundedReceiver<Signal>) {
        loop {
            let signal = tokio::select! {
                () = self.out.closed() => return,
                signal = signals.recv() => signal,
            };
            let Some(signal) = signal else { return };
            let now = Instant::now();
            if let Some(early) = self.hurry(&signal, now) {
                drop(self.out.send((now, Heard::Early(early))));
            }
            if let Some(heard) = self.hear(signal).await
                && self.out.send((now, heard)).is_err()
            {
                return;
            }
        }
    }

    /// Looks at a document at once, if whoever acts there does not pause: when it can be acted on,
    /// and when something is done to what no capture has.
    fn hurry(&mut self, signal: &Signal, now: Instant) -> Option<Early> {
        let Signal::Said { session, payload, .. } = signal else { return None };
        let said: ListenerMessage = serde_json::from_str(payload).ok()?;
        let is_ready = said.kind == "ready";
        if !matches!(said.kind.as_str(), "ready" | "aim" | "held" | "reached") && !said.follows {
            self.done = [self.done[1], Some(now)];
        }
        let unseen = said.place.is_some_and(|place| place.number.is_none());
        let lately = self.looked.get(session).is_some_and(|looked| now - *looked < LATELY);
        let may_be_new = unseen && !lately;
        let wanted = match self.done {
            [Some(before), Some(last)] => last - before < HURRY && now - last < HURRY && (is_ready || may_be_new),
            // What is done first is done before any capture, by one who does not wait for the page
            // to come to rest.
            _ => may_be_new,
        };
        if !wanted {
            return None;
        }
        self.looked.insert(session.clone(), now);
        Early::begin(&self.socket, &self.browser, session, now)
    }

    async fn hear(&mut self, signal: Signal) -> Option<Heard> {
        match signal {
            Signal::Said { session, context, payload } => {
                let said: ListenerMessage = serde_json::from_str(&payload).ok()?;
                if said.untrusted {
                    self.judge.wait(session, context, said);
                    return None;
                }
                Some(Heard::Said { session, context, said: said.into() })
            }
            Signal::Stack { session, context, scripts } => {
                let said = self.judge.judge(&self.socket, &self.browser, &session, context, &scripts).await?;
                Some(Heard::Said { session, context, said: said.into() })
            }
            Signal::Navigating { session, frame, by_page: false, kind, url }
                if kind.starts_with("history") && self.is_main(&session, &frame) =>
            {
                let forward = self.stand(&session, &url, false).await;
                Some(Heard::Way { session, frame, forward })
            }
            Signal::Committed { ref session, ref frame, ref url } => {
                self.judge.forget(session);
                if self.is_main(session, frame) {
                    self.stand(session, url, true).await;
                }
                Some(Heard::Signal(signal))
            }
            Signal::Within { session, frame, url } => {
                if self.is_main(&session, &frame) {
                    self.stand(&session, &url, true).await;
                }
                None
            }
            Signal::TabOpened { tab, .. } => {
                let session = self.browser.read().tab(tab).map(|tab| tab.session.clone());
                if let Some(session) = session {
                    self.stand(&session, "", true).await;
                }
                Some(Heard::Signal(signal))
            }
            other => Some(Heard::Signal(other)),
        }
    }

    fn is_main(&self, session: &str, frame: &str) -> bool {
        self.browser.read().tab_of_main(session, frame).is_some()
    }

    /// Notes where a tab stands after a navigation to a URL, which has ended or begins; returns
    /// whether that is behind where it stood in its history.
    async fn stand(&mut self, session: &str, url: &str, ended: bool) -> bool {
        let stood = self.stood.get(session);
        let Some(history) = self.history(session).await else {
            // Not known is better than where it stood once.
            if !(ended && stood.is_some_and(|entry| entry.shows(url))) {
                self.stood.remove(session);
            }
            return false;
        };
        let from = stood.and_then(|stood| history.entries.iter().position(|entry| entry.id == stood.id));
        let to = history.to(url, from, ended);
        if let Some(entry) = history.entries.get(to) {
            self.stood.insert(session.to_owned(), entry.clone());
        }
        from.is_some_and(|from| to > from)
    }

    /// Asks for a tab's history; a page that is just being exchanged for another cannot tell, and
    /// is asked again.
    async fn history(&self, session: &str) -> Option<History> {
        for _ in 0..TRIES {
            let reply = self.socket.call(Some(session), "Page.getNavigationHistory", &json!({}), LIMIT).await;
            if let Ok(reply) = reply {
                return reply.read().ok();
            }
            if self.browser.read().gone {
                return None;
            }
            tokio::time::sleep(PAUSE).await;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(current_index: usize, urls: &[&str]) -> History {
        let entries = urls.iter().zip(10..).map(|(url, id)| Entry { id, url: (*url).to_owned() }).collect();
        History { current_index, entries }
    }

    #[test]
    fn a_way_leads_to_the_current_entry_unless_the_tab_has_gone_on() {
        assert_eq!(history(1, &["a", "b", "c"]).to("b", Some(0), false), 1);
        assert_eq!(history(1, &["a", "b#here", "c"]).to("b#there", Some(0), false), 1);
        // From b back to a and at once forward again: asked too late, it stands on b.
        assert_eq!(history(1, &["a", "b", "a"]).to("a", Some(1), false), 0);
        assert_eq!(history(0, &["a", "b", "c"]).to("c", Some(1), false), 2);
        assert_eq!(history(0, &["a", "b"]).to("elsewhere", None, false), 0);
        // It was known that it would stand on a, and it came there.
        assert_eq!(history(1, &["a", "b"]).to("a", Some(0), true), 0);
    }
}
