//! Records what a client does through our own server: each action on a [`PageSource`], as a trace
//! that replays like any other.
//!
//! In: a page source, the actions as they are done, the node of each. Out: a trace. Invariants: the
//! node of an action is in the capture of the step before it (a page that changed by itself in
//! between is a step of its own, `wait_for`); secrets are replaced before they are written; a tape
//! that is dropped without [`ClientRecorder::finish`] leaves a trace that opens and says that it is
//! incomplete.

use crate::error::RecordError;
use crate::mask;
use crate::options::StepReport;
use crate::settle::settled;
use crate::step_writer::{StepWriter, acted, in_words, step_of};
use browserlens_core::page::{Capture, NodeKey, Page, Viewport};
use browserlens_core::strategy::{ActionKind, EventFilter, PageSource, SourceError, StepIndex, TakenAction};
use browserlens_trace::{
    ActionRecord, Outcome, RedactionKey, RedactionOptions, Redactor, StepRecord, TraceMeta, TraceSource,
};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

/// Most events that one step takes; the rest goes with the next.
const MOST_EVENTS: usize = 10_000;

/// What a client's trace says of itself.
#[derive(Clone, Debug)]
pub struct ClientRecorderOptions {
    /// The trace to write.
    pub out: PathBuf,
    /// Whether a trace that stands at `out` is replaced.
    pub force: bool,
    /// Name that the trace carries in place of a scenario's.
    pub name: String,
    /// What the client wants to do, if it is known.
    pub goal: String,
    /// Viewport of the browser.
    pub viewport: Viewport,
    /// Locale of the browser.
    pub locale: String,
    /// Time zone of the browser.
    pub timezone: String,
    /// Name and version of the browser.
    pub browser: String,
    /// Key of the placeholders of secrets.
    pub redaction_key: RedactionKey,
    /// Date of the recording, as RFC 3339.
    pub recorded_at: Option<String>,
}

impl ClientRecorderOptions {
    /// Returns options that write to `out` and leave everything else as it is by default.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        let out = out.into();
        Self {
            force: false,
            name: out.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default(),
            goal: String::new(),
            viewport: Viewport::default(),
            locale: String::new(),
            timezone: String::new(),
            browser: String::new(),
            redaction_key: RedactionKey::Fixed,
            recorded_at: None,
            out,
        }
    }
}

/// The trace of one client.
pub struct ClientRecorder {
    writer: StepWriter,
    /// What the step before showed.
    before: Option<Arc<Page>>,
    /// Position of the last event that was written.
    told: Option<u64>,
    tab: u32,
    began: Instant,
    /// What is painted over in pictures.
    secrets: Vec<String>,
}

browserlens_core::opaque_debug!(self: ClientRecorder { steps: self.writer.next() });

impl ClientRecorder {
    /// Creates the trace and writes its step 0: the page as it stands.
    ///
    /// # Errors
    /// [`RecordError`] if the trace cannot be written or there is no page.
    pub fn create(options: &ClientRecorderOptions, source: &mut dyn PageSource) -> Result<Self, RecordError> {
        let meta = TraceMeta {
            scenario: options.name.clone(),
            goal: options.goal.clone(),
            source: TraceSource::Served,
            viewport: options.viewport,
            locale: options.locale.clone(),
            timezone: options.timezone.clone(),
            browser: options.browser.clone(),
            recorded_at: options.recorded_at.clone(),
            ..TraceMeta::default()
        };
        let key = options.redaction_key.clone();
        let redactor = Redactor::new(RedactionOptions { key, ..RedactionOptions::default() });
        let writer = StepWriter::create(&options.out, options.force, meta, redactor)?;
        let mut writer = Self { writer, before: None, told: None, tab: 0, began: Instant::now(), secrets: Vec::new() };
        writer.write(source, None)?;
        Ok(writer)
    }

    /// Says which tab the next steps show, counted from 0.
    pub fn set_tab(&mut self, tab: u32) {
        self.tab = tab;
    }

    /// A secret that the client was told or typed: it is replaced wherever it occurs from now on.
    pub fn learn_secret(&mut self, secret: &str) {
        self.writer.learn(secret);
        if !secret.is_empty() && !self.secrets.iter().any(|known| known == secret) {
            self.secrets.push(secret.to_owned());
        }
    }

    /// Must be called before an action is done: a page that has changed since the last step, so
    /// that this one does not hold the action's node, is written first.
    ///
    /// # Errors
    /// [`RecordError`] if the trace cannot be written or the page cannot be read.
    pub fn before(&mut self, source: &mut dyn PageSource, node: Option<NodeKey>) -> Result<(), RecordError> {
        self.began = Instant::now();
        let has = |page: &Arc<Page>| node.is_none_or(|key| page.find(key).is_some());
        if self.before.as_ref().is_some_and(has) {
            return Ok(());
        }
        let waited = acted(ActionKind::WaitFor, String::new(), None, Vec::new(), self.last());
        self.write(source, Some(waited))
    }

    /// Returns the step that was written last.
    fn last(&self) -> StepIndex {
        StepIndex(self.writer.next().saturating_sub(1))
    }

    /// Writes an action that was done, with the page that it led to.
    ///
    /// # Errors
    /// [`RecordError`] if the trace cannot be written or the page cannot be read.
    pub fn after(
        &mut self,
        source: &mut dyn PageSource,
        action: &TakenAction,
        node: Option<NodeKey>,
    ) -> Result<(), RecordError> {
        let found = node.zip(self.before.as_ref()).filter(|(key, page)| page.find(*key).is_some());
        let hint = found.and_then(|(key, page)| in_words(page, key)).or_else(|| action.node.clone());
        let acceptable = found.map(|(key, _)| key).into_iter().collect();
        let mut record = acted(action.kind, action.text.clone(), hint, acceptable, self.last());
        record.taken.error.clone_from(&action.error);
        self.write(source, Some(record))
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// [`RecordError`] if the trace cannot be written; finished steps are in it.
    pub fn finish(self, outcome: Outcome) -> Result<Vec<StepReport>, RecordError> {
        let (steps, finished) = self.writer.finish(outcome);
        finished?;
        Ok(steps)
    }

    fn write(&mut self, source: &mut dyn PageSource, action: Option<ActionRecord>) -> Result<(), RecordError> {
        let index = self.writer.next();
        let failed = |error: SourceError| RecordError::Capture { step: index, reason: error.to_string() };
        let captured = Instant::now();
        let (page, capture) = source.page().map_err(failed)?;
        let capture_millis = captured.elapsed().as_millis() as u64;
        let mut events = source.events(&EventFilter::default(), self.told, MOST_EVENTS).map_err(failed)?;
        self.told = events.last().map(|event| event.position).or(self.told);
        for event in &mut events {
            event.step = index;
        }
        let mut capture = (*capture).clone();
        self.paint(&page, &mut capture).map_err(|reason| RecordError::Capture { step: index, reason })?;
        let settled = settled(true, 0, "the server let the page settle");
        let step = StepRecord { action, events, ..step_of(self.tab, capture, settled) };
        self.writer.write(step, self.began, capture_millis)?;
        self.before = Some(page);
        Ok(())
    }

    /// Paints over what shows a secret that the client typed.
    fn paint(&self, page: &Page, capture: &mut Capture) -> Result<(), String> {
        let boxes = if self.secrets.is_empty() { Vec::new() } else { mask::secret_boxes(page, &self.secrets) };
        if boxes.is_empty() {
            return Ok(());
        }
        let view = page.viewport();
        let width = capture.screenshot().and_then(|png| png.get(16..20)?.try_into().ok()).map(u32::from_be_bytes);
        let scale = width.map_or(view.scale, |width| width as f32 / view.width.max(1) as f32);
        mask::paint_screenshots(capture, page, &boxes, scale)
    }
}
