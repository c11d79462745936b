//! What all sessions of a process share, and the seam for whoever records what they do.
//!
//! Invariant: it does not change while sessions run.

use crate::error::ToolError;
use crate::knowledge::KnowledgeBase;
use crate::policy::Policy;
use crate::source::{Act, Opener, Source};
use browserlens_inspect::{CursorKey, Limits};
use std::path::PathBuf;

/// Is told of every action of a session, in order: the seam for recording a session's run. It ends
/// with its session.
pub trait Witness: Send {
    /// Comes before an action is carried out, with the page as it stands; the node is on it.
    fn before(&mut self, source: &mut dyn Source, act: &Act);

    /// Comes after an action was carried out and the page settled. What was typed stands in it as
    /// it was typed. The first action of a browser, `goto`, has nothing before it.
    fn after(&mut self, source: &mut dyn Source, act: &Act);
}

/// Makes the witness of a session, if its run is to be seen.
pub type WitnessMaker = dyn Fn() -> Option<Box<dyn Witness>> + Send + Sync;

/// What all sessions share.
pub struct Shared {
    /// Opens what sessions look at.
    pub opener: Box<dyn Opener>,
    /// Where browsers may go, and which files may be handed over.
    pub policy: Policy,
    /// What is known of websites.
    pub knowledge: KnowledgeBase,
    /// Where read pages are kept; none keeps nothing.
    pub reading_cache: Option<PathBuf>,
    /// What cursors are signed with.
    pub cursor_key: CursorKey,
    /// How much the inspecting tools answer.
    pub limits: Limits,
    /// URL that a browser opens first; none waits for `navigate`.
    pub start_url: Option<String>,
    /// Who sees what sessions do.
    pub witness: Option<Box<WitnessMaker>>,
}

impl Shared {
    /// Takes what opens pages and what is allowed: no knowledge, no cache, the limits of
    /// inspection as they are by default.
    ///
    /// # Errors
    /// [`ToolError::Internal`] if the system gives no random numbers, which cursors are signed
    /// with.
    pub fn new(opener: Box<dyn Opener>, policy: Policy) -> Result<Self, ToolError> {
        let no_key = |error| ToolError::Internal(format!("no random numbers: {error}"));
        Ok(Self {
            opener,
            policy,
            knowledge: KnowledgeBase::default(),
            reading_cache: None,
            cursor_key: CursorKey::random().map_err(no_key)?,
            limits: Limits::default(),
            start_url: None,
            witness: None,
        })
    }

    /// The same for one session that no command configures: the limits of inspection are those of
    /// the environment (`BROWSERLENS_MAX_…`).
    pub(crate) fn alone(opener: Box<dyn Opener>, policy: Policy) -> Result<Self, ToolError> {
        let mut shared = Self::new(opener, policy)?;
        let set = shared.limits.add_env(|name| std::env::var(name).ok());
        set.map_err(|error| ToolError::Arguments(error.to_string()))?;
        Ok(shared)
    }
}

browserlens_core::opaque_debug!(self: Shared { policy: self.policy });
