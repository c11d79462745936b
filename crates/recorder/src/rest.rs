//! When to look, by wall time: as soon as what an action set off is done.
//!
//! In: what was under way when the action began. Out: [`Settled`]. What is waited for: requests that
//! the action asked for, the navigation that it began, timers that it set, what it set in motion,
//! and two frames after the last change that it can have made. What is not: other tabs, what the
//! page did before by itself (requests by their recurring URL, elements that changed while nothing
//! was done) and what turns out to go on without end. Invariant: nothing that a page does by itself
//! holds an answer for longer than [`MOVES_LIMIT`]. Why not a fixed quiet time: one that is long
//! enough for a slow page makes each answer of a fast one late.

use crate::actions::Deed;
use crate::browser_state::{Flight, State};
use crate::driver::{Driver, evaluated};
use crate::event_loop::SHOWN;
use crate::settle::{DIALOG, SCRIPT_RUNS, forget_announced, settled};
use crate::socket::{CallError, Pending};
use browserlens_core::strategy::{ConsoleMessage, EventKind};
use browserlens_trace::Settled;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Longest time that changes which an action set off are waited for: an animation may have no end.
const MOVES_LIMIT: Duration = Duration::from_millis(2_000);
/// Longest time without anything new that matters, on a page that never rests.
const NOTHING_NEW: Duration = Duration::from_millis(500);
/// For how long nothing must have changed, after two frames: scripts that work in pieces go on
/// within a few frames.
const STILL: Duration = Duration::from_millis(40);
/// For how long nothing must have come from the network: what came is read and drawn.
const NET_STILL: Duration = Duration::from_millis(80);
/// How long what was said over a web socket waits for an answer, and since when talk is the page's
/// own.
const ANSWER_LIMIT: Duration = Duration::from_millis(300);
const CHAT: Duration = Duration::from_millis(2_000);
/// How long a page may take to say how it stands before a script is said to run on.
const SAY_LIMIT: Duration = Duration::from_millis(5_000);
/// Most frames of a page that are watched.
const MOST_FRAMES: usize = 24;

/// How long a tab that was opened may take to go to its page.
const NEW_TAB: Duration = Duration::from_millis(700);

const TIMERS: &str = include_str!("script/timers.js");
const TIMERS_GROUP: &str = "browserlens-timers";

/// What was under way when an action began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unrest {
    began: Instant,
    /// Tabs from this number on were opened since.
    tabs: u32,
    downloads: u32,
    /// Whether the page talked over a web socket by itself.
    chats: bool,
}

/// What keeps an action from being done, and until when at most that is waited for.
struct Hold {
    reason: String,
    until: Instant,
}

/// How the frames of a page stand; times in milliseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Sight {
    /// Since when nothing has changed that the action can have changed.
    still: f64,
    /// Since when nothing has changed that goes on without end.
    restless: f64,
    changes: f64,
    /// Changes that say something.
    telling: f64,
    /// For how long what moves goes on.
    moving: f64,
    /// In what time the last timer of the action will have run.
    timer: f64,
    /// Whether a frame could not say.
    torn: bool,
    /// Whether a script runs on and on.
    stuck: bool,
}

impl Driver {
    /// Notes what is under way before the page is acted on, and has the page watched.
    pub(crate) async fn note_unrest(&mut self, deed: &Deed) -> Result<(), CallError> {
        (self.unrest, self.hit) = (None, None);
        self.browser.change(|state| state.input = None);
        if self.controlled() {
            return Ok(());
        }
        let tab = self.tab;
        self.unrest = Some(self.browser.change(|state| {
            let began = Instant::now();
            state.acting = Some(began);
            state.asked.clear();
            let chats = state.tab(tab).and_then(|tab| tab.said).is_some_and(|at| at.elapsed() < CHAT);
            Unrest { began, tabs: state.tabs.len() as u32, downloads: state.downloads_open, chats }
        }));
        // A page that is left is not watched, and one that a dialog blocks answers nothing.
        if self.is_blocked() || matches!(deed, Deed::Goto { .. } | Deed::SwitchTab { .. } | Deed::CloseTab) {
            return Ok(());
        }
        let mut asked = Vec::new();
        for (session, frame, document) in self.watched_frames() {
            self.bind(&session);
            match self.own_world(&session, &frame).await {
                Ok(world) => asked.push(self.ask_apart(&session, world, "browserLens.attend()")),
                Err(error @ (CallError::Gone | CallError::Dialog)) => return Err(error),
                Err(_) => continue,
            }
            if let Some(object) = self.timers_of(&session, &frame, &document) {
                asked.push(self.ask_timers(&session, &object, "this.arm()"));
                continue;
            }
            let params = json!({ "expression": TIMERS, "uniqueContextId": document, "objectGroup": TIMERS_GROUP,
                "silent": true });
            if let Ok(reply) = self.call_within(&session, "Runtime.evaluate", &params, SAY_LIMIT).await
                && let Some(object) = reply.value()["result"]["objectId"].as_str()
            {
                let held = (document, object.to_owned());
                self.browser.change(|state| state.timers.insert((session, frame), held));
            }
        }
        for pending in asked {
            if let Err(error @ (CallError::Gone | CallError::Dialog)) = self.answer(pending, SAY_LIMIT).await {
                return Err(error);
            }
        }
        Ok(())
    }

    /// Waits a moment until tabs that were opened know their pages.
    pub(crate) async fn wait_for_new_tabs(&self, unrest: Unrest) {
        let is_known = |state: &State, tab: u32| !matches!(state.url_of(tab).as_str(), "" | "about:blank");
        let all_are = |state: &State| (unrest.tabs..state.tabs.len() as u32).all(|tab| is_known(state, tab));
        self.browser.wait_for(Instant::now() + NEW_TAB, |state| all_are(state).then_some(())).await;
    }

    /// Waits until what an action set off is done.
    pub(crate) async fn rest_after(&self, unrest: Unrest) -> Result<Settled, CallError> {
        let began = Instant::now();
        let rest = |quiet: bool, reason: &str| settled(quiet, began.elapsed().as_millis() as u32, reason);
        // While a timer is all that is waited for: how much had been told before.
        let mut before_timer: Option<f64> = None;
        loop {
            {
                let mut state = self.browser.read();
                if let Some(why) = state.ended() {
                    return Err(why);
                }
                if state.has_dialog(self.tab) {
                    return Ok(rest(true, DIALOG));
                }
                if !state.is_open(self.tab) {
                    return Ok(rest(true, "the tab was closed"));
                }
                forget_announced(&mut state);
            }
            let sight = match self.sight(&unrest).await {
                Err(CallError::Dialog) => continue,
                sight => sight?,
            };
            let on_its_way = { self.on_its_way(&self.browser.read(), &unrest, began) };
            let only_timer = on_its_way.is_none() && sight.timer > 0.0;
            match (before_timer, only_timer) {
                (None, true) => before_timer = Some(sight.telling),
                (Some(before), false) => {
                    if on_its_way.is_none() && sight.telling <= before {
                        self.tell_timers("this.inVain()");
                    }
                    before_timer = None;
                }
                _ => {}
            }
            match on_its_way.or_else(|| self.moves(sight, began)) {
                None if self.is_enough(sight, &unrest, began) => return Ok(rest(true, "what was set off is done")),
                Some(hold) if Instant::now() > hold.until => return Ok(rest(false, &hold.reason)),
                _ => {}
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    /// Ends what `note_unrest` began: the page is watched no more, and what it showed for a while
    /// is put into the log, as messages of the level `notice`.
    pub(crate) async fn end_watch(&self) -> Result<(), CallError> {
        if self.controlled() {
            return Ok(());
        }
        self.browser.change(|state| state.acting = None);
        if self.is_blocked() {
            return Ok(());
        }
        self.tell_timers("this.disarm()");
        let mut asked = Vec::new();
        for (session, frame, _) in self.watched_frames() {
            let Ok(world) = self.own_world(&session, &frame).await else { continue };
            asked.push(self.ask_apart(&session, world, "browserLens.over()"));
        }
        let mut texts = Vec::new();
        for pending in asked {
            let told = match self.answer(pending, SAY_LIMIT).await {
                Err(CallError::Gone) => return Err(CallError::Gone),
                told => told.and_then(|reply| evaluated(&reply)).unwrap_or_default(),
            };
            texts.extend(told.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned));
        }
        let tab = self.tab;
        self.browser.change(|state| {
            // Documents that are there tell for themselves; of those that went away this is all
            // there is.
            let mut of_tab = Vec::new();
            for (session, world, text) in std::mem::take(&mut state.shown) {
                let is_here = state.own_worlds.iter().any(|((of, _), (_, own))| *of == session && *own == world);
                if !is_here && state.tab_of(&session).is_none_or(|of| of == tab) {
                    of_tab.push(text);
                }
            }
            of_tab.dedup();
            let (now, level) = (state.now(), ConsoleMessage::NOTICE);
            for text in of_tab.into_iter().chain(texts) {
                let message = ConsoleMessage { level: level.to_owned(), text, ..ConsoleMessage::default() };
                state.log.push(tab, now, EventKind::Console(message));
            }
        });
        Ok(())
    }

    /// Returns whether nothing is asked of the network by the current tab, but for what it asks for
    /// again and again by itself.
    pub(crate) fn is_network_quiet(&self) -> Result<bool, CallError> {
        let mut state = self.browser.read();
        if state.gone {
            return Err(CallError::Gone);
        }
        forget_announced(&mut state);
        let tab = self.tab;
        let asks = state.in_flight.values().any(|flight| flight.tab == tab && !flight.habit && !flight.answered);
        let loads =
            state.frames.iter().any(|((session, _), frame)| frame.loading && state.tab_of(session) == Some(tab));
        let navigates = state.navigating.keys().any(|frame| tab_of_frame(&state, frame) == Some(tab));
        let stirred = state.tab(tab).and_then(|tab| tab.stirred).is_some_and(|at| at.elapsed() < self.quiet);
        Ok(!(asks || loads || navigates || stirred))
    }

    /// Returns session, frame and document of the current tab's frames.
    pub(crate) fn watched_frames(&self) -> Vec<(String, String, String)> {
        let state = self.browser.read();
        let worlds = state.worlds(self.tab).into_iter();
        worlds.filter(|(session, ..)| state.tab_of(session) == Some(self.tab)).take(MOST_FRAMES).collect()
    }

    /// Lets our own world tell what a page shows over itself: once for each session.
    fn bind(&self, session: &str) {
        if self.browser.change(|state| state.bound.insert(session.to_owned())) {
            let params = json!({ "name": SHOWN, "executionContextName": "browserlens" });
            drop(self.socket.send(Some(session), "Runtime.addBinding", &params));
        }
    }

    fn timers_of(&self, session: &str, frame: &str, document: &str) -> Option<String> {
        let state = self.browser.read();
        let known = state.timers.get(&(session.to_owned(), frame.to_owned()));
        known.filter(|(of, _)| of == document).map(|(_, object)| object.clone())
    }

    fn ask_timers(&self, session: &str, object: &str, call: &str) -> Pending {
        let function = format!("function () {{ return {call} }}");
        let params =
            json!({ "objectId": object, "functionDeclaration": function, "returnByValue": true, "silent": true });
        self.socket.send(Some(session), "Runtime.callFunctionOn", &params)
    }

    /// Tells what watches the timers, and awaits no answer.
    fn tell_timers(&self, call: &str) {
        for (session, frame, document) in self.watched_frames() {
            if let Some(object) = self.timers_of(&session, &frame, &document) {
                drop(self.ask_timers(&session, &object, call));
            }
        }
    }

    /// Asks every frame how it stands, after two frames of its picture.
    async fn sight(&self, unrest: &Unrest) -> Result<Sight, CallError> {
        let (since, answered) = {
            let state = self.browser.read();
            let since = state.input.unwrap_or(unrest.began).elapsed().as_millis();
            let stirred = state.tab(self.tab).and_then(|tab| tab.stirred).filter(|at| *at > unrest.began);
            (since, stirred.map_or(-1, |at| at.elapsed().as_millis() as i64))
        };
        let frames = self.watched_frames();
        let (still, restless) = (f64::INFINITY, f64::INFINITY);
        let mut sight = Sight { still, restless, torn: frames.is_empty(), ..Sight::default() };
        let mut asked = Vec::new();
        for (session, frame, document) in &frames {
            match self.own_world(session, frame).await {
                Ok(world) => asked.push((false, self.ask_apart(session, world, "browserLens.rest()"))),
                Err(error @ (CallError::Gone | CallError::Dialog | CallError::Crashed(_))) => return Err(error),
                Err(_) => {
                    sight.torn = true;
                    continue;
                }
            }
            if let Some(object) = self.timers_of(session, frame, document) {
                let call = format!("this.state({since}, {answered})");
                asked.push((true, self.ask_timers(session, &object, &call)));
            }
        }
        for (is_timer, pending) in asked {
            let said = match self.answer(pending, SAY_LIMIT).await.and_then(|reply| evaluated(&reply)) {
                Ok(said) => said,
                Err(error @ (CallError::Gone | CallError::Dialog | CallError::Crashed(_))) => return Err(error),
                Err(CallError::TimedOut(_)) => {
                    sight.stuck = true;
                    continue;
                }
                Err(_) => {
                    sight.torn = true;
                    continue;
                }
            };
            if is_timer {
                sight.timer = sight.timer.max(said.as_f64().unwrap_or(0.0));
                continue;
            }
            let number = |at: usize| said.get(at).and_then(Value::as_f64).unwrap_or(0.0);
            sight.still = sight.still.min(number(0));
            sight.restless = sight.restless.min(number(1));
            sight.changes += number(2);
            sight.telling += number(3);
            sight.moving = sight.moving.max(number(4));
        }
        Ok(sight)
    }

    /// Returns what the action asked for that has not come.
    fn on_its_way(&self, state: &State, unrest: &Unrest, began: Instant) -> Option<Hold> {
        let hold = |reason: String, until: Instant| Some(Hold { reason, until });
        let (moves, loads) = (began + MOVES_LIMIT.min(self.quiet_limit), began + self.quiet_limit);
        let root = state.tab(self.tab).map(|tab| tab.target.as_str()).unwrap_or_default();
        let is_watched = |tab: u32| tab == self.tab || self.is_opened(state, tab, unrest);
        let new = |flight: &&Flight| {
            !flight.by_page && !flight.answered && flight.since >= unrest.began && is_watched(flight.tab)
        };
        if let Some(flight) = state.in_flight.values().filter(new).max_by_key(|flight| (flight.document, flight.since))
        {
            let until = match flight.document && flight.frame == root {
                true => began + self.ceiling,
                // What is asked for again and again has no end.
                false if flight.turn > 2 => moves,
                false => loads,
            };
            return hold(format!("a request for {} has no end", flight.url), until);
        }
        if let Some(frame) = state.navigating.keys().find(|frame| tab_of_frame(state, frame).is_some_and(is_watched)) {
            let until = if frame == root { began + self.ceiling } else { moves };
            return hold("a frame kept loading".to_owned(), until);
        }
        let loading = state.frames.iter().filter(|((session, _), frame)| {
            frame.loading_since.is_some_and(|since| since >= unrest.began)
                && state.tab_of(session).is_some_and(is_watched)
        });
        if let Some((_, frame)) = loading.max_by_key(|((_, frame), _)| frame == root) {
            let since = frame.loading_since.unwrap_or(began).max(began);
            return hold("a frame kept loading".to_owned(), since + self.quiet_limit);
        }
        if state.sessions.values().any(|session| !session.ready && is_watched(session.tab))
            || state.downloads_open > unrest.downloads
        {
            return hold("a tab, a frame or a download kept starting".to_owned(), moves);
        }
        let tab = state.tab(self.tab)?;
        if !unrest.chats
            && let Some(said) = tab.said.filter(|said| *said >= unrest.began && said.elapsed() < ANSWER_LIMIT)
            && tab.heard.is_none_or(|heard| heard < said)
        {
            return hold("what was said over a web socket had no answer".to_owned(), moves);
        }
        let still = if tab.navigated.is_some_and(|at| at >= unrest.began) { self.quiet } else { NET_STILL };
        let stirred = tab.stirred.filter(|at| *at >= unrest.began && at.elapsed() < still.min(self.quiet));
        stirred.and_then(|_| hold("the network was not quiet".to_owned(), moves.max(self.end_of_loading(state, began))))
    }

    /// Whether a tab was opened by the current one since the action began.
    fn is_opened(&self, state: &State, tab: u32, unrest: &Unrest) -> bool {
        let current = state.tab(self.tab).map(|tab| tab.target.as_str()).unwrap_or_default();
        tab >= unrest.tabs
            && state.tab(tab).is_some_and(|tab| tab.open && (tab.opener.is_empty() || tab.opener == current))
    }

    /// Until when a page that was just opened may ask for more.
    fn end_of_loading(&self, state: &State, began: Instant) -> Instant {
        let navigated = state.tab(self.tab).and_then(|tab| tab.navigated).filter(|at| *at >= began);
        navigated.map_or(began, |at| at + self.quiet_limit)
    }

    /// Returns what goes on in the page.
    fn moves(&self, sight: Sight, began: Instant) -> Option<Hold> {
        let until = began + MOVES_LIMIT.min(self.quiet_limit);
        let hold = |reason: &str, until: Instant| Some(Hold { reason: reason.to_owned(), until });
        let still = STILL.min(self.quiet).as_secs_f64() * 1e3;
        if sight.stuck {
            return hold(SCRIPT_RUNS, began + self.quiet_limit);
        }
        if sight.torn {
            return hold("a frame was navigating", until);
        }
        if sight.timer > 0.0 {
            return hold("timers of the page had not run", until);
        }
        if sight.still < still || sight.moving > 0.0 {
            return hold("the layout kept changing", until);
        }
        let nothing_new = NOTHING_NEW.as_secs_f64() * 1e3;
        if sight.restless < still && sight.still < nothing_new { hold("the layout kept changing", until) } else { None }
    }

    /// Whether a page of which nothing can be seen to come has been watched for long enough.
    fn is_enough(&self, sight: Sight, unrest: &Unrest, began: Instant) -> bool {
        let navigated = {
            let state = self.browser.read();
            state.tab(self.tab).and_then(|tab| tab.navigated).is_some_and(|at| at >= unrest.began)
        };
        sight.changes > 0.0 && !navigated || began.elapsed() >= self.quiet
    }
}

fn tab_of_frame(state: &State, frame: &str) -> Option<u32> {
    let (session, _) = state.frames.keys().find(|(_, known)| known == frame)?;
    state.tab_of(session)
}
