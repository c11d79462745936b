//! A live page behind the same traits as a trace: look at it, query its events, act on it.
//!
//! In: a URL, or the address of a browser that runs. Out: a [`PageSource`] and `Actor`, and what
//! a person does with tabs, dialogs and time. Invariants: the page keeps its own time and is
//! captured anew after every action and on request; a node key stays good as long as its document
//! is shown and never comes to mean another node, also after a restart; a browser that somebody
//! else started stays, with every tab that was there. Calls block: do not make them on a thread of
//! an async runtime.

mod act;
mod bodies;
mod given;
mod site;
mod source;

pub use act::Wait;

use crate::attach::AttachTab;
use crate::browser_state::Tab;
use crate::capture::{Look, LookWay};
use crate::capture_session::CaptureSession;
use crate::chrome::ChromeOptions;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use crate::mask;
use crate::session_id::new_session;
use crate::site_server::SiteServer;
use crate::socket::CallError;
use bodies::{BODIES_HELD, HeldBodies};
use browserlens_core::page::{BoxInDocument, BoxInViewport, NodeKey, Page, Viewport};
use browserlens_core::strategy::{CaptureImage, DialogKind, Event, EventKind, ImageSpace, PageSource, SourceError};
use browserlens_trace::{Canonicalizer, Redactor};
use given::GivenBrowser;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How a live page is opened.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Chromium; looked for in `$CHROME` and on `PATH` if not said.
    pub chrome: Option<PathBuf>,
    /// Whether Chromium runs without its sandbox; as root it always does.
    pub no_sandbox: bool,
    /// Viewport of the browser; one that was attached to keeps its own.
    pub viewport: Viewport,
    /// Locale of the browser; one that was attached to keeps its own.
    pub locale: String,
    /// Time zone of the browser; one that was attached to keeps its own.
    pub timezone: String,
    /// Proxy that every request goes through, such as `http://127.0.0.1:3128`; a browser that was
    /// attached to keeps its own.
    pub proxy: Option<String>,
    /// Longest time for an action.
    pub timeout: Duration,
    /// Longest time that requests of an action and what a new page loads are waited for. What moves
    /// is waited for two seconds at most, a navigation as long as the action may take.
    pub quiet_limit: Duration,
    /// How long a page is watched of which nothing can be seen to come, or that was just opened;
    /// any other is looked at as soon as what the action set off is done.
    pub quiet: Duration,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            chrome: None,
            no_sandbox: false,
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            proxy: None,
            timeout: Duration::from_secs(30),
            quiet_limit: Duration::from_secs(5),
            quiet: Duration::from_millis(200),
        }
    }
}

/// Where the browser comes from.
#[derive(Clone, Debug)]
enum Origin {
    /// One of our own.
    Own,
    /// Somebody else's, by its address.
    Attached { address: String, tab: AttachTab },
    /// Our own, on a bundled site that is served under its hosts.
    Site { sites_dir: PathBuf, site: String },
    /// Somebody else's, through sessions that somebody else holds.
    Given(GivenBrowser),
}

/// One open tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TabInfo {
    /// Number of the tab; closed tabs keep theirs.
    pub index: u32,
    /// URL of its page.
    pub url: String,
    /// Whether it is the one that is looked at and acted on.
    pub current: bool,
    /// Whether it was there before we came, and so is never closed by us.
    pub kept: bool,
}

/// A dialog of the browser that blocks the current tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DialogInfo {
    /// What kind of dialog it is.
    pub kind: DialogKind,
    /// What it says.
    pub message: String,
}

/// A browser with a live page; dropping it ends the browser, or leaves one that somebody else
/// started.
pub struct LiveBrowser {
    // Before the runtime: the browser's connections end on it.
    stage: CaptureSession,
    served: Option<SiteServer>,
    runtime: tokio::runtime::Runtime,
    options: LiveOptions,
    origin: Origin,
    step: u32,
    stale: bool,
    events: Vec<Event>,
    bodies: HeldBodies,
    redactor: Redactor,
    session: [u8; 16],
}

browserlens_core::opaque_debug!(self: LiveBrowser { step: self.step, url: self.url() });

impl Drop for LiveBrowser {
    fn drop(&mut self) {
        self.runtime.block_on(self.stage.driver.leave());
    }
}

impl LiveBrowser {
    /// Starts a browser, opens a URL and lets the page settle.
    ///
    /// # Errors
    /// [`RecordError`] if there is no browser or the URL cannot be opened.
    pub fn open(url: &str, options: &LiveOptions) -> Result<Self, RecordError> {
        Self::begin(Origin::Own, Some(url), options)
    }

    /// Attaches to a browser that runs with a debugging port, by `http://host:port`,
    /// `ws://host:port/devtools/browser/…` or the address of one of its pages. It stays as it is
    /// when this is dropped: only tabs that we opened are closed.
    ///
    /// # Errors
    /// [`RecordError::AttachFailed`] if no browser answers there or it has no such tab.
    pub fn attach(address: &str, tab: &AttachTab, options: &LiveOptions) -> Result<Self, RecordError> {
        Self::begin(Origin::Attached { address: address.to_owned(), tab: tab.clone() }, None, options)
    }

    fn begin(origin: Origin, url: Option<&str>, options: &LiveOptions) -> Result<Self, RecordError> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
        let context = || "cannot start the browser's threads".to_owned();
        let runtime = runtime.map_err(|source| RecordError::Io { context: context(), source })?;
        let served = match &origin {
            Origin::Site { sites_dir, site } => {
                Some(runtime.block_on(SiteServer::start_on_page_time(sites_dir, site))?)
            }
            Origin::Own | Origin::Attached { .. } | Origin::Given(_) => None,
        };
        let stage = runtime.block_on(stage(&origin, options, Canonicalizer::new(), served.as_ref()))?;
        let mut live = Self {
            stage,
            served,
            runtime,
            options: options.clone(),
            origin,
            step: 0,
            stale: true,
            events: Vec::new(),
            bodies: HeldBodies::default(),
            redactor: Redactor::masking(),
            session: new_session(url.unwrap_or("")),
        };
        match url {
            Some(url) => live.open_url(url)?,
            None if matches!(live.origin, Origin::Given(_)) => {}
            None => drop(live.runtime.block_on(live.stage.settle(true))?),
        }
        Ok(live)
    }

    /// Starts the browser anew, or attaches to it anew, after it ended or its page crashed, and
    /// opens the URL that was shown last. Keys of nodes before it mean nothing any more; events
    /// before it stay.
    ///
    /// # Errors
    /// [`RecordError`] if there is no browser or the URL cannot be opened.
    pub fn restart(&mut self) -> Result<(), RecordError> {
        self.take_events();
        let url = self.url();
        self.runtime.block_on(self.stage.driver.leave());
        // The numbers of documents go on, so that no key of before comes to mean a node of after.
        let canonicalizer = self.stage.canonicalizer.clone();
        let started = stage(&self.origin, &self.options, canonicalizer, self.served.as_ref());
        self.stage = self.runtime.block_on(started)?;
        self.stale = true;
        self.step += 1;
        self.stage.driver.step = self.step;
        if url.is_empty() || url == "about:blank" {
            return Ok(());
        }
        self.open_url(&url)
    }

    /// Makes the next look capture the page anew.
    pub fn refresh(&mut self) {
        self.stale = true;
    }

    /// Returns the URL of the current tab.
    pub fn url(&self) -> String {
        self.stage.driver.url()
    }

    /// Returns URL and number of the document in the current tab, which a navigation and a reload
    /// replace, without asking the browser; none while it is being replaced or loaded.
    pub fn document(&self) -> Option<(String, String)> {
        self.stage.driver.document()
    }

    /// Returns name and version of the browser.
    pub fn browser_name(&self) -> &str {
        &self.stage.driver.browser_name
    }

    /// Returns the WebSocket address of the browser's protocol, for other tools that attach to it.
    pub fn protocol_address(&self) -> String {
        self.stage.driver.chrome.address()
    }

    /// Ends a browser of our own at once, as a crash would; [`LiveBrowser::restart`] brings it
    /// back. One that was attached to stays.
    pub fn kill(&mut self) {
        let driver = &mut self.stage.driver;
        if driver.chrome.is_attached() {
            return;
        }
        driver.chrome.end();
        let limit = Instant::now() + Duration::from_secs(10);
        self.runtime.block_on(driver.browser.wait_for(limit, |state| state.gone.then_some(())));
    }

    /// Returns how long the last look that read the page waited for the browser, and how long it
    /// took in all, in microseconds; some of the rest of a look goes on while the browser answers.
    pub fn look_micros(&self) -> (u64, u64) {
        let timings = || self.stage.current.iter().flat_map(|seen| &seen.timings);
        let sum = |names: &[&str]| {
            timings().filter(|(call, _)| names.contains(&call.as_str())).map(|(_, micros)| micros).sum()
        };
        (sum(&["fast", "Accessibility.getFullAXTree"]), sum(&["look"]))
    }

    /// Returns how the last [`PageSource::look`] came about.
    pub fn look_way(&self) -> LookWay {
        self.stage.fast.way.clone()
    }

    /// Looks at the page and reads it whole, whatever is known of it.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or blocked.
    pub fn look_afresh(&mut self) -> Result<Arc<Page>, SourceError> {
        self.stage.fast.forget_all();
        self.look()
    }

    /// Returns whether somebody else started the browser.
    pub fn is_attached(&self) -> bool {
        self.stage.driver.chrome.is_attached()
    }

    /// Returns whether the browser and the page's process are there; if not,
    /// [`LiveBrowser::restart`] brings them back.
    pub fn is_alive(&self) -> bool {
        let state = self.stage.driver.browser.read();
        !state.gone && state.crashed.is_none()
    }

    /// Returns the dialog that blocks the current tab, if one does.
    pub fn dialog(&mut self) -> Option<DialogInfo> {
        if !self.stage.is_blocked() {
            return None;
        }
        self.take_events();
        let tab = self.stage.driver.tab;
        self.events.iter().rev().filter(|event| event.tab == tab).find_map(|event| match &event.kind {
            EventKind::Dialog(dialog) => Some(DialogInfo { kind: dialog.kind, message: dialog.message.clone() }),
            _ => None,
        })
    }

    /// Returns the open tabs, in order of opening.
    pub fn open_tabs(&self) -> Vec<TabInfo> {
        let driver = &self.stage.driver;
        let state = driver.browser.read();
        let info = |(index, tab): (u32, &Tab)| TabInfo {
            index,
            url: state.url_of(index),
            current: index == driver.tab,
            kept: driver.kept.contains(&tab.target),
        };
        state.open_tabs().map(info).collect()
    }

    /// Returns the pixels of the viewport, or of a node's box in the document, with secret fields
    /// painted over.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or blocked, or the node is not there or has no box.
    pub fn screenshot(&mut self, of: Option<NodeKey>) -> Result<CaptureImage, SourceError> {
        if self.stage.is_blocked() {
            return Err(unavailable("a screenshot of a page that a dialog blocks"));
        }
        let page = self.runtime.block_on(self.stage.glance()).map_err(gone)?.page.clone();
        let Some(key) = of else {
            let (scroll, view) = (page.scroll(), page.viewport());
            let png = self.ask("taking a screenshot", self.stage.driver.viewport_pixels(&mut Look::default()))?;
            let png = self.masked(png, &page, (scroll.x, scroll.y))?;
            let (width, height) = (view.width as f32, view.height as f32);
            let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width, height });
            return Ok(CaptureImage { png, space });
        };
        let bounds = page.find(key).map(|node| node.bounds()).filter(|bounds| !bounds.is_empty());
        let bounds = bounds.ok_or_else(|| unavailable(format!("a picture of node {key}, which has no box,")))?;
        self.crop_of(&page, bounds)
    }

    /// Awaits what the browser answers while something is done.
    fn ask<T>(&self, doing: &str, answer: impl Future<Output = Result<T, CallError>>) -> Result<T, SourceError> {
        self.runtime.block_on(answer).map_err(|error| gone(self.stage.driver.failure(doing, error)))
    }

    fn masked(&self, png: Vec<u8>, page: &Page, origin: (f32, f32)) -> Result<Arc<[u8]>, SourceError> {
        let boxes = mask::secret_boxes(page, &self.stage.secrets);
        let painted = mask::paint_over(png, &boxes, origin, self.stage.scale);
        painted.map(Into::into).map_err(|reason| failed("reading a screenshot", reason))
    }

    fn crop_of(&self, page: &Page, bounds: BoxInDocument) -> Result<CaptureImage, SourceError> {
        let png = self.ask("cropping", self.stage.driver.crop_pixels(&mut Look::default(), bounds))?;
        let png = self.masked(png, page, (bounds.x, bounds.y))?;
        Ok(CaptureImage { png, space: ImageSpace::Document(bounds) })
    }

    /// Evaluates an expression in the page as its own scripts would, and returns its value; the
    /// page may be another after it.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or the expression throws.
    pub fn evaluate(&mut self, expression: &str) -> Result<serde_json::Value, SourceError> {
        let driver = &self.stage.driver;
        let params = serde_json::json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let mut reply = self.ask("evaluating", driver.call(&driver.session(), "Runtime.evaluate", &params))?.value();
        self.stale = true;
        let Some(thrown) = reply.get("exceptionDetails") else {
            return Ok(reply.pointer_mut("/result/value").map(serde_json::Value::take).unwrap_or_default());
        };
        let cause = thrown["exception"]["description"].as_str().unwrap_or("it threw");
        Err(failed("evaluating in the live page", cause))
    }

    fn take_events(&mut self) {
        let (driver, step) = (&self.stage.driver, self.step);
        let mut new = driver.browser.change(|state| state.log.take(step, false, false));
        new.iter_mut().for_each(|event| self.redactor.redact_event(event));
        // After a restart the new browser's log counts from 0 again.
        let next = self.events.last().map_or(0, |event| event.position + 1);
        for (offset, event) in new.iter_mut().enumerate() {
            event.position = next + offset as u64;
        }
        self.events.extend(new);
        self.bodies.keep_within(BODIES_HELD, &mut self.events);
    }
}

/// Starts or attaches to the browser.
async fn stage(
    origin: &Origin,
    options: &LiveOptions,
    canonicalizer: Canonicalizer,
    served: Option<&SiteServer>,
) -> Result<CaptureSession, RecordError> {
    let viewport = options.viewport;
    let setup = SessionSetup {
        clock_seed: served.map(|_| site::SEED),
        viewport,
        locale: options.locale.clone(),
        timezone: options.timezone.clone(),
        attached: matches!(origin, Origin::Attached { .. } | Origin::Given(_)),
        given: matches!(origin, Origin::Given(_)),
        tree_anew: true,
        ..SessionSetup::default()
    };
    let mut driver = match origin {
        Origin::Own | Origin::Site { .. } => {
            let chrome = ChromeOptions {
                path: options.chrome.clone(),
                no_sandbox: options.no_sandbox,
                host_rules: served.map(SiteServer::resolver_rules),
                proxy: options.proxy.clone(),
                tells_roles: true,
            };
            Driver::start(&chrome, setup, options.timeout, served.and_then(SiteServer::clock)).await?
        }
        Origin::Attached { address, tab } => Driver::attach(address, tab, setup, options.timeout).await?,
        Origin::Given(browser) => Driver::given(browser, setup, options.timeout)?,
    };
    (driver.quiet_limit, driver.quiet) = (options.quiet_limit, options.quiet);
    Ok(CaptureSession::new(driver, canonicalizer, Vec::new(), viewport.scale))
}

fn gone(error: RecordError) -> SourceError {
    match error {
        RecordError::BrowserGone { doing, .. } => {
            SourceError::Gone { reason: format!("Chromium ended while it was {doing}; restart it") }
        }
        other => SourceError::Failed { context: "reading the live page".to_owned(), cause: Box::new(other) },
    }
}

fn failed(context: &str, cause: impl Into<String>) -> SourceError {
    SourceError::Failed { context: context.to_owned(), cause: cause.into().into() }
}

fn unavailable(what: impl Into<String>) -> SourceError {
    SourceError::NotAvailable { what: what.into() }
}
