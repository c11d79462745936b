//! What `lab` is given: the verbs that researchers of the lens need.

use super::{CorpusVerb, ExamArgs, LlmArgs};
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum Lab {
    /// Compare our re-implementations of other tools with what those tools really said
    #[command(after_help = "Examples:\
            \n  browserlens lab fidelity\
            \n  browserlens lab fidelity --check\
            \n  browserlens lab fidelity my --scenarios-dir my --out /tmp/fidelity.md")]
    Fidelity(FidelityArgs),
    /// Let a language model read a stored run, and score what it would have done
    #[command(after_help = "Examples:\
            \n  browserlens lab llm reports/runs/0123456789abcdef --model gpt-4.1-mini --base-url \
            https://api.openai.com/v1 --estimate\
            \n  browserlens lab llm reports/runs/0123456789abcdef --model gpt-4.1-mini --tier small --cassette \
            mini.jsonl\n\
            \nEvery answer goes into the cassette; without --base-url it is replayed and nothing is sent")]
    Llm(LlmArgs),
    /// Put questions about pages to whoever reads a stored run: what can be computed, or a language
    /// model
    #[command(after_help = "Examples:\
            \n  browserlens lab exam reports/runs/0123456789abcdef                        what is told beside its \
            owner, by strategy\
            \n  browserlens lab exam reports/runs/0123456789abcdef --missed --strategies lens/delta\
            \n  browserlens lab exam reports/runs/0123456789abcdef --model gpt-4.1-mini --base-url \
            https://api.openai.com/v1 --strategies lens/delta --estimate\n\
            \nThe questions stand beside the scenarios, in name.exam.toml. Every answer goes into the cassette; \
            without --base-url it is replayed")]
    Exam(ExamArgs),
    /// Look into scenarios: what their steps cannot do without
    #[command(after_help = "Examples:\
            \n  browserlens lab scenario minimise shop/laptop-to-cart\
            \n  browserlens lab scenario minimise task --trace my/task.trace --scenarios-dir my")]
    #[command(subcommand)]
    Scenario(ScenarioVerb),
    /// Make corpora of traces of any size, count what they hold, split them by site
    #[command(after_help = "Examples:\
            \n  browserlens lab corpus make --out /tmp/corpus --steps 1000 --seed 7\
            \n  browserlens lab corpus make --out /tmp/corpus --steps 100000 --no-pixels --no-bodies\
            \n  browserlens lab corpus make --out /tmp/mine --steps 500 --from my --scenarios-dir my\
            \n  browserlens lab corpus stats /tmp/corpus\
            \n  browserlens lab corpus split /tmp/corpus --held-back 0.2 --seed 7 --links --out /tmp/parts\
            \n  browserlens bench /tmp/corpus --no-report --strategies 'lens/*'")]
    #[command(subcommand)]
    Corpus(CorpusVerb),
}

#[derive(Args)]
pub(crate) struct FidelityArgs {
    /// Compare on the traces in this folder, or on this one trace; what the tools said lies beside
    /// them (*.peers)
    #[arg(value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
    /// Compare only strategies that match one of these patterns (`*` stands for anything)
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Compare only on scenarios that match one of these patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scenarios: Vec<String>,
    /// Use this many threads; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Keep packed pages here
    #[arg(long, value_name = "DIR", default_value = ".cache")]
    pub cache_dir: PathBuf,
    /// Write the comparison into this file
    #[arg(long, value_name = "FILE", default_value = "reports/fidelity.md")]
    pub out: PathBuf,
    /// Write nothing; exit with 1 when the file says something else, or a re-implementation misses
    /// the bars
    #[arg(long)]
    pub check: bool,
    /// Print everything, every differing line included, as JSON instead of the table
    #[arg(long)]
    pub json: bool,
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
