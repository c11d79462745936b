//! A look at a document whose agent will not wait for one.
//!
//! In: a tab's session, at the moment when its document can be acted on or is acted on. Out: an
//! [`Early`] look, there when the browser has answered. Invariant: all of its calls are sent at
//! once, so that they stand in the page's queue before what the agent sends next, and none waits
//! for another. What needs a second question (listeners, frames of other sites, a picture) is left
//! out: it is used only where there is no whole capture.

use crate::browser_state::BrowserState;
use crate::capture::{LOOK_LIMIT, Look, LookedFrame, ParsedCapture, snapshot_params};
use crate::socket::Socket;
use browserlens_core::page::PayloadKind;
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_trace::Canonicalizer;
use serde_json::json;
use std::time::Instant;
use tokio::sync::oneshot;

/// A look that may be under way.
pub(super) struct Early {
    pub(super) tab: u32,
    /// When it began.
    pub(super) at: Instant,
    state: State,
}

enum State {
    UnderWay(oneshot::Receiver<(Look, Instant)>),
    ParsedCapture(Box<ParsedCapture>, Instant),
    Failed,
}

browserlens_core::opaque_debug!(self: Early { tab: self.tab, at: self.at });

impl Early {
    /// Begins to look; none if the session shows no tab.
    pub(super) fn begin(socket: &Socket, browser: &BrowserState, session: &str, at: Instant) -> Option<Self> {
        let (tab, frame) = {
            let state = browser.read();
            let known = state.sessions.get(session).filter(|known| known.parent.is_none())?;
            (known.tab, known.root_frame.clone())
        };
        let snapshot = snapshot_params(&COMPUTED_STYLES, true);
        let none = json!({});
        let calls = [
            (Some(PayloadKind::Frames), "Page.getFrameTree", &none),
            (Some(PayloadKind::Snapshot), "DOMSnapshot.captureSnapshot", &snapshot),
            (Some(PayloadKind::Metrics), "Page.getLayoutMetrics", &none),
            // The tree is built anew, as it is for every look of one who only looks.
            (None, "Accessibility.enable", &none),
            (None, "Accessibility.disable", &none),
            (Some(PayloadKind::Ax), "Accessibility.getFullAXTree", &none),
        ];
        let sent = calls.map(|(kind, method, params)| (kind, socket.send(Some(session), method, params)));
        let (out, look) = oneshot::channel();
        let looked = LookedFrame { session: session.to_owned(), frame: frame.clone(), own_world: 0, main_world: None };
        tokio::spawn(async move {
            let mut look = Look { frames: vec![looked], torn: true, ..Look::default() };
            let mut seen = at;
            for (kind, call) in sent {
                let answered = call.answer(LOOK_LIMIT).await;
                if let (Some(kind), Ok(reply)) = (kind, answered) {
                    if kind == PayloadKind::Snapshot {
                        seen = Instant::now();
                    }
                    look.push(kind, &frame, reply.text());
                }
            }
            look.timings.push(("early look".to_owned(), at.elapsed().as_micros() as u64));
            drop(out.send((look, seen)));
        });
        Some(Self { tab, at, state: State::UnderWay(look) })
    }

    /// Returns what was seen and when that had come, as soon as the browser has told all of it.
    pub(super) async fn seen(&mut self, canonicalizer: &mut Canonicalizer) -> Option<(&ParsedCapture, Instant)> {
        if let State::UnderWay(look) = &mut self.state {
            let read = match look.await {
                Ok((look, at)) if has_document(&look) => ParsedCapture::from_look(look, canonicalizer)
                    .ok()
                    .map(|seen| State::ParsedCapture(Box::new(seen), at)),
                _ => None,
            };
            self.state = read.unwrap_or(State::Failed);
        }
        match &self.state {
            State::ParsedCapture(seen, at) => Some((seen, *at)),
            _ => None,
        }
    }

    /// Whether it may tell of what was done at a time or after.
    pub(super) fn may_tell_of(&self, since: Instant) -> bool {
        match &self.state {
            State::UnderWay(_) => true,
            State::ParsedCapture(_, at) => *at >= since,
            State::Failed => false,
        }
    }
}

fn has_document(look: &Look) -> bool {
    let has = |kind| look.payloads.iter().any(|payload| payload.kind == kind);
    has(PayloadKind::Frames) && has(PayloadKind::Snapshot)
}
