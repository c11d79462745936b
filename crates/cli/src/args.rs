//! The command line as clap reads it.
//!
//! Help is imperative, without a full stop; each verb shows examples. Verbs with many arguments
//! have a file each.

mod agents;
mod bench;
mod ci;
mod corpus;
mod doctor;
mod inspect;
mod lab;
mod llm;
mod of_page;
#[cfg(feature = "serve")]
mod page;
mod read;
#[cfg(feature = "record")]
mod record;
#[cfg(feature = "serve")]
mod serve;
mod show;
mod snapshot;
mod tool;
mod trace;

#[cfg(feature = "record")]
pub(crate) use agents::{AgentArg, AgentsRunArgs, AgentsTasksArgs, AgentsWhichArgs, ContextArg};
pub(crate) use agents::{
    AgentsCompareArgs, AgentsCounterfactualArgs, AgentsImportArgs, AgentsTableArgs, AgentsValidityArgs, AgentsVerb,
};
pub(crate) use bench::{BenchArgs, Pricing, SCENARIOS_DIR, Selection};
pub(crate) use ci::{CiInitArgs, CiVerb};
pub(crate) use corpus::{CorpusVerb, MakeArgs};
pub(crate) use doctor::DoctorArgs;
pub(crate) use inspect::{InspectSource, InspectWhat, LimitArgs};
pub(crate) use lab::{FidelityArgs, Lab, ScenarioVerb};
#[cfg(feature = "record")]
use llm::RESPONSE_FORMATS;
pub(crate) use llm::{EndpointArgs, ExamArgs, LlmArgs};
pub(crate) use of_page::{now_said, of_a_page, source_is_behind};
#[cfg(feature = "serve")]
pub(crate) use page::{Call, KeepArgs, OpenArgs, PageArgs, PageCommand, command_of, is_command};
pub(crate) use read::{DEFAULT_CACHE, GraphFormat, ReadArgs};
#[cfg(feature = "record")]
pub(crate) use record::RecordArgs;
#[cfg(feature = "serve")]
pub(crate) use serve::{BrowserArgs, ServeArgs};
pub(crate) use show::ShowArgs;
pub(crate) use snapshot::{ChunksArgs, GrepArgs, LiveArgs, SnapshotArgs};
pub(crate) use trace::TraceVerb;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// What should a browser agent be shown of a page, what does it cost, and can it still do its job
#[derive(Parser)]
#[command(name = "browserlens", version = version(), max_term_width = 100, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

/// The version, with the commit where the build was told of one (`./just dist`).
fn version() -> &'static str {
    match option_env!("BROWSERLENS_COMMIT").filter(|commit| !commit.is_empty()) {
        Some(commit) => format!("{} ({commit})", env!("CARGO_PKG_VERSION")).leak(),
        None => env!("CARGO_PKG_VERSION"),
    }
}

const EXIT_CODES: &str = "Exit codes: 0 success, 1 regression found, 2 bad usage, 3 unreadable input, 4 verification \
    failed, 5 browser trouble, 6 not done";

#[derive(Subcommand)]
pub(crate) enum Verb {
    /// Replay the bundled traces, print the summary, write the report
    #[command(after_help = "Examples:\
            \n  browserlens bench\
            \n  browserlens bench --check --markdown \"$GITHUB_STEP_SUMMARY\" --junit gate.xml\
            \n  browserlens bench --accept --why 'rows are folded'\
            \n  browserlens bench --strategies 'lens/*' --scenarios 'shop/*'\
            \n  browserlens bench my/task.trace --scenarios-dir my --no-report --json\
            \n  browserlens bench --from reports/runs/0123456789abcdef --out /tmp/report")]
    Bench(BenchArgs),
    /// Record scenarios with a real Chromium
    #[cfg(feature = "record")]
    #[command(after_help = "Examples:
  browserlens record                        every scenario in traces/scenarios
  browserlens record my/task.toml --out my   one scenario of your own
  browserlens record shop --peers            what other tools say about the shop's trace
  browserlens record --interactive http://localhost:3000 --out my/once.trace    what you do in a window, and the \
  scenario that does it again: my/once.toml
  browserlens record --attach http://127.0.0.1:9222 --out my/agent.trace --goal 'order a lamp'     what your own agent \
  does")]
    Record(RecordArgs),
    /// Turn other people's recordings into traces, and scripts and recordings into scenarios
    #[cfg(feature = "record")]
    #[command(after_help = "Examples:
  browserlens import playwright trace.zip --out my       a Playwright trace, versions 3 to 10: each snapshot rendered \
  anew
  browserlens import playwright test-results/*/trace.zip --out my --licence CC-BY-4.0
  browserlens import weblinx weblinx-browsergym --out my     demonstrations whose files are there
  browserlens import mind2web train_0.json --out my          each saved page rendered
  browserlens import devtools-recorder order.json --out my   a scenario that `record` runs
  browserlens import trace once.trace --out my               the scenario that does again what was recorded

Pages are rendered in Chromium with the network cut and scripts off; secrets are replaced as in recordings.")]
    Import(ImportArgs),
    /// Compare two stored runs, strategy by strategy and scenario by scenario
    #[command(after_help = "Examples:\
            \n  browserlens compare 0123456789abcdef fedcba9876543210\
            \n  browserlens compare v1.0 HEAD --strategies 'lens/*'      (git revisions, by their stored runs)")]
    Compare(CompareArgs),
    /// Say what agents did with a tool: success, calls, tokens read, from records of their runs
    #[command(subcommand)]
    #[command(after_help = "Examples:\
            \n  browserlens agents table\
            \n  browserlens agents import ~/.claude/projects/shop/*.jsonl --only mcp__playwright --out runs\
            \n  browserlens agents compare before after")]
    Agents(AgentsVerb),
    /// Print exactly what an agent would be shown at one step
    #[command(after_help = "Examples:\
            \n  browserlens show traces/shop-laptop-to-cart.trace --step 2 --strategy lens/delta\
            \n  browserlens show traces/login-wrong-then-right.trace --step 2 --diff lens/full\
            \n  browserlens show traces/login-wrong-then-right.trace --step 2 --view\
            \n  browserlens show traces/login-wrong-then-right.trace --strategy lens/vision-marks --images /tmp")]
    Show(ShowArgs),
    /// Take a snapshot of a page: what can be acted on, its outline, or its content
    #[command(
        hide = true,
        override_usage = "browserlens page SOURCE controls|outline|content [OPTIONS]",
        after_help = "Examples:\
            \n  browserlens page traces/shop-laptop-to-cart.trace outline --step 2\
            \n  browserlens page traces/docs-combine-three-documents.trace content --grep 'article|section' \
            --format markdown\
            \n  browserlens page traces/shop-laptop-to-cart.trace content --selector @e5\
            \n  browserlens page https://example.com outline     (with Chromium)"
    )]
    Snapshot(SnapshotArgs),
    /// Cut the content of a page into chunks for a vector store: one JSON document a line
    #[command(
        hide = true,
        override_usage = "browserlens page SOURCE chunks [OPTIONS]",
        after_help = "Examples:\
            \n  browserlens page traces/docs-combine-three-documents.trace chunks --step 3 --max-tokens 256\
            \n  browserlens page https://example.com chunks --overlap 32     (with Chromium)\
            \n  browserlens page README.md chunks"
    )]
    Chunks(ChunksArgs),
    /// Read what a page says: whole, in parts, by question, or as a graph
    #[command(
        hide = true,
        override_usage = "browserlens page SOURCE... text [QUESTION] [OPTIONS]",
        after_help = "Examples:\
            \n  browserlens page traces/docs-combine-three-documents.trace text --step 3 --preview\
            \n  browserlens page traces/docs-combine-three-documents.trace text --step 3 --section 2\
            \n  browserlens page traces/docs-combine-three-documents.trace text 'what does it cost' --step 3\
            \n  browserlens page traces/docs-combine-three-documents.trace text --step 3 --graph svg > page.svg\
            \n  browserlens page https://example.com text     (with Chromium)"
    )]
    Read(ReadArgs),
    /// Ask what happened beside a page and what is in it: console, requests, DOM; filtered, in
    /// pages, cut to fit
    #[command(
        subcommand,
        hide = true,
        override_usage = "browserlens page SOURCE summary|console|network|dom|html|har [OPTIONS]",
        after_help = "Examples:\
            \n  browserlens page traces/live-last-minute-ticket.trace summary\
            \n  browserlens page traces/live-last-minute-ticket.trace network --failed-only --include-response-bodies\
            \n  browserlens page traces/portal-move-a-patient-appointment.trace console --log-levels error \
            --search-term notices --json\
            \n  browserlens page traces/spa-plan-a-release.trace network --domain spa --body-path '$..status'\
            \n  browserlens page traces/shop-laptop-to-cart.trace dom --step 2 --selector main --max-depth 3\
            \n  browserlens page traces/shop-laptop-to-cart.trace har > shop.har\
            \n  browserlens page https://example.com console     (with Chromium)"
    )]
    Inspect(InspectWhat),
    /// Know websites: build screens, actions and tasks from traces, recognise a screen, draw the
    /// site map
    #[command(subcommand)]
    #[command(after_help = "Examples:\
            \n  browserlens knowledge build traces\
            \n  browserlens knowledge build traces --text manual.md --website shop\
            \n  browserlens knowledge recognise traces/shop-laptop-to-cart.trace --step 5\
            \n  browserlens knowledge recognise --description 'where the order is placed' --json\
            \n  browserlens knowledge export --format svg --website shop > shop.svg")]
    Knowledge(crate::verbs::knowledge::KnowledgeVerb),
    /// Serve pages to agents over MCP and HTTP, from a live browser or a trace
    #[cfg(feature = "serve")]
    #[command(after_help = "Examples:\
            \n  browserlens serve                                          MCP over standard input and output, with \
            Chromium\
            \n  browserlens serve --trace traces/shop-laptop-to-cart.trace  the same on a recording\
            \n  browserlens serve --http 127.0.0.1:8931                    HTTP, and MCP under /mcp\
            \n  TOKEN=… browserlens serve --http 0.0.0.0:8931 --token-env TOKEN --host-name agents.example\
            \n  browserlens serve http://127.0.0.1:3000/ --allow-host 127.0.0.1:3000\n\
            \nBrowsers open http and https at public addresses only, unless an option allows more. Each client has a \
            browser, refs and a shown state of its own")]
    Serve(Box<ServeArgs>),
    /// Ask a page, or open it and act on it, one command at a time: what an agent does that has a shell
    #[cfg(feature = "serve")]
    #[command(after_help = "Examples:\
            \n  browserlens page open https://example.com          a session that stays, with Chromium\
            \n  browserlens page click 'More information'          by what it says, or by ref: click @e7\
            \n  browserlens page fill @e5=Ada @e6=true             several fields, each answered for\
            \n  browserlens page -s two open task.trace            another session, along a recording\
            \n  browserlens page task.trace find save --step 3     once, without a session\
            \n  browserlens page task.trace outline --step 3\
            \n  browserlens page close --all\n\
            \nAsked once of a SOURCE (a trace, a URL, a file of HTML), before any option: outline, content, controls, \
            chunks, text, summary, console, network, dom, html, har, get_text (of a selector), each with options of \
            its own (`browserlens page SOURCE outline --help`), or any command above that looks. Of a trace, pages \
            are those of its first step, messages and requests those up to its last, unless --step says otherwise\n\
            \nEach command answers with what changed; `browserlens skill` says how to read answers. Sessions live in a \
            process in the background, which only its user can reach; it ends when none is left, and a session ends \
            after half an hour without a command")]
    Page(PageArgs),
    /// Look on: a local page that shows what agents see and do in the sessions of `page`, and at
    /// servers that were started with `--watch`
    #[cfg(feature = "serve")]
    #[command(after_help = "Examples:\
            \n  browserlens watch               prints an address to open in a browser of yours\
            \n  browserlens watch --port 8932   the same port each time\
            \n  browserlens watch FILE.trace    the steps of a recording, under each strategy\
            \n  browserlens watch FILE.run      an agent's run, call by call\
            \n  browserlens serve --watch       an MCP server whose client is shown too\n\
            \nEach session's page with its refs, what the agent was told and what that cost. Pause holds what the \
            agent does next; then you can act by hand. Only who knows the whole address is answered; looking on \
            changes nothing that an agent knows")]
    Watch(WatchArgs),
    /// Print what a coding agent reads once to drive pages by `page`, or put it where agents look
    #[cfg(feature = "serve")]
    #[command(after_help = "Examples:\
            \n  browserlens skill                 print it\
            \n  browserlens skill --install .     for this project: .agents/skills and .claude/skills\
            \n  browserlens skill --install ~     for every project of yours")]
    Skill(SkillArgs),
    /// Write a small scenario, strategy or task that works, to begin with
    #[command(after_help = "Examples:\
            \n  browserlens new scenario my/first.toml     and the page that it is about\
            \n  browserlens new strategy my                strategies.toml, and a command in Python that is one\
            \n  browserlens new tasks my/tasks/mine.toml   tasks with rewards\n\
            \nNothing that is there is replaced. What to run next is printed")]
    New(NewArgs),
    /// Bench your own site in its CI: write the workflow
    #[command(subcommand)]
    #[command(after_help = "Examples:\
            \n  browserlens ci init                                              replays the traces that are kept\
            \n  browserlens ci init --serve 'npm start' --url http://localhost:3000/    records the site on every run\n\
            \nNothing that is there is replaced. What to do next stands in browserlens/README.md")]
    Ci(CiVerb),
    /// Print the JSON Schema of a file that is written by hand, for editors that complete and check
    #[command(after_help = "Examples:\
            \n  browserlens schema scenario > scenario.schema.json\n\
            \nWith the line `#:schema ./scenario.schema.json` at the top of a TOML file, editors that know Taplo \
            (VS Code with Even Better TOML, Helix, Neovim, Zed) complete its keys and mark what is misspelt")]
    Schema {
        /// What the file holds
        of: SchemaOf,
    },
    /// What researchers of the lens need: fidelity of peers, language models and exams, minimal sets, corpora
    #[command(subcommand)]
    Lab(Lab),
    /// Look into trace files, check and repair them
    #[command(subcommand)]
    #[command(after_help = "Examples:\
            \n  browserlens trace info traces/login-wrong-then-right.trace\
            \n  browserlens trace verify traces/*.trace\
            \n  browserlens trace salvage broken.trace saved.trace")]
    Trace(TraceVerb),
    /// Check what this machine has of what BrowserLens needs, and say which command installs the
    /// rest
    #[command(after_help = "Examples:\
            \n  browserlens doctor\
            \n  browserlens doctor --json\n\
            \nExit codes: 0 nothing that is needed is missing, 3 unreadable traces, strategies or accepted run, 5 no \
            Chromium that starts")]
    Doctor(DoctorArgs),
    /// Write man pages, one a verb, into a folder
    #[command(hide = true, after_help = "Examples:\n  browserlens man ~/.local/share/man/man1")]
    Man {
        /// The folder; it is made where it is missing
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Print shell completions
    #[command(after_help = "Examples:\n  browserlens completions bash > \
            ~/.local/share/bash-completion/completions/browserlens")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
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

#[cfg(feature = "serve")]
#[derive(Args)]
pub(crate) struct SkillArgs {
    /// Print what tells an agent how to use snapshots instead
    #[arg(long, conflicts_with = "install")]
    pub snapshots: bool,
    /// Write it below this folder, where Claude Code, Codex, Cursor, Copilot and others look
    #[arg(long, value_name = "FOLDER")]
    pub install: Option<PathBuf>,
}

#[cfg(feature = "serve")]
#[derive(Args)]
pub(crate) struct WatchArgs {
    /// A trace, a folder of traces, a stored run or an agent's record (`*.run`) to step through
    #[arg(value_name = "TRACE|RUN")]
    pub source: Option<PathBuf>,
    /// Look for the scenarios of traces below this folder
    #[arg(long, value_name = "DIR", default_value = SCENARIOS_DIR)]
    pub scenarios_dir: PathBuf,
    /// Listen on this port of 127.0.0.1; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub port: u16,
}

#[derive(Args)]
pub(crate) struct NewArgs {
    /// What is written
    pub of: NewOf,
    /// The file; of a strategy the folder
    pub path: PathBuf,
}

/// What can be begun with.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum NewOf {
    /// A scenario, and a page for it
    Scenario,
    /// A strategy of your own, as a command
    Strategy,
    /// A task with a reward
    Tasks,
}

/// A kind of file that is written by hand.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum SchemaOf {
    /// A scenario: task.toml
    Scenario,
    /// Questions for reading: task.ask.toml
    Ask,
    /// An exam: task.exam.toml
    Exam,
    /// Strategies: strategies.toml
    Strategies,
    /// Tasks with rewards
    #[cfg(feature = "record")]
    Tasks,
    /// No file: the tools for console, requests and DOM, with their arguments and answers
    Tools,
}

#[cfg(feature = "record")]
fn formats() -> impl TypedValueParser<Value = browserlens_import::Format> {
    let names = PossibleValuesParser::new(browserlens_import::Format::ALL.map(|format| format.name()));
    names.try_map(|name| browserlens_import::Format::from_name(&name).ok_or("unknown"))
}

#[cfg(feature = "record")]
#[derive(Args)]
pub(crate) struct ImportArgs {
    /// Format of the inputs
    #[arg(value_parser = formats())]
    pub format: browserlens_import::Format,
    /// Files, or folders where a recording is one
    #[arg(required = true)]
    pub inputs: Vec<PathBuf>,
    /// Folder of the traces, or of the scenarios
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

/// Parses one of some names, each with what the help says of it and what it stands for.
fn one_of<T, const N: usize>(known: [(&'static str, &'static str, T); N]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    let names = PossibleValuesParser::new(known.map(|(name, help, _)| PossibleValue::new(name).help(help)));
    names.try_map(move |given| {
        known.iter().find(|(name, ..)| *name == given).map(|(.., value)| *value).ok_or("it is none of the names")
    })
}

/// The name of an option: `failedOnly` and `website_id` are `failed-only` and `website-id`.
pub(crate) fn option_of(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            out.push('-');
        }
        out.push(if c == '_' { '-' } else { c.to_ascii_lowercase() });
    }
    out
}

/// Names the field that an error about arguments begins with as the command line does: `pageSize:
/// …` as `--page-size: …`.
#[cfg(feature = "serve")]
pub(crate) fn with_options(message: &str) -> String {
    let (before, rest) = match message.strip_prefix("arguments: ") {
        Some(rest) => ("arguments: ", rest),
        None => ("", message),
    };
    let named = rest.split_once(": ").filter(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_lowercase())
            && name.chars().any(|c| c.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric())
    });
    match named {
        Some((name, rest)) => format!("{before}--{}: {rest}", option_of(name)),
        None => message.to_owned(),
    }
}
