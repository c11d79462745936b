//! What can go wrong between a question and its answer.
//!
//! In: files, replies. Out: [`CassetteError`] and [`EndpointError`], and [`LlmError`] over both.
//! Invariants: every error names its file and line or its address, and has a hint; none holds the
//! key.

use crate::chat::RequestHash;
use std::path::{Path, PathBuf};

/// A cassette cannot be read, or does not belong to this prompt.
#[derive(Debug, thiserror::Error)]
pub enum CassetteError {
    /// The file cannot be read or written.
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
    /// The first line is not the header of a cassette.
    #[error("{}: line 1: not a cassette: {reason}", .path.display())]
    NotACassette {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The cassette is of a newer format.
    #[error("{}: cassette format {found}, this build reads up to {supported}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Format of the file.
        found: u32,
        /// Newest format that is read.
        supported: u32,
    },
    /// The cassette was made with another prompt.
    #[error("{}: made with prompt version {found}, the prompt is now version {expected}", .path.display())]
    OtherPrompt {
        /// The file.
        path: PathBuf,
        /// Version in the file.
        found: String,
        /// Version of the prompt.
        expected: String,
    },
    /// A line cannot be read.
    #[error("{}: line {line}: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
    /// There is no endpoint, and the cassette has no answer to a request.
    #[error("{}: no answer to request {request}", .path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The request.
        request: RequestHash,
    },
}

impl CassetteError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::File { .. } => "check that the folder exists, is writable and has room",
            Self::NotACassette { .. } => "name a cassette, or a file that does not exist yet",
            Self::TooNew { .. } => "update this tool, or record the answers into a new cassette",
            Self::OtherPrompt { .. } => {
                "give the prompt that it was made with by `--prompt`, or name a new cassette: its answers are asked \
                    for again"
            }
            Self::Damaged { .. } => "delete that line: its answer is asked for again",
            Self::Missing { .. } => "give an endpoint by `--base-url`: only what is missing is asked for",
        }
    }

    pub(crate) fn file(path: &Path, action: &'static str) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, action, source }
    }
}

/// An endpoint gave no answer.
#[derive(Debug, thiserror::Error)]
pub enum EndpointError {
    /// The address is not usable.
    #[error("the address {url:?} cannot be used: {reason}")]
    BadUrl {
        /// The address, without what may be secret.
        url: String,
        /// What is wrong.
        reason: &'static str,
    },
    /// The address of the proxy is not usable.
    #[error("the address of the proxy cannot be used")]
    BadProxy,
    /// The endpoint refuses every request of this kind: wrong key, unknown model, unknown
    /// parameter, nothing left to spend.
    #[error("{url}: refused with status {status}: {message}")]
    Refused {
        /// The address.
        url: String,
        /// HTTP status.
        status: u16,
        /// What the endpoint said.
        message: String,
    },
    /// No attempt brought an answer.
    #[error("{url}: no answer in {attempts} attempts, the last: {last}")]
    NoAnswer {
        /// The address.
        url: String,
        /// How many attempts were made.
        attempts: u32,
        /// What the last one came to.
        last: String,
    },
}

impl EndpointError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::BadUrl { .. } => {
                "give an address such as https://api.openai.com/v1 or http://localhost:8000/v1; the key comes from the \
                    environment"
            }
            Self::BadProxy => "give an address such as http://proxy:3128",
            Self::Refused { status: 401 | 403, .. } => {
                "check the key and the name of its environment variable (`--key-env`)"
            }
            Self::Refused { status: 404, .. } => "check the address and the name of the model",
            Self::Refused { status: 400 | 422, .. } => {
                "the endpoint may not know a parameter: see `--response-format` and `--extra`"
            }
            Self::Refused { .. } => "see what the endpoint says",
            Self::NoAnswer { .. } => {
                "check that the endpoint is up, or raise `--timeout`; run again: what was answered is in the cassette"
            }
        }
    }
}

/// A question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum LlmError {
    /// Because of the cassette.
    #[error(transparent)]
    Cassette(#[from] CassetteError),
    /// Because of the endpoint.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

impl LlmError {
    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Cassette(error) => error.hint(),
            Self::Endpoint(error) => error.hint(),
        }
    }
}
