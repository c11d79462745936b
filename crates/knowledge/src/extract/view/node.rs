//! What one node says of itself: whether it is filled, chosen or open, its name and its shape.

use super::without_numbers;
use crate::extract::nodes::{Labels, given_name, name_of, one_line, role_of};
use browserlens_core::page::{Flags, NodeKind, NodeRef, States, Tri};

/// Returns whether a button is the pressed one of several of which one is: that says which view is
/// shown, as a selected tab does. Of a toolbar any may be pressed, and that says nothing.
pub(super) fn is_chosen(node: NodeRef<'_>) -> bool {
    let is_pressed = |node: NodeRef<'_>| {
        let by_markup = || node.attribute("aria-pressed").map(|pressed| pressed == "true");
        node.pressed().map(|pressed| pressed == Tri::True).or_else(by_markup)
    };
    let Some(parent) = node.parent().filter(|_| is_pressed(node) == Some(true)) else { return false };
    let all: Vec<bool> = parent.children().filter_map(is_pressed).collect();
    all.len() > 1 && all.iter().filter(|pressed| **pressed).count() == 1
}

/// Returns a name that was given to a node, not the text in it.
pub(super) fn own_name(node: NodeRef<'_>, labels: &Labels<'_>) -> String {
    given_name(node).or_else(|| labels.referred_to(node)).unwrap_or_default()
}

pub(super) fn dialog_name(node: NodeRef<'_>, labels: &Labels<'_>) -> String {
    let own = own_name(node, labels);
    if !own.is_empty() {
        return own;
    }
    node.descendants()
        .find(|below| role_of(*below) == "heading")
        .map(|heading| name_of(heading, labels))
        .unwrap_or_default()
}

pub(super) fn is_open_dialog(node: NodeRef<'_>) -> bool {
    node.kind() == NodeKind::Element
        && matches!(role_of(node), "dialog" | "alertdialog")
        && node.is_visible()
        && node.subtree().any(|part| part.is_visible() && !part.bounds().is_empty())
}

pub(super) fn is_modal(node: NodeRef<'_>) -> bool {
    node.states().has(States::MODAL)
        || node.attribute("aria-modal") == Some("true")
        || node.page().nodes().any(|other| other.flags().has(Flags::INERT) && !node.holds(other.id()))
}

pub(super) fn in_main(node: NodeRef<'_>) -> bool {
    std::iter::once(node)
        .chain(node.ancestors())
        .any(|above| above.kind() == NodeKind::Element && role_of(above) == "main")
}

pub(super) fn form_of(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    node.ancestors().find(|above| above.tag() == "form" || above.role() == "form" || above.role() == "search")
}

/// Returns whether a field has a value. Of a list the first option may stand for none
/// (`<option value="">Choose…</option>`).
pub(super) fn is_filled(node: NodeRef<'_>, labels: &Labels<'_>) -> bool {
    let chosen = || {
        let mut options = node.descendants().filter(|option| option.tag() == "option");
        options.find(|option| option.selected() == Some(true) || name_of(*option, labels) == one_line(node.value()))
    };
    match (node.checked(), role_of(node)) {
        (Some(checked), _) => checked == Tri::True,
        (None, "checkbox" | "radio" | "switch") => node.attribute("checked").is_some(),
        _ => node.is_filled() && chosen().is_none_or(|option| option.attribute("value") != Some("")),
    }
}

pub(super) fn is_field(role: &str) -> bool {
    browserlens_core::page::role::is_text_field(role)
        || matches!(role, "checkbox" | "radio" | "switch" | "slider" | "listbox" | "ColorWell")
}

pub(super) fn heading_level(tag: &str) -> u8 {
    match tag.as_bytes() {
        [b'h', digit @ b'1'..=b'6'] => digit - b'0',
        _ => 2,
    }
}

pub(super) fn built_like<'p>(node: NodeRef<'p>) -> (&'p str, &'p str) {
    let classes = node.attribute("class").unwrap_or("");
    (node.tag(), classes.split_ascii_whitespace().next().unwrap_or(""))
}

pub(super) fn skeleton_hash(node: NodeRef<'_>) -> u64 {
    let mut classes: Vec<&str> = node.attribute("class").unwrap_or("").split_ascii_whitespace().collect();
    classes.sort_unstable();
    classes.dedup();
    let mut hasher = blake3::Hasher::new();
    for part in std::iter::once(node.tag()).chain(classes) {
        hasher.update(without_numbers(part).as_bytes());
        hasher.update(b"\0");
    }
    hasher.update(without_numbers(node.attribute("id").unwrap_or("")).as_bytes());
    let bytes = hasher.finalize();
    u64::from_le_bytes(std::array::from_fn(|at| bytes.as_bytes()[at]))
}
