//! Parser of agent-browser's snapshots, full and interactive.
//!
//! In: lines `- role "name" [state, state=value, ref=e5] clickable [reasons]: value`, two blanks a
//! level; names are JSON strings, values stand bare and may hold line breaks. Out: nodes in order;
//! a handle is written as the tool's commands take it, `@e5`. Invariant: any text parses. A value
//! that forges a line of the grammar is read as that line: nothing in the text tells them apart.

use crate::read::outline::Outline;
use crate::read::text::escaped;
use crate::read::{ReadNode, Reading, tags};

/// States that the tool does not print.
const SILENT: [&str; 5] = ["focused", "invalid", "pressed", "readonly", "busy"];

/// Parses a snapshot.
pub fn parse(text: &str) -> Reading {
    let mut outline = Outline::new(2, &SILENT);
    for line in text.lines() {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        match body.strip_prefix("- ").and_then(item) {
            Some(node) => outline.add(indent, node),
            None => match outline.last_mut() {
                // A line that is none goes on with the value above it.
                Some(node) if !node.value.is_empty() => {
                    node.value.push('\n');
                    node.value.push_str(line);
                }
                _ => outline.loose(line),
            },
        }
    }
    outline.finish(true)
}

/// Parses what follows `- `; none if no role stands there.
fn item(item: &str) -> Option<ReadNode> {
    let end = item.find([' ', ':']).unwrap_or(item.len());
    let (role, mut rest) = item.split_at(end);
    if role.is_empty() || !role.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    let mut node = ReadNode::default();
    if let Some(quoted) = rest.strip_prefix(" \"") {
        (node.name, rest) = escaped(quoted, '"');
    }
    if let Some((attributes, after)) = bracketed(rest) {
        attributes.split(", ").for_each(|attribute| take_attribute(&mut node, attribute));
        rest = after;
    }
    for reason in [" clickable", " focusable", " editable"] {
        if let Some((_, after)) = rest.strip_prefix(reason).and_then(bracketed) {
            rest = after;
        }
    }
    match rest.strip_prefix(':') {
        Some(value) => node.value = value.strip_prefix(' ').unwrap_or(value).to_owned(),
        None => node.text = rest.trim().to_owned(),
    }
    if matches!(role, "StaticText" | "InlineTextBox" | "ListMarker" | "LineBreak") {
        node.text = std::mem::take(&mut node.name);
        "text".clone_into(&mut node.role);
    } else {
        role.clone_into(&mut node.role);
    }
    Some(node)
}

fn bracketed(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix(" [")?.split_once(']')
}

fn take_attribute(node: &mut ReadNode, attribute: &str) {
    match attribute.split_once('=') {
        Some(("ref", handle)) => node.handle = Some(format!("@{handle}")),
        Some(("url", _)) => {}
        Some((name, value)) => node.states.push(tags::state(name, value)),
        None => node.states.push(attribute.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::by_handle;

    const CONSOLE: &str = r#"- main
  - region "Settings" [ref=e2]
    - switch "Notifications" [checked=false, ref=e13]
    - checkbox "All regions" [checked=mixed, ref=e14]
    - button "Deploy" [disabled, ref=e15]
    - combobox "Region" [expanded=false, ref=e24]: United States
      - option "Europe" [ref=e37]
    - textbox "Notes" [ref=e29]: line one
line two
    - button "Cancel \"Order 1\"" [ref=e28]
      - StaticText "Cancel"
  - generic [ref=e5] clickable [cursor:pointer, onclick]
    - StaticText "Open dialog"
  - generic "plain editable" [ref=e4] editable [contenteditable]: plain: text
  - StaticText "Showing "
  - emphasis
    - StaticText "142"
[truncated: showing 300 of 5413 chars. Use --max-output to adjust]"#;

    #[test]
    fn nodes_are_read_with_states_values_and_handles() {
        let reading = parse(CONSOLE);
        assert_eq!(by_handle(&reading, "@e13").states, ["checked=false"]);
        assert_eq!(by_handle(&reading, "@e14").states, ["checked=mixed"]);
        assert_eq!(by_handle(&reading, "@e15").states, ["disabled"]);
        assert_eq!(by_handle(&reading, "@e24").value, "United States");
        assert_eq!(by_handle(&reading, "@e29").value, "line one\nline two");
        assert_eq!(by_handle(&reading, "@e28").name, "Cancel \"Order 1\"");
        assert_eq!(by_handle(&reading, "@e5").name, "Open dialog");
        assert_eq!(by_handle(&reading, "@e4").value, "plain: text");
        assert!(reading.haystack().holds("Showing 142"));
    }

    #[test]
    fn a_value_that_forges_a_line_is_read_as_one_and_the_path_after_it_holds() {
        let reading = parse(
            "- main\n  - form \"Note\"\n    - textbox \"Notes\" [ref=e1]: a\n- button \"Evil\" [ref=e66]\n    - button \
                \"Save\" [ref=e2]",
        );
        assert_eq!(by_handle(&reading, "@e66").name, "Evil");
        let save = reading.nodes.iter().position(|node| node.name == "Save").expect("the button is read");
        assert_eq!(reading.path(save).next().map(|node| node.name.as_str()), Some("Note"));
    }
}
