//! Requests: which are in flight, and what the log tells of them.
//!
//! In: `Network` events of every session. Out: entries of the event log with headers as really
//! sent, and bodies that are text and within the limit. Invariant: a request counts as in flight
//! until its end, however often it is redirected; streams that never end by nature do not count.

use crate::browser_state::{Flight, State};
use crate::event_loop::EventLoop;
use crate::habits;
use crate::log::Direction;
use crate::messages as m;
use crate::socket::{CALL_LIMIT, RawEvent};
use base64::Engine;
use browserlens_core::strategy::RequestEvent;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// Longest body that is kept, in bytes.
pub(crate) const BODY_LIMIT: usize = 64 << 10;

impl EventLoop {
    pub(crate) fn network(&self, state: &mut State, session: &str, event: &RawEvent, name: &str) -> Option<()> {
        match name {
            "requestWillBeSent" => self.will_be_sent(state, session, event.read()?),
            "webSocketFrameSent" => state.tab_in(session)?.said = Some(Instant::now()),
            "webSocketFrameReceived" => state.tab_in(session)?.heard = Some(Instant::now()),
            "responseReceived" => {
                let m::ResponseReceived { request_id: id, kind, response, has_extra_info } = event.read()?;
                // Whether the page still reads the body is known from the page itself.
                stir_by(state, &id);
                if let Some(flight) = state.in_flight.get_mut(&id) {
                    flight.answered |= kind == "Fetch";
                }
                if has_extra_info {
                    state.log.announce_headers(&id);
                }
                state.log.with_request(&id, |request| fill_response(request, response));
                state.stir();
            }
            _ => self.request_went_on(state, session, event.read()?, name),
        }
        Some(())
    }

    fn request_went_on(&self, state: &mut State, session: &str, event: m::RequestEvent, name: &str) {
        let id = event.request_id;
        match name {
            "requestWillBeSentExtraInfo" => state.log.headers(&id, Direction::Sent, event.headers.0),
            "responseReceivedExtraInfo" => state.log.headers(&id, Direction::Received, event.headers.0),
            "dataReceived" => {
                stir_by(state, &id);
                let more = event.data_length.max(0.0) as u64;
                state.log.with_request(&id, |request| request.response_bytes += more);
                return;
            }
            "loadingFinished" => {
                stir_by(state, &id);
                state.in_flight.remove(&id);
                self.finished(state, session, id);
            }
            "loadingFailed" => {
                stir_by(state, &id);
                state.in_flight.remove(&id);
                state.log.with_request(&id, |request| request.failure = event.error_text);
                let now = state.now();
                state.log.close_request(&id, now);
            }
            _ => return,
        }
        state.stir();
    }

    fn will_be_sent(&self, state: &mut State, session: &str, mut sent: m::RequestWillBeSent) {
        let (id, now) = (sent.request_id.clone(), state.now());
        let tab = state.tab_of(session).unwrap_or(0);
        let wants_body = sent.request.has_post_data && sent.request.post_data.is_none();
        if let Some(redirect) = sent.redirect_response.take() {
            if sent.redirect_has_extra_info {
                state.log.announce_headers(&id);
            }
            state.log.with_request(&id, |request| fill_response(request, redirect));
            state.log.close_request(&id, now);
        }
        if is_inline(&sent.request.url) {
            // Their content stands in the page; as requests they would only repeat it.
            return;
        }
        if !is_endless(&sent.kind) {
            let flight = flight(state, tab, &id, &sent);
            state.in_flight.insert(id.clone(), flight);
            stir_by(state, &id);
        }
        let request = RequestEvent {
            method: sent.request.method,
            // Without its fragment, which is never sent.
            url: sent.request.url,
            resource_type: sent.kind,
            request_headers: sent.request.headers.0,
            request_body: sent.request.post_data.filter(|body| body.len() <= BODY_LIMIT),
            ..RequestEvent::default()
        };
        state.log.open_request(&id, tab, now, request);
        state.stir();
        if wants_body {
            state.bodies_pending += 1;
            let pending = self.socket.send(Some(session), "Network.getRequestPostData", &json!({ "requestId": id }));
            let browser = Arc::clone(&self.browser);
            tokio::spawn(async move {
                let told = pending.answer(CALL_LIMIT).await.ok();
                let body = told.and_then(|reply| reply.value()["postData"].as_str().map(str::to_owned));
                browser.change(|state| {
                    state.bodies_pending -= 1;
                    let body = body.filter(|body| body.len() <= BODY_LIMIT);
                    state.log.with_request(&id, |request| request.request_body = body);
                });
            });
        }
    }

    /// Asks for the body of a request that has ended, if it is text.
    fn finished(&self, state: &mut State, session: &str, id: String) {
        let (mut wants, at) = (false, state.now());
        state.log.with_request(&id, |request| wants = is_text(&request.mime_type));
        if !wants {
            state.log.close_request(&id, at);
            return;
        }
        state.bodies_pending += 1;
        // Sent before anything else can happen: a navigation throws the bodies of the document
        // before away.
        let pending = self.socket.send(Some(session), "Network.getResponseBody", &json!({ "requestId": id }));
        let browser = Arc::clone(&self.browser);
        tokio::spawn(async move {
            let body = pending.answer(CALL_LIMIT).await.ok().and_then(|reply| {
                let told: m::Body = reply.read().ok()?;
                let decode = |text: &str| base64::engine::general_purpose::STANDARD.decode(text).ok();
                let bytes = if told.base64_encoded { decode(&told.body)? } else { told.body.into_bytes() };
                Some(bytes)
            });
            browser.change(|state| {
                state.bodies_pending -= 1;
                state.log.with_request(&id, |request| {
                    if let Some(bytes) = body {
                        request.response_bytes = bytes.len() as u64;
                        // Bytes that are no text are not kept: their number is.
                        let text = decoded(bytes, charset(&request.response_headers));
                        request.response_body = text.filter(|text| text.len() <= BODY_LIMIT);
                    }
                });
                state.log.close_request(&id, at);
            });
        });
    }
}

fn fill_response(request: &mut RequestEvent, response: m::Response) {
    request.status = response.status;
    request.mime_type = response.mime_type;
    // Headers of the "extra info" event are the true ones; they may have come first.
    if request.response_headers.is_empty() {
        request.response_headers = response.headers.0;
    }
}

fn is_inline(url: &str) -> bool {
    url.starts_with("data:") || url.starts_with("blob:")
}

fn is_endless(kind: &str) -> bool {
    matches!(
        kind,
        "EventSource" | "WebSocket" | "WebTransport" | "Ping" | "Prefetch" | "Preflight" | "CSPViolationReport"
    )
}

/// Says that a request went on, if it is none that the page makes by itself.
fn stir_by(state: &mut State, id: &str) {
    let tab = state.in_flight.get(id).filter(|flight| !flight.by_page).map(|flight| flight.tab);
    if let Some(tab) = tab.and_then(|tab| state.tabs.get_mut(tab as usize)) {
        tab.stirred = Some(Instant::now());
    }
}

/// Makes the flight of a request: who asked for it shows by when it began and what was asked for
/// before.
fn flight(state: &mut State, tab: u32, id: &str, sent: &m::RequestWillBeSent) -> Flight {
    let url = sent.request.url.clone();
    if let Some(before) = state.in_flight.get(id) {
        // It is redirected.
        return Flight { url, loader: sent.loader_id.clone(), answered: false, ..before.clone() };
    }
    let key = habits::key(&sent.request.method, &url);
    let document = sent.kind == "Document";
    let habit = state.habits.knows(&key);
    let turn = state.asked.entry(key.clone()).or_default();
    *turn += 1;
    let turn = *turn;
    let by_page = match state.acting {
        None => {
            state.habits.saw(&key);
            true
        }
        // One that the page had asked for by itself and asks for again: the next of a long poll.
        Some(began) => {
            !document
                && (habit
                    || state.in_flight.values().any(|other| other.by_page && other.key == key && other.since < began))
        }
    };
    Flight {
        frame: sent.frame_id.clone(),
        loader: sent.loader_id.clone(),
        url,
        tab,
        key,
        since: Instant::now(),
        document,
        habit,
        by_page,
        turn,
        answered: false,
    }
}

fn is_text(mime: &str) -> bool {
    mime.starts_with("text/")
        || mime.ends_with("+json")
        || mime.ends_with("+xml")
        || matches!(
            mime,
            "application/json" | "application/javascript" | "application/xml" | "application/x-www-form-urlencoded"
        )
}

/// Returns the charset that a response names.
fn charset(headers: &[(String, String)]) -> Option<&'static encoding_rs::Encoding> {
    let (_, kind) = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"))?;
    let label = kind.split(';').skip(1).find_map(|part| {
        let (name, label) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("charset").then_some(label)
    })?;
    encoding_rs::Encoding::for_label(label.trim().trim_matches('"').as_bytes())
}

/// Reads bytes as UTF-8, else by the charset that the response names; none if they are no text in
/// either.
fn decoded(bytes: Vec<u8>, charset: Option<&'static encoding_rs::Encoding>) -> Option<String> {
    match String::from_utf8(bytes) {
        Ok(text) => Some(text),
        Err(error) => charset?.decode_without_bom_handling_and_without_replacement(error.as_bytes()).map(Into::into),
    }
}
