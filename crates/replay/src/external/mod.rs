//! Strategies of the user's own that are commands: no recompiling, any language.
//!
//! In: a [`Declaration`] of `strategies.toml` and, step by step, what every strategy gets. Out: a
//! [`Strategy`](browserlens_core::strategy::Strategy) whose runs each start the command once, send it
//! lines of JSON ([`protocol`]) and take lines of JSON for observations. Invariants: whatever the
//! command does (crash, hang, garbage, a line without end, standard error without end), a step that
//! it spoils is an error with a clear message and the caller goes on; memory is bounded by the
//! limit on one answer; when a run ends, so does the command with its process group; nothing but an
//! answer that is whole, in time, of the right step and true to the page becomes an observation.
//! Why not WebAssembly or a shared library: a researcher's strategy is a script that imports what
//! it likes.
//!
//! Which module does what? [`declaration`] reads and checks what the file says; [`protocol`] is
//! every message as a type, from which the published schemas are made; `page` writes a page as a
//! message; `process` is the child and its streams; `run` joins them. `PROTOCOL.md` is for authors,
//! `examples/lister.py` a strategy of thirty lines.

pub mod declaration;
mod page;
mod process;
pub mod protocol;
mod run;

pub use declaration::{BadField, Declaration};
pub use run::External;
