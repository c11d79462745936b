//! Which elements can be pressed that have no role to say so.
//!
//! In: a page. Out: [`Controls`]: by node, whether it does something of its own when it is pressed,
//! dragged or typed into. Both forms of a page (`extract`, `reference`) ask here; whether it is
//! true of a page is what the press test measures in Chromium. Invariant: what one presses by
//! pressing something else is no control beside it. Cost: passes over the page; below and beside an
//! element that is marked is looked at again.
//!
//! What speaks for an element is a *mark*: a listener of the pointer, a handler attribute, a tab
//! stop, a pointer cursor that begins at it, `draggable`, editable content. A listener alone may
//! only wait for what happens below. So:
//! - where nothing below is marked, it is a control; but where it listens to a list of elements
//!   that are alike, those are the controls;
//! - where something below is marked, it is one only if something of it lies outside of that; with
//!   a listener alone, moreover, only if it has words of its own or elements like it beside it
//!   listen too (one listener each);
//! - inside another control it is one only if something of that other one lies outside of it; a
//!   name of its own (`aria-label`) then marks it too;
//! - the box around one combobox is no control beside it, nor is what lies beneath the control that
//!   encloses it, or is empty and covered;
//! - a cell with a name of its own, in a grid that listens, is one;
//! - a label stands for its checkbox where that is not rendered;
//! - the word of a menu that opens as one points at it is one.

mod marks;
mod menus;
mod rows;
mod toggles;

use browserlens_core::page::{Clickability, Flags, NodeId, NodeKind, NodeRef, Page, States, Visibility, role};
use marks::{Mark, mark_of};
pub(crate) use menus::hovered_menu;
use std::collections::HashMap;
use toggles::is_drawn_elsewhere;

/// Largest width and height of a picture that is an icon, in CSS px: nobody presses its strokes.
const LARGEST_ICON: f32 = 48.0;
/// Most elements beside one that are held against it.
pub(crate) const MOST_BESIDE: usize = 50;
/// How deep a list may lie in what listens for it.
const DEEPEST_LIST: usize = 4;
/// How deep a cell may lie in the grid that listens for it.
const DEEPEST_GRID: usize = 8;
/// Smallest field that one can aim at, in CSS px.
const SMALLEST_FIELD: (f32, f32) = (20.0, 8.0);
/// Tallest box around a combobox, in CSS px: a line of text and what pads it.
const TALLEST_BOX: f32 = 64.0;

/// What can be pressed without a role that says so.
#[derive(Debug)]
pub(crate) struct Controls {
    pressed: Vec<bool>,
    elsewhere: Vec<NodeId>,
    rows: Vec<NodeId>,
}

/// What makes elements that are alike a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Listed {
    /// Only what holds them.
    Holder,
    /// Their class, too.
    Class,
    /// That they are alike.
    Alike,
}

/// What encloses a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    /// A control whose role says that it is one thing to press: what listens in it seldom does
    /// anything else.
    OneThing,
    /// Any other control by role.
    Role,
    /// What can be pressed without a role.
    Pressed,
}

impl Inside {
    fn of(node: NodeRef<'_>) -> Self {
        let is_one = matches!(
            node.role(),
            "checkbox" | "radio" | "switch" | "slider" | "spinbutton" | "menuitemcheckbox" | "menuitemradio"
        );
        // In a `button` nothing else may be pressed; what is only called one may hold an icon that
        // removes it.
        if is_one || node.tag() == "button" { Self::OneThing } else { Self::Role }
    }

    fn may_hold(self, mark: Mark) -> bool {
        match mark {
            Mark::Listens => self != Self::OneThing,
            Mark::Named => self == Self::Pressed,
            _ => true,
        }
    }
}

/// What every prefix of the page holds, so that a subtree's share is a difference.
struct Sums {
    marked: Vec<u32>,
    content: Vec<u32>,
}

impl Sums {
    fn below(sums: &[u32], node: NodeRef<'_>) -> u32 {
        sums[node.end() as usize] - sums[node.id().index() + 1]
    }

    fn with(sums: &[u32], node: NodeRef<'_>) -> u32 {
        sums[node.end() as usize] - sums[node.id().index()]
    }
}

impl Controls {
    /// Looks through a page.
    pub(crate) fn of(page: &Page) -> Self {
        let mut marks = Vec::with_capacity(page.len());
        let mut sums = Sums { marked: vec![0], content: vec![0] };
        // Labels of fields by the ids that they name.
        let mut labels: HashMap<&str, NodeRef<'_>> = HashMap::new();
        for node in page.nodes() {
            if node.tag() == "label" {
                labels.extend(node.attribute("for").map(|id| (id, node)));
            }
            let mark = mark_of(node);
            sums.marked.push(sums.marked[marks.len()] + u32::from(!matches!(mark, Mark::Nothing | Mark::Named)));
            sums.content.push(sums.content[marks.len()] + u32::from(is_content(node)));
            marks.push(mark);
        }
        let mut controls = Self { pressed: vec![false; page.len()], elsewhere: Vec::new(), rows: Vec::new() };
        // Of the controls that enclose the node at hand: each itself, what it holds, and whether
        // all of it is one thing to press.
        let mut around: Vec<(NodeRef<'_>, u32, Inside)> = Vec::new();
        for node in page.nodes() {
            let at = node.id().index();
            while around.pop_if(|(above, ..)| above.end() <= node.id().0).is_some() {}
            let content = Sums::with(&sums.content, node);
            let beside = around.last().map_or(marks[at] != Mark::Named, |(above, whole, inside)| {
                // What another is named by is no control beside it.
                let names_it = marks[at] == Mark::Named && node.attribute("aria-label") == Some(above.name());
                *whole > content && inside.may_hold(marks[at]) && !names_it
            });
            if controls.pressed[at] {
                // A list's element that what listens for it has spoken for.
            } else if matches!(marks[at], Mark::Nothing | Mark::Role) {
                if marks[at] == Mark::Role {
                    let only_holds = is_silent_item(node)
                        && Sums::below(&sums.marked, node) > 0
                        && !has_its_own(node, &marks, &sums);
                    let above = around.last();
                    let is_drawing =
                        above.is_some_and(|(above, whole, _)| *whole == content && is_drawing_of(node, *above));
                    let is_drawn = is_drawn_elsewhere(node, above.map(|(above, ..)| *above), &labels, &sums);
                    if only_holds || is_drawing || is_drawn || is_out_of_use(node) {
                        controls.elsewhere.push(node.id());
                        continue;
                    }
                    around.push((node, content, Inside::of(node)));
                }
                continue;
            } else if !beside || !controls.is_pressed_itself(node, &marks, &sums) {
                continue;
            }
            controls.pressed[at] = true;
            around.push((node, content, Inside::Pressed));
        }
        controls.add_stops(page);
        controls.add_parts(page, &sums);
        controls.drop_around_toggles(page);
        controls.rows = rows::rows(page, &controls);
        controls
    }

    /// Adds what a script may focus beside controls that are like it: one of a kind differs in its
    /// style, not in what it does.
    fn add_stops(&mut self, page: &Page) {
        let stops = page.nodes().filter(|node| {
            !self.has(*node)
                && node.is_visible()
                && node.attribute("tabindex").is_some()
                && role::is_generic(node.role_or_attribute())
        });
        let alike: Vec<NodeId> = stops
            .filter(|stop| {
                let beside = stop.parent().into_iter().flat_map(|parent| parent.children());
                beside.take(MOST_BESIDE).any(|other| self.has(other) && is_alike(other, *stop))
            })
            .map(|stop| stop.id())
            .collect();
        for stop in alike {
            self.pressed[stop.index()] = true;
        }
    }

    /// Adds what is pressed within a control without a role, whose listener hears it: the words of a list
    /// that pops up from it, and a sign that takes one of what was chosen away.
    fn add_parts(&mut self, page: &Page, sums: &Sums) {
        let mut parts: Vec<NodeId> = Vec::new();
        for control in page.nodes().filter(|node| self.has(*node) && role::is_generic(node.role())) {
            let whole = Sums::with(&sums.content, control);
            let is_editor = control.clickability().has(Clickability::EDITABLE);
            if Sums::below(&sums.marked, control) > 0 || whole < 2 || is_editor {
                continue;
            }
            for below in control.descendants().filter(|below| below.kind() == NodeKind::Element && below.is_visible()) {
                let held = Sums::with(&sums.content, below);
                let pops_up = matches!(below.style("position"), Some("absolute" | "fixed")) && held < whole;
                if pops_up && let Some(list) = list_below(below, sums, Listed::Alike) {
                    parts.extend(list.iter().filter(|element| says_words(**element)).map(|element| element.id()));
                } else if held == 1 && is_sign_of_removal(below) {
                    parts.push(below.id());
                }
            }
        }
        for part in parts {
            self.pressed[part.index()] = true;
        }
    }

    /// Returns whether another control is pressed where a node's role says that it is one: an item
    /// that hears nothing and of which only other controls are seen; the link that a tab is drawn
    /// with; a toggle that is styled away and drawn by what encloses it or by a button of its
    /// label.
    pub(crate) fn is_pressed_elsewhere(&self, node: NodeRef<'_>) -> bool {
        self.elsewhere.binary_search(&node.id()).is_ok()
    }

    /// Returns whether a box without a role is one of many like it: an item of a list.
    pub(crate) fn is_row(&self, node: NodeRef<'_>) -> bool {
        self.rows.binary_search(&node.id()).is_ok()
    }

    /// Returns whether a node can be pressed, its role apart.
    pub(crate) fn has(&self, node: NodeRef<'_>) -> bool {
        self.pressed[node.id().index()]
    }

    /// Decides about an element that is marked; where it listens for a list, the list's elements
    /// are pressed.
    fn is_pressed_itself(&mut self, node: NodeRef<'_>, marks: &[Mark], sums: &Sums) -> bool {
        let mark = marks[node.id().index()];
        if node.clickability().has(Clickability::EDITABLE) || is_scrolled_list(node) {
            return true;
        }
        if Sums::below(&sums.marked, node) > 0 {
            let is_its_own = mark != Mark::Listens || has_words(node) || is_one_of_many(node);
            return is_its_own && !is_around_a_combobox(node, marks, sums) && has_its_own(node, marks, sums);
        }
        let listens = node.clickability().has(Clickability::LISTENER);
        if !listens || mark == Mark::Named || node.clickability().has(Clickability::TABINDEX) {
            return true;
        }
        match list_below(node, sums, if mark == Mark::Listens { Listed::Class } else { Listed::Holder }) {
            Some(list) => {
                for element in list {
                    self.pressed[element.id().index()] = true;
                }
                false
            }
            None => true,
        }
    }
}

/// Returns whether a node is what a control is drawn with, as its author says: all of it, and no
/// control of its own.
fn is_drawing_of(node: NodeRef<'_>, control: NodeRef<'_>) -> bool {
    let is_its_name = node.attribute("id").is_some() && node.attribute("id") == control.attribute("aria-labelledby");
    matches!(control.role(), "tab" | "menuitem" | "option" | "button")
        && (is_its_name || matches!(node.attribute("role"), Some("presentation" | "none")))
}

/// Returns whether a field can neither be written into nor reached by keys, nor is there for those
/// who listen to a page.
fn is_out_of_use(node: NodeRef<'_>) -> bool {
    let is_field = matches!(node.tag(), "input" | "textarea") && node.attribute("readonly").is_some();
    is_field && node.flags().has(Flags::ARIA_HIDDEN) && node.attribute("tabindex") == Some("-1")
}

/// Returns whether a field is not to be seen and yet what one uses: an editor or a terminal draws
/// its text itself, a slider its thumb, and a label lies in an empty field's place until it has the
/// focus. What is in such a field is not told, but what was chosen.
pub(crate) fn is_used_unseen(node: NodeRef<'_>, role: &str) -> bool {
    if node.tag() == "input" {
        let box_of = node.bounds();
        // Over the field that a list is searched by lies what was chosen.
        let is_open = role == "combobox"
            || box_of.width >= SMALLEST_FIELD.0 && !node.flags().has(Flags::COVERED) && node.covered_by().is_none();
        let lies_open = node.visibility() == Visibility::Transparent && box_of.height >= SMALLEST_FIELD.1 && is_open;
        return role == "slider" || role::is_text_field(role) && lies_open && node.attribute("tabindex") != Some("-1");
    }
    // A list that a page makes itself shows nothing while nothing is chosen.
    let is_blank = node.visibility() == Visibility::Transparent && node.bounds().height >= SMALLEST_FIELD.1;
    let is_field = match node.attribute("role") {
        Some("combobox") => is_blank,
        named => node.tag() == "textarea" || named == Some("textbox"),
    };
    is_field && role::is_text_field(role) && node.attribute("tabindex") == Some("0")
}

/// Returns whether the pointer says over a control that it cannot be used: of one that a page makes
/// itself nothing else may say so.
pub(crate) fn is_denied(node: NodeRef<'_>) -> bool {
    node.style("cursor") == Some("not-allowed")
}

/// Returns whether an item, or a list of options, has nothing that speaks for an effect of its own
/// but its role.
fn is_silent_item(node: NodeRef<'_>) -> bool {
    let why = node.clickability();
    if node.role() == "listbox" && node.tag() != "select" {
        // Its options are chosen, whatever it hears of them; the list itself only by keys.
        return !why.has(Clickability::TABINDEX);
    }
    let speaks = [Clickability::LISTENER, Clickability::HANDLER, Clickability::POINTER, Clickability::TABINDEX];
    matches!(node.role(), "treeitem" | "option" | "menuitem" | "tab")
        && !speaks.into_iter().any(|reason| why.has(reason))
        && !node.states().has(States::FOCUSABLE)
        && node.attribute("tabindex").is_none()
}

/// Returns whether a combobox is only the box around a text field (and options, buttons that remove
/// what was chosen): these are what is used.
pub(crate) fn is_box_of_a_combobox(node: NodeRef<'_>, role: &str) -> bool {
    role == "combobox"
        && !matches!(node.tag(), "input" | "select" | "textarea" | "button")
        && !node.clickability().has(Clickability::EDITABLE)
        && node.descendants().any(|below| {
            below.kind() == NodeKind::Element
                && below.is_visible()
                && matches!(below.role(), "textbox" | "searchbox" | "combobox")
        })
}

/// Returns whether a node is there to be scrolled: a grid or tree, or what draws the rest of its
/// items then.
fn is_scrolled_list(node: NodeRef<'_>) -> bool {
    let flags = node.flags();
    flags.has(Flags::PARTIAL)
        || matches!(node.role_or_attribute(), "grid" | "treegrid" | "tree") && flags.has(Flags::SCROLLER)
}

/// Returns whether letters or digits are seen in an element.
fn says_words(element: NodeRef<'_>) -> bool {
    element.subtree().any(|below| below.is_seen() && below.text().contains(char::is_alphanumeric))
}

/// Returns whether an element says nothing but a cross.
fn is_sign_of_removal(element: NodeRef<'_>) -> bool {
    let mut texts = element.children();
    let only = texts.next().filter(|only| only.kind() == NodeKind::Text && texts.next().is_none());
    only.is_some_and(|only| matches!(only.text().trim(), "×" | "✕" | "✖" | "✗" | "⨯"))
}

/// Returns whether an element holds text directly.
fn has_words(node: NodeRef<'_>) -> bool {
    node.children().any(|child| child.kind() == NodeKind::Text && is_content(child))
}

/// Returns whether a label's checkbox, radio or file field is not rendered, so that the label is
/// all there is of it.
fn is_all_of_its_field(label: NodeRef<'_>) -> bool {
    label.descendants().any(|below| {
        below.tag() == "input"
            && below.visibility() == Visibility::NotRendered
            && matches!(below.attribute("type"), Some("checkbox" | "radio" | "file"))
    })
}

/// Returns whether an element is the box around one combobox and signs that say nothing else: both
/// open it.
fn is_around_a_combobox(node: NodeRef<'_>, marks: &[Mark], sums: &Sums) -> bool {
    let is_one = |below: NodeRef<'_>| below.role() == "combobox" && marks[below.id().index()] == Mark::Role;
    role::is_generic(node.role())
        && Sums::below(&sums.marked, node) == 1
        && node.bounds().height <= TALLEST_BOX
        && node.descendants().any(is_one)
}

/// Returns whether a node is something to be seen, whatever is below it.
fn is_content(node: NodeRef<'_>) -> bool {
    match node.kind() {
        // A bullet is not pressed.
        NodeKind::Pseudo if node.tag() == "::marker" => false,
        NodeKind::Text | NodeKind::Pseudo => node.is_seen() && !node.text().trim().is_empty(),
        NodeKind::Element => {
            node.is_visible()
                && (is_drawn(node.tag())
                    || matches!(
                        node.tag(),
                        "img" | "canvas" | "video" | "input" | "select" | "textarea" | "button" | "iframe"
                    ))
        }
        NodeKind::Document => false,
    }
}

/// Returns whether a tag is a drawn shape of an SVG picture.
pub(crate) fn is_drawn(tag: &str) -> bool {
    matches!(tag, "circle" | "ellipse" | "rect" | "path" | "polygon" | "polyline" | "line" | "image" | "use")
}

/// Returns whether something of a node lies outside of everything that is marked below it.
fn has_its_own(node: NodeRef<'_>, marks: &[Mark], sums: &Sums) -> bool {
    let mut own = Sums::with(&sums.content, node);
    let mut past = 0;
    for below in node.descendants() {
        // What stands in a label is its field's.
        let is_others = !matches!(marks[below.id().index()], Mark::Nothing | Mark::Named) || below.tag() == "label";
        if below.id().0 >= past && is_others {
            own -= Sums::with(&sums.content, below);
            past = below.end();
        }
    }
    own > 0
}

/// Returns whether an element beside a node is like it and listens too. What lies in the page itself
/// is a layer of it: an application and what pops up over it listen for all that is in them.
fn is_one_of_many(node: NodeRef<'_>) -> bool {
    let Some(parent) = node.parent().filter(|parent| parent.tag() != "body") else { return false };
    let mut beside = parent.children().filter(|child| child.id() != node.id() && is_alike(*child, node));
    node.clickability().has(Clickability::LISTENER)
        && beside.any(|child| child.clickability().has(Clickability::LISTENER))
}

pub(crate) fn is_alike(one: NodeRef<'_>, other: NodeRef<'_>) -> bool {
    one.kind() == NodeKind::Element && one.tag() == other.tag() && one.classes().next() == other.classes().next()
}

/// Returns the elements of the list that an element listens for, if it holds nothing but one list;
/// `by`: what makes elements that are alike a list, beside what holds them.
fn list_below<'p>(listens: NodeRef<'p>, sums: &Sums, by: Listed) -> Option<Vec<NodeRef<'p>>> {
    let mut holder = listens;
    for _ in 0..DEEPEST_LIST {
        if holder.tag() == "tr" {
            // The cells of a row are no list.
            return None;
        }
        let whole = Sums::with(&sums.content, holder);
        let elements: Vec<NodeRef<'p>> = holder
            .children()
            .filter(|child| child.kind() == NodeKind::Element && Sums::with(&sums.content, *child) > 0)
            .collect();
        let held: u32 = elements.iter().map(|child| Sums::with(&sums.content, *child)).sum();
        if held < whole && !is_drawn(holder.tag()) && holder.tag() != "svg" {
            // It says something beside what its elements say.
            return None;
        }
        let [first, rest @ ..] = elements.as_slice() else { return None };
        if rest.is_empty() {
            holder = *first;
            continue;
        }
        let shapes = elements.iter().filter(|child| is_drawn(child.tag())).count();
        // One shape and its label are one thing, the strokes of an icon one sign.
        let place = holder.bounds();
        let is_icon = !place.is_empty() && place.width <= LARGEST_ICON && place.height <= LARGEST_ICON;
        let drawn =
            shapes > 1 && !is_icon && elements.iter().all(|child| is_drawn(child.tag()) || child.tag() == "text");
        let listed = matches!(holder.tag(), "ul" | "ol" | "menu" | "tbody" | "table")
            || by == Listed::Alike
            || by == Listed::Class && first.attribute("class").is_some()
            || matches!(holder.role(), "list" | "listbox" | "menu" | "tree" | "grid" | "tablist" | "radiogroup");
        let alike = rest.iter().all(|child| is_alike(*child, *first));
        return (drawn || listed && alike)
            .then(|| elements.into_iter().filter(|child| !drawn || child.tag() != "text").collect());
    }
    None
}
