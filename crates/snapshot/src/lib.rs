//! A page before it is read: its outline, its content, and what can be acted on in it.
//!
//! In: a [`browserlens_core::page::Page`] and options. Out: text in a documented grammar, and chunks
//! of markdown for the way on. Invariant: nothing hidden is written unless it was
//! asked for, and no text of a page can forge a line.

mod blocks;
pub mod chunk;
pub mod class;
pub mod content;
mod find;
pub mod grep;
pub mod interactive;
pub mod markdown;
mod nearest;
pub mod options;
pub mod outline;
pub mod path;
mod rank;
mod snapshot;
mod strategies;

pub use find::{FindOptions, candidates, closed, find, matches, part_of};
pub use grep::GrepOptions;
pub use interactive::RefLens;
pub use options::{Format, Mode, RefStyle, SnapshotError, SnapshotOptions};
pub use snapshot::{node_of, snapshot, snapshot_in};
pub use strategies::{build, names};

/// What tells an agent how to use snapshots, with an example session.
pub const PROMPT: &str = include_str!("../prompt.txt");
