//! What `lab corpus` is given.

use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Subcommand)]
pub(crate) enum CorpusVerb {
    /// Write a synthetic corpus of any size: traces with other words, node ids and orders of lists
    ///
    /// The same seed, options and sources give the same bytes. A run that was stopped goes on where
    /// it was; a larger corpus of the same seed begins with the smaller one.
    Make(MakeArgs),
    /// Count what a corpus holds: traces, steps, sites, nodes of a page, bytes, actions, formats,
    /// failures
    Stats {
        /// The folder
        dir: PathBuf,
        /// Use this many threads; 0 for as many as there are processors
        #[arg(long, value_name = "N", default_value_t = 0)]
        threads: usize,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
    /// Split a corpus into traces to train on and traces held back: no site is in both
    Split {
        /// The folder
        dir: PathBuf,
        /// Hold back about this share of the traces
        #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
        held_back: f64,
        /// Draw the sites from this seed
        #[arg(long, value_name = "S", default_value_t = 1)]
        seed: u64,
        /// Write train.txt and held-back.txt here; into the corpus if not said
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
        /// Write folders of links in place of lists, each of which `bench` reads
        #[arg(long)]
        links: bool,
        /// Print as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Args)]
pub(crate) struct MakeArgs {
    /// Write into this folder
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Write at least so many steps; traces are whole
    #[arg(long, value_name = "N")]
    pub steps: u64,
    /// Draw everything from this seed
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Copy these traces, or those below these folders
    #[arg(long, value_name = "TRACES", num_args = 1.., default_value = "traces")]
    pub from: Vec<PathBuf>,
    /// Look for their scenarios below this folder
    #[arg(long, value_name = "DIR", default_value = "traces/scenarios")]
    pub scenarios_dir: PathBuf,
    /// Leave out screenshots and crops: a fifth of the bytes; lens/vision and lens/vision-marks
    /// then give error rows
    #[arg(long)]
    pub no_pixels: bool,
    /// Leave out bodies of requests and responses
    #[arg(long)]
    pub no_bodies: bool,
    /// Use this many threads; 0 for as many as there are processors
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}
