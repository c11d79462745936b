//! One browser under way: its connections, the current tab, and calls into pages.
//!
//! In: calls. Out: answers, or why there is none: a dialog blocks the page, it crashed, Chromium
//! ended. Invariant: no call into a page outlives a dialog that opens meanwhile: the page answers
//! nothing until that is closed.

use crate::browser_state::BrowserState;
use crate::chrome::{Chrome, ChromeOptions};
use crate::error::RecordError;
use crate::event_loop::{EventLoop, SessionSetup};
use crate::options::QUIET;
use crate::rest::Unrest;
use crate::site_server::SiteClock;
use crate::socket::{CALL_LIMIT, CallError, Reply, Socket};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};

pub(crate) struct Driver {
    pub(crate) chrome: Chrome,
    pub(crate) socket: Socket,
    pub(crate) browser: Arc<BrowserState>,
    pub(crate) setup: SessionSetup,
    /// Number of the current tab.
    pub(crate) tab: u32,
    /// Number of the step under way, for messages.
    pub(crate) step: u32,
    /// Longest real time that a page may take to come to rest.
    pub(crate) ceiling: Duration,
    /// Where the pointer is, in CSS px of the viewport.
    pub(crate) pointer: (f64, f64),
    pub(crate) browser_name: String,
    /// Clock of the bundled site's server.
    pub(crate) site_clock: Option<Arc<SiteClock>>,
    /// Longest real time that a page of the user's own is given to become quiet.
    pub(crate) quiet_limit: Duration,
    /// How long such a page must be quiet.
    pub(crate) quiet: Duration,
    /// What was under way when the action began whose outcome is waited for.
    pub(crate) unrest: Option<Unrest>,
    /// Session and world in which what a click hits is watched.
    pub(crate) hit: Option<(String, i64)>,
    /// Targets that were there before us: they are never closed.
    pub(crate) kept: Vec<String>,
}

impl Driver {
    pub(crate) async fn start(
        chrome: &ChromeOptions,
        setup: SessionSetup,
        ceiling: Duration,
        site_clock: Option<Arc<SiteClock>>,
    ) -> Result<Self, RecordError> {
        let program = chrome.path.clone().unwrap_or_default();
        let failed = |reason: String| RecordError::LaunchFailed { path: program.clone(), reason };
        let chrome = Chrome::launch(chrome).await?;
        let (socket, events) = Socket::connect(&chrome.address()).await.map_err(|error| failed(error.to_string()))?;
        let browser = Arc::new(BrowserState::new());
        let event_loop = EventLoop { browser: Arc::clone(&browser), socket: socket.clone(), setup: setup.clone() };
        tokio::spawn(event_loop.run(events));
        let version = socket
            .call(None, "Browser.getVersion", &json!({}), CALL_LIMIT)
            .await
            .map_err(|error| failed(error.to_string()))?;
        let browser_name = version.value()["product"].as_str().unwrap_or("Chromium").to_owned();
        let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{ "type": "page" }, { "exclude": true }] });
        let downloads = json!({ "behavior": "allow", "downloadPath": chrome.downloads(), "eventsEnabled": true });
        for (method, params) in [("Target.setAutoAttach", attach), ("Browser.setDownloadBehavior", downloads)] {
            socket
                .call(None, method, &params, CALL_LIMIT)
                .await
                .map_err(|error| failed(format!("{method}: {error}")))?;
        }
        let driver = Self {
            chrome,
            socket,
            browser,
            setup,
            tab: 0,
            step: 0,
            ceiling,
            pointer: (0.0, 0.0),
            browser_name,
            site_clock,
            quiet_limit: ceiling,
            quiet: QUIET,
            unrest: None,
            hit: None,
            kept: Vec::new(),
        };
        // Tabs that Chromium opened by itself would be numbered; ours must be the first.
        driver.chrome.new_page().await.map_err(failed)?;
        let ready = |state: &crate::browser_state::State| (state.starting == 0 && !state.tabs.is_empty()).then_some(());
        driver.browser.wait_for(Instant::now() + Duration::from_secs(20), ready).await.ok_or_else(|| {
            RecordError::LaunchFailed { path: program.clone(), reason: "no tab opened within 20 s".to_owned() }
        })?;
        Ok(driver)
    }

    pub(crate) fn controlled(&self) -> bool {
        self.setup.clock_seed.is_some()
    }

    /// Returns the session of the current tab's page.
    pub(crate) fn session(&self) -> String {
        self.browser.read().tab(self.tab).map(|tab| tab.session.clone()).unwrap_or_default()
    }

    /// Returns the URL of the current tab.
    pub(crate) fn url(&self) -> String {
        self.url_of(self.tab)
    }

    /// URL and loader of the current tab's document, as the browser told them last; none while it
    /// is being replaced.
    pub(crate) fn document(&self) -> Option<(String, String)> {
        let state = self.browser.read();
        let tab = state.tab(self.tab)?;
        if state.navigating.contains_key(&tab.target) {
            return None;
        }
        let frame = state.frames.get(&(tab.session.clone(), tab.target.clone()))?;
        (!frame.loading && !frame.loader.is_empty()).then(|| (frame.url.clone(), frame.loader.clone()))
    }

    pub(crate) fn url_of(&self, tab: u32) -> String {
        let state = self.browser.read();
        let Some(tab) = state.tab(tab) else { return String::new() };
        state.frames.get(&(tab.session.clone(), tab.target.clone())).map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// Calls into a page of the current tab.
    pub(crate) async fn call(&self, session: &str, method: &str, params: &Value) -> Result<Reply, CallError> {
        self.call_within(session, method, params, CALL_LIMIT).await
    }

    pub(crate) async fn call_within(
        &self,
        session: &str,
        method: &str,
        params: &Value,
        limit: Duration,
    ) -> Result<Reply, CallError> {
        let pending = self.socket.send(Some(session), method, params);
        tokio::select! {
            biased;
            answer = pending.answer(limit) => answer,
            why = self.interrupted(limit) => Err(why),
        }
    }

    /// Returns when the current tab can answer nothing any more.
    pub(crate) async fn interrupted(&self, limit: Duration) -> CallError {
        let tab = self.tab;
        let why = self.browser.wait_for(Instant::now() + limit, |state| {
            if state.gone {
                return Some(CallError::Gone);
            }
            if let Some(crashed) = &state.crashed {
                return Some(CallError::Crashed(crashed.clone()));
            }
            state.dialog(tab).map(|_| CallError::Dialog)
        });
        why.await.unwrap_or(CallError::TimedOut(limit))
    }

    /// Evaluates an expression in a main world and returns its JSON value.
    pub(crate) async fn evaluate(
        &self,
        session: &str,
        context: &str,
        expression: &str,
        limit: Duration,
    ) -> Result<Value, CallError> {
        let params = json!({ "expression": expression, "uniqueContextId": context, "awaitPromise": true,
            "returnByValue": true });
        let reply = self.call_within(session, "Runtime.evaluate", &params, limit).await?;
        evaluated(&reply)
    }

    /// Evaluates an expression in the recorder's own world of a frame.
    pub(crate) async fn evaluate_apart(
        &self,
        session: &str,
        context: i64,
        expression: &str,
    ) -> Result<Value, CallError> {
        let params =
            json!({ "expression": expression, "contextId": context, "awaitPromise": true, "returnByValue": true });
        evaluated(&self.call(session, "Runtime.evaluate", &params).await?)
    }

    /// Returns the recorder's own world of a frame, with the probe script in it: made once for each
    /// document.
    pub(crate) async fn own_world(&self, session: &str, frame: &str) -> Result<i64, CallError> {
        let key = (session.to_owned(), frame.to_owned());
        let document = {
            let state = self.browser.read();
            let document = state.frames.get(&key).and_then(|frame| frame.context.clone());
            if let Some((of, world)) = state.own_worlds.get(&key)
                && Some(of) == document.as_ref()
            {
                return Ok(*world);
            }
            document
        };
        let params = json!({ "frameId": frame, "worldName": "browserlens", "grantUniveralAccess": false });
        let reply = self.call(session, "Page.createIsolatedWorld", &params).await?;
        let context = reply.value()["executionContextId"]
            .as_i64()
            .ok_or_else(|| CallError::Unreadable("no context id".to_owned()))?;
        let script = json!({
            "expression": concat!(include_str!("script/probe.js"), ";\n", include_str!("script/act.js")),
            "contextId": context });
        self.call(session, "Runtime.evaluate", &script).await?;
        self.browser.change(|state| {
            // One that was made for a document which has gone meanwhile is not kept.
            let now = state.frames.get(&key).and_then(|frame| frame.context.clone());
            if let Some(document) = document.filter(|document| now.as_ref() == Some(document)) {
                state.own_worlds.insert(key, (document, context));
            }
        });
        Ok(context)
    }

    /// Calls a function on an object of a page and returns its JSON value.
    pub(crate) async fn call_on(
        &self,
        session: &str,
        object: &str,
        function: &str,
        arguments: &[Value],
    ) -> Result<Value, CallError> {
        let arguments: Vec<Value> = arguments.iter().map(|value| json!({ "value": value })).collect();
        let params = json!({ "objectId": object, "functionDeclaration": function, "arguments": arguments,
            "awaitPromise": true, "returnByValue": true, "userGesture": true });
        evaluated(&self.call(session, "Runtime.callFunctionOn", &params).await?)
    }

    /// Says in the recorder's terms why a call failed.
    pub(crate) fn failure(&self, doing: &str, error: CallError) -> RecordError {
        match error {
            CallError::Gone => RecordError::BrowserGone { step: self.step, doing: doing.to_owned() },
            other => RecordError::Protocol { step: self.step, method: doing.to_owned(), message: other.to_string() },
        }
    }

    pub(crate) async fn close(self) {
        self.chrome.close().await;
    }
}

pub(crate) fn evaluated(reply: &Reply) -> Result<Value, CallError> {
    let mut value = reply.value();
    if let Some(thrown) = value.get("exceptionDetails") {
        let text = thrown["exception"]["description"]
            .as_str()
            .or_else(|| thrown["text"].as_str())
            .unwrap_or("the script failed");
        return Err(CallError::Refused { message: text.to_owned() });
    }
    Ok(value["result"]["value"].take())
}
