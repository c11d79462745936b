//! HAR as an attachment: the requests of a recording whose pages come from elsewhere.
//!
//! In: a HAR 1.2 file. Out: [`Visit`]s: a document and the requests up to the next one. Invariants:
//! a visit belongs to the first step that shows its document; what no step shows goes with the step
//! after it, and the rest with the last; secrets are replaced like in any event.

use crate::error::ImportError;
use crate::json::text;
use crate::request::request_of;
use crate::scene::without_fragment;
use crate::script::json_file;
use browserlens_core::strategy::EventKind;
use chrono::DateTime;
use serde_json::Value;
use std::path::Path;

/// Most requests of one file.
const MOST_ENTRIES: usize = 200_000;

/// A document and what was asked for while it was shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Visit {
    /// URL of the document, without its fragment; empty before the first.
    pub(crate) url: String,
    /// Milliseconds since the first request, and the event.
    pub(crate) events: Vec<(u64, EventKind)>,
}

/// Reads a file.
pub(crate) fn read(path: &Path) -> Result<Vec<Visit>, ImportError> {
    visits(path, &json_file(path)?)
}

pub(crate) fn visits(path: &Path, file: &Value) -> Result<Vec<Visit>, ImportError> {
    let Some(entries) = file["log"]["entries"].as_array() else {
        return Err(ImportError::malformed(path, "the file", "it has no log.entries: it is no HAR"));
    };
    if entries.len() > MOST_ENTRIES {
        return Err(ImportError::too_large(path, "log.entries", "its length", MOST_ENTRIES as u64));
    }
    let time = |entry: &Value| {
        DateTime::parse_from_rfc3339(text(entry, "startedDateTime")).map_or(0, |time| time.timestamp_millis())
    };
    let mut sorted: Vec<(i64, &Value)> = entries.iter().map(|entry| (time(entry), entry)).collect();
    sorted.sort_by_key(|(time, _)| *time);
    let first = sorted.first().map_or(0, |(time, _)| *time);
    let mut visits = vec![Visit::default()];
    for (number, (time, entry)) in sorted.into_iter().enumerate() {
        let event = request_of(entry, number as u32 + 1, &|_| None);
        let is_document = event.resource_type == "Document" && (200..300).contains(&event.status);
        if is_document {
            visits.push(Visit { url: without_fragment(&event.url).to_owned(), events: Vec::new() });
        }
        if let Some(visit) = visits.last_mut() {
            visit.events.push(((time - first).max(0) as u64, EventKind::Request(Box::new(event))));
        }
    }
    visits.retain(|visit| !visit.events.is_empty());
    Ok(visits)
}

/// Takes the events of a step that shows a URL; all that are left if it is the last.
pub(crate) fn taken(visits: &mut Vec<Visit>, url: &str, is_last: bool) -> Vec<(u64, EventKind)> {
    let shown = visits.iter().position(|visit| !visit.url.is_empty() && visit.url == without_fragment(url));
    let end = if is_last { visits.len() } else { shown.map_or(0, |at| at + 1) };
    visits.drain(..end).flat_map(|visit| visit.events).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn entry(at: &str, url: &str, mime: &str) -> Value {
        json!({ "startedDateTime": at, "time": 5,
            "request": { "method": "GET", "url": url, "headers": [{ "name": "Cookie", "value": "a=b" }] },
            "response": { "status": 200, "headers": [], "content": { "mimeType": mime, "size": 2, "text": "{}" } } })
    }

    #[test]
    fn requests_go_with_the_step_that_shows_their_document() {
        let file = json!({ "log": { "entries": [
            entry("2024-01-01T00:00:02Z", "http://a.test/api", "application/json"),
            entry("2024-01-01T00:00:01Z", "http://a.test/#x", "text/html"),
            entry("2024-01-01T00:00:03Z", "http://a.test/b", "text/html; charset=utf-8"),
            entry("2024-01-01T00:00:04Z", "http://a.test/never", "text/html"),
        ] } });
        let mut visits = visits(Path::new("a.har"), &file).expect("reads");
        let urls = |events: Vec<(u64, EventKind)>| -> Vec<(u64, String)> {
            let url = |kind| match kind {
                EventKind::Request(request) => request.url,
                _ => String::new(),
            };
            events.into_iter().map(|(at, kind)| (at, url(kind))).collect()
        };
        let is = |at: u64, url: &str| (at, url.to_owned());
        assert_eq!(
            urls(taken(&mut visits, "http://a.test/", false)),
            [is(0, "http://a.test/#x"), is(1000, "http://a.test/api")]
        );
        assert_eq!(urls(taken(&mut visits, "http://a.test/", false)), []);
        assert_eq!(
            urls(taken(&mut visits, "http://a.test/b", true)),
            [is(2000, "http://a.test/b"), is(3000, "http://a.test/never")]
        );
    }

    #[test]
    fn what_is_no_har_says_so() {
        assert!(visits(Path::new("a.har"), &json!({ "log": {} })).expect_err("none").to_string().contains("no HAR"));
        assert!(visits(Path::new("a.har"), &json!({ "log": { "entries": [null, 3, {}] } })).is_ok());
    }
}
