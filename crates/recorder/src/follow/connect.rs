//! The way to the browser: a session for each of its tabs, with the listener in every document.
//!
//! In: the address of its protocol. Out: a [`Driver`] that only looks, and the signals as they
//! come. Invariant: nothing of the browser is changed.

use super::options::FollowOptions;
use crate::attach::endpoint;
use crate::browser_state::State;
use crate::chrome::Chrome;
use crate::driver::{Driver, OPEN_LIMIT};
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use crate::session_id::new_session;
use crate::watch::{Signal, Watch};
use std::time::Instant;
use tokio::sync::mpsc;

/// Attaches to the browser and waits until its tabs are listened to.
pub(super) async fn connect(options: &FollowOptions) -> Result<(Driver, mpsc::UnboundedReceiver<Signal>), RecordError> {
    let failed = |reason: String| RecordError::AttachFailed { url: options.url.clone(), reason };
    let (address, _) = endpoint(&options.url).await.map_err(failed)?;
    let mark: String = new_session(&address).iter().map(|byte| format!("{byte:02x}")).collect();
    let (watch, signals) = Watch::new(&mark);
    let setup = SessionSetup { attached: true, tree_anew: true, ..SessionSetup::default() };
    let driver =
        Driver::connect(Chrome::attached(address), setup, options.ceiling, Some(watch)).await.map_err(failed)?;
    driver.attach_to_pages().await.map_err(failed)?;
    let ready = |state: &State| (state.starting == 0).then_some(());
    driver.browser.wait_for(Instant::now() + OPEN_LIMIT, ready).await;
    Ok((driver, signals))
}
