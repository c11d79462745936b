//! What of a page tells its screen: elements, landmarks, fields, the open dialog.
//!
//! In: a [`Page`]. Out: a [`PageView`], which holds no node and can outlive the page. Invariants:
//! what lies behind a modal dialog is read from its markup, since an open dialog takes its
//! accessibility roles away; so a page has the same shape with and without one. Of the value of a
//! field nothing is kept but whether it has one.

mod node;

pub(crate) use super::nodes::{Labels, name_of, one_line, role_of};
use super::nodes::{selector_of, short_text};
use crate::model::FormField;
use browserlens_core::page::role::is_landmark;
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page, States};
use node::{
    built_like, dialog_name, form_of, heading_level, in_main, is_chosen, is_field, is_filled, is_modal, is_open_dialog,
    own_name, skeleton_hash,
};
use std::collections::{BTreeMap, BTreeSet};

/// A kind of element by which screens are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ElementKind {
    Dialog,
    Heading,
    Input,
    Button,
    Tab,
    Pressed,
    Link,
}

/// Each kind with its selector, and with what an element of it is called.
const KINDS: [(ElementKind, &str, &str); 7] = [
    (ElementKind::Dialog, "dialog, [role=\"dialog\"], [role=\"alertdialog\"]", "dialog"),
    (ElementKind::Heading, "h1, h2, h3, .page-title, .screen-title", "heading"),
    (ElementKind::Input, "input, label, [role=\"textbox\"]", "field"),
    (ElementKind::Button, "button, .btn, [role=\"button\"]", "button"),
    (ElementKind::Tab, "[role=\"tab\"][aria-selected=\"true\"]", "selected tab"),
    (ElementKind::Pressed, "button[aria-pressed=\"true\"]", "pressed button"),
    (ElementKind::Link, "a, [role=\"link\"]", "link"),
];

impl ElementKind {
    /// Returns the selector of the kind.
    pub(crate) fn selector(self) -> &'static str {
        KINDS[self as usize].1
    }

    /// Returns the kind that a selector stands for; none for a selector of another kind.
    pub(crate) fn of_selector(selector: &str) -> Option<Self> {
        KINDS.into_iter().find(|(_, known, _)| *known == selector).map(|(kind, ..)| kind)
    }

    /// Returns what an element of the kind is called.
    pub(crate) fn noun(self) -> &'static str {
        KINDS[self as usize].2
    }
}

/// Which part of a page something stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Zone {
    /// The content.
    Main,
    /// Beside it: `complementary`.
    Beside,
    /// What frames every page: banner, navigation, footer.
    Frame,
}

/// One element that a person would name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    pub kind: ElementKind,
    /// Accessible name, one line.
    pub name: String,
    /// Level of a heading, else 0.
    pub level: u8,
    pub zone: Zone,
    /// One of several that are built alike, such as the cards of a listing.
    pub repeated: bool,
    pub in_dialog: bool,
}

/// A landmark or named part.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    pub role: String,
    pub name: String,
    pub selector: Option<String>,
    pub in_dialog: bool,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Field {
    /// As knowledge holds it, but that no page filled it yet.
    pub own: FormField,
    /// Whether it has a value: a text, an option that stands for one, a check.
    pub filled: bool,
    /// What names the field whatever the language: the markup's `name`, else its `id`, else its
    /// accessible name.
    pub key: String,
    pub repeated: bool,
    pub in_dialog: bool,
}

/// Fields that are filled together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormView {
    pub name: String,
    pub selector: Option<String>,
    pub fields: Vec<Field>,
    pub submit: Option<String>,
    pub in_dialog: bool,
}

/// The dialog that is open on top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct DialogView {
    pub name: String,
    pub modal: bool,
    pub skeleton: BTreeSet<u64>,
}

/// What of a page tells its screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PageView {
    pub url: String,
    pub title: String,
    /// Language of the document.
    pub lang: String,
    pub elements: Vec<Element>,
    pub parts: Vec<Part>,
    pub forms: Vec<FormView>,
    /// Keys of the fields outside of repeated parts and dialogs.
    pub fields: BTreeSet<String>,
    /// How the content is built: one hash for each combination of tag, id and classes.
    pub skeleton: BTreeSet<u64>,
    /// Roles of landmarks and levels of headings outside of dialogs.
    pub outline: BTreeSet<String>,
    pub dialog: Option<DialogView>,
    /// Names of the selected tabs in the content.
    pub selected_tabs: Vec<String>,
    /// What the page says when something happened: `alert` and `status`.
    pub messages: BTreeSet<String>,
}

impl PageView {
    /// Reads a page.
    pub(crate) fn of(page: &Page) -> Self {
        Reader::new(page).read()
    }

    /// Returns the elements that can be reached: those of a modal dialog alone while one is open.
    pub(crate) fn foreground(&self) -> impl Iterator<Item = &Element> {
        let modal = self.dialog.as_ref().is_some_and(|dialog| dialog.modal);
        self.elements.iter().filter(move |element| element.in_dialog || !modal)
    }

    /// Returns the text of the view for a reader of text: one element a line.
    pub(crate) fn text(&self) -> String {
        let mut text = format!("{}\n", self.title);
        text.extend(self.foreground().map(|element| format!("{} \"{}\"\n", element.kind.noun(), element.name)));
        text.extend(self.messages.iter().map(|message| format!("{message}\n")));
        text
    }
}

/// Siblings that are built alike, from which on they count as repeated.
const REPEATED_FROM: usize = 4;

/// Longest list of options that is kept.
const MAX_OPTIONS: usize = 20;

struct Reader<'p> {
    page: &'p Page,
    zone: Vec<Zone>,
    repeated: Vec<bool>,
    dialog: Option<NodeRef<'p>>,
    has_main: bool,
    labels: Labels<'p>,
}

impl<'p> Reader<'p> {
    fn new(page: &'p Page) -> Self {
        let mut zone = vec![Zone::Main; page.len()];
        let mut repeated = vec![false; page.len()];
        let mut alike: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        let mut has_main = false;
        for node in page.nodes() {
            let at = node.id().index();
            if let Some(parent) = node.parent() {
                zone[at] = zone[parent.id().index()];
                repeated[at] |= repeated[parent.id().index()];
            }
            if node.kind() != NodeKind::Element {
                continue;
            }
            match role_of(node) {
                "main" => {
                    zone[at] = Zone::Main;
                    has_main = true;
                }
                // What stands inside of the content belongs to it.
                "banner" | "navigation" | "contentinfo" if !in_main(node) => zone[at] = Zone::Frame,
                "complementary" if zone[at] == Zone::Main => zone[at] = Zone::Beside,
                _ => {}
            }
            alike.clear();
            for child in node.children().filter(|child| child.kind() == NodeKind::Element && child.is_visible()) {
                *alike.entry(built_like(child)).or_default() += 1;
            }
            for child in node.children().filter(|child| child.kind() == NodeKind::Element) {
                let many = alike.get(&built_like(child)).is_some_and(|count| *count >= REPEATED_FROM);
                repeated[child.id().index()] |=
                    many && !matches!(child.tag(), "section" | "fieldset" | "label" | "input");
            }
        }
        let dialog = page.nodes().rfind(|node| is_open_dialog(*node));
        Self { page, zone, repeated, dialog, has_main, labels: Labels::of(page) }
    }

    fn in_dialog(&self, id: NodeId) -> bool {
        self.dialog.is_some_and(|dialog| dialog.holds(id))
    }

    fn read(&self) -> PageView {
        let page = self.page;
        let lang = page.nodes().find(|node| node.tag() == "html").and_then(|html| html.attribute("lang")).unwrap_or("");
        let mut view = PageView {
            url: page.url().to_owned(),
            title: one_line(page.title()),
            lang: lang.to_owned(),
            dialog: self.dialog.map(|node| {
                let (name, modal) = (dialog_name(node, &self.labels), is_modal(node));
                DialogView { name, modal, ..DialogView::default() }
            }),
            ..PageView::default()
        };
        let mut fields: Vec<(Option<NodeId>, Field)> = Vec::new();
        for node in page.nodes().filter(|node| node.kind() == NodeKind::Element) {
            let seen = node.is_visible() && !node.bounds().is_empty();
            if !seen && !node.can_be_acted_on() {
                continue;
            }
            self.add_structure(node, &mut view);
            self.add_element(node, &mut view);
            if let Some(field) = self.field(node) {
                if !field.repeated && !field.in_dialog && self.zone[node.id().index()] == Zone::Main {
                    view.fields.insert(format!("{}:{}", field.own.role, field.key));
                }
                fields.push((form_of(node).map(|form| form.id()), field));
            }
        }
        self.add_forms(fields, &mut view);
        view
    }

    fn add_structure(&self, node: NodeRef<'p>, view: &mut PageView) {
        let in_dialog = self.in_dialog(node.id());
        let zone = self.zone[node.id().index()];
        if in_dialog && let Some(dialog) = &mut view.dialog {
            dialog.skeleton.insert(skeleton_hash(node));
        } else if zone == Zone::Main && (!self.has_main || in_main(node)) {
            view.skeleton.insert(skeleton_hash(node));
        }
        let role = role_of(node);
        let is_landmark = is_landmark(role);
        if is_landmark || matches!(role, "dialog" | "alertdialog") {
            let name = if is_landmark { own_name(node, &self.labels) } else { dialog_name(node, &self.labels) };
            view.parts.push(Part { role: role.to_owned(), name, selector: selector_of(node), in_dialog });
            if is_landmark && !in_dialog {
                view.outline.insert(role.to_owned());
            }
        }
        if matches!(role, "alert" | "status") && !self.repeated[node.id().index()] {
            let text = short_text(node);
            if !text.is_empty() {
                view.messages.insert(text);
            }
        }
    }

    fn add_element(&self, node: NodeRef<'p>, view: &mut PageView) {
        let at = node.id().index();
        let in_dialog = self.in_dialog(node.id());
        let kind = match role_of(node) {
            "dialog" | "alertdialog" if self.dialog == Some(node) => ElementKind::Dialog,
            "heading" => ElementKind::Heading,
            "button" | "menuitem" | "switch" => ElementKind::Button,
            "link" => ElementKind::Link,
            "tab" if node.selected() == Some(true) || node.attribute("aria-selected") == Some("true") => {
                ElementKind::Tab
            }
            role if is_field(role) => ElementKind::Input,
            _ => return,
        };
        let name = match kind {
            ElementKind::Dialog => dialog_name(node, &self.labels),
            _ => name_of(node, &self.labels),
        };
        let level = node.level().unwrap_or_else(|| heading_level(node.tag()));
        if kind == ElementKind::Heading && !in_dialog && self.zone[at] == Zone::Main && !self.repeated[at] {
            view.outline.insert(format!("h{level}"));
        }
        if name.is_empty() {
            return;
        }
        if kind == ElementKind::Tab {
            view.selected_tabs.push(name.clone());
        }
        let level = if kind == ElementKind::Heading { level } else { 0 };
        let element = Element { kind, name, level, zone: self.zone[at], repeated: self.repeated[at], in_dialog };
        // It is a button as well: what can be done with it is the same, pressed or not.
        if kind == ElementKind::Button && element.zone == Zone::Main && is_chosen(node) {
            view.elements.push(Element { kind: ElementKind::Pressed, repeated: false, ..element.clone() });
        }
        view.elements.push(element);
    }

    fn field(&self, node: NodeRef<'p>) -> Option<Field> {
        let role = role_of(node);
        if !is_field(role) {
            return None;
        }
        let name = name_of(node, &self.labels);
        let key = [node.attribute("name"), node.attribute("id")]
            .into_iter()
            .flatten()
            .map(without_numbers)
            .find(|key| !key.is_empty());
        let key = key.unwrap_or_else(|| without_numbers(&name));
        let options =
            node.descendants().filter(|option| option.tag() == "option").map(|option| name_of(option, &self.labels));
        Some(Field {
            own: FormField {
                role: role.to_owned(),
                name,
                field_type: node.attribute("type").filter(|_| node.tag() == "input").unwrap_or("").to_owned(),
                required: node.states().has(States::REQUIRED) || node.attribute("required").is_some(),
                prefilled: false,
                group: Some(&key).filter(|_| role == "radio").cloned().unwrap_or_default(),
                selector: selector_of(node),
                options: options.filter(|name| !name.is_empty()).take(MAX_OPTIONS).collect(),
            },
            key,
            filled: is_filled(node, &self.labels),
            repeated: self.repeated[node.id().index()],
            in_dialog: self.in_dialog(node.id()),
        })
    }

    /// Puts fields together by the form they stand in; those without one make a form of their own
    /// only if there are several.
    fn add_forms(&self, fields: Vec<(Option<NodeId>, Field)>, view: &mut PageView) {
        let mut by_form: BTreeMap<Option<u32>, Vec<Field>> = BTreeMap::new();
        for (form, field) in fields {
            if !field.repeated {
                by_form.entry(form.map(|id| id.0)).or_default().push(field);
            }
        }
        for (form, fields) in by_form {
            let node = form.map(|id| self.page.node(NodeId(id)));
            let submit = node.and_then(|form| {
                let buttons = form.descendants().filter(|node| role_of(*node) == "button" && node.is_visible());
                buttons
                    .filter(|button| button.attribute("type").is_none_or(|kind| kind == "submit"))
                    .map(|button| name_of(button, &self.labels))
                    .find(|n| !n.is_empty())
            });
            let in_dialog = fields.iter().all(|field| field.in_dialog);
            view.forms.push(FormView {
                name: node.map(|form| own_name(form, &self.labels)).unwrap_or_default(),
                selector: node.and_then(selector_of),
                fields,
                submit,
                in_dialog,
            });
        }
    }
}

/// Returns a name with every run of digits left out, so that `row-12` and `row-7` are one.
pub(crate) fn without_numbers(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for c in text.chars() {
        if !c.is_numeric() {
            kept.push(c);
        } else if !kept.ends_with('#') {
            kept.push('#');
        }
    }
    kept.trim().to_owned()
}

/// Returns whether a node stands in one of several parts of the content that are built alike.
pub(crate) fn is_repeated(page: &Page, node: NodeRef<'_>) -> bool {
    let reader = Reader::new(page);
    reader.repeated[node.id().index()] && reader.zone[node.id().index()] == Zone::Main
}
