//! chrome-devtools-mcp: `take_snapshot` and uids such as `1_5`, on the page it begins with.

use super::{Places, Speech, call, literal, point_of, text_of, with};
use crate::agent::Wanted;
use crate::reading::{Seen, of_uids};
use browserlens_core::page::text::folded;
use browserlens_trace::scenario::{Action, Target};
use serde_json::{Value, json};

/// Number of the page that is there when it starts.
const PAGE: u32 = 1;

/// Over MCP.
pub(super) struct Functions;

fn on_page(name: &str, mut arguments: Value) -> Wanted {
    arguments["pageId"] = json!(PAGE);
    call(name, arguments)
}

impl Speech for Functions {
    fn open(&self, url: &str) -> Wanted {
        on_page("navigate_page", json!({ "type": "url", "url": url }))
    }

    fn look(&self) -> Wanted {
        on_page("take_snapshot", json!({}))
    }

    fn read(&self, answer: &str) -> Vec<Seen> {
        of_uids(answer)
    }

    fn wait_for(&self, target: &Target, ms: u32) -> Wanted {
        // What nothing says is waited for until the time is over.
        let text = folded(text_of(target));
        on_page("wait_for", json!({ "text": [text], "timeout": ms }))
    }

    fn act(&self, action: &Action, found: Option<&Seen>, to: Option<&Seen>, at: &Places<'_>) -> Option<Wanted> {
        let uid = found.and_then(|seen| seen.reference.as_deref());
        let go = |way: &str| on_page("navigate_page", json!({ "type": way }));
        Some(match action {
            Action::Goto { url } => self.open(&at.url(url)),
            Action::Click { on } if point_of(on).is_none() => on_page("click", json!({ "uid": uid? })),
            Action::DoubleClick { on } if point_of(on).is_none() => {
                on_page("click", json!({ "uid": uid?, "dblClick": true }))
            }
            Action::Hover { .. } => on_page("hover", json!({ "uid": uid? })),
            Action::Fill { text, .. } => on_page("fill", json!({ "uid": uid?, "value": literal(text) })),
            Action::Type { text, on: None } => on_page("type_text", json!({ "text": literal(text) })),
            Action::Press { key, .. } => on_page("press_key", json!({ "key": key })),
            Action::Select { option, .. } => on_page("fill", json!({ "uid": uid?, "value": literal(option) })),
            Action::Check { checked, .. } => on_page("fill", json!({ "uid": uid?, "value": checked.to_string() })),
            Action::Upload { files, .. } => {
                on_page("upload_file", json!({ "uid": uid?, "filePaths": at.files(files) }))
            }
            Action::Drag { on, to: place } if point_of(on).is_none() && point_of(place).is_none() => {
                on_page("drag", json!({ "from_uid": uid?, "to_uid": to?.reference.as_deref()? }))
            }
            Action::Back => go("back"),
            Action::Forward => go("forward"),
            Action::Dialog { accept, text } => {
                let action = if *accept { "accept" } else { "dismiss" };
                on_page("handle_dialog", with(json!({ "action": action }), "promptText", text.as_deref()))
            }
            _ => return None,
        })
    }
}
