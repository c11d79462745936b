//! Turns protocol events into state, and starts every session that appears.
//!
//! In: raw events of all sessions, in order of arrival. Out: changes of the [`BrowserState`]; a task per
//! new session that enables its domains, puts in the clock before any script of the page runs, and
//! lets it go. Invariant: an unknown event, or a known one with fields renamed, changes nothing and
//! stops nothing.

mod session;

pub(crate) use session::{SessionSetup, device_metrics};

use crate::browser_state::{BrowserState, Frame, Session, State, Tab};
use crate::messages as m;
use crate::socket::{RawEvent, Socket};
use crate::watch::Signal;
use browserlens_core::strategy::{ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, EventKind};
use serde_json::json;
use session::start_session;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Name of the function with which our own world tells what a page shows over itself.
pub(crate) const SHOWN: &str = "browserLensShown";
/// Most such texts that are kept for one action.
const MOST_SHOWN: usize = 100;
/// How long a new tab has to say where it is.
const FRAME_TREE_LIMIT: Duration = Duration::from_secs(5);

pub(crate) struct EventLoop {
    pub(crate) browser: Arc<BrowserState>,
    pub(crate) socket: Socket,
    pub(crate) setup: SessionSetup,
}

impl EventLoop {
    pub(crate) async fn run(self, mut events: mpsc::UnboundedReceiver<RawEvent>) {
        while let Some(event) = events.recv().await {
            if event.method == "Fetch.requestPaused"
                && let Some(answering) = self.browser.answering.get()
            {
                answering.request_paused(&self.socket, &event);
            }
            self.browser.change(|state| {
                self.handle(state, &event);
                state.handled = event.serial;
            });
        }
        self.browser.change(|state| state.gone = true);
    }

    /// Takes an event into the state; none where it says nothing, or not what it is known to say.
    fn handle(&self, state: &mut State, event: &RawEvent) -> Option<()> {
        let (domain, name) = event.method.split_once('.')?;
        match (domain, event.session.as_deref()) {
            ("Target", parent) => self.target(state, parent, event, name)?,
            ("Browser", _) => download(state, event, name)?,
            ("Input", _) if name == "dragIntercepted" => state.drag = Some(event.part("data")?),
            ("Inspector", session) if name == "targetCrashed" => {
                let which = session.and_then(|session| state.tab_of(session)).unwrap_or(0);
                state.crashed = Some(format!("the page of tab {which} crashed"));
            }
            ("Page", Some(session)) => self.page(state, session, event, name)?,
            ("Runtime", Some(session)) => self.runtime(state, session, event, name)?,
            ("Network", Some(session)) => self.network(state, session, event, name)?,
            ("Debugger", Some(session)) if name == "scriptParsed" => {
                self.browser.watch.get()?.learn(session.to_owned(), event.read()?);
            }
            ("Log", Some(session)) if name == "entryAdded" => log_entry(state, session, event.part("entry")?),
            _ => {}
        }
        Some(())
    }

    fn target(&self, state: &mut State, parent: Option<&str>, event: &RawEvent, name: &str) -> Option<()> {
        match name {
            "targetCreated" if self.setup.attached => {
                let info: m::TargetInfo = event.part("targetInfo")?;
                let is_tab = |target: &str| state.tabs.iter().any(|tab| tab.target == target);
                if info.kind == "page" && is_tab(&info.opener_id) && !is_tab(&info.target_id) {
                    let params = json!({ "targetId": info.target_id, "flatten": true });
                    drop(self.socket.send(None, "Target.attachToTarget", &params));
                }
            }
            "attachedToTarget" => self.attached(state, parent, event.read()?),
            "detachedFromTarget" => {
                let id: String = event.part("sessionId")?;
                self.socket.end_session(&id);
                let session = state.sessions.get(&id).cloned()?;
                if session.parent.is_none() {
                    let url =
                        state.frames.get(&(id.clone(), session.root_frame.clone())).map(|frame| frame.url.clone());
                    state.log_tab(session.tab, "closed", url.unwrap_or_default());
                    if let Some(tab) = state.tab_in(&id) {
                        (tab.open, tab.dialog) = (false, None);
                    }
                    self.signal(Signal::TabClosed { tab: session.tab });
                }
                state.drop_session(&id);
                state.drop_flights_of(&session.root_frame, None);
                state.navigating.remove(&session.root_frame);
                state.stir();
            }
            _ => {}
        }
        Some(())
    }

    fn attached(&self, state: &mut State, parent: Option<&str>, attached: m::Attached) {
        let m::Attached { session_id: id, target_info: info, waiting_for_debugger: resume } = attached;
        let root = info.target_id;
        let is_page = info.kind == "page";
        let tab = match info.kind.as_str() {
            "page" => Some(state.tabs.len() as u32),
            "iframe" => parent.and_then(|parent| state.tab_of(parent)),
            _ => None,
        };
        let Some(tab) = tab else {
            // Workers and the like are let go at once; they keep real time.
            if resume {
                drop(self.socket.send(Some(&id), "Runtime.runIfWaitingForDebugger", &json!({})));
            }
            return;
        };
        let parent = parent.filter(|_| !is_page).map(str::to_owned);
        let session = Session { tab, root_frame: root.clone(), parent, ready: false, clock_script: None };
        state.sessions.insert(id.clone(), session);
        if is_page {
            let (target, session, opener) = (root.clone(), id.clone(), info.opener_id);
            self.signal(Signal::TabOpened { tab, opener: opener.clone() });
            state.tabs.push(Tab { target, session, open: true, opener, ..Tab::default() });
            if tab > 0 {
                state.log_tab(tab, "opened", info.url);
            }
        }
        state.starting += 1;
        state.stir();
        let (browser, socket, setup) = (Arc::clone(&self.browser), self.socket.clone(), self.setup.clone());
        tokio::spawn(async move {
            start_session(&browser, &socket, &setup, &id, is_page, resume).await;
            browser.change(|state| {
                state.starting -= 1;
                if let Some(session) = state.sessions.get_mut(&id) {
                    session.ready = true;
                }
                state.frames.entry((id.clone(), root.clone())).or_default();
                state.stir();
            });
            // A document that was there before its events were asked for is told by none of them.
            let asked = socket.call(Some(&id), "Page.getFrameTree", &json!({}), FRAME_TREE_LIMIT).await;
            let tree = asked.and_then(|reply| reply.read::<m::FrameTreeResult>()).ok();
            let frame = tree.and_then(|tree| tree.frames().into_iter().next());
            let url = frame.map(|frame| format!("{}{}", frame.url, frame.url_fragment));
            if let Some(url) = url.filter(|url| !url.is_empty() && url != "about:blank") {
                browser.change(|state| match state.frames.get_mut(&(id, root)) {
                    Some(frame) if frame.url.is_empty() => frame.url = url,
                    _ => {}
                });
            }
        });
    }

    fn page(&self, state: &mut State, session: &str, event: &RawEvent, name: &str) -> Option<()> {
        match name {
            "fileChooserOpened" => state.file_chooser = Some((session.to_owned(), event.part("backendNodeId")?)),
            "javascriptDialogOpening" => self.dialog_opening(state, session, event.read()?)?,
            "javascriptDialogClosed" => {
                let m::DialogEvent { result: accepted, user_input: typed, .. } = event.read()?;
                let (tab, now) = (state.tab_of(session)?, state.now());
                state.log.close_dialog(tab, now, accepted, &typed);
                let closed = state.tab_in(session)?;
                (closed.dialog, closed.closed_dialogs) = (None, closed.closed_dialogs.wrapping_add(1));
                self.signal(Signal::DialogClosed { tab, accepted, typed });
                state.stir();
            }
            "frameNavigated" => self.navigated(state, session, event.part("frame")?),
            _ => self.frame(state, session, event.read()?, name),
        }
        Some(())
    }

    fn navigated(&self, state: &mut State, session: &str, frame: m::FrameInfo) {
        if self.setup.clock_seed.is_some() {
            // A new document's timeline runs again, whatever the one before did.
            drop(self.socket.send(Some(session), "Animation.setPlaybackRate", &json!({ "playbackRate": 0 })));
        }
        state.drop_flights_of(&frame.id, Some(&frame.loader_id));
        state.navigating.remove(&frame.id);
        let (url, session) = (format!("{}{}", frame.url, frame.url_fragment), session.to_owned());
        self.signal(Signal::Committed { session: session.clone(), frame: frame.id.clone(), url: url.clone() });
        if let Some(tab) = state.tab_in(&session).filter(|tab| tab.target == frame.id) {
            tab.navigated = Some(Instant::now());
        }
        state.stir_in(&session);
        let entry = state.frames.entry((session, frame.id)).or_default();
        (entry.url, entry.loader) = (url, frame.loader_id);
    }

    fn frame(&self, state: &mut State, session: &str, frame: m::FrameEvent, name: &str) {
        let (session, id) = (session.to_owned(), frame.frame_id);
        match name {
            "frameAttached" => {
                state.frames.entry((session, id)).or_default();
                state.stir();
            }
            "frameDetached" => {
                state.drop_frame(&session, &id);
                if frame.reason != "swap" {
                    state.drop_flights_of(&id, None);
                    state.navigating.remove(&id);
                }
                state.stir();
            }
            "navigatedWithinDocument" => {
                self.signal(Signal::Within { session: session.clone(), frame: id.clone(), url: frame.url.clone() });
                state.navigating.remove(&id);
                state.stir_in(&session);
                if let Some(entry) = state.frames.get_mut(&(session, id)) {
                    entry.url = frame.url;
                }
            }
            "frameRequestedNavigation" | "frameStartedNavigating" | "frameScheduledNavigation" => {
                let elsewhere = frame.disposition.is_some_and(|disposition| disposition != "currentTab");
                if !elsewhere && !frame.navigation_type.starts_with("sameDocument") {
                    state.navigating.insert(id.clone(), Instant::now());
                    state.stir_in(&session);
                }
                let by_page = name != "frameStartedNavigating";
                let (kind, url) = (frame.navigation_type, frame.url);
                self.signal(Signal::Navigating { session, frame: id, by_page, kind, url });
            }
            "frameStartedLoading" | "frameStoppedLoading" => {
                let loading = name == "frameStartedLoading";
                if !loading {
                    state.navigating.remove(&id);
                }
                state.stir_in(&session);
                if let Some(entry) = state.frames.get_mut(&(session, id)) {
                    entry.loading = loading;
                    entry.loading_since = loading.then(Instant::now);
                }
            }
            _ => {}
        }
    }

    fn dialog_opening(&self, state: &mut State, session: &str, dialog: m::DialogEvent) -> Option<()> {
        let (tab, now) = (state.tab_of(session)?, state.now());
        let kind = match dialog.kind.as_str() {
            "confirm" => DialogKind::Confirm,
            "prompt" => DialogKind::Prompt,
            "beforeunload" => DialogKind::BeforeUnload,
            _ => DialogKind::Alert,
        };
        let event = DialogEvent { kind, message: dialog.message, accepted: None, typed: String::new() };
        state.log.push(tab, now, EventKind::Dialog(event));
        state.tab_in(session)?.dialog = Some(session.to_owned());
        self.signal(Signal::DialogOpened { tab });
        state.stir();
        Some(())
    }

    /// Tells the one who follows somebody else, if anyone does.
    fn signal(&self, signal: Signal) {
        if let Some(watch) = self.browser.watch.get() {
            watch.tell(signal);
        }
    }

    fn runtime(&self, state: &mut State, session: &str, event: &RawEvent, name: &str) -> Option<()> {
        let watch = self.browser.watch.get();
        match name {
            "executionContextCreated" => {
                let context: m::Context = event.part("context")?;
                let is_watch = watch.is_some_and(|watch| watch.world == context.name);
                if is_watch || context.aux_data.is_default {
                    let frame = state.frames.entry((session.to_owned(), context.aux_data.frame_id)).or_default();
                    if is_watch {
                        frame.watch = Some(context.id);
                    } else {
                        (frame.context, frame.context_id) = (Some(context.unique_id), context.id);
                    }
                }
            }
            "executionContextDestroyed" => {
                let unique: String = event.part("executionContextUniqueId")?;
                forget_contexts(state, session, |context| *context == unique);
            }
            "executionContextsCleared" => forget_contexts(state, session, |_| true),
            "bindingCalled" => {
                let call: m::BindingCall = event.read()?;
                let (session, context) = (session.to_owned(), call.execution_context_id);
                if call.name == SHOWN && state.shown.len() < MOST_SHOWN {
                    state.shown.push((session, context, call.payload));
                } else if watch.is_some_and(|watch| watch.binding == call.name) {
                    self.signal(Signal::Said { session, context, payload: call.payload });
                }
            }
            "consoleAPICalled" => {
                let call: m::ConsoleCall = event.read()?;
                let context = call.execution_context_id;
                let is_watch = |(_, frame): (_, &Frame)| frame.watch == Some(context);
                if call.kind == "endGroup" && state.frames_of(session).any(is_watch) {
                    let frames = call.stack_trace.into_iter().flat_map(|stack| stack.call_frames);
                    let mut scripts: Vec<String> = frames.map(|frame| frame.script_id).collect();
                    let own = scripts.first().cloned();
                    scripts.dedup();
                    scripts.retain(|script| Some(script) != own.as_ref());
                    self.signal(Signal::Stack { session: session.to_owned(), context, scripts });
                    return Some(());
                }
                let text = call.args.iter().map(m::describe).collect::<Vec<_>>().join(" ");
                let message = ConsoleMessage { level: call.kind, text, ..ConsoleMessage::default() };
                console(state, session, m::with_place(message, call.stack_trace.as_ref()));
            }
            "exceptionThrown" => console(state, session, m::exception(event.part("exceptionDetails")?)),
            _ => {}
        }
        Some(())
    }
}

fn forget_contexts(state: &mut State, session: &str, which: impl Fn(&String) -> bool) {
    for ((_, _), frame) in state.frames.iter_mut().filter(|((of, _), _)| of == session) {
        frame.context = frame.context.take().filter(|context| !which(context));
    }
}

fn log_entry(state: &mut State, session: &str, entry: m::LogEntry) {
    // A frame in a process of its own is told of by its parent's session too.
    if !entry.network_request_id.is_empty() && !state.told.insert(entry.network_request_id) {
        return;
    }
    let m::LogEntry { level, text, url, line_number, .. } = entry;
    let line = line_number.map_or(0, |line| line + 1);
    console(state, session, ConsoleMessage { level, text, url, line, stack: String::new() });
}

fn console(state: &mut State, session: &str, message: ConsoleMessage) {
    let (tab, now) = (state.tab_of(session).unwrap_or(0), state.now());
    state.log.push(tab, now, EventKind::Console(message));
}

fn download(state: &mut State, event: &RawEvent, name: &str) -> Option<()> {
    match name {
        "downloadWillBegin" => {
            let begin: m::DownloadEvent = event.read()?;
            let session = state.frames.keys().find(|(_, frame)| *frame == begin.frame_id).map(|(session, _)| session);
            let (tab, now) = (session.and_then(|session| state.tab_of(session)).unwrap_or(0), state.now());
            let (url, file_name) = (begin.url, begin.suggested_filename);
            let event = DownloadEvent { url, file_name, bytes: 0, state: "in_progress".to_owned() };
            state.log.push_download(&begin.guid, tab, now, event);
            state.navigating.remove(&begin.frame_id);
            state.downloads_open += 1;
            state.stir();
        }
        "downloadProgress" => {
            let progress: m::DownloadEvent = event.read()?;
            state.log.download_progress(&progress.guid, progress.received_bytes as u64, &progress.state);
            if progress.state != "inProgress" {
                state.downloads_open = state.downloads_open.saturating_sub(1);
            }
            state.stir();
        }
        _ => {}
    }
    Some(())
}
