//! A deliberate change of the formatter, for tests of what watches it.
//!
//! In: [`write_rows_apart`], once, before any page. Out: texts that fold no rows, in the whole
//! process: they say the same, break no promise (unlike [`crate::bugs`]), and cost more. Invariant:
//! without debug assertions there is no switch, and the check is a constant.

#[cfg(debug_assertions)]
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

#[cfg(debug_assertions)]
pub(crate) use switch::folds_rows;
#[cfg(debug_assertions)]
pub use switch::write_rows_apart;

/// Whether rows are folded: without debug assertions always.
#[cfg(not(debug_assertions))]
pub(crate) const fn folds_rows() -> bool {
    true
}
