//! Records what somebody else does in a running browser: an agent that drives it by itself, or a
//! person.
//!
//! In: the address of a browser's protocol. Out: a trace like any other, and a [`FollowReport`]. A
//! listener in a world of its own in every document tells of trusted events; they are grouped to
//! actions, each with the node that it meant in the capture before it. Invariants: the browser is
//! only looked at: nothing is brought to the front, resized, answered or closed; no action is lost,
//! and a step whose capture could not be taken between two actions says so; however it ends, the
//! trace is finished. A step is written when the next action begins, so that what the page brings
//! late is still part of it.

mod capture;
mod connect;
mod describe;
mod early;
mod group;
mod hear;
mod judge;
mod listen;
mod number;
mod options;
mod proceed;
mod resolve;
mod signal;

use crate::capture_session::CaptureSession;
use crate::error::RecordError;
use crate::step_writer::StepWriter;
use crate::watch::Signal;
use browserlens_trace::{Canonicalizer, Fault, Outcome, TraceError};
use capture::Shot;
use connect::connect;
pub(crate) use describe::LIMITS;
use early::Early;
use group::Act;
use listen::{Heard, Listener};
use number::Numbers;
pub use options::{FollowOptions, FollowReport};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often the page is asked whether it is quiet.
const TICK: Duration = Duration::from_millis(50);
/// How long nothing more may come before a recording that was asked to end does.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long a recording that was asked to end waits for what had come before that.
const LONGEST_WORDS: Duration = Duration::from_secs(60);

/// Records what is done in a running browser until it closes, nothing is done for long, or the
/// caller ends it.
///
/// # Errors
/// [`RecordError`] if the browser cannot be attached to or the trace cannot be written; finished
/// steps are in the trace.
pub async fn follow(options: &FollowOptions) -> Result<FollowReport, RecordError> {
    let began = Instant::now();
    if options.out.exists() && !options.force {
        return Err(TraceError::new(&options.out, Fault::Exists).into());
    }
    let (driver, signals) = connect(options).await?;
    let heard = Listener::start(driver.socket.clone(), Arc::clone(&driver.browser), signals);
    let stage = CaptureSession::new(driver, Canonicalizer::new(), Vec::new(), 1.0);
    let mut following = Following {
        options,
        stage,
        writer: None,
        numbers: Numbers::default(),
        open: Vec::new(),
        begun: false,
        pending: Pending::new(Instant::now()),
        before: None,
        asked_by_page: HashMap::new(),
        asides: HashMap::new(),
        earlies: Vec::new(),
        hurried: None,
        dialog_since: None,
        moved: Instant::now(),
        now: Instant::now(),
        looked: Instant::now(),
        patience: Duration::from_secs(2),
        aimed: None,
        late: 0,
    };
    let ended = following.run(heard).await;
    let written = following.end().await;
    let Following { stage, writer, late, .. } = following;
    stage.driver.close().await;
    let Some(writer) = writer else {
        written?;
        ended?;
        let (url, reason) = (options.url.clone(), "it showed no page while it was recorded".to_owned());
        return Err(RecordError::AttachFailed { url, reason });
    };
    let failed = ended.as_ref().err().or(written.as_ref().err());
    let outcome = failed.map_or(Outcome::Complete, |error| Outcome::Incomplete { reason: error.to_string() });
    let (steps, finished) = writer.finish(outcome);
    finished?;
    written?;
    let ended = ended?;
    let millis = began.elapsed().as_millis() as u64;
    Ok(FollowReport { path: options.out.clone(), steps, late, ended, millis })
}

/// The step that is not written yet.
struct Pending {
    /// What led to it; none yet while it is still going on, and none at all at step 0.
    act: Option<Act>,
    shot: Option<Shot>,
    began: Instant,
}

impl Pending {
    fn new(began: Instant) -> Self {
        Self { act: None, shot: None, began }
    }
}

struct Following<'a> {
    options: &'a FollowOptions,
    stage: CaptureSession,
    writer: Option<StepWriter>,
    numbers: Numbers,
    /// Actions without a capture, in order.
    open: Vec<Act>,
    /// Whether the first of them is the one of the pending step.
    begun: bool,
    pending: Pending,
    /// What the step before the pending one showed.
    before: Option<Shot>,
    /// Frames whose navigation the page itself asked for, and when.
    asked_by_page: HashMap<String, Instant>,
    /// What tabs that nobody acted in yet looked like.
    asides: HashMap<u32, Shot>,
    /// Early looks that no step has used yet, in order.
    earlies: Vec<Early>,
    /// When the last of them began.
    hurried: Option<Instant>,
    dialog_since: Option<Instant>,
    /// When what is being heard came.
    now: Instant,
    /// When something was last done.
    moved: Instant,
    /// When the page was last looked at without anything done.
    looked: Instant,
    /// How long a page that changes by itself is left alone before it is looked at again.
    patience: Duration,
    /// A click that may come: the button is down.
    aimed: Option<Act>,
    late: u32,
}

impl Following<'_> {
    async fn run(&mut self, mut heard: mpsc::UnboundedReceiver<(Instant, Heard)>) -> Result<String, RecordError> {
        let cancel = self.options.cancel.clone();
        loop {
            let next = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.hear_the_rest(&mut heard).await;
                    return Ok("it was asked to end".to_owned());
                }
                next = tokio::time::timeout(TICK, heard.recv()) => next,
            };
            let done = match next {
                Ok(Some(next)) => {
                    self.hear(next);
                    while let Ok(next) = heard.try_recv() {
                        self.hear(next);
                    }
                    match self.look_ahead().await {
                        Ok(()) => self.proceed().await,
                        failed => failed,
                    }
                }
                Ok(None) => return Ok("the browser closed".to_owned()),
                Err(_) => self.tick().await,
            };
            match done {
                Ok(()) => {}
                Err(_) if self.stage.driver.browser.read().gone => return Ok("the browser closed".to_owned()),
                Err(error @ (RecordError::Trace(_) | RecordError::Capture { .. })) => return Err(error),
                // A tab that went away in the middle of a call; the next tick sees what is there
                // then.
                Err(_) => tokio::time::sleep(TICK).await,
            }
            if self.stage.driver.browser.read().gone {
                return Ok("the browser closed".to_owned());
            }
            if self.options.idle.is_some_and(|idle| self.open.is_empty() && self.moved.elapsed() > idle) {
                return Ok(format!("nothing was done for {:?}", self.options.idle.unwrap_or_default()));
            }
        }
    }

    /// Hears what was done before the recording was asked to end and is still on its way.
    async fn hear_the_rest(&mut self, heard: &mut mpsc::UnboundedReceiver<(Instant, Heard)>) {
        let driver = &self.stage.driver;
        driver.catch_up(Instant::now() + Duration::from_secs(5)).await;
        if let Some(watch) = driver.browser.watch.get() {
            watch.tell(Signal::Mark);
        }
        // What came before may wait for answers of a browser that is busy.
        let patience = Instant::now() + LONGEST_WORDS;
        while let Ok(Some(next)) = tokio::time::timeout_at(patience.into(), heard.recv()).await {
            if matches!(next.1, Heard::Signal(Signal::Mark)) {
                break;
            }
            self.hear(next);
        }
        let limit = Instant::now() + Duration::from_secs(2);
        while let Ok(Some(next)) = tokio::time::timeout(LAST_WORDS, heard.recv()).await {
            self.hear(next);
            if Instant::now() > limit {
                return;
            }
        }
    }
}

fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank" || url.starts_with("chrome://")
}
