//! Export of requests as HAR 1.2, for the viewers that browsers and proxies bring along.
//!
//! In: a source, the time that its page time counts from. Out: one JSON object, written as rows are
//! read. Invariants: memory holds one chunk; a body over the limit is left out, and a comment says
//! so; what is not known is written as the specification says (-1, or empty); texts are those of
//! the recording, and the log's comment says how many characters in them nobody sees.
//!
//! Source: "HTTP Archive (HAR) format", version 1.2, by Jan Odvarko.

use crate::body::unseen_in;
use crate::cursor::UnixMillis;
use crate::error::InspectError;
use crate::limits::Limits;
use crate::pages;
use browserlens_core::strategy::{BodySide, Event, EventFilter, EventKind, PageSource, RequestParts};
use chrono::{DateTime, SecondsFormat};
use serde_json::{Value, json};
use std::io::Write;

/// Writes all requests as one HAR log; `began` is when page time was 0. Returns how many entries it
/// has.
///
/// # Errors
/// [`InspectError`] if the source fails or nothing can be written.
pub fn write(
    source: &mut dyn PageSource,
    began: UnixMillis,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, InspectError> {
    let creator = json!({ "name": "browserlens", "version": env!("CARGO_PKG_VERSION") });
    write!(out, "{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"pages\":[],\"entries\":[")?;
    let filter =
        EventFilter { kinds: vec!["request".to_owned()], parts: RequestParts::Headers, ..EventFilter::default() };
    let (mut written, mut unseen) = (0, 0);
    pages::each(source, &filter, None, |source, events| {
        for event in &events {
            if let Some(entry) = entry(source, event, began, limits)? {
                out.write_all(if written > 0 { b",\n" } else { b"\n" })?;
                serde_json::to_writer(&mut *out, &entry)?;
                unseen += unseen_in(&entry);
                written += 1;
            }
        }
        Ok(())
    })?;
    out.write_all(b"\n]")?;
    if unseen > 0 {
        write!(out, ",\"comment\":\"unseen characters: {unseen}\"")?;
    }
    out.write_all(b"}}\n")?;
    out.flush()?;
    Ok(written)
}

fn time(began: UnixMillis, at_ms: u64) -> String {
    let millis = i64::try_from(began.0.saturating_add(at_ms)).unwrap_or(i64::MAX);
    DateTime::from_timestamp_millis(millis)
        .map_or_else(|| "1970-01-01T00:00:00.000Z".to_owned(), |time| time.to_rfc3339_opts(SecondsFormat::Millis, true))
}

fn entry(
    source: &mut dyn PageSource,
    event: &Event,
    began: UnixMillis,
    limits: &Limits,
) -> Result<Option<Value>, InspectError> {
    let EventKind::Request(request) = &event.kind else { return Ok(None) };
    let mut body = |side| -> Result<(Option<String>, u64), InspectError> {
        let found = source.body(event.position, side, limits.max_har_body_size)?;
        Ok(found.map_or((None, 0), |found| {
            let whole = found.head.len() as u64 == found.bytes;
            (whole.then(|| String::from_utf8(found.head).ok()).flatten(), found.bytes)
        }))
    };
    let (sent, sent_bytes) = body(BodySide::Request)?;
    let (came, kept_bytes) = body(BodySide::Response)?;
    let mut asked = json!({
        "method": request.method,
        "url": request.url,
        "httpVersion": "",
        "cookies": [],
        "headers": pairs(&request.request_headers),
        "queryString": query(&request.url),
        "headersSize": -1,
        "bodySize": sent_bytes,
    });
    if sent_bytes > 0 {
        let mime = header(&request.request_headers, "content-type").unwrap_or_default();
        asked["postData"] = json!({ "mimeType": mime, "params": [], "text": sent.clone().unwrap_or_default() });
        if sent.is_none() {
            asked["postData"]["comment"] = format!("{sent_bytes} bytes, not exported").into();
        }
    }
    let bytes = request.response_bytes.max(kept_bytes);
    let mime = if request.mime_type.is_empty() { "x-unknown" } else { &request.mime_type };
    let mut content = json!({ "size": bytes, "mimeType": mime });
    match came {
        Some(text) => content["text"] = text.into(),
        None if bytes > 0 => content["comment"] = format!("{bytes} bytes, not exported").into(),
        None => {}
    }
    let mut response = json!({
        "status": request.status,
        "statusText": "",
        "httpVersion": "",
        "cookies": [],
        "headers": pairs(&request.response_headers),
        "content": content,
        "redirectURL": header(&request.response_headers, "location").unwrap_or_default(),
        "headersSize": -1,
        "bodySize": -1,
    });
    if !request.failure.is_empty() {
        response["comment"] = request.failure.clone().into();
    }
    Ok(Some(json!({
        "startedDateTime": time(began, event.at_ms),
        "time": request.duration_ms,
        "request": asked,
        "response": response,
        "cache": {},
        "timings": { "send": 0, "wait": request.duration_ms, "receive": 0 },
        "_resourceType": request.resource_type.to_lowercase(),
    })))
}

fn pairs(headers: &[(String, String)]) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn header<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

fn query(url: &str) -> Vec<Value> {
    let Some((_, query)) = url.split_once('?') else { return Vec::new() };
    let query = query.split('#').next().unwrap_or_default();
    let pairs = url::form_urlencoded::parse(query.as_bytes());
    pairs.map(|(name, value)| json!({ "name": name, "value": value })).collect()
}
