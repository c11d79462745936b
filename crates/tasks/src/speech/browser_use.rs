//! browser-use's own loop: every question shows the page, with an index for what can be acted on.

use super::{Places, Speech, call, literal, point_of};
use crate::agent::Wanted;
use crate::reading::{Seen, of_indexes};
use browserlens_trace::scenario::{Action, Target};
use serde_json::json;

/// Answers to its questions.
pub(super) struct Answers;

impl Speech for Answers {
    fn open(&self, url: &str) -> Wanted {
        call("navigate", json!({ "url": url, "new_tab": false }))
    }

    fn tells_always(&self) -> bool {
        true
    }

    fn look(&self) -> Wanted {
        call("wait", json!({ "seconds": 1 }))
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_indexes(answer)
    }

    fn wait_for(&self, _target: &Target, ms: u32) -> Wanted {
        call("wait", json!({ "seconds": ms.div_ceil(1000) }))
    }

    fn act(&self, action: &Action, found: Option<&Seen>, _to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        let index = found.and_then(|seen| seen.reference.as_ref()?.parse::<u32>().ok());
        Some(match action {
            Action::Goto { url } => self.open(&at.url(url)),
            Action::Click { on } if point_of(on).is_none() => call("click", json!({ "index": index? })),
            Action::Check { .. } => call("click", json!({ "index": index? })),
            Action::Fill { text, .. } => {
                call("input", json!({ "index": index?, "text": literal(text), "clear": true }))
            }
            Action::Type { text, on: Some(_) } => {
                call("input", json!({ "index": index?, "text": literal(text), "clear": false }))
            }
            Action::Type { text, on: None } => call("send_keys", json!({ "keys": literal(text) })),
            Action::Press { key, .. } => call("send_keys", json!({ "keys": key })),
            Action::Select { option, .. } => {
                call("select_dropdown", json!({ "index": index?, "text": literal(option) }))
            }
            Action::Upload { files, .. } => {
                call("upload_file", json!({ "index": index?, "path": at.files(files).first()? }))
            }
            Action::Scroll { by: (_, y), .. } => {
                call("scroll", json!({ "down": *y >= 0.0, "pages": 1.0, "index": null }))
            }
            Action::Back => call("go_back", json!({ "description": null })),
            _ => return None,
        })
    }
}
