//! What `show` is given.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ShowArgs {
    /// The trace
    #[arg(value_name = "TRACE")]
    pub trace: PathBuf,
    /// The step; 0 is the first navigation
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub step: u32,
    /// The strategy
    #[arg(long, value_name = "NAME", default_value = "lens/delta")]
    pub strategy: String,
    /// Show this strategy beside the other, line by line
    #[arg(long, value_name = "OTHER", conflicts_with = "view")]
    pub diff: Option<String>,
    /// Lay the two out over this many columns; the terminal's, or 160 where there is none
    #[arg(long, value_name = "COLUMNS", requires = "diff")]
    pub width: Option<u16>,
    /// Show the shown state instead: all that is known by now, with what is elided or volatile and
    /// which node each ref means
    #[arg(long)]
    pub view: bool,
    /// Say why it is shown so too: signals, costs, choice, and what hindsight would have chosen
    #[arg(long, conflicts_with = "diff")]
    pub why: bool,
    /// Write the images of the observation into this folder instead of one for temporary files
    #[arg(long, value_name = "DIR")]
    pub images: Option<PathBuf>,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
}
