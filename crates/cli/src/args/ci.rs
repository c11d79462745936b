//! What `ci` is given.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum CiVerb {
    /// Write a GitHub Actions workflow that benches your own site, and what to do next
    ///
    /// The workflow compares with an accepted run that is kept in the repository, comments on pull
    /// requests what changed, and fails when tokens rise or success falls. Nothing that is there
    /// is replaced.
    Init(CiInitArgs),
}

#[derive(Args)]
pub(crate) struct CiInitArgs {
    /// The root of the repository
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
    /// Install `browserlens` with this command in CI
    #[arg(long, value_name = "COMMAND")]
    #[arg(default_value = concat!("cargo install --locked browserlens@", env!("CARGO_PKG_VERSION")))]
    pub install: String,
    /// Start the site with this command in CI, and record it on every run
    #[arg(long, value_name = "COMMAND", requires = "url")]
    pub serve: Option<String>,
    /// Wait until the site that was started answers at this address
    #[arg(long, value_name = "URL", requires = "serve")]
    pub url: Option<String>,
    /// Record a site that runs elsewhere on every run; without this and --serve, kept traces are
    /// replayed, and recorded anew where the workflow is started by hand and told so
    #[arg(long)]
    pub record: bool,
}
