//! A bundled site in a live browser, as recordings see it.
//!
//! In: the sites' folder and the name of one. Out: a [`LiveBrowser`] on it. Invariants: the site
//! answers under its own host names and nothing else answers; the page's clock begins where
//! recordings begin and goes on only while the page settles, so that what a recording did works
//! here.

use super::{LiveBrowser, LiveOptions, Origin, gone};
use crate::error::RecordError;
use browserlens_core::strategy::SourceError;
use std::path::Path;

/// Seed of the page's random numbers: that of scenarios that name none.
pub(super) const SEED: u64 = 1;

impl LiveBrowser {
    /// Starts a browser on a bundled site, served under its host names and on the clock of
    /// recordings, and opens a path of it.
    ///
    /// # Errors
    /// [`RecordError`] if there is no such site, no browser, or the page cannot be opened.
    pub fn open_site(sites_dir: &Path, site: &str, path: &str, options: &LiveOptions) -> Result<Self, RecordError> {
        let origin = Origin::Site { sites_dir: sites_dir.to_owned(), site: site.to_owned() };
        let mut live = Self::begin(origin, None, options)?;
        let url = live.served.as_ref().map(|server| server.url(path)).unwrap_or_default();
        live.open_url(&url)?;
        Ok(live)
    }

    /// Lets the page come to rest, after something was done to it past
    /// [`Actor::act`](browserlens_core::strategy::Actor::act).
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone.
    pub fn settle(&mut self) -> Result<(), SourceError> {
        self.runtime.block_on(self.stage.settle(true)).map_err(gone)?;
        self.refresh();
        Ok(())
    }
}
