//! What is made of what was heard: actions that are not written yet.
//!
//! In: [`Heard`], in order. Out: open actions. Invariants: what a page does by itself is no action;
//! what an action brings about is not another one.

use super::Following;
use super::group::{self, Act, Taken};
use super::listen::Heard;
use super::signal::{ListenerMessage, Spot, Told};
use crate::watch::Signal;
use browserlens_core::strategy::ActionKind;
use std::time::{Duration, Instant};

/// Actions that may make a page navigate.
const LEADING: [ActionKind; 5] =
    [ActionKind::Click, ActionKind::DoubleClick, ActionKind::Press, ActionKind::Check, ActionKind::Select];

impl Following<'_> {
    /// Returns the tab whose main frame a frame is.
    fn tab_of_main(&self, session: &str, frame: &str) -> Option<u32> {
        self.stage.driver.browser.read().tab_of_main(session, frame)
    }

    pub(super) fn hear(&mut self, (now, heard): (Instant, Heard)) {
        self.now = now;
        match heard {
            Heard::Said { session, context, said } => {
                let tab = self.stage.driver.browser.read().tab_of(&session);
                if let Some(tab) = tab {
                    self.take(&session, context, tab, &said);
                }
            }
            Heard::Early(early) => {
                self.hurried = Some(early.at);
                self.earlies.push(early);
            }
            Heard::Way { session, frame, forward } => self.went(&session, &frame, forward),
            Heard::Signal(signal) => self.told(signal),
        }
        if let Some(act) = self.open.last_mut() {
            act.began = act.began.min(now);
        }
    }

    fn told(&mut self, signal: Signal) {
        match signal {
            // Those were asked about, and come as something else.
            Signal::Said { .. } | Signal::Stack { .. } | Signal::Within { .. } | Signal::Mark => {}
            Signal::Navigating { session, frame, by_page, kind, url } => {
                self.navigating(&session, frame, by_page, &kind, &url);
            }
            Signal::Committed { session, frame, .. } => {
                if let Some(tab) = self.tab_of_main(&session, &frame) {
                    self.asked_by_page.remove(&frame);
                    if let Some(act) = self.open.last_mut().filter(|act| act.tab == tab) {
                        act.navigated = true;
                    }
                }
            }
            Signal::TabOpened { tab, opener } => {
                if !opener.is_empty() {
                    let frame = self.stage.driver.browser.read().tab(tab).map(|tab| tab.target.clone());
                    // Its first navigation is its opener's doing.
                    self.asked_by_page.extend(frame.map(|frame| (frame, self.now)));
                }
            }
            Signal::TabClosed { tab } => self.tab_closed(tab),
            Signal::DialogOpened { tab } => {
                if tab == self.stage.driver.tab {
                    self.dialog_since = Some(Instant::now());
                }
            }
            Signal::DialogClosed { tab, accepted, typed } => {
                // One that was answered at once, by a rule of whoever drives the browser, was never
                // shown to anybody.
                let shown = tab == self.stage.driver.tab && !self.begun && self.open.is_empty();
                if self.dialog_since.take().is_some() && shown {
                    let answer = if accepted { "accept" } else { "dismiss" };
                    let text = if typed.is_empty() { answer } else { &typed };
                    self.act(Act::new(ActionKind::Dialog, tab, None, text));
                }
            }
        }
    }

    fn act(&mut self, act: Act) {
        self.has_moved();
        self.open.push(act);
    }

    fn has_moved(&mut self) {
        self.moved = Instant::now();
        self.patience = Duration::from_secs(2);
    }

    fn take(&mut self, session: &str, context: i64, tab: u32, said: &ListenerMessage) {
        let spot = |told: Option<&Told>| {
            told.map(|told| Spot {
                session: session.to_owned(),
                context,
                tag: told.tag.clone(),
                key: told.number.and_then(|number| self.numbers.key(session, context, number)),
                held: told.held,
                near: told.near.and_then(|number| self.numbers.key(session, context, number)),
                described: told.described.clone(),
            })
        };
        let (at, to) = (spot(said.place.as_ref()), spot(said.to.as_ref()));
        if said.kind == "aim" {
            self.aimed = at.map(|at| Act::new(ActionKind::Click, tab, Some(at), ""));
            return;
        }
        // A capture since may have numbered what was held when it was told of: what is told of it
        // now goes by its number.
        for spot in self.open.iter_mut().flat_map(|act| act.spot.iter_mut().chain(&mut act.also)) {
            if let (None, Some(held)) = (spot.key, spot.held) {
                spot.key = self.numbers.held(&spot.session, spot.context, held);
            }
        }
        // Its step stands between two others.
        if said.kind == "held"
            && self.begun
            && let Some(act) = self.open.first_mut().filter(|act| act.caused(said))
        {
            act.taken_back = true;
            return;
        }
        let taken = group::take(&mut self.open, said, tab, at, to);
        if taken != Taken::Passed {
            self.has_moved();
        }
        if taken == Taken::Merged && self.begun && self.open.len() == 1 {
            self.pending.shot = None;
        }
    }

    fn navigating(&mut self, session: &str, frame: String, by_page: bool, kind: &str, url: &str) {
        let Some(tab) = self.tab_of_main(session, &frame) else { return };
        if by_page {
            self.asked_by_page.insert(frame, self.now);
            return;
        }
        // A way that the page asked for.
        if self.asked_by_page.remove(&frame).is_some_and(|asked| self.now - asked < Duration::from_secs(10)) {
            return;
        }
        let within = kind.starts_with("sameDocument");
        if !(within && self.comes_of_the_last(tab)) && (url != "about:blank" || kind.starts_with("reload")) {
            self.act(Act::new(ActionKind::Goto, tab, None, url));
        }
    }

    /// A tab went through its history. What its page had asked for before is another navigation,
    /// which had not come about yet.
    fn went(&mut self, session: &str, frame: &str, forward: bool) {
        let Some(tab) = self.tab_of_main(session, frame) else { return };
        // A page's own `history.back()` comes with what was clicked.
        if !self.comes_of_the_last(tab) {
            let kind = if forward { ActionKind::Forward } else { ActionKind::Back };
            self.act(Act::new(kind, tab, None, ""));
        }
    }

    /// Whether the last action may have made a tab navigate just now.
    fn comes_of_the_last(&self, tab: u32) -> bool {
        self.open.last().is_some_and(|act| {
            act.tab == tab
                && !act.navigated
                && LEADING.contains(&act.kind)
                && self.now.saturating_duration_since(act.began) < Duration::from_millis(300)
        })
    }

    fn tab_closed(&mut self, tab: u32) {
        self.asides.remove(&tab);
        let driver = &mut self.stage.driver;
        if driver.tab != tab {
            return;
        }
        self.dialog_since = None;
        let next = driver.browser.read().open_tabs().next_back().map(|(tab, _)| tab);
        let Some(next) = next else { return };
        driver.tab = next;
        // A tab that a click closes goes with the click.
        if self.begun {
            self.pending.shot = None;
        } else if self.open.is_empty() {
            self.act(Act::new(ActionKind::CloseTab, next, None, ""));
        }
    }
}
