//! Steps for tests: a page, perhaps a capture, events and recorded output, and one call to observe
//! them.

use crate::read::{ReadNode, Reading};
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::{Capture, Frame, NodeId, NodeSpec, Page, PageBuilder, Payload, PayloadKind};
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

    pub fn with_payloads(mut self, payloads: Vec<Payload>) -> Self {
        self.capture = Capture { payloads };
        self
    }

    pub fn with_events(mut self, events: Vec<Event>) -> Self {
        self.events = events;
        self
    }

    pub fn with_recorded(mut self, peer: &str, text: &str, dropped: Option<&str>) -> Self {
        let (peer, text, dropped) = (peer.to_owned(), text.to_owned(), dropped.map(str::to_owned));
        self.peers.push(PeerOutput { peer, text, micros: 1, refs: Vec::new(), dropped });
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

/// A page in the making, up to its body.
pub(crate) fn body() -> PageBuilder {
    let mut builder = PageBuilder::new("https://test.test/", "Test");
    builder.open(NodeSpec { tag: "html", ..NodeSpec::default() });
    builder.open(NodeSpec { tag: "body", ..NodeSpec::default() });
    builder
}

/// A frame with a document of its own.
pub(crate) fn frame(number: u32, owner: Option<NodeId>) -> Frame {
    Frame { number, loader: number, url: "https://pay.test/".to_owned(), owner, ..Frame::default() }
}

pub(crate) fn payload(kind: PayloadKind, frame: u32, body: impl AsRef<[u8]>) -> Payload {
    Payload { kind, frame, node: 0, body: body.as_ref().into() }
}

/// A computed style as nodes have it.
pub(crate) fn style<'a>(name: &str, value: &'a str) -> (u8, &'a str) {
    let at = COMPUTED_STYLES.iter().position(|known| *known == name).expect("a captured style");
    (at as u8, value)
}

/// What a thread with little stack returns, where deep recursion would overflow.
pub(crate) fn on_small_stack<T: Send + 'static>(bytes: usize, work: impl FnOnce() -> T + Send + 'static) -> T {
    let thread = std::thread::Builder::new().stack_size(bytes).spawn(work).expect("a thread");
    thread.join().expect("no overflow")
}

/// What observations name, in order.
pub(crate) fn handles(observation: &Observation) -> Vec<&str> {
    observation.refs.iter().map(|target| target.handle.as_str()).collect()
}

pub(crate) fn by_handle<'r>(reading: &'r Reading, handle: &str) -> &'r ReadNode {
    reading.nodes.iter().find(|node| node.handle.as_deref() == Some(handle)).expect("the node is read")
}
