//! Peers' files (`*.peers`): what other tools really said about the pages of a trace, beside the
//! trace.
//!
//! In: the [`PeerPass`]es of one recording. Out: one SQLite file that names the trace it belongs
//! to, and [`PeerRow`]s a step again. Invariants: a file is written whole beside its place and
//! moved there; texts are redacted before they are written; rows are sealed as a trace's are and
//! bodies carry their hash; a file that belongs to another trace is refused.
//!
//! Why a file of its own and not tables of the trace: a trace is evidence about a page and never
//! changes; peers come and go with their versions, and a trace's hash must not.

mod read;
mod schema;
mod write;

pub use read::{Dropped, PeerVariant, PeersFile};
pub use write::write_peers;

use browserlens_core::named;
use browserlens_core::page::NodeKey;
use std::path::{Path, PathBuf};

named! {
    /// What kind of text a peer gave.
    pub enum PeerText {
        /// What the agent would be shown of the page.
        Observation = "observation",
        /// The answer of its console tool.
        Console = "console",
        /// The answer of its network tool.
        Network = "network",
    }
}

/// How one pass of a peer over a scenario ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerPass {
    /// Name and version as it was asked for, such as `playwright-mcp@0.0.83`.
    pub peer: String,
    /// Name and version of the browser of the pass.
    pub browser: String,
    /// Why the pass did not reach the end of the scenario; none if it did.
    pub failure: Option<String>,
    /// The array of `tools/list` as compact JSON, where the peer is an MCP server.
    pub tools: Option<String>,
    /// What it said, in the order of steps.
    pub rows: Vec<PeerRow>,
}

/// One text of a peer at one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerRow {
    /// Index of the step.
    pub step: u32,
    /// What kind of text it is.
    pub kind: PeerText,
    /// The variant of the output, such as `full` or `interactive`; the kind's name for console and
    /// network.
    pub variant: String,
    /// The text, redacted, else verbatim; empty where it was dropped.
    pub text: String,
    /// Wall time of the tool's call, in microseconds.
    pub micros: u64,
    /// Why the row does not count: the page of the pass was not the trace's; none if it counts.
    pub dropped: Option<String>,
    /// What the handles in the text mean, as far as the tool tells.
    pub refs: Vec<(String, NodeKey)>,
}

/// Returns the path of the peers' file of a trace: beside it, with the ending `.peers`.
pub fn peers_path(trace: &Path) -> PathBuf {
    trace.with_extension("peers")
}
