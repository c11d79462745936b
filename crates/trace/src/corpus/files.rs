//! Which traces lie below a folder.
//!
//! In: a folder or a file. Out: paths, sorted. Invariant: what a `make` has not finished is not
//! listed.

use crate::corpus::error::CorpusError;
use std::path::{Path, PathBuf};

/// Returns the trace files below a folder, sorted; a path of a file is taken as it is. Folders
/// whose name begins with a point are passed over.
///
/// # Errors
/// [`CorpusError::NoTraces`] if there is none, or [`CorpusError::Io`] if a folder cannot be listed.
pub fn find_traces(path: &Path) -> Result<Vec<PathBuf>, CorpusError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(CorpusError::io(&folder, "list the folder"))? {
            let entry = entry.map_err(CorpusError::io(&folder, "list the folder"))?;
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if !entry.file_name().to_string_lossy().starts_with('.') {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "trace") {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(CorpusError::NoTraces { path: path.to_owned() });
    }
    found.sort();
    Ok(found)
}
