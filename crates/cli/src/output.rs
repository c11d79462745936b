//! Where words go: data to standard output, status to standard error.
//!
//! Invariant: a closed pipe ends the command quietly; nothing else in this crate prints.

use crate::exit::{Exit, Failure};
use std::io::{self, Write};

/// Writes data to standard output.
///
/// # Errors
/// [`Failure`] if it cannot be written; a reader that closed the pipe has had enough and is no failure.
pub(crate) fn data(text: &str) -> Result<(), Failure> {
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
    let _ = writeln!(io::stderr().lock(), "{line}");
}
