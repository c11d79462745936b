//! Writing trees as the tool's YAML.
//!
//! In: the folded trees of all documents. Out: lines, and the refs in them. Invariant: one node or
//! text is one line: names are written as JSON strings, keys and values are quoted where YAML would
//! read them otherwise, and control characters are escaped.

use super::tree::{AriaNode, Child};
use crate::dom::{Id, push_reversed};
use browserlens_core::page::is_js_space;
use std::fmt::Write as _;

/// Names longer than this, in UTF-16 units, are not written.
const LONGEST_NAME: usize = 900;

enum Item<'t> {
    Text(&'t str, usize),
    Node { tree: usize, node: usize, depth: usize, pointer: bool },
}

/// What was written.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub text: String,
    pub refs: Vec<(String, Id)>,
}

/// Writes the first tree, and in each `iframe` the tree that `tree_in` names for its element.
pub(super) fn write(trees: &[Vec<AriaNode>], tree_in: impl Fn(Id) -> Option<usize>) -> Written {
    let mut writer = Writer { trees, tree_in, todo: Vec::new(), written: Written::default() };
    writer.push_children(0, 0, 0, true);
    while let Some(item) = writer.todo.pop() {
        match item {
            Item::Text(text, depth) => writer.line(depth, &format!("text: {}", value(text))),
            Item::Node { tree, node, depth, pointer } => writer.node(tree, node, depth, pointer),
        }
    }
    writer.written
}

struct Writer<'t, F> {
    trees: &'t [Vec<AriaNode>],
    tree_in: F,
    todo: Vec<Item<'t>>,
    written: Written,
}

impl<'t, F: Fn(Id) -> Option<usize>> Writer<'t, F> {
    fn push_children(&mut self, tree: usize, node: usize, depth: usize, pointer: bool) {
        let node = self.trees.get(tree).and_then(|nodes| nodes.get(node));
        let items = node.into_iter().flat_map(|node| &node.children).map(|child| match child {
            Child::Text(text) => Item::Text(text, depth),
            Child::Node(node) => Item::Node { tree, node: *node, depth, pointer },
        });
        push_reversed(&mut self.todo, items);
    }

    fn line(&mut self, depth: usize, content: &str) {
        let text = &mut self.written.text;
        if !text.is_empty() {
            text.push('\n');
        }
        text.extend(std::iter::repeat_n("  ", depth));
        text.push_str("- ");
        text.push_str(content);
    }

    fn node(&mut self, tree: usize, at: usize, depth: usize, pointer: bool) {
        let node = &self.trees[tree][at];
        if let Some(reference) = &node.reference {
            self.written.refs.push((reference.clone(), node.element));
        }
        let shows_pointer = pointer && node.is_click_target();
        let key = quote_key(&key(node, shows_pointer));
        let is_frame = node.role == "iframe" && node.reference.is_some();
        let content = is_frame
            .then(|| (self.tree_in)(node.element))
            .flatten()
            .filter(|content| self.trees.get(*content).is_some_and(|nodes| !nodes[0].children.is_empty()));
        if node.url.is_none() && node.placeholder.is_none() {
            match &node.children[..] {
                [Child::Text(text)] => return self.line(depth, &format!("{key}: {}", value(text))),
                [] if content.is_none() => return self.line(depth, &key),
                _ => {}
            }
        }
        self.line(depth, &format!("{key}:"));
        for (name, prop) in [("url", &node.url), ("placeholder", &node.placeholder)] {
            if let Some(prop) = prop {
                self.line(depth + 1, &format!("/{name}: {}", value(prop)));
            }
        }
        match content {
            Some(content) => self.push_children(content, 0, depth + 1, true),
            None => self.push_children(tree, at, depth + 1, pointer && !shows_pointer),
        }
    }
}

fn key(node: &AriaNode, shows_pointer: bool) -> String {
    let mut key = node.role.to_owned();
    if !node.name.is_empty() && node.name.encode_utf16().count() <= LONGEST_NAME {
        key.push(' ');
        key.push_str(&serde_json::Value::from(node.name.as_str()).to_string());
    }
    key.push_str(&node.states);
    key.push_str(if node.aria_hidden { " [aria-hidden]" } else { "" });
    if let Some(reference) = &node.reference {
        _ = write!(key, " [ref={reference}]");
        key.push_str(if shows_pointer { " [cursor=pointer]" } else { "" });
    }
    key
}

fn quote_key(key: &str) -> String {
    if needs_quotes(key) { format!("'{}'", key.replace('\'', "''")) } else { key.to_owned() }
}

/// Writes a YAML value, in double quotes where it must be.
pub(super) fn value(text: &str) -> String {
    if !needs_quotes(text) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '"' => out.push_str("\\\""),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if is_control(c) => _ = write!(out, "\\x{:02x}", u32::from(c)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn is_control(c: char) -> bool {
    matches!(c, '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}')
}

fn needs_quotes(text: &str) -> bool {
    let Some(first) = text.chars().next() else { return true };
    if is_js_space(first) || text.ends_with(is_js_space) || "-&*],?!>|@\"'#%[".contains(first) {
        return true;
    }
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let control = is_control(c) && c != '\t';
        let next_is_gap = chars.peek().is_none_or(|next| is_js_space(*next));
        if control
            || matches!(c, '{' | '}' | '`')
            || (c == ':' && next_is_gap)
            || (c == '#' && before.is_some_and(is_js_space))
        {
            return true;
        }
        before = Some(c);
    }
    is_js_number(text)
        || matches!(text.to_lowercase().as_str(), "y" | "n" | "yes" | "no" | "true" | "false" | "on" | "off" | "null")
}

/// Whether `Number(text)` is a number in JavaScript.
fn is_js_number(text: &str) -> bool {
    let text = browserlens_core::page::js_trim(text);
    let radix = |prefix: [&str; 2], radix: u32| {
        let digits = prefix.iter().find_map(|prefix| text.strip_prefix(prefix))?;
        Some(!digits.is_empty() && digits.chars().all(|c| c.is_digit(radix)))
    };
    let literal = radix(["0x", "0X"], 16).or_else(|| radix(["0o", "0O"], 8)).or_else(|| radix(["0b", "0B"], 2));
    if let Some(literal) = literal {
        return literal;
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" || unsigned.is_empty() {
        return unsigned == "Infinity" || text.is_empty();
    }
    // Rust reads the same decimals, and besides them "inf", "infinity" and "nan" in any case.
    unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') && unsigned.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn values_are_quoted_exactly_where_yaml_would_misread_them() {
        for plain in [
            "Add to cart", "a:b", "10 GB", "a#b", "1.2.3", "it's", "$4.99", "nothing", "infinity", "a]", "★ 4.9",
            "(1620)",
        ] {
            assert_eq!(value(plain), plain);
        }
        for quoted in [
            "", " a", "12", "1.5e3", ".5", "+5", "0x1F", "Infinity", "yes", "NULL", "- a", "a: b", "a:", "a #b", "{a}",
            "`", "[x]", "@me", "% off", ">",
        ] {
            assert_eq!(value(quoted), format!("\"{quoted}\""));
        }
        assert_eq!(value("a\n- b \u{1}\u{85}\"\\"), r#""a\n- b \x01\x85\"\\""#);
    }

    proptest! {
        #[test]
        fn a_value_is_one_line_whatever_it_holds(text in any::<String>()) {
            let written = value(&text);
            prop_assert!(!written.contains(['\n', '\r']), "{:?}", written);
        }
    }
}
