//! Where pages come from: a live browser or a trace, behind one trait; and its sibling for acting.
//!
//! In: queries. Out: the current page, its events, crops. Invariant: everything that looks at a
//! page goes through [`PageSource`], so that each feature works live, on a trace and in the bench.

use crate::page::{BoxInDocument, Capture, NodeKey, Page};
use crate::strategy::{BodyHead, BodySide, CaptureImage, Event, EventFilter, EventTally, StepIndex, TakenAction};
use std::sync::Arc;

/// A page source could not answer.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The browser or its page is gone.
    #[error("the page is gone: {reason}")]
    Gone {
        /// Why.
        reason: String,
    },
    /// What was asked for is not in this source (a crop of a recorded page outside its images, …).
    #[error("{what} is not available from this source")]
    NotAvailable {
        /// What.
        what: String,
    },
    /// Reading failed.
    #[error("{context}")]
    Failed {
        /// What was being read.
        context: String,
        /// The cause.
        #[source]
        cause: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// What answers are about; two sources with the same identity hold the same rows as far as both go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SourceId {
    /// A trace, by the hash of its file.
    Trace([u8; 32]),
    /// A session with a live browser, by a number that no other session has.
    Live([u8; 16]),
}

/// The current page, its events and its pixels, from a live browser or a trace.
pub trait PageSource: Send {
    /// Returns the step that the source stands at; a live source counts its actions.
    fn step(&self) -> StepIndex;

    /// Returns the current page and the payloads that it was parsed from.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or cannot be read.
    fn page(&mut self) -> Result<(Arc<Page>, Arc<Capture>), SourceError>;

    /// Returns the current page alone, as fast as the source can: the same as [`PageSource::page`]
    /// in all that the lens reads.
    ///
    /// # Errors
    /// [`SourceError`] if the page is gone or cannot be read.
    fn look(&mut self) -> Result<Arc<Page>, SourceError> {
        self.page().map(|(page, _)| page)
    }

    /// Returns at most `limit` events that pass the filter, from position `after` (exclusive) on,
    /// in order.
    ///
    /// # Errors
    /// [`SourceError`] if the events cannot be read.
    fn events(&mut self, filter: &EventFilter, after: Option<u64>, limit: usize) -> Result<Vec<Event>, SourceError>;

    /// Returns how many events from position `after` (exclusive) on pass the filter, and where the
    /// last of them stands.
    ///
    /// # Errors
    /// [`SourceError`] if the events cannot be read.
    fn tally(&mut self, filter: &EventFilter, after: Option<u64>) -> Result<EventTally, SourceError>;

    /// Returns at most the first `limit` bytes of a body of the request at a position, without
    /// reading the whole into memory; none if no body was kept.
    ///
    /// # Errors
    /// [`SourceError`] if the body cannot be read.
    fn body(&mut self, position: u64, side: BodySide, limit: usize) -> Result<Option<BodyHead>, SourceError>;

    /// Returns what the answers of this source are about: the recording, or the session with a live
    /// browser.
    fn identity(&self) -> SourceId;

    /// Returns the page time that the source stands at, in milliseconds since it began.
    ///
    /// # Errors
    /// [`SourceError`] if it cannot be read.
    fn now_ms(&mut self) -> Result<u64, SourceError>;

    /// Returns the tabs that there are or were, in order.
    ///
    /// # Errors
    /// [`SourceError`] if they cannot be read.
    fn tabs(&mut self) -> Result<Vec<u32>, SourceError>;

    /// Returns the page of a tab as it was last looked at.
    ///
    /// # Errors
    /// [`SourceError::NotAvailable`] if the source cannot look at that tab now.
    fn page_of(&mut self, tab: u32) -> Result<(Arc<Page>, Arc<Capture>), SourceError>;

    /// Returns the pixels of a box, as a PNG.
    ///
    /// # Errors
    /// [`SourceError::NotAvailable`] if the source has no pixels there.
    fn crop(&mut self, bounds: BoxInDocument) -> Result<CaptureImage, SourceError>;
}

/// An action could not be carried out.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// The node is not there any more.
    #[error("node {key} is not on the page any more")]
    NodeGone {
        /// The node.
        key: NodeKey,
    },
    /// The node cannot be acted on now.
    #[error("node {key} cannot be acted on: {reason}")]
    NotActionable {
        /// The node.
        key: NodeKey,
        /// Why: covered, disabled, without a box, …
        reason: String,
    },
    /// The source failed.
    #[error(transparent)]
    Source(#[from] SourceError),
}

/// Acts on the current page; the sibling of [`PageSource`].
pub trait Actor: PageSource {
    /// Carries out an action on a node (or none) and waits until the page settled.
    ///
    /// # Errors
    /// [`ActError`] if the node is gone or cannot be acted on; nothing was done then.
    fn act(&mut self, action: &TakenAction, node: Option<NodeKey>) -> Result<(), ActError>;
}
