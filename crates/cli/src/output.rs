//! Where words go: data to standard output, status to standard error.
//!
//! Invariants: a closed pipe ends the command quietly; nothing else in this crate prints; what
//! nobody sees is printed as an escape, but for bytes that were asked for as they are.

use crate::Ended;
use crate::exit::{Exit, Failure};
use browserlens_core::page::text::{escaped, escaped_json};
use serde::Serialize;
use std::io::{self, Write};

/// Writes data to standard output. Like the others, it returns how a command ends that has nothing
/// else to say.
///
/// # Errors
/// [`Failure`] if it cannot be written; a reader that closed the pipe has had enough and is no
/// failure.
pub(crate) fn data(text: &str) -> Ended {
    as_it_is(&escaped(text))
}

/// Writes JSON to standard output.
///
/// # Errors
/// As [`data`].
pub(crate) fn json(text: &str) -> Ended {
    as_it_is(&escaped_json(text))
}

/// Writes what is serialised as JSON of several lines to standard output.
///
/// # Errors
/// As [`data`].
pub(crate) fn pretty(value: &(impl Serialize + ?Sized)) -> Ended {
    json(&(serde_json::to_string_pretty(value)? + "\n"))
}

/// Writes what was found: as JSON where that is asked for, else in words.
///
/// # Errors
/// As [`data`].
pub(crate) fn json_or(is_json: bool, value: &(impl Serialize + ?Sized), words: impl FnOnce() -> String) -> Ended {
    if is_json { pretty(value) } else { data(&words()) }
}

/// Writes bytes that were asked for, and rows that have colours, to standard output.
///
/// # Errors
/// As [`data`].
pub(crate) fn as_it_is(text: &str) -> Ended {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::input(format!("standard output: cannot be written: {error}"), "check where the output goes"))
        }
        _ => Ok(Exit::Success),
    }
}

/// Writes a line of status to standard error; a status that cannot be written is lost.
pub(crate) fn status(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", escaped(line));
}
