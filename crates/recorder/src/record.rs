//! Records a scenario: acts it out, step by step, and writes each step as soon as it is captured.
//!
//! In: a [`Scenario`] and [`RecordOptions`]. Out: a trace file and a [`RecordReport`]. Invariants:
//! a step is in the trace before the next action begins; whatever ends the recording, the trace
//! stays readable and says why it is incomplete, and no Chromium stays behind.

mod act;

use crate::actions::Deed;
use crate::capture_session::{CaptureSession, point_of};
use crate::error::RecordError;
use crate::facts;
use crate::options::{BesideStep, Progress, RecordOptions, RecordReport};
use crate::peers::pass::Pass;
use crate::settle::{Rest, SCRIPT_RUNS};
use crate::setup::{create_writer, open};
use crate::site_server::SiteServer;
use crate::socket::locked;
use crate::step_writer::{StepWriter, Taken};
use crate::storage;
use browserlens_core::page::{NodeKey, Payload, PayloadKind};
use browserlens_core::strategy::{Event, EventKind, Intent, StepIndex, TakenAction};
use browserlens_trace::scenario::{Action, Scenario, Step};
use browserlens_trace::{ActionRecord, Fault, Outcome, TraceError};
use std::time::{Duration, Instant};

/// Lets whoever looks on look at the page as it stands.
fn beside(options: &RecordOptions, stage: &CaptureSession, step: Option<u32>) {
    let Some(beside) = &options.beside else { return };
    let driver = &stage.driver;
    let target = driver.browser.read().tab(driver.tab).map(|tab| tab.target.clone()).unwrap_or_default();
    let address = driver.chrome.address();
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
    let writer = match create_writer(scenario, options, &browser, &stage.secrets) {
        Ok(writer) => writer,
        Err(error) => {
            stage.driver.close().await;
            return Err(error);
        }
    };
    let steps = scenario.steps.len() as u32 + 1;
    options.tell(Progress::Started { steps });
    beside(options, &stage, None);
    let taker = Taker::Trace(Box::new(StepWriter::new(writer)));
    let mut recording = Recording { scenario, options, stage: &mut stage, server: server.as_ref(), taker };
    let result = tokio::select! {
        biased;
        () = options.cancel.cancelled() => Err(RecordError::Cancelled { step: recording.stage.driver.step }),
        result = recording.run() => result,
    };
    let Recording { taker, .. } = recording;
    stage.driver.close().await;
    let Taker::Trace(writer) = taker else {
        let reason = "its recording was given away".to_owned();
        return Err(RecordError::Unusable { scenario: scenario.name.clone(), reason });
    };
    let outcome = match &result {
        Ok(()) => Outcome::Complete,
        Err(error) => Outcome::Incomplete { reason: error.to_string() },
    };
    let (steps, finished) = writer.finish(outcome);
    result?;
    finished?;
    Ok(RecordReport {
        scenario: scenario.name.clone(),
        path: options.out.clone(),
        browser,
        steps,
        millis: began.elapsed().as_millis() as u64,
    })
}

/// One performance of a scenario, for a trace or for a peer.
pub(crate) struct Recording<'a> {
    pub(crate) scenario: &'a Scenario,
    pub(crate) options: &'a RecordOptions,
    pub(crate) stage: &'a mut CaptureSession,
    pub(crate) server: Option<&'a SiteServer>,
    pub(crate) taker: Taker,
}

/// Who takes what is performed.
pub(crate) enum Taker {
    /// A trace is written.
    Trace(Box<StepWriter>),
    /// A peer looks at each step; nothing is written here.
    Peer(Box<Pass>),
}

impl Recording<'_> {
    pub(crate) async fn run(&mut self) -> Result<(), RecordError> {
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
        let next_is_dialog =
            self.scenario.setup.get(number + 1).is_some_and(|step| matches!(step.action, Action::Dialog { .. }));
        self.stage.settle(next_is_dialog).await?;
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
            let acting = now.map_or_else(String::new, |key| key.to_string());
            let (action, target) = (kind.to_string(), target.to_string());
            return Err(RecordError::TargetMoved {
                step: index,
                action,
                target,
                captured: captured.to_string(),
                acting,
            });
        }
        self.learn_secret(&record, step)?;
        let mut retold = None;
        match self.carry_out(kind.name(), step, now).await {
            Ok(()) => {}
            Err(error @ RecordError::NotActionable { .. }) if step.optional => retold = Some(error.to_string()),
            Err(error) => return Err(error),
        }
        record.taken.error = retold;
        let expects_dialog =
            self.scenario.steps.get(index as usize).is_some_and(|next| matches!(next.action, Action::Dialog { .. }));
        let rest = self.stage.settle(expects_dialog).await?;
        self.finish_step(index, Some(record), rest, began).await
    }

    /// An optional step whose node is not there: it keeps its place, so that facts and steps stay
    /// aligned.
    async fn pass_over(&mut self, index: u32, step: &Step, began: Instant) -> Result<(), RecordError> {
        let kind = step.action.kind();
        let taken = TakenAction {
            kind,
            node: None,
            text: String::new(),
            error: Some("passed over: its node is not there".to_owned()),
        };
        let intent = Intent { action: kind, node: None, text: String::new() };
        let record = ActionRecord {
            taken,
            intent,
            target: None,
            acceptable: Vec::new(),
            resolved_in: StepIndex(index - 1),
            point: None,
        };
        let rest = Rest { quiet: true, waited_ms: 0, reason: "nothing was done".to_owned() };
        self.finish_step(index, Some(record), rest, began).await
    }

    /// Resolves the action's node in the capture of the step before.
    async fn action_record(&mut self, index: u32, step: &Step) -> Result<ActionRecord, RecordError> {
        let kind = step.action.kind();
        let text = step.action.text().resolve(&*self.options.env)?;
        let mut acceptable = Vec::new();
        let (mut target, mut node, mut point) = (None, None, None);
        if let Some(on) = step.action.target() {
            let key = self.stage.resolve_in_capture(kind.name(), on).await?;
            acceptable.push(key);
            for other in &step.acceptable {
                let key = self.stage.resolve_in_capture(kind.name(), other).await?;
                if !acceptable.contains(&key) {
                    acceptable.push(key);
                }
            }
            node = self.stage.last.as_ref().and_then(|seen| seen.page.find(key)).map(|found| on.hint(found));
            point = point_of(on).map(|(x, y)| self.in_document(key, x, y));
            target = Some(key);
        }
        let intent = Intent { action: kind, node: node.clone(), text: text.clone() };
        let taken = TakenAction { kind, node, text, error: None };
        Ok(ActionRecord { taken, intent, target, acceptable, resolved_in: StepIndex(index - 1), point })
    }

    fn in_document(&self, key: NodeKey, x: f32, y: f32) -> (f32, f32) {
        let bounds =
            self.stage.last.as_ref().and_then(|seen| seen.page.find(key)).map(|node| node.bounds()).unwrap_or_default();
        (bounds.x + x, bounds.y + y)
    }

    /// Returns the action's node: in the capture, or on the page as it stands.
    async fn node(&self, name: &str, action: &Action, in_capture: bool) -> Result<Option<NodeKey>, RecordError> {
        match action.target() {
            None => Ok(None),
            Some(target) if in_capture => self.stage.resolve_in_capture(name, target).await.map(Some),
            Some(target) => self.stage.resolve_now(name, target).await.map(Some),
        }
    }

    /// What is typed into a secret field is a secret from now on, unless the scenario says that it
    /// is made up.
    fn learn_secret(&mut self, record: &ActionRecord, step: &Step) -> Result<(), RecordError> {
        let types = matches!(step.action, Action::Fill { .. } | Action::Type { .. });
        let key = record
            .target
            .or_else(|| self.stage.current.as_ref().and_then(|seen| seen.page.focused()).map(|node| node.key()));
        let text = &record.taken.text;
        if !types || text.is_empty() || self.scenario.public.contains(text) {
            return Ok(());
        }
        let node = key.and_then(|key| self.stage.current.as_ref().and_then(|seen| seen.page.find(key)));
        if node.is_some_and(|node| node.flags().has(browserlens_core::page::Flags::SECRET)) {
            match &mut self.taker {
                Taker::Trace(writer) => writer.learn(text),
                Taker::Peer(pass) => pass.redactor.learn(text),
            }
            self.stage.secrets.push(text.clone());
        }
        Ok(())
    }

    /// Captures, checks, and writes the step.
    async fn finish_step(
        &mut self,
        index: u32,
        action: Option<ActionRecord>,
        rest: Rest,
        began: Instant,
    ) -> Result<(), RecordError> {
        let bundled = self.server.is_some();
        let blocked = self.stage.is_blocked();
        if !rest.quiet && rest.reason == SCRIPT_RUNS {
            return Err(RecordError::NeverSettles { step: index, url: self.stage.driver.url(), reason: rest.reason });
        }
        if matches!(self.taker, Taker::Peer(_)) {
            return self.finish_for_peer(index, &rest).await;
        }
        let capture_began = Instant::now();
        // A page that a dialog blocks answers nothing; what can be seen of it is what could be seen
        // before.
        let torn_retries = if blocked && self.stage.last.is_some() { 0 } else { self.stage.capture().await? };
        let capture_millis = capture_began.elapsed().as_millis() as u64;
        let Some(seen) = self.stage.last.clone() else {
            return Err(RecordError::Capture {
                step: index,
                reason: "a dialog blocks the page before its first capture".to_owned(),
            });
        };
        if let Some(looks) = &self.options.fast_looks
            && !blocked
        {
            let look = self.stage.fast_beside(index, &seen).await?;
            locked(looks).push(look);
        }
        if !blocked {
            beside(self.options, self.stage, Some(index));
        }
        let entities = match blocked {
            true => Vec::new(),
            false => self
                .stage
                .driver
                .entities(&seen, &self.stage.canonicalizer)
                .await
                .map_err(|error| self.stage.driver.failure("reading entity ids", error))?,
        };
        let is_last = index as usize == self.scenario.steps.len();
        let tab = self.stage.driver.tab;
        let mut events = self.take_events(index, is_last);
        let passed_over = action.as_ref().is_some_and(|action| action.taken.error.is_some());
        if bundled && !passed_over {
            let said: String = events
                .iter()
                .filter_map(|event| match &event.kind {
                    EventKind::Dialog(dialog) => Some(dialog.message.as_str()),
                    _ => None,
                })
                .collect::<Vec<_>>()
                .join("\n");
            if let Some(fact) = facts::unreadable(self.scenario.facts_at(index), &seen.page, &said) {
                return Err(RecordError::FactMissing {
                    step: index,
                    fact: fact.text.clone(),
                    url: seen.page.url().to_owned(),
                });
            }
        }
        let mut capture = seen.capture.clone();
        let unsettled = (!rest.quiet).then(|| rest.reason.clone());
        if bundled && self.options.second_look && !blocked && rest.quiet {
            if let Some(look) = self.stage.second_look().await? {
                let body = serde_json::to_vec(&look)
                    .map_err(|error| RecordError::Capture { step: index, reason: error.to_string() })?;
                let number = seen.page.frames().first().map_or(1, |frame| frame.number);
                capture.payloads.push(Payload {
                    kind: PayloadKind::SecondLook,
                    frame: number,
                    node: 0,
                    body: body.into(),
                });
            }
            self.after_second_look(index).await?;
        }
        self.options.leave_out.apply(&mut capture, &mut events);
        let taken = Taken {
            tab,
            action,
            capture,
            events,
            entities,
            timings: seen.timings.clone(),
            rest,
            torn_retries,
            began,
            capture_millis,
        };
        let millis = match &mut self.taker {
            Taker::Trace(writer) => writer.write(taken)?,
            Taker::Peer(_) => began.elapsed().as_millis() as u64,
        };
        self.options.tell(Progress::Finished { index, millis });
        match unsettled {
            Some(reason) if bundled => {
                Err(RecordError::NeverSettles { step: index, url: self.stage.driver.url(), reason })
            }
            _ => Ok(()),
        }
    }

    /// A dialog that the page opened by itself is dismissed, unless the next step answers it.
    pub(crate) async fn after_second_look(&mut self, index: u32) -> Result<(), RecordError> {
        let next = self.scenario.steps.get(index as usize);
        let next_is_dialog = next.is_some_and(|next| matches!(next.action, Action::Dialog { .. }));
        if self.stage.is_blocked() && !next_is_dialog {
            self.stage.dismiss().await?;
            self.stage.settle(false).await?;
            self.stage.glance().await?;
        }
        Ok(())
    }

    fn take_events(&self, index: u32, all: bool) -> Vec<Event> {
        let driver = &self.stage.driver;
        let tabs = driver.browser.read().tabs.len() as u32;
        let urls: Vec<String> = (0..tabs).map(|tab| driver.url_of(tab)).collect();
        driver.browser.change(|state| {
            state.log.name_tabs(|tab| urls.get(tab as usize).cloned().unwrap_or_default());
            state.log.take(index, all, driver.controlled())
        })
    }
}

fn is_absent(error: &RecordError) -> bool {
    matches!(error, RecordError::Target { found: 0, .. } | RecordError::NotActionable { .. })
}
