//! What one node is called, what it is, and what selects it.
//!
//! In: a node. Out: its role by the accessibility tree or its markup, its name on one line, a
//! selector of something stable. Invariant: text of a page stands in a selector only as an escaped
//! CSS string.

use browserlens_core::page::text::is_unseen;
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page};
use cssparser::{ToCss, Token};
use std::collections::HashMap;

/// Returns a name on one line, without what cannot be seen: it may differ between pages that look
/// alike.
pub(crate) fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(256));
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !is_unseen(*c)));
    }
    line
}

/// Returns the role of a node by the accessibility tree, or by its markup where an open dialog took
/// it away.
pub(crate) fn role_of<'p>(node: NodeRef<'p>) -> &'p str {
    let role = node.role();
    if !browserlens_core::page::role::is_generic(role) {
        return role;
    }
    if let Some(written) = node.attribute("role") {
        return written.split_ascii_whitespace().next().unwrap_or("");
    }
    match node.tag() {
        "button" | "summary" => "button",
        "a" if node.attribute("href").is_some() => "link",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "nav" => "navigation",
        "main" => "main",
        "aside" => "complementary",
        "header" if !in_section(node) => "banner",
        "footer" if !in_section(node) => "contentinfo",
        "section" if node.attribute("aria-label").is_some() || node.attribute("aria-labelledby").is_some() => "region",
        "form" if node.attribute("aria-label").is_some() => "form",
        "dialog" if node.attribute("open").is_some() => "dialog",
        "select" => "combobox",
        "textarea" => "textbox",
        "input" => match node.attribute("type").unwrap_or("text") {
            "hidden" => "",
            "button" | "submit" | "reset" | "image" | "file" => "button",
            "checkbox" => "checkbox",
            "radio" => "radio",
            "range" => "slider",
            "number" => "spinbutton",
            "search" => "searchbox",
            _ => "textbox",
        },
        _ => "",
    }
}

fn in_section(node: NodeRef<'_>) -> bool {
    node.ancestors().any(|above| matches!(above.tag(), "article" | "aside" | "main" | "nav" | "section"))
}

/// Returns the name that was given to a node by itself.
pub(crate) fn given_name(node: NodeRef<'_>) -> Option<String> {
    [node.name(), node.attribute("aria-label").unwrap_or("")].into_iter().map(one_line).find(|n| !n.is_empty())
}

/// Returns what a person would call a node.
pub(crate) fn name_of(node: NodeRef<'_>, labels: &Labels<'_>) -> String {
    if let Some(name) = given_name(node) {
        return name;
    }
    if matches!(node.tag(), "input" | "select" | "textarea") {
        return labels.of_field(node).unwrap_or_default();
    }
    labels.referred_to(node).unwrap_or_else(|| short_text(node))
}

/// Text longer than this names nothing.
const MAX_NAME_CHARS: usize = 120;

pub(crate) fn short_text(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    for part in node.subtree() {
        if matches!(part.kind(), NodeKind::Text | NodeKind::Pseudo) && part.is_visible() {
            text.push(' ');
            text.push_str(part.text());
            if text.len() > 4 * MAX_NAME_CHARS {
                break;
            }
        }
    }
    let text = one_line(&text);
    if text.chars().count() > MAX_NAME_CHARS { String::new() } else { text }
}

/// What names other nodes: nodes by id, and labels by the id of their field.
pub(crate) struct Labels<'p> {
    page: &'p Page,
    by_id: HashMap<&'p str, NodeId>,
    of_field: HashMap<&'p str, NodeId>,
}

impl<'p> Labels<'p> {
    pub(crate) fn of(page: &'p Page) -> Self {
        let mut labels = Self { page, by_id: HashMap::new(), of_field: HashMap::new() };
        for node in page.nodes().filter(|node| node.kind() == NodeKind::Element) {
            if let Some(id) = node.attribute("id") {
                labels.by_id.entry(id).or_insert(node.id());
            }
            if let Some(field) = node.attribute("for").filter(|_| node.tag() == "label") {
                labels.of_field.entry(field).or_insert(node.id());
            }
        }
        labels
    }

    pub(crate) fn referred_to(&self, node: NodeRef<'_>) -> Option<String> {
        let wanted = node.attribute("aria-labelledby")?.split_ascii_whitespace().next()?;
        let label = self.page.node(*self.by_id.get(wanted)?);
        Some(short_text(label)).filter(|name| !name.is_empty())
    }

    pub(crate) fn of_field(&self, node: NodeRef<'_>) -> Option<String> {
        let around = node.ancestors().find(|above| above.tag() == "label").map(short_text);
        let by_id = || Some(short_text(self.page.node(*self.of_field.get(node.attribute("id")?)?)));
        let label = around.or_else(by_id).filter(|name| !name.is_empty());
        label.or_else(|| node.attribute("placeholder").map(one_line)).filter(|name| !name.is_empty())
    }
}

/// Returns a selector that names the node by something stable in its markup.
pub(crate) fn selector_of(node: NodeRef<'_>) -> Option<String> {
    let stable =
        |value: &str| !value.is_empty() && value.len() <= 60 && !value.bytes().any(|byte| byte.is_ascii_digit());
    ["data-testid", "id", "name", "aria-label"].into_iter().find_map(|attribute| {
        let value = node.attribute(attribute).filter(|value| stable(value))?;
        Some(format!("{}[{attribute}={}]", css_name(node.tag()), css_string(value)))
    })
}

/// Writes a tag; what is no plain name stands for any element.
fn css_name(tag: &str) -> &str {
    let plain = tag.starts_with(|c: char| c.is_ascii_lowercase())
        && tag.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    if plain { tag } else { "*" }
}

/// Writes a text as a CSS string, so that nothing of it is read as a selector.
pub(crate) fn css_string(text: &str) -> String {
    Token::QuotedString(text.into()).to_css_string()
}
