//! What happens beside the page: console, requests, dialogs, tabs, downloads.
//!
//! In: CDP events as recorded or live. Out: one typed [`Event`] each, and the [`EventFilter`] that
//! queries take, so that a trace can let SQLite filter. Invariant: order is the order of arrival;
//! text is as the page gave it (redacted).

use crate::named;
use serde::{Deserialize, Serialize};

/// One event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Position in the recording, counted from 0 over all kinds.
    pub position: u64,
    /// The step during which it arrived.
    pub step: u32,
    /// Tab it belongs to, counted from 0.
    pub tab: u32,
    /// Page time since the recording began, in milliseconds.
    pub at_ms: u64,
    /// What happened.
    pub kind: EventKind,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EventKind {
    /// A console message, an uncaught exception or a message of the browser's log.
    Console(ConsoleMessage),
    /// A request, with its response as far as it came.
    Request(Box<RequestEvent>),
    /// A dialog of the browser.
    Dialog(DialogEvent),
    /// A tab was opened, closed or switched to.
    Tab(TabEvent),
    /// A download.
    Download(DownloadEvent),
}

impl EventKind {
    /// Returns the name of the kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Console(_) => "console",
            Self::Request(_) => "request",
            Self::Dialog(_) => "dialog",
            Self::Tab(_) => "tab",
            Self::Download(_) => "download",
        }
    }
}

/// A console message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConsoleMessage {
    /// `log`, `info`, `warning`, `error`, `debug`, `exception`, …; [`ConsoleMessage::NOTICE`] for a
    /// text that the page showed for a while.
    pub level: String,
    /// The text: arguments joined by blanks, objects as JSON previews.
    pub text: String,
    /// URL of the script, empty if unknown.
    #[serde(default)]
    pub url: String,
    /// Line, counted from 1; 0 if unknown.
    #[serde(default)]
    pub line: u32,
    /// Stack trace, one frame a line.
    #[serde(default)]
    pub stack: String,
}

impl ConsoleMessage {
    /// The level of a text that came and went on the page itself, such as a toast: nothing that a
    /// page logs has it.
    pub const NOTICE: &str = "notice";
}

/// A request and its response.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RequestEvent {
    /// Id in the recording.
    pub id: u32,
    /// Method.
    pub method: String,
    /// URL.
    pub url: String,
    /// CDP resource type: `Document`, `Fetch`, `XHR`, `Script`, …
    pub resource_type: String,
    /// Status; 0 if no response came.
    pub status: u16,
    /// MIME type of the response.
    pub mime_type: String,
    /// Request headers in the order sent.
    pub request_headers: Vec<(String, String)>,
    /// Response headers in the order received.
    pub response_headers: Vec<(String, String)>,
    /// Body of the request; none if there was none or it was over the limit.
    pub request_body: Option<String>,
    /// Body of the response as text; none if binary, absent or over the limit.
    pub response_body: Option<String>,
    /// Bytes of the response body.
    pub response_bytes: u64,
    /// Why it failed; empty if it did not.
    pub failure: String,
    /// Page time from request to end, in milliseconds.
    pub duration_ms: u64,
}

named! {
    /// What kind of dialog the browser showed.
    pub enum DialogKind {
        /// `alert`.
        Alert = "alert",
        /// `confirm`.
        Confirm = "confirm",
        /// `prompt`.
        Prompt = "prompt",
        /// `beforeunload`.
        BeforeUnload = "before_unload",
    }
}

/// A dialog of the browser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DialogEvent {
    /// Its kind.
    pub kind: DialogKind,
    /// Its message.
    pub message: String,
    /// Whether it was accepted; none while it is open.
    pub accepted: Option<bool>,
    /// Text that was typed into a prompt.
    #[serde(default)]
    pub typed: String,
}

/// A tab was opened, closed or switched to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TabEvent {
    /// `opened`, `closed` or `switched`.
    pub what: String,
    /// URL of the tab.
    pub url: String,
    /// Title of the tab.
    #[serde(default)]
    pub title: String,
}

/// A download.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DownloadEvent {
    /// URL.
    pub url: String,
    /// File name that the browser suggests.
    pub file_name: String,
    /// Bytes received.
    pub bytes: u64,
    /// `completed`, `canceled` or `in_progress`.
    pub state: String,
}

/// Which events a query wants; every field narrows. Comparisons of text ignore case where that is
/// said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventFilter {
    /// Kinds by name; empty wants all.
    pub kinds: Vec<String>,
    /// Steps from (inclusive).
    pub from_step: Option<u32>,
    /// Steps to (inclusive).
    pub to_step: Option<u32>,
    /// Console levels; empty wants all.
    pub levels: Vec<String>,
    /// Text that must occur in message or URL, ignoring case.
    pub contains: Option<String>,
    /// Only positions up to this one (inclusive).
    pub to_position: Option<u64>,
    /// Only of this tab.
    pub tab: Option<u32>,
    /// Only from this page time on, in milliseconds.
    pub since_ms: Option<u64>,
    /// Console levels that are not wanted; only console messages pass a filter that names some.
    pub without_levels: Vec<String>,
    /// Methods of requests, ignoring case; empty wants all.
    pub methods: Vec<String>,
    /// Statuses of requests as ranges (inclusive); empty wants all.
    pub statuses: Vec<(u16, u16)>,
    /// Resource types of requests, ignoring case; empty wants all.
    pub resource_types: Vec<String>,
    /// Text that must occur in the host (or port) of a request's URL, ignoring the case of ASCII.
    pub domain: Option<String>,
    /// Only requests that failed (by status or on the way), or only those that did not.
    pub failed: Option<bool>,
    /// Only requests that took at least so many milliseconds.
    pub min_duration_ms: Option<u64>,
    /// How much of a request is wanted.
    pub parts: RequestParts,
}

/// How much of a request a query wants; the rest is left empty and not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestParts {
    /// Everything, bodies included.
    #[default]
    Whole,
    /// All but bodies.
    Headers,
    /// Neither headers nor bodies.
    Line,
}

impl RequestParts {
    /// Returns a copy of an event with no more of a request than is wanted.
    pub fn of(self, event: &Event) -> Event {
        let kind = match &event.kind {
            EventKind::Request(request) if self != Self::Whole => EventKind::Request(Box::new(RequestEvent {
                request_headers: if self == Self::Headers { request.request_headers.clone() } else { Vec::new() },
                response_headers: if self == Self::Headers { request.response_headers.clone() } else { Vec::new() },
                method: request.method.clone(),
                url: request.url.clone(),
                resource_type: request.resource_type.clone(),
                mime_type: request.mime_type.clone(),
                failure: request.failure.clone(),
                request_body: None,
                response_body: None,
                ..**request
            })),
            kind => kind.clone(),
        };
        Event { kind, ..*event }
    }
}

/// How many events pass a filter, and where the last of them stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTally {
    /// How many.
    pub count: u64,
    /// Position of the last one; none if there is none.
    pub last: Option<u64>,
}

/// Which body of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodySide {
    /// What was sent.
    Request,
    /// What came back.
    Response,
}

/// The beginning of a body, and how long it is as a whole.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyHead {
    /// The first bytes, as many as were asked for.
    pub head: Vec<u8>,
    /// Bytes of the whole.
    pub bytes: u64,
}

/// Returns host and port of a URL as they stand there: what lies between `://` and the next slash;
/// empty where there is none.
pub fn host_of(url: &str) -> &str {
    let Some((_, rest)) = url.split_once("://") else { return "" };
    rest.split_once('/').map_or(rest, |(host, _)| host)
}

impl RequestEvent {
    /// Returns whether the request failed: no response came or ended, or its status is 400 or
    /// above.
    pub fn has_failed(&self) -> bool {
        self.status >= 400 || !self.failure.is_empty()
    }
}

impl EventKind {
    /// Returns the texts that a search looks at: message and URL.
    pub fn searched(&self) -> [&str; 2] {
        match self {
            Self::Console(message) => [&message.text, &message.url],
            Self::Request(request) => [&request.url, &request.failure],
            Self::Dialog(dialog) => [&dialog.message, &dialog.typed],
            Self::Tab(tab) => [&tab.url, &tab.title],
            Self::Download(download) => [&download.url, &download.file_name],
        }
    }
}

impl EventFilter {
    /// Returns whether an event passes; sources that cannot filter by other means ask this.
    pub fn passes(&self, event: &Event) -> bool {
        let place = self.from_step.is_none_or(|from| event.step >= from)
            && self.to_step.is_none_or(|to| event.step <= to)
            && self.to_position.is_none_or(|to| event.position <= to)
            && self.tab.is_none_or(|tab| event.tab == tab)
            && self.since_ms.is_none_or(|since| event.at_ms >= since);
        let kind = self.kinds.is_empty() || self.kinds.iter().any(|kind| kind == event.kind.name());
        place && kind && self.passes_console(&event.kind) && self.passes_request(&event.kind) && self.mentioned(event)
    }

    fn mentioned(&self, event: &Event) -> bool {
        self.contains.as_ref().is_none_or(|wanted| {
            let wanted = wanted.to_lowercase();
            event.kind.searched().iter().any(|text| text.to_lowercase().contains(&wanted))
        })
    }

    /// Returns whether the filter asks for something that only console messages have.
    pub fn is_about_console(&self) -> bool {
        !self.levels.is_empty() || !self.without_levels.is_empty()
    }

    /// Returns whether the filter asks for something that only requests have.
    pub fn is_about_requests(&self) -> bool {
        !self.methods.is_empty()
            || !self.statuses.is_empty()
            || !self.resource_types.is_empty()
            || self.domain.is_some()
            || self.failed.is_some()
            || self.min_duration_ms.is_some()
    }

    fn passes_console(&self, kind: &EventKind) -> bool {
        if !self.is_about_console() {
            return true;
        }
        let EventKind::Console(message) = kind else { return false };
        (self.levels.is_empty() || self.levels.contains(&message.level))
            && !self.without_levels.contains(&message.level)
    }

    fn passes_request(&self, kind: &EventKind) -> bool {
        if !self.is_about_requests() {
            return true;
        }
        let EventKind::Request(request) = kind else { return false };
        let one_of = |wanted: &[String], found: &str| {
            wanted.is_empty() || wanted.iter().any(|wanted| wanted.eq_ignore_ascii_case(found))
        };
        one_of(&self.methods, &request.method)
            && one_of(&self.resource_types, &request.resource_type)
            && (self.statuses.is_empty()
                || self.statuses.iter().any(|(from, to)| (*from..=*to).contains(&request.status)))
            && self.failed.is_none_or(|failed| request.has_failed() == failed)
            && self.min_duration_ms.is_none_or(|least| request.duration_ms >= least)
            && self
                .domain
                .as_ref()
                .is_none_or(|domain| host_of(&request.url).to_ascii_lowercase().contains(&domain.to_ascii_lowercase()))
    }
}
