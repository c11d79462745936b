//! The lens: what an agent is shown of a page, as cheaply as is sufficient, and never a lie.
//!
//! In: pages, step by step. Out: observations: the representation that a [`router`] picked, built
//! by [`extract`], as a delta from what was shown before ([`differ`]) or in full, within a token
//! budget, in the grammar of `GRAMMAR.md` ([`mod@format`]). Invariants: every difference between
//! the shown state ([`ShownState`], parsed from the emitted text alone) and the full form of the
//! page ([`mod@reference`], independent code) is covered by a mark; a ref never comes to mean
//! another entity; nothing here does I/O or reads a clock.

pub mod budget;
#[doc(hidden)]
pub mod changed;
mod controls;
pub mod differ;
mod events;
pub mod extract;
pub mod format;
mod last_resort;
mod lens;
pub mod reference;
mod refs;
pub mod router;
mod shown;
pub mod strategies;
pub mod tree;

pub use extract::Representation;
pub use format::{EventNote, GrammarError, LEGEND, Observed, Style, parse};
pub use lens::{Aside, Base, DELTA_LIMIT_PERCENT, Lens, LensOptions, RouterKind, rgba, shrunk};
pub use refs::RefTable;
pub use shown::{ApplyError, ElidedMark, ElidedWhat, ShownNode, ShownState};
pub use strategies::{build, lens_options, names};
