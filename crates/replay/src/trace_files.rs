//! Which traces lie below a folder.
//!
//! In: a folder or a file. Out: paths, sorted. Invariant: what is only there for knowledge is not
//! replayed unless it is named.

use crate::ReplayError;
use browserlens_trace::files_below;
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
    let enters = |folder: &Path| folder.file_name().is_none_or(|name| name != VARIANTS);
    let found = files_below(path, "trace", enters)
        .map_err(|(folder, source)| ReplayError::file(&folder, "list the folder")(source))?;
    if found.is_empty() {
        return Err(ReplayError::NoTraces { path: path.to_owned() });
    }
    Ok(found)
}
