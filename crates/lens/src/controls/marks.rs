//! What speaks for an element that it does something when it is pressed.

use super::{DEEPEST_GRID, MOST_BESIDE, has_words, hovered_menu, is_all_of_its_field, is_scrolled_list};
use crate::extract::markup_role;
use browserlens_core::page::{Clickability, Flags, NodeKind, NodeRef, States, Visibility, role};

/// What speaks for an element.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Nothing,
    /// Its role is that of a control.
    Role,
    /// It is one, whatever is below it.
    Sure,
    /// It shows that it can be pressed.
    Shows,
    /// Only a listener or a tab stop.
    Listens,
    /// Only a name, which counts inside of what can be pressed.
    Named,
}

pub(super) fn mark_of(node: NodeRef<'_>) -> Mark {
    // Of a page's own elements only the text of an editor's frame is acted on.
    let is_page = matches!(node.tag(), "html" | "body") && !node.clickability().has(Clickability::EDITABLE);
    if node.kind() != NodeKind::Element || is_page {
        return Mark::Nothing;
    }
    if node.tag() == "label" || node.role() == "LabelText" {
        return if node.is_visible() && is_all_of_its_field(node) { Mark::Sure } else { Mark::Nothing };
    }
    let role = node.role();
    if role::is_interactive(role) || role::is_generic(role) && markup_role(node).is_some_and(role::is_interactive) {
        // A toggle that is styled away is there all the same.
        let is_there = !matches!(node.visibility(), Visibility::NotRendered | Visibility::Hidden);
        return if is_there { Mark::Role } else { Mark::Nothing };
    }
    if !node.is_visible() {
        return Mark::Nothing;
    }
    let mark = mark_of_generic(node);
    let is_hidden = || {
        is_beneath_what_holds_it(node)
            || is_beneath_a_toggle(node)
            || node.children().next().is_none() && is_beneath_its_like(node)
    };
    if mark == Mark::Nothing || is_hidden() { Mark::Nothing } else { mark }
}

/// Returns what speaks for an element that has no role of a control, whatever lies over it.
fn mark_of_generic(node: NodeRef<'_>) -> Mark {
    let role = node.role_or_attribute();
    let why = node.clickability();
    let stop = why.has(Clickability::TABINDEX);
    let listens = why.has(Clickability::LISTENER);
    let shows = why.has(Clickability::POINTER)
        || node.attribute("draggable") == Some("true")
        || is_called_pressable(node)
        || is_checkbox_of_an_item(node)
        || role == "columnheader" && node.attribute("aria-sort").is_some() && is_heard_above(node);
    // The cells of a row that can be pressed hear what the row hears.
    let in_row =
        || node.parent().is_some_and(|row| row.tag() == "tr" && matches!(mark_of(row), Mark::Sure | Mark::Shows));
    if matches!(node.tag(), "td" | "th") && listens && !shows && !stop && in_row() {
        return Mark::Nothing;
    }
    if why.any(Clickability::HANDLER.with(Clickability::EDITABLE))
        || is_heard_by_its_grid(node)
        || stop && (listens || shows)
        || is_scrolled_list(node)
        || hovered_menu(node).is_some()
    {
        Mark::Sure
    } else if shows {
        Mark::Shows
    } else if listens
        || stop
        // One stop of a grid whose arrow keys move the focus: its events are heard further up.
        || role == "gridcell"
            && (node.states().has(States::FOCUSABLE) || node.is_set_aside() && node.attribute("tabindex").is_some())
        // What is closed and yet seen is what opens it.
        || node.attribute("data-state") == Some("closed") && has_words(node)
    {
        Mark::Listens
    } else if role::is_generic(role) && node.attribute("aria-label").is_some() && !node.flags().has(Flags::ARIA_HIDDEN)
    {
        Mark::Named
    } else {
        Mark::Nothing
    }
}

/// Returns whether what encloses a node lies over it as well (a pseudo-element over a whole head):
/// pressing one presses the other.
fn is_beneath_what_holds_it(node: NodeRef<'_>) -> bool {
    let Some(cover) = node.covered_by() else { return false };
    let holder = if cover.kind() == NodeKind::Pseudo { cover.parent() } else { Some(cover) };
    holder.is_some_and(|holder| holder.id().0 < node.id().0 && node.end() <= holder.end())
}

/// Returns whether what lies over a node stands beside it or in what is beside it: empty layers of one
/// thing. What a pop-up covers is still there.
fn is_beneath_its_like(node: NodeRef<'_>) -> bool {
    let (Some(cover), Some(parent)) = (node.covered_by(), node.parent()) else { return false };
    let within = parent.id().0 < cover.id().0 && cover.id().0 < parent.end();
    within
        && !std::iter::once(cover).chain(cover.ancestors().take_while(|above| above.id() != parent.id())).any(is_over)
}

/// Returns whether a node is taken out of the flow and lies over what was drawn before.
fn is_over(node: NodeRef<'_>) -> bool {
    matches!(node.style("position"), Some("absolute" | "fixed"))
        && !matches!(node.style("z-index"), None | Some("" | "auto" | "0"))
}

/// Returns whether a toggle that is styled away lies over the element that shows it: pressing one
/// presses the other.
fn is_beneath_a_toggle(node: NodeRef<'_>) -> bool {
    let lies_over = |toggle: NodeRef<'_>| {
        toggle.tag() == "input"
            && toggle.visibility() == Visibility::Transparent
            && matches!(toggle.role(), "checkbox" | "radio" | "switch")
            && toggle.bounds().contains_box(node.bounds(), 0.0)
    };
    node.parent().is_some_and(|parent| parent.children().take(MOST_BESIDE).any(lies_over))
}

/// Returns whether what encloses an element listens.
fn is_heard_above(node: NodeRef<'_>) -> bool {
    node.ancestors().take(DEEPEST_GRID).any(|above| above.clickability().has(Clickability::LISTENER))
}

/// Returns whether the classes of an element say that it can be pressed, and something listens for
/// it.
fn is_called_pressable(node: NodeRef<'_>) -> bool {
    let says = |class: &str| {
        let mut before = "";
        class.split(['-', '_']).any(|word| {
            let denied = std::mem::replace(&mut before, word);
            matches!(word, "selectable" | "clickable") && !matches!(denied, "not" | "non" | "no" | "un")
        })
    };
    let classes = node.attribute("class").unwrap_or("");
    // Few say it, and taking classes apart takes longer than to look.
    (classes.contains("selectable") || classes.contains("clickable"))
        && (role::is_generic(node.role()) || node.role() == "row")
        && classes.split_ascii_whitespace().any(says)
        && is_heard_above(node)
}

/// Returns whether an element is the drawn checkbox of a tree's item that has no other.
fn is_checkbox_of_an_item(node: NodeRef<'_>) -> bool {
    let says = |class: &str| class.split(['-', '_']).any(|word| word == "checkbox");
    let Some(item) = node.parent().filter(|item| item.role() == "treeitem") else { return false };
    node.classes().any(says)
        && node.children().all(|child| child.kind() == NodeKind::Pseudo)
        && item.descendants().all(|below| !matches!(below.role(), "checkbox" | "switch"))
}

/// Returns whether a node is a cell with a name of its own (a day) in a grid that listens for its
/// cells.
fn is_heard_by_its_grid(node: NodeRef<'_>) -> bool {
    let named_by = node.attribute("aria-labelledby");
    // Where the day's number can be pressed, that is the control.
    let is_pressed = |below: NodeRef<'_>| {
        below.attribute("id") == named_by
            && (role::is_interactive(below.role()) || below.clickability() != Clickability::NONE)
    };
    node.role_or_attribute() == "gridcell"
        && (node.attribute("aria-label").is_some() || named_by.is_some() && !node.descendants().any(is_pressed))
        && is_heard_above(node)
}
