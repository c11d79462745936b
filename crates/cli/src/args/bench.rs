//! What `bench` is given.

use super::one_of;
use browserlens_replay::Tokenizer;
use clap::Args;
use std::path::PathBuf;

/// Where scenarios are looked for, unless something else is said.
pub(crate) const SCENARIOS_DIR: &str = "traces/scenarios";

/// Which traces and strategies, and where everything lies.
#[derive(Args, Clone)]
pub(crate) struct Selection {
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = SCENARIOS_DIR)]
    pub scenarios_dir: PathBuf,
    /// Replay only strategies that match one of these patterns (`*` stands for anything)
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Replay only scenarios that match one of these patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scenarios: Vec<String>,
    /// Use this many threads; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Keep packed pages and results here
    #[arg(long, value_name = "DIR", default_value = ".cache")]
    pub cache_dir: PathBuf,
    /// Measure again what the cache holds
    #[arg(long)]
    pub no_cache: bool,
    /// Store runs below this folder
    #[arg(long, value_name = "DIR", default_value = "reports/runs")]
    pub runs_dir: PathBuf,
    /// Rank by the tokens of this encoding; both are always counted
    #[arg(long, value_name = "NAME", default_value = "o200k_base")]
    pub encoding: browserlens_core::tokens::Encoding,
    /// Count with this implementation
    #[arg(long, default_value = "fast", value_parser = one_of(TOKENIZERS))]
    pub tokenizer: Tokenizer,
}

/// Which implementation counts.
const TOKENIZERS: [(&str, &str, Tokenizer); 2] = [
    ("fast", "The fast one", Tokenizer::Fast),
    ("tiktoken", "`tiktoken-rs`, the reference: slower, the same numbers", Tokenizer::Reference),
];

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Replay the traces in this folder, or this one trace; with --from console, requests and the
    /// boxes of refs are theirs, where they are those of the run
    #[arg(value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    /// Replay nothing: write the report of the stored run in this folder
    #[arg(long, value_name = "RUN", conflicts_with_all = ["strategies", "scenarios", "threads", "no_cache", "runs_dir",
        "encoding", "tokenizer", "check", "accept", "accepted_dir", "tolerances", "json"])]
    pub from: Option<PathBuf>,
    /// Store the run and print its folder, without a report
    #[arg(long, conflicts_with_all = ["from", "check", "accept", "accepted_dir", "tolerances", "out", "agent_runs",
        "cache_discount"])]
    pub no_report: bool,
    #[command(flatten)]
    pub selection: Selection,
    /// Compare against the accepted run; exit with 1 when tokens rise, success falls, or a strategy
    /// is slower than its history on this machine explains
    #[arg(long)]
    pub check: bool,
    /// Make this run the accepted one; what changed is written into CHANGES.md beside it
    #[arg(long, conflicts_with = "check")]
    pub accept: bool,
    /// Why what changed is accepted
    #[arg(long, value_name = "TEXT", requires = "accept")]
    pub why: Option<String>,
    /// Look for the accepted run here
    #[arg(long, value_name = "DIR", default_value = "reports/accepted")]
    pub accepted_dir: PathBuf,
    /// What may differ from the accepted run, each with its reason
    #[arg(long, value_name = "FILE", default_value = "reports/tolerances.toml")]
    pub tolerances: PathBuf,
    /// Add what the gate found to this file as Markdown, such as "$GITHUB_STEP_SUMMARY"
    #[arg(long, value_name = "FILE", requires = "check")]
    pub markdown: Option<PathBuf>,
    /// Write what the gate found to this file as JUnit XML
    #[arg(long, value_name = "FILE", requires = "check")]
    pub junit: Option<PathBuf>,
    /// Write the report into this fresh folder instead of one below reports/
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Show what agents did from the records in this folder, or from one record; else from `runs`
    /// among the traces, where that is
    #[arg(long, value_name = "RUN")]
    pub agent_runs: Option<PathBuf>,
    #[command(flatten)]
    pub pricing: Pricing,
    /// Print the task rows as JSON instead of the table; with --no-report the measurements, one row a
    /// line
    #[arg(long)]
    pub json: bool,
}

/// What a report assumes of prices.
#[derive(Args, Clone, Copy)]
pub(crate) struct Pricing {
    /// Take this share off the tokens that the call before read at the same place, as a prompt
    /// cache does
    #[arg(long, value_name = "SHARE", default_value_t = browserlens_replay::PerMille::DEFAULT_CACHE_DISCOUNT)]
    pub cache_discount: browserlens_replay::PerMille,
}
