//! What an element is for reading: how its box flows, whether it is a section, what a list starts
//! with, what language code is in.
//!
//! In: a node, or a character. Out: one answer. Invariant: each answer depends on the node, its
//! parents and its children alone.

use browserlens_core::page::{Flags, Flow, NodeRef, Visibility, role};

/// Returns how a box stands among others: by its computed style, or by its tag where no style is
/// known or it would have no box.
pub(super) fn flow(node: NodeRef<'_>, include_hidden: bool) -> Flow {
    let is_hidden = node.visibility() == Visibility::NotRendered;
    let display = node.style("display").filter(|_| !is_hidden);
    let is_boxless = !is_hidden && display.is_none() && node.bounds().is_empty();
    if is_boxless || (is_hidden && !include_hidden) {
        return Flow::Inline;
    }
    match Flow::of(display, node.tag()) {
        Flow::Row | Flow::Cell => Flow::Block,
        flow => flow,
    }
}

/// Returns whether an element begins a section of its own.
pub(super) fn is_section(node: NodeRef<'_>, tag: &str, role: &str) -> bool {
    if role::is_landmark(role) && role != "form" {
        return true;
    }
    match tag {
        "main" | "article" | "section" | "nav" | "aside" | "dialog" | "search" => true,
        // Within a section these are its head and foot, not landmarks; the accessibility tree says
        // which they are.
        "header" | "footer" => false,
        _ => matches!(role, "article" | "dialog" | "alertdialog") && !node.flags().has(Flags::AX_IGNORED),
    }
}

/// Returns the number that a list starts with; none for a bullet list.
pub(super) fn list_start(node: NodeRef<'_>, tag: &str) -> Option<u32> {
    if tag != "ol" {
        return None;
    }
    let shown = node
        .children()
        .find(|item| item.tag() == "li" && item.visibility() != Visibility::NotRendered)
        .and_then(|item| item.children().find(|child| child.tag() == "::marker"))
        .and_then(|marker| marker.text().trim().trim_end_matches(['.', ')']).parse().ok());
    let said = || node.attribute("start").and_then(|start| start.trim().parse().ok());
    Some(shown.or_else(said).unwrap_or(1))
}

/// Returns the language of code, as the classes that highlighters and documentation tools set name
/// it.
pub(super) fn language(node: NodeRef<'_>) -> String {
    let inner = node.children().find(|child| child.tag() == "code");
    let around = node.ancestors().take(2);
    for place in inner.into_iter().chain([node]).chain(around) {
        for name in ["data-lang", "data-language"] {
            if let Some(language) = place.attribute(name).filter(|language| !language.trim().is_empty()) {
                return language.to_owned();
            }
        }
        for class in place.classes() {
            for prefix in ["language-", "lang-", "highlight-source-", "highlight-", "sourceCode-"] {
                if let Some(language) = class.strip_prefix(prefix).filter(|language| !language.is_empty()) {
                    return language.to_owned();
                }
            }
        }
    }
    String::new()
}

/// Returns whether a character belongs to the words around it.
pub(super) fn is_punctuation(c: char) -> bool {
    "\"'“”‘’„‚«»‹()[],.;:!?…「」『』、。-%".contains(c)
}

/// Returns whether a character is of private use: the glyph of an icon font.
pub(super) fn is_picture(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}')
}

/// Returns whether nobody sees a character: it is not rendered, or only turns others around.
/// Joiners and what selects a form of the character before stay.
pub(super) fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}
