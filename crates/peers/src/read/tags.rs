//! What HTML tags mean: the role of an element, and how a state is spelt.
//!
//! In: tag and attributes as an observation writes them. Out: the role that Chromium's
//! accessibility tree would give. Invariant: an explicit `role` wins; an unknown tag is `generic`.

/// Returns the role of an element.
pub fn role<'a>(tag: &str, get: impl Fn(&str) -> Option<&'a str>) -> &'a str {
    if let Some(role) = get("role").and_then(|role| role.split_whitespace().next()) {
        return role;
    }
    const SAME: [&str; 8] = ["article", "button", "dialog", "form", "main", "option", "search", "table"];
    match tag {
        "a" | "area" => "link",
        "summary" => "DisclosureTriangle",
        "select" if get("multiple").is_some() => "listbox",
        "select" => "combobox",
        "textarea" => "textbox",
        "img" => "image",
        "canvas" => "Canvas",
        "iframe" | "frame" => "Iframe",
        "nav" => "navigation",
        "header" => "banner",
        "footer" => "contentinfo",
        "aside" => "complementary",
        "section" => "region",
        "fieldset" | "details" => "group",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "ul" | "ol" | "menu" => "list",
        "li" => "listitem",
        "tr" => "row",
        "td" => "cell",
        "th" => "columnheader",
        "p" => "paragraph",
        "label" => "LabelText",
        "progress" => "progressbar",
        "output" => "status",
        "input" => match get("type").unwrap_or("text") {
            "checkbox" => "checkbox",
            "radio" => "radio",
            "range" => "slider",
            "number" => "spinbutton",
            "search" => "searchbox",
            "date" | "month" | "week" => "Date",
            "time" => "InputTime",
            "datetime-local" => "DateTime",
            "color" => "ColorWell",
            "submit" | "button" | "reset" | "image" | "file" => "button",
            _ if get("list").is_some() => "combobox",
            _ => "textbox",
        },
        _ => SAME.into_iter().find(|same| *same == tag).unwrap_or("generic"),
    }
}

/// Returns a state as a word: `checked`, `expanded=false`, `level=2`.
pub fn state(name: &str, value: &str) -> String {
    if value == "true" || value.is_empty() || value == name { name.to_owned() } else { format!("{name}={value}") }
}

/// Returns whether a role takes its name from what stands inside it.
pub fn is_named_by_content(role: &str) -> bool {
    [
        "link", "button", "heading", "option", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox",
        "radio", "switch", "treeitem", "cell", "gridcell", "columnheader", "rowheader", "DisclosureTriangle",
        "LabelText",
    ]
    .contains(&role)
}
