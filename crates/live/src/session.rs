//! One reader of a page source: its run of a strategy, its refs, its place in the events.
//!
//! In: any [`PageSource`], live or recorded. Out: observations, and the node that a ref means.
//! Invariant: a ref is what the text of this session showed last under that handle, so readers of
//! one page do not disturb each other.

use crate::error::LiveError;
use browserlens_core::page::{BoxInViewport, Capture, Flags, NodeKey, Page, PayloadKind};
use browserlens_core::strategy::{
    CaptureImage, Event, EventFilter, ImageSpace, NoClock, Observation, PageSource, Request, Run, StepCache, StepIndex,
    StepInput, Strategy, TakenAction, Task,
};
use browserlens_lens::build;
use serde_json::Value;
use std::collections::HashMap;
use std::sync::Arc;

/// Most events that are told with one observation; older ones are asked for by other tools.
const MOST_EVENTS: usize = 500;

/// What a handle means, and how its element was called.
#[derive(Clone, Debug)]
struct Known {
    key: NodeKey,
    said: String,
}

/// One reader.
pub struct Session {
    strategy: Box<dyn Strategy>,
    run: Box<dyn Run>,
    task: Task,
    known: HashMap<String, Known>,
    events_after: Option<u64>,
    looks: u32,
    page: Option<Arc<Page>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("strategy", &self.strategy.name())
            .field("looks", &self.looks)
            .finish_non_exhaustive()
    }
}

impl Session {
    /// Begins with a strategy of the family `lens/*` by name, with options as
    /// `traces/strategies.toml` has them (`budget`, `style`, …).
    ///
    /// # Errors
    /// [`LiveError::UnknownStrategy`] if there is none of that name or an option is wrong.
    pub fn named(name: &str, options: &Value, task: Task) -> Result<Self, LiveError> {
        let unknown = |reason: String| LiveError::UnknownStrategy { name: name.to_owned(), reason };
        let strategy = build(name, options)
            .ok_or_else(|| unknown(format!("expected one of {}", browserlens_lens::names().join(", "))))?
            .map_err(|error| unknown(error.to_string()))?;
        Ok(Self::with(strategy, task))
    }

    /// Begins with any strategy.
    pub fn with(strategy: Box<dyn Strategy>, task: Task) -> Self {
        let run = strategy.start(&task);
        Self { strategy, run, task, known: HashMap::new(), events_after: None, looks: 0, page: None }
    }

    /// Returns the strategy.
    pub fn strategy(&self) -> &dyn Strategy {
        &*self.strategy
    }

    /// Returns the page observed last.
    pub fn page(&self) -> Option<&Arc<Page>> {
        self.page.as_ref()
    }

    /// Forgets what was shown: the next observation is full, and refs of before mean nothing any
    /// more.
    pub fn reset(&mut self) {
        self.run = self.strategy.start(&self.task);
        self.known.clear();
        self.looks = 0;
    }

    /// Returns what this reader is shown of the source's page now: in full first, then what
    /// changed.
    ///
    /// # Errors
    /// [`LiveError`] if the page is gone or the strategy cannot read it.
    pub fn observe(
        &mut self,
        source: &mut dyn PageSource,
        action: Option<&TakenAction>,
    ) -> Result<Observation, LiveError> {
        let sight = Sight::take(source, self.strategy.name(), &mut self.events_after)?;
        let observation = self.run.observe(&sight.input(self.looks, action))?;
        self.looks += 1;
        self.page = Some(sight.page);
        self.learn(&observation);
        Ok(observation)
    }

    /// Answers a request about the page observed last: what an elided mark stands for, more of a
    /// list, a section, a query.
    ///
    /// # Errors
    /// [`LiveError::Strategy`] if the strategy knows no such request or not that handle.
    pub fn request(&mut self, request: &Request) -> Result<Observation, LiveError> {
        let observation = self.run.request(request)?;
        self.learn(&observation);
        Ok(observation)
    }

    /// Returns the node that a ref means.
    ///
    /// # Errors
    /// [`LiveError::UnknownRef`] if this session was not shown it.
    pub fn key_of(&self, reference: &str) -> Result<NodeKey, LiveError> {
        let known = self.known.get(&handle_of(reference));
        known.map(|known| known.key).ok_or_else(|| LiveError::UnknownRef { reference: reference.to_owned() })
    }

    /// Returns role and name under which a ref was shown.
    pub fn said(&self, reference: &str) -> String {
        self.known.get(&handle_of(reference)).map(|known| known.said.clone()).unwrap_or_default()
    }

    fn learn(&mut self, observation: &Observation) {
        let Some(page) = &self.page else { return };
        let by_key: HashMap<NodeKey, u32> = page.nodes().map(|node| (node.key(), node.id().0)).collect();
        for target in &observation.refs {
            let said = by_key.get(&target.key).map(|id| {
                let node = page.node(browserlens_core::page::NodeId(*id));
                let name: String = node.name().chars().take(60).collect();
                if name.is_empty() { node.role().to_owned() } else { format!("{} {name:?}", node.role()) }
            });
            let before = self.known.get(&target.handle).map(|known| known.said.clone());
            let said = said.or(before).unwrap_or_default();
            self.known.insert(target.handle.clone(), Known { key: target.key, said });
        }
    }
}

/// What a source shows at one moment, for a step of any run.
#[derive(Debug)]
pub struct Sight {
    /// The page.
    pub page: Arc<Page>,
    capture: Arc<Capture>,
    events: Vec<Event>,
    screenshot: Option<CaptureImage>,
    crops: Vec<CaptureImage>,
    shared: Arc<StepCache>,
}

impl Sight {
    /// Looks at a source, with pixels where the page or the strategy of that name needs them;
    /// `after` is the last event that was told.
    ///
    /// # Errors
    /// [`LiveError`] if the page is gone.
    pub fn take(source: &mut dyn PageSource, strategy: &str, after: &mut Option<u64>) -> Result<Self, LiveError> {
        let mut page = source.look()?;
        let mut capture = Arc::new(Capture::default());
        if needs_pixels(strategy, &page) {
            (page, capture) = source.page()?;
        }
        let events = source.events(&EventFilter::default(), *after, usize::MAX)?;
        *after = events.last().map(|event| event.position).or(*after);
        let skipped = events.len().saturating_sub(MOST_EVENTS);
        let events = events.into_iter().skip(skipped).collect();
        let (screenshot, crops) = (screenshot(&capture, &page), crops(&capture, &page));
        Ok(Self { page, capture, events, screenshot, crops, shared: Arc::default() })
    }

    /// Returns it as what a run gets at a step.
    pub fn input<'a>(&'a self, step: u32, action: Option<&'a TakenAction>) -> StepInput<'a> {
        StepInput {
            step: StepIndex(step),
            page: &self.page,
            capture: &self.capture,
            earlier_second_look: None,
            action,
            events: &self.events,
            screenshot: self.screenshot.as_ref(),
            crops: &self.crops,
            peers: &[],
            shared: &self.shared,
            clock: &NoClock,
        }
    }
}

/// Returns whether a page cannot be told without pixels, or the strategy shows them whatever the
/// page.
fn needs_pixels(strategy: &str, page: &Page) -> bool {
    let by_name = !strategy.starts_with("lens/") || strategy.contains("vision") || strategy.contains("hybrid");
    by_name || page.nodes().any(|node| node.flags().has(Flags::CANVAS) && node.is_visible())
}

/// Agents leave out the `@`, or put brackets around a ref; in a folded row a ref is only its
/// number.
fn handle_of(reference: &str) -> String {
    let bare = reference.trim().trim_matches(|c| matches!(c, '[' | ']'));
    match bare.chars().next() {
        Some('@') => bare.to_owned(),
        Some('0'..='9') => format!("@e{bare}"),
        _ => format!("@{bare}"),
    }
}

fn screenshot(capture: &Capture, page: &Page) -> Option<CaptureImage> {
    let png = capture.screenshot()?;
    let (width, height) = (page.viewport().width as f32, page.viewport().height as f32);
    let space = ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width, height });
    Some(CaptureImage { png: Arc::clone(png), space })
}

fn crops(capture: &Capture, page: &Page) -> Vec<CaptureImage> {
    capture
        .of_kind(PayloadKind::Crop)
        .filter_map(|crop| {
            let frame = page.frames().iter().find(|frame| frame.number == crop.frame)?;
            let key = NodeKey { frame: crop.frame, loader: frame.loader, backend: crop.node };
            let bounds = page.find(key)?.bounds();
            Some(CaptureImage { png: Arc::clone(&crop.body), space: ImageSpace::Document(bounds) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ref_may_be_written_with_or_without_its_sign_and_brackets() {
        for text in ["@e12", "e12", "[@e12]", " [e12] "] {
            assert_eq!(handle_of(text), "@e12", "{text:?}");
        }
        assert_eq!(handle_of("e12.3"), "@e12.3");
        assert_eq!(handle_of("12.3"), "@e12.3");
    }
}
