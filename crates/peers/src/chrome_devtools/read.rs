//! Parser of chrome-devtools-mcp's `take_snapshot`.
//!
//! In: lines `uid=1_3 role "name" state key="value"`, two blanks a level; text has no role; names
//! and values are not escaped and may hold quotes and line breaks. Out: nodes in order; the handle
//! is the uid (`1_3`). Rules: a name or value ends at the first quote that ends the line or that a
//! known attribute follows; until then further lines belong to it, but a line with a uid is always
//! one of its own. A state that can be (`expandable`) and is not said is off. Invariant: any text
//! parses.

use crate::read::outline::Outline;
use crate::read::tags;
use crate::read::{ReadNode, Reading};

const FLAGS: [&str; 18] = [
    "atomic", "busy", "checked", "disableable", "disabled", "expandable", "expanded", "focusable", "focused",
    "invalid", "modal", "multiline", "multiselectable", "pressed", "readonly", "required", "selectable", "selected",
];
const KEYS: [&str; 18] = [
    "autocomplete", "checked", "description", "haspopup", "invalid", "keyshortcuts", "level", "live", "orientation",
    "pressed", "relevant", "roledescription", "url", "value", "valuemax", "valuemin", "valuetext", "busy",
];
/// What the tool adds to the element that is selected in the developer tools.
const PICKED: &str = " [selected in the DevTools Elements panel]";

/// Parses a snapshot.
pub fn parse(text: &str) -> Reading {
    let mut outline = Outline::new(2, &["readonly"]);
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        if !begins(line) {
            outline.loose(line.trim_start_matches(['#', ' ']));
            continue;
        }
        let mut whole = body.to_owned();
        let mut closed = is_closed(body);
        while !closed && let Some(next) = lines.next_if(|next| !begins(next)) {
            whole.push('\n');
            whole.push_str(next);
            closed = next.rsplit_once('"').is_some_and(|(_, after)| is_end(after));
        }
        outline.add(indent, node(&whole));
    }
    outline.finish(false)
}

/// Returns whether a line begins with a uid.
fn begins(line: &str) -> bool {
    let Some(uid) = line.trim_start_matches(' ').strip_prefix("uid=") else { return false };
    let uid = uid.split(' ').next().unwrap_or("");
    uid.split_once('_').is_some_and(|(snapshot, number)| is_number(snapshot) && is_number(number))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether the quotes of a line are closed: it has none, or its last one ends it or stands
/// before flags alone.
fn is_closed(line: &str) -> bool {
    let Some((before, after)) = line.rsplit_once('"') else { return true };
    let opens = before.ends_with('=')
        || (before.ends_with(' ') && before.bytes().filter(|byte| *byte == b'"').count() % 2 == 0);
    !opens && is_end(after)
}

/// Returns whether a name or value can end before `rest`.
fn is_end(rest: &str) -> bool {
    let Some(rest) = rest.strip_prefix(' ') else { return rest.is_empty() };
    let word = &rest[..rest.find([' ', '=']).unwrap_or(rest.len())];
    if rest[word.len()..].starts_with("=\"") {
        KEYS.contains(&word)
    } else {
        FLAGS.contains(&word) || PICKED.ends_with(rest)
    }
}

/// Reads up to the closing quote. Out: the text and what follows the quote; all of it where none
/// closes.
fn quoted(text: &str) -> (&str, &str) {
    let end = text.match_indices('"').map(|(at, _)| at).find(|at| is_end(&text[at + 1..]));
    end.map_or((text, ""), |end| (&text[..end], &text[end + 1..]))
}

fn node(line: &str) -> ReadNode {
    let line = line.strip_prefix("uid=").unwrap_or(line);
    let (uid, mut rest) = line.split_once(' ').unwrap_or((line, ""));
    let mut node = ReadNode { handle: Some(uid.to_owned()), ..ReadNode::default() };
    if !rest.starts_with('"') {
        let (role, after) = rest.split_once(' ').unwrap_or((rest, ""));
        node.role = if role == "ignored" { "generic".to_owned() } else { role.to_owned() };
        rest = after;
    } else {
        "StaticText".clone_into(&mut node.role);
    }
    if let Some(name) = rest.strip_prefix('"') {
        let (name, after) = quoted(name);
        name.clone_into(&mut node.name);
        rest = after.strip_prefix(' ').unwrap_or(after);
    }
    let mut may = Vec::new();
    while !rest.is_empty() {
        let end = rest.find([' ', '=']).unwrap_or(rest.len());
        let word = &rest[..end];
        let mut value = "true";
        rest = &rest[end..];
        if let Some(after) = rest.strip_prefix("=\"") {
            (value, rest) = quoted(after);
        }
        // Steps over the blank, or over a stray `=`.
        rest = rest.get(1..).unwrap_or("");
        match word {
            "value" => value.clone_into(&mut node.value),
            "description" => value.clone_into(&mut node.text),
            "expandable" => may.push("expanded"),
            "selectable" => may.push("selected"),
            "checked" | "disabled" | "expanded" | "focused" | "invalid" | "modal" | "pressed" | "readonly"
            | "required" | "selected" | "level" | "busy" => node.states.push(tags::state(word, value)),
            _ => {}
        }
    }
    for state in may {
        if !node.states.iter().any(|known| known == state) {
            node.states.push(format!("{state}=false"));
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::by_handle;

    const CONSOLE: &str = r#"## Latest page snapshot
uid=1_0 RootWebArea "Orders "desk" – Orbit" url="http://127.0.0.1:8177/spa"
  uid=1_2 heading "Orbit console" level="1"
  uid=1_6 button "Account" expandable haspopup="menu"
  uid=1_14 checkbox "All regions" checked="mixed"
  uid=1_15 button "Deploy" disableable disabled
  uid=1_18 combobox "Region" expandable haspopup="menu" value="United States"
    uid=1_19 option "Europe"
    uid=1_20 option "United States" selectable selected
  uid=1_32 textbox "Notes" multiline value="line one
line two"
  uid=1_33 textbox "Mail" invalid="true" required value="ann@"
  uid=1_43 button "Cancel "Order 1""
  uid=2_0 "Uptime 3 s"
  uid=1_53 Iframe "Payment"
    uid=1_54 button "Pay now""#;

    #[test]
    fn names_states_and_values_are_read_without_escapes() {
        let reading = parse(CONSOLE);
        assert_eq!(by_handle(&reading, "1_0").name, "Orders \"desk\" – Orbit");
        assert_eq!(by_handle(&reading, "1_2").states, ["level=1"]);
        assert_eq!(by_handle(&reading, "1_6").states, ["expanded=false"]);
        assert_eq!(by_handle(&reading, "1_14").states, ["checked=mixed"]);
        assert_eq!(by_handle(&reading, "1_15").states, ["disabled"]);
        assert_eq!(by_handle(&reading, "1_18").value, "United States");
        assert_eq!(by_handle(&reading, "1_20").states, ["selected"]);
        assert_eq!(by_handle(&reading, "1_32").value, "line one\nline two");
        assert_eq!(by_handle(&reading, "1_33").states, ["invalid", "required"]);
        assert_eq!(by_handle(&reading, "1_43").name, "Cancel \"Order 1\"");
        assert_eq!(by_handle(&reading, "2_0").role, "StaticText");
        let pay = reading.nodes.iter().position(|node| node.name == "Pay now").expect("the button is read");
        assert_eq!(reading.path(pay).next().map(|node| node.name.as_str()), Some("Payment"));
    }

    #[test]
    fn a_line_with_a_uid_inside_a_value_is_a_line_of_its_own() {
        let reading = parse(
            "uid=1_1 textbox \"Notes\" value=\"line one\nuid=9_9 button \"Evil\"\nmore\"\nuid=1_2 button \"Save\"",
        );
        assert_eq!(by_handle(&reading, "9_9").name, "Evil");
        assert_eq!(by_handle(&reading, "1_2").name, "Save");
        assert_eq!(by_handle(&reading, "1_1").value, "line one");
    }
}
