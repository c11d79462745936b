//! The command line as clap reads it.
//!
//! Help is imperative, without a full stop; each verb shows examples.

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What should a browser agent be shown of a page, what does it cost, and can it still do its job
#[derive(Parser)]
#[command(name = "browserlens", version, max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 regression found, 2 bad usage, 3 unreadable input, 4 verification failed, 5 browser trouble";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Replay the bundled traces, print the summary, write the report
    #[command(
        after_help = "Examples:\n  browserlens bench\n  browserlens bench --check --markdown \"$GITHUB_STEP_SUMMARY\" --junit gate.xml\n  browserlens bench --accept --why 'rows are folded'\n  browserlens bench --strategies 'lens/*' --scenarios 'shop/*'"
    )]
    Bench(BenchArgs),
    /// Record scenarios with a real Chromium
    #[cfg(feature = "record")]
    #[command(
        after_help = "Examples:\n  browserlens record                        every scenario in traces/scenarios\n  browserlens record my/task.toml --out my   one scenario of your own
  browserlens record shop --peers            what other tools say about the shop's trace
  browserlens record --attach http://127.0.0.1:9222 --out my/agent.trace --goal 'order a lamp'     what your own agent does"
    )]
    Record(RecordArgs),
    /// Turn other people's recordings into traces, and their scripts into scenarios
    #[cfg(feature = "record")]
    #[command(after_help = "Examples:
  browserlens import playwright trace.zip --out my       a Playwright trace, versions 3 to 10: each snapshot rendered anew
  browserlens import playwright test-results/*/trace.zip --out my --licence CC-BY-4.0
  browserlens import weblinx weblinx-browsergym --out my     demonstrations whose files are there
  browserlens import mind2web train_0.json --out my          each saved page rendered
  browserlens import devtools-recorder order.json --out my   a scenario that `record` runs

Pages are rendered in Chromium with the network cut and scripts off; secrets are replaced as in recordings.")]
    Import(ImportArgs),
    /// Replay traces and store the run, without a report
    #[command(after_help = "Examples:\n  browserlens replay my/task.trace --scenarios-dir my --json")]
    Replay(ReplayArgs),
    /// Write the report of a stored run
    #[command(after_help = "Examples:\n  browserlens report reports/runs/0123456789abcdef --out /tmp/report")]
    Report(ReportArgs),
    /// Compare two stored runs, strategy by strategy and scenario by scenario
    #[command(
        after_help = "Examples:\n  browserlens compare 0123456789abcdef fedcba9876543210\n  browserlens compare v1.0 HEAD --strategies 'lens/*'      (git revisions, by their stored runs)"
    )]
    Compare(CompareArgs),
    /// Compare our re-implementations of other tools with what those tools really said
    #[command(
        after_help = "Examples:\n  browserlens fidelity\n  browserlens fidelity --check\n  browserlens fidelity my --scenarios-dir my --out /tmp/fidelity.md"
    )]
    Fidelity(FidelityArgs),
    /// Print exactly what an agent would be shown at one step
    #[command(
        after_help = "Examples:\n  browserlens show traces/shop-laptop-to-cart.trace --step 2 --strategy lens/delta\n  browserlens show traces/login-wrong-then-right.trace --step 2 --diff lens/full\n  browserlens show traces/login-wrong-then-right.trace --step 2 --view\n  browserlens show traces/login-wrong-then-right.trace --strategy lens/vision-marks --images /tmp"
    )]
    Show(ShowArgs),
    /// Take a snapshot of a page: what can be acted on, its outline, or its content
    #[command(
        after_help = "Examples:\n  browserlens snapshot traces/shop-laptop-to-cart.trace --step 2 --mode outline\n  browserlens snapshot traces/docs-combine-three-documents.trace --mode content --grep 'article|section' --format markdown\n  browserlens snapshot traces/shop-laptop-to-cart.trace --selector @e5 --mode content\n  browserlens snapshot https://example.com --mode outline     (with Chromium)\n  browserlens snapshot --prompt                               what to tell an agent"
    )]
    Snapshot(SnapshotArgs),
    /// Read what a page says: whole, in parts, by question, or as a graph
    #[command(
        after_help = "Examples:\n  browserlens read traces/docs-combine-three-documents.trace --step 3 --preview\n  browserlens read traces/docs-combine-three-documents.trace --step 3 --section 2\n  browserlens read traces/docs-combine-three-documents.trace --step 3 --query 'what does it cost'\n  browserlens read traces/docs-combine-three-documents.trace --step 3 --graph svg > page.svg\n  browserlens read https://example.com     (with Chromium)"
    )]
    Read(ReadArgs),
    /// Ask what happened beside a page and what is in it: console, requests, DOM; filtered, in pages, cut to fit
    #[command(
        after_help = "Examples:\n  browserlens inspect summary traces/live-last-minute-ticket.trace\n  browserlens inspect network traces/live-last-minute-ticket.trace --failed-only --response-bodies\n  browserlens inspect console traces/portal-move-a-patient-appointment.trace --levels error --search notices --json\n  browserlens inspect network traces/spa-plan-a-release.trace --domain spa --body-path '$..status'\n  browserlens inspect dom traces/shop-laptop-to-cart.trace --step 2 --selector main --max-depth 3\n  browserlens inspect har traces/shop-laptop-to-cart.trace > shop.har\n  browserlens inspect console https://example.com     (with Chromium)"
    )]
    Inspect(InspectArgs),
    /// Know websites: build screens, actions and tasks from traces, recognise a screen, draw the site map
    #[command(
        after_help = "Examples:\n  browserlens knowledge build traces\n  browserlens knowledge build traces --text manual.md --website shop\n  browserlens knowledge recognise traces/shop-laptop-to-cart.trace --step 5\n  browserlens knowledge recognise --description 'where the order is placed' --json\n  browserlens knowledge export --format svg --website shop > shop.svg"
    )]
    Knowledge(crate::verbs::knowledge::KnowledgeArgs),
    /// Serve pages to agents over MCP and HTTP, from a live browser or a trace
    #[cfg(feature = "serve")]
    #[command(
        after_help = "Examples:\n  browserlens serve                                          MCP over standard input and output, with Chromium\n  browserlens serve --trace traces/shop-laptop-to-cart.trace  the same on a recording\n  browserlens serve --http 127.0.0.1:8931                    HTTP, and MCP under /mcp\n  TOKEN=… browserlens serve --http 0.0.0.0:8931 --token-env TOKEN --host-name agents.example\n  browserlens serve http://127.0.0.1:3000/ --allow-host 127.0.0.1:3000\n\nBrowsers open http and https at public addresses only, unless an option allows more. Each client has a browser, refs and a shown state of its own"
    )]
    Serve(crate::verbs::serve::ServeArgs),
    /// Let a language model read a stored run, and score what it would have done
    #[command(
        after_help = "Examples:\n  browserlens llm reports/runs/0123456789abcdef --model gpt-4.1-mini --base-url https://api.openai.com/v1 --estimate\n  browserlens llm reports/runs/0123456789abcdef --model gpt-4.1-mini --tier small --cassette mini.jsonl\n\nEvery answer goes into the cassette; without --base-url it is replayed and nothing is sent"
    )]
    Llm(LlmArgs),
    /// Look into scenarios: what their steps cannot do without
    #[command(
        after_help = "Examples:\n  browserlens scenario minimise shop/laptop-to-cart\n  browserlens scenario minimise task --trace my/task.trace --scenarios-dir my"
    )]
    Scenario(ScenarioArgs),
    /// Train the router that chooses representations by a decision tree
    #[cfg(feature = "train")]
    #[command(
        after_help = "Examples:\n  browserlens router train --out my.model\n  browserlens router train my --scenarios-dir my --out my.model\n\nUse it with `router = \"learned\"` and `model_file = \"my.model\"` among a lens strategy's options"
    )]
    Router(RouterArgs),
    /// Look into trace files, check and repair them
    #[command(
        after_help = "Examples:\n  browserlens trace info traces/login-wrong-then-right.trace\n  browserlens trace verify traces/*.trace\n  browserlens trace salvage broken.trace saved.trace"
    )]
    Trace(TraceArgs),
    /// Print shell completions
    #[command(
        after_help = "Examples:\n  browserlens completions bash > ~/.local/share/bash-completion/completions/browserlens"
    )]
    Completions(CompletionArgs),
}

/// Which traces and strategies, and where everything lies.
#[derive(Args, Clone)]
pub(crate) struct Selection {
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
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
    pub encoding: browserlens_tokens::Encoding,
    /// Count with this implementation
    #[arg(long, value_enum, default_value_t = TokenizerArg::Fast)]
    pub tokenizer: TokenizerArg,
}

/// Which implementation counts.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum TokenizerArg {
    /// The fast one
    Fast,
    /// `tiktoken-rs`, the reference: slower, the same numbers
    Tiktoken,
}

#[derive(Args)]
pub(crate) struct BenchArgs {
    /// Replay the traces in this folder, or this one trace
    #[arg(value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// Compare against the accepted run; exit with 1 when tokens rise, success falls, or a strategy is slower than its history on this machine explains
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
    #[command(flatten)]
    pub pricing: Pricing,
    /// Print the task rows as JSON instead of the table
    #[arg(long)]
    pub json: bool,
}

/// What a report assumes of prices.
#[derive(Args, Clone, Copy)]
pub(crate) struct Pricing {
    /// Take this share off the tokens that the call before read at the same place, as a prompt cache does
    #[arg(long, value_name = "SHARE", default_value_t = browserlens_replay::PerMille::DEFAULT_CACHE_DISCOUNT)]
    pub cache_discount: browserlens_replay::PerMille,
}

#[cfg(feature = "record")]
#[derive(Args)]
pub(crate) struct RecordArgs {
    /// Record these scenarios: files, folders, or names below traces/scenarios; all of them if none is named
    #[arg(value_name = "SCENARIO")]
    pub scenarios: Vec<String>,
    /// Look for scenarios named by name below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
    /// Serve the bundled sites from this folder
    #[arg(long, value_name = "DIR", default_value = "traces/sites")]
    pub sites_dir: PathBuf,
    /// Write the traces into this folder; with --attach, the one trace to this file
    #[arg(long, value_name = "PATH", default_value = "traces")]
    pub out: PathBuf,
    /// Record what an agent (or a person) does in the running browser whose protocol is at this address, until Ctrl-C or until it closes
    #[arg(long, value_name = "CDP_URL", conflicts_with_all = ["scenarios", "peers", "chrome", "no_sandbox"])]
    pub attach: Option<String>,
    /// Say what the agent was told to do; it stands in the trace
    #[arg(long, value_name = "TEXT", requires = "attach", default_value = "")]
    pub goal: String,
    /// End the recording when nothing was done for so many seconds
    #[arg(long, value_name = "SECONDS", requires = "attach")]
    pub idle: Option<u64>,
    /// Keep no pictures of the pages
    #[arg(long, requires = "attach")]
    pub no_screenshots: bool,
    /// Use this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Replace traces that exist
    #[arg(long)]
    pub force: bool,
    /// Turn Chromium's sandbox off (as root it is off by itself: Chromium refuses to start otherwise)
    #[arg(long)]
    pub no_sandbox: bool,
    /// Leave screenshots, crops and bodies of requests out of the trace: for recordings that only knowledge is made of
    #[arg(long, conflicts_with = "peers")]
    pub small: bool,
    /// Ask other tools what they show of each step, and keep it beside the trace (*.peers): all tools, or those named
    /// (NAME or NAME@VERSION, separated by commas). A trace that stands there is kept; install the tools with `./just peers`
    #[arg(long, value_name = "TOOLS", num_args = 0..=1, require_equals = true, default_missing_value = "all")]
    pub peers: Option<String>,
    /// Find the installed tools and their harness in this folder
    #[arg(long, value_name = "DIR", default_value = ".tools/peers")]
    pub peers_dir: PathBuf,
}

#[derive(Args)]
pub(crate) struct ReplayArgs {
    /// Replay the traces in this folder, or this one trace
    #[arg(value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// Print the measurements as JSON, one row a line
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub(crate) struct ReportArgs {
    /// Folder of a stored run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Write the report into this fresh folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Take facts and questions from the scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
    /// Take console, requests and the boxes of refs from the traces in this folder, where they are those of the run
    #[arg(long, value_name = "DIR", default_value = "traces")]
    pub traces: PathBuf,
    /// Read the strategies whose refs are drawn from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Keep packed pages and small copies of screenshots here
    #[arg(long, value_name = "DIR", default_value = ".cache")]
    pub cache_dir: PathBuf,
    #[command(flatten)]
    pub pricing: Pricing,
}

#[derive(Args)]
pub(crate) struct CompareArgs {
    /// The earlier run: its folder, its id, or a git revision of which a run is stored
    #[arg(value_name = "A")]
    pub earlier: String,
    /// The later run
    #[arg(value_name = "B")]
    pub later: String,
    /// Compare only strategies that match one of these patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Compare only scenarios that match one of these patterns
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub scenarios: Vec<String>,
    /// Look for stored runs below this folder
    #[arg(long, value_name = "DIR", default_value = "reports/runs")]
    pub runs_dir: PathBuf,
    /// Print the differences as JSON
    #[arg(long, conflicts_with = "markdown")]
    pub json: bool,
    /// Print the differences as Markdown
    #[arg(long)]
    pub markdown: bool,
}

#[derive(Args)]
pub(crate) struct FidelityArgs {
    /// Compare on the traces in this folder, or on this one trace; what the tools said lies beside them (*.peers)
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
    /// Use this many threads; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Keep packed pages here
    #[arg(long, value_name = "DIR", default_value = ".cache")]
    pub cache_dir: PathBuf,
    /// Write the comparison into this file
    #[arg(long, value_name = "FILE", default_value = "reports/fidelity.md")]
    pub out: PathBuf,
    /// Write nothing; exit with 1 when the file says something else, or a re-implementation misses the bars
    #[arg(long)]
    pub check: bool,
    /// Print everything, every differing line included, as JSON instead of the table
    #[arg(long)]
    pub json: bool,
}

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
    /// Show the shown state instead: all that is known by now, with what is elided or volatile and which node each ref means
    #[arg(long)]
    pub view: bool,
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

#[derive(Args)]
pub(crate) struct InspectArgs {
    #[command(subcommand)]
    pub what: InspectWhat,
}

/// What is asked for.
#[derive(Subcommand)]
pub(crate) enum InspectWhat {
    /// Count messages and requests by level, status, type and host; the place to begin
    Summary {
        #[command(flatten)]
        source: InspectSource,
        /// Count only what happened from this page time on
        #[arg(long, value_name = "MS")]
        since: Option<i64>,
    },
    /// List console messages, errors and warnings unless told otherwise
    Console {
        #[command(flatten)]
        source: InspectSource,
        #[command(flatten)]
        paging: InspectPaging,
        /// List these levels: error, warn, info, log, debug, or all
        #[arg(long, value_name = "LEVEL", value_delimiter = ',')]
        levels: Option<Vec<String>>,
    },
    /// List requests, failed ones first
    Network {
        #[command(flatten)]
        source: InspectSource,
        #[command(flatten)]
        paging: InspectPaging,
        #[command(flatten)]
        network: Box<InspectNetwork>,
    },
    /// Show a part of the page as a tree
    Dom {
        #[command(flatten)]
        source: InspectSource,
        /// Show what this CSS selector selects
        #[arg(long, value_name = "CSS")]
        selector: Option<String>,
        /// Show at most so many levels below it [default: 5, at most 15]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        max_depth: Option<i64>,
        /// Show at most so many nodes [default: 500, at most 2000]
        #[arg(long, value_name = "N", allow_negative_numbers = true)]
        max_nodes: Option<i64>,
        /// Show computed styles
        #[arg(long)]
        styles: bool,
        /// Show script elements
        #[arg(long)]
        scripts: bool,
        /// Show style elements and style sheets
        #[arg(long)]
        style_elements: bool,
        /// Take the fields of this preset that are not given
        #[arg(long, value_name = "NAME")]
        preset: Option<String>,
    },
    /// Show a part of the page as cleaned HTML
    Html {
        #[command(flatten)]
        source: InspectSource,
        /// Show what this CSS selector selects
        #[arg(long, value_name = "CSS")]
        selector: Option<String>,
        /// Show what is hidden too
        #[arg(long)]
        include_hidden: bool,
    },
    /// Show a part of the page as text
    Text {
        #[command(flatten)]
        source: InspectSource,
        /// Show what this CSS selector selects
        #[arg(long, value_name = "CSS")]
        selector: Option<String>,
    },
    /// Write all requests as HTTP Archive (HAR 1.2)
    Har {
        #[command(flatten)]
        source: InspectSource,
    },
    /// Print the tools with the JSON schemas of their arguments and answers
    Schema,
}

/// Where to look.
#[derive(Args)]
pub(crate) struct InspectSource {
    /// A trace, or the URL of a live page
    #[arg(value_name = "TRACE|URL")]
    pub source: String,
    /// The step of the trace to stand at; the last one unless told otherwise
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// The tab, counted from 0
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub tab: Option<i64>,
    /// Print the whole answer as JSON
    #[arg(long)]
    pub json: bool,
    /// Print it as JSON with rows as lists under one list of columns
    #[arg(long, conflicts_with = "json")]
    pub compact: bool,
    /// Add the presets of this TOML file
    #[arg(long, value_name = "FILE")]
    pub presets: Option<PathBuf>,
    /// Use this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Turn Chromium's sandbox off (as root it is off by itself)
    #[arg(long)]
    pub no_sandbox: bool,
}

/// Which rows, and how many of them.
#[derive(Args)]
pub(crate) struct InspectPaging {
    /// List only what holds this text in message or URL
    #[arg(long, value_name = "TEXT")]
    pub search: Option<String>,
    /// List only what happened from this page time on
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub since: Option<i64>,
    /// List so many rows [default: 50, at most 200]
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub page_size: Option<i64>,
    /// Go on where another answer ended
    #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
    pub cursor: Option<String>,
    /// Take the fields of this preset that are not given: debug, api, slow, or one of --presets
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// Write every row that passes as a line of JSON, without pages
    #[arg(long, conflicts_with_all = ["json", "compact", "cursor", "page_size"])]
    pub stream: bool,
}

/// Which requests.
#[derive(Args)]
pub(crate) struct InspectNetwork {
    /// List only these methods
    #[arg(long, value_name = "METHOD", value_delimiter = ',')]
    pub method: Vec<String>,
    /// List only these statuses: 404, 4xx, 500-503
    #[arg(long, value_name = "STATUS", value_delimiter = ',')]
    pub status: Vec<String>,
    /// List only these resource types: document, script, xhr, fetch, …
    #[arg(long = "type", value_name = "TYPE", value_delimiter = ',')]
    pub resource_type: Vec<String>,
    /// List only requests to hosts that hold this text
    #[arg(long, value_name = "TEXT")]
    pub domain: Option<String>,
    /// List only requests that failed
    #[arg(long)]
    pub failed_only: bool,
    /// List in order of arrival, not failed ones first
    #[arg(long)]
    pub by_arrival: bool,
    /// List only requests that took at least so many milliseconds
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    pub min_duration_ms: Option<i64>,
    /// Show what was sent
    #[arg(long)]
    pub request_bodies: bool,
    /// Show what came back
    #[arg(long)]
    pub response_bodies: bool,
    /// Of JSON bodies, show what this JSONPath finds
    #[arg(long, value_name = "PATH")]
    pub body_path: Option<String>,
    /// Of JSON bodies, show the schema of their shape
    #[arg(long)]
    pub body_shape: bool,
}

#[derive(Args)]
pub(crate) struct SnapshotArgs {
    /// A trace, or the URL of a live page
    #[arg(value_name = "TRACE|URL", required_unless_present = "prompt")]
    pub source: Option<String>,
    /// The step of the trace; 0 is the first navigation. Refs are those of a session that saw all steps up to it
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Show interactive, outline or content
    #[arg(long, value_name = "MODE")]
    pub mode: Option<browserlens_snapshot::Mode>,
    /// Write tree, html or markdown
    #[arg(long, value_name = "FORMAT", default_value = "tree")]
    pub format: browserlens_snapshot::Format,
    /// Show only this: a CSS selector, or a ref such as @e5 or @ref:5
    #[arg(long, value_name = "SELECTOR")]
    pub selector: Option<String>,
    /// Show only elements whose semantic path matches; `a|b` is either, `/main/` the direct children of main
    #[arg(long, value_name = "PATTERN")]
    pub grep: Option<String>,
    /// Match upper and lower case alike
    #[arg(long, requires = "grep")]
    pub ignore_case: bool,
    /// Show what does not match
    #[arg(long, requires = "grep")]
    pub invert: bool,
    /// Take the pattern for plain text
    #[arg(long, requires = "grep")]
    pub fixed_strings: bool,
    /// Show nesting down to this depth
    #[arg(long, value_name = "N")]
    pub max_depth: Option<usize>,
    /// Show hidden nodes too
    #[arg(long)]
    pub include_hidden: bool,
    /// Cut each section of content after this many characters
    #[arg(long, value_name = "N")]
    pub max_length: Option<usize>,
    /// Tell where links lead
    #[arg(long)]
    pub include_links: bool,
    /// Tell images
    #[arg(long)]
    pub include_images: bool,
    /// Write refs like the lens (@e5) or like the seed (@ref:5)
    #[arg(long, value_name = "STYLE", default_value = "lens")]
    pub refs: browserlens_snapshot::RefStyle,
    /// Deprecated: --mode interactive
    #[arg(long, hide = true)]
    pub interactive: bool,
    /// Deprecated: --mode outline
    #[arg(long, hide = true)]
    pub all: bool,
    /// Use this Chromium for a live page
    #[cfg(feature = "record")]
    #[arg(long, value_name = "FILE")]
    pub chrome: Option<PathBuf>,
    /// Start Chromium without its sandbox
    #[cfg(feature = "record")]
    #[arg(long)]
    pub no_sandbox: bool,
    /// Print what tells an agent how to use snapshots
    #[arg(long, exclusive = true)]
    pub prompt: bool,
}

/// How a content graph is written.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Graphviz' language
    Dot,
    /// JSON
    Json,
    /// A picture
    Svg,
}

#[derive(Args)]
pub(crate) struct ReadArgs {
    /// A trace, or the URL of a live page
    #[arg(value_name = "TRACE|URL")]
    pub source: String,
    /// The step of the trace; 0 is the first navigation
    #[arg(long, value_name = "K")]
    pub step: Option<u32>,
    /// Answer this: the sections that say it, best first
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Read this section, by number or heading, and what lies under it
    #[arg(long, value_name = "SECTION")]
    pub section: Option<String>,
    /// Write the content graph of the page
    #[arg(long, value_name = "FORMAT", conflicts_with_all = ["query", "section", "preview"])]
    pub graph: Option<GraphFormat>,
    /// Say what there is to read: headings with numbers and sizes
    #[arg(long, conflicts_with_all = ["query", "section"])]
    pub preview: bool,
    /// Give at most this many sections; a query gives 3 unless said otherwise
    #[arg(long, value_name = "N")]
    pub limit: Option<std::num::NonZeroUsize>,
    /// Pass over this many sections
    #[arg(long, value_name = "N")]
    pub offset: Option<usize>,
    /// Begin sections at headings of the levels 1 to 3 only
    #[arg(long)]
    pub h3: bool,
    /// Answer a query with what is at least this similar, from 0 to 1; 0.5 unless said otherwise
    #[arg(long, value_name = "X", value_parser = share)]
    pub similarity: Option<f32>,
    /// Take options in one line as an agent writes them: 'query=… limit=5 nocache'
    #[arg(long, value_name = "OPTIONS")]
    pub options: Option<String>,
    /// Find sections by vectors of the OpenAI-compatible endpoint at this URL, not by the built-in ones
    #[arg(long, value_name = "URL", requires_all = ["embeddings_model", "embeddings_dimension", "query"])]
    pub embeddings_url: Option<String>,
    /// Ask the endpoint for this model
    #[arg(long, value_name = "NAME")]
    pub embeddings_model: Option<String>,
    /// Expect vectors of so many numbers
    #[arg(long, value_name = "N")]
    pub embeddings_dimension: Option<std::num::NonZeroUsize>,
    /// Take the key of the endpoint from this environment variable
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub embeddings_key_env: String,
    /// Find sections by vectors of the sentence-transformers model in this folder (builds with the feature `local`)
    #[arg(long, value_name = "FOLDER", requires = "query", conflicts_with = "embeddings_url")]
    pub embeddings_folder: Option<PathBuf>,
    /// Keep what pages say in this file
    #[arg(long, value_name = "FILE", default_value = ".cache/pages.cache")]
    pub cache: PathBuf,
    /// Read anew, and keep nothing
    #[arg(long)]
    pub no_cache: bool,
    /// Use this Chromium for a live page
    #[cfg(feature = "record")]
    #[arg(long, value_name = "FILE")]
    pub chrome: Option<PathBuf>,
    /// Start Chromium without its sandbox
    #[cfg(feature = "record")]
    #[arg(long)]
    pub no_sandbox: bool,
}

fn share(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| "expected a number from 0 to 1".to_owned())
}

/// How an endpoint is told that the answer is JSON.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ResponseFormatArg {
    /// By `response_format` with the schema
    JsonSchema,
    /// By `response_format` without it
    JsonObject,
    /// By the prompt alone
    Plain,
}

#[derive(Args)]
pub(crate) struct LlmArgs {
    /// Folder of a stored run
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// Ask this model
    #[arg(long, value_name = "NAME")]
    pub model: String,
    /// Ask this OpenAI-compatible endpoint; without one the cassette is replayed
    #[arg(long, value_name = "URL")]
    pub base_url: Option<String>,
    /// Take the key of the endpoint from this environment variable
    #[arg(long, value_name = "NAME", default_value = "OPENAI_API_KEY")]
    pub key_env: String,
    /// Say which class of models this one stands for, such as small or large
    #[arg(long, value_name = "LABEL")]
    pub tier: Option<String>,
    /// Keep answers in this file [default: cassette.jsonl in the run's folder]
    #[arg(long, value_name = "FILE")]
    pub cassette: Option<PathBuf>,
    /// Use this prompt instead of the built-in one
    #[arg(long, value_name = "FILE")]
    pub prompt: Option<PathBuf>,
    /// Ask only about strategies that match one of these patterns (`*` stands for anything)
    #[arg(long, value_name = "PATTERN", value_delimiter = ',')]
    pub strategies: Vec<String>,
    /// Send the images of observations too
    #[arg(long)]
    pub images: bool,
    /// Send at most so many requests a minute, repeated ones included
    #[arg(long, value_name = "N")]
    pub max_requests_per_minute: Option<std::num::NonZeroU32>,
    /// Wait at most so many seconds for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u32).range(1..))]
    pub timeout: u32,
    /// Go through this proxy
    #[arg(long, value_name = "URL")]
    pub proxy: Option<String>,
    /// Tell the endpoint in this way that the answer is JSON
    #[arg(long, value_enum, default_value_t = ResponseFormatArg::JsonSchema)]
    pub response_format: ResponseFormatArg,
    /// Let an answer have at most so many tokens
    #[arg(long, value_name = "N", default_value_t = 512)]
    pub max_tokens: u32,
    /// Ask at this temperature
    #[arg(long, value_name = "T", default_value_t = 0.0)]
    pub temperature: f64,
    /// Add these parameters to every request; null takes one out, as in '{"temperature": null}'
    #[arg(long, value_name = "JSON")]
    pub extra: Option<String>,
    /// Price of a million input tokens, for the estimate
    #[arg(long, value_name = "PRICE")]
    pub price_in: Option<f64>,
    /// Price of a million output tokens, for the estimate
    #[arg(long, value_name = "PRICE")]
    pub price_out: Option<f64>,
    /// Say what would be sent, and stop
    #[arg(long)]
    pub estimate: bool,
    /// Send what the estimate says
    #[arg(long)]
    pub yes: bool,
    /// Look here for the traces that the run was made from
    #[arg(long, value_name = "TRACES", default_value = "traces")]
    pub traces: PathBuf,
    /// Read the strategies from this file
    #[arg(long, value_name = "FILE", default_value = "traces/strategies.toml")]
    pub strategies_file: PathBuf,
    /// Look for scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
}

#[derive(Args)]
pub(crate) struct ScenarioArgs {
    #[command(subcommand)]
    pub verb: ScenarioVerb,
}

#[derive(Subcommand)]
pub(crate) enum ScenarioVerb {
    /// Print, for each step, a minimal set of nodes that the reader cannot do without, as TOML to paste
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

#[cfg(feature = "train")]
#[derive(Args)]
pub(crate) struct RouterArgs {
    #[command(subcommand)]
    pub verb: RouterVerb,
}

#[cfg(feature = "train")]
#[derive(Subcommand)]
pub(crate) enum RouterVerb {
    /// Grow a tree from what each representation made of every step, say what it is worth on scenarios it has not seen, write it
    Train {
        /// Learn from the traces in this folder, or from this one trace
        #[arg(value_name = "TRACES", default_value = "traces")]
        traces: PathBuf,
        /// Write the model into this file
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        /// Print signals and label of every step as JSON, one a line
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        selection: Selection,
    },
}

#[derive(Args)]
pub(crate) struct TraceArgs {
    #[command(subcommand)]
    pub verb: TraceVerb,
}

#[derive(Subcommand)]
pub(crate) enum TraceVerb {
    /// Say what a trace holds
    Info {
        /// The traces
        #[arg(required = true, value_name = "TRACE")]
        traces: Vec<PathBuf>,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check schema, hashes, references, and that every capture parses
    Verify {
        /// The traces
        #[arg(required = true, value_name = "TRACE")]
        traces: Vec<PathBuf>,
    },
    /// Write what can be read of a damaged trace into a new file
    Salvage {
        /// The damaged trace
        from: PathBuf,
        /// The new file
        to: PathBuf,
    },
    /// Write a smaller trace: fewer steps, fewer kinds of payloads
    Prune {
        /// The trace
        from: PathBuf,
        /// The new file
        to: PathBuf,
        /// Keep only the steps up to this one
        #[arg(long, value_name = "K")]
        last_step: Option<u32>,
        /// Leave out payloads of this kind (screenshot, crop, …)
        #[arg(long, value_name = "KIND", value_delimiter = ',')]
        drop: Vec<String>,
    },
    /// Write payloads as JSON and PNG files into a folder
    Export {
        /// The trace
        trace: PathBuf,
        /// The folder
        dir: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct CompletionArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}

/// Arguments of `import`.
#[cfg(feature = "record")]
#[derive(clap::Args, Debug)]
pub struct ImportArgs {
    /// Format of the inputs
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(browserlens_import::Format::ALL.map(|format| format.name())))]
    pub format: String,
    /// Files, or folders where a recording is one
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Folder of the traces
    #[arg(long)]
    pub out: PathBuf,
    /// Replace traces that stand there
    #[arg(long)]
    pub force: bool,
    /// Do not render pages: keep what the source itself has
    #[arg(long)]
    pub no_render: bool,
    /// Pages that are rendered at once
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=8))]
    pub pages: u32,
    /// Chromium; looked for in $CHROME and on PATH if not said
    #[arg(long)]
    pub chrome: Option<PathBuf>,
    /// HAR file whose requests go into the traces, each with the step that shows its document
    #[arg(long)]
    pub har: Option<PathBuf>,
    /// Licence of the source, which goes into the trace and onto reports
    #[arg(long, default_value = "")]
    pub licence: String,
    /// Print what was made as JSON
    #[arg(long)]
    pub json: bool,
}
