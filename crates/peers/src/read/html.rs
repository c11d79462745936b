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
use html5ever::LocalName;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

/// Parses HTML.
pub fn parse(text: &str) -> Reading {
    let tokens = Tokenizer::new(Tokens::default(), Default::default());
    let input = BufferQueue::default();
    input.push_back(StrTendril::from_slice(text));
    // No token stops it.
    let _ = tokens.feed(&input);
    tokens.end();
    tokens.sink.0.into_inner().finish()
}

#[derive(Default)]
struct Tokens(RefCell<Parser>);

impl TokenSink for Tokens {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let mut parser = self.0.borrow_mut();
        match token {
            Token::CharacterTokens(text) => parser.pending.push_str(&text),
            Token::NullCharacterToken | Token::ParseError(_) => {}
            Token::TagToken(tag) => return parser.tag(tag),
            Token::DoctypeToken(_) | Token::CommentToken(_) | Token::EOFToken => parser.text(),
        }
        TokenSinkResult::Continue
    }
}

struct OpenElement {
    tag: LocalName,
    /// Index in the reading; none for elements that mean nothing by themselves.
    node: Option<usize>,
}

#[derive(Default)]
struct Parser {
    nodes: Vec<ReadNode>,
    open: Vec<OpenElement>,
    /// Text since the last tag or comment.
    pending: String,
    /// The element that is open and holds no markup.
    raw: Option<LocalName>,
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

impl Parser {
    fn parent(&self) -> Option<usize> {
        self.open.iter().rev().find_map(|open| open.node)
    }

    fn text(&mut self) {
        let text = super::text::normalize(&std::mem::take(&mut self.pending));
        if self.skip_depth > 0 || self.raw.is_some() || text.is_empty() {
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

    fn tag(&mut self, tag: Tag) -> TokenSinkResult<()> {
        if let Some(raw) = self.raw.take() {
            let value = std::mem::take(&mut self.pending);
            if let Some(node) = self.nodes.last_mut().filter(|_| &*raw == "textarea") {
                node.value = value.trim().to_owned();
            }
            return TokenSinkResult::Continue;
        }
        self.text();
        if tag.kind == TagKind::EndTag {
            self.close(&tag.name);
            return TokenSinkResult::Continue;
        }
        while self.open.last().is_some_and(|open| is_ended_by(&open.tag, &tag.name)) {
            self.pop();
        }
        let node = if self.skip_depth == 0 { self.node_of(&tag) } else { None };
        if tag.self_closing || is_void(&tag.name) {
            return TokenSinkResult::Continue;
        }
        if let Some(kind) = raw_kind(&tag.name) {
            self.raw = Some(tag.name);
            return TokenSinkResult::RawData(kind);
        }
        self.skip_depth += usize::from(&*tag.name == "head");
        self.open.push(OpenElement { tag: tag.name, node });
        TokenSinkResult::Continue
    }

    fn node_of(&mut self, tag: &Tag) -> Option<usize> {
        let get = |name: &str| tag.attrs.iter().find(|one| &*one.name.local == name).map(|one| &*one.value);
        let tag = &*tag.name;
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

    fn close(&mut self, tag: &LocalName) {
        // A stray closing tag closes nothing; looking far up for it would make a hostile page
        // quadratic.
        let found = self.open.iter().rev().take(200).position(|open| open.tag == *tag);
        for _ in 0..found.map_or(0, |up| up + 1) {
            self.pop();
        }
    }

    fn pop(&mut self) {
        let open = self.open.pop();
        self.skip_depth -= usize::from(open.is_some_and(|open| &*open.tag == "head"));
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

/// How what an element holds is read where it is no markup.
fn raw_kind(tag: &str) -> Option<RawKind> {
    match tag {
        "script" => Some(RawKind::ScriptData),
        "style" | "noscript" | "template" => Some(RawKind::Rawtext),
        "title" | "textarea" => Some(RawKind::Rcdata),
        _ => None,
    }
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
