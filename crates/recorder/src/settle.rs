//! Lets a page come to rest: on its own injected clock (bundled sites) or by wall time (sites of
//! the user's own; after an action see `rest`).
//!
//! In: how much page time to give. Out: [`Settled`]: whether it came to rest, and what kept it from
//! it. Invariants: the injected clock moves only here; before it moves and after each slice
//! everything that the page has asked for has arrived (real time, with a ceiling), so what the page
//! sees at a page time does not depend on the machine's speed.

use crate::browser_state::State;
use crate::driver::Driver;
use crate::socket::CallError;
use browserlens_trace::Settled;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Page time given after each action, in milliseconds.
pub(crate) const SETTLE_MS: u32 = 500;
/// Page time of the second look.
pub(crate) const SECOND_LOOK_MS: u32 = 10_000;
const SETTLE_SLICE_MS: u32 = 50;
const SECOND_LOOK_SLICE_MS: u32 = 250;
/// Page time given after an answer that the site's server held back.
const AFTER_ANSWER_MS: u32 = 200;
/// Longest page time that a page is given for held answers, beyond its budget.
const MOST_PAGE_MS: u32 = 10_000;
/// How long a frame may announce a navigation without asking the network for anything.
const ANNOUNCED: Duration = Duration::from_secs(3);

/// Why a page is not quiet that gives no answer; a script without end and a slow machine look the
/// same from outside.
pub(crate) const SCRIPT_RUNS: &str = "a script of the page still runs";

/// How long headers that the browser announced are waited for.
const LATE_HEADERS: Duration = Duration::from_millis(1_000);

/// Why a page is at rest that answers nothing.
pub(crate) const DIALOG: &str = "a dialog is open";

/// Whether a tab is quiet.
pub(crate) enum Stirring {
    Quiet,
    Dialog,
    Busy(String),
}

/// Says how a page came to rest.
pub(crate) fn settled(quiet: bool, waited_ms: u32, reason: impl Into<String>) -> Settled {
    Settled { quiet, waited_ms, reason: reason.into() }
}

impl Driver {
    /// Gives the page the time that it has after every action.
    pub(crate) async fn settle(&self) -> Result<Settled, CallError> {
        if self.controlled() { self.advance(SETTLE_MS, SETTLE_SLICE_MS).await } else { self.settle_by_wall().await }
    }

    /// Leaves the page alone for the second look.
    pub(crate) async fn leave_alone(&self) -> Result<Settled, CallError> {
        self.advance(SECOND_LOOK_MS, SECOND_LOOK_SLICE_MS).await
    }

    /// Advances the injected clock by `budget`, in slices.
    pub(crate) async fn advance(&self, budget: u32, slice: u32) -> Result<Settled, CallError> {
        let deadline = Instant::now() + self.ceiling;
        let (mut spent, mut until) = (0, budget);
        loop {
            // What the page did before its time goes on is dated by the time before.
            self.catch_up(deadline).await;
            match self.network_quiet(deadline).await? {
                Stirring::Quiet => {}
                Stirring::Dialog => return Ok(settled(true, spent, DIALOG)),
                Stirring::Busy(reason) => return Ok(settled(false, spent, reason)),
            }
            let due_in = self.held_for();
            if let Some(due) = due_in {
                // What an answer brings is given time too, also one that comes after the budget.
                until = until.max(spent + due + AFTER_ANSWER_MS).min(budget.max(MOST_PAGE_MS));
            }
            if spent >= until {
                return Ok(match due_in {
                    None => settled(true, spent, format!("{spent} ms of page time have passed")),
                    Some(_) => settled(false, spent, "an answer is held back for too long"),
                });
            }
            let left = until - spent;
            let by = match due_in {
                Some(due) => slice.min(left).min(due.max(1)),
                None if self.idle_for(left).await? => left,
                None => slice.min(left),
            };
            self.catch_up(deadline).await;
            // What came since the look at the network belongs to the time before: the browser asks for
            // a page's icon when it likes.
            let held = self.held_answers();
            let came = self.browser.change(|state| busy(state, state.stirs, 0.0, held));
            if came.is_some() && Instant::now() < deadline {
                continue;
            }
            match self.slice(f64::from(by), deadline).await {
                Ok(()) => spent += by,
                Err(CallError::Dialog) => return Ok(settled(true, spent, DIALOG)),
                Err(CallError::TimedOut(_)) => return Ok(settled(false, spent, SCRIPT_RUNS)),
                Err(error) => return Err(error),
            }
        }
    }

    /// Returns in how much page time the next answer that the site's server holds back is due.
    fn held_for(&self) -> Option<u32> {
        let due = self.site_clock.as_ref()?.held().1?;
        Some((due as f64 - self.browser.read().page_ms).ceil().max(0.0) as u32)
    }

    fn held_answers(&self) -> usize {
        self.site_clock.as_ref().map_or(0, |clock| clock.held().0)
    }

    /// Returns whether no timer is due and nothing moves in any frame for the next `ms`.
    async fn idle_for(&self, ms: u32) -> Result<bool, CallError> {
        let (worlds, end) = {
            let state = self.browser.read();
            (state.worlds(self.tab), state.page_ms + f64::from(ms))
        };
        for (session, _, context) in worlds {
            let ahead = self.ask_clock(&session, &context, "ahead()", Duration::from_secs(5)).await;
            match ahead {
                Ok(Value::Array(ahead)) => {
                    let number = |index: usize| ahead.get(index).and_then(Value::as_f64).unwrap_or(0.0);
                    let due = number(0);
                    if (0.0..=end).contains(&due) || number(1) > 0.0 || number(2) > 0.0 {
                        return Ok(false);
                    }
                }
                Ok(_) => {}
                Err(CallError::Gone) => return Err(CallError::Gone),
                Err(_) => return Ok(false),
            }
        }
        Ok(true)
    }

    /// Asks the injected clock of a frame, if it has one.
    async fn ask_clock(&self, session: &str, context: &str, call: &str, limit: Duration) -> Result<Value, CallError> {
        self.evaluate(session, context, &format!("globalThis[Symbol.for('browserlens.clock')]?.{call}"), limit).await
    }

    /// Advances every frame of every tab by one slice.
    async fn slice(&self, by: f64, deadline: Instant) -> Result<(), CallError> {
        let to = self.browser.read().page_ms + by;
        if let Some(clock) = &self.site_clock {
            clock.begin_slice(to as u64);
        }
        self.begin_documents_at(to).await?;
        let worlds = self.browser.change(|state| {
            state.page_ms = to;
            state.worlds(self.tab)
        });
        let main = self.session();
        for (index, (session, _, context)) in worlds.into_iter().enumerate() {
            // Observers of size and sight are called with the next painted frame; hidden tabs paint
            // none.
            let paint = index == 0 && session == main;
            let call = format!("advance({to}, {paint})");
            let limit = deadline.saturating_duration_since(Instant::now()).max(Duration::from_secs(2));
            match self.ask_clock(&session, &context, &call, limit).await {
                // The document navigated away in the middle of it.
                Ok(_) | Err(CallError::Refused { .. } | CallError::Unreadable(_)) => {}
                Err(error) => return Err(error),
            }
        }
        if let Some(clock) = &self.site_clock {
            clock.end_slice(to as u64);
        }
        Ok(())
    }

    /// Sets the page time at which documents that are made from now on begin.
    async fn begin_documents_at(&self, ms: f64) -> Result<(), CallError> {
        let sessions: Vec<(String, Option<String>)> = self.browser.change(|state| {
            state.base_ms = ms;
            let ready = state.sessions.iter().filter(|(_, session)| session.ready);
            ready.map(|(id, session)| (id.clone(), session.clock_script.clone())).collect()
        });
        let Some(source) = self.setup.clock_script(ms) else { return Ok(()) };
        let mut calls = Vec::new();
        for (session, old) in sessions {
            let send = |method: &str, params: Value| self.socket.send(Some(&session), method, &params);
            let added = send("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }));
            if let Some(old) = old {
                drop(send("Page.removeScriptToEvaluateOnNewDocument", json!({ "identifier": old })));
            }
            // A new document's timeline runs again, whatever the one before did.
            drop(send("Animation.setPlaybackRate", json!({ "playbackRate": 0 })));
            calls.push((session, added));
        }
        for (session, added) in calls {
            match added.answer(Duration::from_secs(10)).await {
                Ok(reply) => self.browser.keep_clock_script(&session, &reply),
                Err(CallError::Gone) => return Err(CallError::Gone),
                Err(_) => {}
            }
        }
        Ok(())
    }

    /// Waits, in real time, until everything that pages asked for has arrived and they have reacted
    /// to it.
    async fn network_quiet(&self, deadline: Instant) -> Result<Stirring, CallError> {
        let mut calm = 0;
        while calm < 2 {
            let (stirs, worlds) = {
                let state = self.browser.read();
                if let Some(why) = state.ended() {
                    return Err(why);
                }
                if state.has_dialog(self.tab) {
                    return Ok(Stirring::Dialog);
                }
                (state.stirs, state.worlds(self.tab))
            };
            let mut reacting = 0.0;
            for (session, _, context) in worlds {
                let limit = deadline.saturating_duration_since(Instant::now()).max(Duration::from_secs(1));
                match self.ask_clock(&session, &context, "turn()", limit).await {
                    Ok(pending) => reacting += pending.as_f64().unwrap_or(0.0),
                    Err(CallError::Gone) => return Err(CallError::Gone),
                    Err(CallError::Dialog) => return Ok(Stirring::Dialog),
                    Err(CallError::TimedOut(_)) => return Ok(Stirring::Busy(SCRIPT_RUNS.to_owned())),
                    Err(_) => reacting += 1.0,
                }
            }
            let busy = self.browser.change(|state| {
                forget_announced(state);
                busy(state, stirs, reacting, self.held_answers())
            });
            let Some(reason) = busy else {
                calm += 1;
                continue;
            };
            calm = 0;
            if Instant::now() > deadline {
                return Ok(Stirring::Busy(reason));
            }
            let soon = Instant::now() + Duration::from_millis(20);
            let stirred = |state: &State| (state.stirs != stirs || state.has_dialog(self.tab)).then_some(());
            self.browser.wait_for(soon.min(deadline), stirred).await;
        }
        Ok(Stirring::Quiet)
    }

    /// Sites of the user's own: waits until network and layout are quiet; notes what came and went
    /// meanwhile.
    async fn settle_by_wall(&self) -> Result<Settled, CallError> {
        let rest = match self.unrest {
            Some(unrest) => self.rest_after(unrest).await?,
            None => self.wait_until_quiet().await?,
        };
        if let Some(unrest) = self.unrest {
            self.wait_for_new_tabs(unrest).await;
        }
        self.end_watch().await?;
        Ok(rest)
    }

    async fn wait_until_quiet(&self) -> Result<Settled, CallError> {
        let began = Instant::now();
        let waited = || began.elapsed().as_millis() as u32;
        loop {
            match self.stirring().await? {
                Stirring::Dialog => return Ok(settled(true, waited(), DIALOG)),
                // What an action brings may take a moment to begin.
                Stirring::Quiet if began.elapsed() < self.quiet => {}
                Stirring::Quiet => {
                    let reason = format!("network and layout were quiet for {} ms", self.quiet.as_millis());
                    return Ok(settled(true, waited(), reason));
                }
                Stirring::Busy(reason) if began.elapsed() > self.quiet_limit => {
                    return Ok(settled(false, waited(), reason));
                }
                Stirring::Busy(_) => {}
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Returns what keeps the current tab from being quiet at this moment.
    pub(crate) async fn stirring(&self) -> Result<Stirring, CallError> {
        let worlds = {
            let mut state = self.browser.read();
            if state.gone {
                return Err(CallError::Gone);
            }
            if state.has_dialog(self.tab) {
                return Ok(Stirring::Dialog);
            }
            forget_announced(&mut state);
            if let Some(reason) = busy(&state, state.stirs, 0.0, 0) {
                return Ok(Stirring::Busy(reason));
            }
            if state.last_stir.is_some_and(|at| at.elapsed() < self.quiet) {
                return Ok(Stirring::Busy("the network was not quiet".to_owned()));
            }
            state.worlds(self.tab)
        };
        let moves = self.layout_moves(worlds, self.quiet).await?;
        Ok(moves.map_or(Stirring::Quiet, Stirring::Busy))
    }

    pub(crate) async fn layout_moves(
        &self,
        worlds: Vec<(String, String, String)>,
        for_long: Duration,
    ) -> Result<Option<String>, CallError> {
        let is_of_tab = |session: &str| self.browser.read().tab_of(session) == Some(self.tab);
        for (session, frame, _) in worlds.into_iter().filter(|(session, ..)| is_of_tab(session)) {
            let quiet = match self.own_world(&session, &frame).await {
                Ok(context) => self.evaluate_apart(&session, context, "browserLens.quiet()").await,
                Err(error) => Err(error),
            };
            match quiet {
                Ok(ms) if ms.as_f64().unwrap_or(0.0) >= for_long.as_secs_f64() * 1e3 => {}
                Ok(_) => return Ok(Some("the layout kept changing".to_owned())),
                Err(CallError::Gone) => return Err(CallError::Gone),
                Err(_) => return Ok(Some("a frame was navigating".to_owned())),
            }
        }
        Ok(None)
    }
}

pub(crate) fn forget_announced(state: &mut State) {
    let State { in_flight, navigating, .. } = state;
    let is_asked_for = |frame: &String| in_flight.values().any(|flight| flight.frame == *frame);
    navigating.retain(|frame, since| since.elapsed() < ANNOUNCED || is_asked_for(frame));
}

/// Returns what keeps pages busy; `held` answers are on their way only in page time.
fn busy(state: &State, stirs: u64, reacting: f64, held: usize) -> Option<String> {
    let unanswered = || state.in_flight.values().filter(|flight| !flight.answered);
    let flying = unanswered().count();
    if flying > held {
        let url = unanswered().map(|flight| flight.url.as_str()).min().unwrap_or("");
        return Some(format!("a request for {url} has no end"));
    }
    let waits_for_answer = flying > 0;
    if !waits_for_answer && (!state.navigating.is_empty() || state.frames.values().any(|frame| frame.loading)) {
        return Some("a frame kept loading".to_owned());
    }
    if state.starting > 0 || state.bodies_pending > 0 || state.downloads_open > 0 {
        return Some("a tab, a frame or a download kept starting".to_owned());
    }
    // They come from another process than the rest; should they never come, nothing else waits for
    // them.
    if state.log.awaits_headers() && state.last_stir.is_some_and(|at| at.elapsed() < LATE_HEADERS) {
        return Some("headers of requests kept coming".to_owned());
    }
    if reacting > held as f64 {
        return Some("answers of requests kept being handled".to_owned());
    }
    (state.stirs != stirs).then(|| "requests or navigations followed each other without end".to_owned())
}
