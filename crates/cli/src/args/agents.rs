//! What `agents` is given.

#[cfg(feature = "record")]
use super::RESPONSE_FORMATS;
use super::one_of;
#[cfg(feature = "record")]
use crate::verbs::ModelArgs;
use browserlens_report::AgentsBy;
#[cfg(feature = "record")]
use clap::ValueEnum;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum AgentsVerb {
    /// Turn agents' transcripts into run records, one file a run
    #[command(after_help = "Examples:
  browserlens agents import ~/.claude/projects/shop/*.jsonl --only mcp__playwright --out runs
  browserlens agents import rollout.jsonl --only agent-browser --task order-a-lamp --reward 1 --out runs

What a transcript does not say stays empty. Secrets are replaced as in recordings.")]
    Import(AgentsImportArgs),
    /// Count what runs cost: success, calls, tokens answered and read, time, wasted calls
    #[command(after_help = "Examples:
  browserlens agents table
  browserlens agents table runs --by tool,level --markdown
  browserlens agents table runs --prices prices.toml --json")]
    Table(AgentsTableArgs),
    /// Compare two sets of runs, paired by task
    #[command(after_help = "Examples:
  browserlens agents compare before after
  browserlens agents compare 'browserlens serve (MCP)' '@playwright/mcp 0.0.83' --in traces/runs")]
    Compare(AgentsCompareArgs),
    /// Say what runs would have cost, had another strategy told the same pages
    #[command(after_help = "Examples:
  browserlens agents counterfactual runs --strategies 'lens/delta,lens/full,raw/ax-tree'
  browserlens agents counterfactual runs/order-a-lamp--browser.run --traces recorded

Only runs whose pages were recorded with them can be told again: a record names its trace, which lies beside it
or in --traces (browserlens agents import --trace). Nothing is said of the others.")]
    Counterfactual(AgentsCounterfactualArgs),
    /// Say how much the offline numbers are worth: their rank correlation with what agents were rewarded for
    #[command(after_help = "Examples:
  browserlens agents validity
  browserlens agents validity runs --bench reports/runs/0123456789abcdef
  browserlens agents validity runs --tool 'my tool 2=playwright-mcp@0.0.83/full'

A task that was run has an offline number where the bench replayed a trace of that id.")]
    Validity(AgentsValidityArgs),
    /// Print a run, call by call
    #[command(after_help = "Examples:
  browserlens agents show traces/runs-miniwob/mw-email-inbox--agent-browser-0-41-2-command-line.run
  browserlens agents show a.run --call 3")]
    Show {
        /// The record
        run: PathBuf,
        /// Print this call alone, with its whole answer
        #[arg(long, value_name = "N")]
        call: Option<u32>,
    },
    /// List the tasks that agents are given, or check that their checks tell the truth
    #[cfg(feature = "record")]
    #[command(after_help = "Examples:
  browserlens agents tasks --level 1
  browserlens agents tasks --check shop-add-the-cheapest

--check plays each task three times in a real browser: empty, by its way, and by its wrong way. It says which checks
lie, and then ends with 1. A task of MiniWoB++ judges itself and has no wrong way.")]
    Tasks(AgentsTasksArgs),
    /// Play tasks with a tool and an agent, one record a run; the site or the page gives the reward
    #[cfg(feature = "record")]
    #[command(after_help = "Examples:
  browserlens agents run --tool browserlens --agent way --level 1 --out runs
  browserlens agents run --tool playwright-mcp --agent explore --out runs
  browserlens agents run --agent model --model NAME --base-url http://localhost:8000/v1 --out runs
  browserlens agents run --agent stdio tiny-sign-up --out runs      {\"name\": \"navigate\", \"arguments\": {…}} a line
  browserlens agents run --tool 'npx -y some-mcp-server --headless' --agent explore tiny-sign-up --out runs

Each run has a tool, a browser and pages of its own. Command lines are called in a shell that runs nothing else. Agents
without a model speak to the tools that are known by name; tasks of MiniWoB++ are played by scripts/miniwob where the
agent is `way`.")]
    Run(AgentsRunArgs),
    /// Check that records are whole and were not changed after they were sealed
    Verify {
        /// Records, or folders of them
        #[arg(required = true, value_name = "RUN")]
        runs: Vec<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct AgentsImportArgs {
    /// The transcripts
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the records here
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Read them as this format instead of looking which it is: lines, claude-code, codex, axi, browser-use, otel
    #[arg(long, value_name = "NAME")]
    pub format: Option<String>,
    /// Name the task; else it is what the transcript says, or the file's name
    #[arg(long, value_name = "NAME")]
    pub task: Option<String>,
    /// Say how hard the task is, from 1 to 4
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub level: Option<u8>,
    /// Name the tool; else it is what the transcript says, or what the first call is of
    #[arg(long, value_name = "NAME")]
    pub tool: Option<String>,
    /// Say what the page or the site gave for the result; 1 is all of it
    #[arg(long, value_name = "NUMBER", allow_negative_numbers = true)]
    pub reward: Option<f64>,
    /// Keep only calls of functions whose name begins with this, or of command lines that begin with this program
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Link the run with the trace that was recorded while it was made (`serve --record`, `record --attach`):
    /// which call told of which page
    #[arg(long, value_name = "TRACE")]
    pub trace: Option<PathBuf>,
    /// Replace the value of this environment variable wherever it stands
    #[arg(long, value_name = "VARIABLE")]
    pub secret: Vec<String>,
}

#[derive(Args)]
pub(crate) struct AgentsTableArgs {
    /// Records, or folders of them
    #[arg(value_name = "RUN", default_value = RUNS_DIR)]
    pub runs: Vec<PathBuf>,
    /// Group by these
    #[arg(long, value_name = "WHAT", value_delimiter = ',', default_value = "tool", value_parser = one_of(BY))]
    pub by: Vec<AgentsBy>,
    /// Count text under this encoding
    #[arg(long, value_name = "NAME", default_value = "o200k_base")]
    pub encoding: browserlens_core::tokens::Encoding,
    /// Dollars a million tokens, by model: a TOML file with `date` and `[models."NAME"]` tables of
    /// `input`, `cached`, `output`
    #[arg(long, value_name = "FILE")]
    pub prices: Option<PathBuf>,
    /// Print as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Print every run as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct AgentsCompareArgs {
    /// The first set: a record, a folder, or with --in a tool's name
    pub first: String,
    /// The second set
    pub second: String,
    /// Take the runs of two tools from this folder
    #[arg(long = "in", value_name = "DIR")]
    pub within: Option<PathBuf>,
    /// Count text under this encoding
    #[arg(long, value_name = "NAME", default_value = "o200k_base")]
    pub encoding: browserlens_core::tokens::Encoding,
    /// Print as Markdown
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Args)]
pub(crate) struct AgentsCounterfactualArgs {
    /// Records, or folders of them
    #[arg(value_name = "RUN", default_value = RUNS_DIR)]
    pub runs: Vec<PathBuf>,
    /// Look for the traces of runs here too
    #[arg(long, value_name = "DIR")]
    pub traces: Vec<PathBuf>,
    /// Tell the pages by these strategies (`*` stands for anything)
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', default_value = "lens/delta,lens/full,raw/ax-tree")]
    pub strategies: Vec<String>,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for the scenarios of traces below this folder
    #[arg(long, value_name = "DIR", default_value = super::SCENARIOS_DIR)]
    pub scenarios_dir: PathBuf,
    /// Use this many threads; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Keep packed pages and results here
    #[arg(long, value_name = "DIR", default_value = ".cache")]
    pub cache_dir: PathBuf,
    /// Count text under this encoding
    #[arg(long, value_name = "NAME", default_value = "o200k_base")]
    pub encoding: browserlens_core::tokens::Encoding,
    /// Print as Markdown
    #[arg(long)]
    pub markdown: bool,
    /// Print every run and strategy as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct AgentsValidityArgs {
    /// Records, or folders of them
    #[arg(value_name = "RUN", default_value = RUNS_DIR)]
    pub runs: Vec<PathBuf>,
    /// The stored run of the bench; the newest one unless named
    #[arg(long, value_name = "DIR")]
    pub bench: Option<PathBuf>,
    /// Look for stored runs below this folder
    #[arg(long, value_name = "DIR", default_value = "reports/runs")]
    pub runs_dir: PathBuf,
    /// Name the strategy of a tool, where it is not found by the tool's name
    #[arg(long, value_name = "TOOL=STRATEGY")]
    pub tool: Vec<String>,
    /// Print as Markdown
    #[arg(long)]
    pub markdown: bool,
}

/// Which tasks, and where they and their pages lie.
#[cfg(feature = "record")]
#[derive(Args)]
pub(crate) struct AgentsWhichArgs {
    /// The tasks; all if none is named
    #[arg(value_name = "TASK")]
    pub tasks: Vec<String>,
    /// Only tasks of these levels: 1 one action, 2 a form, 3 several pages, 4 long with traps
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=4))]
    pub level: Vec<u8>,
    /// Take tasks from here
    #[arg(long, value_name = "DIR", default_value = "tasks")]
    pub tasks_dir: PathBuf,
    /// Serve sites from here
    #[arg(long, value_name = "DIR", default_value = "traces/sites")]
    pub sites_dir: PathBuf,
    /// Browser to start [default: found on this machine]
    #[arg(long, value_name = "PATH", env = "CHROME")]
    pub chrome: Option<PathBuf>,
}

#[cfg(feature = "record")]
#[derive(Args)]
pub(crate) struct AgentsTasksArgs {
    #[command(flatten)]
    pub which: AgentsWhichArgs,
    /// Print as JSON
    #[arg(long, conflicts_with = "check")]
    pub json: bool,
    /// Play each task empty, done and done wrongly, and say which checks lie
    #[arg(long)]
    pub check: bool,
    /// With --check: play so many tasks at once
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub jobs: u8,
}

#[cfg(feature = "record")]
#[derive(Args)]
pub(crate) struct AgentsRunArgs {
    #[command(flatten)]
    pub which: AgentsWhichArgs,
    /// Tool: browserlens, browserlens-cli, playwright-mcp, playwright-mcp-snapshots, playwright-cli, agent-browser,
    /// chrome-devtools-mcp, browser-use, stagehand, or the command of an MCP server
    #[arg(long, value_name = "TOOL", default_value = "browserlens")]
    pub tool: String,
    /// The tool is a command line that agents call in a shell; this file teaches them how
    #[arg(long, value_name = "FILE")]
    pub skill: Option<PathBuf>,
    /// Who acts
    #[arg(long, value_name = "NAME")]
    pub agent: AgentArg,
    /// Play each task so many times; the seed of a MiniWoB++ page counts up
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub runs: u32,
    /// Write the records here
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Record the pages of each run as a trace beside its record, for `agents counterfactual`; not
    /// with --secret, which a trace would tell
    #[arg(long, conflicts_with = "secret")]
    pub record: bool,
    /// Replace the value of this environment variable wherever it stands
    #[arg(long, value_name = "VARIABLE")]
    pub secret: Vec<String>,
    #[command(flatten)]
    pub model: ModelArgs,
    /// Show the model of the history: `all`, `last` answers (--keep), or a `summary` it writes
    #[arg(long, value_name = "POLICY", default_value = "all", requires = "model")]
    pub context: ContextArg,
    /// With --context last: so many answers whole [default: 3]; with summary: above so many tokens [default: 30000]
    #[arg(long, value_name = "N", requires = "model")]
    pub keep: Option<u32>,
    /// Ask at this temperature
    #[arg(long, value_name = "T", default_value_t = 0.0, requires = "model")]
    pub temperature: f64,
    /// Send this seed
    #[arg(long, value_name = "N", requires = "model")]
    pub seed: Option<u64>,
    /// Let an answer have at most so many tokens
    #[arg(long, value_name = "N", default_value_t = 2_048, requires = "model")]
    pub max_tokens: u32,
    /// Tell the endpoint in this way that the answer is JSON
    #[arg(long, default_value = "json-schema", value_parser = one_of(RESPONSE_FORMATS), requires = "model")]
    pub response_format: browserlens_llm::ResponseFormat,
    /// Send no images
    #[arg(long, requires = "model")]
    pub no_images: bool,
    /// Wait at most so many seconds for one answer of the model
    #[arg(long, value_name = "SECONDS", default_value_t = 120, requires = "model")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
}

/// What of the history a model is shown.
#[cfg(feature = "record")]
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ContextArg {
    /// Everything
    All,
    /// The last answers
    Last,
    /// Everything, until it is too long; then what the model wrote down
    Summary,
}

/// Who acts.
#[cfg(feature = "record")]
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArg {
    /// A script that takes the task's way
    Way,
    /// A script that looks for the goal's words, acts and looks again
    Explore,
    /// A model, by --model
    Model,
    /// Whoever writes calls as JSON lines to standard input, and reads answers from standard output; --model names it
    /// in the record
    Stdio,
}

/// Where the bundled records lie.
pub(crate) const RUNS_DIR: &str = "traces/runs";

/// What runs are grouped by.
const BY: [(&str, &str, AgentsBy); 4] = [
    ("tool", "The tool", AgentsBy::Tool),
    ("agent", "The model, or the script in its place", AgentsBy::Agent),
    ("level", "The task's level", AgentsBy::Level),
    ("task", "The task", AgentsBy::Task),
];
