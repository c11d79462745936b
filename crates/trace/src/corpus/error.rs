//! What can go wrong with a corpus.
//!
//! In: errors of traces, scenarios and the file system. Out: [`CorpusError`]. Invariant: every
//! error names the file and has a hint that says what to do next.

use crate::scenario::ScenarioError;
use crate::{ExitClass, TraceError};
use std::path::{Path, PathBuf};

/// A corpus could not be made, counted or split.
#[derive(Debug, thiserror::Error)]
pub enum CorpusError {
    /// A file or folder cannot be read or written.
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
    /// There is no trace where traces are looked for.
    #[error("{}: there is no trace", .0.display())]
    NoTraces(PathBuf),
    /// A trace that is to be copied has no step.
    #[error("{}: the trace has no step", .0.display())]
    Empty(PathBuf),
    /// A trace cannot be read or written.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The scenario of a trace cannot be read.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The scenario of a recorded trace is not there.
    #[error("{}: its scenario {scenario} is not at {}", .trace.display(), .expected.display())]
    ScenarioMissing {
        /// The trace.
        trace: PathBuf,
        /// Name of the scenario.
        scenario: String,
        /// Where it was looked for.
        expected: PathBuf,
    },
    /// A scenario cannot be rewritten.
    #[error("{}: cannot be rewritten: {reason}", .path.display())]
    ScenarioForm {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// A payload is not what its kind says.
    #[error("{}: step {step}: the payload {kind} cannot be rewritten: {reason}", .path.display())]
    Payload {
        /// The trace.
        path: PathBuf,
        /// The step.
        step: u32,
        /// Kind of the payload.
        kind: &'static str,
        /// Why.
        reason: String,
    },
    /// The folder holds something else.
    #[error("{}: another corpus stands there: {reason}", .path.display())]
    Other {
        /// Its description.
        path: PathBuf,
        /// What differs.
        reason: String,
    },
    /// The share is none.
    #[error("the share to hold back is {0}")]
    Share(f64),
    /// There are too few sites to hold any back.
    #[error("{}: all traces are of one site ({site})", .path.display())]
    OneSite {
        /// The folder.
        path: PathBuf,
        /// The site.
        site: String,
    },
    /// The threads cannot be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        reason: String,
    },
    /// It was stopped.
    #[error("stopped")]
    Cancelled,
}

impl CorpusError {
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    /// Returns the next thing to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Io { .. } => "look whether the folder is there and can be written",
            Self::NoTraces(_) => "name a folder with *.trace files, or record some with `browserlens record`",
            Self::Empty(_) => "leave the trace out of --from",
            Self::Trace(error) => error.hint(),
            Self::Scenario(error) => error.hint(),
            Self::ScenarioMissing { .. } => "name the folder of scenarios with --scenarios-dir",
            Self::ScenarioForm { .. } => {
                "check the scenario with `browserlens record --dry-run`, or leave its trace out of --from"
            }
            Self::Payload { .. } => "check the trace with `browserlens trace verify`, or leave it out of --from",
            Self::Other { .. } => "name an empty folder, or the seed and options that the folder was begun with",
            Self::Share(_) => "name a share between 0 and 1, such as 0.2",
            Self::OneSite { .. } => "a split by site needs traces of two sites",
            Self::Threads { .. } => "name fewer threads",
            Self::Cancelled => "run the same command again: it goes on where it stopped",
        }
    }

    /// Returns which exit code of the command line it belongs to.
    pub fn exit_class(&self) -> ExitClass {
        match self {
            Self::Trace(error) => error.exit_class(),
            Self::Other { .. } | Self::Share(_) | Self::OneSite { .. } | Self::Threads { .. } => ExitClass::BadUsage,
            Self::Payload { .. } => ExitClass::VerificationFailed,
            _ => ExitClass::Unreadable,
        }
    }
}
