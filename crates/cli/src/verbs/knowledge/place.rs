//! Where knowledge lies, and what goes wrong with it there.

use crate::exit::Failure;
use browserlens_knowledge::{Knowledge, KnowledgeId, Store};
use clap::Args;
use std::path::{Path, PathBuf};

/// Where knowledge lies.
#[derive(Args)]
pub(super) struct StoreArgs {
    /// Keep knowledge in this file
    #[arg(long, value_name = "FILE", default_value = "knowledge.sqlite")]
    pub(super) store: PathBuf,
    /// Which knowledge in it
    #[arg(long, value_name = "ID", default_value = "default")]
    pub(super) id: String,
}

pub(super) fn read(path: impl AsRef<Path>) -> Result<String, Failure> {
    std::fs::read_to_string(path.as_ref()).map_err(|error| unreadable(path.as_ref(), &error))
}

pub(super) fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("{}: cannot be read: {error}", path.display()), "check the path and its rights")
}

pub(super) fn load(place: &StoreArgs) -> Result<Knowledge, Failure> {
    if !place.store.exists() {
        let message = format!("{}: there is no such store", place.store.display());
        return Err(Failure::input(message, "build it first: browserlens knowledge build traces"));
    }
    let store = Store::open(&place.store)?;
    store.load(&KnowledgeId::from(place.id.as_str())).map_err(Failure::from)
}
