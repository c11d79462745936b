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
    ActError, ActionKind, Actor, CaptureImage, Event, EventFilter, EventKind, ImageSpace, PageSource, SourceError,
    StepIndex, TakenAction,
};
use browserlens_trace::Canonicalizer;
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

/// A browser with a live page; dropping it ends the browser.
pub struct LiveBrowser {
    // Before the runtime: the browser's connections end on it.
    stage: Stage,
    runtime: tokio::runtime::Runtime,
    step: u32,
    stale: bool,
    events: Vec<Event>,
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
        Ok(Self { stage, runtime, step: 0, stale: true, events: Vec::new(), timeout: options.timeout })
    }

    /// Makes the next look capture the page anew.
    pub fn refresh(&mut self) {
        self.stale = true;
    }

    fn take_events(&mut self) {
        let (driver, step) = (&self.stage.driver, self.step);
        let new = driver.world.change(|state| state.log.take(step, false, false));
        self.events.extend(new);
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
        Ok(self.events.iter().filter(later).filter(|event| passes(event, filter)).take(limit).cloned().collect())
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

fn passes(event: &Event, filter: &EventFilter) -> bool {
    let within =
        filter.from_step.is_none_or(|from| event.step >= from) && filter.to_step.is_none_or(|to| event.step <= to);
    let kind = filter.kinds.is_empty() || filter.kinds.iter().any(|kind| kind == event.kind.name());
    let level = filter.levels.is_empty()
        || matches!(&event.kind, EventKind::Console(message) if filter.levels.contains(&message.level));
    let status = filter
        .min_status
        .is_none_or(|least| matches!(&event.kind, EventKind::Request(request) if request.status >= least));
    let text = filter.contains.as_ref().is_none_or(|wanted| {
        let wanted = wanted.to_lowercase();
        said(&event.kind).iter().any(|text| text.to_lowercase().contains(&wanted))
    });
    within && kind && level && status && text
}

/// Returns what a search for text looks at: message and URL.
fn said(kind: &EventKind) -> Vec<&str> {
    match kind {
        EventKind::Console(message) => vec![&message.text, &message.url],
        EventKind::Request(request) => vec![&request.url],
        EventKind::Dialog(dialog) => vec![&dialog.message],
        EventKind::Tab(tab) => vec![&tab.url, &tab.title],
        EventKind::Download(download) => vec![&download.url, &download.file_name],
    }
}
