//! What `inspect` is given: which tool, where to look, which rows.

use clap::{Args, Subcommand};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct InspectArgs {
    #[command(subcommand)]
    pub what: InspectWhat,
}

/// What is asked for.
#[derive(Subcommand)]
pub(crate) enum InspectWhat {
    /// Count messages and requests by level, status, type and host; the place to begin
    #[command(override_usage = "browserlens page SOURCE summary [OPTIONS]")]
    Summary {
        #[command(flatten)]
        source: InspectSource,
        /// Count only what happened from this page time on
        #[arg(long, value_name = "MS")]
        since: Option<i64>,
    },
    /// List console messages, errors and warnings unless told otherwise
    #[command(override_usage = "browserlens page SOURCE console [OPTIONS]")]
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
    #[command(override_usage = "browserlens page SOURCE network [OPTIONS]")]
    Network {
        #[command(flatten)]
        source: InspectSource,
        #[command(flatten)]
        paging: InspectPaging,
        #[command(flatten)]
        network: Box<InspectNetwork>,
    },
    /// Show a part of the page as a tree
    #[command(override_usage = "browserlens page SOURCE dom [OPTIONS]")]
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
        /// Go on where another answer ended
        #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
        cursor: Option<String>,
    },
    /// Show a part of the page as cleaned HTML
    #[command(override_usage = "browserlens page SOURCE html [OPTIONS]")]
    Html {
        #[command(flatten)]
        source: InspectSource,
        /// Show what this CSS selector selects
        #[arg(long, value_name = "CSS")]
        selector: Option<String>,
        /// Show what is hidden too
        #[arg(long)]
        include_hidden: bool,
        /// Go on where another answer ended
        #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
        cursor: Option<String>,
    },
    /// Show a part of the page as text
    #[command(override_usage = "browserlens page SOURCE get_text [OPTIONS]")]
    Text {
        #[command(flatten)]
        source: InspectSource,
        /// Show what this CSS selector selects
        #[arg(long, value_name = "CSS")]
        selector: Option<String>,
        /// Go on where another answer ended
        #[arg(long, value_name = "CURSOR", allow_hyphen_values = true)]
        cursor: Option<String>,
    },
    /// Write all requests as HTTP Archive (HAR 1.2)
    #[command(override_usage = "browserlens page SOURCE har [OPTIONS]")]
    Har {
        #[command(flatten)]
        source: InspectSource,
    },
}

/// A file of HTML is opened as a live page.
fn opened(source: &str) -> Result<String, std::convert::Infallible> {
    Ok(crate::verbs::html_file(source).unwrap_or_else(|| source.to_owned()))
}

/// Where to look.
#[derive(Args)]
pub(crate) struct InspectSource {
    /// A trace, the URL of a live page, or a file of HTML
    #[arg(value_name = "TRACE|URL|FILE", value_parser = opened)]
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
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Use this Chromium instead of $CHROME or the one on PATH
    #[arg(long, value_name = "PATH")]
    pub chrome: Option<PathBuf>,
    /// Turn Chromium's sandbox off (as root it is off by itself)
    #[arg(long)]
    pub no_sandbox: bool,
}

/// How much answers hold. Each is also taken from the environment (`BROWSERLENS_MAX_HTML_SIZE`) and
/// from a file (`max_html_size = 20000`); an option wins over the environment, that over the file.
#[derive(Args, Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct LimitArgs {
    /// Take limits from this TOML file instead of limits.toml in the configuration folder
    #[arg(long, value_name = "FILE", help_heading = LIMITS)]
    pub limits: Option<PathBuf>,
    /// Give at most so many bytes of HTML, up to 1048576 [default: 51200]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_html_size: Option<usize>,
    /// Give at most so many bytes of text, up to 1048576 [default: 30720]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_text_size: Option<usize>,
    /// Give so many nodes of the DOM where none are asked for, up to 2000 [default: 500]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_dom_nodes: Option<usize>,
    /// Give so many messages where none are asked for, up to 200 [default: 50]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_console_messages: Option<usize>,
    /// Give so many requests where none are asked for, up to 200 [default: 50]
    #[arg(long, value_name = "N", help_heading = LIMITS)]
    pub max_network_requests: Option<usize>,
    /// Give at most so many bytes of what was sent, up to 1048576 [default: 10240]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_request_body_size: Option<usize>,
    /// Give at most so many bytes of what came back, up to 1048576 [default: 10240]
    #[arg(long, value_name = "BYTES", help_heading = LIMITS)]
    pub max_response_body_size: Option<usize>,
}

const LIMITS: &str = "Limits";

impl LimitArgs {
    /// Returns what is given, by the names of the limits.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, usize)> {
        [
            ("max_html_size", self.max_html_size),
            ("max_text_size", self.max_text_size),
            ("max_dom_nodes", self.max_dom_nodes),
            ("max_console_messages", self.max_console_messages),
            ("max_network_requests", self.max_network_requests),
            ("max_request_body_size", self.max_request_body_size),
            ("max_response_body_size", self.max_response_body_size),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }
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
    /// List so many rows [default: 50, or as the limits say; at most 200]
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
