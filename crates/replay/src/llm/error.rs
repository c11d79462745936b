//! What can go wrong when a model reads a run.
//!
//! In: errors of run, prompt, cassette and endpoint. Out: [`LlmReadError`]. Invariant: each names
//! its file or place and has a hint.

use crate::error::ReplayError;
use browserlens_llm::{EndpointError, LlmError};
use browserlens_trace::ExitClass;
use std::path::PathBuf;

/// A model could not read a run.
#[derive(Debug, thiserror::Error)]
pub enum LlmReadError {
    /// The run cannot be read, or what its handles meant cannot be found out.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// An answer is missing.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// The prompt cannot be read.
    #[error("{}: cannot read the prompt: {source}", .path.display())]
    Prompt {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The prompt lacks a placeholder.
    #[error("{}: the prompt has no {{{{{placeholder}}}}}", .path.display())]
    Placeholder {
        /// The file.
        path: PathBuf,
        /// Its name, without the braces.
        placeholder: &'static str,
    },
    /// A strategy of the run is not the one that is configured now.
    #[error("{}: the run has {strategy} in version {found:?}, configured is {configured}", .folder.display())]
    StrategyChanged {
        /// Folder of the run.
        folder: PathBuf,
        /// The strategy.
        strategy: String,
        /// Version in the run.
        found: String,
        /// What is configured, in words.
        configured: String,
    },
    /// A strategy was asked for that the run does not have.
    #[error("{}: the run has no strategy {name:?}: it has {}", .folder.display(), .known.join(", "))]
    NoSuchStrategy {
        /// Folder of the run.
        folder: PathBuf,
        /// The name asked for.
        name: String,
        /// The strategies of the run.
        known: Vec<String>,
    },
    /// No scenario of the run has an exam.
    #[error("{}: no scenario of this run has an exam (name.exam.toml beside name.toml)", .folder.display())]
    NoExam {
        /// Folder of the run.
        folder: PathBuf,
    },
    /// No step is left to ask about.
    #[error("{}: there is nothing to ask: {reason}", .folder.display())]
    NothingToAsk {
        /// Folder of the run.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file of results cannot be read or written.
    #[error("{}: {reason}", .path.display())]
    Results {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

impl LlmReadError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Replay(error) => error.hint(),
            Self::Llm(error) => error.hint(),
            Self::Prompt { .. } => "name a prompt file that exists, or leave `--prompt` out for the built-in one",
            Self::Placeholder { .. } => "a prompt holds {{actions}}, {{target}} and {{legend}}, each once",
            Self::StrategyChanged { .. } => "replay the traces again and read the new run",
            Self::NoSuchStrategy { .. } => "choose one of the names listed, or replay it first",
            Self::NoExam { .. } => {
                "name the folder of the scenarios by `--scenarios-dir`, or write an exam beside a scenario"
            }
            Self::NothingToAsk { .. } => "choose other strategies, or send images with `--images`",
            Self::Results { .. } => "update this tool, or delete the file and read the run again from the cassette",
        }
    }

    /// Returns which exit code of the command line the error belongs to.
    pub fn exit_class(&self) -> ExitClass {
        match self {
            Self::Replay(error) => error.exit_class(),
            Self::NoSuchStrategy { .. } | Self::NothingToAsk { .. } | Self::NoExam { .. } => ExitClass::BadUsage,
            Self::Llm(LlmError::Endpoint(EndpointError::BadUrl { .. } | EndpointError::BadProxy)) => {
                ExitClass::BadUsage
            }
            _ => ExitClass::Unreadable,
        }
    }
}
