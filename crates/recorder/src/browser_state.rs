//! What the recorder knows of the browser right now: tabs, sessions, frames, requests in flight,
//! dialogs.
//!
//! In: protocol events (the `event_loop` writes them here). Out: plain questions about the state, and a
//! way to wait for an answer. Invariant: the lock is never held over an await.

use crate::answering::Answering;
use crate::habits::Habits;
use crate::log::EventLog;
use crate::socket::{CallError, Reply};
use crate::watch::Watch;
use browserlens_core::strategy::{Event, EventKind, TabEvent};
use browserlens_core::sync::locked;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, OnceLock};
use std::time::Instant;
use tokio::sync::watch;

/// One tab, numbered in order of opening; closed tabs keep their number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tab {
    pub(crate) target: String,
    pub(crate) session: String,
    pub(crate) open: bool,
    /// Session of the dialog that blocks it.
    pub(crate) dialog: Option<String>,
    /// How many of its dialogs were closed: one may open the next at once.
    pub(crate) closed_dialogs: u32,
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
    /// Since when events are dated by wall time; none where pages have a clock of ours.
    pub(crate) wall: Option<Instant>,
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
#[derive(Default)]
pub(crate) struct BrowserState {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    /// Set where the recorder only looks on while somebody else drives the browser.
    pub(crate) watch: OnceLock<Watch>,
    /// Set where recorded pages are rendered: every request is answered from memory.
    pub(crate) answering: OnceLock<Answering>,
}

impl BrowserState {
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

    /// Keeps the id of the clock's script in a session, as the browser gave it when it was added.
    pub(crate) fn keep_clock_script(&self, session: &str, added: &Reply) {
        let identifier = added.value()["identifier"].as_str().map(str::to_owned);
        self.change(|state| {
            if let Some(session) = state.sessions.get_mut(session) {
                session.clock_script = identifier;
            }
        });
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
        if let Some(tab) = self.tab_in(session) {
            tab.stirred = Some(Instant::now());
        }
    }

    /// Returns the time that events are dated by, in milliseconds: page time of bundled sites, wall
    /// time of others.
    pub(crate) fn now(&self) -> u64 {
        self.wall.map_or(self.page_ms as u64, |began| began.elapsed().as_millis() as u64)
    }

    /// Returns why no page can be asked any more.
    pub(crate) fn ended(&self) -> Option<CallError> {
        let crashed = || self.crashed.clone().map(CallError::Crashed);
        if self.gone { Some(CallError::Gone) } else { crashed() }
    }

    /// Returns the tab of a session, by its number.
    pub(crate) fn tab_of(&self, session: &str) -> Option<u32> {
        self.sessions.get(session).map(|session| session.tab)
    }

    /// The same, to change it.
    pub(crate) fn tab_in(&mut self, session: &str) -> Option<&mut Tab> {
        let tab = self.tab_of(session)?;
        self.tabs.get_mut(tab as usize)
    }

    /// Returns the tab whose main frame a frame is.
    pub(crate) fn tab_of_main(&self, session: &str, frame: &str) -> Option<u32> {
        let known = self.sessions.get(session)?;
        (known.parent.is_none() && known.root_frame == frame).then_some(known.tab)
    }

    pub(crate) fn tab(&self, tab: u32) -> Option<&Tab> {
        self.tabs.get(tab as usize)
    }

    pub(crate) fn is_open(&self, tab: u32) -> bool {
        self.tab(tab).is_some_and(|tab| tab.open)
    }

    pub(crate) fn open_tabs(&self) -> impl DoubleEndedIterator<Item = (u32, &Tab)> {
        self.tabs.iter().enumerate().filter(|(_, tab)| tab.open).map(|(index, tab)| (index as u32, tab))
    }

    pub(crate) fn has_dialog(&self, tab: u32) -> bool {
        self.tab(tab).is_some_and(|tab| tab.dialog.is_some())
    }

    /// Returns the main frame of a tab.
    pub(crate) fn main_frame(&self, tab: u32) -> Option<&Frame> {
        let tab = self.tab(tab)?;
        self.frames.get(&(tab.session.clone(), tab.target.clone()))
    }

    /// Returns the URL that a tab shows.
    pub(crate) fn url_of(&self, tab: u32) -> String {
        self.main_frame(tab).map(|frame| frame.url.clone()).unwrap_or_default()
    }

    /// Returns the frames of a session, by their ids.
    pub(crate) fn frames_of(&self, session: &str) -> impl Iterator<Item = (&String, &Frame)> {
        self.frames.iter().filter(move |((of, _), _)| of == session).map(|((_, frame), data)| (frame, data))
    }

    /// Returns the sessions of a tab, the page's own first, then its frames' in order of their
    /// frame ids' hierarchy.
    pub(crate) fn sessions_of(&self, tab: u32) -> Vec<(String, Session)> {
        let below = |parent: Option<&str>| -> Vec<(String, Session)> {
            let held = self.sessions.iter().filter(|(_, known)| known.tab == tab && known.parent.as_deref() == parent);
            held.map(|(id, session)| (id.clone(), session.clone())).collect()
        };
        let mut found = below(None);
        let mut next = 0;
        while let Some((parent, _)) = found.get(next) {
            let children = below(Some(parent));
            found.extend(children);
            next += 1;
        }
        found
    }

    /// Returns session, frame and context of every main world of the open tabs, the given tab's
    /// first.
    pub(crate) fn worlds(&self, first: u32) -> Vec<(String, String, String)> {
        let mut tabs: Vec<u32> = self.open_tabs().map(|(tab, _)| tab).collect();
        tabs.sort_by_key(|tab| *tab != first);
        let mut worlds = Vec::new();
        for (id, session) in tabs.into_iter().flat_map(|tab| self.sessions_of(tab)) {
            let mut frames: Vec<(&String, &Frame)> = self.frames_of(&id).collect();
            // The root first, then in order of creation: contexts are numbered as they are made.
            frames.sort_by_key(|(frame, data)| (**frame != session.root_frame, data.context_id));
            let contexts = frames.into_iter().filter_map(|(frame, data)| Some((frame.clone(), data.context.clone()?)));
            worlds.extend(contexts.map(|(frame, context)| (id.clone(), frame, context)));
        }
        worlds
    }

    /// Notes that a tab was opened, closed or switched to.
    pub(crate) fn log_tab(&mut self, tab: u32, what: &str, url: String) {
        let (now, what) = (self.now(), what.to_owned());
        self.log.push(tab, now, EventKind::Tab(TabEvent { what, url, title: String::new() }));
    }

    /// Takes the events of a step; `all` also those of requests without an end.
    pub(crate) fn take_events(&mut self, step: u32, all: bool) -> Vec<Event> {
        let urls: Vec<String> = (0..self.tabs.len() as u32).map(|tab| self.url_of(tab)).collect();
        self.log.name_tabs(|tab| urls.get(tab as usize).cloned().unwrap_or_default());
        // The network decides what comes first within a moment of page time.
        self.log.take(step, all, self.wall.is_none())
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
