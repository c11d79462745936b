//! What it would take to scroll to what a viewport-limited strategy does not show.
//!
//! In: the page, and how far beyond the viewport the strategy shows. Out: scrolls of one viewport
//! height. Rules: the *band* is the viewport and that margin above and below it; the distance of a
//! box is that between its nearer edge and the band, in CSS px; scrolls are ⌈distance ÷ viewport
//! height⌉, at least 1; a box that touches the band, or lies beside it, needs none, and no scroll
//! brings what is not shown of it. Of several places the one with the fewest scrolls counts. What
//! lies above and what lies below is walked to one after the other, the nearer end first: down + up +
//! the smaller of both. Known to be simple: only the main document is scrolled; what an inner
//! scroller hides is not brought.

use super::Shown;
use crate::measure::TargetScore;
use browserlens_core::page::{BoxInDocument, NodeKey, Page};

/// The part of the document that a viewport-limited strategy shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Band {
    top: f32,
    bottom: f32,
    viewport: f32,
}

impl Band {
    /// Returns the band of a page, `margin` CSS px beyond the viewport.
    pub fn of(page: &Page, margin: f32) -> Self {
        let viewport = (page.viewport().height as f32).max(1.0);
        let top = page.scroll().y;
        Self { top: top - margin, bottom: top + viewport + margin, viewport }
    }

    /// Returns how many scrolls bring a box into the band: positive for down, negative for up.
    pub fn scrolls_to(&self, bounds: BoxInDocument) -> i32 {
        let scrolls = |distance: f32| ((distance / self.viewport).ceil() as i32).max(1);
        if bounds.y >= self.bottom {
            scrolls(bounds.y - self.bottom)
        } else if bounds.bottom() <= self.top {
            -scrolls(self.top - bounds.bottom())
        } else {
            0
        }
    }
}

/// Where something that is not shown lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Missing {
    /// So many scrolls away: down if positive, up if negative; never 0.
    OffScreen(i32),
    /// Nowhere that scrolling would bring.
    Unreachable,
}

impl Missing {
    /// Takes the nearest of several places, each given in scrolls.
    pub fn nearest(places: impl Iterator<Item = i32>) -> Self {
        let off_screen = places.filter(|scrolls| *scrolls != 0).min_by_key(|scrolls| (scrolls.abs(), *scrolls < 0));
        off_screen.map_or(Self::Unreachable, Self::OffScreen)
    }
}

impl Shown<'_> {
    /// Returns where an action's node lies that the agent could not act on; none if it could.
    ///
    /// A node that is shown, but cannot be told from others or named, is not brought by any scroll.
    pub fn missing_target(&self, score: TargetScore, acceptable: &[NodeKey], band: &Band) -> Option<Missing> {
        if score.is_actionable() {
            return None;
        }
        if score.recall {
            return Some(Missing::Unreachable);
        }
        let nodes = acceptable.iter().filter_map(|key| self.index.node(self.page, *key));
        Some(Missing::nearest(nodes.map(|id| band.scrolls_to(self.page.node(id).bounds()))))
    }
}

/// Returns the scrolls that bring all that can be brought.
pub(crate) fn walk(missing: &[Missing]) -> u32 {
    let (mut down, mut up) = (0, 0);
    for place in missing {
        if let Missing::OffScreen(scrolls) = place {
            let end = if *scrolls > 0 { &mut down } else { &mut up };
            *end = scrolls.unsigned_abs().max(*end);
        }
    }
    down + up + down.min(up)
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn bounds(y: f32, height: f32) -> BoxInDocument {
        BoxInDocument { x: 0.0, y, width: 100.0, height }
    }

    #[test]
    fn scrolls_match_hand_worked_numbers() {
        // 800 px of viewport at the top of the page, 1,000 px beyond it: the band ends at 1,800.
        let band = Band::of(&PageBuilder::outline("main"), 1_000.0);
        let scrolls = [1_799.0, 1_800.0, 1_801.0, 2_600.0, 2_601.0, 9_000.0].map(|y| band.scrolls_to(bounds(y, 20.0)));
        // (2,601 − 1,800) ÷ 800 = 1.001; (9,000 − 1,800) ÷ 800 = 9.
        assert_eq!(scrolls, [0, 1, 1, 1, 2, 9]);
        let scrolled = Band { top: 3_000.0, bottom: 3_800.0, viewport: 800.0 };
        assert_eq!([0.0, 2_180.0, 2_980.0, 2_981.0].map(|y| scrolled.scrolls_to(bounds(y, 20.0))), [-4, -1, -1, 0]);
    }

    #[test]
    fn the_nearest_place_counts_and_one_in_the_band_brings_nothing() {
        assert_eq!(Missing::nearest([5, -2, 3].into_iter()), Missing::OffScreen(-2));
        assert_eq!(Missing::nearest([2, -2].into_iter()), Missing::OffScreen(2));
        assert_eq!(Missing::nearest([0].into_iter()), Missing::Unreachable);
        assert_eq!(Missing::nearest(std::iter::empty()), Missing::Unreachable);
    }

    #[test]
    fn a_walk_goes_to_the_nearer_end_first() {
        let off = Missing::OffScreen;
        assert_eq!(walk(&[]), 0);
        assert_eq!(walk(&[off(3), off(1), Missing::Unreachable]), 3);
        // One up, one back, four down.
        assert_eq!(walk(&[off(4), off(-1)]), 6);
    }
}
