//! Choosing from lists of options: the browser's own, and those that a page makes.
//!
//! In: an element and the words of options. Out: chosen, or which options there are. Invariants: nothing is chosen unless every word means
//! exactly one option of the browser's own list; in a list of the page the options are chosen one after the other, and the first that is not there ends it and says what was chosen.

use crate::aim::{Aim, Handle, Undone, impossible};
use crate::driver::Driver;
use chromiumoxide::cdp::browser_protocol::input::MouseButton;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long the options of a list are waited for after it was opened, and after something was typed to filter them.
const OPTIONS_LIMIT: Duration = Duration::from_millis(2_000);
/// How long options are looked for before something is typed.
const OPENED: Duration = Duration::from_millis(600);

impl Driver {
    pub(crate) async fn select(&mut self, handle: &Handle, labels: &[String]) -> Result<(), Undone> {
        let chosen = self.ask(handle, "choose", &[json!(labels)]).await?;
        if let Some(reason) = chosen["reason"].as_str() {
            return impossible(reason);
        }
        if chosen["other"].as_bool() != Some(true) {
            return Ok(());
        }
        for (at, label) in labels.iter().enumerate() {
            if let Err(undone) = self.choose_in_page(handle, label).await {
                return Err(match undone {
                    Undone::Impossible(reason) if at > 0 => {
                        Undone::Impossible(format!("{reason}; chosen were {:?}", &labels[..at]))
                    }
                    other => other,
                });
            }
        }
        // A list for several values stays open.
        if self.ask(handle, "isOpen", &[]).await.is_ok_and(|open| open.as_bool() == Some(true)) {
            self.press("Escape").await?;
        }
        Ok(())
    }

    /// Opens a list of the page, finds an option, by typing where that filters, and clicks it.
    async fn choose_in_page(&mut self, handle: &Handle, label: &str) -> Result<(), Undone> {
        let expanded = self.ask(handle, "opening", &[]).await?;
        let mut found = self.ask(handle, "option", &[Value::from(label)]).await?;
        let is_there = |found: &Value| found["count"].as_u64() == Some(1);
        if !is_there(&found) || expanded.as_str() == Some("false") {
            if expanded.as_str() != Some("true") {
                let at = self.reach(handle, None, Aim::Act).await?;
                self.click_at(at, MouseButton::Left, 1).await?;
            }
            found = self.wait_for_option(handle, label, OPENED).await?;
            if !is_there(&found) && self.ask(handle, "filters", &[]).await?.as_bool() == Some(true) {
                self.insert_text(label).await?;
                found = self.wait_for_option(handle, label, OPTIONS_LIMIT).await?;
            }
        }
        if found["off"].as_bool() == Some(true) {
            return impossible(format!("its option {label:?} is disabled"));
        }
        match found["count"].as_u64() {
            Some(1) => {}
            _ if found["any"].as_bool() != Some(true) => {
                return impossible("it opened no list of options");
            }
            count => {
                let (count, listed) = (count.unwrap_or(0), found["listed"].as_str().unwrap_or(""));
                return impossible(format!("{count} of its options are {label:?}; it has {listed}"));
            }
        }
        let function = format!("function () {{ return browserLensAct.optionElement(this, {}) }}", json!(label));
        let object = self.call_on_object(&handle.session, &handle.object, &function).await?;
        let Some(object) = object else { return impossible(format!("its option {label:?} went away")) };
        let node = self.call(&handle.session, "DOM.describeNode", &json!({ "objectId": object })).await?.value();
        let backend = node["node"]["backendNodeId"].as_i64().unwrap_or(0);
        let option = Handle { object, backend, ..handle.clone() };
        let at = self.reach(&option, None, Aim::Act).await?;
        Ok(self.click_at(at, MouseButton::Left, 1).await?)
    }

    async fn wait_for_option(&mut self, handle: &Handle, label: &str, limit: Duration) -> Result<Value, Undone> {
        let deadline = Instant::now() + limit;
        loop {
            let found = self.ask(handle, "option", &[Value::from(label)]).await?;
            if found["count"].as_u64() == Some(1) || Instant::now() > deadline {
                return Ok(found);
            }
            tokio::time::sleep(Duration::from_millis(40)).await;
        }
    }
}
