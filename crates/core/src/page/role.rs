//! What roles mean: which are interactive, which are landmarks, which carry no meaning of their
//! own.
//!
//! In: a role name as Chromium's accessibility tree writes it (`button`, `searchbox`, `StaticText`,
//! …). Out: answers about it. Invariant: an unknown role is neither interactive nor a landmark, and
//! never an error: newer browsers add roles.

/// Returns whether a node of this role is one that an agent acts on (WAI-ARIA widgets).
pub fn is_interactive(role: &str) -> bool {
    [
        "button", "link", "textbox", "searchbox", "checkbox", "radio", "combobox", "listbox", "option", "menuitem",
        "menuitemcheckbox", "menuitemradio", "slider", "spinbutton", "switch", "tab", "treeitem", "DisclosureTriangle",
        "ColorWell", "Date", "DateTime", "InputTime", "MenuListPopup", "PopUpButton",
    ]
    .contains(&role)
}

/// Returns whether the role is a landmark region.
pub fn is_landmark(role: &str) -> bool {
    matches!(role, "banner" | "navigation" | "main" | "complementary" | "contentinfo" | "search" | "form" | "region")
}

/// Returns whether the role only groups and says nothing by itself.
pub fn is_generic(role: &str) -> bool {
    [
        "", "generic", "none", "presentation", "GenericContainer", "LayoutTable", "LayoutTableRow", "LayoutTableCell",
        "LabelText", "Ignored", "ScrollArea",
    ]
    .contains(&role)
}

/// Returns whether the role is that of one of many: of a list, a table, a feed, a tree.
pub fn is_item(role: &str) -> bool {
    matches!(role, "row" | "listitem" | "article" | "option" | "treeitem")
}

/// Returns whether the role is that of a cell of a table or grid, a header's too.
pub fn is_cell(role: &str) -> bool {
    matches!(role, "cell" | "gridcell" | "columnheader" | "rowheader")
}

/// Returns whether the role holds text that is written into it.
pub fn is_text_field(role: &str) -> bool {
    matches!(role, "textbox" | "searchbox" | "combobox" | "spinbutton" | "Date" | "DateTime" | "InputTime")
}
