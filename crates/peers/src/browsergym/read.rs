//! Parser of BrowserGym's flattened accessibility tree.
//!
//! In: lines `[12] role 'name' value='v', state, key=repr`, one tab a level; strings are Python's
//! `repr`; text has no bid. Out: nodes in order; the handle is the bid (`a5`). `InlineTextBox`
//! lines repeat the text above them and are read only where they do not. Invariant: any text
//! parses.

use crate::read::outline::Outline;
use crate::read::text::escaped;
use crate::read::{ReadNode, Reading, tags};

/// States that the tool leaves out.
const SILENT: [&str; 3] = ["invalid", "readonly", "busy"];
/// States that it writes.
const STATES: [&str; 8] = ["checked", "selected", "pressed", "expanded", "disabled", "required", "focused", "modal"];
/// How far above an inline text box the text that it repeats may stand.
const REPEATED_LEVELS: usize = 4;

/// Parses a flattened tree.
pub fn parse(text: &str) -> Reading {
    let mut outline = Outline::new(1, &SILENT);
    for line in text.lines() {
        let body = line.trim_start_matches('\t');
        let indent = line.len() - body.len();
        match node(body) {
            Some(node) if node.role == "InlineTextBox" => {
                let words = node.name.trim();
                if !outline.is_said_above(indent, words, REPEATED_LEVELS) {
                    outline.add(indent, ReadNode::loose(words));
                }
            }
            Some(node) => outline.add(indent, node),
            None => outline.loose(line),
        }
    }
    outline.finish(true)
}

fn node(body: &str) -> Option<ReadNode> {
    let mut node = ReadNode::default();
    let mut rest = body;
    if let Some(marked) = body.strip_prefix('[') {
        let (bid, after) = marked.split_once("] ")?;
        if bid.is_empty() || !bid.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return None;
        }
        node.handle = Some(bid.to_owned());
        rest = after;
    }
    let end = rest.find([' ', ',']).unwrap_or(rest.len());
    let role = &rest[..end];
    if role.is_empty() || !role.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        return None;
    }
    rest = &rest[end..];
    match rest.strip_prefix(' ').and_then(repr) {
        Some((name, after)) => {
            node.name = name;
            rest = after;
        }
        // Only a generic stands without a name.
        None if role == "generic" => {}
        None => return None,
    }
    if let Some(after) = rest.strip_prefix(" value=") {
        (node.value, rest) = literal(after);
    }
    while let Some(after) = rest.strip_prefix(", ") {
        let end = after.find([',', '=']).unwrap_or(after.len());
        let word = &after[..end];
        rest = &after[end..];
        let mut value = "true".to_owned();
        if let Some(after) = rest.strip_prefix('=') {
            (value, rest) = literal(after);
        }
        if STATES.contains(&word) {
            node.states.push(tags::state(word, &value.to_lowercase()));
        } else if word == "description" {
            node.text = value;
        }
    }
    if role == "StaticText" || role == "ListMarker" {
        node.text = std::mem::take(&mut node.name);
        "text".clone_into(&mut node.role);
    } else {
        role.clone_into(&mut node.role);
    }
    Some(node)
}

/// Reads a literal: a string, or bare up to the next comma.
fn literal(text: &str) -> (String, &str) {
    repr(text).unwrap_or_else(|| {
        let end = text.find(", ").unwrap_or(text.len());
        (text[..end].to_owned(), &text[end..])
    })
}

/// Reads Python's `repr` of a string. Out: the string and what follows it.
fn repr(text: &str) -> Option<(String, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    Some(escaped(&text[1..], quote))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::by_handle;

    const LOGIN: &str = r#"RootWebArea 'Sign in - Acme', focused, url='http://acme.test/login'
	[6] banner ''
		[7] link 'Acme', url='http://acme.test/'
			InlineTextBox 'Acme'
		InlineTextBox '.'
	[16] LabelText ''
		StaticText 'Notes'
			InlineTextBox 'Notes'
		[17] textbox 'Notes' value='line one\n- it\'s "x"', required
	[18] spinbutton 'Seats' value=5, valuemin=1, valuetext='5'
	[20] checkbox 'All regions', checked='mixed'
	[21] button 'More filters', expanded=False
	[22] button 'Deploy', disabled=True
	[46] button "Cancel: order [2] 'b'"
	[48] generic, clickable
		StaticText 'Open dialog'
	[a] Iframe 'Payment'
		[a3] button 'Pay \u202enow'"#;

    #[test]
    fn python_strings_and_literals_are_read() {
        let reading = parse(LOGIN);
        let notes = by_handle(&reading, "17");
        assert_eq!(
            (notes.value.as_str(), notes.states.as_slice()),
            ("line one\n- it's \"x\"", ["required".to_owned()].as_slice())
        );
        assert_eq!(by_handle(&reading, "18").value, "5");
        assert_eq!(by_handle(&reading, "20").states, ["checked=mixed"]);
        assert_eq!(by_handle(&reading, "21").states, ["expanded=false"]);
        assert_eq!(by_handle(&reading, "22").states, ["disabled"]);
        assert_eq!(by_handle(&reading, "46").name, "Cancel: order [2] 'b'");
        assert_eq!(by_handle(&reading, "48").name, "Open dialog");
        assert_eq!(by_handle(&reading, "a3").name, "Pay \u{202e}now");
    }

    #[test]
    fn inline_text_boxes_are_read_where_they_repeat_nothing() {
        let reading = parse(LOGIN);
        let texts: Vec<&str> =
            reading.nodes.iter().filter(|node| node.role == "text").map(|node| node.text.as_str()).collect();
        assert_eq!(texts, [".", "Notes", "Open dialog"]);
    }
}
