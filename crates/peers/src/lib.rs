//! Other tools: one folder a tool, with its harness (the real tool is asked), its reproduction
//! (what it would say of a page), its reader, and how two of its texts are compared. [`TOOLS`]
//! lists them; a new tool is a folder and a line there.
//!
//! Nothing here improves on a tool: its faults are the point. A reproduction is versioned by the
//! upstream version that it follows, and never reads a recording; what a tool really said is a
//! strategy of its own, whose name ends in [`RECORDED_SUFFIX`].

mod agent_browser;
mod browser_use;
mod browsergym;
mod chrome_devtools;
mod dom;
mod lines;
mod payloads;
mod playwright_mcp;
pub mod read;
mod recorded;
mod rects;
mod reference;
mod stagehand;
#[cfg(test)]
mod testing;
mod tool;

pub use browserlens_core::strategy::OptionsError;
pub use lines::{LineRules, Lines, PLACEHOLDER, Parts};
pub use recorded::{RECORDED_SUFFIX, recorded_names};
pub use tool::{Format, Harness, Packages, RecordedOutput, Reproduction, Tool};

use browserlens_core::strategy::{Strategy, TextFormat};
use serde_json::Value;

/// Every tool, in the order in which they are asked and listed.
pub static TOOLS: [&Tool; 6] = [
    &playwright_mcp::TOOL,
    &agent_browser::TOOL,
    &chrome_devtools::TOOL,
    &stagehand::TOOL,
    &browser_use::TOOL,
    &browsergym::TOOL,
];

/// Reason of an observation that was computed from the page.
const REPRODUCED: &str = "every observation is full";

/// Returns every format that is read here: the tools', then those that are nobody's.
pub fn formats() -> impl Iterator<Item = &'static Format> {
    let shared = [&read::AX_JSON, &read::HTML, &read::MARKDOWN, &read::PLAIN];
    TOOLS.iter().flat_map(|tool| tool.formats.iter().copied()).chain(shared)
}

/// Returns the format of a name, if it is read here; the lens' own is not.
pub fn format(name: &TextFormat) -> Option<&'static Format> {
    formats().find(|format| format.name == name.as_str())
}

fn reproductions() -> impl Iterator<Item = &'static Reproduction> {
    reference::RAW.iter().chain(TOOLS.iter().flat_map(|tool| tool.reproductions)).chain(&reference::SIMPLE)
}

/// Returns the names that [`build`] knows, beside [`recorded_names`].
pub fn names() -> impl Iterator<Item = &'static str> {
    reproductions().map(|reproduction| reproduction.name)
}

/// Builds the strategy of a name from its options; none if the name is not one of this crate.
///
/// An unknown option, or a value of the wrong kind, is an [`OptionsError`].
pub fn build(name: &str, options: &Value) -> Option<Result<Box<dyn Strategy>, OptionsError>> {
    let built = match reproductions().find(|reproduction| reproduction.name == name) {
        Some(reproduction) => (reproduction.build)(options),
        None => recorded::strategy(name, options)?,
    };
    Some(built.map(|strategy| Box::new(strategy) as Box<dyn Strategy>))
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_core::strategy::ActionChannel;
    use serde_json::json;

    #[test]
    fn every_name_builds_and_bears_its_name_and_the_upstream_version() {
        let built: Vec<_> =
            names().map(|name| build(name, &json!({})).expect("known").expect("defaults are fine")).collect();
        let rows: Vec<_> = built
            .iter()
            .map(|strategy| {
                (strategy.name(), strategy.version(), strategy.channel(), strategy.format().as_str().to_owned())
            })
            .collect();
        assert_eq!(
            rows,
            [
                ("raw/ax-tree", "1", ActionChannel::RoleName, "ax-json".to_owned()),
                ("raw/html", "1", ActionChannel::Selector, "html".to_owned()),
                ("playwright-mcp@0.0.83/full", "0.0.83+bl2", ActionChannel::Ref, "playwright-aria".to_owned()),
                ("agent-browser@0.41.2/full", "0.41.2+bl1", ActionChannel::Ref, "agent-browser".to_owned()),
                ("agent-browser@0.41.2/interactive", "0.41.2+bl1", ActionChannel::Ref, "agent-browser".to_owned()),
                ("browser-use@0.13.14/dom", "0.13.14+bl2", ActionChannel::Ref, "browser-use".to_owned()),
                ("browsergym@0.14.3/axtree", "0.14.3+bl1", ActionChannel::Ref, "browser-gym".to_owned()),
                ("truncate/bottom", "1", ActionChannel::Ref, "browser-gym".to_owned()),
                ("search/bm25-lines", "1", ActionChannel::Ref, "browser-gym".to_owned()),
                ("markdown/page", "1", ActionChannel::None, "markdown".to_owned()),
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
