//! What `record` is given.

use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RecordArgs {
    /// Record these scenarios: files, folders, or names below traces/scenarios; all of them if none
    /// is named
    #[arg(value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Look for scenarios named by name below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
    /// Serve the bundled sites from this folder
    #[arg(long, value_name = "DIR", default_value = "traces/sites")]
    pub sites_dir: PathBuf,
    /// Write the traces into this folder; with --attach or --interactive, the one trace to
    /// this file
    #[arg(long, value_name = "PATH", default_value = "traces")]
    pub out: PathBuf,
    /// Record what an agent (or a person) does in the running browser whose protocol is at this
    /// address, until Ctrl-C or until it closes
    #[arg(long, value_name = "CDP_URL", group = "by_hand")]
    #[arg(conflicts_with_all = ["scenarios", "peers", "chrome", "no_sandbox"])]
    pub attach: Option<String>,
    /// Open a window on this page, record what you do in it until you close it, and write that as a
    /// scenario beside the trace
    #[arg(long, value_name = "URL", group = "by_hand", conflicts_with_all = ["scenarios", "peers"])]
    pub interactive: Option<String>,
    /// Say what the agent was told to do; it stands in the trace
    #[arg(long, value_name = "TEXT", requires = "by_hand", default_value = "")]
    pub goal: String,
    /// End the recording when nothing was done for so many seconds
    #[arg(long, value_name = "SECONDS", requires = "by_hand")]
    pub idle: Option<u64>,
    /// Keep no pictures of the pages
    #[arg(long, requires = "by_hand")]
    pub no_screenshots: bool,
    /// Use this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Replace traces that exist
    #[arg(long)]
    pub force: bool,
    /// Turn Chromium's sandbox off (as root it is off by itself: Chromium refuses to start
    /// otherwise)
    #[arg(long)]
    pub no_sandbox: bool,
    /// Leave screenshots, crops and bodies of requests out of the trace: for recordings that only
    /// knowledge is made of
    #[arg(long, conflicts_with = "peers")]
    pub small: bool,
    /// Ask other tools what they show of each step, and keep it beside the trace (*.peers): all
    /// tools, or those named (NAME or NAME@VERSION, separated by commas). A trace that stands there
    /// is kept; install the tools with `./just peers`
    #[arg(long, value_name = "TOOLS", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub peers: Option<String>,
    /// Find the installed tools and their harness in this folder
    #[arg(long, value_name = "DIR", default_value = ".tools/peers")]
    pub peers_dir: PathBuf,
}
