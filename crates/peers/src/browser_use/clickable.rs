//! Which elements the tool takes as interactive.
//!
//! In: a [`View`]. Out: yes or no. Invariant: rules apply in the tool's order, and the first that
//! decides wins; so a listener outweighs `disabled`, and `disabled` outweighs the tag.

use super::view::View;
use crate::dom::Id;

const SEARCH_WORDS: &[&str] = &["search", "magnify", "glass", "lookup", "find", "query"];

impl View<'_, '_> {
    /// Whether the tool would give the element an index, visibility aside.
    pub fn is_interactive(&self, id: Id) -> bool {
        let dom = self.dom;
        let tag = dom.tag(id);
        if !dom.is_element(id) || matches!(tag, "html" | "body") {
            return false;
        }
        if self.listens(id) {
            return true;
        }
        if matches!(tag, "iframe" | "frame")
            && self.bounds(id).is_some_and(|bounds| bounds.width > 100.0 && bounds.height > 100.0)
        {
            return true;
        }
        if tag == "label" && dom.attribute(id, "for").is_some_and(|target| !target.is_empty()) {
            return false;
        }
        if matches!(tag, "label" | "span") && self.holds_field(id) {
            return true;
        }
        if self.looks_like_search(id) {
            return true;
        }
        let ax = self.ax(id);
        for (name, value) in ax.iter().flat_map(|ax| &ax.properties) {
            match name.as_str() {
                "disabled" | "hidden" if value.is_truthy() => return false,
                "focusable" | "editable" | "settable" | "required" | "autocomplete" | "keyshortcuts"
                    if value.is_truthy() =>
                {
                    return true;
                }
                "checked" | "expanded" | "pressed" | "selected" => return true,
                _ => {}
            }
        }
        let controls = ["button", "input", "select", "textarea", "a", "details", "summary", "option", "optgroup"];
        let has = |name: &str| dom.attribute(id, name).is_some();
        let small = |length: f32| (10.0..=50.0).contains(&length);
        // The size of an icon.
        let is_icon = || self.bounds(id).is_some_and(|bounds| small(bounds.width) && small(bounds.height));
        controls.contains(&tag)
            || ["onclick", "onmousedown", "onmouseup", "onkeydown", "onkeyup", "tabindex"].into_iter().any(has)
            || dom.attribute(id, "role").is_some_and(is_interactive_role)
            || ax.is_some_and(|ax| ax.role == "listbox" || is_interactive_role(&ax.role))
            || (is_icon() && ["class", "role", "onclick", "data-action", "aria-label"].into_iter().any(has))
            || (dom.has_layout(id) && dom.style(id, "cursor") == Some("pointer"))
    }

    /// A form field at most two levels below.
    fn holds_field(&self, id: Id) -> bool {
        let is_field = |id: Id| matches!(self.dom.tag(id), "input" | "select" | "textarea");
        self.dom.light_elements(id).any(|child| is_field(child) || self.dom.light_elements(child).any(is_field))
    }

    fn looks_like_search(&self, id: Id) -> bool {
        self.dom.node(id).attributes.iter().any(|(name, value)| {
            (matches!(*name, "class" | "id") || name.starts_with("data-")) && {
                let value = value.to_lowercase();
                SEARCH_WORDS.iter().any(|word| value.contains(word))
            }
        })
    }
}

fn is_interactive_role(role: &str) -> bool {
    [
        "button", "link", "menuitem", "option", "radio", "checkbox", "tab", "textbox", "combobox", "slider",
        "spinbutton", "search", "searchbox", "row", "cell", "gridcell",
    ]
    .contains(&role)
}
