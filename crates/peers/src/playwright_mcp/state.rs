//! States of elements by the tool's own rules: checked, pressed, expanded, selected, invalid,
//! disabled, level.
//!
//! In: an [`Aria`] and the role that an element has. Out: its states. Invariant: a state is off
//! wherever the tool's table does not know it for the role.

use super::aria::{Aria, is_true};
use crate::dom::Id;
use browserlens_core::page::States;

const CHECKED: &[&str] = &["checkbox", "menuitemcheckbox", "option", "radio", "switch", "menuitemradio", "treeitem"];
const SELECTED: &[&str] = &["gridcell", "option", "row", "tab", "rowheader", "columnheader", "treeitem"];
const EXPANDED: &[&str] = &[
    "application", "button", "checkbox", "combobox", "gridcell", "link", "listbox", "menuitem", "row", "rowheader",
    "tab", "treeitem", "columnheader", "menuitemcheckbox", "menuitemradio", "switch",
];
const INVALID: &[&str] = &[
    "application", "checkbox", "columnheader", "combobox", "gridcell", "listbox", "radiogroup", "rowheader",
    "searchbox", "slider", "spinbutton", "switch", "textbox", "tree",
];
const LEVEL: &[&str] = &["heading", "listitem", "row", "treeitem"];
const DISABLED: &[&str] = &[
    "application", "button", "composite", "gridcell", "group", "input", "link", "menuitem", "scrollbar", "separator",
    "tab", "checkbox", "columnheader", "combobox", "grid", "listbox", "menu", "menubar", "menuitemcheckbox",
    "menuitemradio", "option", "radio", "radiogroup", "row", "rowheader", "searchbox", "select", "slider",
    "spinbutton", "switch", "tablist", "textbox", "toolbar", "tree", "treegrid", "treeitem",
];

/// A state with a third value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Off,
    On,
    Mixed,
}

/// `aria-invalid`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Invalid {
    No,
    Yes,
    Grammar,
    Spelling,
}

impl Aria<'_, '_> {
    /// Whether a form control is disabled by attribute, option group or field set.
    pub fn is_natively_disabled(&self, id: Id) -> bool {
        let tag = self.dom.tag(id);
        if !matches!(tag, "button" | "input" | "select" | "textarea" | "option" | "optgroup") {
            return false;
        }
        if self.has(id, "disabled") {
            return true;
        }
        let within = |up: Id| std::iter::successors(Some(up), |up| self.dom.parent_element(*up));
        if tag == "option" && within(id).any(|up| self.dom.tag(up) == "optgroup" && self.has(up, "disabled")) {
            return true;
        }
        let Some(set) = within(id).find(|up| self.dom.tag(*up) == "fieldset" && self.has(*up, "disabled")) else {
            return false;
        };
        let legend = self.dom.children(set).find(|child| self.dom.tag(*child) == "legend");
        legend.is_none_or(|legend| !within(id).any(|up| up == legend))
    }

    pub fn is_disabled(&self, id: Id) -> bool {
        if self.is_natively_disabled(id) {
            return true;
        }
        if !DISABLED.contains(&self.role(id).unwrap_or("")) {
            return false;
        }
        std::iter::successors(Some(id), |id| self.dom.parent_or_host(*id))
            .find_map(|up| match self.dom.attribute(up, "aria-disabled") {
                Some(value) if value.eq_ignore_ascii_case("true") => Some(true),
                Some(value) if value.eq_ignore_ascii_case("false") => Some(false),
                _ => None,
            })
            .unwrap_or(false)
    }

    pub fn checked(&self, id: Id, role: &str) -> Mark {
        if !CHECKED.contains(&role) {
            return Mark::Off;
        }
        if self.dom.tag(id) == "input" {
            if self.has_state(id, States::CHECKED_MIXED) {
                return Mark::Mixed;
            }
            if matches!(self.input_type(id).as_str(), "checkbox" | "radio") {
                let on = self.dom.node(id).checked.unwrap_or_else(|| self.has_state(id, States::CHECKED));
                return if on { Mark::On } else { Mark::Off };
            }
        }
        mark(self.dom.attribute(id, "aria-checked"))
    }

    pub fn pressed(&self, id: Id, role: &str) -> Mark {
        if role == "button" { mark(self.dom.attribute(id, "aria-pressed")) } else { Mark::Off }
    }

    pub fn is_expanded(&self, id: Id, role: &str) -> bool {
        // The tool asks `details` too, but only for roles that can be expanded, and `group` is
        // none.
        EXPANDED.contains(&role)
            && if self.dom.tag(id) == "details" {
                self.has(id, "open")
            } else {
                self.dom.attribute(id, "aria-expanded") == Some("true")
            }
    }

    pub fn is_selected(&self, id: Id, role: &str) -> bool {
        if !SELECTED.contains(&role) {
            return false;
        }
        if self.dom.tag(id) == "option" {
            self.dom.node(id).selected.unwrap_or_else(|| self.has_state(id, States::SELECTED))
        } else {
            is_true(self.dom.attribute(id, "aria-selected"))
        }
    }

    pub fn invalid(&self, id: Id, role: &str) -> Invalid {
        if !INVALID.contains(&role) {
            return Invalid::No;
        }
        match self.dom.attribute(id, "aria-invalid") {
            None => Invalid::No,
            Some("grammar") => Invalid::Grammar,
            Some("spelling") => Invalid::Spelling,
            Some(value) if browserlens_core::page::js_trim(value).is_empty() || value.eq_ignore_ascii_case("false") => {
                Invalid::No
            }
            Some(_) => Invalid::Yes,
        }
    }

    pub fn level(&self, id: Id, role: &str) -> u32 {
        if !LEVEL.contains(&role) {
            return 0;
        }
        match self.dom.tag(id) {
            "h1" => 1,
            "h2" => 2,
            "h3" => 3,
            "h4" => 4,
            "h5" => 5,
            "h6" => 6,
            _ => self
                .dom
                .attribute(id, "aria-level")
                .and_then(|level| browserlens_core::page::js_trim(level).parse().ok())
                .unwrap_or(0),
        }
    }
}

fn mark(value: Option<&str>) -> Mark {
    match value {
        Some("true") => Mark::On,
        Some("mixed") => Mark::Mixed,
        _ => Mark::Off,
    }
}

/// Whether the tool says that a node of this role is disabled.
pub(super) fn can_be_disabled(role: &str) -> bool {
    DISABLED.contains(&role)
}
