//! Stagehand's own loop: an action is said in words, and asks back which element is meant.

use super::{Places, Speech, call, literal, point_of};
use crate::agent::Wanted;
use crate::reading::{Seen, of_tree};
use crate::tool::REPLY;
use browserlens_trace::scenario::{Action, Target};
use serde_json::json;

/// What stands in its question which element is meant.
const WHICH: &str = "Find the most relevant element";

/// Answers to its questions.
pub(super) struct Answers;

impl Speech for Answers {
    fn open(&self, url: &str) -> Wanted {
        call("goto", json!({ "url": url }))
    }

    fn look(&self) -> Wanted {
        call("ariaTree", json!({}))
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_tree(answer)
    }

    fn wait_for(&self, _target: &Target, ms: u32) -> Wanted {
        call("wait", json!({ "timeMs": ms }))
    }

    fn act(&self, action: &Action, found: Option<&Seen>, _to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        let act = |words: String| call("act", json!({ "action": words }));
        let on = || found.map(|seen| format!("the {} {:?}", seen.role, seen.name));
        Some(match action {
            Action::Goto { url } => self.open(&at.url(url)),
            Action::Click { on: target } if point_of(target).is_none() => act(format!("click {}", on()?)),
            Action::DoubleClick { on: target } if point_of(target).is_none() => act(format!("double-click {}", on()?)),
            Action::Check { .. } => act(format!("click {}", on()?)),
            Action::Hover { .. } => act(format!("hover over {}", on()?)),
            Action::Fill { text, .. } | Action::Type { text, on: Some(_) } => {
                act(format!("type {:?} into {}", literal(text), on()?))
            }
            Action::Select { option, .. } => {
                act(format!("choose {:?} in the dropdown {:?}", literal(option), found?.name))
            }
            Action::Press { key, .. } => call("keys", json!({ "method": "press", "value": key })),
            Action::Type { text, on: None } => call("keys", json!({ "method": "type", "value": literal(text) })),
            Action::Back => call("navback", json!({ "reasoningText": "the page before" })),
            _ => return None,
        })
    }

    fn asked_back(&self, answer: &str, action: &Action, found: Option<&Seen>) -> Option<Wanted> {
        let seen = found.filter(|_| answer.contains(WHICH))?;
        let (method, arguments) = match action {
            Action::Fill { text, .. } => ("fill", vec![literal(text)]),
            Action::Type { text, .. } => ("type", vec![literal(text)]),
            Action::Select { option, .. } => ("selectOptionFromDropdown", vec![literal(option)]),
            Action::Hover { .. } => ("hover", Vec::new()),
            Action::DoubleClick { .. } => ("doubleClick", Vec::new()),
            _ => ("click", Vec::new()),
        };
        let element = json!({
            "elementId": seen.reference, "description": seen.name, "method": method, "arguments": arguments,
        });
        Some(call(REPLY, json!({ "action": element, "twoStep": false })))
    }
}
