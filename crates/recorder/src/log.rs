//! The events of a recording as they arrive: console, requests, dialogs, tabs, downloads.
//!
//! In: entries with the page time of their arrival. Out: [`Event`]s of a step. Invariants: a
//! request is given out once, when it has ended (or the recording has, or it is a `fetch` with an
//! answer that nobody reads); of requests that arrive at one page time the order is by what they
//! are, because the network decides which comes first; everything else keeps its order of arrival.
//! Headers as really sent and received come apart from their request, in any order: of one id the
//! n-th belong to its n-th redirect.

use browserlens_core::strategy::{DialogEvent, DownloadEvent, Event, EventKind, RequestEvent};
use std::cmp::Ordering;
use std::collections::HashMap;

#[derive(Clone, Debug)]
struct Entry {
    /// Number among all entries.
    serial: u64,
    tab: u32,
    at_ms: u64,
    kind: EventKind,
    /// Protocol's id of a request or download that has not ended.
    open_request: Option<String>,
}

/// Collects events until a step takes them.
#[derive(Debug, Default)]
pub(crate) struct EventLog {
    entries: Vec<Entry>,
    pushed: u64,
    /// Requests by the protocol's id, with their redirects.
    chains: HashMap<String, Chain>,
    /// Dialogs that a step took while they were open, by tab.
    given_dialog: HashMap<u32, DialogEvent>,
    given: u64,
    requests_given: u32,
}

type HeaderList = Vec<(String, String)>;

/// A request and what it was redirected to: all go by one id.
#[derive(Clone, Debug, Default)]
struct Chain {
    /// Serials of its entries.
    legs: Vec<u64>,
    sent: Vec<HeaderList>,
    received: Vec<HeaderList>,
    /// How many legs were announced to have such headers.
    announced: usize,
}

/// Which headers an event tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Sent,
    Received,
}

impl EventLog {
    fn add(&mut self, tab: u32, at_ms: u64, kind: EventKind, open_request: Option<String>) -> u64 {
        let serial = self.pushed;
        self.pushed += 1;
        self.entries.push(Entry { serial, tab, at_ms, kind, open_request });
        serial
    }

    pub(crate) fn push(&mut self, tab: u32, at_ms: u64, kind: EventKind) {
        self.add(tab, at_ms, kind, None);
    }

    pub(crate) fn open_request(&mut self, id: &str, tab: u32, at_ms: u64, request: RequestEvent) {
        let serial = self.add(tab, at_ms, EventKind::Request(Box::new(request)), Some(id.to_owned()));
        let chain = self.chains.entry(id.to_owned()).or_default();
        chain.legs.push(serial);
        let leg = chain.legs.len() - 1;
        self.set_headers(id, leg);
    }

    /// Takes headers as they really were.
    pub(crate) fn headers(&mut self, id: &str, direction: Direction, headers: HeaderList) {
        let chain = self.chains.entry(id.to_owned()).or_default();
        let list = if direction == Direction::Sent { &mut chain.sent } else { &mut chain.received };
        list.push(headers);
        let leg = list.len() - 1;
        self.set_headers(id, leg);
    }

    fn set_headers(&mut self, id: &str, leg: usize) {
        let Some(chain) = self.chains.get(id) else { return };
        let Some(serial) = chain.legs.get(leg) else { return };
        let entry = self.entries.iter_mut().rev().find(|entry| entry.serial == *serial);
        if let Some(Entry { kind: EventKind::Request(request), .. }) = entry {
            if let Some(sent) = chain.sent.get(leg) {
                request.request_headers.clone_from(sent);
            }
            if let Some(received) = chain.received.get(leg) {
                request.response_headers.clone_from(received);
            }
        }
    }

    /// Returns the request or download of an id that has not ended.
    fn open(&mut self, id: &str) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|entry| entry.open_request.as_deref() == Some(id))
    }

    /// Says that headers as they really were will come for one leg more.
    pub(crate) fn announce_headers(&mut self, id: &str) {
        self.chains.entry(id.to_owned()).or_default().announced += 1;
    }

    /// Returns whether announced headers have not come.
    pub(crate) fn awaits_headers(&self) -> bool {
        self.chains.values().any(|chain| chain.announced > chain.sent.len().min(chain.received.len()))
    }

    /// Changes the open request of an id.
    pub(crate) fn with_request(&mut self, id: &str, change: impl FnOnce(&mut RequestEvent)) {
        if let Some(Entry { kind: EventKind::Request(request), .. }) = self.open(id) {
            change(request);
        }
    }

    pub(crate) fn close_request(&mut self, id: &str, at_ms: u64) {
        if let Some(entry) = self.open(id) {
            entry.open_request = None;
            if let EventKind::Request(request) = &mut entry.kind {
                request.duration_ms = at_ms.saturating_sub(entry.at_ms);
            }
        }
    }

    /// Tells how the dialog that was opened last in a tab was answered: in its own entry, or in a
    /// new one if a step took that.
    pub(crate) fn close_dialog(&mut self, tab: u32, at_ms: u64, accepted: bool, typed: &str) {
        let answer = |dialog: &mut DialogEvent| {
            dialog.accepted = Some(accepted);
            typed.clone_into(&mut dialog.typed);
        };
        let given = self.given_dialog.remove(&tab);
        let open = self.entries.iter_mut().rev().find_map(|entry| match &mut entry.kind {
            EventKind::Dialog(dialog) if entry.tab == tab && dialog.accepted.is_none() => Some(dialog),
            _ => None,
        });
        if let Some(dialog) = open {
            answer(dialog);
        } else if let Some(mut dialog) = given {
            answer(&mut dialog);
            self.push(tab, at_ms, EventKind::Dialog(dialog));
        }
    }

    pub(crate) fn push_download(&mut self, guid: &str, tab: u32, at_ms: u64, download: DownloadEvent) {
        self.add(tab, at_ms, EventKind::Download(download), Some(guid.to_owned()));
    }

    pub(crate) fn download_progress(&mut self, guid: &str, bytes: u64, state: &str) {
        let Some(entry) = self.open(guid) else { return };
        let EventKind::Download(download) = &mut entry.kind else { return };
        download.bytes = bytes;
        if state != "inProgress" {
            state.clone_into(&mut download.state);
            entry.open_request = None;
        }
    }

    /// Gives the tab events that have no address yet the one that the tab has now.
    pub(crate) fn name_tabs(&mut self, name: impl Fn(u32) -> String) {
        for entry in &mut self.entries {
            if let EventKind::Tab(event) = &mut entry.kind
                && (event.url.is_empty() || event.url == "about:blank")
            {
                event.url = name(entry.tab);
            }
        }
    }

    /// Takes the events of a step; `all` also those of requests without an end. `order` sorts what
    /// the network mixed.
    pub(crate) fn take(&mut self, step: u32, all: bool, order: bool) -> Vec<Event> {
        let stays = |entry: &Entry| entry.open_request.is_some() && !all && !is_answered_fetch(&entry.kind);
        let mut taken: Vec<Entry> = self.entries.extract_if(.., |entry| !stays(entry)).collect();
        if order {
            taken.sort_by(by_moment);
        }
        taken
            .into_iter()
            .map(|mut entry| {
                if let EventKind::Dialog(dialog) = &entry.kind
                    && dialog.accepted.is_none()
                {
                    self.given_dialog.insert(entry.tab, dialog.clone());
                }
                if let EventKind::Request(request) = &mut entry.kind {
                    self.requests_given += 1;
                    request.id = self.requests_given;
                }
                let position = self.given;
                self.given += 1;
                Event { position, step, tab: entry.tab, at_ms: entry.at_ms, kind: entry.kind }
            })
            .collect()
    }
}

/// The body of a `fetch` that nobody reads never ends; what there is to tell of it is there.
fn is_answered_fetch(kind: &EventKind) -> bool {
    matches!(kind, EventKind::Request(request) if request.resource_type == "Fetch" && request.status > 0)
}

/// Requests of one page time come first, by what they are; all others compare equal, and the sort
/// is stable.
fn by_moment(a: &Entry, b: &Entry) -> Ordering {
    a.at_ms.cmp(&b.at_ms).then_with(|| match (&a.kind, &b.kind) {
        (EventKind::Request(one), EventKind::Request(other)) => {
            let key = |request: &RequestEvent| (request.url.clone(), request.method.clone(), request.status);
            let what = |request: &RequestEvent| (request.request_headers.clone(), request.request_body.clone());
            key(one).cmp(&key(other)).then_with(|| what(one).cmp(&what(other)))
        }
        (EventKind::Request(_), _) => Ordering::Less,
        (_, EventKind::Request(_)) => Ordering::Greater,
        _ => Ordering::Equal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::strategy::ConsoleMessage;

    fn console(text: &str) -> EventKind {
        EventKind::Console(ConsoleMessage { text: text.to_owned(), ..ConsoleMessage::default() })
    }

    fn request(url: &str) -> RequestEvent {
        RequestEvent { url: url.to_owned(), ..RequestEvent::default() }
    }

    fn said(events: &[Event]) -> Vec<String> {
        let text = |event: &Event| match &event.kind {
            EventKind::Console(message) => message.text.clone(),
            EventKind::Request(request) => request.url.clone(),
            _ => String::new(),
        };
        events.iter().map(text).collect()
    }

    #[test]
    fn requests_of_one_moment_are_ordered_by_url_and_console_keeps_its_order() {
        let mut log = EventLog::default();
        log.push(0, 5, console("z"));
        log.push(0, 5, console("a"));
        for url in ["/b", "/a"] {
            log.open_request(url, 0, 5, request(url));
            log.close_request(url, 5);
        }
        log.push(0, 4, console("first"));
        assert_eq!(said(&log.take(1, false, true)), ["first", "/a", "/b", "z", "a"]);
    }

    #[test]
    fn headers_find_their_redirect_in_whatever_order_they_come() {
        let list = |name: &str| vec![(name.to_owned(), String::new())];
        let mut log = EventLog::default();
        log.headers("1", Direction::Sent, list("first"));
        log.open_request("1", 0, 0, request("/a"));
        log.headers("1", Direction::Received, list("moved"));
        log.headers("1", Direction::Sent, list("second"));
        log.announce_headers("1");
        log.close_request("1", 0);
        log.open_request("1", 0, 0, request("/b"));
        log.announce_headers("1");
        assert!(log.awaits_headers());
        log.headers("1", Direction::Received, list("there"));
        assert!(!log.awaits_headers());
        log.close_request("1", 0);
        let headers: Vec<(String, String)> = log
            .take(0, false, true)
            .into_iter()
            .filter_map(|event| match event.kind {
                EventKind::Request(request) => {
                    Some((request.request_headers[0].0.clone(), request.response_headers[0].0.clone()))
                }
                _ => None,
            })
            .collect();
        assert_eq!(headers, [("first".into(), "moved".into()), ("second".into(), "there".into())]);
    }

    #[test]
    fn a_request_is_given_out_once_it_has_ended_and_positions_go_on() {
        let mut log = EventLog::default();
        log.open_request("1", 0, 1, request("/slow"));
        log.push(0, 2, console("x"));
        assert_eq!(said(&log.take(0, false, true)), ["x"]);
        log.with_request("1", |request| request.status = 200);
        log.close_request("1", 9);
        let events = log.take(1, false, true);
        assert_eq!(said(&events), ["/slow"]);
        assert_eq!((events[0].position, events[0].step), (1, 1));
        let EventKind::Request(request) = &events[0].kind else { panic!("a request") };
        assert_eq!((request.status, request.duration_ms, request.id), (200, 8, 1));
    }
}
