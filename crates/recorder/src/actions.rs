//! Carries out the actions of a scenario on the current tab.
//!
//! In: a [`Deed`] and the node that was resolved for it. Out: done, or why it cannot be.
//! Invariants: node, box and cover are checked before the first event, so what cannot be begun has
//! done nothing; what ends half-way (a list without the option, keys that a dialog stops) says how
//! far it came.

use crate::aim::{Aim, Handle, Scene, Undone, impossible};
use crate::browser_state::{State, Tab};
use crate::driver::Driver;
use crate::input::parse_chord;
use crate::socket::CallError;
use browserlens_core::page::NodeKey;
use chromiumoxide::cdp::browser_protocol::input::MouseButton;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// An action with everything resolved: texts read, files found; keys `held` as CDP counts them, those
/// pressed one after the other, each so many times.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Deed {
    Goto { url: String },
    Click { times: i64, right: bool, held: i64 },
    Hover,
    Fill { text: String },
    Type { text: String },
    Press { keys: Vec<(String, u32)> },
    Select { labels: Vec<String> },
    Check { on: bool },
    Upload { files: Vec<PathBuf> },
    Drag { to: DragEnd },
    Scroll { x: f32, y: f32 },
    History { by: i64 },
    SwitchTab { index: u32 },
    CloseTab,
    Dialog { accept: bool, text: Option<String> },
}

/// How an error begins that is about a slider.
const SLIDER: &str = "it is a slider";
/// Most keys that set one.
const MOST_KEYS: u32 = 200;

/// Where a drag ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DragEnd {
    /// On a node, at a point of it if one is said.
    On {
        /// The node.
        node: NodeKey,
        /// From the upper left corner of its box.
        point: Option<(f32, f32)>,
    },
    /// Before or after a node that lies in a row or a column with others.
    Beside {
        /// The node.
        node: NodeKey,
        /// After it, not before.
        after: bool,
    },
    /// So many CSS px further.
    By(f32, f32),
}

impl Driver {
    /// Carries out an action; the caller lets the page settle afterwards.
    pub(crate) async fn act(
        &mut self,
        deed: &Deed,
        scene: &Scene<'_>,
        on: Option<NodeKey>,
        point: Option<(f32, f32)>,
    ) -> Result<(), Undone> {
        let handle = match on {
            Some(key) => Some(self.handle(key, scene).await?),
            None => None,
        };
        let done = self.perform(deed, scene, handle.as_ref(), point).await;
        let sessions = self.browser.read().sessions_of(self.tab);
        for (session, _) in sessions {
            let group = json!({ "objectGroup": "browserlens" });
            drop(self.socket.send(Some(&session), "Runtime.releaseObjectGroup", &group));
        }
        match done {
            // The action itself was done; what it opened is the next step's business.
            Err(Undone::Call(CallError::Dialog)) => Ok(()),
            other => other,
        }
    }

    async fn perform(
        &mut self,
        deed: &Deed,
        scene: &Scene<'_>,
        handle: Option<&Handle>,
        point: Option<(f32, f32)>,
    ) -> Result<(), Undone> {
        let needed = || handle.ok_or_else(|| Undone::Impossible("it needs a node".to_owned()));
        match deed {
            Deed::Goto { url } => self.goto(url).await,
            Deed::Click { times, right, held } => {
                let at = self.reach(needed()?, point, Aim::Act).await?;
                let button = if *right { MouseButton::Right } else { MouseButton::Left };
                self.hit = handle.map(|handle| (handle.session.clone(), handle.world));
                self.held = *held;
                if !self.controlled() {
                    self.catch_file_chooser(true).await?;
                }
                let clicked = self.click_at(at, button, *times).await;
                self.held = 0;
                Ok(clicked?)
            }
            Deed::Hover => {
                let at = self.reach(needed()?, point, Aim::Touch).await?;
                Ok(self.move_to(at).await?)
            }
            Deed::Fill { text } => self.fill(needed()?, text).await,
            Deed::Type { text } => {
                // Where somebody put the caret it stays.
                let fresh = match handle {
                    Some(handle) if !self.is(handle, "hasFocus").await? => Some(handle),
                    _ => None,
                };
                self.focus(handle).await?;
                if let Some(handle) = fresh {
                    self.ask(handle, "toEnd", &[]).await?;
                }
                let (typed, all) = (self.type_text(text).await?, text.chars().count());
                if typed == all {
                    return Ok(());
                }
                impossible(self.stopped(&format!("{typed} of {all} characters were typed")))
            }
            Deed::Press { keys } => {
                for (key, _) in keys {
                    parse_chord(key)?;
                }
                self.focus(handle).await?;
                for (key, times) in keys {
                    for done in 0..*times {
                        if self.is_blocked() {
                            return impossible(self.stopped(&format!("{key} was pressed {done} of {times} times")));
                        }
                        self.press(key).await?;
                    }
                }
                Ok(())
            }
            Deed::Select { labels } => self.select(needed()?, labels).await,
            Deed::Check { on } => self.check(needed()?, *on).await,
            Deed::Upload { files } => self.upload(needed()?, files).await,
            Deed::Drag { to } => self.drag(needed()?, point, *to, scene).await,
            Deed::Scroll { x, y } => self.scroll(handle, *x, *y).await,
            Deed::History { by } => self.history(*by).await,
            Deed::SwitchTab { index } => self.switch_tab(*index).await,
            Deed::CloseTab => self.close_tab().await,
            Deed::Dialog { accept, text } => self.answer_dialog(*accept, text.as_deref()).await,
        }
    }

    async fn drag(
        &mut self,
        handle: &Handle,
        point: Option<(f32, f32)>,
        to: DragEnd,
        scene: &Scene<'_>,
    ) -> Result<(), Undone> {
        let from = self.reach(handle, point, Aim::Act).await?;
        let mut beside = None;
        let end = match to {
            DragEnd::By(x, y) => (from.0 + f64::from(x), from.1 + f64::from(y)),
            DragEnd::On { node, point } => {
                let target = self.handle(node, scene).await?;
                self.reach(&target, point, Aim::Place).await?
            }
            DragEnd::Beside { node, after } => {
                let target = self.handle(node, scene).await?;
                self.reach(&target, None, Aim::Place).await?;
                self.ask(handle, "hold", &[]).await?;
                let start = self.locate(handle, point, Aim::Act).await?.unwrap_or(from);
                let middle = self.locate(&target, None, Aim::Place).await?.map_err(Undone::Impossible)?;
                let apart = json!([start.0 - middle.0, start.1 - middle.1]);
                let (end, elsewhere) = self.beside(&target, &apart, after).await?;
                beside = elsewhere.then_some((target, apart, after));
                end
            }
        };
        // Bringing the end into view may have moved the start out of it.
        let Ok(start) = self.locate(handle, point, Aim::Act).await? else {
            return impossible("its two ends do not fit into the viewport together");
        };
        let mut end = match to {
            DragEnd::By(..) => (start.0 + end.0 - from.0, start.1 + end.1 - from.1),
            DragEnd::On { .. } | DragEnd::Beside { .. } => end,
        };
        self.take_up(start).await?;
        self.carry(start, end).await?;
        if let Some((target, apart, after)) = beside {
            // Another list made room meanwhile: the end is elsewhere now.
            for _ in 0..3 {
                let Ok((now, _)) = self.beside(&target, &apart, after).await else { break };
                if (now.0 - end.0).hypot(now.1 - end.1) < 3.0 {
                    break;
                }
                self.carry(end, now).await?;
                end = now;
            }
        }
        Ok(self.put_down(end).await?)
    }

    /// Returns where a drag before or after an element ends, and whether that is in another list
    /// than what is dragged.
    async fn beside(&self, target: &Handle, apart: &Value, after: bool) -> Result<((f64, f64), bool), Undone> {
        let beside = self.ask(target, "beside", &[apart.clone(), json!(after)]).await?;
        let part = |name: &str| beside[name].as_f64().unwrap_or(0.0) as f32;
        let end = self.locate(target, Some((part("x"), part("y"))), Aim::Place).await?.map_err(Undone::Impossible)?;
        Ok((end, beside["elsewhere"].as_bool().unwrap_or(false)))
    }

    async fn goto(&mut self, url: &str) -> Result<(), Undone> {
        if self.chrome.is_attached() {
            return self.goto_raw(url).await;
        }
        let page = self.chrome.page(&self.target()).await.map_err(|message| CallError::Refused { message })?;
        let tab = self.tab;
        let is_blocked = |state: &State| (state.has_dialog(tab) || state.gone).then_some(());
        let error = tokio::select! {
            biased;
            answer = page.goto(url) => match answer {
                Ok(_) => return Ok(()),
                Err(error) => error.to_string(),
            },
            // Loading goes on while the page settles; that tells what kept it.
            _ = self.browser.wait_for(Instant::now() + self.ceiling, is_blocked) => return Ok(()),
        };
        match error {
            // A navigation that became a download, or was answered with no content, ends like this.
            error if error.contains("ERR_ABORTED") => Ok(()),
            _ if self.socket.is_closed() => Err(Undone::Call(CallError::Gone)),
            error if error.contains("net::") => impossible(format!("{url} cannot be opened: {error}")),
            _ => Ok(()),
        }
    }

    /// Navigates over our own session; loading goes on while the page settles.
    async fn goto_raw(&self, url: &str) -> Result<(), Undone> {
        let session = self.session();
        match self.call_within(&session, "Page.navigate", &json!({ "url": url }), self.ceiling).await {
            Ok(reply) => match reply.value()["errorText"].as_str() {
                // A navigation that became a download, or was answered with no content, ends like
                // this.
                None | Some("" | "net::ERR_ABORTED") => Ok(()),
                Some(error) => impossible(format!("{url} cannot be opened: {error}")),
            },
            Err(CallError::Dialog | CallError::TimedOut(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    async fn fill(&mut self, handle: &Handle, text: &str) -> Result<(), Undone> {
        self.show_frames(&handle.session).await?;
        self.scroll_into_view(handle).await;
        match self.ask(handle, "ready", &[Value::from(text)]).await?.as_str() {
            Some("done") => Ok(()),
            Some("type") if text.is_empty() => Ok(self.press("Delete").await?),
            Some("type") => {
                self.insert_text(text).await?;
                Ok(self.key_up(text).await?)
            }
            Some(reason) => match text.trim().parse::<f64>() {
                Ok(wanted) if reason.starts_with(SLIDER) => self.slide(handle, wanted, reason).await,
                _ => impossible(reason),
            },
            None => impossible("it takes no text"),
        }
    }

    /// Sets a slider that the page draws: presses its track where the value is, then goes on by
    /// keys.
    async fn slide(&mut self, handle: &Handle, wanted: f64, reason: &str) -> Result<(), Undone> {
        let read = |stands: &Value, name: &str| stands[name].as_f64().unwrap_or(f64::NAN);
        let arguments = [json!(wanted)];
        let stands = self.ask(handle, "slide", &arguments).await?;
        // Also where it does not say them.
        if !(read(&stands, "min")..=read(&stands, "max")).contains(&wanted) {
            return impossible(reason);
        }
        let mut now = read(&stands, "now");
        if now != wanted
            && let (Some(x), Some(y)) = (stands["at"][0].as_f64(), stands["at"][1].as_f64())
        {
            let at = self.reach(handle, Some((x as f32, y as f32)), Aim::Act).await?;
            self.click_at(at, MouseButton::Left, 1).await?;
            self.ask(handle, "painted", &[]).await?;
            now = read(&self.ask(handle, "slide", &arguments).await?, "now");
        }
        let mut best = (wanted - now).abs();
        for _ in 0..MOST_KEYS {
            if now == wanted || self.is_blocked() {
                return Ok(());
            }
            self.press(if wanted > now { "ArrowRight" } else { "ArrowLeft" }).await?;
            self.ask(handle, "painted", &[]).await?;
            now = read(&self.ask(handle, "slide", &arguments).await?, "now");
            let left = (wanted - now).abs();
            if left >= best || left.is_nan() {
                break;
            }
            best = left;
        }
        if now == wanted {
            Ok(())
        } else {
            impossible(format!("{SLIDER} and stays at {now}: {wanted} is none of its values"))
        }
    }

    async fn focus(&self, handle: Option<&Handle>) -> Result<(), Undone> {
        let Some(handle) = handle else { return Ok(()) };
        self.show_frames(&handle.session).await?;
        Ok(self.call(&handle.session, "DOM.focus", &json!({ "backendNodeId": handle.backend })).await.map(drop)?)
    }

    /// Says how far an action came that what blocks the page ended.
    fn stopped(&self, done: &str) -> String {
        let has_dialog = self.browser.read().has_dialog(self.tab);
        format!("{done}, then {}", if has_dialog { "a dialog opened" } else { "the tab was closed" })
    }

    async fn check(&mut self, handle: &Handle, on: bool) -> Result<(), Undone> {
        match self.ask(handle, "checked", &[]).await?.as_bool() {
            None => impossible("it is no checkbox, radio or switch"),
            Some(now) if now == on => Ok(()),
            Some(_) if !on && self.is(handle, "isRadio").await? => {
                impossible("a radio is unchecked only by checking another of its group")
            }
            Some(_) => self.click(handle).await,
        }
    }

    /// Returns why a check was in vain, once the page has come to rest; a node that was put in
    /// another's place is not asked.
    pub(crate) async fn check_failed(&self, key: NodeKey, on: bool, scene: &Scene<'_>) -> Option<String> {
        let handle = self.handle(key, scene).await.ok()?;
        let now = self.ask(&handle, "checked", &[]).await.ok()?.as_bool();
        let wanted = if on { "checked" } else { "unchecked" };
        (now == Some(!on)).then(|| format!("it was clicked and did not become {wanted}"))
    }

    /// Returns what a click hit, if it was something else than was meant.
    pub(crate) async fn hit_instead(&self) -> Option<String> {
        let (session, world) = self.hit.clone()?;
        let hit = self.evaluate_apart(&session, world, "browserLensAct.hitInstead()").await.ok()?;
        hit.as_str().map(str::to_owned)
    }

    /// Returns where in a node its text says some words.
    pub(crate) async fn place_of_words(&self, node: NodeKey, scene: &Scene<'_>, words: &str) -> Option<Value> {
        let handle = self.handle(node, scene).await.ok()?;
        self.ask(&handle, "placeOf", &[json!(words)]).await.ok()
    }

    /// Returns what is selected of a text that can be edited, in the frame that has the focus:
    /// `selected` and the text; or `caret` and its line, with a bar where the caret is.
    pub(crate) async fn selected_text(&self) -> Option<(String, String)> {
        for (session, frame, _) in self.watched_frames() {
            let world = self.own_world(&session, &frame).await.ok()?;
            let selected = self.evaluate_apart(&session, world, "globalThis.browserLensAct?.selected()").await.ok()?;
            if let Ok(selected) = serde_json::from_value(selected) {
                return Some(selected);
            }
        }
        None
    }

    async fn scroll(&self, handle: Option<&Handle>, x: f32, y: f32) -> Result<(), Undone> {
        match handle {
            Some(handle) => {
                if self.ask(handle, "scrollBy", &[json!(x), json!(y)]).await?.as_bool() == Some(false) {
                    return impossible("nothing around it scrolls that way");
                }
                self.ask(handle, "painted", &[]).await?;
            }
            None => {
                let session = self.session();
                let world = self.own_world(&session, &self.target()).await?;
                let expression = format!("browserLensAct.scrollPage({x}, {y})");
                self.evaluate_apart(&session, world, &expression).await?;
            }
        }
        Ok(())
    }

    async fn history(&self, by: i64) -> Result<(), Undone> {
        let session = self.session();
        let history = self.call(&session, "Page.getNavigationHistory", &json!({})).await?.value();
        let index = history["currentIndex"].as_i64().unwrap_or(0) + by;
        // Entry 0 is the blank page that a tab of our own began with.
        let began_blank = history["entries"][0]["url"].as_str() == Some("about:blank");
        let may_go = index > 0 || !began_blank || self.url() == "about:blank";
        let entry = usize::try_from(index).ok().filter(|_| may_go).and_then(|index| history["entries"].get(index));
        let Some(entry) = entry else {
            return impossible(format!("there is no page to go {} to", if by < 0 { "back" } else { "forward" }));
        };
        let stirs = self.browser.read().stirs;
        let params = json!({ "entryId": entry["id"] });
        match self.call_within(&session, "Page.navigateToHistoryEntry", &params, self.ceiling).await {
            Err(CallError::Dialog) => return Ok(()),
            answer => drop(answer?),
        }
        // The navigation begins after the answer.
        let has_begun = |state: &State| (state.stirs != stirs).then_some(());
        self.browser.wait_for(Instant::now() + Duration::from_secs(2), has_begun).await;
        Ok(())
    }

    async fn switch_tab(&mut self, index: u32) -> Result<(), Undone> {
        let tab = self.browser.read().tab(index).cloned();
        let Some(tab) = tab.filter(|tab| tab.open) else {
            let open: Vec<String> = self.browser.read().open_tabs().map(|(tab, _)| tab.to_string()).collect();
            return impossible(format!("tab {index} is not open; open are {}", open.join(", ")));
        };
        self.tab = index;
        self.call(&tab.session, "Page.bringToFront", &json!({})).await?;
        self.browser.change(|state| state.log_tab(index, "switched", state.url_of(index)));
        Ok(())
    }

    async fn close_tab(&mut self) -> Result<(), Undone> {
        let (tab, target) = (self.tab, self.target());
        if self.browser.read().open_tabs().count() < 2 {
            return impossible("it is the last tab");
        }
        if self.kept.contains(&target) {
            return impossible("it was open before we came, and what we did not open we do not close");
        }
        self.socket.call(None, "Target.closeTarget", &json!({ "targetId": target }), self.ceiling).await?;
        self.browser.wait_for(Instant::now() + self.ceiling, |state| (!state.tab(tab)?.open).then_some(())).await;
        Ok(self.leave_closed_tab().await?)
    }

    /// Goes to the tab opened last if the current one is closed.
    pub(crate) async fn leave_closed_tab(&mut self) -> Result<(), CallError> {
        let next = {
            let state = self.browser.read();
            if state.is_open(self.tab) {
                return Ok(());
            }
            state.open_tabs().next_back().map(|(index, tab)| (index, tab.session.clone()))
        };
        let Some((index, session)) = next else {
            return Err(CallError::Refused { message: "the page closed its last tab".to_owned() });
        };
        self.tab = index;
        self.call(&session, "Page.bringToFront", &json!({})).await.map(drop)
    }

    pub(crate) async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<(), Undone> {
        let known = |tab: &Tab| tab.dialog.clone().map(|session| (session, tab.closed_dialogs));
        let open = self.browser.read().tab(self.tab).and_then(known);
        let Some((session, before)) = open else { return impossible("no dialog is open") };
        let mut params = json!({ "accept": accept });
        if let Some(text) = text {
            params["promptText"] = Value::from(text);
        }
        self.socket.call(Some(&session), "Page.handleJavaScriptDialog", &params, self.ceiling).await?;
        let is_closed = |state: &State| {
            let is_same = |tab: &Tab| tab.dialog.is_some() && tab.closed_dialogs == before;
            (!state.tab(self.tab).is_some_and(is_same)).then_some(())
        };
        let closed = self.browser.wait_for(Instant::now() + self.ceiling, is_closed).await;
        closed.ok_or(Undone::Call(CallError::TimedOut(self.ceiling)))
    }
}
