//! What the shown state of the lens says is elided or may be old.

use crate::measure::{MarkScore, count};
use browserlens_lens::{ElidedWhat, ShownNode, ShownState};

/// Counts the nodes and runs of text that are shown, those of them that may be old, and the
/// siblings that elided marks stand for.
///
/// A mark that does not say how many counts for one; a cut name is shown, and elides no node.
pub(crate) fn marks(shown: &ShownState) -> MarkScore {
    let mut score = MarkScore { shown: count(shown.nodes().count()), ..MarkScore::default() };
    if shown.volatile().next().is_some() {
        // A container's mark covers what is below it, but for what can be acted on.
        let is_below = |node: &ShownNode<'_>| node.reference().is_none() && node.ancestors().any(|a| a.is_volatile());
        score.volatile = count(shown.nodes().filter(|node| node.is_volatile() || is_below(node)).count());
    }
    for mark in shown.elided() {
        if matches!(mark.what, ElidedWhat::Siblings(_)) {
            score.elided += mark.count.unwrap_or(1);
        }
    }
    score
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_match_a_hand_worked_observation() {
        let mut shown = ShownState::default();
        shown
            .apply(
                "[FULL PAGE STATE] Shop | https://shop.test/\n- main: \"Left\" volatile, link \"Cart\" @e1, … 31 \
                more items @m1, … 2 images @m2\n  - heading \"A long na\"… +40 chars @m3",
            )
            .expect("is in the grammar");
        assert_eq!(marks(&shown), MarkScore { shown: 4, elided: 33, volatile: 1 });
        assert_eq!(marks(&ShownState::default()), MarkScore::default());
        shown
            .apply("[FULL PAGE STATE]\n- region \"Ads\" volatile: \"Buy\", link \"More\" @e1")
            .expect("is in the grammar");
        assert_eq!(
            marks(&shown),
            MarkScore { shown: 3, elided: 0, volatile: 2 },
            "the link has a ref: it is never old"
        );
    }
}
