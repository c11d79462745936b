//! Picks the cheapest representation that is sufficient for one page.
//!
//! In: the [`Signals`] of a page. Out: a [`Route`]: a representation and the reason in words.
//! Invariant: a router is a pure function of the signals, so that routers can stand beside each other and be compared.
//! Which should I use? [`HeuristicRouter`] is the seed's rule and the default; [`FixedRouter`] is for strategies that
//! show one representation whatever the page.

mod cache;
mod page_type;
mod signals;

pub use cache::{MAX_AGE_STEPS, SignalCache};
pub use page_type::PageType;
pub use signals::Signals;

use crate::extract::Representation;

/// A chosen representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The representation.
    pub representation: Representation,
    /// Why, in words.
    pub reason: String,
}

/// A router could not choose.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteError {
    /// The capture lacks a signal that the router reads.
    #[error("the router reads the signal {signal:?}, which this capture lacks")]
    SignalMissing {
        /// Name of the signal.
        signal: &'static str,
    },
}

/// Picks the cheapest representation that is sufficient for one page.
pub trait Router: Send + Sync {
    /// Returns the representation for one step, with the reason in words.
    ///
    /// # Errors
    /// [`RouteError::SignalMissing`] if the capture lacks a signal this router reads.
    fn route(&self, signals: &Signals) -> Result<Route, RouteError>;
}

/// The seed's rule: canvas with low coverage → hybrid; coverage from 0.8 → a11y; under 2,000 nodes and coverage from
/// 0.5 → distilled DOM; else hybrid.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeuristicRouter;

impl Router for HeuristicRouter {
    fn route(&self, signals: &Signals) -> Result<Route, RouteError> {
        let coverage = signals.a11y_coverage;
        let (representation, reason) = if signals.has_canvas() && coverage < 0.5 {
            (Representation::Hybrid, "canvas and accessibility coverage under 0.5")
        } else if coverage >= 0.8 {
            (Representation::A11y, "accessibility coverage from 0.8")
        } else if signals.node_count < 2_000 && coverage >= 0.5 {
            (Representation::Dom, "under 2,000 nodes and accessibility coverage from 0.5")
        } else {
            (Representation::Hybrid, "no cheaper representation is sufficient")
        };
        Ok(Route { representation, reason: reason.to_owned() })
    }
}

/// Always the same representation.
#[derive(Clone, Copy, Debug)]
pub struct FixedRouter(pub Representation);

impl Router for FixedRouter {
    fn route(&self, _signals: &Signals) -> Result<Route, RouteError> {
        Ok(Route { representation: self.0, reason: "fixed by the options".to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(canvases: u32, coverage: f32, nodes: u32) -> Representation {
        let signals = Signals { canvases, a11y_coverage: coverage, node_count: nodes, ..Signals::default() };
        HeuristicRouter.route(&signals).expect("the heuristic needs no optional signal").representation
    }

    #[test]
    fn the_heuristic_is_the_rule_of_the_seed_at_each_of_its_edges() {
        assert_eq!(route(1, 0.49, 100), Representation::Hybrid);
        assert_eq!(route(1, 0.5, 100), Representation::Dom);
        assert_eq!(route(1, 0.8, 100), Representation::A11y);
        assert_eq!(route(0, 0.8, 90_000), Representation::A11y);
        assert_eq!(route(0, 0.79, 1_999), Representation::Dom);
        assert_eq!(route(0, 0.79, 2_000), Representation::Hybrid);
        assert_eq!(route(0, 0.49, 10), Representation::Hybrid);
    }

    #[test]
    fn a_fixed_router_ignores_the_page() {
        let route =
            FixedRouter(Representation::Vision).route(&Signals::default()).expect("a fixed router always routes");
        assert_eq!(route.representation, Representation::Vision);
    }
}
