//! A browser on which something is recorded: captures, second looks, action nodes.
//!
//! In: what to do. Out: what was seen. Shared by recordings and live pages. Invariant: `last` is
//! what strategies are shown; `current` is how the page stands now, in which actions find their
//! node.

use crate::actions::Deed;
use crate::aim::{Aim, Scene, Undone};
use crate::capture::Depth;
use crate::capture::{FastState, Found};
use crate::capture::{ParseCaptureError, ParsedCapture};
use crate::driver::Driver;
use crate::error::RecordError;
use crate::mask;
use crate::options::FastLook;
use crate::settle::Rest;
use crate::socket::CallError;
use browserlens_core::page::{NodeKey, Payload, PayloadKind, ScrollOffset, SecondLook};
use browserlens_trace::Canonicalizer;
use browserlens_trace::scenario::{Target, TargetBy, called};
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
    fn unparsable(&self, error: &ParseCaptureError) -> RecordError {
        RecordError::Capture { step: self.driver.step, reason: error.to_string() }
    }

    async fn see(&mut self, depth: Depth) -> Result<ParsedCapture, RecordError> {
        self.fast.forget();
        let look = self.driver.look(depth).await.map_err(|error| self.driver.failure("capturing", error))?;
        ParsedCapture::from_look(look, &mut self.canonicalizer).map_err(|error| self.unparsable(&error))
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
            found => found.map_err(|error| self.driver.failure("looking", error))?,
        };
        match found {
            Found::Same if self.current.is_some() => return Ok(false),
            Found::Look(look) => {
                let mut seen = ParsedCapture::from_look(*look, &mut self.canonicalizer)
                    .map_err(|error| self.unparsable(&error))?;
                seen.timings.push(("look".to_owned(), began.elapsed().as_micros() as u64));
                self.current = Some(seen);
                return Ok(true);
            }
            Found::Same | Found::Unknown => {}
        }
        let mut tries = 0;
        let look = loop {
            let look = self.driver.fast_look(&mut self.fast).await;
            match look {
                Ok(look) if !look.torn || tries == MOST_RETRIES => break look,
                Ok(_) | Err(CallError::Refused { .. }) if tries < MOST_RETRIES => tries += 1,
                Ok(look) => break look,
                Err(error) => {
                    self.fast.forget_all();
                    return Err(self.driver.failure("looking", error));
                }
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        };
        let mut seen =
            ParsedCapture::from_look(look, &mut self.canonicalizer).map_err(|error| self.unparsable(&error))?;
        seen.timings.push(("look".to_owned(), began.elapsed().as_micros() as u64));
        self.current = Some(seen);
        Ok(true)
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

    /// Captures the page whole, again where it is torn; returns how often it was taken again.
    pub(crate) async fn capture(&mut self) -> Result<u32, RecordError> {
        self.fast.forget();
        let mut retries = 0;
        let look = loop {
            let look = self.driver.look(Depth::Whole).await.map_err(|error| self.driver.failure("capturing", error))?;
            if !look.torn || retries == MOST_RETRIES {
                break look;
            }
            retries += 1;
            tokio::time::sleep(Duration::from_millis(100)).await;
        };
        let mut crops_look = crate::capture::Look::default();
        let mut seen =
            ParsedCapture::from_look(look, &mut self.canonicalizer).map_err(|error| self.unparsable(&error))?;
        let (boxes, scroll) = (mask::secret_boxes(&seen.page, &self.secrets), seen.page.scroll());
        let bad_png = |step: u32| move |reason: String| RecordError::Capture { step, reason };
        for payload in seen.capture.payloads.iter_mut().filter(|payload| payload.kind == PayloadKind::Screenshot) {
            let painted = mask::paint_over(payload.body.to_vec(), &boxes, (scroll.x, scroll.y), self.scale)
                .map_err(bad_png(self.driver.step))?;
            payload.body = painted.into();
        }
        for (node, bounds) in mask::to_crop(&seen.page) {
            let key = seen.page.node(node).key();
            let clip = [bounds.x, bounds.y, bounds.width, bounds.height].map(f64::from);
            let png = match self.driver.crop_pixels(&mut crops_look, clip).await {
                Ok(png) => png,
                // A box beyond what the browser can paint has no picture.
                Err(CallError::Refused { .. }) => continue,
                Err(error) => return Err(self.driver.failure("cropping", error)),
            };
            let png =
                mask::paint_over(png, &boxes, (bounds.x, bounds.y), self.scale).map_err(bad_png(self.driver.step))?;
            seen.capture.payloads.push(Payload {
                kind: PayloadKind::Crop,
                frame: key.frame,
                node: key.backend,
                body: png.into(),
            });
        }
        seen.timings.extend(crops_look.timings);
        self.current = Some(seen.clone());
        self.last = Some(seen);
        Ok(retries)
    }

    /// Leaves the page alone for ten seconds of its time and tells what changed by itself.
    pub(crate) async fn second_look(&mut self) -> Result<Option<SecondLook>, RecordError> {
        let rest = self
            .driver
            .leave_alone()
            .await
            .map_err(|error| self.driver.failure("waiting for the second look", error))?;
        self.driver
            .leave_closed_tab()
            .await
            .map_err(|error| self.driver.failure("waiting for the second look", error))?;
        if self.is_blocked() {
            return Ok(None);
        }
        let Some(first) = self.last.as_ref().map(|seen| seen.page.clone()) else { return Ok(None) };
        let second = self.glance().await?.page.clone();
        Ok(Some(SecondLook::between(&first, &second, rest.waited_ms)))
    }

    /// Returns whether a dialog blocks the page.
    pub(crate) fn is_blocked(&self) -> bool {
        self.driver.browser.read().dialog(self.driver.tab).is_some()
    }

    /// Returns the node of a target in the capture.
    pub(crate) async fn resolve_in_capture(&self, action: &str, target: &Target) -> Result<NodeKey, RecordError> {
        self.resolve(action, target, self.last.as_ref()).await
    }

    /// Returns the node of a target on the page as it stands now.
    pub(crate) async fn resolve_now(&self, action: &str, target: &Target) -> Result<NodeKey, RecordError> {
        self.resolve(action, target, self.current.as_ref()).await
    }

    async fn resolve(
        &self,
        action: &str,
        target: &Target,
        seen: Option<&ParsedCapture>,
    ) -> Result<NodeKey, RecordError> {
        let Some(seen) = seen else {
            let target = target.to_string();
            return Err(RecordError::Target {
                step: self.driver.step,
                action: action.to_owned(),
                target,
                found: 0,
                candidates: Vec::new(),
            });
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
        let Some(seen) = &self.current else { return };
        let scene = Scene { seen, canonicalizer: &self.canonicalizer };
        let Ok(handle) = self.driver.handle(key, &scene).await else { return };
        match deed {
            Deed::Click { .. } | Deed::Check { .. } => drop(self.driver.reach(&handle, None, Aim::Act).await),
            Deed::Hover => drop(self.driver.reach(&handle, None, Aim::Touch).await),
            Deed::Fill { .. } => {
                let node = serde_json::json!({ "backendNodeId": handle.backend });
                drop(self.driver.call(&handle.session, "DOM.scrollIntoViewIfNeeded", &node).await);
            }
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
        let empty;
        let seen = match &self.current {
            Some(seen) => seen,
            None => {
                empty = ParsedCapture {
                    capture: browserlens_core::page::Capture::default(),
                    page: std::sync::Arc::new(browserlens_core::page::PageBuilder::new("about:blank", "").finish()),
                    frames: Vec::new(),
                    timings: Vec::new(),
                };
                &empty
            }
        };
        let scene = Scene { seen, canonicalizer: &self.canonicalizer };
        self.driver.act(deed, &scene, on, point).await
    }

    /// Lets the page settle; a dialog that is not expected is dismissed.
    pub(crate) async fn settle(&mut self, expects_dialog: bool) -> Result<Rest, RecordError> {
        let mut dismissed = 0;
        loop {
            let rest =
                self.driver.settle().await.map_err(|error| self.driver.failure("letting the page settle", error))?;
            self.driver
                .leave_closed_tab()
                .await
                .map_err(|error| self.driver.failure("letting the page settle", error))?;
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

    /// Waits until a target is there.
    pub(crate) async fn wait_for(&mut self, target: &Target, limit_ms: u64) -> Result<(), RecordError> {
        self.wait_until(target, true, limit_ms).await
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
                return Err(RecordError::TimedOut {
                    step: self.driver.step,
                    action: format!("wait_for {target}"),
                    timeout_ms: limit_ms,
                });
            }
            if self.driver.controlled() {
                self.driver.advance(slice, 50).await.map_err(|error| self.driver.failure("waiting", error))?;
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
