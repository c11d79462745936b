//! What a recording is asked for and what it reports.
//!
//! In: nothing; plain types between the command line and the recorder.

use browserlens_core::page::{Capture, Page, PayloadKind};
use browserlens_core::strategy::{Event, EventKind};
use browserlens_trace::{RedactionKey, Settled};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// Sites by wall time: how long network and layout must be quiet, unless told otherwise.
pub(crate) const QUIET: Duration = Duration::from_millis(500);

/// How a scenario is recorded.
#[derive(Clone)]
pub struct RecordOptions {
    /// Folder of the bundled sites (`traces/sites`).
    pub sites_dir: PathBuf,
    /// The trace to write.
    pub out: PathBuf,
    /// Chromium; looked for in `$CHROME` and on `PATH` if not said.
    pub chrome: Option<PathBuf>,
    /// Whether a trace that stands at `out` is replaced.
    pub force: bool,
    /// Whether Chromium runs without its sandbox; as root it always does.
    pub no_sandbox: bool,
    /// Longest real time that a page may take to come to rest; the scenario's `timeout_ms` if not
    /// said.
    pub ceiling: Option<Duration>,
    /// Whether the second look of bundled sites is taken.
    pub second_look: bool,
    /// What is captured and then left out of the trace.
    pub leave_out: LeaveOut,
    /// Key of the placeholders of secrets on sites of the user's own; bundled sites always use the
    /// fixed one.
    pub redaction_key: RedactionKey,
    /// Date of the recording for the trace's meta data, as RFC 3339; left out for bundled sites.
    pub recorded_at: Option<String>,
    /// Looks up environment variables that a scenario types.
    pub env: EnvLookup,
    /// Told of every step.
    pub progress: Option<ProgressCallback>,
    /// Ends the recording early.
    pub cancel: Cancel,
    /// Where the page of each capture goes together with that of a fast look taken right after it,
    /// for tests that hold them equal.
    #[doc(hidden)]
    pub fast_looks: Option<Arc<Mutex<Vec<FastLook>>>>,
    /// Called before the first navigation and after every capture, while the page stands still, for
    /// tests in which others look at the same page. A runtime of several threads is needed.
    #[doc(hidden)]
    pub beside: Option<Beside>,
}

/// Looks on.
#[doc(hidden)]
pub type Beside = Arc<dyn Fn(BesideStep) + Send + Sync>;

/// What others can look at.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BesideStep {
    /// Index of the step; none before the first navigation.
    pub step: Option<u32>,
    /// WebSocket address of the browser's protocol.
    pub address: String,
    /// Target id of the current tab.
    pub target: String,
}

/// A captured page and the same page as a fast look sees it.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct FastLook {
    /// Index of the step.
    pub step: u32,
    /// The page of the whole capture.
    pub whole: Arc<Page>,
    /// The page of the fast look.
    pub fast: Arc<Page>,
    /// Frames whose accessibility tree the fast look asked the protocol for.
    pub fallbacks: u32,
    /// Wall time of a whole look without pixels and listeners' code, and of the fast look, in
    /// microseconds.
    pub micros: (u64, u64),
}

/// What a small trace does without. The page is led through the same frames and requests either
/// way, so that leaving something out changes nothing else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LeaveOut {
    /// Screenshots and crops.
    pub pictures: bool,
    /// Bodies of requests and responses.
    pub bodies: bool,
}

impl LeaveOut {
    pub(crate) fn apply(self, capture: &mut Capture, events: &mut [Event]) {
        if self.pictures {
            capture.payloads.retain(|payload| !matches!(payload.kind, PayloadKind::Screenshot | PayloadKind::Crop));
        }
        for event in events.iter_mut().filter(|_| self.bodies) {
            if let EventKind::Request(request) = &mut event.kind {
                (request.request_body, request.response_body) = (None, None);
            }
        }
    }
}

/// Looks up an environment variable.
pub type EnvLookup = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;
/// Is told of progress.
pub type ProgressCallback = Arc<dyn Fn(&Progress) + Send + Sync>;

impl RecordOptions {
    /// Returns options that write to `out` and leave everything else as it is by default.
    pub fn new(sites_dir: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            sites_dir: sites_dir.into(),
            out: out.into(),
            chrome: None,
            force: false,
            no_sandbox: false,
            ceiling: None,
            second_look: true,
            leave_out: LeaveOut::default(),
            redaction_key: RedactionKey::Fixed,
            recorded_at: None,
            env: Arc::new(|name| std::env::var(name).ok()),
            progress: None,
            cancel: Cancel::default(),
            fast_looks: None,
            beside: None,
        }
    }

    /// Tells of progress, if anyone listens.
    pub(crate) fn tell(&self, progress: Progress) {
        if let Some(callback) = &self.progress {
            callback(&progress);
        }
    }
}

browserlens_core::opaque_debug!(self: RecordOptions { sites_dir: self.sites_dir, out: self.out, chrome: self.chrome });

/// Ends a recording early; clones share one switch.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<(AtomicBool, Notify)>);

impl Cancel {
    /// Asks for the end; finished steps stay in the trace.
    pub fn cancel(&self) {
        self.0.0.store(true, Ordering::SeqCst);
        self.0.1.notify_waiters();
    }

    /// Returns whether the end was asked for.
    pub fn is_cancelled(&self) -> bool {
        self.0.0.load(Ordering::SeqCst)
    }

    pub(crate) async fn cancelled(&self) {
        loop {
            let told = self.0.1.notified();
            if self.is_cancelled() {
                return;
            }
            told.await;
        }
    }
}

/// What a recording is at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Chromium runs; this many steps follow, step 0 included.
    Started {
        /// Number of steps.
        steps: u32,
    },
    /// A step begins.
    Step {
        /// Its index.
        index: u32,
        /// What is done, in words.
        action: String,
    },
    /// A step is in the trace.
    Finished {
        /// Its index.
        index: u32,
        /// Wall time of the step, in milliseconds.
        millis: u64,
    },
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordReport {
    /// The trace.
    pub path: PathBuf,
    /// Name and version of the browser.
    pub browser: String,
    /// The steps.
    pub steps: Vec<StepReport>,
    /// Wall time of the whole, in milliseconds.
    pub millis: u64,
}

/// What one step took.
#[derive(Clone, Debug, PartialEq)]
pub struct StepReport {
    /// Index of the step.
    pub index: u32,
    /// How the page came to rest.
    pub settled: Settled,
    /// How often the capture was torn and taken again.
    pub torn_retries: u32,
    /// Wall time of acting, settling, capture and second look, in milliseconds.
    pub millis: u64,
    /// Wall time of the capture's calls alone, in milliseconds.
    pub capture_millis: u64,
}
