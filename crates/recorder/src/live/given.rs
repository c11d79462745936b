//! A browser whose sessions somebody else holds, such as Playwright: pages and frames are told of,
//! not looked for.
//!
//! In: a [`CdpTransport`], and which session is which page or frame. Out: a [`LiveBrowser`] as any
//! other. Invariants: nothing of the browser is set, resized or closed; what is read of a page is
//! read by the same calls as in a browser of our own.

use super::{LiveBrowser, LiveOptions, Origin};
use crate::browser_state::State;
use crate::chrome::Chrome;
use crate::driver::Driver;
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use crate::socket::{RawEvent, Socket};
use crate::wire::{CdpInbox, CdpTransport};
use browserlens_core::page::NodeKey;
use browserlens_core::sync::locked;
use serde_json::json;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::mpsc::UnboundedReceiver;

/// How long a session that is told of may take to answer.
const READY_LIMIT: Duration = Duration::from_secs(30);

/// Both ends of a connection that somebody else carries.
#[derive(Clone)]
pub(super) struct GivenBrowser {
    transport: Arc<dyn CdpTransport>,
    inbox: CdpInbox,
    events: Arc<Mutex<Option<UnboundedReceiver<RawEvent>>>>,
}

browserlens_core::opaque_debug!(self: GivenBrowser { inbox: self.inbox });

impl Driver {
    /// Speaks through a transport; no page is known yet.
    pub(super) fn given(browser: &GivenBrowser, setup: SessionSetup, ceiling: Duration) -> Result<Self, RecordError> {
        let events = locked(&browser.events).take().ok_or_else(|| RecordError::AttachFailed {
            url: "a given browser".to_owned(),
            reason: "its connection has ended".to_owned(),
        })?;
        let socket = Socket::over(Arc::clone(&browser.transport), browser.inbox.without_events());
        Ok(Self::over(Chrome::attached(String::new()), (socket, events), setup, ceiling, None))
    }
}

impl LiveBrowser {
    /// Makes a browser of sessions that somebody else holds; `make` is given the inbox that its
    /// transport puts answers and events into.
    ///
    /// # Errors
    /// [`RecordError`] if the system has no threads.
    pub fn over(
        make: impl FnOnce(CdpInbox) -> Arc<dyn CdpTransport>,
        options: &LiveOptions,
    ) -> Result<Self, RecordError> {
        let (inbox, events) = CdpInbox::new();
        let transport = make(inbox.clone());
        let given = GivenBrowser { transport, inbox, events: Arc::new(Mutex::new(Some(events))) };
        Self::begin(Origin::Given(given), None, options)
    }

    fn given(&self) -> Option<&GivenBrowser> {
        match &self.origin {
            Origin::Given(given) => Some(given),
            _ => None,
        }
    }

    /// Tells of a page and of the session for it, and makes it the one that is looked at; returns
    /// its number.
    ///
    /// # Errors
    /// [`RecordError::AttachFailed`] if its session does not answer.
    pub fn add_page(&mut self, session: &str, target: &str, url: &str) -> Result<u32, RecordError> {
        self.add(None, session, target, url, "page")?;
        let tab = self.stage.driver.browser.read().tab_of(session).unwrap_or(0);
        self.show_tab(tab);
        Ok(tab)
    }

    /// Tells of a frame that lives in a process of its own, and of the sessions for it and for the
    /// page that holds it.
    ///
    /// # Errors
    /// [`RecordError::AttachFailed`] if its session does not answer.
    pub fn add_frame(&mut self, parent: &str, session: &str, target: &str, url: &str) -> Result<(), RecordError> {
        self.add(Some(parent), session, target, url, "iframe")
    }

    fn add(
        &mut self,
        parent: Option<&str>,
        session: &str,
        target: &str,
        url: &str,
        kind: &str,
    ) -> Result<(), RecordError> {
        let failed = |reason: &str| RecordError::AttachFailed { url: url.to_owned(), reason: reason.to_owned() };
        let given = self.given().ok_or_else(|| failed("this browser finds its pages itself"))?;
        let info = json!({ "targetId": target, "type": kind, "url": url });
        let told = json!({ "sessionId": session, "targetInfo": info, "waitingForDebugger": false });
        given.inbox.event(parent, "Target.attachedToTarget", told.to_string());
        let driver = &self.stage.driver;
        let is_ready = |state: &State| (state.sessions.get(session)?.ready || state.gone).then_some(());
        let ready = driver.browser.wait_for(Instant::now() + READY_LIMIT, is_ready);
        self.runtime.block_on(ready).ok_or_else(|| failed("its session does not answer"))
    }

    /// Tells that a session has ended.
    pub fn remove_session(&mut self, session: &str) {
        if let Some(given) = self.given() {
            let told = json!({ "sessionId": session });
            given.inbox.event(None, "Target.detachedFromTarget", told.to_string());
            let is_gone = |state: &State| (!state.sessions.contains_key(session)).then_some(());
            self.runtime.block_on(self.stage.driver.browser.wait_for(Instant::now() + READY_LIMIT, is_gone));
        }
    }

    /// Looks at a tab from now on.
    pub fn show_tab(&mut self, tab: u32) {
        if self.stage.driver.tab != tab {
            self.stage.driver.tab = tab;
            self.stage.current = None;
            self.stage.last = None;
            self.stale = true;
        }
    }

    /// Returns for how long at least one call of the protocol was under way since the browser was
    /// connected, in microseconds: the difference of two is what was waited between.
    pub fn waited_micros(&self) -> u64 {
        self.stage.driver.socket.waited().as_micros() as u64
    }

    /// Returns the session of a node that was looked at last and the browser's own number for it;
    /// none if its document is not shown any more.
    pub fn place_of_node(&self, key: NodeKey) -> Option<(String, i64)> {
        let seen = self.stage.current.as_ref().or(self.stage.last.as_ref())?;
        let (frame, backend) = self.stage.driver.place_of(key, seen, &self.stage.canonicalizer)?;
        Some((frame.session.clone(), backend))
    }

    /// Looks at the tab of a target from now on; returns whether it is known.
    pub fn show_target(&mut self, target: &str) -> bool {
        let tab =
            self.stage.driver.browser.read().open_tabs().find(|(_, tab)| tab.target == target).map(|(tab, _)| tab);
        tab.inspect(|tab| self.show_tab(*tab)).is_some()
    }
}
