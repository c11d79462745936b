//! What can be wrong with a query.
//!
//! In: a query that cannot be answered. Out: an [`InspectError`] that names the field and the
//! allowed values. Invariant: no text of a page.

use browserlens_core::strategy::SourceError;

/// A query could not be answered.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// A field holds what it may not.
    #[error("{field}: {problem}; allowed: {allowed}")]
    BadField {
        /// The field, as the query spells it.
        field: String,
        /// What is wrong with its value.
        problem: String,
        /// What it may hold.
        allowed: String,
    },
    /// A selector matches nothing.
    #[error("selector: {selector:?} matches nothing on the page")]
    NoMatch {
        /// The selector.
        selector: String,
    },
    /// There is no such tool.
    #[error("tool {name:?} is not known; known are {known}")]
    UnknownTool {
        /// The name.
        name: String,
        /// Every name.
        known: String,
    },
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// An answer could not be written.
    #[error("the answer cannot be written: {0}")]
    Write(#[from] std::io::Error),
    /// An answer is no JSON.
    #[error("the answer cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

impl InspectError {
    pub(crate) fn bad(field: &str, problem: impl Into<String>, allowed: impl Into<String>) -> Self {
        Self::BadField { field: field.to_owned(), problem: problem.into(), allowed: allowed.into() }
    }

    /// Returns the field that is wrong, if one is.
    pub fn field(&self) -> Option<&str> {
        match self {
            Self::BadField { field, .. } => Some(field),
            Self::NoMatch { .. } => Some("selector"),
            _ => None,
        }
    }

    /// Returns the next thing the reader should try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::BadField { field, .. } if field == "cursor" => "ask again without the cursor",
            Self::BadField { .. } => "correct the field, or leave it out to take its default",
            Self::NoMatch { .. } => "take a selector of what is on the page: the DOM without a selector shows it",
            Self::UnknownTool { .. } => "use one of the known tools",
            Self::Source(_) => "check that the page or trace is still there",
            Self::Write(_) => "check where the output goes",
            Self::Json(_) => "this is a mistake in the tool: report it with the query",
        }
    }
}
