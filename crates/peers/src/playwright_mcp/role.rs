//! Roles of elements by the tool's own tables, from tags and attributes.
//!
//! In: an [`Aria`]. Out: role names (`None` where the tool has none: it prints `generic`).
//! Invariant: an explicit role that the tool does not know is no role; the accessibility tree of
//! the browser is not asked.

use super::aria::Aria;
use crate::dom::Id;
use browserlens_core::page::{NodeKind, js_trim};

const VALID_ROLES: &[&str] = &[
    "alert", "alertdialog", "application", "article", "banner", "blockquote", "button", "caption", "cell", "checkbox",
    "code", "columnheader", "combobox", "complementary", "contentinfo", "definition", "deletion", "dialog",
    "directory", "document", "emphasis", "feed", "figure", "form", "generic", "grid", "gridcell", "group", "heading",
    "img", "insertion", "link", "list", "listbox", "listitem", "log", "main", "mark", "marquee", "math", "meter",
    "menu", "menubar", "menuitem", "menuitemcheckbox", "menuitemradio", "navigation", "none", "note", "option",
    "paragraph", "presentation", "progressbar", "radio", "radiogroup", "region", "row", "rowgroup", "rowheader",
    "scrollbar", "search", "searchbox", "separator", "slider", "spinbutton", "status", "strong", "subscript",
    "superscript", "switch", "tab", "table", "tablist", "tabpanel", "term", "textbox", "time", "timer", "toolbar",
    "tooltip", "tree", "treegrid", "treeitem",
];

/// Tags that are called as their role.
const SAME_ROLES: &[&str] = &[
    "article", "blockquote", "button", "caption", "code", "dialog", "figure", "main", "mark", "math", "meter",
    "option", "search", "strong", "table", "time",
];

/// Attributes that keep an element's role against `role=none`, and the roles on which they do not
/// count.
const GLOBAL_ATTRIBUTES: &[&str] = &[
    "aria-atomic", "aria-busy", "aria-controls", "aria-current", "aria-describedby", "aria-details", "aria-dropeffect",
    "aria-flowto", "aria-grabbed", "aria-hidden", "aria-keyshortcuts", "aria-live", "aria-owns", "aria-relevant",
];
const NO_LABEL: &[&str] = &[
    "caption", "code", "deletion", "emphasis", "generic", "insertion", "paragraph", "presentation", "strong",
    "subscript", "superscript",
];

impl Aria<'_, '_> {
    pub(super) fn find_roles(&mut self) {
        for id in 0..self.dom.len() as Id {
            if self.dom.is_element(id) {
                self.facts[id as usize].role = self.find_role(id);
            }
        }
    }

    /// The role; none where the tool has none.
    pub fn role(&self, id: Id) -> Option<&'static str> {
        self.facts[id as usize].role
    }

    fn find_role(&self, id: Id) -> Option<&'static str> {
        match self.explicit_role(id) {
            None => self.implicit_role(id),
            Some(role @ ("none" | "presentation")) => {
                let implicit = self.implicit_role(id);
                if self.keeps_role(id, implicit.unwrap_or("")) { implicit } else { Some(role) }
            }
            explicit => explicit,
        }
    }

    fn explicit_role(&self, id: Id) -> Option<&'static str> {
        let given = self.dom.attribute(id, "role")?;
        given.split(' ').map(js_trim).find_map(|role| VALID_ROLES.iter().find(|known| **known == role).copied())
    }

    pub(super) fn has(&self, id: Id, attribute: &str) -> bool {
        self.dom.attribute(id, attribute).is_some()
    }

    fn keeps_role(&self, id: Id, role: &str) -> bool {
        let labels = !NO_LABEL.contains(&role) && self.has_label(id);
        let described = role != "generic" && self.has(id, "aria-roledescription");
        labels || described || self.has_global(id) || self.is_focusable(id)
    }

    fn has_global(&self, id: Id) -> bool {
        GLOBAL_ATTRIBUTES.iter().any(|attribute| self.has(id, attribute))
    }

    fn has_tab_index(&self, id: Id) -> bool {
        self.dom.attribute(id, "tabindex").is_some_and(|value| {
            let value = js_trim(value);
            value.is_empty() || value.parse::<f64>().is_ok_and(|number| !number.is_nan())
        })
    }

    fn is_focusable(&self, id: Id) -> bool {
        let native = match self.dom.tag(id) {
            "button" | "details" | "select" | "textarea" => true,
            "a" | "area" => self.has(id, "href"),
            "input" => !self.has(id, "hidden"),
            _ => false,
        };
        !self.is_natively_disabled(id) && (native || self.has_tab_index(id))
    }

    fn prevents_landmark(&self, id: Id) -> bool {
        self.dom
            .closest(id, |up| match self.dom.attribute(up, "role") {
                None => matches!(self.dom.tag(up), "article" | "aside" | "main" | "nav" | "section"),
                Some(role) => matches!(role, "article" | "complementary" | "main" | "navigation" | "region"),
            })
            .is_some()
    }

    fn has_label(&self, id: Id) -> bool {
        self.has(id, "aria-label") || self.has(id, "aria-labelledby")
    }

    fn implicit_role(&self, id: Id) -> Option<&'static str> {
        let role = self.tag_role(id)?;
        let mut at = id;
        while let Some(parent) = self.dom.parent_or_host(at) {
            if !inherits_presentation(self.dom.tag(at), self.dom.tag(parent)) {
                break;
            }
            if let Some(explicit @ ("none" | "presentation")) = self.explicit_role(parent)
                && !self.keeps_role(parent, explicit)
            {
                return Some(explicit);
            }
            at = parent;
        }
        Some(role)
    }

    fn tag_role(&self, id: Id) -> Option<&'static str> {
        Some(match self.dom.tag(id) {
            "a" | "area" => return self.has(id, "href").then_some("link"),
            "aside" => "complementary",
            "datalist" => "listbox",
            "dd" => "definition",
            "del" => "deletion",
            "details" | "fieldset" | "optgroup" => "group",
            "dfn" | "dt" => "term",
            "em" => "emphasis",
            "footer" => return (!self.prevents_landmark(id)).then_some("contentinfo"),
            "header" => return (!self.prevents_landmark(id)).then_some("banner"),
            "form" => return self.has_label(id).then_some("form"),
            "section" => return self.has_label(id).then_some("region"),
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
            "hr" => "separator",
            "html" => "document",
            "img" => {
                let decorative = self.dom.attribute(id, "alt") == Some("")
                    && self.dom.attribute(id, "title").is_none_or(str::is_empty);
                let global = self.has_label(id) || self.has(id, "aria-roledescription") || self.has_global(id);
                if decorative && !global && !self.has_tab_index(id) { "presentation" } else { "img" }
            }
            "input" => return self.input_role(id),
            "ins" => "insertion",
            "li" => "listitem",
            "menu" | "ol" | "ul" => "list",
            "nav" => "navigation",
            "output" => "status",
            "p" => "paragraph",
            "progress" => "progressbar",
            "select" => {
                let size = self.dom.attribute(id, "size").and_then(|size| size.parse::<u32>().ok());
                if size > Some(1) || self.has(id, "multiple") { "listbox" } else { "combobox" }
            }
            "sub" => "subscript",
            "sup" => "superscript",
            "svg" => "img",
            "tbody" | "tfoot" | "thead" => "rowgroup",
            "td" => {
                let table =
                    self.dom.closest(id, |up| self.dom.tag(up) == "table").and_then(|table| self.explicit_role(table));
                if matches!(table, Some("grid" | "treegrid")) { "gridcell" } else { "cell" }
            }
            "textarea" => "textbox",
            "th" => return self.header_role(id),
            "tr" => "row",
            tag => return SAME_ROLES.iter().find(|same| **same == tag).copied(),
        })
    }

    fn input_role(&self, id: Id) -> Option<&'static str> {
        Some(match self.input_type(id).as_str() {
            kind @ ("email" | "search" | "tel" | "text" | "url") => {
                let list = self.dom.attribute(id, "list").and_then(|list| self.dom.id_refs(id, list).first().copied());
                match list {
                    Some(list) if self.dom.tag(list) == "datalist" => "combobox",
                    _ if kind == "search" => "searchbox",
                    _ => "textbox",
                }
            }
            "hidden" => return None,
            "button" | "file" | "image" | "reset" | "submit" => "button",
            "checkbox" => "checkbox",
            "number" => "spinbutton",
            "radio" => "radio",
            "range" => "slider",
            _ => "textbox",
        })
    }

    fn header_role(&self, id: Id) -> Option<&'static str> {
        match self.dom.attribute(id, "scope") {
            Some("col" | "colgroup") => return Some("columnheader"),
            Some("row" | "rowgroup") => return Some("rowheader"),
            _ => {}
        }
        let parent = self.dom.node(id).parent;
        let elements = |parent| self.dom.children(parent).filter(|child| self.dom.is_element(*child));
        let siblings: Vec<Id> = parent.into_iter().flat_map(elements).collect();
        let at = siblings.iter().position(|sibling| *sibling == id).unwrap_or(0);
        let before = at.checked_sub(1).and_then(|before| siblings.get(before)).copied();
        let after = siblings.get(at + 1).copied();
        if before.is_none() && after.is_none() {
            if let Some(row) = parent.filter(|parent| self.dom.tag(*parent) == "tr")
                && let Some(table) = self.dom.closest(row, |up| self.dom.tag(up) == "table")
                && self.row_count(table) <= 1
            {
                return None;
            }
            return Some("columnheader");
        }
        let header = |cell: Option<Id>| cell.is_some_and(|cell| self.dom.tag(cell) == "th");
        let data = |cell: Option<Id>| {
            cell.is_some_and(|cell| {
                self.dom.tag(cell) == "td"
                    && self.dom.children(cell).any(|child| match self.dom.node(child).kind {
                        NodeKind::Element => true,
                        NodeKind::Text => !js_trim(self.dom.node(child).text).is_empty(),
                        _ => false,
                    })
            })
        };
        let row = !(header(before) && header(after)) && (data(before) || data(after));
        Some(if row { "rowheader" } else { "columnheader" })
    }

    /// `table.rows.length`.
    fn row_count(&self, table: Id) -> usize {
        let groups =
            self.dom.children(table).filter(|child| matches!(self.dom.tag(*child), "thead" | "tbody" | "tfoot"));
        let rows = |parent: Id| self.dom.children(parent).filter(|child| self.dom.tag(*child) == "tr").count();
        rows(table) + groups.map(rows).sum::<usize>()
    }
}

fn inherits_presentation(tag: &str, parent: &str) -> bool {
    match tag {
        "dd" | "dt" => matches!(parent, "dl" | "div"),
        "div" => parent == "dl",
        "li" => matches!(parent, "ol" | "ul"),
        "tbody" | "tfoot" | "thead" => parent == "table",
        "td" | "th" => parent == "tr",
        "tr" => matches!(parent, "thead" | "tbody" | "tfoot" | "table"),
        _ => false,
    }
}
