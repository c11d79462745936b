//! What the tests share: recording a scenario given as text, and reading it back.

#![allow(dead_code, reason = "each test file uses a part of it")]

pub mod browser;

#[allow(unused_imports, reason = "each test file uses a part of it")]
pub use browser::{Browser, processes_with, wait_until_gone};
use browserlens_core::page::{NodeRef, Page};
use browserlens_core::strategy::{Event, EventFilter, EventKind, StepIndex};
use browserlens_recorder::{RecordError, RecordOptions, RecordReport, SiteServer, record};
use browserlens_trace::Trace;
use browserlens_trace::scenario::Scenario;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The bundled sites, the fixtures among them.
pub fn sites() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/sites")
}

/// A finished recording.
pub struct Recorded {
    pub report: RecordReport,
    pub trace: Trace,
    pub path: PathBuf,
    folder: TempDir,
}

/// Returns a scenario on the fixtures: its first lines and its steps.
pub fn fixture(start: &str, rest: &str) -> String {
    format!(
        "name = \"fixtures/test\"\ngoal = \"test\"\nwhy = \"test\"\nsite = \"fixtures\"\nstart = \"{start}\"\n{rest}"
    )
}

pub fn scenario(toml: &str) -> Scenario {
    Scenario::parse(toml, &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenario.toml"))
        .unwrap_or_else(|error| panic!("{error}\n{toml}"))
}

pub async fn try_record(
    toml: &str,
    change: impl FnOnce(&mut RecordOptions),
) -> (TempDir, PathBuf, Result<RecordReport, RecordError>) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("test.trace");
    let mut options = RecordOptions::new(sites(), &path);
    change(&mut options);
    let report = record(&scenario(toml), &options).await;
    (folder, path, report)
}

/// Records a scenario that must fail on a fixture page.
pub async fn refused(start: &str, steps: &str) -> RecordError {
    let (_folder, _path, result) = try_record(&fixture(start, steps), |_| {}).await;
    result.expect_err(steps)
}

/// A site that is served to any browser.
pub struct Served {
    server: SiteServer,
    _runtime: tokio::runtime::Runtime,
}

pub fn serve(site: &str) -> Served {
    let runtime = runtime();
    let server = runtime.block_on(SiteServer::start(&sites(), site)).expect("serves");
    Served { server, _runtime: runtime }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("runtime")
}

impl Served {
    pub fn url(&self, page: &str) -> String {
        self.server.own_url(page)
    }
}

pub async fn recorded_with(toml: &str, change: impl FnOnce(&mut RecordOptions)) -> Recorded {
    let (folder, path, report) = try_record(toml, change).await;
    let report = report.unwrap_or_else(|error| panic!("{error}\nhint: {}\n{toml}", error.hint()));
    let trace = Trace::open(&path).expect("the trace opens");
    assert!(trace.is_complete());
    Recorded { report, trace, path, folder }
}

pub async fn recorded(toml: &str) -> Recorded {
    recorded_with(toml, |_| {}).await
}

/// Records a scenario on a fixture page, without second looks.
pub async fn acted(start: &str, steps: &str) -> Recorded {
    recorded_with(&fixture(start, steps), |options| options.second_look = false).await
}

/// Records one fixture page.
pub async fn page_of(start: &str) -> (Recorded, Page) {
    let recorded = acted(start, "").await;
    let page = recorded.page(0);
    (recorded, page)
}

/// Returns the page of a step.
pub fn page_at(trace: &Trace, step: u32) -> Page {
    Page::parse(&trace.capture(StepIndex(step)).expect("capture")).expect("parses")
}

impl Recorded {
    pub fn page(&self, step: u32) -> Page {
        page_at(&self.trace, step)
    }

    pub fn events(&self, kind: &str) -> Vec<Event> {
        let filter = EventFilter { kinds: vec![kind.to_owned()], ..EventFilter::default() };
        self.trace.events(&filter, None, 10_000).expect("events")
    }
}

pub fn by_id<'p>(page: &'p Page, id: &str) -> NodeRef<'p> {
    page.nodes().find(|node| node.attribute("id") == Some(id)).unwrap_or_else(|| panic!("no node with id {id:?}"))
}

pub fn log_of(page: &Page) -> String {
    by_id(page, "log").visible_text()
}

/// Asserts that two recordings hold the same captures, pictures and events.
pub fn assert_same(first: &Trace, second: &Trace) {
    assert_same_but(first, second, |_| ());
}

/// Asserts the same of recordings whose events differ in what `level` takes out of them.
pub fn assert_same_but(first: &Trace, second: &Trace, level: impl Fn(&mut EventKind)) {
    let events = |trace: &Trace| {
        let mut events = trace.events(&EventFilter::default(), None, 100_000).expect("events");
        events.iter_mut().for_each(|event| level(&mut event.kind));
        events
    };
    assert_eq!(first.len(), second.len());
    for index in 0..first.len() {
        let capture = |trace: &Trace| trace.capture(StepIndex(index)).expect("capture");
        let (a, b) = (capture(first), capture(second));
        let places = |capture: &browserlens_core::page::Capture| -> Vec<_> {
            capture.payloads.iter().map(|payload| (payload.kind, payload.frame, payload.node)).collect()
        };
        assert_eq!(places(&a), places(&b), "step {index}");
        let differing = a.payloads.iter().zip(&b.payloads).find(|(one, other)| one.body != other.body);
        if let Some((one, other)) = differing {
            let place = format!("step {index}, {:?} of frame {}", one.kind, one.frame);
            assert!(one.kind.is_text(), "{place}: the pictures differ");
            let at = one.body.iter().zip(other.body.iter()).position(|(x, y)| x != y).unwrap_or(0);
            let near = |body: &[u8]| {
                String::from_utf8_lossy(&body[at.saturating_sub(120)..(at + 80).min(body.len())]).into_owned()
            };
            panic!("{place}:\n{}\n{}", near(&one.body), near(&other.body));
        }
        let entities = |trace: &Trace| trace.entities(StepIndex(index)).expect("entities");
        assert_eq!(entities(first), entities(second), "step {index}");
    }
    for (one, other) in events(first).iter().zip(&events(second)) {
        assert_eq!(one, other);
    }
    assert_eq!(events(first).len(), events(second).len());
}
