//! A deliberate change of the formatter, for tests of what watches it.
//!
//! In: [`write_rows_apart`], once, before any page. Out: texts that fold no rows, in the whole
//! process: they say the same, break no promise, and cost more. Invariant: a build for users has
//! no switch, and the check is a constant (`build.rs`).

#[cfg(deliberate_change)]
mod switch {
    use std::sync::atomic::{AtomicBool, Ordering};

    static ROWS_APART: AtomicBool = AtomicBool::new(false);

    /// Writes the rows of every table and list one by one from now on.
    pub fn write_rows_apart() {
        ROWS_APART.store(true, Ordering::Relaxed);
    }

    /// Whether rows are folded.
    pub(crate) fn folds_rows() -> bool {
        !ROWS_APART.load(Ordering::Relaxed)
    }
}

#[cfg(deliberate_change)]
pub(crate) use switch::folds_rows;
#[cfg(deliberate_change)]
pub use switch::write_rows_apart;

/// Whether rows are folded: in a build for users always.
#[cfg(not(deliberate_change))]
pub(crate) const fn folds_rows() -> bool {
    true
}
