//! Choosing from lists of options: the browser's own, and those that a page makes.
//!
//! In: an element and the words of options. Out: chosen, or which options there are. Invariants:
//! nothing is chosen unless every word means exactly one option of the browser's own list; in a
//! list of the page the options are chosen one after the other, and the first that is not there
//! ends it and says what was chosen. However it ends, the list is closed, and what was typed to
//! filter it is taken back where nothing was chosen.

use crate::aim::{Aim, Handle, Undone, impossible};
use crate::driver::Driver;
use crate::socket::CallError;
use chromiumoxide::cdp::browser_protocol::input::MouseButton;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long the options of a list are waited for after it was opened, and after something was typed
/// to filter them.
const OPTIONS_LIMIT: Duration = Duration::from_millis(2_000);
/// How long options are looked for before something is typed.
const OPENED: Duration = Duration::from_millis(600);
/// Where an error begins to say what was chosen before it.
const CHOSEN: &str = "; chosen were ";
/// Where it begins to say which levels of a path were opened before it.
const UNFOLDED: &str = "; opened were ";
/// How an error begins that says what was chosen in another's place.
const MOVED: &str = "the list moved";
/// What stands between the levels of a path.
const PATH: [char; 4] = ['/', '>', '›', '→'];
/// How often a list that draws only a part of its options is shown further.
const MOST_PARTS: u32 = 120;
/// How often an option is looked for again that was drawn anew.
const REDRAWN: u32 = 2;
/// Keys that are pressed at once where such a list does not scroll.
const KEYS: u32 = 8;
/// How long a list may take to close.
const CLOSING: Duration = Duration::from_millis(150);

impl Driver {
    pub(crate) async fn select(&mut self, handle: &Handle, labels: &[String]) -> Result<(), Undone> {
        // In a text field that opens no list, what is chosen is a part of its text.
        if let [words] = labels {
            self.show_frames(&handle.session).await?;
            match self.ask(handle, "selectWords", &[json!(words)]).await?.as_bool() {
                Some(true) => return Ok(()),
                Some(false) => return impossible(format!("its text does not say {words:?}")),
                None => {}
            }
        }
        self.choose(handle, labels, false).await
    }

    /// Chooses options; on a path each but the last only opens the next level.
    async fn choose(&mut self, handle: &Handle, labels: &[String], is_path: bool) -> Result<(), Undone> {
        let chosen = self.ask(handle, "choose", &[json!(labels)]).await?;
        if let Some(reason) = chosen["reason"].as_str() {
            return impossible(reason);
        }
        if chosen["other"].as_bool() != Some(true) {
            return Ok(());
        }
        for (at, label) in labels.iter().enumerate() {
            let only_opens = is_path && at + 1 < labels.len();
            let several = !is_path && labels.len() > 1;
            if let Err(undone) = self.choose_in_page(handle, label, only_opens, several).await {
                if !matches!(undone, Undone::Call(_)) {
                    self.unfilter(handle).await?;
                    self.close_list(handle, true).await?;
                }
                // Lists within lists show what is chosen as a path.
                let path: Vec<String> = label.split(PATH).map(|part| part.trim().to_owned()).collect();
                if labels.len() == 1 && path.len() > 1 {
                    match Box::pin(self.choose(handle, &path, true)).await {
                        Err(Undone::Impossible(reason)) if !reason.contains(UNFOLDED) => {}
                        done => return done,
                    }
                }
                // So are several written that stand in one text.
                let parts: Vec<String> = label.split(',').map(|part| part.trim().to_owned()).collect();
                if labels.len() == 1 && parts.len() > 1 && self.is(handle, "isMultiple").await? {
                    return Box::pin(self.choose(handle, &parts, false)).await;
                }
                return Err(match undone {
                    Undone::Impossible(reason) if at > 0 => {
                        let done = if is_path { UNFOLDED } else { CHOSEN };
                        Undone::Impossible(format!("{reason}{done}{:?}", &labels[..at]))
                    }
                    other => other,
                });
            }
        }
        // A list for several values stays open.
        self.close_list(handle, labels.len() > 1).await
    }

    /// Opens a list of the page, finds an option, by typing where that filters, and clicks it.
    /// One that is chosen already, of several that may be, stays so.
    async fn choose_in_page(
        &mut self,
        handle: &Handle,
        label: &str,
        only_opens: bool,
        several: bool,
    ) -> Result<(), Undone> {
        let expanded = self.ask(handle, "opening", &[Value::from(label)]).await?;
        let mut found = self.ask(handle, "option", &[Value::from(label)]).await?;
        if !is_there(&found) || expanded.as_str() == Some("false") {
            if expanded.as_str() != Some("true") {
                self.click(handle).await?;
            }
            found = self.wait_for_option(handle, label, OPENED).await?;
            if !is_there(&found) && self.is(handle, "filters").await? {
                self.insert_text(label).await?;
                found = self.wait_for_option(handle, label, OPTIONS_LIMIT).await?;
            }
            if !is_there(&found) && found["more"].as_bool() == Some(true) {
                found = self.look_further(handle, label, found).await?;
            }
        }
        // Of several that may be chosen, a press takes one back that is.
        let of_several = several || found["several"].as_bool() == Some(true);
        if is_there(&found) && !only_opens && of_several && found["on"].as_bool() == Some(true) {
            return Ok(());
        }
        if found["off"].as_bool() == Some(true) {
            return impossible(format!("its option {label:?} is disabled"));
        }
        match found["count"].as_u64() {
            Some(1) => {}
            _ if found["any"].as_bool() != Some(true) => {
                let clicked = if expanded.as_str() == Some("true") { "" } else { "; it was clicked" };
                return impossible(format!("it opened no list of options{clicked}"));
            }
            count => {
                let count =
                    count.filter(|count| *count > 0).map_or_else(|| "none".to_owned(), |count| count.to_string());
                let listed = found["listed"].as_str().unwrap_or("");
                return impossible(format!("{count} of its options say {label:?}; it has {listed}"));
            }
        }
        if only_opens {
            if self.ask(handle, "isUnfolded", &[Value::from(label)]).await?.as_bool() == Some(true) {
                return Ok(());
            }
            if let Some(toggle) = self.element_of(handle, "unfolds", label).await? {
                return self.click(&toggle).await;
            }
        }
        if !only_opens && self.ask(handle, "opensMore", &[Value::from(label)]).await?.as_bool() == Some(true) {
            return impossible(format!("its option {label:?} only opens more: name what is in it as {label:?} / …"));
        }
        for _ in 0..REDRAWN {
            match self.click_option(handle, label).await {
                // A list that draws only a part draws anew when it is scrolled.
                Err(Undone::Impossible(reason)) if !reason.starts_with(MOVED) => {
                    drop(self.wait_for_option(handle, label, OPENED).await?)
                }
                done => return done,
            }
        }
        self.click_option(handle, label).await
    }

    async fn click_option(&mut self, handle: &Handle, label: &str) -> Result<(), Undone> {
        let option = self.element_of(handle, "optionElement", label).await?;
        let Some(option) = option else { return impossible(format!("its option {label:?} went away")) };
        self.click(&option).await?;
        match self.ask(&option, "hitInstead", &[]).await {
            Ok(Value::String(other)) => impossible(format!("{MOVED}: {other} was pressed in place of {label:?}")),
            Err(Undone::Call(error @ CallError::Gone)) => Err(Undone::Call(error)),
            // Where the choice leads to another page, nobody can be asked.
            _ => Ok(()),
        }
    }

    /// Returns the element that the act script names for an option.
    async fn element_of(&self, handle: &Handle, name: &str, label: &str) -> Result<Option<Handle>, Undone> {
        let function = format!("function () {{ return browserLensAct.{name}(this, {}) }}", json!(label));
        let Some(object) = self.call_on_object(&handle.session, &handle.object, &function).await? else {
            return Ok(None);
        };
        let backend = self.backend_of(&handle.session, &json!(object)).await?.unwrap_or(0);
        Ok(Some(Handle { object, backend, ..handle.clone() }))
    }

    async fn wait_for_option(&mut self, handle: &Handle, label: &str, limit: Duration) -> Result<Value, Undone> {
        let began = Instant::now();
        loop {
            let found = self.ask(handle, "option", &[Value::from(label)]).await?;
            // What is not drawn does not come by waiting.
            let part = found["more"].as_bool() == Some(true) && began.elapsed() > OPENED / 2;
            if is_there(&found) || part || began.elapsed() > limit {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }

    /// Goes through a list that draws only a part of its options, from its begin.
    async fn look_further(&mut self, handle: &Handle, label: &str, first: Value) -> Result<Value, Undone> {
        let mut found = first;
        for part in 0..MOST_PARTS {
            match self.ask(handle, "further", &[Value::from(part == 0)]).await?.as_bool() {
                Some(true) => {}
                Some(false) => break,
                None => {
                    for _ in 0..KEYS {
                        self.press("ArrowDown").await?;
                    }
                }
            }
            found = self.ask(handle, "option", &[Value::from(label)]).await?;
            if is_there(&found) {
                break;
            }
        }
        Ok(found)
    }

    /// Types again what was in the field before it was typed into to filter.
    async fn unfilter(&mut self, handle: &Handle) -> Result<(), Undone> {
        match self.ask(handle, "unfiltered", &[]).await?.as_str() {
            Some("") => Ok(self.press("Delete").await?),
            Some(text) => Ok(self.insert_text(text).await?),
            None => Ok(()),
        }
    }

    /// Closes the list if it is open, as its element says or (`by_looks`) as can be seen where that
    /// says nothing: as it was opened where a dialog holds it, since the key would close that too.
    async fn close_list(&mut self, handle: &Handle, by_looks: bool) -> Result<(), Undone> {
        if !self.is_list_open(handle, by_looks).await? {
            return Ok(());
        }
        if self.is(handle, "isInDialog").await? {
            if let Ok(at) = self.reach(handle, None, Aim::Act).await {
                self.click_at(at, MouseButton::Left, 1).await?;
            }
            if !self.is_list_open(handle, by_looks).await? {
                return Ok(());
            }
            self.ask(handle, "keep", &[]).await?;
        }
        self.ask(handle, "refocus", &[]).await?;
        self.press("Escape").await?;
        if self.is_list_open(handle, by_looks).await? {
            self.ask(handle, "leave", &[]).await?;
        }
        Ok(())
    }

    /// Returns whether the list is open still, after it was given some time to close.
    async fn is_list_open(&self, handle: &Handle, by_looks: bool) -> Result<bool, Undone> {
        let deadline = Instant::now() + CLOSING;
        loop {
            match self.ask(handle, "isOpen", &[Value::from(by_looks)]).await {
                Ok(Value::Bool(true)) => {}
                Err(Undone::Call(error @ CallError::Gone)) => return Err(Undone::Call(error)),
                // What went away with the choice is closed.
                _ => return Ok(false),
            }
            if Instant::now() >= deadline {
                return Ok(true);
            }
            tokio::time::sleep(Duration::from_millis(30)).await;
        }
    }
}

fn is_there(found: &Value) -> bool {
    found["count"].as_u64() == Some(1)
}
