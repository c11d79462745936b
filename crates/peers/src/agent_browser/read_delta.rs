//! Reading of agent-browser's `snapshot --delta`, full and interactive.
//!
//! In: the texts of a run in order: a full text, then `unchanged (revision 4)`, JSON with one
//! splice of lines (`startLine` counts from 0), or a full text again. Out: a [`Reading`] of the
//! lines held after each. Invariant: a delta that does not fit (another base, lines that are not
//! held, no full text before it) leaves nothing to read until the next full text: whoever cannot
//! apply it does not know the page.

use super::read;
use crate::read::{HeldText, Reading};
use serde::Deserialize;

/// The lines of one run.
#[derive(Debug, Default)]
pub struct DeltaText {
    lines: Option<Vec<String>>,
    /// Known from the second text on: a full text does not say it.
    revision: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Delta {
    base_revision: u64,
    revision: u64,
    tree_change: Option<Splice>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Splice {
    start_line: usize,
    delete_count: usize,
    lines: Vec<String>,
}

impl HeldText for DeltaText {
    fn read(&mut self, text: &str) -> Reading {
        let text = text.trim_end();
        if let Some(revision) = unchanged(text) {
            self.revision = Some(revision);
        } else if text.starts_with('{') {
            if !self.apply(text) {
                *self = Self::default();
            }
        } else {
            *self = Self { lines: Some(text.lines().map(str::to_owned).collect()), revision: None };
        }
        self.lines.as_ref().map_or_else(Reading::default, |lines| read::parse(&lines.join("\n")))
    }
}

impl DeltaText {
    fn apply(&mut self, text: &str) -> bool {
        let Ok(delta) = serde_json::from_str::<Delta>(text) else { return false };
        let Some(lines) = &mut self.lines else { return false };
        if self.revision.is_some_and(|revision| revision != delta.base_revision) {
            return false;
        }
        if let Some(Splice { start_line, delete_count, lines: new }) = delta.tree_change {
            let Some(end) = start_line.checked_add(delete_count).filter(|end| *end <= lines.len()) else {
                return false;
            };
            lines.splice(start_line..end, new);
        }
        self.revision = Some(delta.revision);
        true
    }
}

fn unchanged(text: &str) -> Option<u64> {
    text.strip_prefix("unchanged (revision ")?.strip_suffix(')')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const FULL: &str = "- main\n  - StaticText \"Uptime 0 s\"\n  - button \"Account\" [expanded=false, ref=e11]\n  - \
        link \"Help\" [ref=e12]";

    fn delta(base: u64, start: usize, delete: usize, lines: &[&str]) -> String {
        serde_json::json!({
            "baseRevision": base, "changes": [], "kind": "delta", "revision": base + 1,
            "treeChange": { "deleteCount": delete, "lines": lines, "startLine": start },
        })
        .to_string()
    }

    fn names(reading: &Reading) -> Vec<&str> {
        reading
            .nodes
            .iter()
            .map(|node| if node.name.is_empty() { &node.text } else { &node.name })
            .map(String::as_str)
            .collect()
    }

    #[test]
    fn a_splice_counts_lines_from_zero() {
        let mut text = DeltaText::default();
        text.read(FULL);
        assert_eq!(names(&text.read("unchanged (revision 1)\n")).len(), 4);
        let lines = [
            "  - StaticText \"Uptime 3 s\"",
            "  - button \"Account\" [expanded=true, ref=e11]",
            "  - menuitem \"Profile\" [ref=e47]",
        ];
        let reading = text.read(&delta(1, 1, 2, &lines));
        assert_eq!(names(&reading), ["", "Uptime 3 s", "Account", "Profile", "Help"]);
        let reading = text.read(&delta(2, 1, 3, &[]));
        assert_eq!(names(&reading), ["", "Help"]);
    }

    #[test]
    fn a_delta_that_does_not_fit_leaves_nothing_until_the_next_full_text() {
        for misfit in
            [delta(7, 0, 1, &[]), delta(1, 3, 2, &[]), delta(1, usize::MAX, 2, &[]), "{\"kind\":\"delta\"}".to_owned()]
        {
            let mut text = DeltaText::default();
            text.read(FULL);
            text.read("unchanged (revision 1)");
            assert!(text.read(&misfit).nodes.is_empty(), "{misfit}");
            assert!(text.read("unchanged (revision 2)").nodes.is_empty());
            assert_eq!(text.read(FULL).nodes.len(), 4);
        }
        assert!(DeltaText::default().read(&delta(1, 0, 0, &["- main"])).nodes.is_empty());
    }

    proptest! {
        #[test]
        fn any_texts_are_read(
            texts in prop::collection::vec(
                concat!(
                    r#"(\PC{0,40}|- main\n- link "a"|unchanged \(revision [0-9]{1,22}\)|"#,
                    r#"\{"baseRevision":[0-3],"revision":[0-3],"treeChange":"#,
                    r#"\{"startLine":[0-4],"deleteCount":[0-4],"lines":\["- link"\]\}\})"#,
                ),
                0..6,
            ),
        ) {
            let mut reader = DeltaText::default();
            for text in &texts {
                reader.read(text);
            }
        }
    }
}
