//! A trace as a source of pages.
//!
//! In: a [`Trace`] and a step. Out: what a live browser would answer at that step. Invariant:
//! nothing of a later step is told: events end at the step the source stands at.

use crate::error::{Fault, TraceError};
use crate::reader::Trace;
use browserlens_core::page::{BoxInDocument, BoxInViewport, Capture, NodeKey, Page, PayloadKind};
use browserlens_core::strategy::{
    BodyHead, BodySide, CaptureImage, Event, EventFilter, EventTally, ImageSpace, PageSource, SourceError, SourceId,
    StepIndex,
};
use image::{DynamicImage, GenericImageView, ImageFormat};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;

/// A [`PageSource`] over a trace, with a step that can be set.
#[derive(Debug)]
pub struct TracePages {
    trace: Trace,
    step: StepIndex,
    current: Option<(Arc<Page>, Arc<Capture>)>,
}

impl TracePages {
    /// Opens a trace and stands at its first step.
    ///
    /// # Errors
    /// As [`Trace::open`], and [`Fault::NoStep`] if the trace has none.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, TraceError> {
        Self::new(Trace::open(path)?)
    }

    /// Stands at the first step of a trace.
    ///
    /// # Errors
    /// [`Fault::NoStep`] if the trace has none.
    pub fn new(trace: Trace) -> Result<Self, TraceError> {
        let mut pages = Self { trace, step: StepIndex(0), current: None };
        pages.set_step(StepIndex(0))?;
        Ok(pages)
    }

    /// Returns the trace.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Goes to a step.
    ///
    /// # Errors
    /// [`Fault::NoStep`] if the trace has no such step.
    pub fn set_step(&mut self, step: StepIndex) -> Result<(), TraceError> {
        if step.0 >= self.trace.len() {
            return Err(self.trace.no_step(step));
        }
        if step != self.step {
            self.current = None;
        }
        self.step = step;
        Ok(())
    }

    /// Nothing of a later step is told.
    fn until_now(&self, filter: &EventFilter) -> EventFilter {
        let to_step = filter.to_step.map_or(self.step.0, |to| to.min(self.step.0));
        // At the end of the trace all steps are earlier ones, and a condition that holds for every
        // row costs time.
        let to_step = (to_step + 1 < self.trace.len()).then_some(to_step);
        EventFilter { to_step, ..filter.clone() }
    }
}

impl Trace {
    /// Makes the trace a source of pages, standing at its first step.
    ///
    /// # Errors
    /// [`Fault::NoStep`] if the trace has no step.
    pub fn into_pages(self) -> Result<TracePages, TraceError> {
        TracePages::new(self)
    }

    /// Reads and parses the page of a step.
    ///
    /// # Errors
    /// As [`Trace::capture`], and [`Fault::Unparsable`].
    pub fn page(&self, step: StepIndex) -> Result<(Page, Capture), TraceError> {
        let capture = self.capture(step)?;
        let page = Page::parse(&capture)
            .map_err(|error| self.db().error(Fault::Unparsable { step, reason: error.to_string() }))?;
        Ok((page, capture))
    }
}

const NO_PAGE: &str = "the page cannot be read from the trace";
const NO_EVENTS: &str = "the events cannot be read from the trace";

fn failed<E: std::error::Error + Send + Sync + 'static>(context: &str) -> impl Fn(E) -> SourceError {
    move |cause| SourceError::Failed { context: context.to_owned(), cause: Box::new(cause) }
}

impl PageSource for TracePages {
    fn step(&self) -> StepIndex {
        self.step
    }

    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        if let Some(both) = &self.current {
            return Ok(both.clone());
        }
        let (page, capture) = self.trace.page(self.step).map_err(failed(NO_PAGE))?;
        Ok(self.current.insert((Arc::new(page), Arc::new(capture))).clone())
    }

    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError> {
        self.trace.events(&self.until_now(filter), after, limit).map_err(failed(NO_EVENTS))
    }

    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError> {
        self.trace.tally(&self.until_now(filter), after).map_err(failed(NO_EVENTS))
    }

    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError> {
        self.trace.body_head(position, side, limit).map_err(failed("a body cannot be read from the trace"))
    }

    fn identity(&self) -> SourceId {
        SourceId::Trace(self.trace.hash().0)
    }

    fn now_ms(&mut self) -> Result<u64, SourceError> {
        self.trace.latest_ms(self.step).map_err(failed(NO_EVENTS))
    }

    fn tabs(&mut self) -> Result<Vec<u32>, SourceError> {
        self.trace.tabs(self.step).map_err(failed("the tabs cannot be read from the trace"))
    }

    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError> {
        for step in (0..=self.step.0).rev().map(StepIndex) {
            if self.trace.step_alone(step).map_err(failed(NO_PAGE))?.tab != tab {
                continue;
            }
            if step == self.step {
                return self.page();
            }
            let (page, capture) = self.trace.page(step).map_err(failed(NO_PAGE))?;
            return Ok((Arc::new(page), Arc::new(capture)));
        }
        Err(SourceError::NotAvailable { what: format!("a page of tab {tab}") })
    }

    fn crop(&mut self, bounds: BoxInDocument) -> Result<CaptureImage, SourceError> {
        let (page, capture) = self.page()?;
        let not_there = || SourceError::NotAvailable {
            what: format!("the image of the box at {}, {} ({} x {})", bounds.x, bounds.y, bounds.width, bounds.height),
        };
        if !(bounds.area().is_finite() && bounds.area() > 0.0) {
            return Err(not_there());
        }
        let in_viewport = bounds.to_viewport(page.scroll());
        let viewport = page.viewport();
        let whole = BoxInDocument { x: 0.0, y: 0.0, width: viewport.width as f32, height: viewport.height as f32 };
        let as_box = BoxInDocument { x: in_viewport.x, y: in_viewport.y, width: bounds.width, height: bounds.height };
        if let (true, Some(png)) = (whole.contains_box(as_box, 0.5), capture.screenshot()) {
            let png = cut(png, whole, as_box)?.ok_or_else(not_there)?;
            return Ok(CaptureImage { png, space: ImageSpace::Viewport(in_viewport) });
        }
        for (png, owner) in of_elements(&page, &capture).filter(|(_, owner)| owner.contains_box(bounds, 0.5)) {
            if let Some(png) = cut(png, owner, bounds)? {
                return Ok(CaptureImage { png, space: ImageSpace::Document(bounds) });
            }
        }
        Err(not_there())
    }
}

/// Cuts the box `part` out of an image that shows the box `whole`.
fn cut(png: &[u8], whole: BoxInDocument, part: BoxInDocument) -> Result<Option<Arc<[u8]>>, SourceError> {
    let image = image::load_from_memory_with_format(png, ImageFormat::Png)
        .map_err(failed("an image of the trace cannot be read"))?;
    let (width, height) = image.dimensions();
    let scale = (width as f32 / whole.width, height as f32 / whole.height);
    // Rounded outwards, so that nothing of the box is lost; kept inside the image.
    let span = |from: f32, to: f32, scale: f32, size: u32| {
        let inside = |pixel: f32| (pixel.max(0.0) as u32).min(size);
        (inside((from * scale).floor()), inside((to * scale).ceil()))
    };
    let (left, right) = span(part.x - whole.x, part.right() - whole.x, scale.0, width);
    let (top, bottom) = span(part.y - whole.y, part.bottom() - whole.y, scale.1, height);
    if right <= left || bottom <= top {
        return Ok(None);
    }
    let mut bytes = Cursor::new(Vec::new());
    DynamicImage::ImageRgba8(image.crop_imm(left, top, right - left, bottom - top).to_rgba8())
        .write_to(&mut bytes, ImageFormat::Png)
        .map_err(failed("a crop cannot be written"))?;
    Ok(Some(bytes.into_inner().into()))
}

/// Returns the pictures of single elements that a capture holds, each with where it lies in the
/// document.
pub fn crops(page: &Page, capture: &Capture) -> Vec<CaptureImage> {
    let image = |(png, bounds)| CaptureImage { png: Arc::clone(png), space: ImageSpace::Document(bounds) };
    of_elements(page, capture).map(image).collect()
}

/// The same as they are stored.
fn of_elements<'c>(page: &'c Page, capture: &'c Capture) -> impl Iterator<Item = (&'c Arc<[u8]>, BoxInDocument)> {
    capture.of_kind(PayloadKind::Crop).filter_map(move |crop| {
        let is_owner = |key: NodeKey| (key.frame, key.backend) == (crop.frame, crop.node);
        let owner = page.nodes().find(|node| is_owner(node.key()))?;
        Some((&crop.body, owner.bounds()))
    })
}

/// Returns the part of the viewport that a whole screenshot shows.
pub fn screenshot_space(page: &Page) -> ImageSpace {
    let viewport = page.viewport();
    ImageSpace::Viewport(BoxInViewport { x: 0.0, y: 0.0, width: viewport.width as f32, height: viewport.height as f32 })
}
