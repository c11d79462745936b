//! Which traces lie below a folder.
//!
//! In: a folder or a file. Out: paths, sorted. Invariant: what a `make` has not finished is not
//! listed.

use crate::corpus::error::CorpusError;
use crate::files_below;
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
    let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
    let enters = |folder: &Path| !folder.is_symlink() && !folder.file_name().is_some_and(is_hidden);
    let found = files_below(path, "trace", enters)
        .map_err(|(folder, source)| CorpusError::io(&folder, "list the folder")(source))?;
    if found.is_empty() {
        return Err(CorpusError::NoTraces(path.to_owned()));
    }
    Ok(found)
}
