//! Menus that open as one points at their word, where the style sheet alone says so.

use super::MOST_BESIDE;
use browserlens_core::page::{Clickability, NodeKind, NodeRef, role};

/// Longest word of a menu, in characters.
const LONGEST_WORD: usize = 40;
/// Most nodes that are looked through for what a menu holds.
const MOST_IN_A_MENU: usize = 400;
/// How far above a word its bar may be.
const MOST_ABOVE: usize = 6;

/// Returns whether the menu is open that an element is the word of; none if it is no such word: in
/// an item of a list or in a bar, before something that is closed, or lies over the page, and holds
/// links.
pub(crate) fn hovered_menu(word: NodeRef<'_>) -> Option<bool> {
    // What is heard opens by a click, or is a control anyway.
    let is_heard = |node: NodeRef<'_>| !matches!(node.clickability(), Clickability::NONE | Clickability::POINTER);
    if !word.is_visible() || is_heard(word) {
        return None;
    }
    let texts = word.children().filter(|child| child.kind() == NodeKind::Text);
    let length = texts.map(|child| child.text().trim().chars().count()).sum::<usize>();
    let is_word = (1..=LONGEST_WORD).contains(&length);
    // The word is an element before the menu, or a text of the item.
    let item = if word.tag() == "li" && is_word { word } else { word.parent()? };
    let is_bar = |node: NodeRef<'_>| {
        matches!(node.tag(), "nav" | "header") || matches!(node.role(), "navigation" | "menubar" | "banner")
    };
    let is_plain = role::is_generic(item.role()) || item.role() == "listitem";
    if !is_word || !is_plain || is_heard(item) || item.tag() != "li" && !item.ancestors().take(MOST_ABOVE).any(is_bar) {
        return None;
    }
    let is_within = item.id() != word.id();
    let parts = item.children().filter(|part| part.kind() == NodeKind::Element).take(MOST_BESIDE);
    let mut after = parts.skip_while(|part| is_within && part.id() != word.id()).skip(usize::from(is_within));
    let menu = after.find(|part| holds_controls(*part))?;
    let is_seen = |node: NodeRef<'_>| node.is_visible() && (node.kind() == NodeKind::Text || is_control(node));
    let is_open = menu.subtree().any(is_seen);
    let lies_over = matches!(menu.style("position"), Some("absolute" | "fixed"));
    let is_alone = item.children().filter(|part| part.id() != menu.id()).all(|part| !holds_controls(part));
    (is_alone && (!is_open || lies_over)).then_some(is_open)
}

/// Returns whether there are controls in an element, itself included; what is not drawn has no role
/// but by its markup.
fn holds_controls(element: NodeRef<'_>) -> bool {
    element.subtree().take(MOST_IN_A_MENU).any(is_control)
}

fn is_control(node: NodeRef<'_>) -> bool {
    match node.tag() {
        "a" => node.attribute("href").is_some(),
        "button" | "input" | "select" | "textarea" => true,
        _ => matches!(node.attribute("role"), Some("button" | "link" | "menuitem")),
    }
}
