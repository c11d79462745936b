//! `markdown/page`: what is rendered, as markdown.
//!
//! In: the document with the page's visibility. Out: headings, paragraphs, lists, tables, links,
//! images with their alternative text, code, and form fields as text; no handles. Invariants: what
//! cannot be seen (scrolling allowed) is not there; values of secret fields are dots. How: the
//! visible part of the document is written as plain HTML, which `htmd` turns into markdown. It
//! walks recursively, so nesting beyond [`DEEPEST`] is written without its tags. Tables get a
//! header row, as markdown has none without one. Fields: `[value]` (the placeholder if empty,
//! `[___]` without one), `[x]` and `[ ]`, `(x)` and `( )`, `[Button]`.

use super::raw::push_escaped;
use crate::dom::{self, Dom, Id, push_reversed};
use crate::tool::{PeerStrategy, no_options};
use browserlens_core::page::{Flags, NodeKind, States};
use browserlens_core::strategy::{ActionChannel, Observation, OptionsError, Run, Stage, StepInput, StrategyError};
use htmd::element_handler::{HandlerResult, Handlers};
use htmd::options::{BulletListMarker, HrStyle, Options};
use htmd::{Element, HtmlToMarkdown};
use std::sync::LazyLock;

pub(crate) const NAME: &str = "markdown/page";
/// Most tags that are open at a time: recursion on a stack of 2 MB bears several times as many.
const DEEPEST: usize = 64;
/// What ends text that is kept as it is.
const PRE_END: &str = "</code></pre>";
/// The element that carries markdown that is not to be escaped, in its only attribute.
const VERBATIM: &str = "bl-verbatim";
/// The element that is written between brackets, on one line.
const BUTTON: &str = "bl-button";

pub(super) fn strategy(options: &serde_json::Value) -> Result<PeerStrategy, OptionsError> {
    no_options(options)?;
    let strategy = PeerStrategy::new(NAME, "1", &crate::read::MARKDOWN, |_| MarkdownPage);
    Ok(PeerStrategy { channel: ActionChannel::None, ..strategy })
}

struct MarkdownPage;

impl Run for MarkdownPage {
    fn observe(&mut self, input: &StepInput<'_>) -> Result<Observation, StrategyError> {
        input.clock.enter(Some(Stage::Extract));
        let snapshots = dom::snapshots(input.capture);
        let html = visible_html(&Dom::new(input.page, &snapshots));
        input.clock.enter(Some(Stage::Format));
        let text = to_markdown(&html);
        input.clock.enter(None);
        let text = text.map_err(|error| StrategyError::Failed { step: input.step, message: error.to_string() })?;
        Ok(Observation::full_text(text, crate::REPRODUCED))
    }
}

fn to_markdown(html: &str) -> std::io::Result<String> {
    static CONVERTER: LazyLock<HtmlToMarkdown> = LazyLock::new(|| {
        let options = Options {
            hr_style: HrStyle::Dashes,
            bullet_list_marker: BulletListMarker::Dash,
            ul_bullet_spacing: 1,
            ol_number_spacing: 1,
            ..Options::default()
        };
        let verbatim = |_: &dyn Handlers, element: Element<'_>| {
            element.attrs.first().map(|attribute| HandlerResult::from(attribute.value.as_ref()))
        };
        let button = |handlers: &dyn Handlers, element: Element<'_>| {
            let inside = handlers.walk_children(element.node).content;
            let words: Vec<&str> = inside.split_whitespace().collect();
            (!words.is_empty()).then(|| HandlerResult::from(format!("[{}] ", words.join(" "))))
        };
        let builder = HtmlToMarkdown::builder().options(options);
        builder.add_handler(vec![VERBATIM], verbatim).add_handler(vec![BUTTON], button).build()
    });
    let text = CONVERTER.convert(html)?;
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    Ok(lines.join("\n").trim_matches('\n').to_owned())
}

enum Todo {
    Open(Id),
    /// Closes a tag.
    End(&'static str),
    /// Keeps what follows apart.
    Blank,
}

/// The visible part of the page as plain HTML.
fn visible_html(dom: &Dom<'_>) -> String {
    let mut writer = Writer { dom, out: String::new(), open: 0, verbatim_depth: 0, todo: Vec::new() };
    writer.todo.extend(dom.main_document().map(Todo::Open));
    while let Some(next) = writer.todo.pop() {
        match next {
            Todo::Open(id) => writer.open(id),
            Todo::Blank => writer.out.push(' '),
            Todo::End(end) => {
                writer.open -= 1;
                writer.verbatim_depth -= usize::from(end == PRE_END);
                writer.out.push_str(end);
            }
        }
    }
    writer.out
}

struct Writer<'d, 'a> {
    dom: &'d Dom<'a>,
    out: String,
    /// Tags that are open.
    open: usize,
    /// Those of them that keep their text as it is.
    verbatim_depth: usize,
    todo: Vec<Todo>,
}

impl Writer<'_, '_> {
    fn open(&mut self, id: Id) {
        let node = self.dom.node(id);
        match node.kind {
            NodeKind::Pseudo => {}
            NodeKind::Document => self.children(id),
            NodeKind::Text => {
                let is_blank = node.text.chars().all(|c| c.is_ascii_whitespace());
                if is_blank || self.is_visible(id) {
                    push_escaped(&mut self.out, node.text, false);
                }
            }
            NodeKind::Element => self.element(id),
        }
    }

    fn is_visible(&self, id: Id) -> bool {
        self.dom.node(id).page.is_some_and(|page| page.visibility().is_visible())
    }

    fn children(&mut self, id: Id) {
        push_reversed(&mut self.todo, self.dom.children(id).chain(self.dom.content_of(id)).map(Todo::Open));
    }

    fn verbatim(&mut self, markdown: &str) {
        // A field that touches the word before it is a word of its own all the same.
        if self.out.ends_with(|c: char| c != '>' && !c.is_whitespace()) {
            self.out.push(' ');
        }
        self.out.push_str("<bl-verbatim text=\"");
        push_escaped(&mut self.out, &markdown.replace(['\r', '\n'], " "), true);
        self.out.push_str("\"></bl-verbatim>");
    }

    /// Writes the children within a pair of tags, or without them where tags are nested too deep.
    fn within(&mut self, id: Id, start: &str, end: &'static str) {
        if self.open < DEEPEST {
            self.out.push_str(start);
            self.open += 1;
            self.todo.push(Todo::End(end));
        } else {
            self.out.push(' ');
        }
        self.children(id);
    }

    fn element(&mut self, id: Id) {
        let dom = self.dom;
        let tag = dom.tag(id);
        if tag == "br" {
            self.out.push_str("<br>");
            return;
        }
        // What `display: contents` has no box for can still be seen.
        if !dom.has_layout(id) && dom.style(id, "display") != Some("contents") {
            return;
        }
        // Inline elements that are laid out as boxes stand apart, but on one line.
        let is_box = dom.style(id, "display").is_some_and(|display| !matches!(display, "" | "inline" | "contents"));
        if self.verbatim_depth == 0 && is_box && is_inline(tag) {
            self.out.push(' ');
            self.todo.push(Todo::Blank);
        }
        match tag {
            _ if self.verbatim_depth > 0 => self.children(id),
            "pre" if self.open < DEEPEST => {
                self.verbatim_depth += 1;
                self.within(id, "<pre><code>", PRE_END);
            }
            "script" | "style" | "template" | "noscript" | "head" | "title" => {}
            "input" | "select" | "textarea" | "progress" | "meter" => {
                if self.is_visible(id)
                    && let Some(text) = self.field(id)
                {
                    self.verbatim(&text);
                }
            }
            "img" => {
                let alt = dom.attribute(id, "alt").map(str::trim).filter(|alt| !alt.is_empty());
                if let Some(alt) = alt.filter(|_| self.is_visible(id)) {
                    let source =
                        dom.attribute(id, "src").filter(|source| !source.starts_with("data:")).unwrap_or_default();
                    self.verbatim(&format!("![{}]({}) ", alt.replace(['[', ']'], " "), link_target(source)));
                }
            }
            "a" => match dom.attribute(id, "href").filter(|_| self.has_text(id)) {
                Some(href) => {
                    let mut start = "<a href=\"".to_owned();
                    push_escaped(&mut start, &link_target(href), true);
                    start.push_str("\">");
                    self.within(id, &start, "</a>");
                }
                None => self.children(id),
            },
            "button" => self.within(id, "<bl-button>", "</bl-button>"),
            "hr" => self.out.push_str("<hr>"),
            "thead" | "tbody" | "tfoot" | "html" | "body" | "svg" | "g" => self.children(id),
            "tr" if self.is_header(id) => self.within(id, "<thead><tr>", "</tr></thead>"),
            "th" | "td" => {
                let header = dom.node(id).parent.is_some_and(|row| self.is_header(row));
                if header { self.within(id, "<th>", "</th>") } else { self.within(id, "<td>", "</td>") }
            }
            _ => match plain_tag(tag) {
                Some((start, end)) => self.within(id, start, end),
                // Everything else is only a block, or is not even that.
                None if is_inline(tag) => self.children(id),
                None if dom.style(id, "display").is_some_and(|display| display.starts_with("inline")) => {
                    self.children(id)
                }
                None => self.within(id, "<div>", "</div>"),
            },
        }
    }

    /// Whether a row is the first of its table.
    fn is_header(&self, row: Id) -> bool {
        let table = self.dom.closest(row, |id| self.dom.tag(id) == "table");
        let Some(table) = table else { return false };
        let mut parts = vec![table];
        while let Some(part) = parts.pop() {
            match self.dom.tag(part) {
                "tr" => return part == row,
                "table" | "thead" | "tbody" | "tfoot" if part == table || self.dom.tag(part) != "table" => {
                    push_reversed(&mut parts, self.dom.children(part).filter(|child| self.dom.has_layout(*child)));
                }
                _ => {}
            }
        }
        false
    }

    /// Whether something below an element is written.
    fn has_text(&self, id: Id) -> bool {
        self.dom.descendants(id).any(|below| {
            let node = self.dom.node(below);
            match node.kind {
                NodeKind::Text => self.is_visible(below) && !node.text.trim().is_empty(),
                NodeKind::Element => self.dom.attribute(below, "alt").is_some_and(|alt| !alt.trim().is_empty()),
                _ => false,
            }
        })
    }

    /// A form field as text; none for a field without anything to see.
    fn field(&self, id: Id) -> Option<String> {
        let node = self.dom.node(id);
        let page = node.page?;
        let kind = self.dom.attribute(id, "type").unwrap_or_default().to_ascii_lowercase();
        let checked = || page.states().has(States::CHECKED);
        let value = || node.input_value.filter(|value| !value.is_empty()).unwrap_or_else(|| page.value());
        if self.dom.tag(id) == "input" {
            match kind.as_str() {
                "hidden" => return None,
                "checkbox" => return Some(if checked() { "[x] " } else { "[ ] " }.to_owned()),
                "radio" => return Some(if checked() { "(x) " } else { "( ) " }.to_owned()),
                "submit" | "button" | "reset" | "image" => {
                    let label = self.dom.attribute(id, "value").or_else(|| self.dom.attribute(id, "alt"));
                    let label = label.unwrap_or(match kind.as_str() {
                        "submit" => "Submit",
                        "reset" => "Reset",
                        _ => "",
                    });
                    return (!label.is_empty()).then(|| format!("[{label}] "));
                }
                _ => {}
            }
        }
        let shown = match self.dom.tag(id) {
            "select" => self.chosen(id).unwrap_or_else(|| page.value().to_owned()),
            _ if page.flags().has(Flags::SECRET) || kind == "password" => "•".repeat(value().chars().count()),
            _ => value().to_owned(),
        };
        let shown = if shown.is_empty() { self.dom.attribute(id, "placeholder").unwrap_or_default() } else { &shown };
        Some(if shown.is_empty() { "[___] ".to_owned() } else { format!("[{shown}] ") })
    }

    /// The texts of the options that are chosen.
    fn chosen(&self, select: Id) -> Option<String> {
        let options = self.dom.descendants(select).filter(|id| self.dom.tag(*id) == "option");
        let is_chosen = |id: &Id| self.dom.node(*id).page.is_some_and(|page| page.states().has(States::SELECTED));
        let text = |id: Id| {
            let text: String = self.dom.children(id).map(|text| self.dom.node(text).text).collect();
            text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
        };
        let chosen: Vec<String> = options.filter(is_chosen).map(text).collect();
        (!chosen.is_empty()).then(|| chosen.join(", "))
    }
}

/// A URL as it may stand between the brackets of a link.
fn link_target(url: &str) -> String {
    let mut target = String::with_capacity(url.len());
    for c in url.trim().chars() {
        match c {
            ' ' => target.push_str("%20"),
            '(' => target.push_str("%28"),
            ')' => target.push_str("%29"),
            c if c.is_control() => {}
            c => target.push(c),
        }
    }
    target
}

/// Whether an element is part of a line, unless styles make it a box.
fn is_inline(tag: &str) -> bool {
    [
        "a", "abbr", "b", "strong", "i", "em", "del", "s", "code", "kbd", "samp", "bdi", "bdo", "button", "cite",
        "data", "dfn", "font", "ins", "label", "mark", "output", "q", "small", "slot", "span", "sub", "sup", "time",
        "u", "var",
    ]
    .contains(&tag)
}

/// Tags that mean something in markdown.
fn plain_tag(tag: &str) -> Option<(&'static str, &'static str)> {
    macro_rules! tags {
        ($($tag:literal),*) => {
            match tag {
                $($tag => Some((concat!("<", $tag, ">"), concat!("</", $tag, ">"))),)*
                _ => None,
            }
        };
    }
    tags!(
        "h1", "h2", "h3", "h4", "h5", "h6", "p", "ul", "ol", "li", "table", "tr", "caption", "code", "kbd", "samp",
        "blockquote", "strong", "b", "em", "i", "del", "s", "dl", "dt", "dd"
    )
}

#[cfg(test)]
mod tests;
