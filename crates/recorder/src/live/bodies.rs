//! How much of the bodies of a live session's events is held.
//!
//! In: events as they come. Out: the same, the oldest without bodies. Invariant: what is held stays
//! within the limit, and sizes stay.

use browserlens_core::strategy::{Event, EventKind};

/// Most bytes of bodies that a live session holds; of more, the oldest go. Their sizes stay.
pub(super) const BODIES_HELD: usize = 64 << 20;

/// How much of the bodies of a session's events is held.
#[derive(Debug, Default)]
pub(super) struct HeldBodies {
    bytes: usize,
    /// Events before this one have no bodies any more.
    oldest: usize,
    /// Events before this one are counted.
    counted: usize,
}

impl HeldBodies {
    pub(super) fn keep_within(&mut self, most: usize, events: &mut [Event]) {
        let bodies = |event: &Event| match &event.kind {
            EventKind::Request(request) => {
                [&request.request_body, &request.response_body].into_iter().flatten().map(String::len).sum()
            }
            _ => 0,
        };
        self.bytes += events[self.counted..].iter().map(bodies).sum::<usize>();
        self.counted = events.len();
        while self.bytes > most && self.oldest < events.len() {
            let event = &mut events[self.oldest];
            self.bytes -= bodies(event);
            if let EventKind::Request(request) = &mut event.kind {
                (request.request_body, request.response_body) = (None, None);
            }
            self.oldest += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::strategy::RequestEvent;

    #[test]
    fn of_too_many_bodies_the_oldest_go_and_their_sizes_stay() {
        let mut events = Vec::new();
        let mut held = HeldBodies::default();
        for position in 0..10 {
            let body = Some("x".repeat(100));
            let request = RequestEvent {
                request_body: body.clone(),
                response_body: body,
                response_bytes: 100,
                ..RequestEvent::default()
            };
            events.push(Event { position, step: 0, tab: 0, at_ms: 0, kind: EventKind::Request(Box::new(request)) });
            held.keep_within(450, &mut events);
        }
        let kept: Vec<bool> = events
            .iter()
            .map(|event| match &event.kind {
                EventKind::Request(request) => {
                    assert_eq!(request.response_bytes, 100);
                    assert_eq!(request.request_body, request.response_body);
                    request.response_body.is_some()
                }
                _ => unreachable!(),
            })
            .collect();
        assert_eq!(kept, [false, false, false, false, false, false, false, false, true, true]);
        assert_eq!(held.bytes, 400);
    }
}
