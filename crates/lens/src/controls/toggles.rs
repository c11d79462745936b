//! Toggles that a page draws itself: what is pressed, the field or what it is drawn with.
//!
//! In: a page, what can be pressed in it, and a checkbox, radio or switch that is styled away. Out:
//! which of both is the control. Invariant: it is one of them, never both.

use super::{Controls, MOST_BESIDE, Sums, is_content};
use browserlens_core::page::{NodeId, NodeKind, NodeRef, Page, Visibility, role};
use std::collections::HashMap;

/// How many boxes around a toggle it may be drawn with.
const AROUND_TOGGLE: usize = 3;

impl Controls {
    /// Takes out what a toggle is drawn with that its page draws itself: what lies around it or in its
    /// place, says nothing and holds no other control.
    pub(super) fn drop_around_toggles(&mut self, page: &Page) {
        let is_toggle =
            |node: &NodeRef<'_>| node.tag() == "input" && matches!(node.role(), "checkbox" | "radio" | "switch");
        let is_unseen = |node: &NodeRef<'_>| node.visibility() == Visibility::Transparent;
        let toggles =
            page.nodes().filter(|node| is_toggle(node) && is_unseen(node) && !self.is_pressed_elsewhere(*node));
        let mut drawings: Vec<NodeId> = Vec::new();
        for toggle in toggles {
            let lies_in = |part: NodeRef<'_>| {
                let both = part.bounds().intersection(toggle.bounds());
                both.width > 0.0 && both.height > 0.0
            };
            let is_drawing = |part: &NodeRef<'_>| {
                let says = |below: NodeRef<'_>| below.kind() == NodeKind::Text && is_content(below);
                let is_other = |below: NodeRef<'_>| below.id() != toggle.id() && below.has_interactive_role();
                role::is_generic(part.role())
                    && self.has(*part)
                    && lies_in(*part)
                    && !part.subtree().any(|below| says(below) || is_other(below))
            };
            let around = toggle.ancestors().take(AROUND_TOGGLE);
            let beside = toggle.parent().into_iter().flat_map(|parent| parent.children());
            drawings.extend(around.chain(beside.take(MOST_BESIDE)).filter(is_drawing).map(|part| part.id()));
        }
        drawings.into_iter().for_each(|part| self.pressed[part.index()] = false);
    }
}

/// Returns whether a toggle is styled away and nothing of its own is left to press: what encloses
/// it is pressed and holds nothing else but its picture, its label holds a button, it has neither
/// box nor label, or another's label lies over it.
pub(super) fn is_drawn_elsewhere(
    node: NodeRef<'_>,
    above: Option<NodeRef<'_>>,
    labels: &HashMap<&str, NodeRef<'_>>,
    sums: &Sums,
) -> bool {
    if node.is_visible() || !matches!(node.role(), "checkbox" | "radio" | "switch") || node.tag() != "input" {
        return false;
    }
    let is_label = |node: &NodeRef<'_>| node.tag() == "label";
    let label = node.ancestors().find(is_label).or_else(|| node.attribute("id").and_then(|id| labels.get(id)).copied());
    let says = |node: NodeRef<'_>| node.subtree().any(|below| below.kind() == NodeKind::Text && is_content(below));
    let is_above = above
        .is_some_and(|above| role::is_generic(above.role()) && Sums::below(&sums.marked, above) == 1 && !says(above));
    let holds_button =
        label.is_some_and(|label| label.descendants().any(|below| below.role() == "button" && below.is_visible()));
    let has_no_box = node.bounds().width <= 0.0 || node.bounds().height <= 0.0;
    let has_nothing = has_no_box && !label.is_some_and(|label| label.subtree().any(is_content));
    let over = node.covered_by().and_then(|cover| std::iter::once(cover).chain(cover.ancestors()).find(is_label));
    let is_under_another = over.is_some_and(|over| label.is_none_or(|label| label.id() != over.id()));
    is_above || holds_button || has_nothing || is_under_another
}
