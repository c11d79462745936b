//! What can go wrong with a trace file.
//!
//! In: errors of SQLite, zstd and the file system. Out: [`TraceError`], a file and the [`Fault`] in
//! it. Invariant: every error names the file, the table and row where there is one, and has a hint
//! that says what to do next.

use crate::schema::Table;
use browserlens_core::page::Payload;
use browserlens_core::strategy::StepIndex;
use std::fmt;
use std::path::{Path, PathBuf};

/// Location in a trace file: a table and, where known, a row of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the table.
    pub table: &'static str,
    /// Value of the row's integer key.
    pub row: Option<i64>,
}

impl Location {
    /// The file as SQLite lists its tables.
    pub(crate) const FILE: Self = Self { table: "sqlite_schema", row: None };
    /// The seal over all bytes of the file.
    pub(crate) const SEAL: Self = Self { table: "file_seal", row: None };
}

impl Table {
    /// Returns the table as a place that errors name.
    pub(crate) fn place(&self) -> Location {
        Location { table: self.name, row: None }
    }

    /// Returns a row of the table as a place that errors name.
    pub(crate) fn row(&self, key: impl Into<i64>) -> Location {
        Location { table: self.name, row: Some(key.into()) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
#[derive(Debug)]
pub struct TraceError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.fault)
    }
}

impl std::error::Error for TraceError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.fault.source()
    }
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file system refused.
    #[error("cannot {action}: {source}")]
    Io {
        /// What was tried.
        action: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A file stands where a new trace should go.
    #[error("the file exists already")]
    Exists,
    /// The file is something else, and what.
    #[error("not a trace: {0}")]
    NotATrace(String),
    /// The file is no peers' file.
    #[error("not a peers' file: {0}")]
    NotPeers(String),
    /// The file was written by a later version.
    #[error("trace format {found}, this build reads up to {supported}")]
    TooNew {
        /// Format of the file.
        found: i64,
        /// Newest format that this build reads.
        supported: i64,
    },
    /// The file is shorter than it says.
    #[error("truncated: {found} of {expected} bytes are there")]
    Truncated {
        /// Bytes that the header promises.
        expected: u64,
        /// Bytes that are there.
        found: u64,
    },
    /// A row does not hold what was written into it.
    #[error("{place}: {reason}")]
    Damaged {
        /// Where.
        place: Location,
        /// What is wrong with it.
        reason: String,
    },
    /// A row that another row refers to is not there.
    #[error("{place} is missing: {reason}")]
    Missing {
        /// The row that should be there.
        place: Location,
        /// Who refers to it.
        reason: String,
    },
    /// The file as a whole is not what was written, though each row that can be read is whole.
    #[error("the file was changed after it was finished (its seal does not match its bytes)")]
    Altered,
    /// A step that the trace does not have.
    #[error("there is no step {step}, the trace has {steps} steps")]
    NoStep {
        /// The step asked for.
        step: StepIndex,
        /// How many steps there are.
        steps: u32,
    },
    /// A capture that does not parse as a page.
    #[error("step {step}: the capture does not parse: {reason}")]
    Unparsable {
        /// The step.
        step: StepIndex,
        /// Why.
        reason: String,
    },
    /// A payload handed to the writer that is not in canonical form.
    #[error("step {step}: payload {kind} of frame {frame} is not canonical: {reason}")]
    NotCanonical {
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
    #[error("step {step} was written where step {expected} belongs")]
    OutOfOrder {
        /// The step written.
        step: StepIndex,
        /// The step that belongs there.
        expected: StepIndex,
    },
    /// An event whose position does not follow those before.
    #[error("step {step}: event position {position} was written where at least {expected} belongs")]
    EventOutOfOrder {
        /// The step written.
        step: StepIndex,
        /// Position of the event.
        position: u64,
        /// Lowest position that is free.
        expected: u64,
    },
    /// No room on the disk.
    #[error("the disk is full ({place}); every step finished before is in the file")]
    DiskFull {
        /// What was being written.
        place: Location,
    },
    /// Another process holds the file.
    #[error("another process is writing this file")]
    Busy,
    /// The recorder was killed while it wrote, and the journal beside the file cannot be rolled
    /// back.
    #[error("the journal beside the file must be rolled back, and the file or its folder is read-only")]
    JournalLocked,
    /// Any other error of SQLite.
    #[error("{place}: {source}")]
    Sqlite {
        /// Where.
        place: Location,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
}

impl Fault {
    pub(crate) fn not_canonical(step: StepIndex, payload: &Payload, reason: String) -> Self {
        Self::NotCanonical { step, kind: payload.kind.name(), frame: payload.frame, reason }
    }
}

impl TraceError {
    /// Returns the error of a fault in a file.
    pub fn new(path: impl Into<PathBuf>, fault: Fault) -> Self {
        Self { path: path.into(), fault }
    }

    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match &self.fault {
            Fault::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => "name a file that is there",
            Fault::Io { .. } => "check that the path exists and that you may read and write it",
            Fault::Exists => "choose another path, or record with `record --force` to replace the trace",
            Fault::NotATrace(_) => "pass a *.trace file that `record` wrote",
            Fault::NotPeers(_) => "remove the file, or record the peers again with `record --peers`",
            Fault::TooNew { .. } => "update this tool, or record the scenario again",
            Fault::Truncated { .. } => "copy the file again, run `trace salvage`, or record the scenario again",
            Fault::Damaged { .. } | Fault::Missing { .. } | Fault::Altered => {
                "copy the file again from where it came, run `trace salvage` to keep what can be read, or record the \
                    scenario again"
            }
            Fault::NoStep { .. } => "run `trace info` to see which steps there are",
            Fault::Unparsable { .. } => "run `trace verify`, and record the scenario again if it fails",
            Fault::NotCanonical { .. } | Fault::OutOfOrder { .. } | Fault::EventOutOfOrder { .. } => {
                "this is a mistake in the recorder: report it with the scenario"
            }
            Fault::DiskFull { .. } => "free some space and record again; the file holds the steps before",
            Fault::Busy => "wait until the recording ends",
            Fault::JournalLocked => "make the file and its folder writable, or copy both it and its -journal elsewhere",
            Fault::Sqlite { .. } => "run `trace verify` on the file",
        }
    }

    /// Returns which exit code of the command line the error belongs to.
    pub fn exit_class(&self) -> ExitClass {
        match &self.fault {
            Fault::Exists | Fault::NoStep { .. } => ExitClass::BadUsage,
            Fault::Unparsable { .. } => ExitClass::VerificationFailed,
            _ => ExitClass::Unreadable,
        }
    }

    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| {
            let fault = match source.kind() {
                std::io::ErrorKind::StorageFull => Fault::DiskFull { place: Location::FILE },
                _ => Fault::Io { action, source },
            };
            Self { path, fault }
        }
    }

    /// Sorts an error of SQLite into the faults above.
    pub(crate) fn sqlite(path: &Path, place: Location) -> impl FnOnce(rusqlite::Error) -> Self {
        use rusqlite::{Error, ErrorCode};
        let path = path.to_owned();
        move |source| {
            let code = source.sqlite_error().map(|error| (error.extended_code, error.code));
            let fault = match (code, &source) {
                (Some((rusqlite::ffi::SQLITE_READONLY_ROLLBACK, _)), _) => Fault::JournalLocked,
                (Some((_, ErrorCode::DiskFull)), _) => Fault::DiskFull { place },
                (Some((_, ErrorCode::NotADatabase)), _) => Fault::NotATrace("it is not an SQLite file".to_owned()),
                (Some((_, ErrorCode::DatabaseCorrupt)), _) => {
                    Fault::Damaged { place, reason: format!("SQLite cannot read it ({source})") }
                }
                (Some((_, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked)), _) => Fault::Busy,
                (
                    None,
                    Error::InvalidColumnType(..)
                    | Error::IntegralValueOutOfRange(..)
                    | Error::FromSqlConversionFailure(..)
                    | Error::Utf8Error(..),
                ) => Fault::Damaged { place, reason: source.to_string() },
                _ => Fault::Sqlite { place, source },
            };
            Self { path, fault }
        }
    }
}
