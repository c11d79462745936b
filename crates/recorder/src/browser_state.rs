//! What the recorder knows of the browser right now: tabs, sessions, frames, requests in flight,
//! dialogs.
//!
//! In: protocol events (the `event_loop` writes them here). Out: plain questions about the state, and a
//! way to wait for an answer. Invariant: the lock is never held over an await.

use crate::answering::Answering;
use crate::habits::Habits;
use crate::log::EventLog;
use crate::socket::locked;
use crate::watch::Watch;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Instant;
use tokio::sync::watch;

/// One tab, numbered in order of opening; closed tabs keep their number.
#[derive(Clone, Debug)]
pub(crate) struct Tab {
    pub(crate) target: String,
    pub(crate) session: String,
    pub(crate) open: bool,
    pub(crate) dialog: Option<OpenDialog>,
    /// Target of the tab that opened it, if the browser says so.
    pub(crate) opener: String,
    /// When requests that the page does not make by itself, or navigations, last began or ended.
    pub(crate) stirred: Option<Instant>,
    /// When its page was last another document.
    pub(crate) navigated: Option<Instant>,
    /// When its page last spoke over a web socket, and was last spoken to.
    pub(crate) said: Option<Instant>,
    pub(crate) heard: Option<Instant>,
}

/// A dialog that blocks its tab.
#[derive(Clone, Debug)]
pub(crate) struct OpenDialog {
    pub(crate) session: String,
}

/// One attached target: a tab's page, or a frame that lives in a process of its own.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    pub(crate) tab: u32,
    /// Frame id of its root frame; Chromium uses the target's id for it.
    pub(crate) root_frame: String,
    /// Session that holds the `iframe` element; none for pages.
    pub(crate) parent: Option<String>,
    pub(crate) ready: bool,
    /// Identifier of the clock script, to replace it.
    pub(crate) clock_script: Option<String>,
}

/// One frame of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    pub(crate) url: String,
    pub(crate) loader: String,
    /// Unique id of the main world's execution context.
    pub(crate) context: Option<String>,
    pub(crate) context_id: i64,
    /// Execution context of the listener that tells what somebody else does here.
    pub(crate) watch: Option<i64>,
    pub(crate) loading: bool,
    /// Since when.
    pub(crate) loading_since: Option<Instant>,
}

/// A request without an end.
#[derive(Clone, Debug)]
pub(crate) struct Flight {
    pub(crate) frame: String,
    pub(crate) loader: String,
    pub(crate) url: String,
    pub(crate) tab: u32,
    /// Method and URL as far as they are the same each time.
    pub(crate) key: String,
    pub(crate) since: Instant,
    /// Whether it brings a document.
    pub(crate) document: bool,
    /// Whether the page asks for this again and again by itself.
    pub(crate) habit: bool,
    /// The same, or no action was under way when it began.
    pub(crate) by_page: bool,
    /// Which request of its key since the action began, counted from 1.
    pub(crate) turn: u32,
    /// Whether the head of the answer is there and only the page itself can end it: a `fetch` whose
    /// body nobody reads never ends.
    pub(crate) answered: bool,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) tabs: Vec<Tab>,
    /// Sessions by id; a parent's id may sort after its child's.
    pub(crate) sessions: BTreeMap<String, Session>,
    pub(crate) frames: HashMap<(String, String), Frame>,
    pub(crate) in_flight: HashMap<String, Flight>,
    /// Frames that were asked to navigate and have not yet, and since when.
    pub(crate) navigating: HashMap<String, Instant>,
    pub(crate) log: EventLog,
    /// Requests whose failure the browser's log has told.
    pub(crate) told: HashSet<String>,
    /// Bodies that are being fetched for the log.
    pub(crate) bodies_pending: u32,
    /// Since when an action is under way whose outcome is waited for by wall time.
    pub(crate) acting: Option<Instant>,
    /// When its first event was dispatched.
    pub(crate) input: Option<Instant>,
    /// How often each key was asked for since it began.
    pub(crate) asked: HashMap<String, u32>,
    /// What pages ask for by themselves.
    pub(crate) habits: Habits,
    /// The recorder's own world of each frame, with the context of the document that it is of.
    pub(crate) own_worlds: HashMap<(String, String), (String, i64)>,
    /// What watches the timers of each frame: the context of its document, and the object in it.
    pub(crate) timers: HashMap<(String, String), (String, String)>,
    /// Sessions in which our world can tell what was shown.
    pub(crate) bound: HashSet<String>,
    /// Texts that a page showed over itself: session, own world, text.
    pub(crate) shown: Vec<(String, i64, String)>,
    /// Session starts that are under way.
    pub(crate) starting: u32,
    /// Serial of the last event that was handled.
    pub(crate) handled: u64,
    /// Page time since the recording began, in milliseconds.
    pub(crate) page_ms: f64,
    /// Page time at which a document that is made now begins.
    pub(crate) base_ms: f64,
    /// Counts whatever may go on making work: requests, navigations, frames.
    pub(crate) stirs: u64,
    pub(crate) last_stir: Option<Instant>,
    pub(crate) gone: bool,
    /// Drag data of a drag that was intercepted.
    pub(crate) drag: Option<serde_json::Value>,
    pub(crate) crashed: Option<String>,
    /// File chooser that the page opened: session and raw backend node id of its input.
    pub(crate) file_chooser: Option<(String, i64)>,
    pub(crate) downloads_open: u32,
}

/// The shared state.
pub(crate) struct BrowserState {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    /// Set where the recorder only looks on while somebody else drives the browser.
    pub(crate) watch: OnceLock<Watch>,
    /// Set where recorded pages are rendered: every request is answered from memory.
    pub(crate) answering: OnceLock<Answering>,
}

impl BrowserState {
    pub(crate) fn new() -> Self {
        Self {
            state: Mutex::default(),
            changed: watch::Sender::new(0),
            watch: OnceLock::new(),
            answering: OnceLock::new(),
        }
    }

    pub(crate) fn read(&self) -> MutexGuard<'_, State> {
        locked(&self.state)
    }

    /// Changes the state and wakes those who wait.
    pub(crate) fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let result = change(&mut self.read());
        self.changed.send_modify(|generation| *generation += 1);
        result
    }

    /// Waits until `ask` answers, or the deadline passes.
    pub(crate) async fn wait_for<T>(&self, deadline: Instant, mut ask: impl FnMut(&State) -> Option<T>) -> Option<T> {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(answer) = ask(&self.read()) {
                return Some(answer);
            }
            let limit = tokio::time::Instant::from_std(deadline);
            match tokio::time::timeout_at(limit, changed.changed()).await {
                Ok(Ok(())) => {}
                _ => return ask(&self.read()),
            }
        }
    }
}

impl State {
    pub(crate) fn stir(&mut self) {
        self.stirs += 1;
        self.last_stir = Some(Instant::now());
    }

    /// The same, by the page of a session.
    pub(crate) fn stir_in(&mut self, session: &str) {
        self.stir();
        if let Some(tab) = self.sessions.get(session).map(|session| session.tab) {
            self.stir_of(tab);
        }
    }

    pub(crate) fn stir_of(&mut self, tab: u32) {
        if let Some(tab) = self.tabs.get_mut(tab as usize) {
            tab.stirred = Some(Instant::now());
        }
    }

    /// Returns the tab of a session.
    pub(crate) fn tab_in(&mut self, session: &str) -> Option<&mut Tab> {
        let tab = self.sessions.get(session)?.tab;
        self.tabs.get_mut(tab as usize)
    }

    pub(crate) fn tab(&self, tab: u32) -> Option<&Tab> {
        self.tabs.get(tab as usize)
    }

    pub(crate) fn dialog(&self, tab: u32) -> Option<&OpenDialog> {
        self.tab(tab).and_then(|tab| tab.dialog.as_ref())
    }

    /// Returns the sessions of a tab, the page's own first, then its frames' in order of their
    /// frame ids' hierarchy.
    pub(crate) fn sessions_of(&self, tab: u32) -> Vec<(String, Session)> {
        let mut found: Vec<(String, Session)> = Vec::new();
        let of_tab = || self.sessions.iter().filter(|(_, session)| session.tab == tab);
        found.extend(
            of_tab().filter(|(_, session)| session.parent.is_none()).map(|(id, session)| (id.clone(), session.clone())),
        );
        let mut next = 0;
        while next < found.len() {
            let parent = found[next].0.clone();
            let children = of_tab().filter(|(_, session)| session.parent.as_ref() == Some(&parent));
            found.extend(children.map(|(id, session)| (id.clone(), session.clone())));
            next += 1;
        }
        found
    }

    /// Returns session, frame and context of every main world of the open tabs, the given tab's
    /// first.
    pub(crate) fn worlds(&self, first: u32) -> Vec<(String, String, String)> {
        let mut tabs: Vec<u32> = (0..self.tabs.len() as u32).filter(|tab| self.tabs[*tab as usize].open).collect();
        tabs.sort_by_key(|tab| *tab != first);
        let mut worlds = Vec::new();
        for tab in tabs {
            for (id, session) in self.sessions_of(tab) {
                let mut frames: Vec<(&String, &Frame)> = self
                    .frames
                    .iter()
                    .filter(|((of, _), _)| *of == id)
                    .map(|((_, frame), data)| (frame, data))
                    .collect();
                // The root first, then in order of creation: contexts are numbered as they are
                // made.
                frames.sort_by_key(|(frame, data)| (**frame != session.root_frame, data.context_id));
                worlds.extend(
                    frames
                        .into_iter()
                        .filter_map(|(frame, data)| Some((id.clone(), frame.clone(), data.context.clone()?))),
                );
            }
        }
        worlds
    }

    pub(crate) fn drop_session(&mut self, id: &str) {
        self.sessions.remove(id);
        self.bound.remove(id);
        self.own_worlds.retain(|(session, _), _| session != id);
        self.timers.retain(|(session, _), _| session != id);
        self.frames.retain(|(session, _), _| session != id);
    }

    pub(crate) fn drop_frame(&mut self, session: &str, frame: &str) {
        let key = (session.to_owned(), frame.to_owned());
        self.frames.remove(&key);
        self.own_worlds.remove(&key);
        self.timers.remove(&key);
    }

    /// Forgets what an earlier document of the frame had asked for.
    pub(crate) fn drop_flights_of(&mut self, frame: &str, keep_loader: Option<&str>) {
        self.in_flight.retain(|_, flight| flight.frame != frame || keep_loader == Some(flight.loader.as_str()));
    }
}
