//! Which files lie below a folder.
//!
//! In: a folder, how names end, which folders are entered. Out: paths, sorted. Invariant: a folder
//! that cannot be listed is told of, never passed over.

use std::path::{Path, PathBuf};

/// Returns the files below a folder whose names have an extension, sorted; links are followed.
///
/// # Errors
/// The folder that cannot be listed, and why.
pub fn files_below(
    folder: &Path,
    extension: &str,
    enters: impl Fn(&Path) -> bool,
) -> Result<Vec<PathBuf>, (PathBuf, std::io::Error)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let unlisted = |error| (folder.clone(), error);
        for entry in std::fs::read_dir(&folder).map_err(unlisted)? {
            let path = entry.map_err(unlisted)?.path();
            if path.is_dir() {
                folders.extend(enters(&path).then_some(path));
            } else if path.extension().is_some_and(|end| end == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}
