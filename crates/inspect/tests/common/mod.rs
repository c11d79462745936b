//! Sources to ask: a page that lives in memory, and traces.
#![allow(dead_code, missing_docs, clippy::unwrap_used, reason = "shared by test files that each use a part")]

#[path = "../../../trace/tests/common/mod.rs"]
pub mod trace_common;

use browserlens_core::page::{BoxInDocument, Capture, Page, PageBuilder};
use browserlens_core::strategy::{
    BodyHead, BodySide, CaptureImage, ConsoleMessage, Event, EventFilter, EventKind, EventTally, PageSource,
    RequestEvent, SourceError, SourceId, StepIndex,
};
use browserlens_inspect::{CursorKey, Inspector, Limits, UnixMillis};
use browserlens_trace::{Trace, TracePages};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tempfile::TempDir;

pub const NOW: UnixMillis = UnixMillis(1_800_000_000_000);

pub fn inspector() -> Inspector {
    Inspector::new(Limits::default(), CursorKey::new(b"test"))
}

/// Every page of an answer.
pub fn answers(source: &mut dyn PageSource, tool: &str, mut arguments: Value) -> Vec<Value> {
    let (inspector, mut answers) = (inspector(), Vec::new());
    loop {
        let answer = inspector.call(source, tool, arguments.clone(), NOW).unwrap();
        arguments["cursor"] = answer["nextCursor"].clone();
        assert_eq!(answer["hasMore"], !arguments["cursor"].is_null());
        answers.push(answer);
        if arguments["cursor"].is_null() {
            return answers;
        }
    }
}

/// A live page that lives in memory.
pub struct Memory {
    pub events: Vec<Event>,
    pub page: Arc<Page>,
    pub session: [u8; 16],
}

impl Memory {
    pub fn new(kinds: Vec<EventKind>) -> Self {
        let mut memory = Self { events: Vec::new(), page: Arc::new(PageBuilder::outline("")), session: [7; 16] };
        kinds.into_iter().for_each(|kind| memory.add(kind));
        memory
    }

    pub fn with_page(page: Page) -> Self {
        Self { page: Arc::new(page), ..Self::new(Vec::new()) }
    }

    pub fn add(&mut self, kind: EventKind) {
        let position = self.events.len() as u64;
        self.events.push(Event { position, step: 0, tab: 0, at_ms: position * 10, kind });
    }
}

impl PageSource for Memory {
    fn step(&self) -> StepIndex {
        StepIndex(0)
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        Ok((Arc::clone(&self.page), Arc::new(Capture { payloads: Vec::new() })))
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        let later = |event: &&Event| after.is_none_or(|after| event.position > after) && filter.passes(event);
        Ok(self.events.iter().filter(later).take(limit).map(|event| filter.parts.of(event)).collect())
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        let found = self.events(filter, after, usize::MAX)?;
        Ok(EventTally { count: found.len() as u64, last: found.last().map(|event| event.position) })
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        let EventKind::Request(request) = &self.events[position as usize].kind else { return Ok(None) };
        let body = match side {
            BodySide::Request => &request.request_body,
            BodySide::Response => &request.response_body,
        };
        Ok(body
            .as_ref()
            .map(|body| BodyHead { head: body.as_bytes()[..limit.min(body.len())].to_vec(), bytes: body.len() as u64 }))
    }

    fn identity(&self) -> SourceId {
        SourceId::Live(self.session)
    }

    fn now_ms(&mut self) -> Result<u64, SourceError> {
        Ok(self.events.len() as u64 * 10)
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        Ok(vec![0])
    }

    fn page_of(&mut self, _: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        self.page()
    }

    fn crop(&mut self, _: BoxInDocument) -> Result<CaptureImage, SourceError> {
        Err(SourceError::NotAvailable { what: "a crop".to_owned() })
    }
}

pub fn console(level: &str, text: &str) -> EventKind {
    EventKind::Console(ConsoleMessage { level: level.into(), text: text.into(), ..ConsoleMessage::default() })
}

pub fn request(url: &str, status: u16) -> RequestEvent {
    RequestEvent {
        method: "GET".into(),
        url: url.into(),
        resource_type: "Fetch".into(),
        status,
        ..RequestEvent::default()
    }
}

pub fn asked(url: &str, status: u16) -> EventKind {
    EventKind::Request(Box::new(request(url, status)))
}

/// A trace of one step with these events, and the folder that holds it.
pub fn traced(kinds: Vec<EventKind>) -> (TempDir, TracePages) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.trace");
    let mut steps = trace_common::steps(1);
    steps[0].events = (0u64..).zip(kinds).map(|(position, kind)| trace_common::event(position, 0, kind)).collect();
    trace_common::write(&path, &steps);
    let pages = open(&path);
    (folder, pages)
}

pub fn open(path: &Path) -> TracePages {
    let trace = Trace::open(path).unwrap();
    let last = trace.len() - 1;
    let mut pages = trace.into_pages().unwrap();
    pages.set_step(StepIndex(last)).unwrap();
    pages
}

/// A bundled trace, at its last step.
pub fn bundled(name: &str) -> TracePages {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    open(&root.join(format!("{name}.trace")))
}
