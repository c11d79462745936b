//! Picks the cheapest representation that is sufficient for one page.
//!
//! In: the [`Signals`] of a page, and what the agent was shown last. Out: a [`Route`]: a
//! representation and the reason in words. Invariant: a router is a pure function of these two, so
//! that routers can stand beside each other and be compared.
//!
//! Which should I use? [`HeuristicRouter`] is the seed's rule and the default; [`CostRouter`]
//! compares estimated tokens and knows what a change of representation costs; [`FixedRouter`] is
//! for strategies that show one representation whatever the page; [`TieredRouter`] bends any of
//! them to what smaller or larger models read better. The router of hindsight, which knows what
//! succeeded, is `browserlens_replay::routing`: it needs measurements and cannot run beside an
//! agent.
//!
//! A router of one's own is a type with one method:
//!
//! ```
//! use browserlens_lens::router::{Route, Router, Signals};
//! use browserlens_lens::{Lens, LensOptions, Representation};
//!
//! /// Forms as DOM, everything else as accessibility tree.
//! struct FormsAsDom;
//!
//! impl Router for FormsAsDom {
//!     fn route(&self, signals: &Signals, _shown: Option<Representation>) -> Route {
//!         let is_form = signals.page_type == browserlens_lens::router::PageType::Form;
//!         let representation = if is_form { Representation::Dom } else { Representation::A11y };
//!         Route::new(representation, if is_form { "a form" } else { "no form" })
//!     }
//! }
//!
//! let lens = Lens::with_router(LensOptions::default(), Box::new(FormsAsDom));
//! assert!(lens.shown().is_none(), "nothing is shown before the first step");
//! ```

mod cache;
mod cost;
mod page_type;
mod signals;
mod tier;
mod why;

pub use cache::{MAX_AGE_STEPS, SignalCache};
pub use cost::CostRouter;
pub use page_type::PageType;
pub use signals::Signals;
pub use tier::{Tier, TieredRouter};
pub(crate) use why::why;

use crate::extract::Representation;

/// A chosen representation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// The representation.
    pub representation: Representation,
    /// Why, in words.
    pub reason: String,
}

impl Route {
    /// Returns a route with its reason.
    pub fn new(representation: Representation, reason: impl Into<String>) -> Self {
        Self { representation, reason: reason.into() }
    }
}

/// Picks the cheapest representation that is sufficient for one page.
pub trait Router: Send + Sync {
    /// Returns the representation for one step, with the reason in words.
    ///
    /// `shown` is what the agent was shown last, where a delta could follow it; none where the next
    /// observation stands alone whatever is chosen. To choose another representation than `shown`
    /// costs a full observation.
    fn route(&self, signals: &Signals, shown: Option<Representation>) -> Route;
}

/// The seed's rule, line by line: a canvas and coverage under 0.5 → hybrid; coverage from 0.8 →
/// a11y; under 2,000 nodes and coverage from 0.5 → distilled DOM; else hybrid.
///
/// It reads three signals. The others that the seed collects (page type, depth, children, what
/// changes by itself) decide nothing in it. Two things follow from its lines: coverage under 0.5 is
/// always hybrid, canvas or not, and nothing is ever vision.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeuristicRouter;

impl Router for HeuristicRouter {
    fn route(&self, signals: &Signals, _shown: Option<Representation>) -> Route {
        let coverage = signals.a11y_coverage;
        let (representation, reason) = if signals.canvas_elements > 0 && coverage < 0.5 {
            (Representation::Hybrid, "canvas and accessibility coverage under 0.5")
        } else if coverage >= 0.8 {
            (Representation::A11y, "accessibility coverage from 0.8")
        } else if signals.node_count < 2_000 && coverage >= 0.5 {
            (Representation::Dom, "under 2,000 nodes and accessibility coverage from 0.5")
        } else {
            (Representation::Hybrid, "no cheaper representation is sufficient")
        };
        Route::new(representation, reason)
    }
}

/// Always the same representation.
#[derive(Clone, Copy, Debug)]
pub struct FixedRouter(pub Representation);

impl Router for FixedRouter {
    fn route(&self, _signals: &Signals, _shown: Option<Representation>) -> Route {
        Route::new(self.0, "fixed by the options")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::page::PageBuilder;

    fn route(canvases: u32, coverage: f32, nodes: u32) -> Route {
        let signals =
            Signals { canvas_elements: canvases, a11y_coverage: coverage, node_count: nodes, ..Signals::default() };
        HeuristicRouter.route(&signals, None)
    }

    #[test]
    fn each_line_of_the_seeds_rule_holds_to_its_limits() {
        let canvas = "canvas and accessibility coverage under 0.5";
        let tree = "accessibility coverage from 0.8";
        let small = "under 2,000 nodes and accessibility coverage from 0.5";
        let other = "no cheaper representation is sufficient";
        for (canvases, coverage, nodes, representation, reason) in [
            (1, 0.49, 100, Representation::Hybrid, canvas),
            (1, 0.5, 100, Representation::Dom, small),
            (1, 0.8, 100, Representation::A11y, tree),
            (0, 0.8, 90_000, Representation::A11y, tree),
            (0, 0.79, 90_000, Representation::Hybrid, other),
            (0, 0.79, 1_999, Representation::Dom, small),
            (0, 0.79, 2_000, Representation::Hybrid, other),
            (0, 0.5, 10, Representation::Dom, small),
            (0, 0.49, 10, Representation::Hybrid, other),
        ] {
            let route = route(canvases, coverage, nodes);
            assert_eq!(route, Route::new(representation, reason), "{canvases} {coverage} {nodes}");
        }
    }

    #[test]
    fn no_page_is_vision_and_none_under_half_coverage_is_dom() {
        for (canvases, percent, nodes) in
            (0..2).flat_map(|c| (0..=100).flat_map(move |p| [10, 1_999, 2_000].map(|n| (c, p, n))))
        {
            let representation = route(canvases, percent as f32 / 100.0, nodes).representation;
            assert_ne!(representation, Representation::Vision);
            assert!(percent >= 50 || representation == Representation::Hybrid, "{canvases} {percent} {nodes}");
        }
    }

    #[test]
    fn the_seeds_selector_counts_hidden_canvases_and_data_canvas_each_once() {
        let mut page = PageBuilder::new("https://a.test/", "");
        page.add_outline("canvas canvas hidden\ngeneric data-canvas=\"board\"\ncanvas canvas data-canvas=\"x\"\n");
        let signals = Signals::of(&page.finish(), None);
        assert_eq!(signals.canvas_elements, 3, "{signals:?}");
        let without = Signals::of(&PageBuilder::outline("main\n  text \"Hello\""), None);
        assert_eq!(without.canvas_elements, 0);
    }

    #[test]
    fn the_page_type_decides_nothing_in_the_seeds_rule() {
        for page_type in PageType::ALL {
            let signals = Signals { page_type, a11y_coverage: 0.9, ..Signals::default() };
            let route = HeuristicRouter.route(&signals, None);
            assert_eq!(route.representation, Representation::A11y);
        }
    }

    #[test]
    fn a_fixed_router_ignores_the_page() {
        let route = FixedRouter(Representation::Vision).route(&Signals::default(), None);
        assert_eq!(route.representation, Representation::Vision);
    }
}
