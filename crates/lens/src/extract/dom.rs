//! Roles, names and states from tags and attributes, where the accessibility tree says nothing.
//!
//! In: nodes of a page. Out: role, name and states. A node that the accessibility tree leaves out
//! although it is painted (under `aria-hidden`, behind a modal dialog) can be seen and clicked all
//! the same; the distilled DOM also asks where the tree only says `generic`. Invariant: what the
//! accessibility tree says comes first.

use super::names::{collapse, says_something};
use crate::tree::StateSet;
use browserlens_core::page::select::Trees;
use browserlens_core::page::{Flags, FrameId, NodeId, NodeKind, NodeRef, Page, role};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;

/// Bytes after which a name from content is long enough.
const LONGEST_NAME: usize = 2_000;

/// What tags and attributes say.
pub(super) struct Dom<'p> {
    page: &'p Page,
    /// Whether it also speaks where the accessibility tree says `generic`.
    everywhere: bool,
    index: OnceCell<Index<'p>>,
}

/// Elements by what others of their frame and shadow tree call them.
struct Index<'p> {
    trees: Trees,
    by_id: HashMap<Scoped<'p>, NodeId>,
    label_for: HashMap<Scoped<'p>, NodeId>,
}

/// A name in its scope: frame and shadow host.
type Scoped<'p> = (FrameId, u32, &'p str);

impl<'p> Index<'p> {
    fn scoped(&self, node: NodeRef<'p>, name: &'p str) -> Scoped<'p> {
        (node.frame(), self.trees.host[node.id().index()], name)
    }
}

impl<'p> Dom<'p> {
    pub fn new(page: &'p Page, everywhere: bool) -> Self {
        Self { page, everywhere, index: OnceCell::new() }
    }

    fn index(&self) -> &Index<'p> {
        self.index.get_or_init(|| {
            let trees = Trees::of(self.page);
            let mut index = Index { trees, by_id: HashMap::new(), label_for: HashMap::new() };
            for node in self.page.nodes().filter(|node| node.kind() == NodeKind::Element) {
                for (name, value) in node.attributes() {
                    let scoped = index.scoped(node, value);
                    let map = match name {
                        "id" => &mut index.by_id,
                        "for" if node.tag() == "label" => &mut index.label_for,
                        _ => continue,
                    };
                    map.entry(scoped).or_insert(node.id());
                }
            }
            index
        })
    }

    /// Returns whether tags and attributes are asked about a node.
    pub fn speaks_for(&self, node: NodeRef<'_>) -> bool {
        node.role().is_empty() || (self.everywhere && role::is_generic(node.role()))
    }

    /// Returns the role.
    pub fn role(&self, node: NodeRef<'p>) -> &'p str {
        let said = node.role();
        if self.speaks_for(node) { markup_role(node).unwrap_or(said) } else { said }
    }

    /// Returns the name of a node of a role.
    pub fn name(&self, node: NodeRef<'p>, role: &str) -> Cow<'p, str> {
        let said = node.name();
        if says_its_text(role) && node.descendants().any(|below| below.is_visible() && !below.is_seen()) {
            return Cow::Owned(text_of(node));
        }
        if !self.speaks_for(node) {
            return if says_something(said) || !self.everywhere || role::is_generic(role) {
                Cow::Borrowed(said)
            } else {
                Cow::Borrowed(attribute_of(node, &["aria-label", "alt", "placeholder", "title"]))
            };
        }
        if says_something(said) || role::is_generic(role) {
            return Cow::Borrowed(said);
        }
        if let Some(ids) = node.attribute("aria-labelledby") {
            let of = |id: &str| {
                self.index().by_id.get(&self.index().scoped(node, id)).map(|id| text_of(self.page.node(*id)))
            };
            let name = collapse(&ids.split_ascii_whitespace().filter_map(of).collect::<Vec<_>>().join(" "));
            if !name.is_empty() {
                return Cow::Owned(name);
            }
        }
        let label = attribute_of(node, &["aria-label"]);
        if !label.is_empty() {
            return Cow::Borrowed(label);
        }
        let native = self.native_name(node, role);
        if native.is_empty() { Cow::Borrowed(attribute_of(node, &["alt", "placeholder", "title"])) } else { native }
    }

    fn label_of(&self, node: NodeRef<'p>) -> Option<NodeRef<'p>> {
        let by_id = node.attribute("id").and_then(|id| self.index().label_for.get(&self.index().scoped(node, id)));
        let label = by_id.map(|id| self.page.node(*id));
        label.or_else(|| node.ancestors().find(|above| above.tag() == "label"))
    }

    /// Returns what labels, captions and content call a node.
    fn native_name(&self, node: NodeRef<'p>, role: &str) -> Cow<'p, str> {
        let child = |tag: &str| node.children().find(|child| child.tag() == tag);
        let named_by = match node.tag() {
            "input" if matches!(node.attribute("type"), Some("button" | "submit" | "reset")) => {
                return Cow::Borrowed(node.attribute("value").unwrap_or(""));
            }
            "input" | "select" | "textarea" => self.label_of(node),
            // A button that stands for a choice is labelled as a field is.
            "button" if role != "button" => self.label_of(node).or(is_named_by_content(role).then_some(node)),
            "fieldset" => child("legend"),
            "table" => child("caption"),
            _ if is_named_by_content(role) => Some(node),
            _ => None,
        };
        named_by.map_or(Cow::Borrowed(""), |node| Cow::Owned(text_of(node)))
    }

    /// Returns the states that attributes tell.
    pub fn states(&self, node: NodeRef<'_>) -> StateSet {
        let is = |name: &str, value: &str| node.attribute(name) == Some(value);
        let has = |name: &str| node.attribute(name).is_some();
        let native = matches!(node.tag(), "button" | "input" | "select" | "textarea" | "option");
        let told = [
            (is("aria-disabled", "true") || native && has("disabled"), StateSet::DISABLED),
            (is("aria-expanded", "true"), StateSet::EXPANDED),
            (is("aria-expanded", "false"), StateSet::COLLAPSED),
            (is("aria-checked", "true"), StateSet::CHECKED),
            (is("aria-checked", "false"), StateSet::UNCHECKED),
            (is("aria-checked", "mixed") || is("aria-pressed", "mixed"), StateSet::MIXED),
            (is("aria-pressed", "true"), StateSet::PRESSED),
            (is("aria-pressed", "false"), StateSet::UNPRESSED),
            (is("aria-selected", "true"), StateSet::SELECTED),
            (is("aria-required", "true") || native && has("required"), StateSet::REQUIRED),
            (is("aria-invalid", "true"), StateSet::INVALID),
            (is("aria-readonly", "true") || native && has("readonly"), StateSet::READONLY),
            (is("aria-modal", "true"), StateSet::MODAL),
        ];
        told.iter().filter(|(on, _)| *on).fold(StateSet::NONE, |states, (_, state)| states.with(*state))
    }
}

/// Returns what a node is by its tag and attributes alone, in words of roles; none where they do
/// not say.
pub(crate) fn markup_role(node: NodeRef<'_>) -> Option<&str> {
    if let Some(role) = node.attribute("role").and_then(|roles| roles.split_ascii_whitespace().next()) {
        return Some(role);
    }
    let tag = node.tag();
    let part_of = match tag {
        "tr" | "td" | "th" | "thead" | "tbody" | "tfoot" | "caption" => &["table"][..],
        "li" => &["ul", "ol", "menu"],
        _ => &[],
    };
    let within = || node.ancestors().find(|above| part_of.contains(&above.tag()));
    let whole = if part_of.is_empty() { None } else { within() };
    if whole.and_then(|whole| whole.attribute("role")).is_some_and(role::is_generic) {
        return None;
    }
    Some(match tag {
        "a" | "area" if node.attribute("href").is_some() => "link",
        "button" | "summary" => "button",
        "select" if node.attribute("multiple").is_some() => "listbox",
        "select" => "combobox",
        "textarea" => "textbox",
        "input" => match node.attribute("type").unwrap_or("text") {
            "hidden" => return None,
            "checkbox" => "checkbox",
            "radio" => "radio",
            "range" => "slider",
            "number" => "spinbutton",
            "search" => "searchbox",
            "button" | "submit" | "reset" | "image" | "file" => "button",
            _ => "textbox",
        },
        "option" => "option",
        "h1" | "h2" | "h3" | "h4" | "h5" | "h6" => "heading",
        "nav" => "navigation",
        "main" => "main",
        "aside" => "complementary",
        "header" | "footer" if node.ancestors().any(|above| is_sectioning(above.tag())) => return None,
        "header" => "banner",
        "footer" => "contentinfo",
        "search" => "search",
        "form" => "form",
        "section" => "region",
        "article" => "article",
        "ul" | "ol" | "menu" => "list",
        "li" => "listitem",
        "dl" => "DescriptionList",
        "dt" => "term",
        "dd" => "definition",
        "dialog" => "dialog",
        // What holds nothing but its legend is the frame that is drawn around a field.
        "fieldset" if !node.children().any(|child| child.kind() == NodeKind::Element && child.tag() != "legend") => {
            return None;
        }
        "fieldset" | "details" => "group",
        "blockquote" => "blockquote",
        "figure" => "figure",
        "progress" => "progressbar",
        "meter" => "meter",
        "output" => "status",
        "img" => "image",
        "canvas" => "Canvas",
        "table" => "table",
        "caption" => "caption",
        "tr" => "row",
        "td" => "cell",
        "th" if node.attribute("scope") == Some("row") => "rowheader",
        "th" => "columnheader",
        _ => return None,
    })
}

fn is_sectioning(tag: &str) -> bool {
    matches!(tag, "article" | "aside" | "main" | "nav" | "section")
}

/// Roles that a person reads by what is in them and does not act on: their name is no more than
/// that.
fn says_its_text(role: &str) -> bool {
    matches!(role, "heading" | "cell" | "columnheader" | "rowheader" | "caption")
}

fn is_named_by_content(role: &str) -> bool {
    [
        "button", "link", "heading", "tab", "menuitem", "menuitemcheckbox", "menuitemradio", "checkbox", "radio",
        "switch", "option", "treeitem", "cell", "gridcell", "columnheader", "rowheader",
    ]
    .contains(&role)
}

fn attribute_of<'p>(node: NodeRef<'p>, names: &[&str]) -> &'p str {
    names.iter().filter_map(|name| node.attribute(name)).find(|text| says_something(text)).unwrap_or("")
}

/// Returns the text of an element (what is painted of it, if it is), with a blank where a box of
/// its own starts or ends.
fn text_of(node: NodeRef<'_>) -> String {
    let mut text = String::new();
    let mut block_ends: Vec<u32> = Vec::new();
    // An icon that is hidden from readers of the screen is no part of a name.
    let mut past = 0;
    for below in node.subtree() {
        if text.len() > LONGEST_NAME {
            break;
        }
        if below.id() != node.id() && below.attribute("aria-hidden") == Some("true") {
            past = past.max(below.end());
        }
        if below.id().0 < past {
            continue;
        }
        while block_ends.pop_if(|end| *end <= below.id().0).is_some() {
            text.push(' ');
        }
        if below.tag() == "br" {
            text.push(' ');
        }
        if node.is_visible() && !below.is_seen() {
            continue;
        }
        match below.kind() {
            NodeKind::Text => text.push_str(below.text()),
            NodeKind::Element if below.tag() == "img" => text.push_str(attribute_of(below, &["alt"])),
            NodeKind::Element if below.flags().has(Flags::BLOCK) => {
                text.push(' ');
                block_ends.push(below.end());
            }
            _ => {}
        }
    }
    collapse(&text)
}
