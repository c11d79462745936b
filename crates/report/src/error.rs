//! What can go wrong when a report is written, with place and remedy.

use std::path::PathBuf;

/// A report could not be written; nothing of it is left behind.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// There is something at the place of the report already; reports are never overwritten.
    #[error("{}: exists already", .0.display())]
    Exists(PathBuf),
    /// The path names no folder.
    #[error("{}: is not a folder that can be made", .0.display())]
    NoFolder(PathBuf),
    /// The disk is full.
    #[error("{}: the disk is full", .path.display())]
    DiskFull {
        /// The file that did not fit.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// Writing is not allowed there.
    #[error("{}: writing is not allowed here", .path.display())]
    NotAllowed {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// Anything else that the file system said.
    #[error("{}: cannot {doing}", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done, such as `write it`.
        doing: &'static str,
        /// The cause.
        #[source]
        cause: std::io::Error,
    },
    /// A table could not be made of the rows.
    #[error("table {table}: cannot be made from the rows")]
    Table {
        /// Name of the table.
        table: &'static str,
        /// The cause.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
    /// A chart could not be drawn.
    #[error("{chart}: cannot be drawn: {reason}")]
    Chart {
        /// Name of the file.
        chart: &'static str,
        /// Why.
        reason: String,
    },
    /// The data of the step viewer could not be written as JSON.
    #[error("index.html: the step viewer's data cannot be written as JSON")]
    Viewer(#[source] serde_json::Error),
    /// A data block of the step viewer could not be compressed.
    #[error("index.html: the step viewer's data cannot be compressed")]
    Packing(#[source] std::io::Error),
}

impl ReportError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Exists(_) => "name another folder, or remove this one first: reports are never overwritten",
            Self::NoFolder(_) => "name a folder that does not exist yet, such as `reports/runs/today`",
            Self::DiskFull { .. } => "free space on that disk, or name a folder on another one; nothing was kept",
            Self::NotAllowed { .. } => "name a folder that you may write to",
            Self::Io { .. } => {
                "check that the path can be reached and written, then run the report again; the measurements are in \
                    the cache"
            }
            Self::Table { .. } | Self::Chart { .. } | Self::Viewer(_) | Self::Packing(_) => {
                "this is a fault of the tool: replay the traces again without the cache, and report it if it comes back"
            }
        }
    }

    pub(crate) fn table(table: &'static str, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Table { table, cause: cause.into() }
    }

    pub(crate) fn io(path: PathBuf, doing: &'static str, cause: std::io::Error) -> Self {
        match cause.kind() {
            std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => Self::DiskFull { path, cause },
            std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
                Self::NotAllowed { path, cause }
            }
            _ => Self::Io { path, doing, cause },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_full_disk_and_a_locked_folder_are_named_as_such_with_their_path() {
        let full = ReportError::io("r/tasks.csv".into(), "write it", Error::from(ErrorKind::StorageFull));
        assert_eq!(full.to_string(), "r/tasks.csv: the disk is full");
        assert!(full.hint().contains("free space"));
        let locked = ReportError::io("r".into(), "make it", Error::from(ErrorKind::PermissionDenied));
        assert_eq!(locked.to_string(), "r: writing is not allowed here");
        let other = ReportError::io("r".into(), "make it", Error::from(ErrorKind::TimedOut));
        assert_eq!(other.to_string(), "r: cannot make it");
    }
}
