//! Where words go: data to standard output, status to standard error.
//!
//! Invariants: a closed pipe ends the command quietly; nothing else in this crate prints; what
//! nobody sees is printed as an escape, but for bytes that were asked for as they are.

use crate::exit::{Exit, Failure};
use browserlens_core::page::text::{escaped, escaped_json};
use std::io::{self, Write};

/// Writes data to standard output.
///
/// # Errors
/// [`Failure`] if it cannot be written; a reader that closed the pipe has had enough and is no
/// failure.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
    as_it_is(&escaped(text))
}

/// Writes JSON to standard output.
///
/// # Errors
/// As [`data`].
pub(crate) fn json(text: &str) -> Result<(), Failure> {
    as_it_is(&escaped_json(text))
}

/// Writes bytes that were asked for, and rows that have colours, to standard output.
///
/// # Errors
/// As [`data`].
pub(crate) fn as_it_is(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::words(
            Exit::Input,
            format!("standard output: cannot be written: {error}"),
            "check where the output goes",
        )),
        _ => Ok(()),
    }
}

/// Writes a line of status to standard error; a status that cannot be written is lost.
pub(crate) fn status(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(line));
}
