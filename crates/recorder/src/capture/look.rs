//! One look at the current tab: every payload of the capture contract, raw, as the browser gave it.
//!
//! In: the driver. Out: a [`Look`]. Invariant: a counter of mutations runs in every frame around
//! the calls; if it moved, or a frame came or went, the look is *torn*: its payloads do not tell of
//! one moment.

use crate::browser_state::Session;
use crate::driver::Driver;
use crate::event_loop::device_metrics;
use crate::messages::{FrameInfo, FrameTreeResult};
use crate::socket::{CallError, Reply};
use base64::Engine;
use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::raw::Snapshot;
use browserlens_core::page::{BoxInDocument, PayloadKind};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Large pages take their time; a hung page is noticed by settling before.
pub(crate) const LOOK_LIMIT: Duration = Duration::from_secs(120);
/// How often a screenshot of a bundled site is taken again at the most, and the pause before it.
const PIXEL_TRIES: u32 = 5;
const PIXEL_PAUSE: Duration = Duration::from_millis(100);

/// What the accessibility tree says of a node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Heard {
    pub(crate) role: String,
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) value: String,
    pub(crate) bits: u32,
    pub(crate) level: u32,
}

/// One frame as the look found it.
#[derive(Clone, Debug)]
pub(crate) struct LookedFrame {
    pub(crate) session: String,
    pub(crate) frame: String,
    /// The recorder's own world in it.
    pub(crate) own_world: i64,
    pub(crate) main_world: Option<String>,
}

/// One raw payload.
#[derive(Clone, Debug)]
pub(crate) struct RawPayload {
    pub(crate) kind: PayloadKind,
    /// Frame id: the session's root for what is read per session.
    pub(crate) frame: String,
    /// Raw JSON text.
    pub(crate) body: String,
}

/// What is said of nodes, by raw backend node id.
pub(crate) type HeardOf = Vec<(i64, Arc<Heard>)>;

/// What one look found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Look {
    pub(crate) frames: Vec<LookedFrame>,
    /// Session and raw backend node id of the `iframe` element of each session's root frame, where
    /// it has one.
    pub(crate) owners: BTreeMap<String, (String, i64)>,
    pub(crate) payloads: Vec<RawPayload>,
    /// Snapshots that are no payloads, by the session's root frame.
    pub(crate) columns: Vec<(String, Arc<Snapshot>)>,
    /// What the accessibility tree says of nodes by raw backend node id, by frame, where that is no
    /// payload.
    pub(crate) said: Vec<(String, HeardOf)>,
    pub(crate) screenshot: Option<Vec<u8>>,
    pub(crate) timings: Vec<(String, u64)>,
    pub(crate) torn: bool,
}

/// How much a look reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Everything.
    Whole,
    /// What a page is parsed from, without listeners and pixels.
    Tree,
    /// The same, and the browser paints as it does for everything: what only a painted frame sets
    /// off happens here too.
    Painted,
}

impl Driver {
    /// Notes which frames a session holds, and whose frame it is; none if it went meanwhile, which
    /// tears the look.
    pub(crate) async fn look_at_frames(
        &self,
        look: &mut Look,
        id: &str,
        session: &Session,
    ) -> Result<Option<Vec<FrameInfo>>, CallError> {
        if !session.ready {
            look.torn = true;
            return Ok(None);
        }
        let reply = match look.timed(self, id, "Page.getFrameTree", &json!({})).await {
            Err(error) if session.parent.is_some() => return look.tear(error).map(|()| None),
            reply => reply?,
        };
        let tree: FrameTreeResult = reply.read()?;
        let root = session.root_frame.clone();
        look.push(PayloadKind::Frames, &root, reply.text());
        if let Some(parent) = &session.parent {
            match self.call(parent, "DOM.getFrameOwner", &json!({ "frameId": root })).await {
                Ok(reply) => {
                    let owner = reply.value()["backendNodeId"].as_i64().unwrap_or(0);
                    look.owners.insert(root, (parent.clone(), owner));
                }
                Err(error) => look.tear(error)?,
            }
        }
        Ok(Some(tree.frames()))
    }

    /// Looks at the current tab.
    pub(crate) async fn look(&self, depth: Depth) -> Result<Look, CallError> {
        let mut look = Look::default();
        let (sessions, tabs) = {
            let state = self.browser.read();
            (state.sessions_of(self.tab), state.open_tabs().count())
        };
        // Who only looks on does not bring anything to the front, and takes its pictures apart.
        let looks_on = self.browser.watch.get().is_some();
        if tabs > 1 && !looks_on {
            // A tab that another one opened over paints nothing, and its screenshot would never
            // come.
            self.call(&self.session(), "Page.bringToFront", &json!({})).await?;
        }
        let mut began: Vec<u64> = Vec::new();
        let mut roots = Vec::new();
        for (id, session) in &sessions {
            let Some(frames) = self.look_at_frames(&mut look, id, session).await? else { continue };
            roots.push((id.clone(), session.root_frame.clone()));
            for FrameInfo { id: frame, .. } in frames {
                let entered = async {
                    let world = self.own_world(id, &frame).await?;
                    let count = self.evaluate_apart(id, world, "browserLens.begin()").await?;
                    Ok((world, count))
                };
                let main_world = self.main_world(id, &frame);
                match entered.await {
                    Ok((own_world, count)) => {
                        began.push(count.as_u64().unwrap_or(0));
                        look.frames.push(LookedFrame { session: id.clone(), frame, own_world, main_world });
                    }
                    Err(error) => look.tear(error)?,
                }
            }
        }
        let snapshot = snapshot_params(&COMPUTED_STYLES, true);
        for (session, root) in &roots {
            look.read(self, session, "DOMSnapshot.captureSnapshot", &snapshot, PayloadKind::Snapshot, root).await?;
            look.read(self, session, "Page.getLayoutMetrics", &json!({}), PayloadKind::Metrics, root).await?;
        }
        if self.setup.tree_anew {
            roots.iter().for_each(|(session, _)| self.drop_tree(session));
        }
        let frames = look.frames.clone();
        for frame in &frames {
            let params = json!({ "frameId": frame.frame });
            look.read(self, &frame.session, "Accessibility.getFullAXTree", &params, PayloadKind::Ax, &frame.frame)
                .await?;
            if depth == Depth::Whole {
                look.listeners(self, frame).await?;
            }
        }
        for (frame, began) in frames.iter().zip(began) {
            let started = Instant::now();
            let expression = format!("JSON.stringify(browserLens.probe({began}))");
            match self.evaluate_apart(&frame.session, frame.own_world, &expression).await {
                Ok(value) => {
                    let body = value.as_str().unwrap_or("{}");
                    look.timings.push(("probe".to_owned(), started.elapsed().as_micros() as u64));
                    look.torn |= mutations_of(body) != Some(0);
                    look.push(PayloadKind::Probe, &frame.frame, body);
                }
                Err(error) => look.tear(error)?,
            }
        }
        let takes_picture = depth == Depth::Whole && !looks_on;
        if self.controlled() && (takes_picture || depth == Depth::Painted) {
            self.paint_afresh(&mut look).await?;
        }
        if takes_picture {
            look.screenshot = Some(if self.controlled() {
                self.pixels_at_rest(&mut look).await?
            } else {
                self.viewport_pixels(&mut look).await?
            });
        }
        Ok(look)
    }

    /// Returns the unique context of a frame's main world.
    pub(crate) fn main_world(&self, session: &str, frame: &str) -> Option<String> {
        let key = (session.to_owned(), frame.to_owned());
        self.browser.read().frames.get(&key).and_then(|known| known.context.clone())
    }

    /// Has the accessibility tree of a session built anew when it is asked for next; in browsers of
    /// ours it is kept up from then on, which fast looks need.
    pub(crate) fn drop_tree(&self, session: &str) {
        let calls = ["Accessibility.enable", "Accessibility.disable", "Accessibility.enable"];
        for call in calls.into_iter().take(if self.setup.attached { 2 } else { 3 }) {
            drop(self.socket.send(Some(session), call, &json!({})));
        }
    }

    /// Takes screenshots until two in a row are equal: Chromium decodes images and moves the hover
    /// state in real time, which the page's clock does not hold. After a few it takes the last: a
    /// page may paint by itself without end.
    async fn pixels_at_rest(&self, look: &mut Look) -> Result<Vec<u8>, CallError> {
        let mut last = self.viewport_pixels(look).await?;
        for _ in 0..PIXEL_TRIES {
            tokio::time::sleep(PIXEL_PAUSE).await;
            let next = self.viewport_pixels(look).await?;
            if next == last {
                break;
            }
            last = next;
        }
        Ok(last)
    }

    /// Makes Chromium draw the whole page again, by one frame at another device scale.
    ///
    /// What is on the screen was painted piece by piece while the page came to rest, in as many
    /// frames as the machine found time for, and anti-aliased edges keep a trace of that: a few
    /// pixels differ from recording to recording. A change of scale throws away all that was
    /// painted. The page's clock stands still meanwhile.
    async fn paint_afresh(&self, look: &mut Look) -> Result<(), CallError> {
        let session = self.session();
        let pixel = json!({ "format": "png", "clip": { "x": 0, "y": 0, "width": 1, "height": 1, "scale": 1 } });
        for times in [2.0, 1.0] {
            let metrics = device_metrics(self.setup.viewport, times);
            look.timed(self, &session, "Emulation.setDeviceMetricsOverride", &metrics).await?;
            look.pixels(self, &pixel).await?;
        }
        Ok(())
    }

    /// Returns the pixels of the viewport, as PNG.
    pub(crate) async fn viewport_pixels(&self, look: &mut Look) -> Result<Vec<u8>, CallError> {
        look.pixels(self, &json!({ "format": "png" })).await
    }

    /// Returns the pixels of a box of the document that may lie outside the viewport, as PNG.
    pub(crate) async fn crop_pixels(&self, look: &mut Look, bounds: BoxInDocument) -> Result<Vec<u8>, CallError> {
        let [x, y, width, height] = [bounds.x, bounds.y, bounds.width, bounds.height].map(f64::from);
        let clip = json!({ "x": x, "y": y, "width": width, "height": height, "scale": 1 });
        look.pixels(self, &json!({ "format": "png", "clip": clip, "captureBeyondViewport": true })).await
    }
}

impl Look {
    /// Errors that end everything are passed on; others mean that a frame went away in the middle.
    pub(crate) fn tear(&mut self, error: CallError) -> Result<(), CallError> {
        self.torn = true;
        if matches!(error, CallError::Refused { .. } | CallError::Unreadable(_)) { Ok(()) } else { Err(error) }
    }

    pub(crate) fn push(&mut self, kind: PayloadKind, frame: &str, body: impl Into<String>) {
        self.payloads.push(RawPayload { kind, frame: frame.to_owned(), body: body.into() });
    }

    pub(crate) async fn timed(
        &mut self,
        driver: &Driver,
        session: &str,
        method: &str,
        params: &Value,
    ) -> Result<Reply, CallError> {
        let started = Instant::now();
        let reply = driver.call_within(session, method, params, LOOK_LIMIT).await;
        self.timings.push((method.to_owned(), started.elapsed().as_micros() as u64));
        reply
    }

    pub(crate) async fn read(
        &mut self,
        driver: &Driver,
        session: &str,
        method: &str,
        params: &Value,
        kind: PayloadKind,
        frame: &str,
    ) -> Result<(), CallError> {
        match self.timed(driver, session, method, params).await {
            Ok(reply) => self.push(kind, frame, reply.text()),
            Err(error) => self.tear(error)?,
        }
        Ok(())
    }

    async fn pixels(&mut self, driver: &Driver, params: &Value) -> Result<Vec<u8>, CallError> {
        let session = driver.session();
        let reply = self.timed(driver, &session, "Page.captureScreenshot", params).await?;
        #[derive(Deserialize)]
        struct Shot<'a> {
            data: &'a str,
        }
        let shot: Shot<'_> = reply.read()?;
        base64::engine::general_purpose::STANDARD
            .decode(shot.data)
            .map_err(|error| CallError::Unreadable(error.to_string()))
    }

    pub(crate) async fn listeners(&mut self, driver: &Driver, frame: &LookedFrame) -> Result<(), CallError> {
        let Some(context) = &frame.main_world else { return Ok(()) };
        let document = json!({ "expression": "document", "uniqueContextId": context, "objectGroup": "browserlens" });
        let object = match driver.call(&frame.session, "Runtime.evaluate", &document).await {
            Ok(reply) => reply.value()["result"]["objectId"].as_str().map(str::to_owned),
            Err(error) => return self.tear(error),
        };
        let Some(object) = object else { return Ok(()) };
        let params = json!({ "objectId": object, "depth": -1, "pierce": true });
        match self.timed(driver, &frame.session, "DOMDebugger.getEventListeners", &params).await {
            Ok(reply) => {
                let found: RawListeners = reply.read()?;
                let mut by_node: BTreeMap<u64, BTreeSet<String>> = BTreeMap::new();
                for RawListener { kind, node } in found.listeners {
                    by_node.entry(node.unwrap_or(0)).or_default().insert(kind);
                }
                by_node.remove(&0);
                let node = |(node, types)| json!({ "node": node, "types": types });
                let body = json!({ "listeners": by_node.iter().map(node).collect::<Vec<_>>() }).to_string();
                self.push(PayloadKind::Listeners, &frame.frame, body);
            }
            Err(error) => self.tear(error)?,
        }
        let release = json!({ "objectGroup": "browserlens" });
        drop(driver.socket.send(Some(&frame.session), "Runtime.releaseObjectGroup", &release));
        Ok(())
    }
}

#[derive(Deserialize)]
struct RawListeners {
    #[serde(default)]
    listeners: Vec<RawListener>,
}

#[derive(Deserialize)]
struct RawListener {
    #[serde(rename = "type")]
    kind: String,
    #[serde(rename = "backendNodeId")]
    node: Option<u64>,
}

/// Parameters of `DOMSnapshot.captureSnapshot`; `rects` asks for padding and scroll boxes.
pub(crate) fn snapshot_params(styles: &[&str], rects: bool) -> Value {
    json!({
        "computedStyles": styles, "includePaintOrder": true, "includeDOMRects": rects,
        "includeTextColorOpacities": false, "includeBlendedBackgroundColors": false,
    })
}

/// Returns how many mutations a probe counted by its end.
pub(crate) fn mutations_of(probe: &str) -> Option<u64> {
    serde_json::from_str::<Value>(probe).ok()?["mutations"][1].as_u64()
}
