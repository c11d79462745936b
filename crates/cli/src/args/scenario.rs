//! What `scenario` is given.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ScenarioArgs {
    #[command(subcommand)]
    pub verb: ScenarioVerb,
}

#[derive(Subcommand)]
pub(crate) enum ScenarioVerb {
    /// Print, for each step, a minimal set of nodes that the reader cannot do without, as TOML to
    /// paste
    Minimise {
        /// Name of the scenario
        #[arg(value_name = "NAME")]
        name: String,
        /// Use this trace instead of the one among the bundled traces
        #[arg(long, value_name = "FILE")]
        trace: Option<PathBuf>,
        /// Look for the trace in this folder
        #[arg(long, value_name = "DIR", default_value = "traces", conflicts_with = "trace")]
        traces: PathBuf,
        /// Look for scenarios below this folder
        #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
        scenarios_dir: PathBuf,
        /// Keep packed pages here
        #[arg(long, value_name = "DIR", default_value = ".cache")]
        cache_dir: PathBuf,
    },
}
