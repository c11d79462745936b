//! Which tools an agent has: one of three lists.
//!
//! In and out: a profile and its name. Invariant: names are those of options and JSON. The tools
//! themselves stand in `catalogue`.

use std::fmt;

/// A list of tools.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    serde::Serialize,
    serde::Deserialize,
    schemars::JsonSchema,
)]
pub enum Profile {
    /// The 34 tools that the proposal for this crate lists.
    #[serde(rename = "seed")]
    Seed,
    /// The 24 tools of browser-use 0.13.
    #[default]
    #[serde(rename = "browser-use-0.13")]
    BrowserUse013,
    /// Those of our own server.
    #[serde(rename = "browserlens")]
    BrowserLens,
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Seed, Self::BrowserUse013, Self::BrowserLens];

    /// Returns the name that options use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::BrowserUse013 => "browser-use-0.13",
            Self::BrowserLens => "browserlens",
        }
    }
}
