//! Answers the requests of a page from memory, while it is rendered.
//!
//! In: paused requests (the event loop sends them here). Out: what the scene answers, or a failure.
//! Invariants: nothing but GET is answered; what is answered carries a policy that lets no script
//! run.

use crate::socket::{RawEvent, Socket};
use base64::Engine;
use browserlens_core::sync::locked;
use serde::Deserialize;
use serde_json::json;
use std::sync::{Arc, Mutex};

/// What a URL answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RenderAnswer {
    /// Status.
    pub status: u16,
    /// Content type.
    pub mime: String,
    /// Where it leads, for a redirection.
    pub location: Option<String>,
    /// Body.
    pub body: Vec<u8>,
}

/// Answers the requests of one page.
pub trait RenderAnswers: Send + Sync {
    /// Returns what a URL, without its fragment, answers; none lets the request fail.
    fn answer(&self, url: &str) -> Option<RenderAnswer>;
}

/// What answers the requests of the page that is shown now.
#[derive(Default)]
pub(crate) struct Answering {
    pub(crate) answers: Mutex<Option<Arc<dyn RenderAnswers>>>,
    pub(crate) missed: Mutex<Vec<String>>,
}

impl Answering {
    /// Answers a paused request.
    pub(crate) fn request_paused(&self, socket: &Socket, event: &RawEvent) {
        let Some(paused) = event.read::<Paused>() else { return };
        let url = paused.request.url.split('#').next().unwrap_or("").to_owned();
        let answers = locked(&self.answers).clone();
        let found = answers.filter(|_| paused.request.method == "GET").and_then(|answers| answers.answer(&url));
        let Some(found) = found else {
            if !url.ends_with("/favicon.ico") {
                let mut missed = locked(&self.missed);
                if missed.len() < 1_000 {
                    missed.push(url);
                }
            }
            let params = json!({ "requestId": paused.id, "errorReason": "BlockedByClient" });
            drop(socket.send(event.session.as_deref(), "Fetch.failRequest", &params));
            return;
        };
        let mut headers = vec![
            json!({ "name": "Content-Type", "value": header_value(&found.mime) }),
            json!({ "name": "Content-Security-Policy", "value": "script-src 'none'; object-src 'none'" }),
            json!({ "name": "Access-Control-Allow-Origin", "value": "*" }),
            json!({ "name": "Cache-Control", "value": "no-store" }),
        ];
        if let Some(location) = &found.location {
            headers.push(json!({ "name": "Location", "value": header_value(location) }));
        }
        let params = json!({
            "requestId": paused.id,
            "responseCode": found.status.clamp(200, 599),
            "responseHeaders": headers,
            "body": base64::engine::general_purpose::STANDARD.encode(&found.body),
        });
        drop(socket.send(event.session.as_deref(), "Fetch.fulfillRequest", &params));
    }
}

/// What every session of a rendering browser is given before its page loads.
pub(crate) fn session_calls() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("Fetch.enable", json!({ "patterns": [{ "urlPattern": "*", "requestStage": "Request" }] })),
        ("Emulation.setScriptExecutionDisabled", json!({ "value": true })),
        ("Network.setCacheDisabled", json!({ "cacheDisabled": true })),
    ]
}

#[derive(Deserialize)]
struct Paused {
    #[serde(rename = "requestId")]
    id: String,
    request: PausedRequest,
}

#[derive(Deserialize)]
struct PausedRequest {
    url: String,
    #[serde(default)]
    method: String,
}

/// A header's value in one line.
fn header_value(value: &str) -> String {
    value.chars().filter(|c| !c.is_control()).collect()
}
