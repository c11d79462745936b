//! The way to the browser: a session for each of its tabs, with the listener in every document.
//!
//! In: the address of its protocol. Out: a [`Driver`] that only looks, and the signals as they
//! come. Invariant: nothing of the browser is changed.

use super::describe;
use super::options::FollowOptions;
use crate::attach::endpoint;
use crate::chrome::Chrome;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::options::QUIET;
use crate::pump::{Pump, SessionSetup};
use crate::session_id::new_session;
use crate::socket::{CALL_LIMIT, Socket};
use crate::watch::{Signal, Watch};
use crate::world::World;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Attaches to the browser and waits until its tabs are listened to.
pub(super) async fn connect(options: &FollowOptions) -> Result<(Driver, mpsc::UnboundedReceiver<Signal>), RecordError> {
    let failed = |reason: String| RecordError::AttachFailed { url: options.url.clone(), reason };
    let (address, _) = endpoint(&options.url).await.map_err(failed)?;
    let (socket, events) = Socket::connect(&address).await.map_err(|error| failed(error.to_string()))?;
    let world = Arc::new(World::new());
    let mark: String = new_session(&address).iter().map(|byte| format!("{byte:02x}")).collect();
    let (watch, signals) = Watch::new(&mark, describe::limits());
    drop(world.watch.set(watch));
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
    let pump = Pump { world: Arc::clone(&world), socket: socket.clone(), setup: setup.clone() };
    tokio::spawn(pump.run(events));
    let call = async |method: &'static str, params: serde_json::Value| {
        socket.call(None, method, &params, CALL_LIMIT).await.map_err(|error| failed(format!("{method}: {error}")))
    };
    let version = call("Browser.getVersion", json!({})).await?;
    let browser_name = version.value()["product"].as_str().unwrap_or("Chromium").to_owned();
    let attach = json!({ "autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true,
        "filter": [{ "type": "page" }, { "exclude": true }] });
    call("Target.setAutoAttach", attach).await?;
    let ready = |state: &crate::world::State| (state.starting == 0).then_some(());
    world.wait_for(Instant::now() + Duration::from_secs(20), ready).await;
    let driver = Driver {
        chrome: Chrome::attached(address)?,
        socket: socket.clone(),
        world,
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
