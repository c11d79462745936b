//! The router that compares what representations cost.
//!
//! In: the signals' token estimates and coverages, and what was shown last. Out: the cheapest
//! representation that is sufficient. Sufficient are: the accessibility tree, where it knows four
//! fifths of the interactive elements that nothing covers and no canvas takes up much of the
//! viewport; the distilled DOM, where no canvas does; the hybrid, where the tree knows them; vision
//! never, since an agent acts by refs and a screenshot has none. Where none is, the hybrid, as in
//! the seed's rule. Invariant: what was shown last is kept while it is sufficient, unless the change
//! pays within [`HORIZON`] steps. Why an estimate and no observation: writing four of them to send
//! one costs four times the time, and the order of the four is all that counts here.

use super::{Route, Router, Signals};
use crate::extract::Representation;
use browserlens_core::tokens::ImageFormula;

/// Coverage from which a tree is sufficient, as in the seed's rule.
const ENOUGH: f32 = 0.8;
/// Share of the viewport from which a canvas is content and no ornament.
const DRAWN: f32 = 0.05;
/// Steps within which a change of representation has to pay for its full observation.
const HORIZON: u64 = 8;
/// What a delta costs of a full observation, in percent.
const DELTA_PERCENT: u64 = 10;

/// The cheapest representation whose coverage of interactive nodes is sufficient.
#[derive(Clone, Copy, Debug)]
pub struct CostRouter {
    /// What images cost.
    pub formula: ImageFormula,
}

impl CostRouter {
    /// Returns what a representation costs in full, about.
    pub(super) fn tokens(self, representation: Representation, signals: &Signals) -> u64 {
        let under = |tokens: &[u32; 4]| {
            let at = ImageFormula::ALL.iter().position(|formula| *formula == self.formula);
            u64::from(at.map_or(0, |at| tokens[at]))
        };
        match representation {
            Representation::A11y => signals.a11y_tokens.into(),
            Representation::Dom => signals.dom_tokens.into(),
            Representation::Hybrid => u64::from(signals.a11y_tokens) + under(&signals.crop_tokens),
            Representation::Vision => under(&signals.screenshot_tokens),
        }
    }
}

impl Router for CostRouter {
    fn route(&self, signals: &Signals, shown: Option<Representation>) -> Route {
        let (known, drawn) = (signals.open_coverage >= ENOUGH, signals.canvas_share >= DRAWN);
        let sufficient = |representation: &Representation| match representation {
            Representation::A11y => known && !drawn,
            Representation::Dom => !drawn,
            Representation::Hybrid => known,
            Representation::Vision => false,
        };
        // The first of equals stays: of two that cost the same, the one that needs fewer pixels.
        let order = [Representation::A11y, Representation::Dom, Representation::Hybrid];
        let cheapest =
            order.into_iter().filter(sufficient).min_by_key(|representation| self.tokens(*representation, signals));
        let Some(cheapest) = cheapest else {
            return Route::new(Representation::Hybrid, "no representation is sufficient");
        };
        let tokens = self.tokens(cheapest, signals);
        let Some(kept) = shown.filter(|shown| *shown != cheapest).filter(sufficient) else {
            return Route::new(cheapest, format!("the cheapest that is sufficient, about {tokens} tokens"));
        };
        let staying = self.tokens(kept, signals) * DELTA_PERCENT * HORIZON;
        let changing = tokens * (100 + DELTA_PERCENT * (HORIZON - 1));
        if changing >= staying {
            let reason = format!("kept: {} would cost a full observation of about {tokens} tokens", cheapest.name());
            return Route::new(kept, reason);
        }
        Route::new(cheapest, format!("changed from {}: about {tokens} tokens pay", kept.name()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROUTER: CostRouter = CostRouter { formula: ImageFormula::Claude28 };

    fn page() -> Signals {
        Signals {
            a11y_coverage: 1.0,
            open_coverage: 1.0,
            interactive: 10,
            a11y_tokens: 1_000,
            dom_tokens: 1_200,
            screenshot_tokens: [1_200, 1_100, 1_105, 1_101],
            ..Signals::default()
        }
    }

    fn route(router: CostRouter, signals: &Signals, shown: Option<Representation>) -> Representation {
        router.route(signals, shown).representation
    }

    #[test]
    fn the_cheapest_that_is_sufficient_is_chosen() {
        for (what, signals, representation) in [
            ("a well-described page", page(), Representation::A11y),
            ("a badly described one", Signals { open_coverage: 0.4, ..page() }, Representation::Dom),
            ("what a dialog covers", Signals { a11y_coverage: 0.2, ..page() }, Representation::A11y),
            (
                "a canvas that fills a part of the viewport",
                Signals { canvas_share: 0.3, crop_tokens: [900; 4], ..page() },
                Representation::Hybrid,
            ),
            ("a sparkline", Signals { canvas_share: 0.01, crop_tokens: [40; 4], ..page() }, Representation::A11y),
            ("nothing but a canvas", Signals { interactive: 0, canvas_share: 0.9, ..page() }, Representation::Hybrid),
        ] {
            assert_eq!(route(ROUTER, &signals, None), representation, "{what}");
        }
    }

    #[test]
    fn a_page_that_nothing_tells_is_hybrid_and_says_so() {
        let hopeless = Signals { open_coverage: 0.1, canvas_share: 0.5, ..page() };
        let route = ROUTER.route(&hopeless, None);
        assert_eq!(
            (route.representation, route.reason.as_str()),
            (Representation::Hybrid, "no representation is sufficient")
        );
    }

    #[test]
    fn a_change_happens_only_when_it_pays_within_the_horizon() {
        // Staying with the hybrid: 8 deltas of 10 %. Changing: one full observation and 7 deltas.
        // It pays under 8 / 17 of the tokens.
        let pays = Signals { crop_tokens: [1_126; 4], ..page() };
        assert_eq!(route(ROUTER, &pays, Some(Representation::Hybrid)), Representation::A11y);
        let does_not = Signals { crop_tokens: [1_125; 4], ..page() };
        assert_eq!(route(ROUTER, &does_not, Some(Representation::Hybrid)), Representation::Hybrid);
        assert_eq!(route(ROUTER, &does_not, None), Representation::A11y, "without deltas every step is the first");
    }

    #[test]
    fn what_does_not_suffice_any_more_is_not_kept() {
        let drawn = Signals { canvas_share: 0.3, crop_tokens: [9_000; 4], ..page() };
        assert_eq!(route(ROUTER, &drawn, Some(Representation::A11y)), Representation::Hybrid);
    }

    #[test]
    fn a_screenshot_is_never_chosen_however_cheap() {
        let large = Signals { a11y_tokens: 9_000, dom_tokens: 9_000, ..page() };
        assert_eq!(route(ROUTER, &large, None), Representation::A11y);
        assert_eq!(route(ROUTER, &large, Some(Representation::Vision)), Representation::A11y);
    }

    #[test]
    fn image_tokens_follow_the_formula() {
        let signals = Signals { crop_tokens: [1_126, 10, 10, 10], ..page() };
        let patch = CostRouter { formula: ImageFormula::OpenAiPatch32 };
        assert_eq!(route(ROUTER, &signals, Some(Representation::Hybrid)), Representation::A11y);
        assert_eq!(route(patch, &signals, Some(Representation::Hybrid)), Representation::Hybrid);
    }
}
