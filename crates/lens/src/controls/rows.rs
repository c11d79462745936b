//! Boxes without a role that repeat: posts of a feed, comments, cards, lines of a cart.
//!
//! In: a page and what can be pressed in it. Out: the boxes, each of which is an item of a list to
//! whoever reads the page: it says what belongs to which control. Invariant: what a box is follows
//! from it and those beside it.

use super::Controls;
use browserlens_core::page::{Clickability, Flags, NodeId, NodeKind, NodeRef, Page, role};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Fewest boxes that are rows.
const FEWEST: usize = 3;
/// Most controls in the middle one of a group's boxes: what holds more is a part of a page.
const MOST_CONTROLS: u32 = 24;
/// Most classes of a box of which the first says what it is: of more, all of them say how it looks.
const MOST_CLASSES: usize = 4;
/// How classes begin that tools make of styles: before one, the first only names a library's box.
const OF_STYLES: [&str; 3] = ["css-", "sc-", "jss"];

/// What is seen up to a node, so that a subtree's share is a difference.
#[derive(Clone, Copy, Default)]
struct Seen {
    controls: u32,
    fields: u32,
    texts: u32,
}

impl Seen {
    fn below(sums: &[Self], node: NodeRef<'_>) -> Self {
        let (from, to) = (sums[node.id().index() + 1], sums[node.end() as usize]);
        Self { controls: to.controls - from.controls, fields: to.fields - from.fields, texts: to.texts - from.texts }
    }

    /// Returns whether there is a control that is no field, and something else.
    fn is_full(&self) -> bool {
        self.controls > self.fields && self.controls + self.texts >= 2
    }
}

/// Returns the boxes of a page that are rows, in document order.
pub(super) fn rows(page: &Page, controls: &Controls) -> Vec<NodeId> {
    let sums = sums(page, controls);
    let mut rows = Vec::new();
    let mut classes = HashSet::new();
    let mut past = 0;
    for holder in page.nodes() {
        let is_editor = holder.clickability().has(Clickability::EDITABLE);
        if is_editor {
            past = past.max(holder.end());
        }
        // What lies in the page itself is a layer of it.
        if holder.id().0 < past || holder.kind() == NodeKind::Text || matches!(holder.tag(), "html" | "body") {
            continue;
        }
        let mut groups: HashMap<(&str, Cow<'_, str>), Vec<NodeRef<'_>>> = HashMap::new();
        for child in holder.children().filter(|child| is_box(*child) && !controls.has(*child)) {
            groups.entry((child.tag(), class_of(child))).or_default().push(child);
        }
        for group in groups.into_values().filter(|group| group.len() >= FEWEST) {
            if are_rows(&group, &sums) {
                rows.extend(group.iter().map(|row| row.id()));
                classes.extend(group.first().map(|row| (row.tag(), class_of(*row))));
            }
        }
    }
    // One alone is what those of its class are elsewhere: the only answer to a comment.
    let is_known = |node: &NodeRef<'_>| {
        let (tag, class) = (node.tag(), class_of(*node));
        !class.is_empty() && is_box(*node) && !controls.has(*node) && classes.contains(&(tag, class))
    };
    if classes.iter().any(|(_, class)| !class.is_empty()) {
        let alone = page.nodes().filter(|node| node.classes().next().is_some()).filter(is_known);
        rows.extend(alone.filter(|node| Seen::below(&sums, *node).is_full()).map(|node| node.id()));
    }
    rows.sort_unstable();
    rows.dedup();
    rows
}

fn sums(page: &Page, controls: &Controls) -> Vec<Seen> {
    let mut sums = vec![Seen::default()];
    let mut sum = Seen::default();
    // Texts of a control are its name, and those of a label its field's.
    let mut past = 0;
    for node in page.nodes() {
        let is_control =
            controls.has(node) || role::is_interactive(node.role()) && !controls.is_pressed_elsewhere(node);
        if is_control && node.is_visible() {
            sum.controls += 1;
            sum.fields += u32::from(role::is_text_field(node.role()) || node.tag() == "select");
        }
        if is_control || node.tag() == "label" {
            past = past.max(node.end());
        }
        let says = node.kind() == NodeKind::Text && node.text().contains(char::is_alphanumeric);
        sum.texts += u32::from(says && node.id().0 >= past && node.is_seen());
        sums.push(sum);
    }
    sums
}

fn is_box(node: NodeRef<'_>) -> bool {
    node.kind() == NodeKind::Element
        && node.flags().has(Flags::BLOCK)
        && node.is_visible()
        && role::is_generic(node.role_or_attribute())
        && node.tag() != "label"
}

fn class_of(node: NodeRef<'_>) -> Cow<'_, str> {
    let mut classes = node.classes();
    let is_styled = classes.clone().any(|class| OF_STYLES.iter().any(|begin| class.starts_with(begin)));
    match is_styled || classes.clone().count() > MOST_CLASSES {
        true => classes.collect::<Vec<_>>().join(" ").into(),
        false => classes.next().unwrap_or_default().into(),
    }
}

/// Returns whether most boxes of a group are full, and none of the usual ones holds too much.
fn are_rows(group: &[NodeRef<'_>], sums: &[Seen]) -> bool {
    let mut held: Vec<Seen> = group.iter().map(|row| Seen::below(sums, *row)).collect();
    held.sort_unstable_by_key(|seen| seen.controls);
    let full = held.iter().filter(|seen| seen.is_full()).count();
    full >= FEWEST && full * 4 >= group.len() * 3 && held[held.len() / 2].controls <= MOST_CONTROLS
}
