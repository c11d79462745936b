//! What other tools would have shown, one module a peer, each versioned by the upstream version that it reproduces.
//!
//! In: a [`browserlens_page::Page`] and, where there are some, the payloads that it was parsed from (raw text, uncut
//! attributes and the order of accessibility properties are only there). Out: the peer's text and what its handles mean.
//! Invariant: where a recording holds what the peer really said, that is what is shown (the kind's reason is
//! [`RECORDED`]); a reproduction is never shown in its place. Nothing here improves on a peer: its faults are the point.
//!
//! Which should I use?
//! - `raw/ax-tree`, `raw/html`: what CDP and the DOM say, unabridged; upper bounds of cost.
//! - `playwright-mcp/full`: `browser_snapshot` of `@playwright/mcp`.
//! - `browser-use/dom`: the element list of `browser-use` with the part of its prompt around it.

mod browser_use;
mod dom;
mod payloads;
mod playwright_mcp;
mod raw;
mod rects;
#[cfg(test)]
mod testing;

pub use browser_use::{BROWSER_USE_ATTRIBUTES, BrowserUse};
pub use browserlens_reading::OptionsError;
pub use playwright_mcp::PlaywrightMcp;
pub use raw::{RawAxTree, RawHtml};

use browserlens_strategy::{Observation, StepInput, Strategy};
use serde_json::Value;

/// Reason of an observation that is the peer's own recorded output, not a reproduction.
pub const RECORDED: &str = "recorded";

/// Reason of an observation that was computed from the page.
pub const REPRODUCED: &str = "every observation is full";

/// Returns the names that [`build`] knows.
pub fn names() -> &'static [&'static str] {
    &[raw::AX_TREE, raw::HTML, playwright_mcp::NAME, browser_use::NAME]
}

/// Builds the strategy of a name from its options; none if the name is not one of this crate.
///
/// An unknown option, or a value of the wrong kind, is an [`OptionsError`].
pub fn build(name: &str, options: &Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    fn boxed<S: Strategy + 'static>(strategy: Result<S, OptionsError>) -> Result<Box<dyn Strategy>, OptionsError> {
        strategy.map(|strategy| Box::new(strategy) as Box<dyn Strategy>)
    }
    match name {
        raw::AX_TREE => Some(boxed(RawAxTree::from_options(options))),
        raw::HTML => Some(boxed(RawHtml::from_options(options))),
        playwright_mcp::NAME => Some(boxed(PlaywrightMcp::from_options(options))),
        browser_use::NAME => Some(boxed(BrowserUse::from_options(options))),
        _ => None,
    }
}

/// What a recording holds of exactly this peer, as an observation. What its handles mean is not known: they were given
/// by another browser.
fn recorded(input: &StepInput<'_>, peer: &str) -> Option<Observation> {
    let output = input.peers.iter().find(|output| output.peer == peer)?;
    Some(Observation::full_text(output.text.clone(), RECORDED))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_strategy::{ActionChannel, TextFormat};
    use serde_json::json;

    #[test]
    fn every_name_builds_and_bears_its_name_and_the_upstream_version() {
        let built: Vec<_> =
            names().iter().map(|name| build(name, &json!({})).expect("known").expect("defaults are fine")).collect();
        let rows: Vec<_> = built
            .iter()
            .map(|strategy| (strategy.name(), strategy.version(), strategy.channel(), strategy.format()))
            .collect();
        assert_eq!(
            rows,
            [
                ("raw/ax-tree", "1", ActionChannel::RoleName, TextFormat::AxJson),
                ("raw/html", "1", ActionChannel::Selector, TextFormat::Html),
                ("playwright-mcp/full", "0.0.83+bl1", ActionChannel::Ref, TextFormat::PlaywrightAria),
                ("browser-use/dom", "0.13.14+bl1", ActionChannel::Ref, TextFormat::BrowserUse),
            ]
        );
        assert!(build("stagehand/full", &json!({})).is_none());
    }

    #[test]
    fn an_unknown_option_is_named_with_the_known_ones() {
        let error = build("browser-use/dom", &json!({ "max": 1 })).expect("known").err().expect("an error");
        assert_eq!(error.to_string(), "option \"max\": is not known; known are \"wrapper\", \"max_chars\"");
        assert!(build("raw/html", &json!({ "wrapper": true })).expect("known").is_err());
    }
}
