//! What can go wrong with a live lens, and what to do about it.
//!
//! In: causes of the layers below. Out: one [`LiveError`] that names the ref and the reason.
//! Invariants: an action that failed has done nothing, or its reason says how far it came; no error
//! is about another node than the one that was meant.

use browserlens_core::strategy::{ActError, SourceError, StrategyError};
use browserlens_recorder::RecordError;

/// An observation or an action on a live page that failed.
#[derive(Debug, thiserror::Error)]
pub enum LiveError {
    /// The text is no ref, or no observation of this session showed it.
    #[error("{reference} was not shown in this session")]
    UnknownRef {
        /// The ref as given.
        reference: String,
    },
    /// The element was shown, and is not in its document any more.
    #[error("{reference} ({said}) is not on the page any more")]
    Gone {
        /// The ref.
        reference: String,
        /// Role and name under which it was shown.
        said: String,
    },
    /// The element is of a document that is not shown any more.
    #[error("{reference} ({said}) is of another document; the tab shows {url} now")]
    OtherDocument {
        /// The ref.
        reference: String,
        /// Role and name under which it was shown.
        said: String,
        /// URL of the page that is shown.
        url: String,
    },
    /// Something lies over the element.
    #[error("{reference} ({said}) is covered by {by}")]
    Covered {
        /// The ref.
        reference: String,
        /// Role and name under which it was shown.
        said: String,
        /// What lies over it.
        by: String,
    },
    /// The element cannot be acted on: it is disabled, has no box, takes no text, …
    #[error("{reference} ({said}) cannot be acted on: {reason}")]
    NotActionable {
        /// The ref.
        reference: String,
        /// Role and name under which it was shown.
        said: String,
        /// Why.
        reason: String,
    },
    /// The action has no element, and cannot be done.
    #[error("{action}: {reason}")]
    NotPossible {
        /// The action.
        action: String,
        /// Why.
        reason: String,
    },
    /// A dialog of the browser blocks the page.
    #[error("a dialog is open: {message:?}")]
    Blocked {
        /// What the dialog says.
        message: String,
    },
    /// The browser or the page's process ended.
    #[error("the browser is gone: {reason}")]
    BrowserGone {
        /// Why.
        reason: String,
    },
    /// The page could not be read.
    #[error(transparent)]
    Source(SourceError),
    /// The strategy could not write an observation.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// There is no strategy of this name, or not with these options.
    #[error("strategy {name:?}: {reason}")]
    UnknownStrategy {
        /// The name.
        name: String,
        /// Why.
        reason: String,
    },
    /// The browser could not be started or attached to.
    #[error(transparent)]
    Browser(#[from] RecordError),
}

impl LiveError {
    /// Returns the next thing to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::UnknownRef { .. } => "use a ref of the last observation, as it is written there, such as @e12",
            Self::Gone { .. } | Self::OtherDocument { .. } => "observe again and use the ref that is shown now",
            Self::Covered { .. } => "close or scroll away what covers it, or act on that",
            Self::NotActionable { .. } => "observe again: its state says what can be done with it",
            Self::NotPossible { .. } => "observe again, or choose another action",
            Self::Blocked { .. } => "accept or dismiss the dialog first",
            Self::BrowserGone { .. } => "restart the browser",
            Self::Source(_) | Self::Strategy(_) => "observe again; restart the browser if it stays",
            Self::UnknownStrategy { .. } => "see the strategies in traces/strategies.toml",
            Self::Browser(error) => error.hint(),
        }
    }
}

impl From<SourceError> for LiveError {
    fn from(error: SourceError) -> Self {
        match error {
            SourceError::Gone { reason } => Self::BrowserGone { reason },
            other => Self::Source(other),
        }
    }
}

/// What an action on a ref was about, for its error.
pub(crate) struct Meant<'a> {
    pub(crate) reference: &'a str,
    pub(crate) said: String,
}

/// Says in the session's terms why an action on a ref was not done.
pub(crate) fn of_ref(error: ActError, meant: Meant<'_>, other_document: Option<String>) -> LiveError {
    let (reference, said) = (meant.reference.to_owned(), meant.said);
    match (error, other_document) {
        (ActError::Source(error), _) => error.into(),
        (ActError::NodeGone { .. }, Some(url)) => LiveError::OtherDocument { reference, said, url },
        (ActError::NodeGone { .. }, None) => LiveError::Gone { reference, said },
        (ActError::NotActionable { reason, .. }, _) => match reason.strip_prefix("it is covered by ") {
            Some(by) => LiveError::Covered { reference, said, by: by.to_owned() },
            None => LiveError::NotActionable { reference, said, reason },
        },
    }
}
