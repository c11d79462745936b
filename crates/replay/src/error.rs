//! What can go wrong with a replay as a whole.
//!
//! In: errors of traces, scenarios and files. Out: [`ReplayError`]. Invariant: every error names
//! the file and has a hint that says what to do next. A strategy that fails is no error here: it is
//! a row of the measurements.

use browserlens_trace::scenario::ScenarioError;
use browserlens_trace::{ExitClass, TraceError};
use std::path::{Path, PathBuf};

/// A replay could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// No trace was named, or none lies in the folder.
    #[error("{}: no trace (*.trace) here", .path.display())]
    NoTraces {
        /// The folder.
        path: PathBuf,
    },
    /// There is no strategy to replay.
    #[error("no strategy was chosen")]
    NoStrategies,
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The scenario of a trace is not there.
    #[error("{}: its scenario {scenario:?} is missing: {} does not exist", .trace.display(), .expected.display())]
    ScenarioMissing {
        /// The trace.
        trace: PathBuf,
        /// Name of the scenario as the trace gives it.
        scenario: String,
        /// Where it should be.
        expected: PathBuf,
    },
    /// The scenario of a trace cannot be read.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A node is named by a selector that is none, or that only a browser can answer.
    #[error("{}: step {step}: {selector:?}: {source}", .path.display())]
    Selector {
        /// The scenario.
        path: PathBuf,
        /// The step whose fact it is.
        step: u32,
        /// The selector.
        selector: String,
        /// What is wrong with it.
        #[source]
        source: browserlens_core::page::select::MalformedSelector,
    },
    /// The trace was recorded from another version of the scenario.
    #[error("{}: has {found} steps after the first navigation, {} has {expected}: step {step} \
        differs", .trace.display(), .scenario.display())]
    ScenarioChanged {
        /// The trace.
        trace: PathBuf,
        /// The scenario.
        scenario: PathBuf,
        /// First step of the trace that is no step of the scenario.
        step: u32,
        /// Steps of the trace.
        found: u32,
        /// Steps of the scenario.
        expected: u32,
    },
    /// A file of the run or of its cache cannot be written or read.
    #[error("{}: cannot {action}: {source}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A file of a run does not hold what it should.
    #[error("{}: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Parts that do not belong together.
    #[error("the parts are not of one run: {reason}")]
    Parts {
        /// What differs.
        reason: String,
    },
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// Why.
        reason: String,
    },
    /// The caller asked to stop.
    #[error("stopped; what was finished is kept")]
    Cancelled,
}

impl ReplayError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoTraces { .. } => {
                "record a scenario first (`just record`), or name a folder that holds *.trace files"
            }
            Self::NoStrategies => "name at least one strategy of traces/strategies.toml",
            Self::Trace(error) => error.hint(),
            Self::ScenarioMissing { .. } => {
                "pass the folder that holds the scenario, or restore the file from version control"
            }
            Self::Scenario(error) => error.hint(),
            Self::Selector { .. } => {
                "name the node by a CSS selector whose answer a capture holds: no pseudo-elements, no :hover or :active"
            }
            Self::ScenarioChanged { .. } => "record the scenario again with `record --force`",
            Self::File { .. } => "check that the folder exists, is writable and has room",
            Self::Damaged { .. } => {
                "delete the file or the folder it lies in and replay again: it is rebuilt from the traces"
            }
            Self::Parts { .. } => "give every run a folder of its own, or remove the parts of the other run",
            Self::Threads { .. } => "ask for fewer threads",
            Self::Cancelled => "run the same command again to go on where it stopped",
        }
    }

    /// Returns which exit code of the command line the error belongs to.
    pub fn exit_class(&self) -> ExitClass {
        match self {
            Self::NoTraces { .. }
            | Self::NoStrategies
            | Self::Parts { .. }
            | Self::Threads { .. }
            | Self::Cancelled => ExitClass::BadUsage,
            Self::Trace(error) => error.exit_class(),
            _ => ExitClass::Unreadable,
        }
    }

    /// Says that a file does not hold what it should, in the words of whoever found out.
    pub(crate) fn damaged<E: ToString>(path: &Path) -> impl Fn(E) -> Self + use<E> {
        let path = path.to_owned();
        move |reason| Self::Damaged { path: path.clone(), reason: reason.to_string() }
    }

    pub(crate) fn file(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, action, source }
    }
}
