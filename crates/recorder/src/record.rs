//! Records a scenario: acts it out, step by step, and writes each step as soon as it is captured.
//!
//! In: a [`Scenario`] and [`RecordOptions`]. Out: a trace file and a [`RecordReport`]. Invariants:
//! a step is in the trace before the next action begins; whatever ends the recording, the trace
//! stays readable and says why it is incomplete, and no Chromium stays behind.

mod act;

use crate::actions::Deed;
use crate::capture::ParsedCapture;
use crate::capture_session::{CaptureSession, point_of};
use crate::error::RecordError;
use crate::facts;
use crate::options::{BesideStep, Progress, RecordOptions, RecordReport};
use crate::peers::pass::Pass;
use crate::settle::{SCRIPT_RUNS, settled};
use crate::setup::{create_writer, open};
use crate::site_server::SiteServer;
use crate::step_writer::{StepWriter, acted, step_of};
use crate::storage;
use browserlens_core::page::{Flags, NodeKey, Payload, PayloadKind};
use browserlens_core::strategy::{EventKind, StepIndex};
use browserlens_core::sync::locked;
use browserlens_trace::scenario::{Action, Scenario, Step};
use browserlens_trace::{ActionRecord, Fault, Outcome, Settled, StepRecord, TraceError};
use std::time::{Duration, Instant};

/// Lets whoever looks on look at the page as it stands.
fn beside(options: &RecordOptions, stage: &CaptureSession, step: Option<u32>) {
    let Some(beside) = &options.beside else { return };
    let driver = &stage.driver;
    let (target, address) = (driver.target(), driver.chrome.address());
    tokio::task::block_in_place(|| beside(BesideStep { step, address, target }));
}

/// Records a scenario.
///
/// # Errors
/// [`RecordError`]; finished steps are in the trace, which says that it is incomplete and why.
pub async fn record(scenario: &Scenario, options: &RecordOptions) -> Result<RecordReport, RecordError> {
    let began = Instant::now();
    if options.out.exists() && !options.force {
        return Err(TraceError::new(&options.out, Fault::Exists).into());
    }
    let (mut stage, server) = open(scenario, options).await?;
    let browser = stage.driver.browser_name.clone();
    let mut writer = match create_writer(scenario, options, &browser, &stage.secrets) {
        Ok(writer) => writer,
        Err(error) => {
            stage.driver.close().await;
            return Err(error);
        }
    };
    let steps = scenario.steps.len() as u32 + 1;
    options.tell(Progress::Started { steps });
    beside(options, &stage, None);
    let taker = Taker::Trace(&mut writer);
    let recording = Recording { scenario, options, stage: &mut stage, server: server.as_ref(), taker };
    let result = recording.run().await;
    stage.driver.close().await;
    let outcome = match &result {
        Ok(()) => Outcome::Complete,
        Err(error) => Outcome::Incomplete { reason: error.to_string() },
    };
    let (steps, finished) = writer.finish(outcome);
    result?;
    finished?;
    let millis = began.elapsed().as_millis() as u64;
    Ok(RecordReport { path: options.out.clone(), browser, steps, millis })
}

/// One performance of a scenario, for a trace or for a peer.
pub(crate) struct Recording<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) options: &'a RecordOptions,
    pub(crate) stage: &'a mut CaptureSession,
    pub(crate) server: Option<&'a SiteServer>,
    pub(crate) taker: Taker<'a>,
}

/// Who takes what is performed.
pub(crate) enum Taker<'a> {
    /// A trace is written.
    Trace(&'a mut StepWriter),
    /// A peer looks at each step; nothing is written here.
    Peer(&'a mut Pass),
}

impl Recording<'_> {
    /// Performs all steps, unless the caller ends it.
    pub(crate) async fn run(mut self) -> Result<(), RecordError> {
        let options = self.options;
        tokio::select! {
            biased;
            () = options.cancel.cancelled() => Err(RecordError::Cancelled { step: self.stage.driver.step }),
            result = self.perform() => result,
        }
    }

    async fn perform(&mut self) -> Result<(), RecordError> {
        let scenario = self.scenario;
        if let Some(state) = &scenario.storage_state {
            storage::load(&self.stage.driver, state).await?;
        }
        for (number, step) in scenario.setup.iter().enumerate() {
            self.set_up(number, step).await?;
        }
        self.first_step().await?;
        for (number, step) in scenario.steps.iter().enumerate() {
            self.step(number as u32 + 1, step).await?;
        }
        Ok(())
    }

    fn url(&self, path: &str) -> Result<String, RecordError> {
        if let Some(server) = self.server {
            return Ok(server.url(path));
        }
        let bad = |error: url::ParseError| RecordError::Unusable {
            scenario: self.scenario.name.clone(),
            reason: format!("{path:?} is no URL: {error}"),
        };
        let base = self.scenario.url.as_deref().unwrap_or("");
        if path == "/" {
            return Ok(base.to_owned());
        }
        url::Url::parse(base).and_then(|base| base.join(path)).map(Into::into).map_err(bad)
    }

    fn limit(&self, step: Option<&Step>) -> Duration {
        Duration::from_millis(step.and_then(|step| step.timeout_ms).unwrap_or(self.scenario.timeout_ms))
    }

    /// A step that is not measured: the page is looked at only to find the node.
    async fn set_up(&mut self, number: usize, step: &Step) -> Result<(), RecordError> {
        self.stage.driver.step = 0;
        let name = format!("setup step {} ({})", number + 1, step.action.kind());
        if self.stage.current.is_none() && !matches!(step.action, Action::Goto { .. }) {
            let start = Deed::Goto { url: self.url("/")? };
            self.act(&name, None, &start, None, None).await?;
            self.stage.settle(false).await?;
        }
        if !matches!(step.action, Action::Goto { .. } | Action::Dialog { .. }) {
            let seen = self.stage.glance().await?.clone();
            self.stage.last = Some(seen);
        }
        let node = match self.node(&name, &step.action, true).await {
            Err(_) if step.optional => return Ok(()),
            other => other?,
        };
        self.carry_out(&name, step, node).await?;
        self.stage.settle(is_dialog(self.scenario.setup.get(number + 1))).await?;
        self.stage.glance().await.map(drop)
    }

    async fn first_step(&mut self) -> Result<(), RecordError> {
        let began = Instant::now();
        self.stage.driver.step = 0;
        let url = self.url(&self.scenario.start)?;
        self.options.tell(Progress::Step { index: 0, action: format!("goto {url}") });
        let deed = Deed::Goto { url };
        self.stage.last = None;
        self.act("goto", None, &deed, None, None).await?;
        // There is no capture yet that an open dialog could be shown on.
        let rest = self.stage.settle(false).await?;
        self.finish_step(0, None, rest, began).await
    }

    async fn step(&mut self, index: u32, step: &Step) -> Result<(), RecordError> {
        let began = Instant::now();
        self.stage.driver.step = index;
        let kind = step.action.kind();
        let words = step.action.target().map_or_else(|| kind.to_string(), |target| format!("{kind} {target}"));
        self.options.tell(Progress::Step { index, action: words });
        let mut record = match self.action_record(index, step).await {
            Ok(record) => record,
            Err(error) if step.optional && is_absent(&error) => return self.pass_over(index, step, began).await,
            Err(error) => return Err(error),
        };
        if !self.stage.driver.controlled() && step.action.target().is_some() && !self.stage.is_blocked() {
            // Time has passed since the capture: the page may have moved on.
            self.stage.glance().await?;
        }
        let now = self.node(kind.name(), &step.action, false).await?;
        if now != record.target
            && let (true, Some(captured), Some(target)) = (self.server.is_some(), record.target, step.action.target())
        {
            return Err(RecordError::TargetMoved {
                step: index,
                action: kind.to_string(),
                target: target.to_string(),
                captured: captured.to_string(),
                acting: now.map_or_else(String::new, |key| key.to_string()),
            });
        }
        self.learn_secret(&record, step);
        match self.carry_out(kind.name(), step, now).await {
            Err(error @ RecordError::NotActionable { .. }) if step.optional => {
                record.taken.error = Some(error.to_string());
            }
            done => done?,
        }
        let rest = self.stage.settle(self.answers_dialog(index)).await?;
        self.finish_step(index, Some(record), rest, began).await
    }

    /// Returns whether the step behind one answers a dialog.
    fn answers_dialog(&self, index: u32) -> bool {
        is_dialog(self.scenario.steps.get(index as usize))
    }

    /// An optional step whose node is not there: it keeps its place, so that facts and steps stay
    /// aligned.
    async fn pass_over(&mut self, index: u32, step: &Step, began: Instant) -> Result<(), RecordError> {
        let mut record = acted(step.action.kind(), String::new(), None, Vec::new(), StepIndex(index - 1));
        record.taken.error = Some("passed over: its node is not there".to_owned());
        self.finish_step(index, Some(record), settled(true, 0, "nothing was done"), began).await
    }

    /// Resolves the action's node in the capture of the step before.
    async fn action_record(&mut self, index: u32, step: &Step) -> Result<ActionRecord, RecordError> {
        let kind = step.action.kind();
        let text = step.action.text().resolve(&*self.options.env)?;
        let before = StepIndex(index - 1);
        let Some(on) = step.action.target() else { return Ok(acted(kind, text, None, Vec::new(), before)) };
        let key = self.stage.resolve(kind.name(), on, self.stage.last.as_ref()).await?;
        let mut acceptable = vec![key];
        for other in &step.acceptable {
            let key = self.stage.resolve(kind.name(), other, self.stage.last.as_ref()).await?;
            if !acceptable.contains(&key) {
                acceptable.push(key);
            }
        }
        let node = self.stage.last.as_ref().and_then(|seen| seen.page.find(key));
        let mut record = acted(kind, text, node.map(|node| on.hint(node)), acceptable, before);
        let bounds = node.map(|node| node.bounds()).unwrap_or_default();
        record.point = point_of(on).map(|(x, y)| (bounds.x + x, bounds.y + y));
        Ok(record)
    }

    /// Returns the action's node: in the capture, or on the page as it stands.
    async fn node(&self, name: &str, action: &Action, in_capture: bool) -> Result<Option<NodeKey>, RecordError> {
        let Some(target) = action.target() else { return Ok(None) };
        let seen = if in_capture { &self.stage.last } else { &self.stage.current };
        self.stage.resolve(name, target, seen.as_ref()).await.map(Some)
    }

    /// What is typed into a secret field is a secret from now on, unless the scenario says that it
    /// is made up.
    fn learn_secret(&mut self, record: &ActionRecord, step: &Step) {
        let text = &record.taken.text;
        let types = matches!(step.action, Action::Fill { .. } | Action::Type { .. });
        let Some(seen) = self.stage.current.as_ref().filter(|_| types && !text.is_empty()) else { return };
        let node = record.target.map_or_else(|| seen.page.focused(), |key| seen.page.find(key));
        if node.is_some_and(|node| node.flags().has(Flags::SECRET)) && !self.scenario.public.contains(text) {
            match &mut self.taker {
                Taker::Trace(writer) => writer.learn(text),
                Taker::Peer(pass) => pass.redactor.learn(text),
            }
            self.stage.secrets.push(text.clone());
        }
    }

    /// Captures, checks, and writes the step.
    async fn finish_step(
        &mut self,
        index: u32,
        action: Option<ActionRecord>,
        rest: Settled,
        began: Instant,
    ) -> Result<(), RecordError> {
        let bundled = self.server.is_some();
        let blocked = self.stage.is_blocked();
        let unsettled = |url: String, reason: String| Err(RecordError::NeverSettles { step: index, url, reason });
        if !rest.quiet && rest.reason == SCRIPT_RUNS {
            return unsettled(self.stage.driver.url(), rest.reason);
        }
        if matches!(self.taker, Taker::Peer(_)) {
            return self.finish_for_peer(index, &rest).await;
        }
        let capture_began = Instant::now();
        // A page that a dialog blocks answers nothing; what can be seen of it is what could be seen
        // before.
        let torn_retries = if blocked && self.stage.last.is_some() { 0 } else { self.stage.capture().await? };
        let capture_millis = capture_began.elapsed().as_millis() as u64;
        let seen = self.last_seen()?;
        let mut entities = Vec::new();
        if !blocked {
            if let Some(looks) = &self.options.fast_looks {
                let look = self.stage.fast_beside(index, &seen).await?;
                locked(looks).push(look);
            }
            beside(self.options, self.stage, Some(index));
            let driver = &self.stage.driver;
            let read = driver.entities(&seen, &self.stage.canonicalizer).await;
            entities = read.map_err(driver.failed("reading entity ids"))?;
        }
        let is_last = index as usize == self.scenario.steps.len();
        let tab = self.stage.driver.tab;
        let mut events = self.stage.driver.browser.change(|state| state.take_events(index, is_last));
        let passed_over = action.as_ref().is_some_and(|action| action.taken.error.is_some());
        if bundled && !passed_over {
            let said = events.iter().filter_map(|event| match &event.kind {
                EventKind::Dialog(dialog) => Some(dialog.message.as_str()),
                _ => None,
            });
            let said = said.collect::<Vec<_>>().join("\n");
            if let Some((fact, read)) = facts::unreadable(self.scenario.facts_at(index), &seen.page, &said) {
                let (fact, url) = (fact.text.clone(), seen.page.url().to_owned());
                return Err(RecordError::FactMissing { step: index, fact, read, url });
            }
        }
        let mut capture = seen.capture.clone();
        if bundled && self.options.second_look && !blocked && rest.quiet {
            if let Some(look) = self.stage.second_look().await? {
                let body =
                    serde_json::to_vec(&look).map_err(|error| self.stage.driver.bad_capture(error.to_string()))?;
                let frame = seen.page.frames().first().map_or(1, |frame| frame.number);
                capture.payloads.push(Payload { kind: PayloadKind::SecondLook, frame, node: 0, body: body.into() });
            }
            self.after_second_look(index).await?;
        }
        self.options.leave_out.apply(&mut capture, &mut events);
        let step = StepRecord {
            action,
            events,
            entities,
            timings: seen.timings,
            torn_retries,
            ..step_of(tab, capture, rest.clone())
        };
        if let Taker::Trace(writer) = &mut self.taker {
            let millis = writer.write(step, began, capture_millis)?;
            self.options.tell(Progress::Finished { index, millis });
        }
        if bundled && !rest.quiet { unsettled(self.stage.driver.url(), rest.reason) } else { Ok(()) }
    }

    /// Returns what was captured last.
    pub(crate) fn last_seen(&self) -> Result<ParsedCapture, RecordError> {
        let reason = || "a dialog blocks the page before its first capture".to_owned();
        self.stage.last.clone().ok_or_else(|| self.stage.driver.bad_capture(reason()))
    }

    /// A dialog that the page opened by itself is dismissed, unless the next step answers it.
    pub(crate) async fn after_second_look(&mut self, index: u32) -> Result<(), RecordError> {
        if self.stage.is_blocked() && !self.answers_dialog(index) {
            self.stage.dismiss().await?;
            self.stage.settle(false).await?;
            self.stage.glance().await?;
        }
        Ok(())
    }
}

fn is_dialog(step: Option<&Step>) -> bool {
    step.is_some_and(|step| matches!(step.action, Action::Dialog { .. }))
}

fn is_absent(error: &RecordError) -> bool {
    matches!(error, RecordError::Target { found: 0, .. } | RecordError::NotActionable { .. })
}
