//! The way to the browser: a session for each of its tabs, with the listener in every document.
//!
//! In: the address of its protocol. Out: a [`Driver`] that only looks, and the signals as they
//! come. Invariant: nothing of the browser is changed.

use super::describe;
use super::options::FollowOptions;
use crate::attach::endpoint;
use crate::browser_state::BrowserState;
use crate::chrome::Chrome;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::event_loop::{EventLoop, SessionSetup};
use crate::options::QUIET;
use crate::session_id::new_session;
use crate::socket::{CALL_LIMIT, Socket};
use crate::watch::{Signal, Watch};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Attaches to the browser and waits until its tabs are listened to.
pub(super) async fn connect(options: &FollowOptions) -> Result<(Driver, mpsc::UnboundedReceiver<Signal>), RecordError> {
    let failed = |reason: String| RecordError::AttachFailed { url: options.url.clone(), reason };
    let (address, _) = endpoint(&options.url).await.map_err(failed)?;
    let (socket, events) = Socket::connect(&address).await.map_err(|error| failed(error.to_string()))?;
    let browser = Arc::new(BrowserState::new());
    let mark: String = new_session(&address).iter().map(|byte| format!("{byte:02x}")).collect();
    let (watch, signals) = Watch::new(&mark, describe::limits());
    drop(browser.watch.set(watch));
    let setup = SessionSetup {
        clock_seed: None,
        viewport: (0, 0),
        scale: 1.0,
        locale: String::new(),
        timezone: String::new(),
        started: Instant::now(),
        attached: true,
        given: false,
        tree_anew: true,
    };
    let event_loop = EventLoop { browser: Arc::clone(&browser), socket: socket.clone(), setup: setup.clone() };
    tokio::spawn(event_loop.run(events));
    let call = async |method: &'static str, params: serde_json::Value| {
        socket.call(None, method, &params, CALL_LIMIT).await.map_err(|error| failed(format!("{method}: {error}")))
    };
    let version = call("Browser.getVersion", json!({})).await?;
    let browser_name = version.value()["product"].as_str().unwrap_or("Chromium").to_owned();
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
        "filter": [{ "type": "page" }, { "exclude": true }] });
    call("Target.setAutoAttach", attach).await?;
    let ready = |state: &crate::browser_state::State| (state.starting == 0).then_some(());
    browser.wait_for(Instant::now() + Duration::from_secs(20), ready).await;
    let driver = Driver {
        chrome: Chrome::attached(address)?,
        socket: socket.clone(),
        browser,
        setup,
        tab: 0,
        step: 0,
        ceiling: options.ceiling,
        pointer: (0.0, 0.0),
        browser_name,
        site_clock: None,
        quiet_limit: options.ceiling,
        quiet: QUIET,
        unrest: None,
        hit: None,
        kept: Vec::new(),
    };
    Ok((driver, signals))
}
