//! Which tools an agent has: one of three lists.
//!
//! In and out: a profile and its name. Invariant: names are those of options and JSON. The tools
//! themselves stand in `catalogue`.

use browserlens_core::named;

named! {
    /// A list of tools.
    #[derive(Default)]
    #[derive(schemars::JsonSchema)]
    pub enum Profile {
        /// The 34 tools that the proposal for this crate lists.
        Seed = "seed",
        /// The 24 tools of browser-use 0.13.
        #[default]
        BrowserUse013 = "browser-use-0.13",
        /// Those of our own server.
        BrowserLens = "browserlens",
    }
}
