//! A folder that appears whole or not at all.
//!
//! In: the name of a fresh folder and its files. Out: the folder. Invariants: nothing that exists
//! is touched; until [`StagedFolder::publish`] the files lie in a hidden folder beside it, which is
//! removed if anything fails.

use crate::ReportError;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder being filled.
#[derive(Debug)]
pub(crate) struct StagedFolder {
    target: PathBuf,
    staging: TempDir,
}

impl StagedFolder {
    /// Makes the hidden folder beside `target`, and the parents of both.
    pub fn beside(target: &Path) -> Result<Self, ReportError> {
        let name = target.file_name().ok_or_else(|| ReportError::NoFolder(target.to_owned()))?;
        refuse_existing(target)?;
        let parent = match target.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let io = |cause| ReportError::io(parent.to_owned(), "make it", cause);
        fs::create_dir_all(parent).map_err(io)?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(".partial-");
        let staging = tempfile::Builder::new().prefix(&hidden).tempdir_in(parent).map_err(io)?;
        Ok(Self { target: target.to_owned(), staging })
    }

    /// Writes one file; errors name the file at its final place.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), ReportError> {
        fs::write(self.staging.path().join(name), bytes)
            .map_err(|cause| ReportError::io(self.target.join(name), "write it", cause))
    }

    /// Gives the folder its name.
    pub fn publish(self) -> Result<(), ReportError> {
        refuse_existing(&self.target)?;
        fs::rename(self.staging.path(), &self.target).map_err(|cause| match cause.kind() {
            std::io::ErrorKind::AlreadyExists
            | std::io::ErrorKind::DirectoryNotEmpty
            | std::io::ErrorKind::NotADirectory => ReportError::Exists(self.target.clone()),
            _ => ReportError::io(self.target.clone(), "give it its name", cause),
        })?;
        let _ = self.staging.keep();
        Ok(())
    }
}

fn refuse_existing(target: &Path) -> Result<(), ReportError> {
    match fs::symlink_metadata(target) {
        Ok(_) => Err(ReportError::Exists(target.to_owned())),
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(()),
        Err(cause) => Err(ReportError::io(target.to_owned(), "look at it", cause)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(dir: &Path) -> Vec<String> {
        fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn a_folder_appears_whole_and_leaves_nothing_beside_it() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("deep/report");
        let staged = StagedFolder::beside(&target).unwrap();
        staged.write("a.txt", b"a").unwrap();
        assert!(!target.exists());
        staged.publish().unwrap();
        assert_eq!(entries(&root.path().join("deep")), ["report"]);
        assert_eq!(fs::read(target.join("a.txt")).unwrap(), b"a");
    }

    #[test]
    fn an_unfinished_folder_vanishes() {
        let root = tempfile::tempdir().unwrap();
        let staged = StagedFolder::beside(&root.path().join("report")).unwrap();
        staged.write("a.txt", b"a").unwrap();
        drop(staged);
        assert!(entries(root.path()).is_empty());
    }

    #[test]
    fn what_exists_is_never_overwritten_even_if_it_comes_in_between() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("report");
        let staged = StagedFolder::beside(&target).unwrap();
        fs::create_dir(&target).unwrap();
        assert!(matches!(staged.publish(), Err(ReportError::Exists(path)) if path == target));
        assert!(matches!(StagedFolder::beside(&target), Err(ReportError::Exists(_))));
        assert_eq!(entries(root.path()), ["report"]);
        assert!(entries(&target).is_empty());
    }

    #[test]
    fn a_file_in_the_way_and_a_path_without_name_are_named() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, b"x").unwrap();
        let error = StagedFolder::beside(&file.join("report")).unwrap_err();
        assert!(error.to_string().starts_with(&file.display().to_string()), "{error}");
        assert!(matches!(StagedFolder::beside(Path::new("/")), Err(ReportError::NoFolder(_))));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_names_the_file_at_its_final_place() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("report");
        let staged = StagedFolder::beside(&target).unwrap();
        std::os::unix::fs::symlink("/dev/full", staged.staging.path().join("a.txt")).unwrap();
        let error = staged.write("a.txt", b"x").unwrap_err();
        assert_eq!(error.to_string(), format!("{}: the disk is full", target.join("a.txt").display()));
        drop(staged);
        assert!(entries(root.path()).is_empty());
    }
}
