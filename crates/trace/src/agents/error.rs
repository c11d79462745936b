//! What can go wrong with records and transcripts.
//!
//! Invariant: every error names the file, the line where there is one, and what to do next.

use super::record::VERSION;
use std::path::PathBuf;

/// A record or a transcript could not be read, trusted or written.
#[derive(Debug, thiserror::Error)]
pub enum AgentsError {
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
    /// A line is not what it must be.
    #[error("{}, line {line}: {what}", .path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
    /// The file is no record.
    #[error("{}: no run record: its first line does not say \"format\": \"browserlens-run\"", .0.display())]
    NoRecord(PathBuf),
    /// A newer format.
    #[error("{}: run record of version {version}, this program reads up to {}", .path.display(), VERSION)]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The seal does not fit what stands before it.
    #[error("{}: changed after it was sealed", .0.display())]
    BrokenSeal(PathBuf),
    /// A record was given where a transcript is read.
    #[error("{}: is a run record already", .0.display())]
    IsRecord(PathBuf),
    /// No importer knows the file.
    #[error("{}: no transcript of a known format", .0.display())]
    UnknownFormat(PathBuf),
    /// A transcript is not what its format says, a table of prices is none, or the trace that a record names is not
    /// there or not that of the run.
    #[error("{}: {what}", .path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
        /// What to do about it.
        hint: &'static str,
    },
}

impl AgentsError {
    pub(crate) fn io(path: &std::path::Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { path, action, source }
    }

    /// Returns what to do about it.
    pub fn hint(&self) -> String {
        match self {
            Self::Io { action: "create", .. } => "name another folder, or remove the record that is there".into(),
            Self::Io { .. } => "check the path and its permissions".into(),
            Self::Line { .. } => "restore the file; nothing behind the line was read".into(),
            Self::NoRecord(_) => "turn a transcript into records: browserlens agents import FILE --out FOLDER".into(),
            Self::Newer { .. } => "update browserlens".into(),
            Self::BrokenSeal(_) => "restore the file, or import the transcript again".into(),
            Self::IsRecord(_) => "read it: browserlens agents table FILE, or agents show FILE".into(),
            Self::UnknownFormat(_) => {
                format!(
                    "name the format: --format {}",
                    crate::agents::Format::ALL.map(crate::agents::Format::name).join("|")
                )
            }
            Self::Wrong { hint, .. } => (*hint).into(),
        }
    }

    /// Returns whether the file is readable and not what it promises.
    pub fn is_broken_promise(&self) -> bool {
        matches!(self, Self::BrokenSeal(_))
    }
}
