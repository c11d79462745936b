//! The lines of a text while it is read, and where it is not in the grammar.
//!
//! In: a text, and the patterns that were told before it. Out: its lines one by one, and the
//! patterns that it tells itself.

use super::fold::Patterns;
use super::scan::Scan;

/// Text that is not in the grammar.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}")]
pub struct GrammarError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// What should stand there.
    pub expected: &'static str,
}

/// Where the reader is.
pub(super) struct Lines<'t> {
    pub lines: Vec<&'t str>,
    pub at: usize,
    /// Patterns of earlier texts.
    pub told: &'t Patterns,
    /// Patterns of this text.
    pub tells: Patterns,
}

impl<'t> Lines<'t> {
    pub(super) fn peek(&self) -> Option<&'t str> {
        self.lines.get(self.at).copied()
    }

    pub(super) fn error(&self, scan: &Scan<'_>, expected: &'static str) -> GrammarError {
        GrammarError { line: self.at + 1, column: scan.column(), expected }
    }
}
