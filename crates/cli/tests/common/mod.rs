//! The program as the tests start it: with a home of its own, so that nothing of whoever runs the
//! tests is read or written.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Folders that count before those below the home.
const OTHER_FOLDERS: [&str; 5] =
    ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"];

thread_local! {
    /// One a test, for each has a thread; it goes with the thread.
    static HOME: TempDir = tempfile::tempdir().expect("a home");
}

/// Returns the folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace is there")
}

/// Returns the program, in the environment of the tests.
pub fn browserlens() -> Command {
    at_home(Command::new(env!("CARGO_BIN_EXE_browserlens")))
}

/// Returns the program, with nothing of the environment but what finds and starts other programs.
pub fn browserlens_alone() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_browserlens"));
    command.env_clear().env("NO_COLOR", "1");
    for kept in ["PATH", "TMPDIR", "CHROME"] {
        if let Some(value) = std::env::var_os(kept) {
            command.env(kept, value);
        }
    }
    at_home(command)
}

/// Gives a command the home of this test.
pub fn at_home(mut command: Command) -> Command {
    for name in OTHER_FOLDERS {
        command.env_remove(name);
    }
    HOME.with(|home| _ = command.env("HOME", home.path()));
    command
}
