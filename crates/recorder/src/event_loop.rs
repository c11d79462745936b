//! Turns protocol events into state, and starts every session that appears.
//!
//! In: raw events of all sessions, in order of arrival. Out: changes of the [`BrowserState`]; a task per
//! new session that enables its domains, puts in the clock before any script of the page runs, and
//! lets it go. Invariant: an unknown event, or a known one with fields renamed, changes nothing and
//! stops nothing.

mod session;

pub(crate) use session::SessionSetup;

use crate::browser_state::{BrowserState, Frame, OpenDialog, Session, State, Tab};
use crate::messages as m;
use crate::network;
use crate::socket::{RawEvent, Socket};
use crate::watch::Signal;
use browserlens_core::strategy::{ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, EventKind, TabEvent};
use serde_json::{Value, json};
use session::start_session;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::mpsc;

/// Name of the function with which our own world tells what a page shows over itself.
pub(crate) const SHOWN: &str = "browserLensShown";
/// Most such texts that are kept for one action.
const MOST_SHOWN: usize = 100;

pub(crate) struct EventLoop {
    pub(crate) browser: Arc<BrowserState>,
    pub(crate) socket: Socket,
    pub(crate) setup: SessionSetup,
}

impl EventLoop {
    pub(crate) async fn run(self, mut events: mpsc::UnboundedReceiver<RawEvent>) {
        while let Some(event) = events.recv().await {
            self.handle(&event);
            self.browser.change(|state| state.handled = event.serial);
        }
        self.browser.change(|state| state.gone = true);
    }

    fn now(&self, state: &State) -> u64 {
        if self.setup.clock_seed.is_some() {
            state.page_ms as u64
        } else {
            self.setup.started.elapsed().as_millis() as u64
        }
    }

    fn handle(&self, event: &RawEvent) {
        let Some((domain, name)) = event.method.split_once('.') else { return };
        match domain {
            "Target" => self.target(event, name),
            "Page" => self.page(event, name),
            "Runtime" => self.runtime(event, name),
            "Debugger" if name == "scriptParsed" => self.script_parsed(event),
            "Network" => network::handle(&self.browser, &self.socket, event, name, |state| self.now(state)),
            "Fetch" if name == "requestPaused" => {
                if let Some(answering) = self.browser.answering.get() {
                    answering.request_paused(&self.socket, event);
                }
            }
            "Browser" => self.download(event, name),
            "Log" if name == "entryAdded" => self.log_entry(event),
            "Input" if name == "dragIntercepted" => {
                if let Some(data) = event.read::<Value>().map(|value| value["data"].clone()) {
                    self.browser.change(|state| state.drag = Some(data));
                }
            }
            "Inspector" if name == "targetCrashed" => self.browser.change(|state| {
                let which =
                    event.session.as_ref().and_then(|id| state.sessions.get(id)).map_or(0, |session| session.tab);
                state.crashed = Some(format!("the page of tab {which} crashed"));
            }),
            _ => {}
        }
    }

    fn target(&self, event: &RawEvent, name: &str) {
        match name {
            "targetCreated" if self.setup.attached => {
                let Some(m::Created { info }) = event.read::<m::Created>() else { return };
                let ours = {
                    let state = self.browser.read();
                    let is_tab = |target: &str| state.tabs.iter().any(|tab| tab.target == target);
                    info.kind == "page" && is_tab(&info.opener) && !is_tab(&info.target_id)
                };
                if ours {
                    let params = json!({ "targetId": info.target_id, "flatten": true });
                    drop(self.socket.send(None, "Target.attachToTarget", &params));
                }
            }
            "attachedToTarget" => {
                if let Some(attached) = event.read::<m::Attached>() {
                    self.attached(event.session.as_deref(), &attached);
                }
            }
            "detachedFromTarget" => {
                let Some(detached) = event.read::<m::Detached>() else { return };
                self.socket.end_session(&detached.session);
                self.browser.change(|state| {
                    let Some(session) = state.sessions.get(&detached.session).cloned() else { return };
                    let now = self.now(state);
                    if session.parent.is_none() {
                        let url = state
                            .frames
                            .get(&(detached.session.clone(), session.root_frame.clone()))
                            .map(|frame| frame.url.clone());
                        let event =
                            TabEvent { what: "closed".to_owned(), url: url.unwrap_or_default(), title: String::new() };
                        state.log.push(session.tab, now, EventKind::Tab(event));
                        if let Some(tab) = state.tabs.get_mut(session.tab as usize) {
                            tab.open = false;
                            tab.dialog = None;
                        }
                        self.signal(Signal::TabClosed { tab: session.tab });
                    }
                    state.drop_session(&detached.session);
                    state.drop_flights_of(&session.root_frame, None);
                    state.navigating.remove(&session.root_frame);
                    state.stir();
                });
            }
            _ => {}
        }
    }

    fn attached(&self, parent: Option<&str>, attached: &m::Attached) {
        let id = attached.session.clone();
        let target = attached.info.target_id.clone();
        let session =
            |tab, parent| Session { tab, root_frame: target.clone(), parent, ready: false, clock_script: None };
        let known = match attached.info.kind.as_str() {
            "page" => self.browser.change(|state| {
                let tab = state.tabs.len() as u32;
                state.tabs.push(Tab {
                    target: target.clone(),
                    session: id.clone(),
                    open: true,
                    dialog: None,
                    opener: attached.info.opener.clone(),
                    stirred: None,
                    navigated: None,
                    said: None,
                    heard: None,
                });
                state.sessions.insert(id.clone(), session(tab, None));
                self.signal(Signal::TabOpened { tab, opener: attached.info.opener.clone() });
                if tab > 0 {
                    let now = self.now(state);
                    let event =
                        TabEvent { what: "opened".to_owned(), url: attached.info.url.clone(), title: String::new() };
                    state.log.push(tab, now, EventKind::Tab(event));
                }
                true
            }),
            "iframe" => self.browser.change(|state| {
                let Some(tab) = parent.and_then(|parent| state.sessions.get(parent)).map(|session| session.tab) else {
                    return false;
                };
                state.sessions.insert(id.clone(), session(tab, parent.map(str::to_owned)));
                true
            }),
            _ => false,
        };
        let resume = attached.waiting;
        let (browser, socket, setup) = (Arc::clone(&self.browser), self.socket.clone(), self.setup.clone());
        if !known {
            // Workers and the like are let go at once; they keep real time.
            if resume {
                drop(socket.send(Some(&id), "Runtime.runIfWaitingForDebugger", &json!({})));
            }
            return;
        }
        let is_page = attached.info.kind == "page";
        browser.change(|state| {
            state.starting += 1;
            state.stir();
        });
        let root = target;
        tokio::spawn(async move {
            start_session(&browser, &socket, &setup, &id, is_page, resume).await;
            browser.change(|state| {
                state.starting -= 1;
                if let Some(session) = state.sessions.get_mut(&id) {
                    session.ready = true;
                }
                state.frames.entry((id, root)).or_default();
                state.stir();
            });
        });
    }

    fn page(&self, event: &RawEvent, name: &str) {
        let Some(session) = event.session.clone() else { return };
        match name {
            "frameAttached" => {
                let Some(frame) = event.read::<m::FrameRef>() else { return };
                self.browser.change(|state| {
                    state.frames.entry((session, frame.id)).or_default();
                    state.stir();
                });
            }
            "frameDetached" => {
                let Some(frame) = event.read::<m::FrameRef>() else { return };
                self.browser.change(|state| {
                    state.drop_frame(&session, &frame.id);
                    if frame.reason != "swap" {
                        state.drop_flights_of(&frame.id, None);
                        state.navigating.remove(&frame.id);
                    }
                    state.stir();
                });
            }
            "frameNavigated" => {
                let Some(m::FrameNavigated { frame }) = event.read::<m::FrameNavigated>() else { return };
                if self.setup.clock_seed.is_some() {
                    // A new document's timeline runs again, whatever the one before did.
                    drop(self.socket.send(Some(&session), "Animation.setPlaybackRate", &json!({ "playbackRate": 0 })));
                }
                self.browser.change(|state| {
                    state.drop_flights_of(&frame.id, Some(&frame.loader));
                    state.navigating.remove(&frame.id);
                    let url = format!("{}{}", frame.url, frame.fragment);
                    self.signal(Signal::Committed { session: session.clone(), frame: frame.id.clone(), url });
                    if let Some(tab) = state.tab_in(&session)
                        && tab.target == frame.id
                    {
                        tab.navigated = Some(Instant::now());
                    }
                    state.stir_in(&session);
                    let entry = state.frames.entry((session, frame.id)).or_default();
                    entry.url = format!("{}{}", frame.url, frame.fragment);
                    entry.loader = frame.loader;
                });
            }
            "navigatedWithinDocument" => {
                let Some(frame) = event.read::<m::FrameRef>() else { return };
                let url = frame.url.clone();
                self.signal(Signal::Within { session: session.clone(), frame: frame.id.clone(), url });
                self.browser.change(|state| {
                    state.navigating.remove(&frame.id);
                    state.stir_in(&session);
                    if let Some(entry) = state.frames.get_mut(&(session, frame.id)) {
                        entry.url = frame.url;
                    }
                });
            }
            "frameRequestedNavigation" | "frameStartedNavigating" | "frameScheduledNavigation" => {
                let Some(frame) = event.read::<m::FrameRef>() else { return };
                self.signal(Signal::Navigating {
                    session: session.clone(),
                    frame: frame.id.clone(),
                    by_page: name != "frameStartedNavigating",
                    kind: frame.kind.clone(),
                    url: frame.url.clone(),
                });
                if frame.disposition.as_deref().is_some_and(|disposition| disposition != "currentTab")
                    || frame.kind.starts_with("sameDocument")
                {
                    return;
                }
                self.browser.change(|state| {
                    state.navigating.insert(frame.id, Instant::now());
                    state.stir_in(&session);
                });
            }
            "frameStartedLoading" | "frameStoppedLoading" => {
                let Some(frame) = event.read::<m::FrameRef>() else { return };
                self.browser.change(|state| {
                    let loading = name == "frameStartedLoading";
                    if !loading {
                        state.navigating.remove(&frame.id);
                    }
                    state.stir_in(&session);
                    if let Some(entry) = state.frames.get_mut(&(session, frame.id)) {
                        entry.loading = loading;
                        entry.loading_since = loading.then(Instant::now);
                    }
                });
            }
            "fileChooserOpened" => {
                let Some(node) = event.read::<Value>().and_then(|value| value["backendNodeId"].as_i64()) else {
                    return;
                };
                self.browser.change(|state| state.file_chooser = Some((session, node)));
            }
            "javascriptDialogOpening" => self.dialog_opening(event, &session),
            "javascriptDialogClosed" => self.dialog_closed(event, &session),
            _ => {}
        }
    }

    fn dialog_opening(&self, event: &RawEvent, session: &str) {
        let Some(dialog) = event.read::<m::DialogOpening>() else { return };
        self.browser.change(|state| {
            let Some(tab) = state.sessions.get(session).map(|session| session.tab) else { return };
            let kind = match dialog.kind.as_str() {
                "confirm" => DialogKind::Confirm,
                "prompt" => DialogKind::Prompt,
                "beforeunload" => DialogKind::BeforeUnload,
                _ => DialogKind::Alert,
            };
            let open = OpenDialog { session: session.to_owned() };
            let now = self.now(state);
            let event = DialogEvent { kind, message: dialog.message, accepted: None, typed: String::new() };
            state.log.push(tab, now, EventKind::Dialog(event));
            if let Some(tab) = state.tabs.get_mut(tab as usize) {
                tab.dialog = Some(open);
            }
            self.signal(Signal::DialogOpened { tab });
            state.stir();
        });
    }

    fn dialog_closed(&self, event: &RawEvent, session: &str) {
        let Some(closed) = event.read::<m::DialogClosed>() else { return };
        self.browser.change(|state| {
            let Some(tab) = state.sessions.get(session).map(|session| session.tab) else { return };
            let now = self.now(state);
            state.log.close_dialog(tab, now, closed.result, &closed.typed);
            if let Some(tab) = state.tabs.get_mut(tab as usize) {
                tab.dialog = None;
            }
            self.signal(Signal::DialogClosed { tab, accepted: closed.result, typed: closed.typed.clone() });
            state.stir();
        });
    }

    /// Tells the one who follows somebody else, if anyone does.
    fn signal(&self, signal: Signal) {
        if let Some(watch) = self.browser.watch.get() {
            watch.tell(signal);
        }
    }

    fn script_parsed(&self, event: &RawEvent) {
        if let (Some(watch), Some(session)) = (self.browser.watch.get(), event.session.clone())
            && let Some(script) = event.read::<m::ScriptParsed>()
        {
            watch.learn(session, script);
        }
    }

    fn runtime(&self, event: &RawEvent, name: &str) {
        let Some(session) = event.session.clone() else { return };
        match name {
            "executionContextCreated" => {
                let Some(m::ContextCreated { context }) = event.read::<m::ContextCreated>() else { return };
                if self.browser.watch.get().is_some_and(|watch| watch.world == context.name) {
                    self.browser.change(|state| {
                        state.frames.entry((session, context.aux.frame)).or_default().watch = Some(context.id);
                    });
                } else if context.aux.is_default {
                    self.browser.change(|state| {
                        let frame = state.frames.entry((session, context.aux.frame)).or_default();
                        frame.context = Some(context.unique_id);
                        frame.context_id = context.id;
                    });
                }
            }
            "executionContextDestroyed" => {
                let Some(destroyed) = event.read::<m::ContextDestroyed>() else { return };
                self.browser.change(|state| {
                    for ((of, _), frame) in &mut state.frames {
                        if *of == session && frame.context.as_ref() == Some(&destroyed.unique_id) {
                            frame.context = None;
                        }
                    }
                });
            }
            "executionContextsCleared" => self.browser.change(|state| {
                for ((of, _), frame) in &mut state.frames {
                    if *of == session {
                        frame.context = None;
                    }
                }
            }),
            "bindingCalled" => {
                let Some(call) = event.read::<m::BindingCall>() else { return };
                if call.name == SHOWN {
                    self.browser.change(|state| {
                        if state.shown.len() < MOST_SHOWN {
                            state.shown.push((session, call.context, call.payload));
                        }
                    });
                } else if self.browser.watch.get().is_some_and(|watch| watch.binding == call.name) {
                    self.signal(Signal::Said { session, context: call.context, payload: call.payload });
                }
            }
            "consoleAPICalled" => {
                let Some(call) = event.read::<m::ConsoleCall>() else { return };
                let is_watch = |frame: &Frame| frame.watch == Some(call.context);
                if call.kind == "endGroup"
                    && self.browser.read().frames.iter().any(|((of, _), frame)| *of == session && is_watch(frame))
                {
                    let mut scripts: Vec<String> =
                        call.stack.into_iter().flat_map(|stack| stack.frames).map(|frame| frame.script).collect();
                    let own = scripts.first().cloned();
                    scripts.dedup();
                    scripts.retain(|script| Some(script) != own.as_ref());
                    self.signal(Signal::Stack { session, context: call.context, scripts });
                    return;
                }
                let text = call.args.iter().map(m::describe).collect::<Vec<_>>().join(" ");
                self.console(
                    &session,
                    m::with_place(
                        ConsoleMessage { level: call.kind, text, ..ConsoleMessage::default() },
                        call.stack.as_ref(),
                    ),
                );
            }
            "exceptionThrown" => {
                let Some(m::Thrown { details }) = event.read::<m::Thrown>() else { return };
                self.console(&session, m::exception(details));
            }
            _ => {}
        }
    }

    fn log_entry(&self, event: &RawEvent) {
        let (Some(session), Some(m::LogAdded { entry })) = (event.session.clone(), event.read::<m::LogAdded>()) else {
            return;
        };
        // A frame in a process of its own is told of by its parent's session too.
        if !entry.request.is_empty() && !self.browser.read().told.insert(entry.request) {
            return;
        }
        let message = ConsoleMessage {
            level: entry.level,
            text: entry.text,
            url: entry.url,
            line: entry.line.map_or(0, |line| line + 1),
            stack: String::new(),
        };
        self.console(&session, message);
    }

    fn console(&self, session: &str, message: ConsoleMessage) {
        self.browser.change(|state| {
            let tab = state.sessions.get(session).map_or(0, |session| session.tab);
            let now = self.now(state);
            state.log.push(tab, now, EventKind::Console(message));
        });
    }

    fn download(&self, event: &RawEvent, name: &str) {
        match name {
            "downloadWillBegin" => {
                let Some(begin) = event.read::<m::DownloadBegin>() else { return };
                self.browser.change(|state| {
                    let tab = state
                        .frames
                        .keys()
                        .find(|(_, frame)| *frame == begin.frame)
                        .and_then(|(session, _)| state.sessions.get(session));
                    let tab = tab.map_or(0, |session| session.tab);
                    let now = self.now(state);
                    let event = DownloadEvent {
                        url: begin.url,
                        file_name: begin.file_name,
                        bytes: 0,
                        state: "in_progress".to_owned(),
                    };
                    state.log.push_download(&begin.guid, tab, now, event);
                    state.navigating.remove(&begin.frame);
                    state.downloads_open += 1;
                    state.stir();
                });
            }
            "downloadProgress" => {
                let Some(progress) = event.read::<m::DownloadProgress>() else { return };
                self.browser.change(|state| {
                    state.log.download_progress(&progress.guid, progress.received as u64, &progress.state);
                    if progress.state != "inProgress" {
                        state.downloads_open = state.downloads_open.saturating_sub(1);
                    }
                    state.stir();
                });
            }
            _ => {}
        }
    }
}
