//! Parser of Playwright's aria snapshots, with or without the tool's Markdown around them.
//!
//! In: lines `- role "name" [state] [ref=e5]: text`, two blanks a level, keys and values
//! YAML-quoted where needed, properties as children (`- /placeholder: …`). Out: nodes in order.
//! Lines of no such form are loose text; so is the rest of a tool's whole reply, but for the code
//! that it ran, which says what the agent did and not what the page shows. Invariant: any text
//! parses; indentation that jumps hangs a line below the last node that is less indented.

use crate::read::outline::NAMED_LEVELS;
use crate::read::text::escaped;
use crate::read::{ReadNode, Reading, tags};

/// Parses an aria snapshot.
pub fn parse(text: &str) -> Reading {
    let mut parser = Parser::default();
    for (part, line) in parts(text) {
        match part {
            Part::Snapshot => parser.line(line),
            // A heading of the reply is nobody's text.
            Part::Around if line.starts_with("### ") => {}
            Part::Around => parser.loose(line),
            Part::Code => {}
        }
    }
    parser.finish()
}

/// What a line of a reply belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The snapshot.
    Snapshot,
    /// What the tool says beside it.
    Around,
    /// Code that the tool ran.
    Code,
}

/// Splits a reply into lines; text without a wrapper is all snapshot. Fences themselves are left
/// out.
pub(super) fn parts(text: &str) -> impl Iterator<Item = (Part, &str)> {
    let is_fenced = text.starts_with("```") || text.contains("\n```");
    let mut part = if is_fenced || text.starts_with("### ") { Part::Around } else { Part::Snapshot };
    text.lines().filter_map(move |line| {
        let Some(kind) = line.strip_prefix("```").filter(|_| is_fenced) else { return Some((part, line)) };
        part = match part {
            Part::Around if kind.starts_with("yaml") => Part::Snapshot,
            Part::Around => Part::Code,
            Part::Snapshot | Part::Code => Part::Around,
        };
        None
    })
}

#[derive(Default)]
struct Parser {
    reading: Reading,
    /// Open nodes: indentation and index.
    open: Vec<(usize, usize)>,
}

impl Parser {
    fn loose(&mut self, line: &str) {
        let text = line.trim().trim_start_matches(['#', '-']).trim();
        if !text.is_empty() {
            self.open.clear();
            self.reading.nodes.push(ReadNode::loose(text));
        }
    }

    fn line(&mut self, line: &str) {
        let body = line.trim_start_matches(' ');
        let indent = line.len() - body.len();
        let Some(item) = body.strip_prefix("- ") else { return self.loose(line) };
        let item = item.strip_prefix("<changed> ").unwrap_or(item);
        while self.open.last().is_some_and(|(open, _)| *open >= indent) {
            self.open.pop();
        }
        let parent = self.open.last().map(|(_, index)| *index);
        let (key, value) = split_item(item);
        if let Some(property) = key.strip_prefix('/') {
            if property == "placeholder"
                && let Some(parent) = parent
            {
                self.reading.nodes[parent].also.push(value);
            }
            return;
        }
        let mut node = if key == "text" {
            ReadNode::loose(value)
        } else {
            let mut node = head(&key);
            if holds_value(&node.role) {
                node.value = value;
            } else {
                node.text = value;
            }
            node
        };
        node.parent = parent;
        // Where a field has properties, its value is a text below it.
        if key == "text"
            && let Some(field) = parent.map(|parent| &mut self.reading.nodes[parent])
            && holds_value(&field.role)
            && field.value.is_empty()
        {
            field.value.clone_from(&node.text);
        }
        if !holds_value(&node.role) {
            let words = format!("{} {}", node.name, node.text);
            self.name_openers(words.trim());
        }
        // Its own inline text names a node that has no name, such as `- cell: "42"`.
        if node.name.is_empty() && !node.text.is_empty() && tags::is_named_by_content(&node.role) {
            node.name_by(&node.text.clone());
        }
        self.open.push((indent, self.reading.nodes.len()));
        self.reading.nodes.push(node);
    }

    /// Gives a text to the open nodes that have no name of their own: the tool leaves out a name
    /// that the content repeats.
    fn name_openers(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        for (_, index) in self.open.iter().rev().take(NAMED_LEVELS) {
            let node = &mut self.reading.nodes[*index];
            if tags::is_named_by_content(&node.role) {
                node.name_by(words);
            }
        }
    }

    fn finish(mut self) -> Reading {
        // A select shows what is chosen by its selected option.
        for index in 0..self.reading.nodes.len() {
            let node = &self.reading.nodes[index];
            if node.role == "option"
                && node.has_state("selected")
                && let Some(parent) = node.parent
                && self.reading.nodes[parent].role == "combobox"
                && self.reading.nodes[parent].value.is_empty()
            {
                self.reading.nodes[parent].value = node.name.clone();
            }
        }
        self.reading
    }
}

fn holds_value(role: &str) -> bool {
    matches!(role, "textbox" | "searchbox" | "combobox" | "spinbutton" | "slider" | "progressbar")
}

/// Splits an item into its key and inline value, both unquoted.
fn split_item(item: &str) -> (String, String) {
    if let Some((key, after)) = quoted(item) {
        return (key, after.strip_prefix(':').map(scalar).unwrap_or_default());
    }
    match key_end(item) {
        Some(end) => (item[..end].to_owned(), scalar(&item[end + 1..])),
        None => (item.to_owned(), String::new()),
    }
}

/// Returns where the colon that ends a plain key stands: the first one outside quotes that ends the
/// line or precedes a blank.
fn key_end(item: &str) -> Option<usize> {
    let mut quoted = false;
    let mut escaped = false;
    for (at, c) in item.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ':' if !quoted && item[at + 1..].chars().next().is_none_or(|next| next == ' ') => return Some(at),
            _ => {}
        }
    }
    None
}

fn scalar(text: &str) -> String {
    let text = text.trim();
    let whole = quoted(text).filter(|(_, after)| after.trim().is_empty());
    whole.map_or_else(|| text.to_owned(), |(value, _)| value)
}

/// Reads a scalar in quotes. Out: the text and what follows the closing quote; none without quotes.
fn quoted(text: &str) -> Option<(String, &str)> {
    match text.strip_prefix('\'') {
        Some(rest) => Some(single_quoted(rest)),
        None => text.strip_prefix('"').map(|rest| escaped(rest, '"')),
    }
}

/// Reads a single-quoted YAML scalar after its opening quote. Out: the text and what follows the
/// closing quote.
fn single_quoted(text: &str) -> (String, &str) {
    let mut value = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('\'') {
        value.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        match rest.strip_prefix('\'') {
            Some(more) => {
                value.push('\'');
                rest = more;
            }
            None => return (value, rest),
        }
    }
    value.push_str(rest);
    (value, "")
}

/// Parses `role "name" [state] [ref=e5]`.
fn head(key: &str) -> ReadNode {
    let mut node = ReadNode::default();
    let end = key.find([' ', '[']).unwrap_or(key.len());
    node.role = key[..end].to_owned();
    let mut rest = key[end..].trim_start();
    if let Some(quoted) = rest.strip_prefix('"') {
        let (name, after) = escaped(quoted, '"');
        node.name = name;
        rest = after.trim_start();
    }
    while let Some(open) = rest.strip_prefix('[') {
        let Some(close) = open.find(']') else { break };
        let attribute = &open[..close];
        if let Some(handle) = attribute.strip_prefix("ref=") {
            node.handle = Some(handle.to_owned());
        } else if !attribute.starts_with("cursor=") && !attribute.starts_with("box=") {
            node.states.push(attribute.to_owned());
        }
        rest = open[close + 1..].trim_start();
    }
    // `ref=e6 [unchanged]`, of the incremental form: a known handle and nothing else.
    if let Some(handle) = node.role.strip_prefix("ref=") {
        node.handle = Some(handle.to_owned());
        node.role = String::new();
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONSOLE: &str = r#"- generic [ref=e2]:
  - banner [ref=e3]:
    - heading "Orbit console" [level=1] [ref=e4]
    - generic [ref=e5]: Uptime 0 s
  - region "News" [ref=e8]:
    - link "Read story 1" [ref=e12] [cursor=pointer]:
      - /url: /news/1
    - button "Next slide" [ref=e13]: ">"
  - region "Settings" [ref=e14]:
    - checkbox "All regions" [checked=mixed] [ref=e16]
    - button "Deploy" [disabled] [ref=e17]
    - combobox "Region" [ref=e20]:
      - option "Europe"
      - option "United States" [selected]
    - textbox "Notes" [ref=e35]: line one line two
    - textbox "Message" [ref=e39]:
      - /placeholder: "Say: hello"
  - text: Plain span pointer
  - 'button "He said: \"no\", it''s" [ref=e40]'
  - iframe [ref=e47]:
    - button "Pay now" [ref=f1e5]"#;

    fn find<'r>(reading: &'r Reading, name: &str) -> (usize, &'r ReadNode) {
        reading.nodes.iter().enumerate().find(|(_, node)| node.name == name).expect("the node is read")
    }

    #[test]
    fn roles_names_states_and_refs_are_read() {
        let reading = parse(CONSOLE);
        let (_, checkbox) = find(&reading, "All regions");
        assert_eq!((checkbox.role.as_str(), checkbox.handle.as_deref()), ("checkbox", Some("e16")));
        assert_eq!(checkbox.states, ["checked=mixed"]);
        assert_eq!(find(&reading, "Deploy").1.states, ["disabled"]);
        assert_eq!(find(&reading, "Region").1.value, "United States");
        assert_eq!(find(&reading, "Notes").1.value, "line one line two");
        assert_eq!(find(&reading, "Next slide").1.text, ">");
        assert_eq!(find(&reading, "Message").1.also, ["Say: hello"]);
        assert_eq!(find(&reading, "He said: \"no\", it's").1.handle.as_deref(), Some("e40"));
    }

    #[test]
    fn a_name_that_the_tool_left_to_the_content_is_taken_from_it() {
        let card = "- article [ref=e2]:\n  - heading [level=3] [ref=e5]:\n    - link \"Ember Turntable 3\" [ref=e6] \
            [cursor=pointer]:\n      - /url: /p/1002\n  - button [ref=e7]:\n    - generic [ref=e8]: Add\n    - text: \
            to cart\n  - cell [ref=e9]: \"42\"";
        let reading = parse(card);
        assert_eq!(find(&reading, "Add to cart").1.handle.as_deref(), Some("e7"));
        assert_eq!(reading.nodes.iter().filter(|node| node.name == "Ember Turntable 3").count(), 2);
        assert_eq!(find(&reading, "42").1.handle.as_deref(), Some("e9"));
        assert!(reading.nodes[0].name.is_empty(), "an article is not named by its content");
        assert!(reading.haystack().holds("Ember Turntable 3 Add to cart 42"));
    }

    #[test]
    fn the_path_leads_through_the_regions() {
        let reading = parse(CONSOLE);
        let (index, _) = find(&reading, "Deploy");
        let path: Vec<&str> = reading.path(index).map(|node| node.name.as_str()).collect();
        assert_eq!(path, ["Settings", ""]);
        let (index, pay) = find(&reading, "Pay now");
        assert_eq!(pay.handle.as_deref(), Some("f1e5"));
        assert_eq!(reading.path(index).next().map(|node| node.role.as_str()), Some("iframe"));
    }

    #[test]
    fn loose_and_inline_text_can_be_read() {
        let haystack = parse(CONSOLE).haystack();
        for fact in ["Uptime 0 s", "Plain span pointer", "Orbit console Uptime 0 s"] {
            assert!(haystack.holds(fact), "{fact}");
        }
        assert!(!haystack.holds("/news/1"));
    }

    #[test]
    fn the_markdown_around_a_snapshot_is_text() {
        let reading = parse(
            "### Page\n- Page URL: https://a.test/\n- Page Title: Shop\n### Snapshot\n```yaml\n- button \"Go\" \
                [ref=e2]\n```\n",
        );
        assert!(reading.haystack().holds("Page Title: Shop"));
        assert_eq!(find(&reading, "Go").1.handle.as_deref(), Some("e2"));
    }
}
