//! Finding the node that an intent means among what was read.
//!
//! In: a [`Reading`] and a [`NodeHint`] (role, name, `within`, `nth`). Out: the candidates, best
//! kind of match first; all candidates match equally well. Rules, in this order, the first that
//! finds any wins: same role and name; same role and another word it is known by; same name of a
//! role that says nothing (a `div` that can be clicked); same role and a name that the text cut
//! short. Then `within` narrows where the path tells or the named part is shown at all, then `nth`
//! picks. Invariant: nothing but the text decides: no page, no facts, no action node.

use super::text::normalize;
use super::{ReadNode, Reading};
use browserlens_core::page::role as roles;
use browserlens_core::strategy::NodeHint;

/// What the reader found for an intent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Indices of the nodes that match equally well, in the order of the text.
    pub candidates: Vec<usize>,
}

impl Found {
    /// Returns the node that the reader would act on.
    pub fn choice(&self) -> Option<usize> {
        self.candidates.first().copied()
    }

    /// Returns whether the text singles the node out.
    pub fn is_single(&self) -> bool {
        self.candidates.len() == 1
    }
}

/// Finds the nodes that a hint means.
pub fn find(reading: &Reading, hint: &NodeHint) -> Found {
    let name = normalize(&hint.name);
    let tier_of = |(index, node): (usize, &ReadNode)| Some((tier(node, &hint.role, &name)?, index));
    let tiers: Vec<(u8, usize)> = reading.nodes.iter().enumerate().filter_map(tier_of).collect();
    let best = tiers.iter().map(|(tier, _)| *tier).min();
    let mut candidates: Vec<usize> =
        tiers.into_iter().filter(|(tier, _)| Some(*tier) == best).map(|(_, index)| index).collect();
    if let Some(within) = &hint.within {
        let inside: Vec<usize> =
            candidates.iter().copied().filter(|index| lies_within(reading, *index, within)).collect();
        // Where no path tells, the hint cannot narrow; but what stands outside a named part that is
        // shown is another node.
        if !inside.is_empty() || is_shown(reading, within) {
            candidates = inside;
        }
    }
    if let Some(nth) = hint.nth.and_then(|nth| candidates.get(nth as usize).copied()) {
        candidates = vec![nth];
    }
    Found { candidates }
}

fn is_shown(reading: &Reading, part: &NodeHint) -> bool {
    !normalize(&part.name).is_empty() && reading.nodes.iter().any(is_like(part, 0))
}

fn lies_within(reading: &Reading, index: usize, within: &NodeHint) -> bool {
    let mut above = reading.path(index);
    above.any(is_like(within, 2)) && within.within.as_ref().is_none_or(|outer| above.any(is_like(outer, 2)))
}

/// Returns what says whether a node matches a hint at least so well, its path left alone.
fn is_like(hint: &NodeHint, worst: u8) -> impl Fn(&ReadNode) -> bool {
    let name = normalize(&hint.name);
    move |node| tier(node, &hint.role, &name).is_some_and(|tier| tier <= worst)
}

/// Returns how well a node matches; smaller is better.
fn tier(node: &ReadNode, role: &str, name: &str) -> Option<u8> {
    if node.role == "text" {
        return None;
    }
    let role_fits = same_role(&node.role, role);
    if name.is_empty() {
        return (role_fits && !role.is_empty()).then_some(if node.name.is_empty() { 0 } else { 1 });
    }
    // Normalising only shortens: most nodes are passed over without an allocation.
    let may_be_equal = |words: &str| words.len() >= name.len();
    let is_name = |words: &str| may_be_equal(words) && (words == name || normalize(words) == name);
    if is_name(&node.name) {
        // A text with a handle can be acted on where a clickable element without a role is meant:
        // it lies in it.
        let is_its_text = node.role == "StaticText" && node.handle.is_some() && roles::is_generic(role);
        return match (role_fits, roles::is_generic(&node.role) || is_its_text) {
            (true, _) => Some(0),
            (false, true) => Some(2),
            (false, false) => None,
        };
    }
    if !role_fits {
        return None;
    }
    if node.also.iter().any(|words| is_name(words)) || (node.name.is_empty() && is_name(&node.text)) {
        return Some(1);
    }
    let read = if node.name.ends_with(['…', '.']) { normalize(&node.name) } else { return None };
    let cut = read.strip_suffix('…').or_else(|| read.strip_suffix("..."));
    cut.map(str::trim_end).is_some_and(|stem| stem.chars().count() >= 12 && name.starts_with(stem)).then_some(3)
}

/// Returns whether two role names, of whatever tool, mean the same to an agent; an unsaid role fits
/// any.
pub fn same_role(read: &str, wanted: &str) -> bool {
    wanted.is_empty() || read == wanted || class(read) == class(wanted)
}

fn class(role: &str) -> &str {
    match role {
        "img" | "image" | "graphics-document" => "image",
        "textbox" | "searchbox" | "Date" | "DateTime" | "InputTime" => "textbox",
        "combobox" | "PopUpButton" | "MenuListPopup" | "select" => "combobox",
        "Canvas" | "canvas" => "canvas",
        "Iframe" | "iframe" => "iframe",
        "DisclosureTriangle" | "summary" => "disclosure",
        "radiogroup" | "group" | "Details" => "group",
        "switch" | "checkbox" => "checkbox",
        "StaticText" | "text" => "text",
        "RootWebArea" | "document" => "document",
        "paragraph" | "p" => "paragraph",
        role if roles::is_generic(role) => "generic",
        role => role,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::reading_of;

    const CART: &str = r#"- region "Buy":
  - button "Add to cart" [ref=e1]
- region "Related":
  - article "A":
    - button "Add to cart" [ref=e2]
  - article "B":
    - button "Add to cart" [ref=e3]
- searchbox "Search" [ref=e4]
- generic "Open dialog" [ref=e5]
- link "A very long name of a product that was cut…" [ref=e6]"#;

    fn hint(role: &str, name: &str) -> NodeHint {
        NodeHint { role: role.into(), name: name.into(), ..NodeHint::default() }
    }

    fn handles(hint: &NodeHint) -> Vec<String> {
        let reading = reading_of("playwright-aria", CART);
        find(&reading, hint).candidates.iter().filter_map(|index| reading.nodes[*index].handle.clone()).collect()
    }

    #[test]
    fn within_and_nth_single_out_one_of_three() {
        let mut add = hint("button", "Add to cart");
        assert_eq!(handles(&add), ["e1", "e2", "e3"]);
        add.within = Some(Box::new(hint("region", "Related")));
        assert_eq!(handles(&add), ["e2", "e3"]);
        add.nth = Some(1);
        assert_eq!(handles(&add), ["e3"]);
        add.within = Some(Box::new(hint("region", "nowhere")));
        assert_eq!(handles(&add), ["e2"], "a path that does not tell does not narrow, so nth counts all");
    }

    #[test]
    fn within_may_itself_lie_within() {
        let mut inner = hint("article", "B");
        inner.within = Some(Box::new(hint("region", "Related")));
        let mut add = hint("button", "Add to cart");
        add.within = Some(Box::new(inner));
        assert_eq!(handles(&add), ["e3"]);
    }

    #[test]
    fn roles_of_other_tools_are_understood_and_wrong_ones_are_not() {
        assert_eq!(handles(&hint("textbox", "Search")), ["e4"]);
        assert_eq!(handles(&hint("button", "Open dialog")), ["e5"], "a generic that carries the name");
        assert!(handles(&hint("link", "Add to cart")).is_empty());
    }

    #[test]
    fn a_name_that_was_cut_is_recognised_by_its_beginning() {
        assert_eq!(handles(&hint("link", "A very long name of a product that was cut short by the tool")), ["e6"]);
        assert!(handles(&hint("link", "A very short name")).is_empty());
    }
}
