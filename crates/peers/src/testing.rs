//! Steps for tests: a page, perhaps a capture, events and recorded output, and one call to observe
//! them.

use browserlens_core::page::{Capture, Page, PageBuilder};
use browserlens_core::strategy::{Event, Observation, PageAlone, PeerOutput, Run, StepInput, StrategyError};
use std::sync::Arc;

pub(crate) struct Step {
    page: Arc<Page>,
    capture: Capture,
    events: Vec<Event>,
    peers: Vec<PeerOutput>,
}

impl Step {
    pub fn new(page: Page) -> Self {
        Self { page: Arc::new(page), capture: Capture::default(), events: Vec::new(), peers: Vec::new() }
    }

    pub fn with_capture(mut self, capture: Capture) -> Self {
        self.capture = capture;
        self
    }

    pub fn with_events(mut self, events: Vec<Event>) -> Self {
        self.events = events;
        self
    }

    pub fn with_recorded(mut self, peer: &str, text: &str) -> Self {
        self.peers.push(PeerOutput {
            peer: peer.to_owned(),
            text: text.to_owned(),
            micros: 1,
            refs: Vec::new(),
            dropped: None,
        });
        self
    }

    pub fn with_dropped(mut self, peer: &str, reason: &str) -> Self {
        self = self.with_recorded(peer, "");
        if let Some(output) = self.peers.last_mut() {
            output.dropped = Some(reason.to_owned());
        }
        self
    }

    pub fn try_observe(&self, run: &mut dyn Run) -> Result<Observation, StrategyError> {
        run.observe(&StepInput {
            capture: &self.capture,
            events: &self.events,
            peers: &self.peers,
            ..PageAlone::default().input(0, &self.page)
        })
    }

    pub fn observe(&self, run: &mut dyn Run) -> Observation {
        self.try_observe(run).expect("the step can be observed")
    }
}

/// A page of `html > body` around an outline.
pub(crate) fn outline(body: &str) -> Page {
    let indent =
        body.lines().find(|line| !line.trim().is_empty()).map_or(0, |line| line.len() - line.trim_start().len());
    let mut text = "generic tag=html box=0,0,1280,800\n  generic tag=body box=0,0,1280,800\n".to_owned();
    for line in body.lines().filter(|line| !line.trim().is_empty()) {
        text.push_str("    ");
        text.push_str(&line[indent.min(line.len() - line.trim_start().len())..]);
        text.push('\n');
    }
    PageBuilder::outline(&text)
}
