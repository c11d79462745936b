//! Corpora of traces: synthetic ones of any size, counted, and split by site.
//!
//! In: traces. Out: folders of traces with other words, ids and orders ([`make`]), tables of what a
//! folder holds ([`stats`]), and lists for training and holding back ([`split`]). Invariants:
//! everything follows from seed and input alone; memory does not grow with the corpus; no browser
//! is needed.

mod error;
mod files;
mod make;
mod random;
mod rewrite;
mod scenario;
mod site;
mod source;
mod split;
mod stats;
mod words;

pub use error::CorpusError;
pub use files::find_traces;
pub use make::{DESCRIPTION, Description, MakeOptions, MakeProgress, MakeReport, Quiet, SCENARIOS, make};
pub use split::{HELD_BACK, Part, Split, TRAIN, split, write_links, write_lists};
pub use stats::{CorpusStats, Failed, Quantiles, SiteStats, stats};
