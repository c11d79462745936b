//! R's own reading of tags and attributes, for what the accessibility tree does not speak about.
//!
//! In: a node. Out: its role, name and states as the markup has them. Invariant: shares no code
//! with `extract`; where that keeps an index, this looks through the page each time it is asked.

use super::{Writer, among, squeeze};
use crate::tree::StateSet;
use browserlens_core::page::select::Trees;
use browserlens_core::page::{Clickability, Flags, NodeKind, NodeRef, role};

const ROLES: &[(&[&str], &str)] = &[
    (&["button", "summary"], "button"),
    (&["textarea"], "textbox"),
    (&["option"], "option"),
    (&["h1", "h2", "h3", "h4", "h5", "h6"], "heading"),
    (&["nav"], "navigation"),
    (&["main"], "main"),
    (&["aside"], "complementary"),
    (&["search"], "search"),
    (&["form"], "form"),
    (&["section"], "region"),
    (&["article"], "article"),
    (&["ul", "ol", "menu"], "list"),
    (&["dl"], "DescriptionList"),
    (&["dt"], "term"),
    (&["dd"], "definition"),
    (&["dialog"], "dialog"),
    (&["fieldset", "details"], "group"),
    (&["blockquote"], "blockquote"),
    (&["figure"], "figure"),
    (&["progress"], "progressbar"),
    (&["meter"], "meter"),
    (&["output"], "status"),
    (&["img"], "image"),
    (&["canvas"], "Canvas"),
    (&["table"], "table"),
];

/// The role that markup gives; what the accessibility tree says if it gives none.
pub(super) fn role<'p>(node: NodeRef<'p>) -> &'p str {
    if let Some(first) = node.attribute("role").and_then(|said| said.split_ascii_whitespace().next()) {
        return first;
    }
    let has = |name: &str| node.attribute(name).is_some();
    let within = |tags: &str| node.ancestors().find(|above| among(tags, above.tag()));
    let plain =
        |whole: Option<NodeRef<'_>>| whole.and_then(|whole| whole.attribute("role")).is_some_and(role::is_generic);
    let found = match node.tag() {
        "a" | "area" if has("href") => Some("link"),
        "select" => Some(if has("multiple") { "listbox" } else { "combobox" }),
        "input" => input_role(node.attribute("type").unwrap_or("text")),
        "header" if within("article aside main nav section").is_none() => Some("banner"),
        "footer" if within("article aside main nav section").is_none() => Some("contentinfo"),
        "li" if !plain(within("ul ol menu")) => Some("listitem"),
        "tr" if !plain(within("table")) => Some("row"),
        "td" if !plain(within("table")) => Some("cell"),
        "caption" if !plain(within("table")) => Some("caption"),
        "th" if !plain(within("table")) && node.attribute("scope") == Some("row") => Some("rowheader"),
        "th" if !plain(within("table")) => Some("columnheader"),
        "fieldset" if node.children().all(|of| of.tag() == "legend" || of.kind() != NodeKind::Element) => None,
        tag => ROLES.iter().find(|(tags, _)| tags.contains(&tag)).map(|(_, role)| *role),
    };
    found.unwrap_or(node.role())
}

fn input_role(kind: &str) -> Option<&'static str> {
    let role = match kind {
        "hidden" => return None,
        "button" | "submit" | "reset" | "image" | "file" => "button",
        "checkbox" => "checkbox",
        "radio" => "radio",
        "range" => "slider",
        "number" => "spinbutton",
        "search" => "searchbox",
        _ => "textbox",
    };
    Some(role)
}

/// The first of some attributes that says something.
pub(super) fn first_said(node: NodeRef<'_>, names: &str) -> String {
    let said = names.split(' ').filter_map(|name| node.attribute(name)).map(squeeze);
    said.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

/// The states that attributes say.
pub(super) fn states(node: NodeRef<'_>) -> StateSet {
    let mut states = StateSet::NONE;
    let control = among("button input select textarea option", node.tag());
    for (name, value) in node.attributes() {
        let state = match (name, value) {
            ("aria-disabled", "true") => StateSet::DISABLED,
            ("aria-required", "true") => StateSet::REQUIRED,
            ("aria-readonly", "true") => StateSet::READONLY,
            ("disabled", _) if control => StateSet::DISABLED,
            ("required", _) if control => StateSet::REQUIRED,
            ("readonly", _) if control => StateSet::READONLY,
            ("aria-expanded", "true") => StateSet::EXPANDED,
            ("aria-expanded", "false") => StateSet::COLLAPSED,
            ("aria-checked", "true") => StateSet::CHECKED,
            ("aria-checked", "false") => StateSet::UNCHECKED,
            ("aria-checked" | "aria-pressed", "mixed") => StateSet::MIXED,
            ("aria-pressed", "true") => StateSet::PRESSED,
            ("aria-pressed", "false") => StateSet::UNPRESSED,
            ("aria-selected", "true") => StateSet::SELECTED,
            ("aria-invalid", "true") => StateSet::INVALID,
            ("aria-modal", "true") => StateSet::MODAL,
            _ => continue,
        };
        states.add(state);
    }
    states
}

/// Whether a cell lies over more than one column or row.
pub(super) fn takes_several(node: NodeRef<'_>, what: &str) -> bool {
    let counts = node.attributes().filter(|(name, _)| name.strip_prefix("aria-").unwrap_or(name) == what);
    role::is_cell(node.role())
        && counts.filter_map(|(_, count)| count.trim().parse::<u32>().ok()).any(|count| count >= 2)
}

/// Whether a class calls a control on, the item of a list that holds nothing else, or the wordless
/// switch in it.
pub(super) fn is_called_on(node: NodeRef<'_>) -> bool {
    let said = |node: NodeRef<'_>| {
        let classes = node.attribute("class").unwrap_or("").split_ascii_whitespace();
        classes.map(without_hash).any(|class| {
            let words: Vec<&str> = class.split(['-', '_']).collect();
            let (last, before) = (words[words.len() - 1], words.len().checked_sub(2).map(|at| words[at]));
            let rises = (1..last.len()).rev().find(|at| last.as_bytes()[*at].is_ascii_uppercase());
            let word = last[rises.unwrap_or(0)..].to_ascii_lowercase();
            if among("on sel", &word) {
                return rises.is_none() && (before.is_none_or(str::is_empty) || words[..words.len() - 1] == ["is"]);
            }
            among("active selected current checked chosen", &word)
                && !class.contains(|c| ":[/".contains(c))
                && !among("not non no un in", before.unwrap_or(""))
        })
    };
    let field = node.clickability().has(Clickability::EDITABLE) || role::is_text_field(node.role());
    let alone = |item: &NodeRef<'_>| {
        let elements = item.children().filter(|child| child.kind() == NodeKind::Element).count();
        (item.tag(), elements) == ("li", 1)
    };
    let switched = |part: NodeRef<'_>| {
        let mut classes = part.attribute("class").unwrap_or("").split_ascii_whitespace();
        classes.any(|class| among("on is-on checked is-checked", class)) && part.visible_text().is_empty()
    };
    !field
        && (said(node)
            || node.parent().is_some_and(|item| alone(&item) && said(item))
            || node.descendants().take(12).any(switched))
}

/// A class without what a build puts behind it, so that it is no other's.
fn without_hash(class: &str) -> &str {
    let at = class.rfind("__").unwrap_or(class.len());
    let end = class.get(at + 2..).unwrap_or("");
    let hash = end.len() > 4 && end.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    if hash { &class[..at] } else { class }
}

impl<'p> Writer<'p> {
    /// Whether the markup is asked about a node.
    pub(super) fn markup_decides(&self, node: NodeRef<'_>) -> bool {
        node.role().is_empty() || (self.dom && role::is_generic(node.role()))
    }

    /// The name that the markup gives a node of a role.
    pub(super) fn markup_name(&self, node: NodeRef<'p>, role: &str) -> String {
        let texts = |ids: &str| -> Vec<String> {
            ids.split_ascii_whitespace().filter_map(|id| self.element("", "id", id, node)).map(words).collect()
        };
        let by_ids = || squeeze(&node.attribute("aria-labelledby").map(texts).unwrap_or_default().join(" "));
        let offers: [&dyn Fn() -> String; 4] =
            [&by_ids, &|| first_said(node, "aria-label"), &|| self.own_name(node, role), &|| {
                first_said(node, "alt placeholder title")
            }];
        offers.into_iter().map(|offer| offer()).find(|name| !name.is_empty()).unwrap_or_default()
    }

    /// The first element of a tag (any if empty) in the frame of a node that has an attribute of a
    /// value.
    fn element(&self, tag: &str, attribute: &str, value: &str, of: NodeRef<'p>) -> Option<NodeRef<'p>> {
        let trees = self.trees.get_or_init(|| Trees::of(self.page));
        let host = |node: NodeRef<'_>| trees.host[node.id().index()];
        self.page.nodes().find(|node| {
            node.kind() == NodeKind::Element
                && node.frame() == of.frame()
                && (tag.is_empty() || node.tag() == tag)
                && node.attribute(attribute) == Some(value)
                && host(*node) == host(of)
        })
    }

    fn own_name(&self, node: NodeRef<'p>, role: &str) -> String {
        let tag = node.tag();
        if tag == "input" && among("button submit reset", node.attribute("type").unwrap_or("")) {
            return squeeze(node.attribute("value").unwrap_or(""));
        }
        let by_content = "button link heading tab menuitem menuitemcheckbox menuitemradio checkbox radio switch \
                          option treeitem cell gridcell columnheader rowheader";
        let by_content = among(by_content, role).then_some(node);
        let by_label = || {
            let pointed = node.attribute("id").and_then(|id| self.element("label", "for", id, node));
            pointed.or_else(|| node.ancestors().find(|above| above.tag() == "label"))
        };
        let from = if among("input select textarea", tag) {
            by_label()
        } else if tag == "button" && role != "button" {
            by_label().or(by_content)
        } else if tag == "fieldset" || tag == "table" {
            node.children().find(|child| child.tag() == if tag == "table" { "caption" } else { "legend" })
        } else {
            by_content
        };
        from.map(words).unwrap_or_default()
    }
}

/// The words of an element; of one that is painted, those that are.
pub(super) fn words(top: NodeRef<'_>) -> String {
    let mut words = String::new();
    let mut at = top.id().0;
    let mut ends: Vec<u32> = Vec::new();
    while at < top.end() && words.len() <= 2_000 {
        let node = top.page().node(browserlens_core::page::NodeId(at));
        let closing = ends.iter().filter(|end| **end <= at).count();
        words.extend(std::iter::repeat_n(' ', closing));
        ends.retain(|end| *end > at);
        at += 1;
        words.push_str(if node.tag() == "br" { " " } else { "" });
        if at > top.id().0 + 1 && node.attribute("aria-hidden") == Some("true") {
            at = node.end();
            continue;
        }
        if top.is_visible() && !node.is_seen() {
            continue;
        }
        if node.kind() == NodeKind::Text {
            words.push_str(node.text());
        } else if node.kind() == NodeKind::Element && node.tag() == "img" {
            words.push_str(&first_said(node, "alt"));
        } else if node.kind() == NodeKind::Element && node.flags().has(Flags::BLOCK) {
            words.push(' ');
            ends.push(node.end());
        }
    }
    squeeze(&words)
}
