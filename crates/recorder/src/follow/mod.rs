//! Records what somebody else does in a running browser: an agent that drives it by itself, or a person.
//!
//! In: the address of a browser's protocol. Out: a trace like any other, and a [`FollowReport`]. A listener in a world of its own in every
//! document tells of trusted events; they are grouped to actions, each with the node that it meant in the capture before it.
//! Invariants: the browser is only looked at: nothing is brought to the front, resized, answered or closed; no action is lost, and a step
//! whose capture could not be taken between two actions says so; however it ends, the trace is finished. A step is written when the next
//! action begins, so that what the page brings late is still part of it.

mod capture;
mod describe;
mod group;
mod judge;
mod number;
mod resolve;
mod signal;

use crate::attach::endpoint;
use crate::chrome::Chrome;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::live::new_session;
use crate::options::{Cancel, Progress, ProgressCallback, QUIET, StepReport};
use crate::pump::{Pump, SessionSetup};
use crate::socket::{CALL_LIMIT, CallError, Socket};
use crate::stage::Stage;
use crate::tape::Tape;
use crate::watch::{Signal, Watch};
use crate::world::World;
use browserlens_strategy::ActionKind;
use browserlens_trace::{Canonicalizer, Outcome, RedactionKey, TraceError};
use capture::Shot;
use group::{Act, Taken};
use judge::Judge;
use number::Numbers;
use serde_json::json;
use signal::{Said, Spot};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// How often the page is asked whether it is quiet.
const TICK: Duration = Duration::from_millis(50);
/// How long nothing more may come before a recording that was asked to end does.
const LAST_WORDS: Duration = Duration::from_millis(200);

/// How somebody else's browser is recorded.
#[derive(Clone)]
pub struct FollowOptions {
    /// Where the browser's protocol is: `http://host:port` or `ws://…`.
    pub url: String,
    /// The trace to write.
    pub out: PathBuf,
    /// Name that the trace carries in place of a scenario's.
    pub name: String,
    /// What the agent was told to do, if it is known.
    pub goal: String,
    /// Whether a trace that stands at `out` is replaced.
    pub force: bool,
    /// Whether each step keeps a picture of the viewport.
    pub screenshots: bool,
    /// Ends the recording when nothing was done for so long.
    pub idle: Option<Duration>,
    /// Longest time that a page is given to become quiet after an action.
    pub ceiling: Duration,
    /// Key of the placeholders of secrets.
    pub redaction_key: RedactionKey,
    /// Date of the recording, as RFC 3339.
    pub recorded_at: Option<String>,
    /// Told of every step.
    pub progress: Option<ProgressCallback>,
    /// Ends the recording.
    pub cancel: Cancel,
}

impl FollowOptions {
    /// Returns options that record the browser at `url` to `out`.
    pub fn new(url: impl Into<String>, out: impl Into<PathBuf>) -> Self {
        let out = out.into();
        let name = out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        Self {
            url: url.into(),
            out,
            name,
            goal: String::new(),
            force: false,
            screenshots: true,
            idle: None,
            ceiling: Duration::from_secs(10),
            redaction_key: RedactionKey::Fixed,
            recorded_at: None,
            progress: None,
            cancel: Cancel::default(),
        }
    }
}

impl std::fmt::Debug for FollowOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FollowOptions").field("url", &self.url).field("out", &self.out).finish_non_exhaustive()
    }
}

/// What was recorded.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowReport {
    /// The trace.
    pub path: PathBuf,
    /// Name and version of the browser.
    pub browser: String,
    /// The steps.
    pub steps: Vec<StepReport>,
    /// How many steps have a capture that was not taken between their action and the next.
    pub late: u32,
    /// What ended it, in words.
    pub ended: String,
    /// Wall time of the whole, in milliseconds.
    pub millis: u64,
}

/// Records what is done in a running browser until it closes, nothing is done for long, or the caller ends it.
///
/// # Errors
/// [`RecordError`] if the browser cannot be attached to or the trace cannot be written; finished steps are in the trace.
pub async fn follow(options: &FollowOptions) -> Result<FollowReport, RecordError> {
    let began = Instant::now();
    if options.out.exists() && !options.force {
        return Err(TraceError::Exists { path: options.out.clone() }.into());
    }
    let (driver, signals) = connect(options).await?;
    let browser = driver.browser_name.clone();
    let stage = Stage {
        driver,
        canonicalizer: Canonicalizer::new(),
        secrets: Vec::new(),
        scale: 1.0,
        last: None,
        current: None,
        fast: crate::fast::FastState::default(),
    };
    let mut following = Following {
        options,
        stage,
        tape: None,
        numbers: Numbers::default(),
        judge: Judge::default(),
        open: Vec::new(),
        begun: false,
        pending: Pending::new(Instant::now()),
        before: None,
        asked_by_page: HashMap::new(),
        asides: HashMap::new(),
        dialog_since: None,
        moved: Instant::now(),
        looked: Instant::now(),
        patience: Duration::from_secs(2),
        aimed: None,
        late: 0,
    };
    let ended = following.run(signals).await;
    let written = following.end().await;
    let Following { stage, tape, late, .. } = following;
    stage.driver.close().await;
    let Some(tape) = tape else {
        written?;
        ended?;
        return Err(RecordError::AttachFailed {
            url: options.url.clone(),
            reason: "it showed no page while it was recorded".to_owned(),
        });
    };
    let failed = ended.as_ref().err().or(written.as_ref().err());
    let outcome = failed.map_or(Outcome::Complete, |error| Outcome::Incomplete { reason: error.to_string() });
    let (steps, finished) = tape.finish(outcome);
    finished?;
    written?;
    let ended = ended?;
    let millis = began.elapsed().as_millis() as u64;
    Ok(FollowReport { path: options.out.clone(), browser, steps, late, ended, millis })
}

async fn connect(options: &FollowOptions) -> Result<(Driver, mpsc::UnboundedReceiver<Signal>), RecordError> {
    let failed = |reason: String| RecordError::AttachFailed { url: options.url.clone(), reason };
    let (address, _) = endpoint(&options.url).await.map_err(failed)?;
    let (socket, events) = Socket::connect(&address).await.map_err(|error| failed(error.to_string()))?;
    let world = Arc::new(World::new());
    let mark: String = new_session(&address).iter().map(|byte| format!("{byte:02x}")).collect();
    let (watch, signals) = Watch::new(&mark, describe::limits());
    drop(world.watch.set(watch));
    let setup = SessionSetup {
        clock_seed: None,
        viewport: (0, 0),
        scale: 1.0,
        locale: String::new(),
        timezone: String::new(),
        started: Instant::now(),
        attached: true,
        given: false,
        tree_anew: true,
    };
    let pump = Pump { world: Arc::clone(&world), socket: socket.clone(), setup: setup.clone() };
    tokio::spawn(pump.run(events));
    let call = async |method: &'static str, params: serde_json::Value| {
        socket.call(None, method, &params, CALL_LIMIT).await.map_err(|error| failed(format!("{method}: {error}")))
    };
    let version = call("Browser.getVersion", json!({})).await?;
    let browser_name = version.value()["product"].as_str().unwrap_or("Chromium").to_owned();
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true, "filter": [{ "type": "page" }, { "exclude": true }] });
    call("Target.setAutoAttach", attach).await?;
    let ready = |state: &crate::world::State| (state.starting == 0).then_some(());
    world.wait_for(Instant::now() + Duration::from_secs(20), ready).await;
    let driver = Driver {
        chrome: Chrome::attached(address)?,
        socket: socket.clone(),
        world,
        setup,
        tab: 0,
        step: 0,
        ceiling: options.ceiling,
        pointer: (0.0, 0.0),
        browser_name,
        site_clock: None,
        quiet_limit: options.ceiling,
        quiet: QUIET,
        kept: Vec::new(),
    };
    Ok((driver, signals))
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
    stage: Stage,
    tape: Option<Tape>,
    numbers: Numbers,
    judge: Judge,
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
    dialog_since: Option<Instant>,
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
    async fn run(&mut self, mut signals: mpsc::UnboundedReceiver<Signal>) -> Result<String, RecordError> {
        let cancel = self.options.cancel.clone();
        loop {
            let signal = tokio::select! {
                biased;
                () = cancel.cancelled() => {
                    self.hear_the_rest(&mut signals).await;
                    return Ok("it was asked to end".to_owned());
                }
                signal = tokio::time::timeout(TICK, signals.recv()) => signal,
            };
            let done = match signal {
                Ok(Some(signal)) => {
                    self.hear(signal).await;
                    while let Ok(signal) = signals.try_recv() {
                        self.hear(signal).await;
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
                Err(_) if self.stage.driver.world.read().gone => return Ok("the browser closed".to_owned()),
                Err(error @ (RecordError::Trace(_) | RecordError::Capture { .. })) => return Err(error),
                // A tab that went away in the middle of a call; the next tick sees what is there then.
                Err(_) => tokio::time::sleep(TICK).await,
            }
            if self.stage.driver.world.read().gone {
                return Ok("the browser closed".to_owned());
            }
            if self.options.idle.is_some_and(|idle| self.open.is_empty() && self.moved.elapsed() > idle) {
                return Ok(format!("nothing was done for {:?}", self.options.idle.unwrap_or_default()));
            }
        }
    }

    /// Hears what was done before the recording was asked to end and is still on its way.
    async fn hear_the_rest(&mut self, signals: &mut mpsc::UnboundedReceiver<Signal>) {
        let driver = &self.stage.driver;
        let received = driver.socket.received();
        let limit = Instant::now() + Duration::from_secs(2);
        driver.world.wait_for(limit, |state| (state.handled >= received || state.gone).then_some(())).await;
        while let Ok(Some(signal)) = tokio::time::timeout(LAST_WORDS, signals.recv()).await {
            self.hear(signal).await;
            if Instant::now() > limit {
                return;
            }
        }
    }

    fn tab_of(&self, session: &str) -> Option<u32> {
        self.stage.driver.world.read().sessions.get(session).map(|session| session.tab)
    }

    /// Returns the tab whose main frame a frame is.
    fn tab_by_main_frame(&self, session: &str, frame: &str) -> Option<u32> {
        let state = self.stage.driver.world.read();
        let known = state.sessions.get(session)?;
        (known.parent.is_none() && known.root_frame == frame).then_some(known.tab)
    }

    async fn hear(&mut self, signal: Signal) {
        match signal {
            Signal::Said { session, context, payload } => {
                let Ok(said) = serde_json::from_str::<Said>(&payload) else { return };
                let Some(tab) = self.tab_of(&session) else { return };
                if said.untrusted {
                    self.judge.wait(session, context, tab, said);
                } else {
                    self.take(&session, context, tab, &said);
                }
            }
            Signal::Stack { session, context, scripts } => {
                let driver = &self.stage.driver;
                if let Some((tab, said)) = self.judge.judge(driver, &session, context, &scripts).await {
                    self.take(&session, context, tab, &said);
                }
            }
            Signal::Navigating { session, frame, by_page, kind, url } => {
                self.navigating(&session, frame, by_page, &kind, &url);
            }
            Signal::Committed { session, frame } => {
                if let Some(tab) = self.tab_by_main_frame(&session, &frame) {
                    self.asked_by_page.remove(&frame);
                    if let Some(act) = self.open.last_mut().filter(|act| act.tab == tab) {
                        act.navigated = true;
                    }
                }
            }
            Signal::TabOpened { tab, opener } => {
                if !opener.is_empty() {
                    let state = self.stage.driver.world.read();
                    let frame = state.tab(tab).map(|tab| tab.target.clone());
                    drop(state);
                    // Its first navigation is its opener's doing.
                    self.asked_by_page.extend(frame.map(|frame| (frame, Instant::now())));
                }
            }
            Signal::TabClosed { tab } => self.tab_closed(tab),
            Signal::DialogOpened { tab } => {
                if tab == self.stage.driver.tab {
                    self.dialog_since = Some(Instant::now());
                }
            }
            Signal::DialogClosed { tab, accepted, typed } => {
                // One that was answered at once, by a rule of whoever drives the browser, was never shown to anybody.
                let shown = tab == self.stage.driver.tab && !self.begun && self.open.is_empty();
                if self.dialog_since.take().is_some() && shown {
                    let answer = if accepted { "accept" } else { "dismiss" };
                    let text = if typed.is_empty() { answer } else { &typed };
                    self.act(Act::new(ActionKind::Dialog, tab, None, text));
                }
            }
        }
    }

    fn act(&mut self, act: Act) {
        self.moved = Instant::now();
        self.patience = Duration::from_secs(2);
        self.open.push(act);
    }

    fn take(&mut self, session: &str, context: i64, tab: u32, said: &Said) {
        let spot = |told: Option<&signal::Told>| {
            told.map(|told| Spot {
                session: session.to_owned(),
                context,
                tag: told.tag.clone(),
                key: told.number.and_then(|number| self.numbers.key(session, context, number)),
                held: told.held,
                near: told.near.and_then(|number| self.numbers.key(session, context, number)),
                described: told.described.clone(),
            })
        };
        let (at, to) = (spot(said.place.as_ref()), spot(said.to.as_ref()));
        if said.kind == "aim" {
            self.aimed = at.map(|at| Act::new(ActionKind::Click, tab, Some(at), ""));
            return;
        }
        match group::take(&mut self.open, said, tab, at, to) {
            Taken::Passed => {}
            taken => {
                self.moved = Instant::now();
                self.patience = Duration::from_secs(2);
                if taken == Taken::Merged && self.begun && self.open.len() == 1 {
                    self.pending.shot = None;
                }
            }
        }
        // A fill may have swallowed the action that had begun; it stands in its place.
        if self.open.is_empty() {
            self.begun = false;
        }
    }

    fn navigating(&mut self, session: &str, frame: String, by_page: bool, kind: &str, url: &str) {
        let Some(tab) = self.tab_by_main_frame(session, &frame) else { return };
        if by_page {
            self.asked_by_page.insert(frame, Instant::now());
            return;
        }
        let is_history = kind.starts_with("history");
        // A way that the page asked for is not one through the history: that was asked for after it, before it had come about.
        if !is_history
            && self.asked_by_page.remove(&frame).is_some_and(|asked| asked.elapsed() < Duration::from_secs(10))
        {
            return;
        }
        let recent = self.open.last().is_some_and(|act| {
            act.tab == tab
                && !act.navigated
                && matches!(
                    act.kind,
                    ActionKind::Click
                        | ActionKind::DoubleClick
                        | ActionKind::Press
                        | ActionKind::Check
                        | ActionKind::Select
                )
                && act.began.elapsed() < Duration::from_millis(300)
        });
        if is_history {
            // A page's own `history.back()` comes with what was clicked.
            if !recent {
                self.act(Act::new(ActionKind::Back, tab, None, ""));
            }
        } else if (!kind.starts_with("sameDocument") || !recent) && (url != "about:blank" || kind.starts_with("reload"))
        {
            self.act(Act::new(ActionKind::Goto, tab, None, url));
        }
    }

    fn tab_closed(&mut self, tab: u32) {
        self.asides.remove(&tab);
        let driver = &mut self.stage.driver;
        if driver.tab != tab {
            return;
        }
        self.dialog_since = None;
        let next = {
            let state = driver.world.read();
            state.tabs.iter().enumerate().rev().find(|(_, tab)| tab.open).map(|(index, _)| index as u32)
        };
        let Some(next) = next else { return };
        driver.tab = next;
        // A tab that a click closes goes with the click.
        let by_page = self.begun || !self.open.is_empty();
        if by_page {
            self.pending.shot = if self.begun { None } else { self.pending.shot.take() };
        } else {
            self.act(Act::new(ActionKind::CloseTab, next, None, ""));
        }
    }

    /// A button was pressed on something: the page is captured before the click, if no capture has it yet.
    async fn look_ahead(&mut self) -> Result<(), RecordError> {
        match self.aimed.take() {
            Some(act) if act.tab == self.stage.driver.tab && (self.begun || self.open.is_empty()) => {
                self.supply(Some(&act)).await
            }
            _ => Ok(()),
        }
    }

    /// Lets actions begin that came: the step before each is written, with the best capture that there is.
    async fn proceed(&mut self) -> Result<(), RecordError> {
        loop {
            if !self.begun {
                let Some(act) = self.open.first() else { return Ok(()) };
                if act.may_be_held() {
                    return Ok(());
                }
                if self.is_first_goto(act) {
                    // A recording begins with its first navigation.
                    self.stage.driver.tab = act.tab;
                    let act_began = act.began;
                    self.open.remove(0);
                    self.pending = Pending::new(act_began);
                    continue;
                }
                if act.tab != self.stage.driver.tab && act.kind != ActionKind::Goto {
                    let switch = Act::new(ActionKind::SwitchTab, act.tab, None, act.tab.to_string());
                    self.open.insert(0, switch);
                }
                let act = self.open[0].clone();
                self.supply(Some(&act)).await?;
                self.flush().await?;
                self.stage.driver.tab = act.tab;
                self.stage.driver.step = self.tape.as_ref().map_or(0, Tape::next);
                self.pending = Pending::new(act.began);
                self.begun = true;
                self.tell_step(&act);
            }
            if self.open.len() < 2 || self.open[1].may_be_held() {
                return Ok(());
            }
            let next = self.open[1].clone();
            self.supply(Some(&next)).await?;
            self.close();
        }
    }

    /// Returns whether an action is the navigation that a recording begins with.
    fn is_first_goto(&self, act: &Act) -> bool {
        let blank = self.pending.shot.as_ref().is_none_or(|shot| is_blank(shot.seen.page.url()));
        self.tape.is_none() && self.pending.act.is_none() && act.kind == ActionKind::Goto && blank
    }

    /// The first open action is over: what it brought is seen.
    fn close(&mut self) {
        self.pending.act = Some(self.open.remove(0));
        self.begun = false;
    }

    async fn tick(&mut self) -> Result<(), RecordError> {
        self.proceed().await?;
        let tab = self.stage.driver.tab;
        let has_tab = self.stage.driver.world.read().tab(tab).is_some_and(|tab| tab.open);
        if !has_tab {
            let next = {
                let state = self.stage.driver.world.read();
                state.tabs.iter().position(|tab| tab.open)
            };
            if let Some(next) = next {
                self.stage.driver.tab = next as u32;
            }
            return Ok(());
        }
        if self.begun || self.pending.shot.is_none() { self.settle().await } else { self.look_again().await }
    }

    fn tell_step(&self, act: &Act) {
        if let Some(callback) = &self.options.progress {
            let index = self.stage.driver.step;
            callback(&Progress::Step { index, action: act.kind.to_string() });
        }
    }

    /// Writes what is left.
    async fn end(&mut self) -> Result<(), RecordError> {
        let gone = self.stage.driver.world.read().gone;
        if !gone {
            let limit = Instant::now() + Duration::from_secs(5);
            while (self.begun || !self.open.is_empty() || self.pending.shot.is_none()) && Instant::now() < limit {
                match self.tick().await {
                    Err(error @ RecordError::Trace(_)) => return Err(error),
                    _ => tokio::time::sleep(TICK).await,
                }
            }
        }
        while self.begun || !self.open.is_empty() {
            if !self.begun {
                self.supply(None).await?;
                self.flush().await?;
                self.pending = Pending::new(self.open[0].began);
                self.begun = true;
            }
            self.supply(None).await?;
            self.close();
        }
        if self.pending.shot.is_none() && self.before.is_none() {
            return Ok(());
        }
        self.supply(None).await?;
        self.flush().await
    }

    /// Returns whether a call failed because the browser is gone.
    fn failure(&self, doing: &str, error: CallError) -> RecordError {
        self.stage.driver.failure(doing, error)
    }
}

fn is_blank(url: &str) -> bool {
    url.is_empty() || url == "about:blank" || url.starts_with("chrome://")
}
