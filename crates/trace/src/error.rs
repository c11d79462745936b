//! What can go wrong with a trace file.
//!
//! In: errors of SQLite, zstd and the file system. Out: [`TraceError`]. Invariant: every error
//! names the file, the table and row where there is one, and has a hint that says what to do next.

use browserlens_core::strategy::StepIndex;
use std::path::{Path, PathBuf};

/// Location in a trace file: a table and, where known, a row of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the table.
    pub table: &'static str,
    /// Value of the row's integer key.
    pub row: Option<i64>,
}

impl Location {
    pub(crate) fn table(table: &'static str) -> Self {
        Self { table, row: None }
    }

    pub(crate) fn row(table: &'static str, row: i64) -> Self {
        Self { table, row: Some(row) }
    }
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.row {
            Some(row) => write!(f, "table {}, row {row}", self.table),
            None => write!(f, "table {}", self.table),
        }
    }
}

/// Which exit code of the command line an error belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExitClass {
    /// The caller asked for something that cannot be done (exit code 2).
    BadUsage,
    /// The file cannot be read or written (exit code 3).
    Unreadable,
    /// The file is readable and does not hold what it promises (exit code 4).
    VerificationFailed,
}

/// A trace file could not be written, read or trusted.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
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
    /// A file stands where a new trace should go.
    #[error("{}: the file exists already", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{}: not a trace: {reason}", .path.display())]
    NotATrace {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The file is no peers' file.
    #[error("{}: not a peers' file: {reason}", .path.display())]
    NotPeers {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        reason: String,
    },
    /// The file was written by a later version.
    #[error("{}: trace format {found}, this build reads up to {supported}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: i64,
        /// Newest format that this build reads.
        supported: i64,
    },
    /// The file is shorter than it says.
    #[error("{}: truncated: {found} of {expected} bytes are there", .path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that the header promises.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A row does not hold what was written into it.
    #[error("{}: {place}: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Location,
        /// What is wrong with it.
        reason: String,
    },
    /// A row that another row refers to is not there.
    #[error("{}: {place} is missing: {reason}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The row that should be there.
        place: Location,
        /// Who refers to it.
        reason: String,
    },
    /// The file as a whole is not what was written, though each row that can be read is whole.
    #[error("{}: the file was changed after it was finished (its seal does not match its bytes)", .path.display())]
    Altered {
        /// The file.
        path: PathBuf,
    },
    /// A step that the trace does not have.
    #[error("{}: there is no step {step}, the trace has {steps} steps", .path.display())]
    NoStep {
        /// The file.
        path: PathBuf,
        /// The step asked for.
        step: StepIndex,
        /// How many steps there are.
        steps: u32,
    },
    /// A capture that does not parse as a page.
    #[error("{}: step {step}: the capture does not parse: {reason}", .path.display())]
    Unparsable {
        /// The file.
        path: PathBuf,
        /// The step.
        step: StepIndex,
        /// Why.
        reason: String,
    },
    /// A payload handed to the writer that is not in canonical form.
    #[error("{}: step {step}: payload {kind} of frame {frame} is not canonical: {reason}", .path.display())]
    NotCanonical {
        /// The file.
        path: PathBuf,
        /// The step.
        step: StepIndex,
        /// Kind of the payload.
        kind: &'static str,
        /// Frame of the payload.
        frame: u32,
        /// What is not canonical.
        reason: String,
    },
    /// A step that does not follow the one before.
    #[error("{}: step {step} was written where step {expected} belongs", .path.display())]
    OutOfOrder {
        /// The file.
        path: PathBuf,
        /// The step written.
        step: StepIndex,
        /// The step that belongs there.
        expected: StepIndex,
    },
    /// An event whose position does not follow those before.
    #[error("{}: step {step}: event position {position} was written where at least {expected} \
        belongs", .path.display())]
    EventOutOfOrder {
        /// The file.
        path: PathBuf,
        /// The step written.
        step: StepIndex,
        /// Position of the event.
        position: u64,
        /// Lowest position that is free.
        expected: u64,
    },
    /// No room on the disk.
    #[error("{}: the disk is full ({place}); every step finished before is in the file", .path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
        /// What was being written.
        place: Location,
    },
    /// Another process holds the file.
    #[error("{}: another process is writing this file", .path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The recorder was killed while it wrote, and the journal beside the file cannot be rolled
    /// back.
    #[error("{}: the journal beside the file must be rolled back, and the file or its folder is \
        read-only", .path.display())]
    JournalLocked {
        /// The file.
        path: PathBuf,
    },
    /// Any other error of SQLite.
    #[error("{}: {place}: {source}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// Where.
        place: Location,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
}

impl TraceError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "check that the path exists and that you may read and write it",
            Self::Exists { .. } => "choose another path, or record with `record --force` to replace the trace",
            Self::NotATrace { .. } => "pass a *.trace file that `record` wrote",
            Self::NotPeers { .. } => "remove the file, or record the peers again with `record --peers`",
            Self::TooNew { .. } => "update this tool, or record the scenario again",
            Self::Truncated { .. } => "copy the file again, run `trace salvage`, or record the scenario again",
            Self::Damaged { .. } | Self::Missing { .. } | Self::Altered { .. } => {
                "copy the file again from where it came, run `trace salvage` to keep what can be read, or record the \
                    scenario again"
            }
            Self::NoStep { .. } => "run `trace info` to see which steps there are",
            Self::Unparsable { .. } => "run `trace verify`, and record the scenario again if it fails",
            Self::NotCanonical { .. } | Self::OutOfOrder { .. } | Self::EventOutOfOrder { .. } => {
                "this is a mistake in the recorder: report it with the scenario"
            }
            Self::DiskFull { .. } => "free some space and record again; the file holds the steps before",
            Self::Busy { .. } => "wait until the recording ends",
            Self::JournalLocked { .. } => {
                "make the file and its folder writable, or copy both it and its -journal elsewhere"
            }
            Self::Sqlite { .. } => "run `trace verify` on the file",
        }
    }

    /// Returns which exit code of the command line the error belongs to.
    pub fn exit_class(&self) -> ExitClass {
        match self {
            Self::Exists { .. } | Self::NoStep { .. } => ExitClass::BadUsage,
            Self::Unparsable { .. } => ExitClass::VerificationFailed,
            _ => ExitClass::Unreadable,
        }
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. }
            | Self::Exists { path }
            | Self::NotATrace { path, .. }
            | Self::NotPeers { path, .. }
            | Self::TooNew { path, .. }
            | Self::Truncated { path, .. }
            | Self::Damaged { path, .. }
            | Self::Missing { path, .. }
            | Self::Altered { path }
            | Self::NoStep { path, .. }
            | Self::Unparsable { path, .. }
            | Self::NotCanonical { path, .. }
            | Self::OutOfOrder { path, .. }
            | Self::EventOutOfOrder { path, .. }
            | Self::DiskFull { path, .. }
            | Self::Busy { path }
            | Self::JournalLocked { path }
            | Self::Sqlite { path, .. } => path,
        }
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            if source.kind() == std::io::ErrorKind::StorageFull {
                return Self::DiskFull { path, place: Location::table("sqlite_schema") };
            }
            Self::Io { path, action, source }
        }
    }

    /// Sorts an error of SQLite into the kinds above.
    pub(crate) fn sqlite(path: &Path, place: Location) -> impl FnOnce(rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        move |source| match source.sqlite_error() {
            Some(error) if error.extended_code == rusqlite::ffi::SQLITE_READONLY_ROLLBACK => {
                Self::JournalLocked { path }
            }
            Some(error) => match error.code {
                ErrorCode::DiskFull => Self::DiskFull { path, place },
                ErrorCode::NotADatabase => Self::NotATrace { path, reason: "it is not an SQLite file".to_owned() },
                ErrorCode::DatabaseCorrupt => {
                    Self::Damaged { path, place, reason: format!("SQLite cannot read it ({source})") }
                }
                ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => Self::Busy { path },
                _ => Self::Sqlite { path, place, source },
            },
            None => match source {
                rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::Utf8Error(..) => Self::Damaged { path, place, reason: source.to_string() },
                _ => Self::Sqlite { path, place, source },
            },
        }
    }

    pub(crate) fn damaged(path: &Path, place: Location, reason: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), place, reason: reason.into() }
    }
}
