//! What happens beside the page: console, requests, dialogs, tabs, downloads.
//!
//! In: CDP events as recorded or live. Out: one typed [`Event`] each, and the [`EventFilter`] that queries take, so
//! that a trace can let SQLite filter. Invariant: order is the order of arrival; text is as the page gave it (redacted).

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
    /// `log`, `info`, `warning`, `error`, `debug`, `exception`, …
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

/// What kind of dialog the browser showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DialogKind {
    /// `alert`.
    Alert,
    /// `confirm`.
    Confirm,
    /// `prompt`.
    Prompt,
    /// `beforeunload`.
    BeforeUnload,
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

/// Which events a query wants; every field narrows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Only requests with at least this status.
    pub min_status: Option<u16>,
}
