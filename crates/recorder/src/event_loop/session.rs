//! What a session is given before its page's scripts run: domains, clock and emulation.

use crate::answering;
use crate::browser_state::{BrowserState, Frame};
use crate::messages as m;
use crate::network;
use crate::socket::{CALL_LIMIT, Socket};
use serde_json::{Value, json};
use std::time::Instant;

/// What every session is given before its page's scripts run.
#[derive(Clone, Debug)]
pub(crate) struct SessionSetup {
    /// Clock of bundled sites: seed; none leaves the page its own time.
    pub(crate) clock_seed: Option<u64>,
    pub(crate) viewport: (u32, u32),
    pub(crate) scale: f32,
    pub(crate) locale: String,
    pub(crate) timezone: String,
    pub(crate) started: Instant,
    /// Whether somebody else started the browser: viewport, locale and time zone stay as they are,
    /// and only tabs that ours open are attached to.
    pub(crate) attached: bool,
    /// Whether somebody else holds the sessions too, and tells of frames in processes of their own:
    /// neither those nor emulation are ours.
    pub(crate) given: bool,
    /// Whether a capture has the accessibility tree built anew. Chromium does not tell the kept
    /// tree everything that changes, such as that the options of a list that a script enabled can
    /// be chosen now. Recordings read the kept tree, as the bundled ones did.
    pub(crate) tree_anew: bool,
}

/// Page time 0 of bundled sites: 15 January 2026, 09:00 UTC.
const EPOCH_MS: u64 = 1_768_467_600_000;

/// The caret blinks in real time, so screenshots of bundled sites have none. A sheet that is there
/// from the document's start begins no transition, and an adopted one is no mutation.
const NO_CARET: &str = "{ const sheet = new CSSStyleSheet(); sheet.replaceSync('* { caret-color: transparent \
    !important }'); \
                        document.adoptedStyleSheets.push(sheet); }";

impl SessionSetup {
    /// Parameters of `Emulation.setDeviceMetricsOverride`; `times` multiplies the device scale.
    pub(crate) fn device_metrics(&self, times: f64) -> Value {
        let (width, height) = self.viewport;
        json!({
            "width": width,
            "height": height,
            "deviceScaleFactor": f64::from(self.scale) * times,
            "mobile": false,
            "screenWidth": width,
            "screenHeight": height,
        })
    }

    pub(crate) fn clock_script(&self, now_ms: f64) -> Option<String> {
        let seed = self.clock_seed?;
        Some(
            include_str!("../script/clock.js")
                .replace("__EPOCH__", &EPOCH_MS.to_string())
                .replace("__NOW__", &now_ms.to_string())
                .replace("__SEED__", &seed.to_string()),
        )
    }
}

/// Enables what is read, puts in clock and emulation, and lets the target go. Calls are in flight
/// together: they are handled in order, and nothing of the page runs before the last.
pub(super) async fn start_session(
    browser: &BrowserState,
    socket: &Socket,
    setup: &SessionSetup,
    id: &str,
    is_page: bool,
    resume: bool,
) {
    let watch = browser.watch.get();
    let mut calls: Vec<(&str, Value)> = vec![
        ("Page.enable", json!({})),
        ("Page.setLifecycleEventsEnabled", json!({ "enabled": true })),
        (
            "Network.enable",
            json!({ "maxPostDataSize": network::BODY_LIMIT, "maxTotalBufferSize": 64 << 20,
                "maxResourceBufferSize": 8 << 20, "enableDurableMessages": true }),
        ),
        ("Log.enable", json!({})),
    ];
    if !setup.given {
        // One that nobody lets go would stand still.
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true });
        calls.push(("Target.setAutoAttach", attach));
    }
    if browser.answering.get().is_some() {
        calls.extend(answering::session_calls());
    }
    if watch.is_none() && !setup.given {
        calls.push(("Emulation.setFocusEmulationEnabled", json!({ "enabled": true })));
    }
    if !setup.attached {
        calls.push(("Emulation.setTimezoneOverride", json!({ "timezoneId": setup.timezone })));
        calls.push(("Emulation.setLocaleOverride", json!({ "locale": setup.locale })));
    }
    if is_page && !setup.attached {
        calls.push(("Emulation.setDeviceMetricsOverride", setup.device_metrics(1.0)));
        calls.push(("Emulation.setScrollbarsHidden", json!({ "hidden": true })));
    }
    if setup.clock_seed.is_some() {
        calls.push(("Animation.enable", json!({})));
        calls.push(("Animation.setPlaybackRate", json!({ "playbackRate": 0 })));
    }
    let mut waiting: Vec<_> = calls.iter().map(|(method, params)| socket.send(Some(id), method, params)).collect();
    let base = browser.read().base_ms;
    let script = setup.clock_script(base).map(|source| {
        let params = json!({ "source": source, "runImmediately": true });
        socket.send(Some(id), "Page.addScriptToEvaluateOnNewDocument", &params)
    });
    if setup.clock_seed.is_some() {
        let params = json!({ "source": NO_CARET, "worldName": "browserlens", "runImmediately": true });
        waiting.push(socket.send(Some(id), "Page.addScriptToEvaluateOnNewDocument", &params));
    }
    waiting.push(socket.send(Some(id), "Runtime.enable", &json!({})));
    if let Some(watch) = watch {
        waiting.extend(watch.calls().iter().map(|(method, params)| socket.send(Some(id), method, params)));
    }
    if resume {
        waiting.push(socket.send(Some(id), "Runtime.runIfWaitingForDebugger", &json!({})));
    }
    if let Some(script) = script
        && let Ok(reply) = script.answer(CALL_LIMIT).await
    {
        let identifier = reply.value()["identifier"].as_str().map(str::to_owned);
        browser.change(|state| {
            if let Some(session) = state.sessions.get_mut(id) {
                session.clock_script = identifier;
            }
        });
    }
    for call in waiting {
        // A frame's process refuses what only a page can set; everything needed is checked where it
        // is used.
        drop(call.answer(CALL_LIMIT).await);
    }
    if let Ok(reply) = socket.call(Some(id), "Page.getFrameTree", &json!({}), CALL_LIMIT).await {
        let Ok(tree) = reply.read::<m::FrameTreeResult>() else { return };
        browser.change(|state| {
            let mut open = vec![tree.tree];
            while let Some(node) = open.pop() {
                let entry: &mut Frame = state.frames.entry((id.to_owned(), node.frame.id)).or_default();
                entry.url = node.frame.url;
                entry.loader = node.frame.loader;
                open.extend(node.children);
            }
        });
    }
}
