//! What a session is given before its page's scripts run: domains, clock and emulation.

use crate::answering;
use crate::browser_state::BrowserState;
use crate::messages as m;
use crate::network;
use crate::socket::{CALL_LIMIT, Pending, Socket};
use crate::watch::Watch;
use browserlens_core::page::Viewport;
use serde_json::{Value, json};
use std::time::Instant;

/// What every session is given before its page's scripts run.
#[derive(Clone, Debug)]
pub(crate) struct SessionSetup {
    /// Clock of bundled sites: seed; none leaves the page its own time.
    pub(crate) clock_seed: Option<u64>,
    pub(crate) viewport: Viewport,
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

/// Parameters of `Emulation.setDeviceMetricsOverride`; `times` multiplies the device scale.
pub(crate) fn device_metrics(Viewport { width, height, scale }: Viewport, times: f64) -> Value {
    json!({
        "width": width, "height": height, "deviceScaleFactor": f64::from(scale) * times, "mobile": false,
        "screenWidth": width, "screenHeight": height,
    })
}

impl Default for SessionSetup {
    fn default() -> Self {
        Self {
            clock_seed: None,
            viewport: Viewport::default(),
            locale: String::new(),
            timezone: String::new(),
            started: Instant::now(),
            attached: false,
            given: false,
            tree_anew: false,
        }
    }
}

impl SessionSetup {
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
        calls.push(("Emulation.setDeviceMetricsOverride", device_metrics(setup.viewport, 1.0)));
        calls.push(("Emulation.setScrollbarsHidden", json!({ "hidden": true })));
    }
    if setup.clock_seed.is_some() {
        calls.push(("Animation.enable", json!({})));
        calls.push(("Animation.setPlaybackRate", json!({ "playbackRate": 0 })));
    }
    let send = |(method, params): (&str, Value)| socket.send(Some(id), method, &params);
    let mut waiting: Vec<Pending> = calls.into_iter().map(send).collect();
    let add_script = "Page.addScriptToEvaluateOnNewDocument";
    let clock = setup.clock_script(browser.read().base_ms);
    let script = clock.map(|source| send((add_script, json!({ "source": source, "runImmediately": true }))));
    if setup.clock_seed.is_some() {
        let params = json!({ "source": NO_CARET, "worldName": "browserlens", "runImmediately": true });
        waiting.push(send((add_script, params)));
    }
    waiting.push(send(("Runtime.enable", json!({}))));
    waiting.extend(watch.into_iter().flat_map(Watch::calls).map(send));
    if resume {
        waiting.push(send(("Runtime.runIfWaitingForDebugger", json!({}))));
    }
    if let Some(script) = script
        && let Ok(reply) = script.answer(CALL_LIMIT).await
    {
        browser.keep_clock_script(id, &reply);
    }
    for call in waiting {
        // A frame's process refuses what only a page can set; everything needed is checked where it
        // is used.
        drop(call.answer(CALL_LIMIT).await);
    }
    let told = socket.call(Some(id), "Page.getFrameTree", &json!({}), CALL_LIMIT).await;
    if let Ok(tree) = told.and_then(|reply| reply.read::<m::FrameTreeResult>()) {
        browser.change(|state| {
            for frame in tree.frames() {
                let entry = state.frames.entry((id.to_owned(), frame.id)).or_default();
                (entry.url, entry.loader) = (frame.url, frame.loader_id);
            }
        });
    }
}
