//! Requests: which are in flight, and what the log tells of them.
//!
//! In: `Network` events of every session. Out: entries of the event log with headers as really
//! sent, and bodies that are text and within the limit. Invariant: a request counts as in flight
//! until its end, however often it is redirected; streams that never end by nature do not count.

use crate::browser_state::{BrowserState, Flight, State};
use crate::habits;
use crate::log::Direction;
use crate::messages as m;
use crate::socket::{CALL_LIMIT, RawEvent, Socket};
use base64::Engine;
use browserlens_core::strategy::RequestEvent;
use serde_json::json;
use std::sync::Arc;
use std::time::Instant;

/// Longest body that is kept, in bytes.
pub(crate) const BODY_LIMIT: usize = 64 << 10;

pub(crate) fn handle(
    browser: &Arc<BrowserState>,
    socket: &Socket,
    event: &RawEvent,
    name: &str,
    now: impl Fn(&State) -> u64,
) {
    let Some(session) = event.session.as_deref() else { return };
    match name {
        "requestWillBeSent" => {
            if let Some(sent) = event.read::<m::RequestWillBeSent>() {
                will_be_sent(browser, socket, session, sent, now);
            }
        }
        "webSocketFrameSent" | "webSocketFrameReceived" => browser.change(|state| {
            if let Some(tab) = state.tab_in(session) {
                let at = if name == "webSocketFrameSent" { &mut tab.said } else { &mut tab.heard };
                *at = Some(Instant::now());
            }
        }),
        "requestWillBeSentExtraInfo" => {
            let Some(extra) = event.read::<m::ExtraInfo>() else { return };
            browser.change(|state| {
                state.log.headers(&extra.id, Direction::Sent, extra.headers.0);
                state.stir();
            });
        }
        "responseReceived" => {
            let Some(received) = event.read::<m::ResponseReceived>() else { return };
            browser.change(|state| {
                // Whether the page still reads the body is known from the page itself.
                stir_by(state, &received.id);
                if received.kind == "Fetch"
                    && let Some(flight) = state.in_flight.get_mut(&received.id)
                {
                    flight.answered = true;
                }
                if received.has_extra {
                    state.log.announce_headers(&received.id);
                }
                state.log.with_request(&received.id, |request| fill_response(request, received.response));
                state.stir();
            });
        }
        "responseReceivedExtraInfo" => {
            let Some(extra) = event.read::<m::ExtraInfo>() else { return };
            browser.change(|state| {
                state.log.headers(&extra.id, Direction::Received, extra.headers.0);
                state.stir();
            });
        }
        "dataReceived" => {
            let Some(data) = event.read::<m::DataReceived>() else { return };
            browser.change(|state| {
                stir_by(state, &data.id);
                state.log.with_request(&data.id, |request| request.response_bytes += data.length.max(0.0) as u64);
            });
        }
        "loadingFinished" => {
            if let Some(ended) = event.read::<m::Ended>() {
                finished(browser, socket, session, &ended, now);
            }
        }
        "loadingFailed" => {
            let Some(ended) = event.read::<m::Ended>() else { return };
            browser.change(|state| {
                stir_by(state, &ended.id);
                state.in_flight.remove(&ended.id);
                state.log.with_request(&ended.id, |request| request.failure.clone_from(&ended.error));
                let at = now(state);
                state.log.close_request(&ended.id, at);
                state.stir();
            });
        }
        _ => {}
    }
}

fn fill_response(request: &mut RequestEvent, response: m::Response) {
    request.status = response.status;
    request.mime_type = response.mime;
    // Headers of the "extra info" event are the true ones; they may have come first.
    if request.response_headers.is_empty() {
        request.response_headers = response.headers.0;
    }
}

fn endless(kind: &str, url: &str) -> bool {
    matches!(
        kind,
        "EventSource" | "WebSocket" | "WebTransport" | "Ping" | "Prefetch" | "Preflight" | "CSPViolationReport"
    ) || url.starts_with("data:")
        || url.starts_with("blob:")
}

/// Says that a request went on, if it is none that the page makes by itself.
fn stir_by(state: &mut State, id: &str) {
    if let Some(tab) = state.in_flight.get(id).filter(|flight| !flight.by_page).map(|flight| flight.tab) {
        state.stir_of(tab);
    }
}

/// Makes the flight of a request: who asked for it shows by when it began and what was asked for
/// before.
fn flight(state: &mut State, tab: u32, id: &str, sent: &m::RequestWillBeSent) -> Flight {
    let url = sent.request.url.clone();
    if let Some(before) = state.in_flight.get(id) {
        // It is redirected.
        return Flight { url, loader: sent.loader.clone(), answered: false, ..before.clone() };
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
        frame: sent.frame.clone(),
        loader: sent.loader.clone(),
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

fn will_be_sent(
    browser: &Arc<BrowserState>,
    socket: &Socket,
    session: &str,
    mut sent: m::RequestWillBeSent,
    now: impl Fn(&State) -> u64,
) {
    let id = sent.id.clone();
    let wants_body = sent.request.has_body && sent.request.body.is_none();
    browser.change(|state| {
        let at = now(state);
        let tab = state.sessions.get(session).map_or(0, |session| session.tab);
        if let Some(redirect) = sent.redirect.take() {
            if sent.redirect_has_extra {
                state.log.announce_headers(&id);
            }
            state.log.with_request(&id, |request| fill_response(request, redirect));
            state.log.close_request(&id, at);
        }
        if sent.request.url.starts_with("data:") || sent.request.url.starts_with("blob:") {
            // Their content stands in the page; as requests they would only repeat it.
            return;
        }
        if !endless(&sent.kind, &sent.request.url) {
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
            request_body: sent.request.body.filter(|body| body.len() <= BODY_LIMIT),
            ..RequestEvent::default()
        };
        state.log.open_request(&id, tab, at, request);
        if wants_body {
            state.bodies_pending += 1;
        }
        state.stir();
    });
    if wants_body {
        let pending = socket.send(Some(session), "Network.getRequestPostData", &json!({ "requestId": id }));
        let browser = Arc::clone(browser);
        tokio::spawn(async move {
            let body = pending
                .answer(CALL_LIMIT)
                .await
                .ok()
                .and_then(|reply| reply.value()["postData"].as_str().map(str::to_owned));
            browser.change(|state| {
                state.bodies_pending -= 1;
                let body = body.filter(|body| body.len() <= BODY_LIMIT);
                state.log.with_request(&id, |request| request.request_body = body);
            });
        });
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

/// A body as the browser gives it.
enum Text {
    Read(String),
    Bytes(Vec<u8>),
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
    String::from_utf8(bytes)
        .or_else(|error| {
            charset
                .and_then(|charset| {
                    charset.decode_without_bom_handling_and_without_replacement(error.as_bytes()).map(Into::into)
                })
                .ok_or(())
        })
        .ok()
}

fn finished(
    browser: &Arc<BrowserState>,
    socket: &Socket,
    session: &str,
    ended: &m::Ended,
    now: impl Fn(&State) -> u64,
) {
    let id = ended.id.clone();
    let wants_body = browser.change(|state| {
        stir_by(state, &id);
        state.in_flight.remove(&id);
        state.stir();
        let mut wants = false;
        state.log.with_request(&id, |request| {
            wants = is_text(&request.mime_type);
        });
        if wants {
            state.bodies_pending += 1;
        } else {
            let at = now(state);
            state.log.close_request(&id, at);
        }
        wants
    });
    if !wants_body {
        return;
    }
    let at = now(&browser.read());
    // Sent before anything else can happen: a navigation throws the bodies of the document before
    // away.
    let pending = socket.send(Some(session), "Network.getResponseBody", &json!({ "requestId": id }));
    let browser = Arc::clone(browser);
    tokio::spawn(async move {
        let body = pending.answer(CALL_LIMIT).await.ok().map(|reply| reply.value()).and_then(|value| {
            let text = value["body"].as_str()?;
            if value["base64Encoded"].as_bool() == Some(true) {
                let bytes = base64::engine::general_purpose::STANDARD.decode(text).ok()?;
                return Some((bytes.len(), Text::Bytes(bytes)));
            }
            Some((text.len(), Text::Read(text.to_owned())))
        });
        browser.change(|state| {
            state.bodies_pending -= 1;
            state.log.with_request(&id, |request| {
                if let Some((bytes, body)) = body {
                    request.response_bytes = bytes as u64;
                    // Bytes that are no text are not kept: their number is.
                    let text = match body {
                        Text::Read(text) => Some(text),
                        Text::Bytes(bytes) => decoded(bytes, charset(&request.response_headers)),
                    };
                    request.response_body = text.filter(|text| text.len() <= BODY_LIMIT);
                }
            });
            state.log.close_request(&id, at);
        });
    });
}
