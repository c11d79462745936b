//! What a person sees in a form field.
//!
//! In: a field. Out: its text. Invariant: a secret is dots, always the same number.

use browserlens_core::page::{Flags, NodeRef, States};

/// What a filled secret looks like.
const DOTS: &str = "••••••••";

/// Returns whether the element is a field that is read as a whole.
pub(super) fn is_field(node: NodeRef<'_>) -> bool {
    match node.tag() {
        "input" | "textarea" => true,
        // A select of several rows shows its options; they are read as text.
        "select" => !node.descendants().any(|option| option.tag() == "option" && option.is_visible()),
        _ => false,
    }
}

/// Returns the state of a checkbox.
pub(super) fn checkbox(node: NodeRef<'_>) -> Option<bool> {
    let is_box = node.tag() == "input" && kind(node).eq_ignore_ascii_case("checkbox");
    is_box.then(|| node.states().has(States::CHECKED))
}

/// Returns whether a field is a box to tick, which has its label beside it.
pub(super) fn is_box(node: NodeRef<'_>) -> bool {
    node.tag() == "input" && matches!(kind(node).to_ascii_lowercase().as_str(), "checkbox" | "radio")
}

/// Returns the text of a field; none if there is nothing to see.
pub(super) fn text(node: NodeRef<'_>) -> Option<String> {
    let value = node.value();
    let said = |text: &str| (!text.trim().is_empty()).then(|| text.to_owned());
    if node.flags().has(Flags::SECRET) {
        return if node.is_filled() { Some(DOTS.to_owned()) } else { node.attribute("placeholder").and_then(said) };
    }
    if node.tag() == "select" {
        return said(value);
    }
    if node.tag() == "input" {
        let mark = |on: &str, off: &str| Some(if node.states().has(States::CHECKED) { on } else { off }.to_owned());
        match kind(node).to_ascii_lowercase().as_str() {
            "hidden" | "range" | "color" => return None,
            "checkbox" => return mark("☑", "☐"),
            "radio" => return mark("◉", "○"),
            "submit" => return said(node.attribute("value").unwrap_or("Submit")),
            "reset" => return said(node.attribute("value").unwrap_or("Reset")),
            "button" => return node.attribute("value").and_then(said),
            "image" => return node.attribute("alt").and_then(said),
            _ => {}
        }
    }
    said(value).or_else(|| node.attribute("placeholder").and_then(said))
}

fn kind<'p>(node: NodeRef<'p>) -> &'p str {
    node.attribute("type").unwrap_or("text")
}
