//! A live page behind the same traits as a trace: look at it, query its events, act on it.
//!
//! In: a URL. Out: a [`PageSource`] and [`Actor`]. Invariants: the page keeps its own time and is captured anew after every action and
//! on request; a node key stays good as long as its document is shown. Calls block: do not make them on a thread of an async runtime.

use crate::actions::Deed;
use crate::aim::Undone;
use crate::chrome::ChromeOptions;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::look::Look;
use crate::mask;
use crate::pump::SessionSetup;
use crate::setup::runs_as_root;
use crate::stage::Stage;
use browserlens_page::{BoxInDocument, Capture, NodeKey, Page, Viewport};
use browserlens_scenario::{Target, TargetBy};
use browserlens_strategy::{
    ActError, ActionKind, Actor, BodyHead, BodySide, CaptureImage, Event, EventFilter, EventKind, EventTally,
    ImageSpace, PageSource, SourceError, SourceId, StepIndex, TakenAction,
};
use browserlens_trace::{Canonicalizer, RedactionOptions, Redactor};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// How a live page is opened.
#[derive(Clone, Debug)]
pub struct LiveOptions {
    /// Chromium; looked for in `$CHROME` and on `PATH` if not said.
    pub chrome: Option<PathBuf>,
    /// Whether Chromium runs without its sandbox; as root it always does.
    pub no_sandbox: bool,
    /// Viewport of the browser.
    pub viewport: Viewport,
    /// Locale of the browser.
    pub locale: String,
    /// Time zone of the browser.
    pub timezone: String,
    /// Longest time for an action and for settling.
    pub timeout: Duration,
}

impl Default for LiveOptions {
    fn default() -> Self {
        Self {
            chrome: None,
            no_sandbox: false,
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            timeout: Duration::from_secs(30),
        }
    }
}

/// Most bytes of bodies that a live session holds; of more, the oldest go. Their sizes stay.
const BODIES_HELD: usize = 64 << 20;

/// How much of the bodies of a session's events is held.
#[derive(Debug, Default)]
struct HeldBodies {
    bytes: usize,
    /// Events before this one have no bodies any more.
    oldest: usize,
    /// Events before this one are counted.
    counted: usize,
}

impl HeldBodies {
    fn keep_within(&mut self, most: usize, events: &mut [Event]) {
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

/// A browser with a live page; dropping it ends the browser.
pub struct LiveBrowser {
    // Before the runtime: the browser's connections end on it.
    stage: Stage,
    runtime: tokio::runtime::Runtime,
    step: u32,
    stale: bool,
    events: Vec<Event>,
    bodies: HeldBodies,
    redactor: Redactor,
    session: [u8; 16],
    timeout: Duration,
}

impl std::fmt::Debug for LiveBrowser {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LiveBrowser").field("step", &self.step).field("url", &self.stage.driver.url()).finish()
    }
}

impl LiveBrowser {
    /// Starts a browser, opens a URL and lets the page settle.
    ///
    /// # Errors
    /// [`RecordError`] if there is no browser or the URL cannot be opened.
    pub fn open(url: &str, options: &LiveOptions) -> Result<Self, RecordError> {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().map_err(|source| {
                RecordError::Io { context: "cannot start the browser's threads".to_owned(), source }
            })?;
        let viewport = (options.viewport.width, options.viewport.height);
        let chrome = ChromeOptions {
            path: options.chrome.clone(),
            no_sandbox: options.no_sandbox || runs_as_root(),
            viewport,
            locale: options.locale.clone(),
            host_rules: None,
        };
        let setup = SessionSetup {
            clock_seed: None,
            viewport,
            scale: options.viewport.scale,
            locale: options.locale.clone(),
            timezone: options.timezone.clone(),
            started: Instant::now(),
            attached: false,
        };
        let stage = runtime.block_on(async {
            let driver = Driver::start(&chrome, setup, options.timeout, None).await?;
            let mut stage = Stage {
                driver,
                canonicalizer: Canonicalizer::new(),
                secrets: Vec::new(),
                scale: options.viewport.scale,
                last: None,
                current: None,
            };
            let opened = stage.act(&Deed::Goto { url: url.to_owned() }, None, None).await;
            if let Err(undone) = opened {
                return Err(match undone {
                    Undone::Impossible(reason) => {
                        RecordError::NotActionable { step: 0, action: "goto".to_owned(), target: String::new(), reason }
                    }
                    Undone::Call(error) => stage.driver.failure("opening the page", error),
                });
            }
            stage.settle(false).await?;
            Ok(stage)
        })?;
        let redactor = Redactor::new(RedactionOptions::default());
        let (events, session, timeout) = (Vec::new(), new_session(url), options.timeout);
        let bodies = HeldBodies::default();
        Ok(Self { stage, runtime, step: 0, stale: true, events, bodies, redactor, session, timeout })
    }

    /// Makes the next look capture the page anew.
    pub fn refresh(&mut self) {
        self.stale = true;
    }

    /// Evaluates an expression in the page as its own scripts would, and returns its value; the page may be another after it.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or the expression throws.
    pub fn evaluate(&mut self, expression: &str) -> Result<serde_json::Value, SourceError> {
        let driver = &self.stage.driver;
        let session = driver.session();
        let params = serde_json::json!({ "expression": expression, "returnByValue": true, "awaitPromise": true });
        let reply = self
            .runtime
            .block_on(driver.call(&session, "Runtime.evaluate", &params))
            .map_err(|error| gone(driver.failure("evaluating", error)))?;
        self.stale = true;
        let mut reply = reply.value();
        match reply.get("exceptionDetails") {
            None => Ok(reply["result"]["value"].take()),
            Some(thrown) => Err(SourceError::Failed {
                context: "evaluating in the live page".to_owned(),
                cause: thrown["exception"]["description"].as_str().unwrap_or("it threw").to_owned().into(),
            }),
        }
    }

    fn take_events(&mut self) {
        let (driver, step) = (&self.stage.driver, self.step);
        let mut new = driver.world.change(|state| state.log.take(step, false, false));
        new.iter_mut().for_each(|event| self.redactor.redact_event(event));
        self.events.extend(new);
        self.bodies.keep_within(BODIES_HELD, &mut self.events);
    }

    fn deed(&self, action: &TakenAction) -> Result<Deed, String> {
        let text = action.text.clone();
        let number = |text: &str| text.trim().parse::<f32>().map_err(|_| format!("{text:?} is no number"));
        Ok(match action.kind {
            ActionKind::Goto => Deed::Goto { url: text },
            ActionKind::Click => Deed::Click { times: 1, right: false },
            ActionKind::DoubleClick => Deed::Click { times: 2, right: false },
            ActionKind::RightClick => Deed::Click { times: 1, right: true },
            ActionKind::Hover => Deed::Hover,
            ActionKind::Fill => Deed::Fill { text },
            ActionKind::Type => Deed::Type { text },
            ActionKind::Press => Deed::Press { key: text },
            ActionKind::Select => Deed::Select { label: text },
            ActionKind::Check => Deed::Check { on: text != "false" },
            ActionKind::Upload => Deed::Upload { files: text.split(", ").map(PathBuf::from).collect() },
            ActionKind::Scroll => {
                let (x, y) = text.split_once(',').ok_or("scroll takes \"x, y\" in CSS px as its text")?;
                Deed::Scroll { x: number(x)?, y: number(y)? }
            }
            ActionKind::Back => Deed::History { by: -1 },
            ActionKind::Forward => Deed::History { by: 1 },
            ActionKind::SwitchTab => {
                let index = text.trim().parse().map_err(|_| format!("{text:?} is no number of a tab"))?;
                Deed::SwitchTab { index }
            }
            ActionKind::CloseTab => Deed::CloseTab,
            ActionKind::Dialog => match text.as_str() {
                "dismiss" => Deed::Dialog { accept: false, text: None },
                "accept" | "" => Deed::Dialog { accept: true, text: None },
                _ => Deed::Dialog { accept: true, text: Some(text) },
            },
            ActionKind::Drag | ActionKind::WaitFor => return Err(format!("{} is no single input", action.kind)),
        })
    }
}

/// A number that no other session has: of this process, this moment, and how many there were before.
pub(crate) fn new_session(url: &str) -> [u8; 16] {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(url.as_bytes());
    hasher.update(&since_epoch.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    hasher.update(&OPENED.fetch_add(1, Ordering::Relaxed).to_le_bytes());
    let mut session = [0; 16];
    hasher.finalize_xof().fill(&mut session);
    session
}

fn gone(error: RecordError) -> SourceError {
    match error {
        RecordError::BrowserGone { doing, .. } => {
            SourceError::Gone { reason: format!("Chromium ended while it was {doing}") }
        }
        other => SourceError::Failed { context: "reading the live page".to_owned(), cause: Box::new(other) },
    }
}

impl PageSource for LiveBrowser {
    fn step(&self) -> StepIndex {
        StepIndex(self.step)
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if self.stale && !self.stage.is_blocked() {
            self.runtime.block_on(self.stage.capture()).map_err(gone)?;
            self.stale = false;
        }
        let seen = self.stage.last.as_ref();
        let seen = seen.ok_or_else(|| SourceError::NotAvailable { what: "a page that a dialog blocks".to_owned() })?;
        Ok((Arc::clone(&seen.page), Arc::new(seen.capture.clone())))
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        self.take_events();
        let later = |event: &&Event| after.is_none_or(|after| event.position > after);
        let passing = self.events.iter().filter(later).filter(|event| filter.passes(event)).take(limit);
        Ok(passing.map(|event| filter.parts.of(event)).collect())
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        self.take_events();
        let later = |event: &&Event| after.is_none_or(|after| event.position > after);
        let passing = self.events.iter().filter(later).filter(|event| filter.passes(event));
        Ok(passing.fold(EventTally::default(), |tally, event| EventTally {
            count: tally.count + 1,
            last: tally.last.max(Some(event.position)),
        }))
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        let found = self.events.binary_search_by_key(&position, |event| event.position).ok();
        let Some(EventKind::Request(request)) = found.map(|at| &self.events[at].kind) else { return Ok(None) };
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
        Ok(self.stage.driver.now_ms())
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        self.take_events();
        let mut tabs: Vec<u32> = self.events.iter().map(|event| event.tab).collect();
        tabs.push(self.stage.driver.tab);
        tabs.sort_unstable();
        tabs.dedup();
        Ok(tabs)
    }

    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if tab == self.stage.driver.tab {
            return self.page();
        }
        Err(SourceError::NotAvailable { what: format!("the page of tab {tab}, which is not in front,") })
    }

    fn crop(&mut self, bounds: BoxInDocument) -> Result<CaptureImage, SourceError> {
        if bounds.is_empty() || self.stage.is_blocked() {
            return Err(SourceError::NotAvailable { what: "a crop of an empty box or a blocked page".to_owned() });
        }
        let (page, _) = self.page()?;
        let clip = [bounds.x, bounds.y, bounds.width, bounds.height].map(f64::from);
        let driver = &self.stage.driver;
        let png = self
            .runtime
            .block_on(driver.crop_pixels(&mut Look::default(), clip))
            .map_err(|error| gone(driver.failure("cropping", error)))?;
        let boxes = mask::secret_boxes(&page, &self.stage.secrets);
        let png = mask::paint_over(png, &boxes, (bounds.x, bounds.y), self.stage.scale)
            .map_err(|reason| SourceError::Failed { context: "reading a crop".to_owned(), cause: reason.into() })?;
        Ok(CaptureImage { png: png.into(), space: ImageSpace::Document(bounds) })
    }
}

impl Actor for LiveBrowser {
    fn act(&mut self, action: &TakenAction, node: Option<NodeKey>) -> Result<(), ActError> {
        let nowhere = NodeKey { frame: 0, loader: 0, backend: 0 };
        let not_actionable = |reason: String| ActError::NotActionable { key: node.unwrap_or(nowhere), reason };
        if self.stage.last.is_none() {
            self.page()?;
        }
        if action.kind == ActionKind::WaitFor {
            let target = Target { by: TargetBy::Text(action.text.clone()), within: None, nth: None };
            let limit = self.timeout.as_millis() as u64;
            self.runtime.block_on(self.stage.wait_for(&target, limit)).map_err(gone)?;
        } else {
            let deed = self.deed(action).map_err(not_actionable)?;
            if self.stale && node.is_some() && !self.stage.is_blocked() {
                // The page may have moved on since it was looked at.
                self.runtime.block_on(self.stage.glance()).map_err(gone)?;
            }
            if let (Some(key), Some(seen)) = (node, self.stage.current.as_ref())
                && self.stage.driver.place_of(key, seen, &self.stage.canonicalizer).is_none()
            {
                return Err(ActError::NodeGone { key });
            }
            let (stage, timeout) = (&mut self.stage, self.timeout);
            let done =
                self.runtime.block_on(async { tokio::time::timeout(timeout, stage.act(&deed, node, None)).await });
            match done {
                Ok(Ok(())) => {}
                Ok(Err(Undone::Impossible(reason))) => return Err(not_actionable(reason)),
                Ok(Err(Undone::Call(error))) => {
                    return Err(gone(self.stage.driver.failure("acting", error)).into());
                }
                Err(_) => return Err(not_actionable(format!("it took longer than {:?}", self.timeout))),
            }
        }
        self.step += 1;
        self.stage.driver.step = self.step;
        self.stale = true;
        // A dialog stays open: the caller answers it with the next action.
        self.runtime.block_on(self.stage.settle(true)).map_err(gone)?;
        self.take_events();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_strategy::RequestEvent;

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
