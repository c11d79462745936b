//! How a session looks at its page: as it stands now, within what the policy allows, once for each
//! change.
//!
//! In: the source. Out: the page on hand, and what was observed but not told yet. Invariants: a
//! page that a browser should not have come to is left before it is shown; looking at a page in
//! another way changes nothing of what the session was told.

use super::{Session, said};
use crate::error::ToolError;
use crate::source::{Act, taken};
use browserlens_core::page::text::escaped_line;
use browserlens_core::page::{Capture, Flags, NodeKey, Page, SecondLook};
use browserlens_core::strategy::{
    ActionKind, CaptureImage, Event, EventFilter, EventKind, NoClock, NodeHint, PageAlone, Ref, RequestParts,
    StepIndex, StepInput, TakenAction,
};
use browserlens_lens::{LensOptions, Representation, RouterKind};
use browserlens_snapshot::RefLens;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use url::Url;

/// Most events that one look takes in.
const MOST_EVENTS: usize = 2_000;
/// Most refs that are remembered in words, and the longest of their names in characters.
const MOST_KNOWN: usize = 20_000;
const LONGEST_NAME: usize = 60;

/// Actions after which it is told what the page sent.
const ON_PAGE: [ActionKind; 10] = [
    ActionKind::Click,
    ActionKind::DoubleClick,
    ActionKind::Fill,
    ActionKind::Type,
    ActionKind::Press,
    ActionKind::Select,
    ActionKind::Check,
    ActionKind::Drag,
    ActionKind::Upload,
    ActionKind::Dialog,
];
/// Most requests that are told, and characters of the path of one.
const MOST_SENT: usize = 3;
const LONGEST_PATH: usize = 60;

/// Says what a page sent to its own site to be kept or changed there, and how that was answered: it
/// is often the only sign that something was saved.
fn sent(events: &[Event], page: &str) -> String {
    let site =
        |url: &Url| url.host_str().map(|host| host.rsplitn(3, '.').take(2).map(str::to_owned).collect::<Vec<_>>());
    let Ok(page) = Url::parse(page) else { return String::new() };
    let mut told = events.iter().filter_map(|event| {
        let EventKind::Request(request) = &event.kind else { return None };
        let url = Url::parse(&request.url).ok().filter(|url| site(url) == site(&page))?;
        let changes = matches!(&*request.method, "POST" | "PUT" | "PATCH" | "DELETE");
        if !changes || !matches!(&*request.resource_type, "Fetch" | "XHR" | "Document") {
            return None;
        }
        let path: String = url.path().chars().take(LONGEST_PATH).collect();
        let answer = if request.status > 0 { request.status.to_string() } else { "without an answer".to_owned() };
        Some(format!("sent: {} {} {answer}\n", escaped_line(&request.method), escaped_line(&path)))
    });
    told.by_ref().take(MOST_SENT).collect()
}

impl Session {
    /// Looks at the page as it stands; what is new is kept until it is told. `always` keeps also
    /// that nothing is new.
    pub(super) fn look(&mut self, action: Option<&TakenAction>, always: bool) -> Result<(), ToolError> {
        self.look_by(action, always, true)
    }

    /// The same; `passes_ticks` passes over what only ticks on, as it did before.
    pub(super) fn look_by(
        &mut self,
        action: Option<&TakenAction>,
        always: bool,
        passes_ticks: bool,
    ) -> Result<(), ToolError> {
        let last_event = self.last_event;
        let needs_pixels = self.options.marks
            || matches!(self.options.representation, Some(Representation::Vision | Representation::Hybrid))
            || (self.options.representation.is_none() && self.options.router != RouterKind::Cost);
        let source = self.source()?;
        // Pixels take a whole capture; what the lens reads else is known sooner.
        let mut page = source.pages().look()?;
        let mut capture = Arc::new(Capture::default());
        if needs_pixels || page.nodes().any(|node| node.flags().has(Flags::CANVAS) && node.is_visible()) {
            (page, capture) = source.pages().page()?;
        }
        self.guard(&page)?;
        if self.is_silent {
            self.touched += 1;
            (self.page, self.is_current) = (Some(page), true);
            return Ok(());
        }
        let source = self.source()?;
        let filter = EventFilter { parts: RequestParts::Line, ..EventFilter::default() };
        let events = source.pages().events(&filter, last_event, MOST_EVENTS)?;
        let recorded = if action.is_some() { source.earlier_second_look() } else { None };
        if action.is_some_and(|action| ON_PAGE.contains(&action.kind)) && self.is_live() {
            self.notes.push_str(&sent(&events, page.url()));
        }
        if self.page.as_ref().is_some_and(|before| !Arc::ptr_eq(before, &page)) {
            self.touched += 1;
        }
        let mut seen = Arc::clone(&page);
        let now = Instant::now();
        let between = self.looked_at.map(|at| now.duration_since(at)).unwrap_or_default();
        self.looked_at = Some(now);
        let alone = self.page.as_ref().filter(|before| action.is_none() && before.document() == page.document());
        if let Some(before) = alone {
            let waited_ms = between.as_millis() as u32;
            self.second_look = Some(match Arc::ptr_eq(before, &page) {
                true => SecondLook { waited_ms, nodes: page.len() as u32, ..SecondLook::default() },
                false => SecondLook::between(before, &page, waited_ms),
            });
        }
        let second_look = recorded.or_else(|| self.second_look.take());
        let lens = &self.lens;
        let has_ref = |key: NodeKey| lens.reference(key).is_some();
        match (&self.page, &self.observed) {
            (Some(before), Some(observed))
                if passes_ticks && events.iter().all(|event| matches!(event.kind, EventKind::Request(_))) =>
            {
                if action.is_none() && !always && self.ticks.by_itself(before, &page, between, &has_ref) {
                    (self.page, self.is_current) = (Some(page), true);
                    return Ok(());
                }
                // Who waits, waits for what the page says now.
                let acted = action.is_some_and(|action| action.kind != ActionKind::WaitFor);
                // What only ticked before the action was not told, and makes no answer of an action
                // that led to nothing.
                let ticked = !Arc::ptr_eq(before, observed);
                if acted && self.ticks.are_all(before, &page, between, ticked, &has_ref) {
                    seen = Arc::clone(observed);
                }
            }
            _ => {}
        }
        let screenshot = capture
            .screenshot()
            .map(|png| CaptureImage { png: Arc::clone(png), space: browserlens_trace::screenshot_space(&page) });
        let crops = browserlens_trace::crops(&page, &capture);
        let input = StepInput {
            step: StepIndex(self.step),
            page: &seen,
            capture: &capture,
            earlier_second_look: second_look.as_ref(),
            action,
            events: &events,
            screenshot: screenshot.as_ref(),
            crops: &crops,
            peers: &[],
            shared: &Arc::default(),
            clock: &NoClock,
        };
        self.lens.learn_noise(self.ticks.clocks(&page));
        let observation = self.lens.observe(&input)?;
        self.pending.add(observation, always);
        learn(&mut self.known, &self.lens);
        self.last_event = events.last().map(|event| event.position).or(last_event);
        (self.page, self.observed, self.is_current) = (Some(page), Some(seen), true);
        Ok(())
    }

    /// Looks at the page as it is now, and runs something on a lens that shows it whole; what the
    /// session was told, and will be told next, stays as it is.
    ///
    /// # Errors
    /// [`ToolError`] if the page is gone or the lens cannot show it.
    pub fn beside<T>(&mut self, what: impl FnOnce(&RefLens, &Page) -> T) -> Result<T, ToolError> {
        let source = self.source()?;
        source.refresh();
        let page = source.pages().look()?;
        self.guard(&page)?;
        self.aside(&page, |lens, page| what(lens, page))
    }

    /// Refuses to show a page that a browser should not have come to; it is left, unless its tab is
    /// somebody else's.
    pub(super) fn guard(&mut self, page: &Page) -> Result<(), ToolError> {
        self.mask.learn_page(page);
        if !self.is_live() {
            return Ok(());
        }
        let policy = &self.shared.policy;
        let unchecked = self.source.as_ref().is_some_and(|source| source.connects_unchecked());
        let mut frames = page.frames().iter().skip(1).filter(|_| unchecked);
        let checked = policy.shown(page.url()).and_then(|()| frames.try_for_each(|frame| policy.framed(&frame.url)));
        let Err(refused) = checked else { return Ok(()) };
        if let Some(source) = self.source.as_mut() {
            if source.is_kept() {
                return Err(refused.in_a_kept_tab());
            }
            drop(source.act(&Act::bare(taken(ActionKind::Goto, "about:blank"))));
            source.refresh();
        }
        Err(refused)
    }

    /// Sees to it that the page on hand is the one that is there now.
    pub(super) fn catch_up(&mut self) -> Result<(), ToolError> {
        let is_live = self.is_live();
        let source = self.source()?;
        if is_live && source.is_live() {
            source.refresh();
        }
        if is_live || !self.is_current {
            self.look(None, false)?;
        }
        Ok(())
    }

    /// Refuses to act where a page stays that is not to be shown.
    pub(super) fn guard_kept(&mut self) -> Result<(), ToolError> {
        let source = self.source()?;
        if !source.is_kept() || source.dialog().is_some() {
            return Ok(());
        }
        let page = source.pages().look()?;
        self.guard(&page)
    }

    pub(super) fn on_hand(&self) -> Result<&Arc<Page>, ToolError> {
        self.page.as_ref().ok_or_else(|| ToolError::Internal("no page was looked at".to_owned()))
    }

    /// Runs something on a session that shows the page whole and has its refs, whatever the
    /// session's strategy leaves out.
    pub(super) fn with_whole_page<T>(
        &mut self,
        what: impl FnOnce(&mut RefLens, &Page) -> Result<T, ToolError>,
    ) -> Result<T, ToolError> {
        self.catch_up()?;
        let leaves_out =
            self.options.budget.is_some() && self.lens.shown().is_none_or(|shown| !shown.elided().is_empty());
        let is_whole =
            !leaves_out && !matches!(self.options.representation, Some(Representation::Vision | Representation::Dom));
        let page = Arc::clone(self.on_hand()?);
        if is_whole { what(&mut self.lens, &page) } else { self.aside(&page, what)? }
    }

    /// Runs something on a session that shows a page whole; what the session was told stays as it
    /// is.
    pub(super) fn aside<T>(
        &mut self,
        page: &Arc<Page>,
        what: impl FnOnce(&mut RefLens, &Page) -> T,
    ) -> Result<T, ToolError> {
        let whole = LensOptions {
            representation: Some(Representation::A11y),
            budget: None,
            marks: false,
            ..self.options.clone()
        };
        let alone = PageAlone::default();
        let input = alone.input(self.step, page);
        let known = &mut self.known;
        Ok(self.lens.aside(whole, &input, |lens| {
            learn(known, lens);
            what(lens, page)
        })?)
    }
}

/// Remembers what refs were given for.
fn learn(known: &mut BTreeMap<Ref, String>, lens: &RefLens) {
    let Some(shown) = lens.shown() else { return };
    for node in shown.nodes() {
        let Some(reference) = node.reference() else { continue };
        known.entry(reference).or_insert_with(|| {
            let name = node.name().chars().take(LONGEST_NAME).collect();
            said(&NodeHint { role: node.role().to_owned(), name, ..NodeHint::default() })
        });
    }
    while known.len() > MOST_KNOWN {
        known.pop_first();
    }
}
