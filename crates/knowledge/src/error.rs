//! What can go wrong, and what to do about it.
//!
//! In: failures of the store, of values and of sources. Out: [`KnowledgeError`], whose message
//! names the thing and whose [`KnowledgeError::hint`] says what to try next.

use crate::translate::list;
use std::path::PathBuf;

/// Knowledge could not be read, stored, built or used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KnowledgeError {
    /// The file is there, but is no store.
    #[error("{}: not a knowledge store: {reason}", .path.display())]
    NotAStore {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The store was written by a newer build.
    #[error("{}: knowledge store version {found}, this build reads up to {supported}", .path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: i64,
        /// What this build reads.
        supported: i64,
    },
    /// The store is damaged.
    #[error("{}: the knowledge store is damaged: {reason}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        reason: String,
    },
    /// SQLite failed in another way.
    #[error("{}: cannot {doing}", .path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// The cause.
        #[source]
        source: rusqlite::Error,
    },
    /// The store holds no knowledge of that id.
    #[error("there is no knowledge {id:?} in {}; it holds {}", .path.display(), list(.known, "nothing"))]
    NoKnowledge {
        /// What was asked for.
        id: String,
        /// The file.
        path: PathBuf,
        /// What it holds.
        known: Vec<String>,
    },
    /// A value does not make sense.
    #[error("{kind} {id:?}: {problem}")]
    Invalid {
        /// `screen`, `action`, `transition` or `task`.
        kind: &'static str,
        /// The id.
        id: String,
        /// What is wrong.
        problem: String,
    },
    /// A stored pattern is no regular expression, or too large a one.
    #[error("screen {screen:?}: pattern {pattern:?} cannot be used: {reason}")]
    InvalidPattern {
        /// The screen.
        screen: String,
        /// The pattern.
        pattern: String,
        /// Why.
        reason: String,
    },
    /// A screen has neither URL pattern nor indicator.
    #[error("screen {screen:?} has no signature: neither a URL pattern nor an indicator")]
    NoSignature {
        /// The screen.
        screen: String,
    },
    /// JSON of knowledge cannot be read.
    #[error("{origin}: not knowledge: {reason}")]
    Json {
        /// Where it came from.
        origin: String,
        /// What was wrong, with the place.
        reason: String,
    },
    /// A trace cannot be read.
    #[error(transparent)]
    Trace(#[from] browserlens_trace::TraceError),
    /// A page cannot be read from its source.
    #[error(transparent)]
    Source(#[from] browserlens_core::strategy::SourceError),
}

impl KnowledgeError {
    /// Returns the next thing to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotAStore { .. } => {
                "give the path of a store, or of a new file, and build it with `browserlens knowledge build`"
            }
            Self::TooNew { .. } => "update this tool, or build the store again with `browserlens knowledge build`",
            Self::Damaged { .. } => "remove the file and build it again with `browserlens knowledge build`",
            Self::Sqlite { .. } => {
                "check that the file can be read and written, and that nothing else is writing to it"
            }
            Self::NoKnowledge { .. } => "use one of the ids it holds, or build knowledge under this id",
            Self::Invalid { .. } => "mend the value, or build the knowledge again from its traces",
            Self::InvalidPattern { .. } => {
                "mend the screen's pattern: escape page text, and use neither look-around nor back-references"
            }
            Self::NoSignature { .. } => "give the screen a URL pattern or an indicator, or mark it as not actionable",
            Self::Json { .. } => "compare it with the schema: `browserlens knowledge export --format schema`",
            Self::Trace(_) => "check the trace with `browserlens trace verify`",
            Self::Source(_) => "open the page again",
        }
    }
}
