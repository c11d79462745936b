//! Parser of HTML, as far as an agent reads it from source.
//!
//! In: HTML text. Out: one node an element that means something and one a run of text; the handle
//! is the selector `#id` where an element has an id that no other one has. `head`, scripts and
//! styles are not read. Nothing says what is hidden: neither does the source to an agent.
//! Invariant: any text parses in one pass; unclosed and stray tags do not lose text.

use super::node::{ReadNode, Reading, join};
use super::outline::NAMED_LEVELS;
use super::tags;
use crate::reference::raw::is_void;
use std::collections::{HashMap, HashSet};

/// Parses HTML.
pub fn parse(text: &str) -> Reading {
    let mut parser = Parser::default();
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        parser.text(&rest[..at]);
        rest = parser.markup(&rest[at..]);
    }
    parser.text(rest);
    parser.finish()
}

struct OpenElement<'t> {
    tag: &'t str,
    /// Index in the reading; none for elements that mean nothing by themselves.
    node: Option<usize>,
}

#[derive(Default)]
struct Parser<'t> {
    nodes: Vec<ReadNode>,
    open: Vec<OpenElement<'t>>,
    /// Values of `for` attributes and the text of their labels.
    labels: HashMap<String, String>,
    /// Indices of labels and the id that they are for.
    label_for: HashMap<usize, String>,
    /// Indices of elements without a role that say that they can be clicked.
    clickable: HashSet<usize>,
    /// Ids and the elements that have them.
    ids: HashMap<String, Vec<usize>>,
    /// How many ancestors-or-self named by content stand where, so that a text looks at few.
    skip_depth: usize,
}

/// Returns whether an open `open` ends where `next` begins.
fn is_ended_by(open: &str, next: &str) -> bool {
    match open {
        "p" => [
            "p", "div", "ul", "ol", "table", "section", "article", "form", "h1", "h2", "h3", "h4", "h5", "h6",
            "header", "footer", "main", "nav", "aside", "fieldset",
        ]
        .contains(&next),
        "li" => next == "li",
        "option" => matches!(next, "option" | "optgroup"),
        "td" | "th" => matches!(next, "td" | "th" | "tr"),
        "tr" => next == "tr",
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        _ => false,
    }
}

impl<'t> Parser<'t> {
    fn parent(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|open| open.node)
    }

    fn text(&mut self, raw: &str) {
        if self.skip_depth > 0 || raw.trim().is_empty() {
            return;
        }
        let text = super::text::normalize(&unescape(raw));
        if text.is_empty() {
            return;
        }
        for index in self.open.iter().rev().filter_map(|open| open.node).take(NAMED_LEVELS) {
            if let Some(id) = self.label_for.get(&index) {
                join(self.labels.entry(id.clone()).or_default(), &text);
            }
            let node = &mut self.nodes[index];
            if tags::is_named_by_content(&node.role) || self.clickable.contains(&index) {
                node.name_by(&text);
            }
        }
        let parent = self.parent();
        self.nodes.push(ReadNode { parent, ..ReadNode::loose(text) });
    }

    /// Reads the markup at the start of `rest` and returns what follows it.
    fn markup(&mut self, rest: &'t str) -> &'t str {
        if let Some(comment) = rest.strip_prefix("<!--") {
            return comment.find("-->").map_or("", |end| &comment[end + 3..]);
        }
        if rest.starts_with("<!") || rest.starts_with("<?") {
            return rest.find('>').map_or("", |end| &rest[end + 1..]);
        }
        if let Some(closing) = rest.strip_prefix("</") {
            let end = closing.find('>').unwrap_or(closing.len());
            self.close(closing[..end].trim());
            return closing.get(end + 1..).unwrap_or("");
        }
        let name_end =
            rest[1..].find(|c: char| !c.is_ascii_alphanumeric() && c != '-').map_or(rest.len(), |end| end + 1);
        let tag = &rest[1..name_end];
        if !tag.starts_with(|c: char| c.is_ascii_alphabetic()) {
            self.text("<");
            return &rest[1..];
        }
        let (attributes, after, closed) = attributes(&rest[name_end..]);
        let lower = tag.to_ascii_lowercase();
        self.open_element(tag, &lower, &attributes, closed);
        if closed || !is_raw(&lower) {
            return after;
        }
        let (value, after) = skip_raw(after, &lower);
        if let Some(node) = self.nodes.last_mut().filter(|_| lower == "textarea") {
            node.value = unescape(value).trim().to_owned();
        }
        after
    }

    fn open_element(&mut self, tag: &'t str, lower: &str, attributes: &[(String, String)], closed: bool) {
        while self.open.last().is_some_and(|open| is_ended_by(&open.tag.to_ascii_lowercase(), lower)) {
            self.pop();
        }
        let node = if self.skip_depth == 0 { self.node_of(lower, attributes) } else { None };
        if closed || is_void(lower) || is_raw(lower) {
            return;
        }
        self.skip_depth += usize::from(lower == "head");
        self.open.push(OpenElement { tag, node });
    }

    fn node_of(&mut self, tag: &str, attributes: &[(String, String)]) -> Option<usize> {
        let get = |name: &str| attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
        let role = tags::role(tag, get);
        let says_something =
            ["id", "aria-label", "role", "title", "onclick", "tabindex", "contenteditable", "data-testid"]
                .iter()
                .any(|name| get(name).is_some());
        let skipped = [
            "html", "head", "body", "script", "style", "noscript", "template", "title", "meta", "link", "base", "br",
            "wbr",
        ]
        .contains(&tag);
        if skipped || (role == "generic" && !says_something) || (tag == "input" && get("type") == Some("hidden")) {
            return None;
        }
        let mut node = ReadNode { role: role.to_owned(), parent: self.parent(), ..ReadNode::default() };
        let mut names = ["aria-label", "alt", "title"].into_iter().filter_map(get).filter(|name| !name.is_empty());
        node.name = names.next().unwrap_or("").to_owned();
        node.also.extend(names.map(str::to_owned));
        node.also.extend(get("placeholder").filter(|words| !words.is_empty()).map(str::to_owned));
        if let Some(value) = get("value") {
            if role == "button" && node.name.is_empty() {
                node.name = value.to_owned();
            } else if !matches!(role, "checkbox" | "radio" | "option" | "button") {
                node.value = value.to_owned();
            }
        }
        for state in ["checked", "selected", "disabled", "required", "readonly", "open"] {
            if get(state).is_some() {
                node.states.push(state.to_owned());
            }
        }
        for state in [
            "aria-checked", "aria-selected", "aria-pressed", "aria-expanded", "aria-disabled", "aria-invalid",
            "aria-current",
        ] {
            if let Some(value) = get(state) {
                node.states.push(tags::state(state.trim_start_matches("aria-"), value));
            }
        }
        let index = self.nodes.len();
        if role == "generic" && (get("onclick").is_some() || get("tabindex").is_some()) {
            self.clickable.insert(index);
        }
        // Which option is chosen stands on the option, if anywhere.
        node.value_unsaid = role == "combobox";
        if let Some(id) = get("id").filter(|id| !id.is_empty()) {
            self.ids.entry(id.to_owned()).or_default().push(index);
        }
        if tag == "label"
            && let Some(id) = get("for")
        {
            self.label_for.insert(index, id.to_owned());
        }
        self.nodes.push(node);
        Some(index)
    }

    fn close(&mut self, tag: &str) {
        // A stray closing tag closes nothing; looking far up for it would make a hostile page
        // quadratic.
        let found = self.open.iter().rev().take(200).position(|open| open.tag.eq_ignore_ascii_case(tag));
        for _ in 0..found.map_or(0, |up| up + 1) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let open = self.open.pop();
        self.skip_depth -= usize::from(open.is_some_and(|open| open.tag.eq_ignore_ascii_case("head")));
    }

    fn finish(mut self) -> Reading {
        for (id, indices) in &self.ids {
            if let [index] = indices[..] {
                self.nodes[index].handle = Some(format!("#{id}"));
            }
            for index in indices {
                if let Some(label) = self.labels.get(id) {
                    let node = &mut self.nodes[*index];
                    if node.name.is_empty() {
                        node.name_by(label);
                    } else {
                        node.also.push(label.clone());
                    }
                }
            }
        }
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            if node.role == "option"
                && node.has_state("selected")
                && let Some(list) = node.parent.filter(|parent| self.nodes[*parent].role == "combobox")
            {
                self.nodes[list].value = self.nodes[index].name.clone();
            }
        }
        // A field inside its label is named by the label's text.
        for index in 0..self.nodes.len() {
            let node = &self.nodes[index];
            if node.name.is_empty()
                && let Some(parent) = node.parent.filter(|_| node.role != "text")
                && self.nodes[parent].role == "LabelText"
            {
                self.nodes[index].name = self.nodes[parent].name.clone();
                self.nodes[index].named_by_content = true;
            }
        }
        Reading { nodes: self.nodes, ..Reading::default() }
    }
}

/// Whether what an element holds is no markup.
fn is_raw(tag: &str) -> bool {
    matches!(tag, "script" | "style" | "noscript" | "template" | "title" | "textarea")
}

/// Returns the raw text up to the closing tag, and what follows that tag.
fn skip_raw<'t>(rest: &'t str, tag: &str) -> (&'t str, &'t str) {
    let mut from = 0;
    while let Some(at) = rest[from..].find("</").map(|at| from + at) {
        let after = &rest[at + 2..];
        if after.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag)) {
            let end = after.find('>').map_or(after.len(), |end| end + 1);
            return (&rest[..at], &after[end..]);
        }
        from = at + 2;
    }
    (rest, "")
}

/// Reads attributes up to the end of the tag. Out: pairs in lower case and unescaped, what follows,
/// whether `/>` closed it.
fn attributes(text: &str) -> (Vec<(String, String)>, &str, bool) {
    let mut pairs = Vec::new();
    let mut rest = text;
    let mut closed = false;
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('>') {
            return (pairs, after, closed);
        }
        if let Some(after) = rest.strip_prefix('/') {
            closed = after.trim_start().starts_with('>');
            rest = after;
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || matches!(c, '=' | '>' | '/')).unwrap_or(rest.len());
        if rest.is_empty() {
            return (pairs, "", closed);
        }
        // A lone `=` is no name: step over it.
        let end = if end == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { end };
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (raw, left) = match quote {
                Some(quote) => match after[1..].find(quote) {
                    Some(end) => (&after[1..=end], &after[end + 2..]),
                    None => (&after[1..], ""),
                },
                None => {
                    let end = after.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(after.len());
                    (&after[..end], &after[end..])
                }
            };
            value = unescape(raw);
            rest = left;
        }
        pairs.push((name, value));
    }
}

/// Replaces the character references that HTML serialisers write.
fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.char_indices().take(12).find(|(_, c)| *c == ';').map(|(end, _)| end);
        let decoded = end.and_then(|end| reference(&rest[1..end]));
        match (decoded, end) {
            (Some(c), Some(end)) => {
                out.push(c);
                rest = &rest[end + 1..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn reference(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code);
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "copy" => '©',
        "times" => '×',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "middot" => '·',
        "euro" => '€',
        "rarr" => '→',
        "larr" => '←',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORM: &str = r#"<!DOCTYPE html><html><head><title>Sign in</title><style>p{}</style></head><body><!-- note -->
      <nav><a href="/p">Pricing &amp; plans</a></nav>
      <form id="f" onsubmit="return false"><label for=u>Email</label><input
        autocomplete="username" id="u" type="email" value="ann@acme.test" required="">
      <label>Remember me <input type=checkbox checked></label>
      <select id="role"><option value="e" selected>Editor<option>Viewer</select>
      <textarea id="n" aria-label="Notes">line &lt;one&gt;</textarea>
      <button type="submit">Sign <b>in</b></button></form>
      <p>Showing 3 of <span>142</span> results<p>next<script>var a = "<b>not text</b>";</script></body></html>"#;

    fn find<'r>(reading: &'r Reading, role: &str) -> &'r ReadNode {
        reading.nodes.iter().find(|node| node.role == role).expect("the element is read")
    }

    #[test]
    fn elements_get_roles_names_and_selectors() {
        let reading = parse(FORM);
        assert_eq!(find(&reading, "link").name, "Pricing & plans");
        let email = find(&reading, "textbox");
        assert_eq!(
            (email.name.as_str(), email.value.as_str(), email.handle.as_deref()),
            ("Email", "ann@acme.test", Some("#u"))
        );
        assert_eq!(find(&reading, "checkbox").name, "Remember me");
        assert_eq!(find(&reading, "button").name, "Sign in");
        assert_eq!(find(&reading, "option").states, ["selected"]);
        let notes = reading.nodes.iter().find(|node| node.name == "Notes").expect("the text area is read");
        assert_eq!(notes.value, "line <one>");
    }

    #[test]
    fn text_is_read_across_inline_elements_and_scripts_are_not() {
        let haystack = parse(FORM).haystack();
        assert!(haystack.holds("Showing 3 of 142 results"));
        assert!(haystack.holds("next"));
        assert!(!haystack.holds("not text"));
    }

    #[test]
    fn ten_thousand_open_elements_do_not_overflow_the_stack() {
        let deep = format!("{}x{}", "<div id=a><a>".repeat(10_000), "</a>".repeat(10_000));
        assert!(parse(&deep).haystack().holds("x"));
    }
}
