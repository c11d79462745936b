//! Which traces lie below a folder.
//!
//! In: a folder or a file. Out: paths, sorted. Invariant: what is only there for knowledge is not
//! replayed unless it is named.

use crate::ReplayError;
use std::path::{Path, PathBuf};

/// The folder of recordings that only knowledge is made of: variants of scenarios, without what
/// strategies and peers need.
pub const VARIANTS: &str = "variants";

/// Returns the trace files below a folder, sorted; a path of a file is taken as it is. Folders
/// called [`VARIANTS`] are passed over, unless one is named itself.
///
/// # Errors
/// [`ReplayError::NoTraces`] if there is none.
pub fn find_traces(path: &Path) -> Result<Vec<PathBuf>, ReplayError> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    let mut folders = vec![path.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).map_err(ReplayError::file(&folder, "list the folder"))?;
        for entry in entries {
            let path = entry.map_err(ReplayError::file(&folder, "list the folder"))?.path();
            if path.is_dir() {
                if path.file_name().is_none_or(|name| name != VARIANTS) {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|extension| extension == "trace") {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        return Err(ReplayError::NoTraces { path: path.to_owned() });
    }
    found.sort();
    Ok(found)
}
