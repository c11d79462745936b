//! Says what a page node is to a view, before anything below it is known.
//!
//! In: a node and what encloses it. Out: a [`Class`]. Invariant: the answer depends on the node and
//! its ancestors only; what depends on the content is decided when the node closes (`walk`).

use super::dom::Dom;
use super::names::{self, is_glyph};
use crate::controls::{Controls, hovered_menu, is_box_of_a_combobox, is_denied, is_used_unseen};
use crate::tree::{CLICKABLE, StateSet};
use browserlens_core::page::{Clickability, Flags, NodeKind, NodeRef, States, Tri, Visibility, role};
use std::borrow::Cow;

/// Role of an element whose content is edited in place; what is below it is its value.
pub(super) const EDITOR: &str = "textbox";

/// What a node is to a view.
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Keep<'p> {
    pub role: &'p str,
    pub name: Cow<'p, str>,
    pub value: &'p str,
    pub states: StateSet,
    pub shape: Shape,
    /// Whether an agent can act on it.
    pub interactive: bool,
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
    /// Goes when it is not empty.
    Sign,
}

/// What encloses a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Around {
    /// A visible `select`, whose options are there although they are not painted.
    pub select: bool,
    /// A field whose content must not be read.
    pub field: bool,
}

/// Returns what a node is to a view.
pub(super) fn classify<'p>(node: NodeRef<'p>, around: Around, dom: &Dom<'p>, controls: &Controls) -> Class<'p> {
    match node.kind() {
        NodeKind::Document => return Class::Through { block: true },
        NodeKind::Element => {}
        kind => {
            let says = kind == NodeKind::Text || says_something(node);
            let reads = node.is_seen() && !around.field && says;
            return if reads { Class::Piece(node.text()) } else { Class::Through { block: false } };
        }
    }
    let role = dom.role(node);
    // A line break has no area of its own.
    if (node.tag() == "br" || role == "LineBreak") && node.visibility() != Visibility::NotRendered {
        return Class::Break;
    }
    let is_option = role == "option" && around.select;
    let unpainted = !node.is_visible() && !is_option;
    if unpainted && !is_unpainted_control(node, role) {
        return Class::Through { block: false };
    }
    let name = dom.name(node, role);
    let is_pressed = controls.has(node);
    let block = node.flags().has(Flags::BLOCK) || is_block_role(role);
    let is_box = is_box_of_a_combobox(node, role);
    let shape = if is_box { Some((role, Shape::Stays)) } else { shape_of(role, &name, node) };
    let states = |may_be_on| {
        let mut states = states_of(node, unpainted, is_pressed, may_be_on, dom);
        if is_pressed
            && node.expanded().is_none()
            && let Some(is_open) = hovered_menu(node)
        {
            states.add(if is_open { StateSet::EXPANDED } else { StateSet::COLLAPSED });
        }
        states
    };
    let Some((role, shape)) = shape else {
        if !is_pressed && controls.is_row(node) {
            let (role, name, states, shape) = ("listitem", Cow::Borrowed(""), states(false), Shape::Stands);
            return Class::Keep(Keep { role, name, value: "", states, shape, interactive: false });
        }
        if !is_pressed {
            let name = title_of_a_sign(node).filter(|_| !around.field).map(Cow::Borrowed);
            return name.map_or(Class::Through { block }, |name| {
                let (role, shape, states) = ("image", Shape::Sign, states(false));
                Class::Keep(Keep { role, name, value: "", states, shape, interactive: false })
            });
        }
        let role = if node.clickability().has(Clickability::EDITABLE) { EDITOR } else { CLICKABLE };
        return Class::Keep(Keep {
            role,
            name,
            value: "",
            states: states(true),
            shape: Shape::Stays,
            interactive: true,
        });
    };
    let acts = role::is_interactive(role) && !controls.is_pressed_elsewhere(node) || is_pressed;
    let interactive = acts && !is_option && !is_box;
    let is_told = !unpainted || matches!(role, "combobox" | "slider");
    let says_value = says_value(role) && !is_box && is_told || is_file(node);
    Class::Keep(Keep {
        role,
        name,
        value: if says_value { node.value() } else { "" },
        // A row that is chosen says so by its class alone more often than by a state.
        states: states(interactive || role == "row" && is_called_on(node) && !holds_what_is_chosen(node)),
        shape,
        interactive,
    })
}

/// Most nodes in a sign: to look through more at every title would cost the square of a page.
const MOST_IN_A_SIGN: u32 = 100;

/// Returns the title of what says nothing else: an icon that is drawn by a picture or a glyph.
fn title_of_a_sign(node: NodeRef<'_>) -> Option<&str> {
    let title = node.attribute("title").filter(|title| names::says_something(title))?;
    if node.end() - node.id().0 > MOST_IN_A_SIGN {
        return None;
    }
    let is_read = |below: NodeRef<'_>| {
        matches!(below.kind(), NodeKind::Text | NodeKind::Pseudo) && below.is_seen() && says_something(below)
    };
    (!node.subtree().skip(1).any(is_read)).then_some(title)
}

/// Private-use characters are icon glyphs: they say nothing as text; nor does a list's marker that
/// only counts its items.
fn says_something(node: NodeRef<'_>) -> bool {
    if node.tag() == "::marker" {
        return !only_counts(node);
    }
    node.text().chars().any(|c| !c.is_whitespace() && !is_glyph(c))
}

/// Returns whether a marker is a bullet, or a number that the order of the items says.
fn only_counts(marker: NodeRef<'_>) -> bool {
    let text = marker.text().trim();
    if !text.contains(char::is_alphanumeric) {
        return true;
    }
    let number = text.strip_suffix(['.', ')']).unwrap_or(text);
    let item = marker.parent();
    let list = item.and_then(|item| item.parent());
    let counts_otherwise = [(item, "value"), (list, "start"), (list, "reversed")]
        .into_iter()
        .any(|(node, name)| node.is_some_and(|node| node.attribute(name).is_some()));
    number.bytes().all(|byte| byte.is_ascii_digit()) && !counts_otherwise
}

/// A checkbox, radio, switch or file button that is styled away, while its label is what one sees;
/// the field of an editor; an area of an image map, which is a part of the image.
fn is_unpainted_control(node: NodeRef<'_>, role: &str) -> bool {
    if node.tag() == "area" {
        return role::is_interactive(role);
    }
    let styled_away = matches!(node.visibility(), Visibility::Transparent | Visibility::Clipped | Visibility::ZeroSize);
    let is_pressed = matches!(role, "checkbox" | "radio" | "switch") || is_file(node) || is_used_unseen(node, role);
    styled_away && is_pressed && (!node.flags().has(Flags::ARIA_HIDDEN) || node.is_set_aside())
}

/// Returns whether a page draws itself what an unseen control shows, so that one sees it all the same:
/// a toggle, a slider, a list, an area of a picture.
fn is_drawn_by_its_page(node: NodeRef<'_>, role: &str) -> bool {
    node.tag() == "area" || matches!(role, "checkbox" | "radio" | "switch" | "slider" | "combobox")
}

/// A file button: its value is what was chosen.
fn is_file(node: NodeRef<'_>) -> bool {
    node.tag() == "input" && node.attribute("type") == Some("file")
}

/// Returns the role as it is written and how the item holds what is below it; none if the node says
/// nothing.
fn shape_of<'p>(role: &'p str, name: &str, node: NodeRef<'_>) -> Option<(&'p str, Shape)> {
    let named = names::says_something(name);
    let flags = node.flags();
    let is_partial = flags.has(Flags::PARTIAL);
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
        _ if role::is_generic(role) || is_plain_role(role) => return is_partial.then_some(("group", Shape::Holds)),
        "list" | "group" | "form" | "region" | "note" | "DescriptionList" | "Details" | "Section" => {
            return (named || is_partial).then_some((role, Shape::Holds));
        }
        "heading" | "alert" | "status" | "timer" | "marquee" | "caption" | "tooltip" | "term" | "definition"
        | "blockquote" | "insertion" | "deletion" => Shape::Adopts,
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
        || [
            "table", "grid", "treegrid", "row", "article", "log", "menu", "menubar", "toolbar", "tablist", "tabpanel",
            "tree", "radiogroup", "listbox", "feed", "application", "math",
        ]
        .contains(&role)
}

/// Roles of the text level, and those that only structure: they say nothing that their text does
/// not.
fn is_plain_role(role: &str) -> bool {
    [
        "strong", "emphasis", "code", "mark", "subscript", "superscript", "time", "Abbr", "abbr", "StaticText",
        "InlineTextBox", "ListMarker", "separator", "paragraph", "rowgroup", "RootWebArea", "WebArea", "Pre", "Legend",
        "Figcaption", "HeaderAsNonLandmark", "FooterAsNonLandmark", "SectionHeader", "SectionFooter",
        "DescriptionListTerm", "DescriptionListDetail", "scrollbar", "Ruby", "RubyAnnotation", "EmbeddedObject",
        "PluginObject", "Video", "Audio", "graphics-document", "graphics-object", "graphics-symbol", "docAbstract",
    ]
    .contains(&role)
}

/// Roles whose box starts a line of its own even where layout was not captured.
fn is_block_role(role: &str) -> bool {
    [
        "paragraph", "list", "listitem", "group", "form", "region", "table", "row", "rowgroup", "cell", "article",
        "DescriptionList", "DescriptionListTerm", "DescriptionListDetail", "term", "definition", "Pre", "blockquote",
        "separator", "Figcaption", "figure", "heading", "Details", "Section", "Legend",
    ]
    .contains(&role)
}

fn says_value(role: &str) -> bool {
    role::is_text_field(role)
        || matches!(
            role,
            "slider" | "progressbar" | "meter" | "ColorWell" | "PopUpButton" | "MenuListPopup" | "listbox"
        )
}

/// Returns whether a control in a row says that it is chosen.
fn holds_what_is_chosen(row: NodeRef<'_>) -> bool {
    row.descendants().any(|below| below.checked() == Some(Tri::True) || below.selected() == Some(true))
}

/// `may_be_on`: a class may call it on.
fn states_of<'p>(node: NodeRef<'p>, unpainted: bool, is_pressed: bool, may_be_on: bool, dom: &Dom<'p>) -> StateSet {
    let from = node.states();
    let mut states = if dom.speaks_for(node) { dom.states(node) } else { StateSet::NONE };
    let mut set = |state: StateSet, on: bool| states.add(if on { state } else { StateSet::NONE });
    set(StateSet::DISABLED, from.has(States::DISABLED) || is_pressed && is_denied(node));
    set(StateSet::CHECKED, node.checked() == Some(Tri::True));
    set(StateSet::UNCHECKED, node.checked() == Some(Tri::False));
    set(StateSet::MIXED, node.checked() == Some(Tri::Mixed) || node.pressed() == Some(Tri::Mixed));
    set(StateSet::EXPANDED, node.expanded() == Some(true));
    // The list of a native select opens outside of the page.
    set(StateSet::COLLAPSED, node.expanded() == Some(false) && node.tag() != "select");
    set(StateSet::SELECTED, node.selected() == Some(true));
    set(StateSet::PRESSED, node.pressed() == Some(Tri::True));
    set(StateSet::UNPRESSED, node.pressed() == Some(Tri::False));
    // The accessibility tree leaves it out on some roles.
    let required = role::is_interactive(node.role()) && node.attribute("aria-required") == Some("true");
    set(StateSet::REQUIRED, from.has(States::REQUIRED) || required);
    set(StateSet::INVALID, from.has(States::INVALID));
    set(StateSet::READONLY, from.has(States::READONLY));
    set(StateSet::MODAL, from.has(States::MODAL));
    set(StateSet::BUSY, from.has(States::BUSY));
    set(StateSet::CURRENT, from.has(States::CURRENT));
    set(StateSet::FILLED, node.flags().has(Flags::SECRET) && node.is_filled());
    set(StateSet::INVISIBLE, unpainted && !is_drawn_by_its_page(node, dom.role(node)));
    let spans = |names: [&str; 2]| names.iter().any(|name| spans_several(node, name));
    set(StateSet::COLSPAN, spans(["colspan", "aria-colspan"]));
    set(StateSet::ROWSPAN, spans(["rowspan", "aria-rowspan"]));
    set(StateSet::PARTIAL, node.flags().has(Flags::PARTIAL));
    let sorted = node.attribute("aria-sort");
    set(StateSet::ASCENDING, sorted == Some("ascending"));
    set(StateSet::DESCENDING, sorted == Some("descending"));
    let says_so = [StateSet::CHECKED, StateSet::SELECTED, StateSet::PRESSED, StateSet::CURRENT];
    if may_be_on && !says_so.iter().any(|state| states.has(*state)) && is_called_on(node) {
        states.add(StateSet::ACTIVE);
    }
    states
}

/// Returns whether an attribute of a cell says that it takes the place of several.
fn spans_several(cell: NodeRef<'_>, name: &str) -> bool {
    role::is_cell(cell.role())
        && cell.attribute(name).and_then(|count| count.trim().parse().ok()).is_some_and(|count: u32| count > 1)
}

/// How many nodes of a control are looked at for the switch that is drawn in it.
const DRAWN_IN: usize = 12;

/// Returns whether a class says that a control is on: one of its own, of the list's item that is no
/// more than the control, or of a switch without words that is drawn in it.
pub fn is_called_on(node: NodeRef<'_>) -> bool {
    let says = |node: NodeRef<'_>| node.classes().any(says_on);
    let is_field = role::is_text_field(node.role()) || node.clickability().has(Clickability::EDITABLE);
    let is_item = |item: &NodeRef<'_>| {
        item.tag() == "li" && item.children().filter(|child| child.kind() == NodeKind::Element).count() == 1
    };
    let is_switch = |below: NodeRef<'_>| {
        below.classes().any(|word| matches!(word, "on" | "is-on" | "checked" | "is-checked"))
            && below.visible_text().is_empty()
    };
    !is_field
        && (says(node)
            || node.parent().filter(is_item).is_some_and(says)
            || node.descendants().take(DRAWN_IN).any(is_switch))
}

/// Returns whether a class ends in a word that says so: `active`, `is-selected`, `tab--current`,
/// `navActive`, and with the hash of a build `Tab_active__x7Yq1`. A variant of a utility framework
/// (`hover:active`) says how it would look.
fn says_on(class: &str) -> bool {
    let is_hash = |end: &str| end.len() >= 5 && end.contains(|c: char| c.is_ascii_digit() || c.is_ascii_uppercase());
    let class = class.rsplit_once("__").filter(|(_, end)| is_hash(end)).map_or(class, |(before, _)| before);
    let (before, word) = class.rsplit_once(['-', '_']).unwrap_or(("", class));
    let from = word.rfind(|c: char| c.is_ascii_uppercase()).filter(|from| *from > 0).unwrap_or(0);
    let denied = before.rsplit(['-', '_']).next().unwrap_or("");
    match word[from..].to_ascii_lowercase().as_str() {
        "active" | "selected" | "current" | "checked" | "chosen" => {
            !class.contains([':', '[', '/']) && !matches!(denied, "not" | "non" | "no" | "un" | "in")
        }
        // A word of many names (`add-on`) where it is not all of a modifier.
        "on" | "sel" => from == 0 && (before.is_empty() || before == "is" || before.ends_with(['-', '_'])),
        _ => false,
    }
}
