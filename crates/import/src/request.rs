//! A request as HAR tells it: in HAR files, and in Playwright's traces.
//!
//! In: one entry. Out: a [`RequestEvent`]. Invariant: only bodies of text within a limit are taken.

use crate::json::{list, number, text};
use browserlens_core::strategy::RequestEvent;
use serde_json::Value;

/// Largest body that is kept.
pub(crate) const BODY_LIMIT: usize = 1 << 20;

/// Returns the request of one entry of a HAR file; `file` reads the bodies that lie beside it.
pub(crate) fn request_of(entry: &Value, id: u32, file: &dyn Fn(&str) -> Option<String>) -> RequestEvent {
    let (request, response) = (&entry["request"], &entry["response"]);
    let headers = |of: &Value| -> Vec<(String, String)> {
        let header = |header: &Value| (text(header, "name").to_owned(), text(header, "value").to_owned());
        list(of, "headers").iter().map(header).collect()
    };
    let mime = text(&response["content"], "mimeType").split(';').next().unwrap_or("").trim().to_owned();
    let read = |held: &Value| -> Option<String> {
        match held["_file"].as_str() {
            Some(name) => file(name),
            None => body_text(held).filter(|body| !body.is_empty() && body.len() <= BODY_LIMIT),
        }
    };
    let is_text =
        ["text/", "json", "xml", "javascript", "x-www-form-urlencoded"].iter().any(|kind| mime.contains(kind));
    let status = response["status"].as_i64().unwrap_or(0);
    RequestEvent {
        id,
        method: text(request, "method").to_owned(),
        url: text(request, "url").to_owned(),
        resource_type: resource_type(text(entry, "_resourceType"), &mime).to_owned(),
        status: u16::try_from(status).unwrap_or(0),
        request_headers: headers(request),
        response_headers: headers(response),
        request_body: read(&request["postData"]),
        response_body: if is_text { read(&response["content"]) } else { None },
        response_bytes: response["content"]["size"].as_u64().unwrap_or(0),
        failure: text(response, "_failureText").to_owned(),
        duration_ms: number(entry, "time").unwrap_or(0.0).max(0.0) as u64,
        mime_type: mime,
    }
}

/// Returns the text that HAR keeps in place; none if it is binary.
pub(crate) fn body_text(held: &Value) -> Option<String> {
    let body = held["text"].as_str()?;
    if held["encoding"] == "base64" {
        use base64::Engine;
        return String::from_utf8(base64::engine::general_purpose::STANDARD.decode(body).ok()?).ok();
    }
    Some(body.to_owned())
}

/// Names the type of a resource as the browser's protocol does; HAR often has the MIME type only.
pub(crate) fn resource_type(named: &str, mime: &str) -> &'static str {
    let known =
        ["Document", "Stylesheet", "Image", "Media", "Font", "Script", "XHR", "Fetch", "Ping", "Manifest", "WebSocket"];
    if let Some(found) = known.into_iter().find(|kind| kind.eq_ignore_ascii_case(named)) {
        return found;
    }
    match mime {
        "text/html" | "application/xhtml+xml" => "Document",
        "text/css" => "Stylesheet",
        mime if mime.contains("javascript") => "Script",
        mime if mime.starts_with("image/") => "Image",
        mime if mime.starts_with("font/") || mime.contains("font") => "Font",
        mime if mime.starts_with("video/") || mime.starts_with("audio/") => "Media",
        mime if mime.contains("json") => "Fetch",
        _ => "Other",
    }
}
