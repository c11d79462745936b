//! What other tools would have shown, one module a peer, each versioned by the upstream version
//! that it reproduces.
//!
//! In: a [`browserlens_core::page::Page`] and, where there are some, the payloads that it was parsed from
//! (raw text, uncut attributes and the order of accessibility properties are only there). Out: the
//! peer's text and what its handles mean. Invariants: what a peer really said, where that was
//! recorded, is a strategy of its own ([`Recorded`], whose name says so); a reproduction never
//! reads it. Nothing here improves on a peer: its faults are the point.
//!
//! Which should I use?
//! - `raw/ax-tree`, `raw/html`: what CDP and the DOM say, unabridged; upper bounds of cost.
//! - `playwright-mcp@0.0.83/full`: `browser_snapshot` of `@playwright/mcp`.
//! - `browser-use@0.13.14/dom`: the element list of `browser-use` with the part of its prompt
//!   around it.
//! - `agent-browser@0.41.2/full`, `…/interactive`: `snapshot` and `snapshot -i` of agent-browser.
//! - `browsergym@0.14.3/axtree`: BrowserGym's accessibility tree, with bids.
//! - `truncate/bottom`, `search/bm25-lines`: plain references: such a text cut at its end, or the
//!   lines of it that the goal speaks for.
//! - `markdown/page`: what is rendered, as markdown; nothing to act by.

mod agent_browser;
mod bm25;
mod browser_use;
mod browsergym;
mod dom;
mod markdown;
mod payloads;
mod playwright_mcp;
mod raw;
mod recorded;
mod rects;
#[cfg(test)]
mod testing;
mod truncate;

pub use agent_browser::AgentBrowser;
pub use bm25::Bm25Lines;
pub use browser_use::{BROWSER_USE_ATTRIBUTES, BrowserUse};
pub use browsergym::BrowserGym;
pub use browserlens_reading::OptionsError;
pub use markdown::MarkdownPage;
pub use playwright_mcp::PlaywrightMcp;
pub use raw::{RawAxTree, RawHtml};
pub use recorded::{RECORDED_SUFFIX, Recorded, recorded_names};
pub use truncate::TruncateBottom;

use browserlens_core::strategy::Strategy;
use serde_json::Value;

/// Reason of an observation that was computed from the page.
pub const REPRODUCED: &str = "every observation is full";

/// Returns the names that [`build`] knows, beside [`recorded_names`].
pub fn names() -> &'static [&'static str] {
    &[
        raw::AX_TREE,
        raw::HTML,
        playwright_mcp::NAME,
        browser_use::NAME,
        agent_browser::FULL,
        agent_browser::INTERACTIVE,
        browsergym::NAME,
        truncate::NAME,
        bm25::NAME,
        markdown::NAME,
    ]
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
        agent_browser::FULL => Some(boxed(AgentBrowser::full(options))),
        agent_browser::INTERACTIVE => Some(boxed(AgentBrowser::interactive(options))),
        browsergym::NAME => Some(boxed(BrowserGym::from_options(options))),
        truncate::NAME => Some(boxed(TruncateBottom::from_options(options))),
        bm25::NAME => Some(boxed(Bm25Lines::from_options(options))),
        markdown::NAME => Some(boxed(MarkdownPage::from_options(options))),
        _ => Recorded::from_options(name, options).map(boxed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::strategy::{ActionChannel, TextFormat};
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
                ("playwright-mcp@0.0.83/full", "0.0.83+bl2", ActionChannel::Ref, TextFormat::PlaywrightAria),
                ("browser-use@0.13.14/dom", "0.13.14+bl2", ActionChannel::Ref, TextFormat::BrowserUse),
                ("agent-browser@0.41.2/full", "0.41.2+bl1", ActionChannel::Ref, TextFormat::AgentBrowser),
                ("agent-browser@0.41.2/interactive", "0.41.2+bl1", ActionChannel::Ref, TextFormat::AgentBrowser),
                ("browsergym@0.14.3/axtree", "0.14.3+bl1", ActionChannel::Ref, TextFormat::BrowserGym),
                ("truncate/bottom", "1", ActionChannel::Ref, TextFormat::BrowserGym),
                ("search/bm25-lines", "1", ActionChannel::Ref, TextFormat::BrowserGym),
                ("markdown/page", "1", ActionChannel::None, TextFormat::Markdown),
            ]
        );
        assert!(build("stagehand/full", &json!({})).is_none());
    }

    #[test]
    fn an_unknown_option_is_named_with_the_known_ones() {
        let error = build("browser-use@0.13.14/dom", &json!({ "max": 1 })).expect("known").err().expect("an error");
        assert_eq!(error.to_string(), "option \"max\": is not known; known are \"wrapper\", \"max_chars\"");
        assert!(build("raw/html", &json!({ "wrapper": true })).expect("known").is_err());
    }
}
