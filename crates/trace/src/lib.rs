//! Trace files: one recording of one scenario in one SQLite file.
//!
//! In: [`StepRecord`]s (canonical by [`Canonicalizer`], secrets still in them). Out: a [`Trace`]
//! that gives back steps, captures, events and entity ids, redacted. Invariants: secrets are
//! replaced before anything is written; each step is one transaction, so that a recorder killed at
//! any moment leaves a trace that opens with every finished step in it; what is read is what was
//! written, or an error names file, table and row; nothing here reads a clock.

pub mod agents;
mod blob;
pub mod canonical;
pub mod corpus;
mod db;
mod error;
mod events;
mod export;
mod file;
mod files_below;
mod frames;
mod info;
pub mod json;
mod origin;
mod pages;
mod peers;
mod prune;
mod reader;
mod record;
pub mod redact;
mod rows;
mod salvage;
pub mod scenario;
mod schema;
mod search;
mod verify;
pub mod whole;
mod writer;

pub use canonical::{CanonicalError, Canonicalizer};
pub use error::{ExitClass, Fault, Location, TraceError};
pub use export::{ExportReport, export};
pub use file::before_of;
pub use files_below::files_below;
pub use info::{KindInfo, StepInfo, TraceInfo};
pub use origin::Origin;
pub use pages::{TracePages, crops, screenshot_space};
pub use peers::{Dropped, PeerPass, PeerRow, PeerText, PeerVariant, PeersFile, peers_path, write_peers};
pub use prune::{PruneOptions, prune};
pub use reader::Trace;
pub use record::{ActionRecord, Outcome, Settled, StepRecord, StepRow, TraceHash, TraceMeta, TraceSource};
pub use redact::{MASK, Mask, RedactionKey, RedactionOptions, Redactor};
pub use salvage::{SalvageReport, salvage};
pub use schema::FORMAT_VERSION;
pub use search::SearchOptions;
pub use verify::{VerifyReport, verify};
pub use writer::{CreateOptions, TraceWriter};
