//! One browser under way: its connections, the current tab, and calls into pages.
//!
//! In: calls. Out: answers, or why there is none: a dialog blocks the page, it crashed, Chromium
//! ended. Invariant: no call into a page outlives a dialog that opens meanwhile: the page answers
//! nothing until that is closed.

use crate::browser_state::{BrowserState, State};
use crate::chrome::{Chrome, ChromeOptions};
use crate::error::RecordError;
use crate::event_loop::{EventLoop, SessionSetup};
use crate::options::QUIET;
use crate::rest::Unrest;
use crate::site_server::SiteClock;
use crate::socket::{CALL_LIMIT, CallError, Pending, RawEvent, Reply, Socket};
use crate::watch::Watch;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a tab may take to open, or to answer when it is attached to.
pub(crate) const OPEN_LIMIT: Duration = Duration::from_secs(20);

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
    /// Keys held while the pointer clicks, as CDP counts them.
    pub(crate) held: i64,
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
    /// Speaks over a connection; no page is known yet.
    pub(crate) fn over(
        chrome: Chrome,
        (socket, events): (Socket, UnboundedReceiver<RawEvent>),
        setup: SessionSetup,
        ceiling: Duration,
        watch: Option<Watch>,
    ) -> Self {
        let browser = Arc::new(BrowserState::default());
        browser.read().wall = setup.clock_seed.is_none().then_some(setup.started);
        if let Some(watch) = watch {
            drop(browser.watch.set(watch));
        }
        let event_loop = EventLoop { browser: Arc::clone(&browser), socket: socket.clone(), setup: setup.clone() };
        tokio::spawn(event_loop.run(events));
        Self {
            chrome,
            socket,
            browser,
            setup,
            tab: 0,
            step: 0,
            ceiling,
            pointer: (0.0, 0.0),
            held: 0,
            browser_name: "Chromium".to_owned(),
            site_clock: None,
            quiet_limit: ceiling,
            quiet: QUIET,
            unrest: None,
            hit: None,
            kept: Vec::new(),
        }
    }

    /// Connects to a browser and asks for its name.
    pub(crate) async fn connect(
        chrome: Chrome,
        setup: SessionSetup,
        ceiling: Duration,
        watch: Option<Watch>,
    ) -> Result<Self, String> {
        let connection = Socket::connect(&chrome.address()).await.map_err(|error| error.to_string())?;
        let mut driver = Self::over(chrome, connection, setup, ceiling, watch);
        let version = driver.ask_browser("Browser.getVersion", json!({})).await?;
        if let Some(product) = version.value()["product"].as_str() {
            driver.browser_name = product.to_owned();
        }
        Ok(driver)
    }

    pub(crate) async fn start(
        chrome: &ChromeOptions,
        setup: SessionSetup,
        ceiling: Duration,
        site_clock: Option<Arc<SiteClock>>,
    ) -> Result<Self, RecordError> {
        let program = chrome.path.clone().unwrap_or_default();
        let failed = |reason: String| RecordError::LaunchFailed { path: program.clone(), reason };
        let chrome = Chrome::launch(chrome, &setup).await?;
        let downloads = json!({ "behavior": "allow", "downloadPath": chrome.downloads(), "eventsEnabled": true });
        let mut driver = Self::connect(chrome, setup, ceiling, None).await.map_err(failed)?;
        driver.site_clock = site_clock;
        driver.attach_to_pages().await.map_err(failed)?;
        driver.ask_browser("Browser.setDownloadBehavior", downloads).await.map_err(failed)?;
        // Tabs that Chromium opened by itself would be numbered; ours must be the first.
        driver.chrome.new_page().await.map_err(failed)?;
        let ready = |state: &State| (state.starting == 0 && !state.tabs.is_empty()).then_some(());
        let opened = driver.browser.wait_for(Instant::now() + OPEN_LIMIT, ready).await;
        opened.ok_or_else(|| failed("no tab opened within 20 s".to_owned()))?;
        Ok(driver)
    }

    /// Has every page that is there and that comes attached to.
    pub(crate) async fn attach_to_pages(&self) -> Result<(), String> {
        let params = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
            "filter": [{ "type": "page" }, { "exclude": true }] });
        self.ask_browser("Target.setAutoAttach", params).await.map(drop)
    }

    /// Calls the browser itself; what goes wrong is said with the method.
    pub(crate) async fn ask_browser(&self, method: &str, params: Value) -> Result<Reply, String> {
        self.socket.call(None, method, &params, CALL_LIMIT).await.map_err(|error| format!("{method}: {error}"))
    }

    pub(crate) fn controlled(&self) -> bool {
        self.setup.clock_seed.is_some()
    }

    /// Returns the session of the current tab's page.
    pub(crate) fn session(&self) -> String {
        self.browser.read().tab(self.tab).map(|tab| tab.session.clone()).unwrap_or_default()
    }

    /// Returns the target of the current tab, which is its main frame too.
    pub(crate) fn target(&self) -> String {
        self.browser.read().tab(self.tab).map(|tab| tab.target.clone()).unwrap_or_default()
    }

    /// Returns the URL of the current tab.
    pub(crate) fn url(&self) -> String {
        self.browser.read().url_of(self.tab)
    }

    /// URL and loader of the current tab's document, as the browser told them last; none while it
    /// is being replaced.
    pub(crate) fn document(&self) -> Option<(String, String)> {
        let state = self.browser.read();
        let frame = state.main_frame(self.tab)?;
        let replaced =
            frame.loading || frame.loader.is_empty() || state.navigating.contains_key(&state.tab(self.tab)?.target);
        (!replaced).then(|| (frame.url.clone(), frame.loader.clone()))
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
        self.answer(self.socket.send(Some(session), method, params), limit).await
    }

    /// Awaits what the current tab answers.
    pub(crate) async fn answer(&self, pending: Pending, limit: Duration) -> Result<Reply, CallError> {
        self.unless_interrupted(pending.answer(limit), limit).await?
    }

    /// Awaits something of the current tab, if no dialog, crash or end comes between.
    pub(crate) async fn unless_interrupted<T>(
        &self,
        answered: impl Future<Output = T>,
        limit: Duration,
    ) -> Result<T, CallError> {
        tokio::select! {
            biased;
            answered = answered => Ok(answered),
            why = self.interrupted(limit) => Err(why),
        }
    }

    /// Returns when the current tab can answer nothing any more.
    pub(crate) async fn interrupted(&self, limit: Duration) -> CallError {
        let tab = self.tab;
        let why = |state: &State| state.ended().or_else(|| state.has_dialog(tab).then_some(CallError::Dialog));
        self.browser.wait_for(Instant::now() + limit, why).await.unwrap_or(CallError::TimedOut(limit))
    }

    /// Waits until every event that came before now was handled.
    pub(crate) async fn catch_up(&self, deadline: Instant) {
        let received = self.socket.received();
        self.browser.wait_for(deadline, |state| (state.handled >= received || state.gone).then_some(())).await;
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
        evaluated(&self.answer(self.ask_apart(session, context, expression), CALL_LIMIT).await?)
    }

    /// The same, without waiting for the answer.
    pub(crate) fn ask_apart(&self, session: &str, context: i64, expression: &str) -> Pending {
        let params =
            json!({ "expression": expression, "contextId": context, "awaitPromise": true, "returnByValue": true });
        self.socket.send(Some(session), "Runtime.evaluate", &params)
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
        let context = self.new_world(session, frame, "browserlens").await?;
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

    /// Makes a world apart from the page's own in a frame.
    pub(crate) async fn new_world(&self, session: &str, frame: &str, name: &str) -> Result<i64, CallError> {
        let params = json!({ "frameId": frame, "worldName": name, "grantUniveralAccess": false });
        let made = self.call(session, "Page.createIsolatedWorld", &params).await?.value();
        made["executionContextId"].as_i64().ok_or_else(|| CallError::Unreadable("no context id".to_owned()))
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

    /// Returns the raw backend node id of an object of a page, if it is a node.
    pub(crate) async fn backend_of(&self, session: &str, object: &Value) -> Result<Option<i64>, CallError> {
        let node = self.call(session, "DOM.describeNode", &json!({ "objectId": object })).await?.value();
        Ok(node["node"]["backendNodeId"].as_i64())
    }

    /// Says in the recorder's terms why a call failed.
    pub(crate) fn failure(&self, doing: &str, error: CallError) -> RecordError {
        match error {
            CallError::Gone => RecordError::BrowserGone { step: self.step, doing: doing.to_owned() },
            other => RecordError::Protocol { step: self.step, method: doing.to_owned(), message: other.to_string() },
        }
    }

    /// The same, for `map_err`.
    pub(crate) fn failed(&self, doing: &str) -> impl Fn(CallError) -> RecordError {
        move |error| self.failure(doing, error)
    }

    pub(crate) fn bad_capture(&self, reason: String) -> RecordError {
        RecordError::Capture { step: self.step, reason }
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
    Ok(value.pointer_mut("/result/value").map(Value::take).unwrap_or_default())
}
