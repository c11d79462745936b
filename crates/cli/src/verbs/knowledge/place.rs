//! Where knowledge lies, and what goes wrong with it there.

use crate::exit::Failure;
use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_knowledge::{Knowledge, KnowledgeId, Store};
use browserlens_trace::Trace;
use clap::Args;
use std::path::{Path, PathBuf};

/// What to do where a file cannot be read.
pub(super) const UNREADABLE: &str = "check the path and its rights";

/// Where knowledge lies.
#[derive(Args)]
pub(crate) struct StoreArgs {
    /// Keep knowledge in this file
    #[arg(long, value_name = "FILE", default_value = "knowledge.sqlite")]
    pub(super) store: PathBuf,
    /// Which knowledge in it
    #[arg(long, value_name = "ID", default_value = "default")]
    pub(super) id: String,
}

pub(super) fn read(path: impl AsRef<Path>) -> Result<String, Failure> {
    let path = path.as_ref();
    std::fs::read_to_string(path).map_err(Failure::file("read", path, UNREADABLE))
}

/// Returns the page at a step of a trace.
pub(super) fn page_of(trace: &Path, step: u32) -> Result<Page, Failure> {
    Ok(Trace::open(trace)?.page(StepIndex(step))?.0)
}

pub(super) fn load(place: &StoreArgs) -> Result<Knowledge, Failure> {
    if !place.store.exists() {
        let message = format!("{}: there is no such store", place.store.display());
        return Err(Failure::input(message, "build it first: browserlens knowledge build traces"));
    }
    let store = Store::open(&place.store)?;
    store.load(&KnowledgeId::from(place.id.as_str())).map_err(Failure::from)
}
