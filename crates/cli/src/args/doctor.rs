//! What `doctor` is given.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct DoctorArgs {
    /// Look for traces in this folder
    #[arg(long, value_name = "DIR", default_value = "traces")]
    pub traces: PathBuf,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for the accepted run here
    #[arg(long, value_name = "DIR", default_value = "reports/accepted")]
    pub accepted_dir: PathBuf,
    /// Look for installed tools below this folder
    #[arg(long, value_name = "DIR", default_value = ".tools")]
    pub tools_dir: PathBuf,
    /// Check this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Start Chromium without its sandbox (as root it is off by itself)
    #[arg(long)]
    pub no_sandbox: bool,
    /// Install Chromium by the system's package manager, where none is found
    #[cfg(feature = "record")]
    #[arg(long)]
    pub fix: bool,
    /// Print every check as JSON
    #[arg(long)]
    pub json: bool,
}
