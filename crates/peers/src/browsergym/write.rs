//! The lines of the flattened tree.
//!
//! In: the nodes of each frame with marks. Out: one [`Line`] a node that is written. Invariants: a
//! node is written once, also where the tree is none; a line holds no line break, as texts are
//! written as Python's `repr` writes them. Inline text boxes are not in the payload: they come from
//! the boxes of the layout, and where it has none (values of fields, generated content) from the
//! text itself, which is taken as unbroken but for its own line breaks.

use super::ax::{self, AxNode};
use super::layout::{Layout, NodeIndex};
use super::marked::Marked;
use crate::dom::Dom;
use browserlens_core::page::{Capture, NodeKey};
use browserlens_core::strategy::RefTarget;
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

/// Properties that are never written.
const LEFT_OUT: [&str; 7] = ["editable", "readonly", "level", "settable", "multiline", "invalid", "focusable"];
/// Properties that are written as a word, and only if they are on.
const WORDS: [&str; 3] = ["required", "focused", "atomic"];

/// One line, indentation included.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Line {
    pub text: String,
    pub target: Option<RefTarget>,
}

enum Todo {
    /// A node of the frame (by its index), with the depth of its line and the name of the node
    /// above it.
    Node {
        frame: usize,
        place: usize,
        depth: usize,
        above: String,
    },
    Box {
        text: String,
        depth: usize,
    },
}

/// Writes the main frame and the frames in it; none if the main frame has no accessibility tree.
pub(super) fn write(
    dom: &Dom<'_>,
    capture: &Capture,
    layout: &Layout,
    bids: &HashMap<NodeIndex, String>,
) -> Option<Vec<Line>> {
    let enter = |number: u32| {
        let nodes = ax::nodes(capture, number).filter(|_| layout.frames.contains(&number))?;
        Some(Marked::new(dom, bids, layout, number, nodes))
    };
    let mut frames = vec![enter(dom.page.document().0)?];
    let mut lines = Vec::new();
    let mut seen: HashSet<(usize, usize)> = HashSet::new();
    let mut todo = vec![Todo::Node { frame: 0, place: 0, depth: 0, above: String::new() }];
    while let Some(next) = todo.pop() {
        let (frame, place, depth, above) = match next {
            Todo::Box { text, depth } => {
                lines.push(Line {
                    text: format!("{}InlineTextBox {}", "\t".repeat(depth), repr(text.trim_matches(is_blank))),
                    target: None,
                });
                continue;
            }
            Todo::Node { frame, place, depth, above } => (frame, place, depth, above),
        };
        if !seen.insert((frame, place)) {
            continue;
        }
        let marked = &frames[frame];
        let node = &marked.nodes[place];
        let line = line(marked, place, depth, &above);
        let below = depth + usize::from(line.is_some());
        lines.extend(line);
        let first = todo.len();
        for text in boxes(marked, place) {
            todo.push(Todo::Box { text, depth: below });
        }
        // Nodes without a name hand down none; line breaks have one that does not count.
        let name = if node.role == "LineBreak" { "" } else { node.name.as_deref().unwrap_or_default() };
        let node_at = |frame: usize, place: usize| Todo::Node { frame, place, depth: below, above: name.to_owned() };
        todo.extend(node.children.iter().map(|child| node_at(frame, *child)));
        if node.role == "Iframe"
            && let Some(number) = marked.content(place)
            && frames.iter().all(|known| known.frame != number)
            && let Some(content) = enter(number)
        {
            todo.push(node_at(frames.len(), 0));
            frames.push(content);
        }
        todo[first..].reverse();
    }
    Some(lines)
}

/// The line of a node; none if it has none.
fn line(marked: &Marked<'_, '_>, place: usize, depth: usize, above: &str) -> Option<Line> {
    let node = &marked.nodes[place];
    let name = node.name.as_deref().filter(|_| node.role != "LineBreak")?;
    let mut attributes = String::new();
    for (property, value) in &node.properties {
        if LEFT_OUT.contains(&property.as_str()) || (property == "roledescription" && value == "") {
            continue;
        }
        if WORDS.contains(&property.as_str()) {
            if is_truthy(value) {
                _ = write!(attributes, ", {property}");
            }
        } else {
            _ = write!(attributes, ", {property}={}", literal(value));
        }
    }
    if node.role == "generic" && attributes.is_empty() {
        return None;
    }
    if node.role == "StaticText" && (name.is_empty() || (above.contains(name) && !marked.is_text_apart(place))) {
        return None;
    }
    let mut text = "\t".repeat(depth);
    let bid = marked.bid(place).filter(|_| node.role != "StaticText");
    if let Some(bid) = bid {
        _ = write!(text, "[{bid}] ");
    }
    text.push_str(&node.role);
    if node.role != "generic" || !name.is_empty() {
        let changed = if node.role == "ListMarker" { marked.marker(place, name) } else { None };
        _ = write!(text, " {}", repr(changed.as_deref().unwrap_or(name).trim_matches(is_blank)));
    }
    if let Some(value) = node.value.as_ref().filter(|value| !value.is_null()) {
        _ = write!(text, " value={}", literal(value));
    }
    let at = node.backend.map(|backend| (marked.frame, backend)).filter(|_| bid.is_some());
    for (word, known) in [("clickable", &marked.layout.clickable), ("visible", &marked.layout.visible)] {
        if at.is_some_and(|at| known.contains(&at)) {
            _ = write!(text, ", {word}");
        }
    }
    text.push_str(&attributes);
    let target = bid.zip(at).map(|(bid, (frame, backend))| {
        let loader =
            marked.dom.page.frames().iter().find(|known| known.number == frame).map_or(0, |known| known.loader);
        RefTarget { handle: bid.to_owned(), key: NodeKey { frame, loader, backend } }
    });
    Some(Line { text, target })
}

/// The texts of the inline text boxes below a node.
fn boxes(marked: &Marked<'_, '_>, place: usize) -> Vec<String> {
    let node: &AxNode = &marked.nodes[place];
    match node.role.as_str() {
        "LineBreak" => vec![String::new()],
        "StaticText" => {
            let known = node.backend.and_then(|backend| marked.layout.lines.get(&(marked.frame, backend)));
            known.cloned().unwrap_or_else(|| {
                let name = node.name.as_deref().unwrap_or_default();
                if name.is_empty() { Vec::new() } else { name.split('\n').map(str::to_owned).collect() }
            })
        }
        _ => Vec::new(),
    }
}

/// Whether Python takes a value as true.
fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(on) => *on,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// `repr` of a value of JSON.
fn literal(value: &Value) -> String {
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::String(text) => repr(text),
        // Properties are plain values; others are not told apart further.
        other => other.to_string(),
    }
}

/// `str.isspace` of Python: what Unicode calls white space, and four separators of ASCII.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

/// `repr` of a text: in single quotes unless it holds some and no double ones; what cannot be
/// printed is escaped.
fn repr(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') { '"' } else { '\'' };
    let mut out = String::with_capacity(text.len() + 2);
    out.push(quote);
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            ' '..='~' => out.push(c),
            c if is_printable(c) => out.push(c),
            c if (c as u32) < 0x100 => _ = write!(out, "\\x{:02x}", c as u32),
            c if (c as u32) < 0x1_0000 => _ = write!(out, "\\u{:04x}", c as u32),
            c => _ = write!(out, "\\U{:08x}", c as u32),
        }
    }
    out.push(quote);
    out
}

/// Whether Unicode gives a character something to show: `Debug` of Rust and `repr` of Python escape
/// the same categories.
fn is_printable(c: char) -> bool {
    let mut bytes = [b'a', 0, 0, 0, 0];
    let length = 1 + c.encode_utf8(&mut bytes[1..]).len();
    // Behind another character, Rust does not escape combining marks either.
    std::str::from_utf8(&bytes[..length]).is_ok_and(|pair| pair.escape_debug().nth(1) == Some(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn texts_are_quoted_as_python_quotes_them() {
        let cases = [
            ("plain", "'plain'"),
            ("it's", "\"it's\""),
            ("it's \"x\"", "'it\\'s \"x\"'"),
            ("a\\b\n\t\r", "'a\\\\b\\n\\t\\r'"),
            ("\u{0}\u{1b}\u{7f}\u{a0}\u{ad}", "'\\x00\\x1b\\x7f\\xa0\\xad'"),
            ("\u{200b}\u{2028}\u{feff}\u{202e}", "'\\u200b\\u2028\\ufeff\\u202e'"),
            ("é e\u{301} 日本 😀 £", "'é e\u{301} 日本 😀 £'"),
            ("\u{e0001}\u{10ffff}", "'\\U000e0001\\U0010ffff'"),
        ];
        for (text, quoted) in cases {
            assert_eq!(repr(text), quoted);
        }
    }

    #[test]
    fn values_are_written_as_python_writes_them() {
        let cases =
            [(json!(true), "True"), (json!(5), "5"), (json!(0.5), "0.5"), (json!("5"), "'5'"), (json!(null), "None")];
        for (value, written) in cases {
            assert_eq!(literal(&value), written);
        }
        assert!(!is_truthy(&json!(0)) && !is_truthy(&json!("")) && is_truthy(&json!("false")));
    }

    proptest! {
        #[test]
        fn any_text_stays_on_one_line(text in any::<String>()) {
            let quoted = repr(&text);
            prop_assert!(!quoted.contains(['\n', '\r']));
            prop_assert!(quoted.chars().all(|c| matches!(c, ' '..='~') || is_printable(c)));
        }
    }
}
