//! What `trace` is given.

use clap::Subcommand;
use std::path::PathBuf;

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
