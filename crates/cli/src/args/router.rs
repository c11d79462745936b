//! What `router` is given.

use super::Selection;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Args)]
pub(crate) struct RouterArgs {
    #[command(subcommand)]
    pub verb: RouterVerb,
}

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
