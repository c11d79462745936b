//! The lens over pages that Playwright holds.
//!
//! In: a piece of work, and what the browser answers. Out: calls for Python to send, then the
//! result. Invariants: one thread of its own does all work, in order, so Python's lock is free
//! while a page is read, parsed and written; a lens does one piece of work at a time.

use crate::errors::{Raised, Result};
use crate::feed::Feed;
use crate::json;
use crate::observation::Observation;
use crate::page::{Page, Reading, SnapshotAsked, told};
use crate::wire::{GIVE_UP, Next, Wire};
use browserlens_core::page::Viewport;
use browserlens_core::strategy::{ActionKind, PageSource, TakenAction};
use browserlens_core::sync::locked;
use browserlens_recorder::{CdpCall, LiveBrowser, LiveOptions, LookWay};
use browserlens_session::Session;
use browserlens_snapshot::snapshot_in;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use serde::Deserialize;
use std::collections::HashMap;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A piece of work.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Job {
    AddPage { session: String, target: String, url: String },
    AddFrame { parent: String, session: String, target: String, url: String },
    RemoveSession { session: String },
    Observe { session: String, full: bool, action: Option<(String, String)> },
    Expand { handle: String, from: Option<u32>, to: Option<u32> },
    Page { session: String },
    Attend { session: String },
    Node { session: String, reference: String },
    Snapshot { session: String, options: Box<SnapshotAsked> },
    ReadText { session: String, reading: Reading },
    Inspect { session: String, tool: String, query: serde_json::Value },
}

/// What came of it.
enum Outcome {
    Nothing,
    Text(String),
    Observation(Observation),
    Page(Page),
}

/// What the lens' thread holds.
struct Work {
    session: Session,
    tabs: HashMap<String, u32>,
}

type Slot = Arc<Mutex<Option<Result<Outcome>>>>;

/// The lens over pages that somebody else holds: `begin` work, send what `wait` gives and hand in
/// what comes, until it gives None; then `result`.
#[pyclass(frozen, module = "browserlens._native")]
pub struct Lens {
    wire: Arc<Wire>,
    feed: Mutex<Option<Arc<Feed<Job>>>>,
    outcome: Slot,
}

/// Number, session, method and parameters of one call.
type Call<'py> = (u64, Option<String>, String, Bound<'py, PyAny>);

#[pymethods]
impl Lens {
    /// Starts a lens with a strategy and its options, as JSON.
    #[new]
    #[pyo3(signature = (strategy, options, width, height, scale, bodies))]
    fn new(
        py: Python<'_>,
        strategy: &str,
        options: &str,
        width: u32,
        height: u32,
        scale: f32,
        bodies: bool,
    ) -> PyResult<Self> {
        let options: serde_json::Value = serde_json::from_str(options)
            .map_err(|error| Raised::options(format!("options: {error}"), "give a dict"))?;
        let wire = Arc::new(Wire::new(bodies));
        let live = LiveOptions { viewport: Viewport { width, height, scale }, ..LiveOptions::default() };
        let session = py.detach(|| {
            let wire = Arc::clone(&wire);
            let make = move |inbox| {
                wire.connect(inbox);
                wire as Arc<dyn browserlens_recorder::CdpTransport>
            };
            let mut session = Session::over(LiveBrowser::over(make, &live)?, live)?;
            session.use_strategy(strategy, &options)?;
            Ok::<_, Raised>(session)
        })?;
        let (jobs, to_do) = channel();
        let outcome = Slot::default();
        let work = Work { session, tabs: HashMap::new() };
        let (told, result) = (Arc::clone(&wire), Arc::clone(&outcome));
        std::thread::Builder::new()
            .name("browserlens".to_owned())
            .spawn(move || run(work, &to_do, &told, &result))
            .map_err(no_thread)?;
        let feed = Feed::new(wire.inbox()?.clone(), jobs).map_err(no_thread)?;
        Ok(Self { wire, feed: Mutex::new(Some(Arc::new(feed))), outcome })
    }

    /// Begins a piece of work, given as JSON.
    fn begin(&self, py: Python<'_>, job: &str) -> PyResult<()> {
        let job: Job = serde_json::from_str(job)
            .map_err(|error| Raised::options(format!("arguments: {error}"), "correct the arguments"))?;
        if !self.wire.begin() {
            let hint = "await what it does first, or use a lens of its own";
            return Err(Raised::new("BrowserLensError", "the lens is at work", hint).into());
        }
        *locked(&self.outcome) = None;
        if !self.feed().is_some_and(|feed| feed.job(py, job)) {
            self.wire.end();
            return Err(Raised::page("the lens is closed", "make a new BrowserLens").into());
        }
        Ok(())
    }

    /// Waits for calls to send, at most so many seconds; None when the work is done.
    fn wait<'py>(&self, py: Python<'py>, seconds: f64) -> PyResult<Option<Vec<Call<'py>>>> {
        let limit = Duration::try_from_secs_f64(seconds).unwrap_or_default();
        let calls = match py.detach(|| self.wire.next(limit)) {
            Next::Done => return Ok(None),
            Next::Nothing => Vec::new(),
            Next::Calls(calls) => calls,
        };
        let called = |call: CdpCall| Ok((call.id, call.session, call.method, json::object(py, &call.params)?));
        calls.into_iter().map(called).collect::<PyResult<_>>().map(Some)
    }

    /// Hands in the answer of a call; it may not be changed afterwards. Like a refusal and an
    /// event, it is passed over when the lens is closed.
    fn answer(&self, id: u64, result: &Bound<'_, PyAny>) -> PyResult<()> {
        self.feed().map_or(Ok(()), |feed| feed.answer(id, result))
    }

    /// Says that a call failed.
    fn refuse(&self, py: Python<'_>, id: u64, message: &str) {
        if let Some(feed) = self.feed() {
            feed.refuse(py, id, message);
        }
    }

    /// Hands in an event of a session.
    fn event(&self, session: &str, method: &str, params: &Bound<'_, PyAny>) -> PyResult<()> {
        self.feed().map_or(Ok(()), |feed| feed.event(session, method, params))
    }

    /// Returns what came of the work, or raises why nothing did.
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match locked(&self.outcome).take() {
            None => Err(Raised::page("no work is done", "begin some").into()),
            Some(Err(raised)) => Err(raised.into()),
            Some(Ok(Outcome::Nothing)) => Ok(py.None().into_bound(py)),
            Some(Ok(Outcome::Text(text))) => text.into_bound_py_any(py),
            Some(Ok(Outcome::Observation(observation))) => observation.into_bound_py_any(py),
            Some(Ok(Outcome::Page(page))) => page.into_bound_py_any(py),
        }
    }

    /// Gives up the work that is under way, so that the next can begin.
    fn give_up(&self, py: Python<'_>) {
        py.detach(|| {
            self.wire.give_up();
            if let Some(feed) = self.feed() {
                feed.settle(GIVE_UP);
            }
        });
        drop(locked(&self.outcome).take());
    }

    /// Ends the lens; the browser and its pages stay as they are.
    fn close(&self, py: Python<'_>) {
        drop(locked(&self.feed).take());
        if let Ok(inbox) = self.wire.inbox() {
            py.detach(|| inbox.close());
        }
    }
}

impl Lens {
    fn feed(&self) -> Option<Arc<Feed<Job>>> {
        locked(&self.feed).clone()
    }
}

fn no_thread(error: std::io::Error) -> Raised {
    Raised::options(format!("no thread can be started: {error}"), "end other processes")
}

/// Does work until nobody has any more.
fn run(mut work: Work, jobs: &Receiver<Job>, wire: &Wire, outcome: &Slot) {
    while let Ok(job) = jobs.recv() {
        // A panic is a mistake of ours; whoever waits must hear of it.
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work.carry_out(job)));
        let done = done.unwrap_or_else(|_| Err(Raised::mistake("the lens panicked")));
        *locked(outcome) = Some(done);
        wire.end();
    }
}

fn way(way: &LookWay) -> String {
    match way {
        LookWay::Whole => "whole".to_owned(),
        LookWay::Again(why) => format!("again: {why}"),
        LookWay::Patched => "patched".to_owned(),
        LookWay::Unchanged => "unchanged".to_owned(),
    }
}

impl Work {
    fn browser(&mut self) -> Result<&mut LiveBrowser> {
        self.session.browser().ok_or_else(|| Raised::page("there is no browser", "make a new BrowserLens"))
    }

    /// Makes the page of a session the one that is looked at.
    fn show(&mut self, session: &str) -> Result<()> {
        let tab = self.tabs.get(session).copied();
        let tab = tab.ok_or_else(|| Raised::page("the page is not known", "observe it first"))?;
        let browser = self.browser()?;
        browser.show_tab(tab);
        if let Some(dialog) = browser.dialog() {
            return Err(Raised::page(
                format!("a dialog is open: {:?}", dialog.message),
                "accept or dismiss the dialog first",
            )
            .at_url(&browser.url()));
        }
        Ok(())
    }

    fn carry_out(&mut self, job: Job) -> Result<Outcome> {
        match job {
            Job::AddPage { session, target, url } => {
                let tab = self.browser()?.add_page(&session, &target, &url)?;
                self.tabs.insert(session, tab);
            }
            Job::AddFrame { parent, session, target, url } => {
                self.browser()?.add_frame(&parent, &session, &target, &url)?;
            }
            Job::RemoveSession { session } => {
                self.browser()?.remove_session(&session);
                self.tabs.remove(&session);
            }
            Job::Observe { session, full, action } => return self.observe(&session, full, action),
            Job::Expand { handle, from, to } => {
                let shown = self.session.expansion(&handle, from, to)?;
                return Ok(Outcome::Observation(Observation::of(shown, &self.session)));
            }
            Job::Page { session } => {
                self.show(&session)?;
                return Ok(Outcome::Page(Page { page: self.browser()?.look()? }));
            }
            Job::Attend { session } => self.show(&session)?,
            Job::Node { session, reference } => {
                self.show(&session)?;
                let key = self.session.node_of(&reference)?;
                let browser = self.browser()?;
                let place = browser.place_of_node(key).ok_or_else(|| {
                    Raised::page(
                        format!("{reference} is of another document"),
                        "observe again and use the ref that is shown now",
                    )
                    .at_url(&browser.url())
                })?;
                return Ok(Outcome::Text(serde_json::json!([place.0, place.1]).to_string()));
            }
            Job::Snapshot { session, options } => {
                let options = options.options()?;
                self.show(&session)?;
                let text = self.session.beside(|lens, page| snapshot_in(lens, page, &options))?;
                return Ok(Outcome::Text(self.session.masked(text?)));
            }
            Job::ReadText { session, reading } => {
                let options = reading.options()?;
                self.show(&session)?;
                return Ok(Outcome::Text(told(self.session.read(&options)?)));
            }
            Job::Inspect { session, tool, query } => {
                self.show(&session)?;
                return Ok(Outcome::Text(self.session.inspection(&tool, query)?));
            }
        }
        Ok(Outcome::Nothing)
    }

    fn observe(&mut self, session: &str, full: bool, action: Option<(String, String)>) -> Result<Outcome> {
        let (began, waited) = (Instant::now(), self.browser()?.waited_micros());
        self.show(session)?;
        let action = action.map(|(kind, text)| taken(&kind, &text)).transpose()?;
        let url = self.browser()?.url();
        let shown = self.session.observation(full, action.as_ref());
        let shown = shown.map_err(|error| Raised::from(error).at_url(&url))?;
        let browser = self.browser()?;
        let (way, waited) = (way(&browser.look_way()), browser.waited_micros() - waited);
        let timings = vec![("total", began.elapsed().as_micros() as u64), ("browser", waited)];
        Ok(Outcome::Observation(Observation::of(shown, &self.session).timed(timings, way)))
    }
}

fn taken(kind: &str, text: &str) -> Result<TakenAction> {
    let kind: ActionKind = serde_json::from_value(serde_json::Value::from(kind))
        .map_err(|error| Raised::options(format!("action: {error}"), "name an action such as click, fill or goto"))?;
    Ok(TakenAction { kind, node: None, text: text.to_owned(), error: None })
}
