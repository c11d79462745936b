//! The press test (`scripts/wild`), a part of it: of twelve patterns every control is reached by a
//! ref of its own.
//!
//! `./just wild` runs all of them. The libraries of these come from `scripts/install-wild`.
#![cfg(all(feature = "serve", feature = "record", unix))]

mod common;

use common::{Ran, at_home, root};
use std::process::Command;

const PATTERNS: [&str; 12] = [
    "hand/siblings-delegated",
    "hand/siblings-and-parent",
    "hand/options-listening",
    "hand/sortable-items",
    "hand/svg-circles",
    "hand/image-map",
    "hand/tree-toggles",
    "hand/card-icons",
    "sortablejs/list",
    "tom-select/open",
    "flatpickr/inline",
    "flatpickr/time",
];

#[test]
fn every_control_has_a_ref_that_reaches_it() {
    let mut python = at_home(Command::new("python3"));
    python.arg(root().join("scripts/wild/run")).args(["--program", env!("CARGO_BIN_EXE_browserlens")]);
    Ran::of(python.args(["--patterns", &PATTERNS.join(",")])).good();
}
