//! Bends a router to what a class of models reads better.
//!
//! In: a router and a [`Tier`]. Out: its choice, moved between accessibility tree and distilled DOM
//! where both do. Invariant: only a11y and dom are exchanged; where pixels are needed they stay.
//! Why: arXiv 2604.01535 found on WorkArena that weaker models do better on accessibility trees and
//! stronger ones on HTML. The bench's reader is no language model: what a tier gains is not
//! measured here, only what it costs.

use super::{Route, Router, Signals};
use crate::extract::Representation;
use browserlens_core::named;

/// Nodes from which a page is too large for its DOM, as in the seed's rule.
const MANAGEABLE: u32 = 2_000;
/// Coverage from which an accessibility tree may stand in for the DOM, as in the seed's rule.
const MODERATE: f32 = 0.5;

named! {
    /// A class of models.
    pub enum Tier {
        /// Weaker models: the accessibility tree from moderate coverage on.
        Small = "small",
        /// Stronger models: the distilled DOM wherever the page is of manageable size.
        Large = "large",
    }
}

/// A router whose choices are bent to a tier.
pub struct TieredRouter {
    /// The class of models.
    pub tier: Tier,
    /// The router that chooses first.
    pub inner: Box<dyn Router>,
}

impl Router for TieredRouter {
    fn route(&self, signals: &Signals, shown: Option<Representation>) -> Route {
        let route = self.inner.route(signals, shown);
        let moved = match (self.tier, route.representation) {
            (Tier::Small, Representation::Dom) if signals.open_coverage >= MODERATE => Representation::A11y,
            (Tier::Large, Representation::A11y) if signals.node_count < MANAGEABLE => Representation::Dom,
            _ => return route,
        };
        Route::new(
            moved,
            format!("for a {} model instead of {}: {}", self.tier.name(), route.representation.name(), route.reason),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::FixedRouter;

    fn route(tier: Tier, inner: Representation, coverage: f32, nodes: u32) -> Representation {
        let router = TieredRouter { tier, inner: Box::new(FixedRouter(inner)) };
        let signals = Signals { open_coverage: coverage, node_count: nodes, ..Signals::default() };
        router.route(&signals, None).representation
    }

    #[test]
    fn a_small_model_gets_the_tree_where_it_is_moderate_and_a_large_one_the_dom_of_manageable_pages() {
        for (tier, inner, coverage, nodes, moved) in [
            (Tier::Small, Representation::Dom, 0.5, 100, Representation::A11y),
            (Tier::Small, Representation::Dom, 0.49, 100, Representation::Dom),
            (Tier::Large, Representation::A11y, 1.0, 1_999, Representation::Dom),
            (Tier::Large, Representation::A11y, 1.0, 2_000, Representation::A11y),
        ] {
            assert_eq!(route(tier, inner, coverage, nodes), moved, "{tier:?} {coverage} {nodes}");
        }
    }

    #[test]
    fn pixels_stay_for_every_tier() {
        for tier in Tier::ALL {
            for needed in [Representation::Hybrid, Representation::Vision] {
                assert_eq!(route(tier, needed, 1.0, 10), needed);
            }
        }
    }
}
