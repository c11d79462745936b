//! What all clients of a server share, and the seam for whoever records what they do.
//!
//! In: what the server was started with. Out: nothing by itself. Invariant: but for who is
//! there, it does not change while clients run.

use crate::desk::Desk;
use crate::knowledge::KnowledgeBase;
use crate::policy::Policy;
use crate::source::{Act, Opener, Source};
use browserlens_inspect::{CursorKey, Limits};
use std::path::PathBuf;
use std::sync::Arc;

/// Is told of every action of a client, in order: the seam for recording a client's run. It ends
/// with its client.
pub trait Witness: Send {
    /// Comes before an action is carried out, with the page as it stands; the node is on it.
    fn before(&mut self, source: &mut dyn Source, act: &Act);

    /// Comes after an action was carried out and the page settled. What was typed stands in it as
    /// it was typed. The first action of a browser, `goto`, has nothing before it.
    fn after(&mut self, source: &mut dyn Source, act: &Act);
}

/// Makes the witness of a client, if its run is to be seen.
pub type WitnessMaker = dyn Fn() -> Option<Box<dyn Witness>> + Send + Sync;

/// What all clients share.
pub struct Shared {
    /// Opens what clients look at.
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
    /// Who sees what clients do.
    pub witness: Option<Box<WitnessMaker>>,
    /// Where clients can be looked at; none where nobody may.
    pub desk: Option<Arc<Desk>>,
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Shared").field("policy", &self.policy).finish_non_exhaustive()
    }
}
