//! Renders recorded pages anew: documents and resources come from memory, the network is cut,
//! scripts are off.
//!
//! In: scenes, by number. Out: a capture of each, in order, by the recorder's own looks.
//! Invariants: every request of a page is paused and answered by its scene, or fails; behind that
//! no name resolves and every connection would go to a proxy that is not there; no script of a page
//! runs; captures are numbered in the order of the scenes, however many are rendered at once.

use crate::answering::{Answering, RenderAnswers, session_calls};
use crate::browser_state::{Frame, State};
use crate::capture::Look;
use crate::capture_session::CaptureSession;
use crate::chrome::ChromeOptions;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::event_loop::{SessionSetup, device_metrics};
use crate::mask;
use crate::messages as m;
use crate::socket::CallError;
use browserlens_core::page::{Capture, NodeKey, Page, PayloadKind, Viewport};
use browserlens_core::sync::locked;
use browserlens_trace::Canonicalizer;
use serde_json::json;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Longest time that a page may take to load from memory.
const LOAD_LIMIT: Duration = Duration::from_secs(30);

/// One page to be rendered.
#[derive(Clone)]
pub struct RenderScene {
    /// URL of the main document.
    pub url: String,
    /// Documents and resources.
    pub answers: Arc<dyn RenderAnswers>,
    /// Expression that is evaluated in each frame after it has loaded, in a world of ours. It
    /// returns the marks of nodes, which it leaves in the array `browserLensMarked`.
    pub prepare: String,
    /// Names of custom elements that count as defined.
    pub defined: Vec<String>,
    /// Viewport of the page.
    pub viewport: Viewport,
    /// A picture that was recorded of the page, as PNG; it takes the place of ours where it has the
    /// size of the viewport.
    pub screenshot: Option<Vec<u8>>,
}

browserlens_core::opaque_debug!(self: RenderScene { url: self.url });

/// How pages are rendered.
#[derive(Clone, Debug)]
pub struct RenderOptions {
    /// Chromium; looked for in `$CHROME` and on `PATH` if not said.
    pub chrome: Option<PathBuf>,
    /// Whether Chromium runs without its sandbox; as root it always does.
    pub no_sandbox: bool,
    /// Viewport that the browser starts with.
    pub viewport: Viewport,
    /// Locale.
    pub locale: String,
    /// Time zone.
    pub timezone: String,
    /// Pages that are rendered at once, each in a browser of its own.
    pub pages: u32,
    /// Secret values, which are painted over in pictures.
    pub secrets: Vec<String>,
}

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            chrome: None,
            no_sandbox: false,
            viewport: Viewport::default(),
            locale: "en-US".to_owned(),
            timezone: "UTC".to_owned(),
            pages: 2,
            secrets: Vec::new(),
        }
    }
}

/// One page that was rendered.
#[derive(Debug)]
pub struct RenderedPage {
    /// Its capture.
    pub capture: Capture,
    /// The page of the capture.
    pub page: Arc<Page>,
    /// Marked nodes, by mark.
    pub marks: Vec<(String, NodeKey)>,
    /// URLs that were asked for and had no answer.
    pub missed: Vec<String>,
    /// Whether everything had loaded within the limit.
    pub quiet: bool,
    /// Wall time per call, in microseconds.
    pub timings: Vec<(String, u64)>,
    /// Name and version of the browser.
    pub browser: String,
}

/// Renders scenes, several at once, and gives each page to `done` in order.
///
/// # Errors
/// What `scene` or `done` returns, and trouble with the browser as `failed` turns it into an error.
pub async fn render_scenes<E>(
    count: usize,
    options: &RenderOptions,
    scene: impl Fn(usize) -> Result<RenderScene, E>,
    mut done: impl FnMut(usize, RenderedPage) -> Result<(), E>,
    failed: impl Fn(RecordError) -> E,
) -> Result<(), E> {
    let browsers = (options.pages.max(1) as usize).min(count.max(1));
    let mut stages = Vec::new();
    for _ in 0..browsers {
        match stage(options).await {
            Ok(stage) => stages.push(stage),
            Err(error) => {
                close(stages).await;
                return Err(failed(error));
            }
        }
    }
    let turn = watch::Sender::new(0_usize);
    let shared = Mutex::new((Canonicalizer::new(), &mut done));
    let work = stages.iter_mut().enumerate().map(|(first, stage)| {
        let (turn, shared, scene, failed) = (&turn, &shared, &scene, &failed);
        async move {
            let mut turns = turn.subscribe();
            for number in (first..count).step_by(browsers) {
                stage.driver.step = number as u32;
                let scene = scene(number)?;
                let shown = stage.show(&scene).await.map_err(failed)?;
                // Numbers are given in the order of the scenes.
                if turns.wait_for(|next| *next == number).await.is_err() {
                    return Ok(());
                }
                stage.canonicalizer = std::mem::take(&mut locked(shared).0);
                let page = stage.taken(shown, &scene).await.map_err(failed)?;
                let mut shared = locked(shared);
                shared.0 = std::mem::take(&mut stage.canonicalizer);
                (shared.1)(number, page)?;
                drop(shared);
                turn.send_replace(number + 1);
            }
            Ok(())
        }
    });
    let result = futures::future::try_join_all(work).await.map(drop);
    close(stages).await;
    result
}

async fn close(stages: Vec<CaptureSession>) {
    for stage in stages {
        stage.driver.close().await;
    }
}

/// Starts a browser that reaches nothing.
async fn stage(options: &RenderOptions) -> Result<CaptureSession, RecordError> {
    let viewport = options.viewport;
    let chrome = ChromeOptions {
        path: options.chrome.clone(),
        no_sandbox: options.no_sandbox,
        host_rules: Some("MAP * ~NOTFOUND".to_owned()),
        // Nothing listens at the discard port.
        proxy: Some("http://127.0.0.1:9".to_owned()),
        ..ChromeOptions::default()
    };
    let setup = SessionSetup {
        viewport,
        locale: options.locale.clone(),
        timezone: options.timezone.clone(),
        ..SessionSetup::default()
    };
    let driver = Driver::start(&chrome, setup, LOAD_LIMIT, None).await?;
    // Sessions that start from now on are given the same calls by whoever starts them.
    let unset = driver.browser.answering.set(Answering::default()).is_ok();
    debug_assert!(unset, "a browser is set up once");
    let session = driver.session();
    for (method, params) in session_calls() {
        driver.call(&session, method, &params).await.map_err(driver.failed(method))?;
    }
    Ok(CaptureSession::new(driver, Canonicalizer::new(), options.secrets.clone(), viewport.scale))
}

/// A page that is shown and looked at.
struct Shown {
    look: Look,
    /// Frame and raw node of each mark.
    marks: Vec<(String, String, i64)>,
    missed: Vec<String>,
    quiet: bool,
}

impl CaptureSession {
    /// Shows a scene and looks at it.
    async fn show(&mut self, scene: &RenderScene) -> Result<Shown, RecordError> {
        let driver = &self.driver;
        let refused = |method: &str, message: &str| {
            let (method, message) = (method.to_owned(), message.to_owned());
            RecordError::Protocol { step: driver.step, method, message }
        };
        let answering = driver.browser.answering.get().ok_or_else(|| refused("rendering", "nothing answers"))?;
        *locked(&answering.answers) = Some(Arc::clone(&scene.answers));
        locked(&answering.missed).clear();
        self.scale = scene.viewport.scale;
        let session = driver.session();
        let call =
            async |method: &str, params| driver.call(&session, method, &params).await.map_err(driver.failed(method));
        call("Emulation.setDeviceMetricsOverride", device_metrics(scene.viewport, 1.0)).await?;
        let reply = call("Page.navigate", json!({ "url": scene.url })).await?.value();
        if let Some(text) = reply["errorText"].as_str().filter(|text| !text.is_empty()) {
            return Err(refused("Page.navigate", text));
        }
        let loader = reply["loaderId"].as_str().unwrap_or_default();
        let mut quiet = driver.loaded(loader).await?;
        driver.define(&scene.defined).await;
        let marks = driver.prepare(&scene.prepare).await.map_err(driver.failed("preparing the page"))?;
        quiet &= driver.loaded(loader).await?;
        // Some things a page shows depend on a frame having been painted.
        driver.viewport_pixels(&mut Look::default()).await.map_err(driver.failed("painting"))?;
        let (look, _) = self.whole_look(Duration::ZERO).await?;
        let missed = std::mem::take(&mut *locked(&answering.missed));
        Ok(Shown { look, marks, missed, quiet })
    }

    /// Numbers a look and takes what needs the page still: pictures of what lies outside the
    /// viewport.
    async fn taken(&mut self, shown: Shown, scene: &RenderScene) -> Result<RenderedPage, RecordError> {
        let Shown { mut look, mut marks, missed, quiet } = shown;
        one_frame(&mut look, &mut marks, &self.driver.target());
        let mut seen = self.parsed(look)?;
        for payload in seen.capture.payloads.iter_mut().filter(|payload| payload.kind == PayloadKind::Screenshot) {
            if let Some(png) = recorded(scene, &payload.body) {
                payload.body = png.into();
            }
        }
        let boxes = mask::secret_boxes(&seen.page, &self.secrets);
        self.mask(&mut seen, &boxes)?;
        let timings = std::mem::take(&mut seen.timings);
        self.add_crops(&mut seen, &boxes, |_| true).await?;
        let marks = marks.into_iter().filter_map(|(mark, frame, node)| {
            let number = self.canonicalizer.known_frame(&frame)?;
            Some((mark, self.canonicalizer.key(number, node)?))
        });
        let marks = marks.collect();
        let browser = self.driver.browser_name.clone();
        Ok(RenderedPage { capture: seen.capture, page: seen.page, marks, missed, quiet, timings, browser })
    }
}

/// Each browser calls its tab's frame otherwise; in the recording it is one frame.
fn one_frame(look: &mut Look, marks: &mut [(String, String, i64)], root: &str) {
    const ONE: &str = "BROWSERLENS0RENDERED0MAIN0FRAME0";
    if root.is_empty() {
        return;
    }
    for frame in look.frames.iter_mut().filter(|frame| frame.frame == root) {
        ONE.clone_into(&mut frame.frame);
    }
    for payload in &mut look.payloads {
        if payload.frame == root {
            ONE.clone_into(&mut payload.frame);
        }
        if payload.body.contains(root) {
            payload.body = payload.body.replace(root, ONE);
        }
    }
    for mark in marks.iter_mut().filter(|mark| mark.1 == root) {
        ONE.clone_into(&mut mark.1);
    }
}

/// Returns the picture that was recorded, if it has the size of ours.
fn recorded(scene: &RenderScene, ours: &[u8]) -> Option<Vec<u8>> {
    let size = |png: &[u8]| {
        let reader = image::ImageReader::with_format(std::io::Cursor::new(png), image::ImageFormat::Png);
        reader.into_dimensions().ok()
    };
    let theirs = scene.screenshot.as_ref()?;
    (size(theirs)? == size(ours)?).then(|| theirs.clone())
}

impl Driver {
    /// Waits until a document and everything in it has loaded; returns whether it has.
    async fn loaded(&self, loader: &str) -> Result<bool, RecordError> {
        let tab = self.tab;
        let done = self.browser.wait_for(Instant::now() + LOAD_LIMIT, |state: &State| {
            if let Some(why) = state.ended() {
                return Some(Err(why));
            }
            let loads = |((session, _), frame): (&(String, String), &Frame)| {
                frame.loading && state.tab_of(session) == Some(tab)
            };
            let waits = state.main_frame(tab)?.loader != loader
                || state.frames.iter().any(loads)
                || state.starting > 0
                || !state.in_flight.is_empty()
                || !state.navigating.is_empty();
            (!waits).then_some(Ok(()))
        });
        match done.await {
            Some(Ok(())) => Ok(true),
            Some(Err(error)) => Err(self.failure("loading the page", error)),
            None => Ok(false),
        }
    }

    /// Every session and frame of the current tab.
    async fn all_frames(&self) -> Result<Vec<(String, String)>, CallError> {
        let sessions = self.browser.read().sessions_of(self.tab);
        let mut found = Vec::new();
        for (id, _) in sessions {
            let tree: m::FrameTreeResult = match self.call(&id, "Page.getFrameTree", &json!({})).await {
                Err(CallError::Refused { .. }) => continue,
                reply => reply?.read()?,
            };
            found.extend(tree.frames().into_iter().map(|frame| (id.clone(), frame.id)));
        }
        Ok(found)
    }

    /// Makes names of custom elements count as defined: style sheets hide those that are not.
    async fn define(&self, names: &[String]) {
        let is_plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.');
        let plain = |name: &&String| name.contains('-') && name.bytes().all(is_plain);
        let names: Vec<&String> = names.iter().filter(plain).take(1_000).collect();
        if names.is_empty() {
            return;
        }
        let list = json!(names);
        let script = format!(
            "for (const name of {list}) customElements.get(name) ?? customElements.define(name, class extends \
                HTMLElement {{}})"
        );
        let worlds = self.browser.read().worlds(self.tab);
        for (session, _, context) in worlds {
            // A document that cannot define them shows them as undefined.
            drop(self.evaluate(&session, &context, &script, Duration::from_secs(5)).await);
        }
    }

    /// Prepares every frame; returns the marks with frame and raw node.
    async fn prepare(&self, script: &str) -> Result<Vec<(String, String, i64)>, CallError> {
        let mut found = Vec::new();
        for (session, frame) in self.all_frames().await? {
            let prepared = async {
                let context = self.own_world(&session, &frame).await?;
                let marks = self.evaluate_apart(&session, context, script).await?;
                Ok::<_, CallError>((context, marks))
            };
            let (context, marks) = match prepared.await {
                Ok(prepared) => prepared,
                Err(CallError::Refused { .. } | CallError::Unreadable(_)) => continue,
                Err(error) => return Err(error),
            };
            let marks = marks.as_array().into_iter().flatten().filter_map(|mark| mark.as_str());
            for (index, mark) in marks.enumerate().take(1_000) {
                let params = json!({ "expression": format!("browserLensMarked[{index}]"), "contextId": context,
                    "objectGroup": "browserlens" });
                let marked = self.call(&session, "Runtime.evaluate", &params).await?.value();
                if let Some(node) = self.backend_of(&session, &marked["result"]["objectId"]).await? {
                    found.push((mark.to_owned(), frame.clone(), node));
                }
            }
        }
        Ok(found)
    }
}
