//! What `serve` is given, and how a browser is opened for an agent.

use super::one_of;
use crate::verbs::ModelArgs;
use browserlens_session::ToolGroup;
use clap::Args;
use serde::{Deserialize, Serialize};
use std::net::SocketAddr;
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct ServeArgs {
    /// Open this URL first; without it the client navigates
    #[arg(value_name = "URL", conflicts_with = "trace")]
    pub(crate) url: Option<String>,
    /// Serve this trace in place of a browser: actions go on along what was recorded
    #[arg(long, value_name = "FILE", conflicts_with = "allow_evaluate")]
    #[cfg_attr(feature = "record", arg(conflicts_with_all = ["cdp", "record", "chrome", "no_sandbox"]))]
    pub(crate) trace: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) browser: BrowserArgs,
    /// Listen here for HTTP and MCP (under /mcp), such as 127.0.0.1:8931; without it speak MCP over
    /// standard input and output
    #[arg(long, value_name = "ADDRESS")]
    #[cfg_attr(feature = "record", arg(conflicts_with = "tab"))]
    pub(crate) http: Option<SocketAddr>,
    /// Take the bearer token from this environment variable; any address but loopback needs one
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) token_env: Option<String>,
    /// Answer to this host name too
    #[arg(long, value_name = "NAME", requires = "http")]
    pub(crate) host_name: Vec<String>,
    /// Let web pages of this origin speak to the server, such as <https://app.example.com>
    #[arg(long, value_name = "ORIGIN", requires = "http")]
    pub(crate) allow_origin: Vec<String>,
    /// Have at most so many clients at once; each has a browser of its own
    #[arg(long, value_name = "N", default_value_t = 8, requires = "http")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) max_clients: u32,
    /// End sessions that nobody used for so many minutes
    #[arg(long, value_name = "MINUTES", default_value_t = 30, requires = "http")]
    pub(crate) idle: u64,
    /// Tell MCP clients of these groups of tools; each costs its part of every context
    #[arg(long, value_name = "GROUP", value_delimiter = ',', default_value = "core", value_parser = one_of(GROUPS))]
    pub(crate) tools: Vec<Option<ToolGroup>>,
    /// Let `browserlens watch` show what clients see and do, to this user alone
    #[arg(long)]
    pub(crate) watch: bool,
    /// Write the log as JSON
    #[arg(long)]
    pub(crate) log_json: bool,
}

/// Groups of tools; none stands for all of them.
const GROUPS: [(&str, &str, Option<ToolGroup>); 5] = [
    ("core", "What most tasks need: 16 tools", Some(ToolGroup::Core)),
    ("page", "Other ways to look at a page and to act on it: snapshot, chunks, upload", Some(ToolGroup::Page)),
    ("inspect", "Console, requests, DOM", Some(ToolGroup::Inspect)),
    ("knowledge", "What is known of websites", Some(ToolGroup::Knowledge)),
    ("all", "Every tool", None),
];

/// How a browser is opened, and what is allowed in it.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BrowserArgs {
    /// Attach to the browser that runs with its protocol at this address, such as
    /// <http://127.0.0.1:9222>; each client gets a tab
    #[cfg(feature = "record")]
    #[arg(long, value_name = "URL", conflicts_with_all = ["chrome", "no_sandbox"])]
    pub(crate) cdp: Option<String>,
    /// With --cdp, take over the tab whose URL holds this, in place of opening one; it stays when
    /// the client goes
    #[cfg(feature = "record")]
    #[arg(long, value_name = "URL-PART", requires = "cdp")]
    pub(crate) tab: Option<String>,
    /// Let browsers go to private networks too; what this machine serves itself is always allowed
    /// but to a server over HTTP
    #[arg(long)]
    pub(crate) allow_private: bool,
    /// Let browsers go to this host whatever its address: `name` or `name:port`
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,
    /// Let browsers open URLs of this scheme too, such as file
    #[arg(long, value_name = "SCHEME")]
    pub(crate) allow_scheme: Vec<String>,
    /// Let clients evaluate JavaScript in pages (the tool `evaluate`)
    #[arg(long)]
    pub(crate) allow_evaluate: bool,
    /// Let clients upload files that lie below this folder [default: `serve` lets them upload none,
    /// `page` what its commands name]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) upload_root: Option<PathBuf>,
    /// Answer questions from this knowledge store
    #[arg(long, value_name = "FILE")]
    pub(crate) knowledge: Option<PathBuf>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) model: ModelArgs,
    /// Keep what pages say in this file
    #[arg(long, value_name = "FILE")]
    pub(crate) cache: Option<PathBuf>,
    #[command(flatten)]
    #[serde(default)]
    pub(crate) limits: super::LimitArgs,
    /// Give up a call after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 120, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) timeout: u64,
    /// Record what the client does in this trace, which replays like any other; those of further
    /// clients are numbered
    #[cfg(feature = "record")]
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
    /// What the client wants to do, for the trace
    #[cfg(feature = "record")]
    #[arg(long, value_name = "TEXT", requires = "record", default_value = "", hide_default_value = true)]
    pub(crate) goal: String,
    /// Replace the traces that stand there
    #[cfg(feature = "record")]
    #[arg(long, requires = "record")]
    pub(crate) force: bool,
    /// Use this Chromium
    #[cfg(feature = "record")]
    #[arg(long, value_name = "FILE")]
    pub(crate) chrome: Option<PathBuf>,
    /// Start Chromium without its sandbox
    #[cfg(feature = "record")]
    #[arg(long)]
    pub(crate) no_sandbox: bool,
}
