//! When the page is captured between two actions, and what stands in where it cannot be.
//!
//! In: the tab, the actions that are open. Out: steps on the tape. Invariants: a capture is taken
//! as soon as the page rests for a moment and again when it has settled, if it changed; one that
//! could not be taken between its action and the next says so (`settled`).

use super::Following;
use super::early::Early;
use super::group::Act;
use super::listen::HURRY;
use super::number::Numbers;
use super::resolve::{key_of, record_of};
use super::signal::Spot;
use crate::capture::{Depth, Look, ParsedCapture};
use crate::error::RecordError;
use crate::mask;
use crate::options::{Progress, QUIET};
use crate::settle::{DIALOG, Stirring, settled};
use crate::step_writer::{StepWriter, step_of};
use browserlens_core::page::{Payload, PayloadKind, Viewport};
use browserlens_core::strategy::{ActionKind, StepIndex};
use browserlens_trace::{RedactionOptions, Redactor, Settled, StepRecord, TraceMeta, TraceSource};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long nothing may have been done and nothing be on its way before the first capture after an
/// action.
const MOMENT: Duration = Duration::from_millis(150);
const PICTURE_LIMIT: Duration = Duration::from_secs(3);
const MOST_RETRIES: u32 = 2;
/// How long a dialog stays open before somebody is thought to look at it.
const SHOWN: Duration = Duration::from_millis(500);
const LONGEST_PATIENCE: Duration = Duration::from_secs(30);
/// How a step came to rest whose capture the next action overlapped.
const TORN: &str = "the next action came while it was taken";
/// How a step came to rest whose page has brought by itself what is acted on next.
const AFTER: &str = "it was taken after the next action had begun";
/// How a step came to rest of which nothing was seen.
const BEFORE: &str = "the next action came too soon: this is the page before both";

/// Early looks that are kept for the actions that wait.
const MOST_EARLY: usize = 12;
/// How a step came to rest whose agent had left its document before it could be captured whole.
const EARLY: &str = "the next action came too soon: this was seen at once, without listeners and picture";

/// A capture that belongs to a step.
#[derive(Clone)]
pub(crate) struct Shot {
    pub(crate) seen: ParsedCapture,
    tab: u32,
    rest: Settled,
    torn_retries: u32,
    capture_millis: u64,
    /// When it was there: while it is taken a page can do nothing, and is not quiet.
    at: Instant,
    /// Mutations that the page's frames had counted.
    mutations: Option<u64>,
    /// Whether it was not taken between its action and the next.
    late: bool,
    /// What was seen before, where the page moved on while it was looked at.
    torn: Vec<ParsedCapture>,
}

impl Shot {
    /// Returns whether it was there only after a navigation began, and shows where that leads.
    pub(super) fn shows_what_came_of(&self, goto: &Act) -> bool {
        self.at > goto.began && self.seen.page.url() == goto.text
    }

    /// Returns whether an element of the next action, if there is one, is on its page.
    fn has(&self, wanted: Option<&Spot>, numbers: &Numbers) -> bool {
        wanted.is_none_or(|spot| key_of(spot, numbers, &self.seen.page).is_some())
    }

    /// Returns what was seen while the next action already changed the page, and what it was done
    /// on.
    fn torn_with(&self, wanted: Option<&Spot>, numbers: &Numbers, waited_ms: u32) -> Option<Self> {
        let spot = wanted?;
        let seen = self.torn.iter().rev().find(|seen| key_of(spot, numbers, &seen.page).is_some())?.clone();
        let rest = settled(false, waited_ms, TORN);
        Some(Self { seen, rest, mutations: None, late: true, torn: Vec::new(), ..self.clone() })
    }
}

impl Following<'_> {
    /// Captures when the page rests.
    pub(super) async fn settle(&mut self) -> Result<(), RecordError> {
        let began = self.moved.max(self.pending.began);
        let waited = began.elapsed();
        let stirring = self.stage.driver.stirring().await.map_err(self.stage.driver.failed("settling"))?;
        let rest = |quiet: bool, reason: &str| settled(quiet, waited.as_millis() as u32, reason);
        if matches!(stirring, Stirring::Dialog) || self.stage.is_blocked() {
            // A page that a dialog blocks answers nothing; what can be seen of it is what could be
            // seen before.
            if self.dialog_since.is_some_and(|since| since.elapsed() > SHOWN)
                && let Some(before) = &self.before
            {
                let shot = Shot { rest: rest(true, DIALOG), late: false, ..before.clone() };
                self.settled(shot);
            }
            return Ok(());
        }
        let over = waited > self.options.ceiling;
        if let Some(shot) = &self.pending.shot {
            let unchanged = self.mutations(&shot.seen).await == shot.mutations && shot.mutations.is_some();
            if shot.at.elapsed() < MOMENT {
                return Ok(());
            }
            let rest = match stirring {
                Stirring::Quiet if waited > QUIET => {
                    let reason = format!("network and layout were quiet for {} ms", QUIET.as_millis());
                    unchanged.then(|| rest(true, &reason))
                }
                Stirring::Busy(reason) if over => Some(rest(false, &reason)),
                _ => return Ok(()),
            };
            if let Some(rest) = rest {
                let shot = Shot { rest, ..shot.clone() };
                self.settled(shot);
                return Ok(());
            }
        } else if waited < if self.is_hurried() { QUIET } else { MOMENT } || (!over && self.is_loading()) {
            return Ok(());
        }
        // The page is captured while it may still move: if the next action comes now, this is what
        // there is.
        let shot = self.shoot(rest(false, "the next action came before the page was quiet")).await?;
        self.pending.shot = Some(shot);
        Ok(())
    }

    /// Whether the agent acts too fast for whole captures: each would only stand in the way of the
    /// early looks, which are taken when it acts.
    fn is_hurried(&self) -> bool {
        self.hurried.is_some_and(|since| since.elapsed() < HURRY)
    }

    fn settled(&mut self, shot: Shot) {
        self.pending.shot = Some(shot);
        if self.begun {
            self.close();
        }
        self.looked = Instant::now();
    }

    /// Returns whether the tab has no document yet that can be looked at.
    fn is_loading(&self) -> bool {
        let state = self.stage.driver.browser.read();
        let Some(tab) = state.tab(self.stage.driver.tab) else { return true };
        let known = state.sessions.get(&tab.session).is_some_and(|session| session.ready);
        let is_there = state.main_frame(self.stage.driver.tab).is_some_and(|frame| !frame.loading);
        !known || !is_there || state.navigating.contains_key(&tab.target)
    }

    /// Looks again at a page on which nothing was done: what it brings late belongs to the step
    /// that is not written yet.
    pub(super) async fn look_again(&mut self) -> Result<(), RecordError> {
        if self.looked.elapsed() < self.patience || self.stage.is_blocked() {
            return Ok(());
        }
        self.looked = Instant::now();
        let Some(shot) = &self.pending.shot else { return Ok(()) };
        let changed = self.mutations(&shot.seen).await != shot.mutations;
        if !changed || self.is_loading() {
            self.look_aside().await;
            return Ok(());
        }
        let (rest, moved) = (shot.rest.clone(), self.moved);
        let shot = self.shoot(rest).await?;
        if self.moved == moved {
            self.pending.shot = Some(shot);
        }
        // A page that never stands still is looked at ever more seldom.
        self.patience = (self.patience * 2).min(LONGEST_PATIENCE);
        Ok(())
    }

    /// Looks at a tab that was opened and that nobody acted in yet, so that the first action there
    /// finds its node.
    async fn look_aside(&mut self) {
        let current = self.stage.driver.tab;
        let fresh = {
            let state = self.stage.driver.browser.read();
            let mut open = state.open_tabs().map(|(tab, _)| tab);
            open.find(|tab| *tab != current && !self.asides.contains_key(tab))
        };
        let Some(tab) = fresh else { return };
        self.stage.driver.tab = tab;
        if !self.is_loading() && !super::is_blank(&self.stage.driver.url()) {
            let rest = settled(true, 0, "it was looked at when it had opened");
            if let Ok(shot) = self.shoot(rest).await {
                self.asides.insert(tab, shot);
            }
        }
        self.stage.driver.tab = current;
    }

    /// Sees to it that the pending step has a capture before the next action begins.
    pub(super) async fn supply(&mut self, next: Option<&Act>) -> Result<(), RecordError> {
        // An action without a node is told on the page of the one that waits behind it.
        let stays = next.is_some_and(|act| matches!(act.kind, ActionKind::Scroll | ActionKind::Press));
        let behind = self.open.get(1 + usize::from(self.begun)).filter(|_| stays).and_then(|act| act.spot.clone());
        let wanted = next.and_then(|act| act.spot.as_ref()).or(behind.as_ref());
        if self.pending.shot.as_ref().is_none_or(|shot| !shot.has(wanted, &self.numbers))
            && let Some(shot) = self.early(next, wanted).await
        {
            self.pending.shot = Some(shot);
            return Ok(());
        }
        let waited_ms = self.pending.began.elapsed().as_millis() as u32;
        let copied = |before: &Shot| Shot { rest: settled(false, waited_ms, BEFORE), late: true, ..before.clone() };
        if let Some(shot) = &self.pending.shot {
            if shot.has(wanted, &self.numbers) {
                return Ok(());
            }
            // It was still being taken when the next action had changed the page.
            let before = || self.before.as_ref().filter(|before| before.has(wanted, &self.numbers)).map(copied);
            if let Some(shot) = shot.torn_with(wanted, &self.numbers, waited_ms).or_else(before) {
                self.pending.shot = Some(shot);
                return Ok(());
            }
            // The page has brought by itself what is acted on now.
            let rest = Settled { reason: AFTER.to_owned(), ..shot.rest.clone() };
            if let Ok(mut later) = self.shoot(rest).await {
                if later.has(wanted, &self.numbers) {
                    later.late = true;
                    later.rest.quiet = false;
                    self.pending.shot = Some(later);
                } else if let Some(torn) = later.torn_with(wanted, &self.numbers, waited_ms) {
                    self.pending.shot = Some(torn);
                }
            }
            return Ok(());
        }
        if self.begun && self.open.first().is_some_and(|act| act.kind == ActionKind::SwitchTab) {
            let aside = self.asides.remove(&self.stage.driver.tab);
            if let Some(aside) = aside.filter(|aside| aside.has(wanted, &self.numbers)) {
                self.pending.shot = Some(aside);
                return Ok(());
            }
        } else if next.is_some_and(|act| wanted.is_some() || act.kind == ActionKind::Goto)
            && let Some(before) = self.before.as_ref().filter(|before| before.has(wanted, &self.numbers))
        {
            self.pending.shot = Some(copied(before));
            return Ok(());
        }
        match self.shoot(settled(false, waited_ms, AFTER)).await {
            Ok(shot) => {
                let has = shot.has(wanted, &self.numbers);
                let torn = if has { None } else { shot.torn_with(wanted, &self.numbers, waited_ms) };
                self.pending.shot = Some(torn.unwrap_or(Shot { late: next.is_some(), ..shot }));
            }
            Err(error @ (RecordError::Trace(_) | RecordError::Capture { .. })) => return Err(error),
            Err(_) => self.pending.shot = self.before.as_ref().map(copied),
        }
        Ok(())
    }

    /// Returns what an early look saw of the pending step, if it has the element of the next
    /// action.
    async fn early(&mut self, next: Option<&Act>, wanted: Option<&Spot>) -> Option<Shot> {
        let next = next?;
        let (tab, began) = (self.stage.driver.tab, self.pending.began);
        let mut earlies = std::mem::take(&mut self.earlies);
        let mut found = None;
        let in_time = |early: &&mut Early| early.tab == tab && early.at <= next.began;
        for early in earlies.iter_mut().rev().filter(in_time) {
            let at = early.at;
            let Some((seen, told)) = early.seen(&mut self.stage.canonicalizer).await.filter(|(_, told)| *told >= began)
            else {
                continue;
            };
            let is_there = |spot: &Spot| key_of(spot, &self.numbers, &seen.page).is_some();
            if wanted.is_none_or(is_there) {
                found = Some(Shot {
                    seen: seen.clone(),
                    tab,
                    rest: settled(false, told.saturating_duration_since(began).as_millis() as u32, EARLY),
                    torn_retries: 0,
                    capture_millis: (told - at).as_millis() as u64,
                    at: told,
                    mutations: None,
                    late: true,
                    torn: Vec::new(),
                });
                break;
            }
        }
        earlies.retain(|early| early.may_tell_of(began));
        let oldest = earlies.len().saturating_sub(MOST_EARLY);
        earlies.drain(..oldest);
        self.earlies.extend(earlies);
        found
    }

    /// Captures the current tab as it stands.
    async fn shoot(&mut self, rest: Settled) -> Result<Shot, RecordError> {
        let began = Instant::now();
        for act in self.open.iter().filter(|act| act.secret && !act.text.is_empty()) {
            if !self.stage.secrets.contains(&act.text) {
                self.stage.secrets.push(act.text.clone());
            }
        }
        let mut torn_retries = 0;
        let mut earlier: Vec<ParsedCapture> = Vec::new();
        let mut seen = loop {
            let look = self.stage.driver.look(Depth::Whole).await.map_err(self.stage.driver.failed("capturing"))?;
            let torn = look.torn;
            let step = self.stage.driver.step;
            let seen = ParsedCapture::from_look(look, &mut self.stage.canonicalizer).map_err(|error| {
                RecordError::Protocol { step, method: "reading a capture".to_owned(), message: error.to_string() }
            })?;
            // A page that moved on between its snapshot and its numbers is seen again: its events
            // would tell of nodes that it has not.
            let numbered = self.numbers.take(&self.stage.driver, &seen, &self.stage.canonicalizer).await;
            if (!torn && numbered) || torn_retries == MOST_RETRIES {
                break seen;
            }
            torn_retries += 1;
            earlier.push(seen);
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        if self.options.screenshots {
            self.picture(&mut seen).await?;
        }
        let mutations = self.mutations(&seen).await;
        let capture_millis = began.elapsed().as_millis() as u64;
        let (tab, at, torn) = (self.stage.driver.tab, Instant::now(), earlier);
        Ok(Shot { seen, tab, rest, torn_retries, capture_millis, at, mutations, late: false, torn })
    }

    /// Takes a picture of the viewport; a tab that paints nothing has none.
    async fn picture(&mut self, seen: &mut ParsedCapture) -> Result<(), RecordError> {
        let (began, mut look) = (Instant::now(), Look::default());
        let taken = self.stage.driver.viewport_pixels(&mut look);
        let Ok(Ok(png)) = tokio::time::timeout(PICTURE_LIMIT, taken).await else { return Ok(()) };
        self.stage.scale = self.scale(seen).await;
        seen.capture.payloads.push(Payload { kind: PayloadKind::Screenshot, frame: 0, node: 0, body: png.into() });
        let boxes = mask::secret_boxes(&seen.page, &self.stage.secrets);
        self.stage.mask(seen, &boxes)?;
        seen.timings.push(("Page.captureScreenshot".to_owned(), began.elapsed().as_micros() as u64));
        Ok(())
    }

    async fn scale(&self, seen: &ParsedCapture) -> f32 {
        let Some(frame) = seen.frames.first() else { return self.stage.scale };
        let ratio = self.stage.driver.evaluate_apart(&frame.session, frame.own_world, "devicePixelRatio").await;
        ratio.ok().and_then(|ratio| ratio.as_f64()).map_or(self.stage.scale, |ratio| ratio as f32)
    }

    /// Returns how many mutations the frames of a capture have counted by now; none if one of them
    /// is gone.
    async fn mutations(&self, seen: &ParsedCapture) -> Option<u64> {
        let mut sum = 0;
        for frame in &seen.frames {
            let count = self.stage.driver.evaluate_apart(&frame.session, frame.own_world, "browserLens.end()").await;
            sum += count.ok()?.as_u64()?;
        }
        Some(sum)
    }

    /// Writes the pending step, if it has a capture.
    pub(super) async fn flush(&mut self) -> Result<(), RecordError> {
        let Some(shot) = self.pending.shot.take() else { return Ok(()) };
        if self.writer.is_none() {
            self.writer = Some(self.create(&shot).await?);
        }
        let Some(writer) = &mut self.writer else { return Ok(()) };
        let index = writer.next();
        let act = self.pending.act.take();
        if let Some(act) = act.as_ref().filter(|act| act.secret && !act.text.is_empty()) {
            writer.learn(&act.text);
        }
        let before = act.as_ref().zip(self.before.as_ref()).filter(|_| index > 0);
        let action = before.map(|(act, before)| record_of(act, &self.numbers, &before.seen.page, StepIndex(index - 1)));
        self.late += u32::from(shot.late);
        let step = StepRecord {
            action,
            events: self.stage.driver.browser.change(|state| state.take_events(index, false)),
            timings: shot.seen.timings.clone(),
            torn_retries: shot.torn_retries,
            ..step_of(shot.tab, shot.seen.capture.clone(), shot.rest.clone())
        };
        let millis = writer.write(step, self.pending.began, shot.capture_millis)?;
        self.tell(&Progress::Finished { index, millis });
        self.before = Some(shot);
        Ok(())
    }

    async fn create(&self, shot: &Shot) -> Result<StepWriter, RecordError> {
        let session = self.stage.driver.session();
        let metrics = self.stage.driver.call(&session, "Page.getLayoutMetrics", &json!({})).await;
        let metrics = metrics.map_or(Value::Null, |reply| reply.value());
        let view = &metrics["cssVisualViewport"];
        let side = |name: &str, standard: u32| {
            view[name].as_f64().map(|side| side.round() as u32).filter(|side| *side > 0).unwrap_or(standard)
        };
        let mut locale = String::new();
        if let Some(frame) = shot.seen.frames.first() {
            let said = "[navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone].join('\\n')";
            let said = self.stage.driver.evaluate_apart(&frame.session, frame.own_world, said).await;
            locale = said.ok().and_then(|said| said.as_str().map(str::to_owned)).unwrap_or_default();
        }
        let (locale, timezone) = locale.split_once('\n').unwrap_or(("", ""));
        let standard = Viewport::default();
        let meta = TraceMeta {
            scenario: self.options.name.clone(),
            goal: self.options.goal.clone(),
            source: TraceSource::Served,
            viewport: Viewport {
                width: side("clientWidth", standard.width),
                height: side("clientHeight", standard.height),
                scale: self.stage.scale,
            },
            locale: locale.to_owned(),
            timezone: timezone.to_owned(),
            browser: self.stage.driver.browser_name.clone(),
            recorded_at: self.options.recorded_at.clone(),
            ..TraceMeta::default()
        };
        let key = self.options.redaction_key.clone();
        let redactor = Redactor::new(RedactionOptions { key, ..RedactionOptions::default() });
        StepWriter::create(&self.options.out, self.options.force, meta, redactor)
    }
}
