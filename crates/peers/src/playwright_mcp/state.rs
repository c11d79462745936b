//! States of elements by the tool's own rules: checked, pressed, expanded, selected, invalid,
//! disabled, level.
//!
//! In: an [`Aria`] and the role that an element has. Out: its states as they are written. Invariant:
//! a state is off wherever the tool's table does not know it for the role.

use super::aria::{Aria, is_true};
use crate::dom::Id;
use browserlens_core::page::{States, js_trim};

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

impl Aria<'_, '_> {
    /// What is written of an element's states, in the tool's order.
    pub fn states(&self, id: Id, role: &str, active: bool) -> String {
        let flag = |word: &str, on: bool| on.then(|| word.to_owned());
        let level = self.level(id, role);
        let said = [
            mark("checked", self.checked(id, role)),
            flag("disabled", DISABLED.contains(&role) && self.is_disabled(id)),
            flag("expanded", self.is_expanded(id, role)),
            flag("active", active),
            self.invalid(id, role).map(str::to_owned),
            (level > 0).then(|| format!("level={level}")),
            mark("pressed", if role == "button" { self.dom.attribute(id, "aria-pressed") } else { None }),
            flag("selected", self.is_selected(id, role)),
        ];
        said.into_iter().flatten().map(|state| format!(" [{state}]")).collect()
    }

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

    /// Whether an element of a role that can be disabled is.
    fn is_disabled(&self, id: Id) -> bool {
        if self.is_natively_disabled(id) {
            return true;
        }
        std::iter::successors(Some(id), |id| self.dom.parent_or_host(*id))
            .find_map(|up| match self.dom.attribute(up, "aria-disabled") {
                Some(value) if value.eq_ignore_ascii_case("true") => Some(true),
                Some(value) if value.eq_ignore_ascii_case("false") => Some(false),
                _ => None,
            })
            .unwrap_or(false)
    }

    /// As `aria-checked` would say it.
    fn checked(&self, id: Id, role: &str) -> Option<&str> {
        if !CHECKED.contains(&role) {
            return None;
        }
        if self.dom.tag(id) == "input" {
            if self.has_state(id, States::CHECKED_MIXED) {
                return Some("mixed");
            }
            if matches!(self.input_type(id).as_str(), "checkbox" | "radio") {
                let on = self.dom.node(id).checked.unwrap_or_else(|| self.has_state(id, States::CHECKED));
                return on.then_some("true");
            }
        }
        self.dom.attribute(id, "aria-checked")
    }

    fn is_expanded(&self, id: Id, role: &str) -> bool {
        // The tool asks `details` too, but only for roles that can be expanded, and `group` is
        // none.
        EXPANDED.contains(&role)
            && if self.dom.tag(id) == "details" {
                self.has(id, "open")
            } else {
                self.dom.attribute(id, "aria-expanded") == Some("true")
            }
    }

    fn is_selected(&self, id: Id, role: &str) -> bool {
        if !SELECTED.contains(&role) {
            return false;
        }
        if self.dom.tag(id) == "option" {
            self.dom.node(id).selected.unwrap_or_else(|| self.has_state(id, States::SELECTED))
        } else {
            is_true(self.dom.attribute(id, "aria-selected"))
        }
    }

    fn invalid(&self, id: Id, role: &str) -> Option<&'static str> {
        match self.dom.attribute(id, "aria-invalid").filter(|_| INVALID.contains(&role))? {
            "grammar" => Some("invalid=grammar"),
            "spelling" => Some("invalid=spelling"),
            value => (!js_trim(value).is_empty() && !value.eq_ignore_ascii_case("false")).then_some("invalid"),
        }
    }

    fn level(&self, id: Id, role: &str) -> u32 {
        let told = match self.dom.tag(id) {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => Some(&self.dom.tag(id)[1..]),
            _ => self.dom.attribute(id, "aria-level"),
        };
        told.filter(|_| LEVEL.contains(&role)).and_then(|level| js_trim(level).parse().ok()).unwrap_or(0)
    }
}

/// A state that may be mixed.
fn mark(name: &str, value: Option<&str>) -> Option<String> {
    match value? {
        "true" => Some(name.to_owned()),
        "mixed" => Some(format!("{name}=mixed")),
        _ => None,
    }
}
