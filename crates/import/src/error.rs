//! What can go wrong while importing.
//!
//! In: causes of every layer below. Out: one [`ImportError`] that names file and place, with a
//! hint. Invariant: what was imported before the error stays.

use browserlens_trace::{ExitClass, TraceError};
use std::path::{Path, PathBuf};

/// An import that failed.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file system refused.
    #[error("{}: cannot {action}: {source}", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The file is not what the format says, or damaged.
    #[error("{}: {place}: {reason}", .path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Entry, line or record.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// The file is larger than what is read.
    #[error("{}: {place}: {what} is over the limit of {limit}", .path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Entry, line or record.
        place: String,
        /// What is too large.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The file was written by a later version of its tool.
    #[error("{}: {format} version {found}, this build reads {supported}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Name of the format.
        format: &'static str,
        /// Version of the file.
        found: u64,
        /// What is read.
        supported: &'static str,
    },
    /// The file is a pickle, which could run any code when it is read.
    #[error("{}: a pickle is never read: it can run any code", .0.display())]
    Pickle(PathBuf),
    /// There is nothing in the input that could become a step.
    #[error("{}: nothing to import: {reason}", .path.display())]
    Empty {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The trace could not be written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The browser that renders failed.
    #[cfg(feature = "render")]
    #[error("{}: rendering failed: {source}", .path.display())]
    Render {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: Box<browserlens_recorder::RecordError>,
    },
}

impl ImportError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &str {
        match self {
            Self::Io { .. } => "check that the path exists and that you may read or write it",
            Self::Malformed { .. } => "check that the file was copied whole and that the format named is its format",
            Self::TooLarge { .. } => {
                "split the recording, or import a part of it: what is larger may be made to exhaust memory"
            }
            Self::TooNew { .. } => "update this tool, or record with an earlier release",
            Self::Pickle(_) => {
                "run crates/import/exporters/browsergym_to_json.py in the environment that wrote it, and import its \
                    JSON"
            }
            Self::Empty { .. } => "record with snapshots (Playwright: tracing.start({ snapshots: true }))",
            Self::Trace(error) => error.hint(),
            #[cfg(feature = "render")]
            Self::Render { source, .. } => source.hint(),
        }
    }

    /// Returns which exit code of the command line the error belongs to; none for trouble with the
    /// browser.
    pub fn exit_class(&self) -> Option<ExitClass> {
        match self {
            Self::Trace(error) => Some(error.exit_class()),
            #[cfg(feature = "render")]
            Self::Render { .. } => None,
            _ => Some(ExitClass::Unreadable),
        }
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }

    pub(crate) fn malformed(path: &Path, place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Malformed { path: path.to_owned(), place: place.into(), reason: reason.into() }
    }

    pub(crate) fn empty(path: &Path, reason: impl Into<String>) -> Self {
        Self::Empty { path: path.to_owned(), reason: reason.into() }
    }

    pub(crate) fn too_large(path: &Path, place: impl Into<String>, what: &'static str, limit: u64) -> Self {
        Self::TooLarge { path: path.to_owned(), place: place.into(), what, limit }
    }
}
