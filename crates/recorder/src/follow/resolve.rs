//! From an action of somebody else to the record of it: which node of the capture before it was
//! meant.
//!
//! In: an [`Act`] and the page before it. Out: an [`ActionRecord`]. Invariants: the node is one of
//! that capture, or there is none and the record says why, and has the node in the words of the
//! page at that time; what was typed into a secret field is not in the record unless the redactor
//! will replace it.

use crate::follow::group::Act;
use crate::follow::number::Numbers;
use crate::follow::signal::Spot;
use crate::step_writer::{acted, in_words};
use browserlens_core::page::{Clickability, Flags, NodeKey, NodeRef, Page};
use browserlens_core::strategy::{ActionKind, StepIndex};
use browserlens_trace::ActionRecord;

/// How far above the element under the pointer the node is looked for that the pointer was meant
/// for.
const MOST_ABOVE: usize = 8;

/// Returns the node of an element, if the page has it.
pub(crate) fn key_of(spot: &Spot, numbers: &Numbers, page: &Page) -> Option<NodeKey> {
    let held = || spot.held.and_then(|held| numbers.held(&spot.session, spot.context, held));
    let numbered = spot.key.or_else(held).filter(|key| page.find(*key).is_some());
    numbered.or_else(|| spot.described.as_ref()?.find(page))
}

/// Returns the record of an action on the page before it.
pub(crate) fn record_of(act: &Act, numbers: &Numbers, page: &Page, before: StepIndex) -> ActionRecord {
    let taken_back = "whoever drives the browser took it back before the page got it";
    let (mut acceptable, mut note) = (Vec::new(), act.taken_back.then(|| taken_back.to_owned()));
    if let Some(spot) = &act.spot {
        let found = key_of(spot, numbers, page).or_else(|| spot.near.filter(|key| page.find(*key).is_some()));
        match found.and_then(|key| page.find(key)) {
            Some(node) => {
                acceptable = meant(act.kind, node);
                let also = if act.kind == ActionKind::Drag { &[][..] } else { &act.also };
                for other in also.iter().filter_map(|spot| key_of(spot, numbers, page)) {
                    if !acceptable.contains(&other) {
                        acceptable.push(other);
                    }
                }
            }
            None => note = Some(format!("its node, a <{}>, is not in the capture before it", spot.tag)),
        }
    }
    let target = acceptable.first().copied();
    let hides = target.and_then(|key| page.find(key)).is_some_and(|node| node.flags().has(Flags::SECRET));
    let text = if act.secret && !hides { "\u{2022}".repeat(act.text.chars().count()) } else { act.text.clone() };
    let told = || act.spot.as_ref()?.described.as_ref()?.words();
    let words = target.map_or_else(told, |key| in_words(page, key));
    let mut record = acted(act.kind, text, words, acceptable, before);
    record.point = act.point.filter(|_| target.is_some());
    record.taken.error = note;
    record
}

/// Returns the node that an action on an element was meant for, then every other that would do.
fn meant(kind: ActionKind, node: NodeRef<'_>) -> Vec<NodeKey> {
    let points = matches!(
        kind,
        ActionKind::Click | ActionKind::DoubleClick | ActionKind::RightClick | ActionKind::Hover | ActionKind::Drag
    );
    if !points {
        return vec![node.key()];
    }
    let around = || std::iter::once(node).chain(node.ancestors()).take(MOST_ABOVE);
    let above = || around().take_while(|node| !matches!(node.tag(), "body" | "html"));
    let by = |why: Clickability| above().position(|node| node.clickability().any(why));
    let weak =
        Clickability::LISTENER.with(Clickability::POINTER).with(Clickability::TABINDEX).with(Clickability::HANDLER);
    let at = by(Clickability::ROLE.with(Clickability::EDITABLE)).or_else(|| by(weak)).unwrap_or(0);
    // From the node that was meant down to the one under the pointer: all of them are hit by the
    // same click.
    let mut keys: Vec<NodeKey> = above().take(at + 1).map(|node| node.key()).collect();
    keys.reverse();
    keys
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    #[test]
    fn a_click_on_what_a_button_holds_means_the_button() {
        let page = PageBuilder::outline("main #2\n  button \"Buy\" #5\n    image \"\" #6\n  paragraph \"text\" #7");
        let keys = |backend: u32| {
            let node = page.nodes().find(|node| node.key().backend == backend).expect("a node");
            meant(ActionKind::Click, node).iter().map(|key| key.backend).collect::<Vec<_>>()
        };
        assert_eq!(keys(6), [5, 6]);
        assert_eq!(keys(5), [5]);
        assert_eq!(keys(7), [7]);
    }

    #[test]
    fn a_node_that_no_capture_has_is_told_in_words_and_that_it_is_missing() {
        let page = PageBuilder::outline("main #2\n  paragraph \"text\" #7");
        let told = r#"{"u":"http://gone.test/","p":[["span",0],["button",0]],"r":"button","m":"Add to cart"}"#;
        let spot = Spot {
            tag: "span".to_owned(),
            described: Some(serde_json::from_str(told).expect("a description")),
            ..Spot::default()
        };
        let act = Act::new(ActionKind::Click, 0, Some(spot), "");
        let record = record_of(&act, &Numbers::default(), &page, StepIndex(0));
        assert_eq!(record.target, None);
        let node = record.taken.node.expect("words");
        assert_eq!((node.role.as_str(), node.name.as_str()), ("button", "Add to cart"));
        assert_eq!(record.taken.error.as_deref(), Some("its node, a <span>, is not in the capture before it"));
    }
}
