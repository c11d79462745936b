//! The command `browserlens`, for the script that the package installs.

use pyo3::{Python, pyfunction};
use std::ffi::OsString;
use std::path::PathBuf;

/// Runs the command with its `arguments`, its name first, and returns its exit code; `program` is
/// what starts it again, `file` this library.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, arguments: Vec<OsString>, program: PathBuf, file: PathBuf) -> u8 {
    py.detach(|| browserlens::run(arguments, program, file))
}
