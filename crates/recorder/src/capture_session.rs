//! A browser on which something is recorded: captures, second looks, action nodes.
//!
//! In: what to do. Out: what was seen. Shared by recordings and live pages. Invariant: `last` is
//! what strategies are shown; `current` is how the page stands now, in which actions find their
//! node.

use crate::actions::Deed;
use crate::aim::{Aim, Scene, Undone};
use crate::capture::{Depth, FastState, Found, Look, ParsedCapture};
use crate::driver::Driver;
use crate::error::RecordError;
use crate::mask;
use crate::options::FastLook;
use crate::socket::CallError;
use browserlens_core::page::{BoxInDocument, NodeKey, Payload, PayloadKind, ScrollOffset, SecondLook};
use browserlens_trace::scenario::{Target, TargetBy, called};
use browserlens_trace::{Canonicalizer, Settled};
use std::time::{Duration, Instant};

/// How often a torn capture is taken again.
const MOST_RETRIES: u32 = 3;
/// Page time given after a scroll that is no action, in milliseconds.
const SCROLL_MS: u32 = 50;

pub(crate) struct CaptureSession {
    pub(crate) driver: Driver,
    pub(crate) canonicalizer: Canonicalizer,
    /// Secret values, for masks.
    pub(crate) secrets: Vec<String>,
    /// Scale of the viewport.
    pub(crate) scale: f32,
    pub(crate) last: Option<ParsedCapture>,
    pub(crate) current: Option<ParsedCapture>,
    /// What fast looks know of the tab.
    pub(crate) fast: FastState,
}

impl CaptureSession {
    pub(crate) fn new(driver: Driver, canonicalizer: Canonicalizer, secrets: Vec<String>, scale: f32) -> Self {
        let fast = FastState::default();
        Self { driver, canonicalizer, secrets, scale, last: None, current: None, fast }
    }

    pub(crate) fn parsed(&mut self, look: Look) -> Result<ParsedCapture, RecordError> {
        let seen = ParsedCapture::from_look(look, &mut self.canonicalizer);
        seen.map_err(|error| self.driver.bad_capture(error.to_string()))
    }

    async fn see(&mut self, depth: Depth) -> Result<ParsedCapture, RecordError> {
        self.fast.forget();
        let look = self.driver.look(depth).await.map_err(self.driver.failed("capturing"))?;
        self.parsed(look)
    }

    /// Looks at the page without images; it becomes the current one.
    pub(crate) async fn glance(&mut self) -> Result<&ParsedCapture, RecordError> {
        let seen = self.see(Depth::Tree).await?;
        Ok(self.current.insert(seen))
    }

    /// Looks at the page as a capture does, without keeping images; it becomes the last seen and
    /// the current one.
    pub(crate) async fn look_on(&mut self) -> Result<&ParsedCapture, RecordError> {
        let seen = self.see(Depth::Painted).await?;
        self.current = Some(seen.clone());
        Ok(self.last.insert(seen))
    }

    /// Looks at the page as fast as possible, not at all where nothing changed; it becomes the
    /// current one. Returns whether it was read.
    pub(crate) async fn fast_look(&mut self) -> Result<bool, RecordError> {
        let began = Instant::now();
        let found = match self.driver.find_changes(&mut self.fast).await {
            // A frame's document went away between two calls.
            Err(CallError::Refused { .. }) => Found::Unknown,
            found => found.map_err(self.driver.failed("looking"))?,
        };
        let look = match found {
            Found::Same if self.current.is_some() => return Ok(false),
            Found::Look(look) => *look,
            Found::Same | Found::Unknown => self.fast_look_whole().await?,
        };
        let mut seen = self.parsed(look)?;
        seen.timings.push(("look".to_owned(), began.elapsed().as_micros() as u64));
        self.current = Some(seen);
        Ok(true)
    }

    async fn fast_look_whole(&mut self) -> Result<Look, RecordError> {
        let mut tries = 0;
        loop {
            match self.driver.fast_look(&mut self.fast).await {
                Ok(look) if !look.torn || tries == MOST_RETRIES => return Ok(look),
                Ok(_) | Err(CallError::Refused { .. }) if tries < MOST_RETRIES => tries += 1,
                Ok(look) => return Ok(look),
                Err(error) => {
                    self.fast.forget_all();
                    return Err(self.driver.failure("looking", error));
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// Takes a fast look at a page that was just captured; the capture stays the current one.
    pub(crate) async fn fast_beside(&mut self, step: u32, captured: &ParsedCapture) -> Result<FastLook, RecordError> {
        self.fast_look().await?;
        self.fast.forget_all();
        let began = Instant::now();
        self.fast_look().await?;
        let fast = began.elapsed().as_micros() as u64;
        let page = self.current.as_ref().map_or_else(|| captured.page.clone(), |seen| seen.page.clone());
        let fallbacks = self.current.as_ref().map_or(0, |seen| {
            seen.timings.iter().filter(|(call, _)| call == "Accessibility.getFullAXTree").count() as u32
        });
        let began = Instant::now();
        self.glance().await?;
        let whole = began.elapsed().as_micros() as u64;
        self.current = Some(captured.clone());
        Ok(FastLook { step, whole: captured.page.clone(), fast: page, fallbacks, micros: (whole, fast) })
    }

    /// Looks at the page whole, again after a pause where it is torn; says how often it was again.
    pub(crate) async fn whole_look(&self, pause: Duration) -> Result<(Look, u32), RecordError> {
        let mut retries = 0;
        loop {
            let look = self.driver.look(Depth::Whole).await.map_err(self.driver.failed("capturing"))?;
            if !look.torn || retries == MOST_RETRIES {
                return Ok((look, retries));
            }
            retries += 1;
            tokio::time::sleep(pause).await;
        }
    }

    /// Captures the page whole, again where it is torn; returns how often it was taken again.
    pub(crate) async fn capture(&mut self) -> Result<u32, RecordError> {
        self.fast.forget();
        let (look, retries) = self.whole_look(Duration::from_millis(100)).await?;
        let mut seen = self.parsed(look)?;
        let boxes = mask::secret_boxes(&seen.page, &self.secrets);
        self.mask(&mut seen, &boxes)?;
        // A box beyond what the browser can paint has no picture.
        self.add_crops(&mut seen, &boxes, |error| matches!(error, CallError::Refused { .. })).await?;
        self.current = Some(seen.clone());
        self.last = Some(seen);
        Ok(retries)
    }

    /// Paints over boxes in the picture of the viewport.
    pub(crate) fn mask(&self, seen: &mut ParsedCapture, boxes: &[BoxInDocument]) -> Result<(), RecordError> {
        let painted = mask::paint_screenshots(&mut seen.capture, &seen.page, boxes, self.scale);
        painted.map_err(|reason| self.driver.bad_capture(reason))
    }

    /// Adds pictures of what the one of the viewport does not show, painted over in the same way;
    /// one that fails in a way that is `passed` over is left out.
    pub(crate) async fn add_crops(
        &self,
        seen: &mut ParsedCapture,
        boxes: &[BoxInDocument],
        passed: fn(&CallError) -> bool,
    ) -> Result<(), RecordError> {
        let mut look = Look::default();
        for (node, bounds) in mask::to_crop(&seen.page) {
            let key = seen.page.node(node).key();
            let png = match self.driver.crop_pixels(&mut look, bounds).await {
                Err(error) if passed(&error) => continue,
                png => png.map_err(self.driver.failed("cropping"))?,
            };
            let painted = mask::paint_over(png, boxes, (bounds.x, bounds.y), self.scale);
            let body = painted.map_err(|reason| self.driver.bad_capture(reason))?.into();
            seen.capture.payloads.push(Payload { kind: PayloadKind::Crop, frame: key.frame, node: key.backend, body });
        }
        seen.timings.extend(look.timings);
        Ok(())
    }

    /// Leaves the page alone for ten seconds of its time and tells what changed by itself.
    pub(crate) async fn second_look(&mut self) -> Result<Option<SecondLook>, RecordError> {
        let doing = "waiting for the second look";
        let rest = self.driver.leave_alone().await.map_err(self.driver.failed(doing))?;
        self.driver.leave_closed_tab().await.map_err(self.driver.failed(doing))?;
        if self.is_blocked() {
            return Ok(None);
        }
        let Some(first) = self.last.as_ref().map(|seen| seen.page.clone()) else { return Ok(None) };
        let second = self.glance().await?.page.clone();
        Ok(Some(SecondLook::between(&first, &second, rest.waited_ms)))
    }

    /// Returns whether a dialog blocks the page.
    pub(crate) fn is_blocked(&self) -> bool {
        self.driver.browser.read().has_dialog(self.driver.tab)
    }

    /// Returns the node of a target in what was seen.
    pub(crate) async fn resolve(
        &self,
        action: &str,
        target: &Target,
        seen: Option<&ParsedCapture>,
    ) -> Result<NodeKey, RecordError> {
        let Some(seen) = seen else {
            let (step, action, target) = (self.driver.step, action.to_owned(), target.to_string());
            return Err(RecordError::Target { step, action, target, found: 0, candidates: Vec::new() });
        };
        let node = self.driver.resolve(action, target, seen, &self.canonicalizer).await?;
        Ok(seen.page.node(node).key())
    }

    /// Returns the role of a node of the capture and the name that a person would call it by.
    pub(crate) fn described(&self, key: NodeKey) -> (String, String) {
        let Some(node) = self.last.as_ref().and_then(|seen| seen.page.find(key)) else { return Default::default() };
        (node.role().to_owned(), called(node))
    }

    /// Scrolls as an action of the recorder's own on this node would: where a tool acts, the page
    /// shall stand as in the trace.
    pub(crate) async fn bring_into_view(&self, deed: &Deed, key: NodeKey) {
        let Ok(handle) = self.driver.handle(key, &self.scene()).await else { return };
        match deed {
            Deed::Click { .. } | Deed::Check { .. } => drop(self.driver.reach(&handle, None, Aim::Act).await),
            Deed::Hover => drop(self.driver.reach(&handle, None, Aim::Touch).await),
            Deed::Fill { .. } => self.driver.scroll_into_view(&handle).await,
            _ => {}
        }
    }

    /// Scrolls the main document to an offset and gives the page a moment of its time to notice.
    pub(crate) async fn scroll_to(&self, offset: ScrollOffset) -> Result<(), CallError> {
        let Some(frame) = self.current.as_ref().and_then(|seen| seen.frames.first()) else { return Ok(()) };
        let script = format!("window.scrollTo({{ left: {}, top: {}, behavior: 'instant' }})", offset.x, offset.y);
        self.driver.evaluate_apart(&frame.session, frame.own_world, &script).await?;
        self.driver.advance(SCROLL_MS, SCROLL_MS).await.map(drop)
    }

    /// Carries out an action on the page as it stands now.
    pub(crate) async fn act(
        &mut self,
        deed: &Deed,
        on: Option<NodeKey>,
        point: Option<(f32, f32)>,
    ) -> Result<(), Undone> {
        // Not by `scene`, which would borrow the driver too.
        let scene = Scene { seen: self.current.as_ref(), canonicalizer: &self.canonicalizer };
        self.driver.act(deed, &scene, on, point).await
    }

    /// Returns the page as it stands now, to act within it.
    pub(crate) fn scene(&self) -> Scene<'_> {
        Scene { seen: self.current.as_ref(), canonicalizer: &self.canonicalizer }
    }

    /// Lets the page settle; a dialog that is not expected is dismissed.
    pub(crate) async fn settle(&mut self, expects_dialog: bool) -> Result<Settled, RecordError> {
        let doing = "letting the page settle";
        let mut dismissed = 0;
        loop {
            let rest = self.driver.settle().await.map_err(self.driver.failed(doing))?;
            self.driver.leave_closed_tab().await.map_err(self.driver.failed(doing))?;
            // A page may open one dialog after the other for ever.
            if !self.is_blocked() || expects_dialog || dismissed == 20 {
                self.driver.unrest = None;
                return Ok(rest);
            }
            dismissed += 1;
            self.dismiss().await?;
        }
    }

    pub(crate) async fn dismiss(&mut self) -> Result<(), RecordError> {
        match self.driver.answer_dialog(false, None).await {
            Ok(()) | Err(Undone::Impossible(_) | Undone::Gone(_)) => Ok(()),
            Err(Undone::Call(error)) => Err(self.driver.failure("dismissing a dialog", error)),
        }
    }

    /// Waits until a target is there, or is not.
    pub(crate) async fn wait_until(&mut self, target: &Target, there: bool, limit_ms: u64) -> Result<(), RecordError> {
        let slice = 250_u32;
        let began = Instant::now();
        let mut spent = 0_u64;
        loop {
            let seen = self.glance().await?.clone();
            let found = match self.driver.matches(target, &seen, &self.canonicalizer).await {
                Ok(found) => found,
                Err(CallError::Refused { .. }) => Vec::new(),
                Err(error) => return Err(self.driver.failure("waiting", error)),
            };
            if found.is_empty() != there {
                return Ok(());
            }
            let waited = if self.driver.controlled() { spent } else { began.elapsed().as_millis() as u64 };
            if waited >= limit_ms {
                let (step, action) = (self.driver.step, format!("wait_for {target}"));
                return Err(RecordError::TimedOut { step, action, timeout_ms: limit_ms });
            }
            if self.driver.controlled() {
                self.driver.advance(slice, 50).await.map_err(self.driver.failed("waiting"))?;
                spent += u64::from(slice);
            } else {
                tokio::time::sleep(Duration::from_millis(u64::from(slice))).await;
            }
            if self.is_blocked() {
                self.dismiss().await?;
            }
        }
    }
}

/// Returns the point that a target names inside its node.
pub(crate) fn point_of(target: &Target) -> Option<(f32, f32)> {
    match &target.by {
        TargetBy::Css { point, .. } => *point,
        _ => None,
    }
}
