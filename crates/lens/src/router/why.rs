//! What a router knew, and what it chose, in words.

use super::{CostRouter, Route, Signals};
use crate::extract::Representation;
use browserlens_core::tokens::ImageFormula;

/// Returns the signals with their values, what each representation would cost, and what was chosen
/// and why; a line each.
pub(crate) fn why(signals: &Signals, route: &Route, formula: ImageFormula) -> String {
    let dynamic = signals.dynamic_ratio.map_or_else(
        || "not known: nothing was looked at twice yet".to_owned(),
        |share| format!("{:.1} % of nodes change by themselves", share * 100.0),
    );
    let costs = CostRouter { formula };
    let order = [Representation::A11y, Representation::Dom, Representation::Hybrid, Representation::Vision];
    let costs = order.map(|one| format!("{} {}", one.name(), costs.tokens(one, signals)));
    format!(
        "chosen: {}: {}\npage type: {}\ndynamic share: {dynamic}\ncoverage: the accessibility tree knows {:.0} % \
         of {} visible controls, {:.0} % of those that are open\ncanvases: {} ({:.0} % of the viewport)\nsize: {} \
         elements, depth {}, {:.1} children a parent\nwould cost about: {} tokens",
        route.representation.name(),
        route.reason,
        signals.page_type.name(),
        signals.a11y_coverage * 100.0,
        signals.interactive,
        signals.open_coverage * 100.0,
        signals.canvases,
        signals.canvas_share * 100.0,
        signals.node_count,
        signals.max_depth,
        signals.mean_children,
        costs.join(", "),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::router::PageType;

    #[test]
    fn every_signal_is_said_with_its_value() {
        let signals = Signals {
            a11y_coverage: 0.5,
            open_coverage: 1.0,
            interactive: 8,
            canvases: 1,
            canvas_share: 0.25,
            node_count: 90,
            max_depth: 7,
            mean_children: 2.5,
            dynamic_ratio: Some(0.012),
            page_type: PageType::Listing,
            a11y_tokens: 100,
            dom_tokens: 200,
            crop_tokens: [10; 4],
            screenshot_tokens: [300; 4],
            ..Signals::default()
        };
        let route = Route::new(Representation::Dom, "under 2,000 nodes");
        insta::assert_snapshot!(why(&signals, &route, ImageFormula::Claude28), @r"
        chosen: dom: under 2,000 nodes
        page type: listing
        dynamic share: 1.2 % of nodes change by themselves
        coverage: the accessibility tree knows 50 % of 8 visible controls, 100 % of those that are open
        canvases: 1 (25 % of the viewport)
        size: 90 elements, depth 7, 2.5 children a parent
        would cost about: a11y 100, dom 200, hybrid 110, vision 300 tokens
        ");
        let unknown = why(&Signals::default(), &route, ImageFormula::Claude28);
        assert!(unknown.contains("dynamic share: not known"), "{unknown}");
    }
}
