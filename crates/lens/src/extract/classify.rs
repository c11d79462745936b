//! Says what a page node is to a view, before anything below it is known.
//!
//! In: a node and what encloses it. Out: a [`Class`]. Invariant: the answer depends on the node and its ancestors only;
//! what depends on the content is decided when the node closes (`walk`).

use crate::tree::{CLICKABLE, StateSet};
use browserlens_page::{Clickability, Flags, NodeKind, NodeRef, States, Tri, Visibility, role};

/// What a node is to a view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Class<'p> {
    /// Says nothing; what is below it stands in its place. A block ends a run of text.
    Through { block: bool },
    /// A piece of a run of text.
    Piece(&'p str),
    /// A line break inside a run.
    Break,
    /// An item.
    Keep(Keep<'p>),
}

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Keep<'p> {
    pub role: &'p str,
    pub name: &'p str,
    pub value: &'p str,
    pub states: StateSet,
    pub shape: Shape,
    /// Whether an agent can act on it.
    pub interactive: bool,
    /// Only a listener or tab stop speaks for that; it does not count if something below can be acted on.
    pub weakly: bool,
}

/// How an item and what is below it come together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A field: its value says what is in it; only options stay below it.
    Field,
    /// A run of text alone becomes its name.
    Adopts,
    /// Stands for its only child, if it has one.
    Stands,
    /// Stays even when it is empty.
    Stays,
    /// Goes when it is empty.
    Holds,
}

/// What encloses a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// An item that can be acted on.
    pub interactive: bool,
    /// A visible `select`, whose options are there although they are not painted.
    pub select: bool,
    /// A field whose content must not be read.
    pub field: bool,
}

/// Returns what a node is to a view.
pub(super) fn classify<'p>(node: NodeRef<'p>, around: Around, from_dom: bool) -> Class<'p> {
    let visible = node.is_visible();
    match node.kind() {
        NodeKind::Document => return Class::Through { block: true },
        NodeKind::Text if visible && !around.field => return Class::Piece(node.text()),
        NodeKind::Pseudo if visible && !around.field && node.tag() != "::marker" && says_something(node.text()) => {
            return Class::Piece(node.text());
        }
        NodeKind::Text | NodeKind::Pseudo => return Class::Through { block: false },
        NodeKind::Element => {}
    }
    let role = role_of(node, from_dom);
    let is_option = role == "option" && around.select;
    let unpainted = !visible && !is_option;
    if unpainted && !is_unpainted_control(node, role) {
        return Class::Through { block: false };
    }
    if node.tag() == "br" || role == "LineBreak" {
        return Class::Break;
    }
    let name = name_of(node, role, from_dom);
    let click = clickable(node, role, around);
    let block = node.flags().has(Flags::BLOCK) || is_block_role(role);
    let Some((role, shape)) = shape_of(role, name, node) else {
        return match click {
            None => Class::Through { block },
            Some(weakly) => Class::Keep(Keep {
                role: CLICKABLE,
                name,
                value: "",
                states: states_of(node, unpainted),
                shape: Shape::Stays,
                interactive: true,
                weakly,
            }),
        };
    };
    let interactive = !is_option && (role::is_interactive(role) || click.is_some());
    Class::Keep(Keep {
        role,
        name,
        value: if says_value(role) { node.value() } else { "" },
        states: states_of(node, unpainted),
        shape,
        interactive,
        weakly: !role::is_interactive(role) && click == Some(true),
    })
}

/// Private-use characters are icon glyphs: they say nothing as text.
fn says_something(text: &str) -> bool {
    text.chars().any(|c| !c.is_whitespace() && !matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{10ffff}'))
}

/// A checkbox, radio, switch or file button that is styled away, while its label is what one sees.
fn is_unpainted_control(node: NodeRef<'_>, role: &str) -> bool {
    let styled_away = matches!(node.visibility(), Visibility::Transparent | Visibility::Clipped | Visibility::ZeroSize);
    let is_file = node.tag() == "input" && node.attribute("type") == Some("file");
    styled_away && !node.flags().has(Flags::ARIA_HIDDEN) && (matches!(role, "checkbox" | "radio" | "switch") || is_file)
}

/// Returns whether a node without interactive role can be acted on, and if so, whether only weakly.
fn clickable(node: NodeRef<'_>, role: &str, around: Around) -> Option<bool> {
    if around.interactive
        || role::is_interactive(role)
        || matches!(node.tag(), "html" | "body" | "label")
        || role == "LabelText"
    {
        return None;
    }
    let why = node.clickability();
    let strong = Clickability::POINTER.with(Clickability::HANDLER).with(Clickability::EDITABLE);
    let weak = Clickability::LISTENER.with(Clickability::TABINDEX);
    if why.any(strong) { Some(false) } else { why.any(weak).then_some(true) }
}

fn role_of<'p>(node: NodeRef<'p>, from_dom: bool) -> &'p str {
    let role = node.role();
    if !from_dom || !role::is_generic(role) {
        return role;
    }
    if let Some(said) = node.attribute("role").and_then(|roles| roles.split_ascii_whitespace().next()) {
        return said;
    }
    match node.tag() {
        "a" if node.attribute("href").is_some() => "link",
        "button" | "summary" => "button",
        "select" => "combobox",
        "textarea" => "textbox",
        "input" => match node.attribute("type").unwrap_or("text") {
            "hidden" => role,
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
        "img" => "image",
        "canvas" => "Canvas",
        "table" => "table",
        "tr" => "row",
        "td" => "cell",
        "th" => "columnheader",
        "li" => "listitem",
        _ => role,
    }
}

fn name_of<'p>(node: NodeRef<'p>, role: &str, from_dom: bool) -> &'p str {
    let name = node.name();
    if !from_dom || !name.trim().is_empty() || role::is_generic(role) {
        return name;
    }
    ["aria-label", "alt", "placeholder", "title"]
        .into_iter()
        .filter_map(|attribute| node.attribute(attribute))
        .find(|text| !text.trim().is_empty())
        .unwrap_or("")
}

/// Returns the role as it is written and how the item holds what is below it; none if the node says nothing.
fn shape_of<'p>(role: &'p str, name: &str, node: NodeRef<'_>) -> Option<(&'p str, Shape)> {
    let named = !name.trim().is_empty();
    let flags = node.flags();
    if role::is_text_field(role) || (role == "listbox" && node.tag() == "select") || flags.has(Flags::SECRET) {
        return Some((if role::is_generic(role) { "textbox" } else { role }, Shape::Field));
    }
    if role::is_interactive(role) {
        return Some((role, Shape::Stays));
    }
    if flags.has(Flags::CANVAS) {
        return Some(("canvas", Shape::Stays));
    }
    if flags.has(Flags::IFRAME) {
        return Some(("iframe", if named || flags.has(Flags::OPAQUE) { Shape::Stays } else { Shape::Holds }));
    }
    let shape = match role {
        "image" | "img" | "SvgRoot" | "figure" => {
            return named.then_some((if role == "figure" { role } else { "image" }, Shape::Stays));
        }
        _ if role::is_generic(role) || is_plain_role(role) => return None,
        "list" | "group" | "form" | "region" | "note" | "DescriptionList" | "Details" | "Section" => {
            return named.then_some((role, Shape::Holds));
        }
        "heading" | "alert" | "status" | "timer" | "marquee" | "caption" | "tooltip" | "term" | "definition"
        | "blockquote" => Shape::Adopts,
        "cell" | "gridcell" | "columnheader" | "rowheader" => Shape::Adopts,
        "listitem" => Shape::Stands,
        "dialog" | "alertdialog" | "progressbar" | "meter" => Shape::Stays,
        _ if is_known_container(role) => Shape::Holds,
        _ => return (named && is_word(role)).then_some((role, Shape::Holds)),
    };
    Some((role, shape))
}

fn is_word(role: &str) -> bool {
    let reserved = matches!(role, crate::tree::TEXT | crate::tree::PAGE | CLICKABLE | "value" | "volatile" | "none");
    !reserved
        && StateSet::from_word(role).is_none()
        && role.starts_with(|c: char| c.is_ascii_alphabetic())
        && role.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

fn is_known_container(role: &str) -> bool {
    role::is_landmark(role)
        || matches!(
            role,
            "table"
                | "grid"
                | "treegrid"
                | "row"
                | "article"
                | "log"
                | "menu"
                | "menubar"
                | "toolbar"
                | "tablist"
                | "tabpanel"
                | "tree"
                | "radiogroup"
                | "listbox"
                | "feed"
                | "application"
                | "math"
        )
}

/// Roles of the text level, and those that only structure: they say nothing that their text does not.
fn is_plain_role(role: &str) -> bool {
    matches!(
        role,
        "strong"
            | "emphasis"
            | "code"
            | "mark"
            | "subscript"
            | "superscript"
            | "insertion"
            | "deletion"
            | "time"
            | "Abbr"
            | "abbr"
            | "StaticText"
            | "InlineTextBox"
            | "ListMarker"
            | "separator"
            | "paragraph"
            | "rowgroup"
            | "RootWebArea"
            | "WebArea"
            | "Pre"
            | "Legend"
            | "Figcaption"
            | "HeaderAsNonLandmark"
            | "FooterAsNonLandmark"
            | "SectionHeader"
            | "SectionFooter"
            | "DescriptionListTerm"
            | "DescriptionListDetail"
            | "scrollbar"
            | "Ruby"
            | "RubyAnnotation"
            | "EmbeddedObject"
            | "PluginObject"
            | "Video"
            | "Audio"
            | "graphics-document"
            | "graphics-object"
            | "graphics-symbol"
            | "docAbstract"
    )
}

/// Roles whose box starts a line of its own even where layout was not captured.
fn is_block_role(role: &str) -> bool {
    matches!(
        role,
        "paragraph"
            | "list"
            | "listitem"
            | "group"
            | "form"
            | "region"
            | "table"
            | "row"
            | "rowgroup"
            | "cell"
            | "article"
            | "DescriptionList"
            | "DescriptionListTerm"
            | "DescriptionListDetail"
            | "term"
            | "definition"
            | "Pre"
            | "blockquote"
            | "separator"
            | "Figcaption"
            | "figure"
            | "heading"
            | "Details"
            | "Section"
            | "Legend"
    )
}

fn says_value(role: &str) -> bool {
    role::is_text_field(role)
        || matches!(
            role,
            "slider" | "progressbar" | "meter" | "ColorWell" | "PopUpButton" | "MenuListPopup" | "listbox"
        )
}

fn states_of(node: NodeRef<'_>, unpainted: bool) -> StateSet {
    let from = node.states();
    let mut states = StateSet::NONE;
    let mut set = |state: StateSet, on: bool| {
        if on {
            states = states.with(state);
        }
    };
    set(StateSet::DISABLED, from.has(States::DISABLED));
    set(StateSet::CHECKED, node.checked() == Some(Tri::True));
    set(StateSet::UNCHECKED, node.checked() == Some(Tri::False));
    set(StateSet::MIXED, node.checked() == Some(Tri::Mixed) || node.pressed() == Some(Tri::Mixed));
    set(StateSet::EXPANDED, node.expanded() == Some(true));
    set(StateSet::COLLAPSED, node.expanded() == Some(false));
    set(StateSet::SELECTED, node.selected() == Some(true));
    set(StateSet::PRESSED, node.pressed() == Some(Tri::True));
    set(StateSet::UNPRESSED, node.pressed() == Some(Tri::False));
    set(StateSet::REQUIRED, from.has(States::REQUIRED));
    set(StateSet::INVALID, from.has(States::INVALID));
    set(StateSet::READONLY, from.has(States::READONLY));
    set(StateSet::MODAL, from.has(States::MODAL));
    set(StateSet::BUSY, from.has(States::BUSY));
    set(StateSet::CURRENT, from.has(States::CURRENT));
    set(StateSet::FILLED, node.flags().has(Flags::SECRET) && node.is_filled());
    set(StateSet::INVISIBLE, unpainted);
    states
}
