//! What agents do on pages that nobody here wrote: tasks of MiniWoB++ that judge themselves, played
//! by scripts that see only what the tools answer.

mod common;

use common::{Ran, at_home, root};
use std::process::Command;

/// One of each: clicks, menus, tabs, fields, lists, tables, a calendar, keys, a slider, a sortable
/// list, controls within controls, waiting.
const TASKS: &str = "click-link,click-tab-2,click-menu-2,click-checkboxes-large,click-scroll-list,form-sequence-2,\
    read-table-2,choose-date,\
                     use-slider,drag-items,email-inbox,use-autocomplete";

#[test]
fn scripts_that_see_only_answers_solve_twelve_tasks_of_other_people() {
    let root = root();
    let installed = root.join(".tools/miniwob/stamp");
    assert!(installed.is_file(), "MiniWoB++ is not installed: run scripts/install-miniwob");
    let mut python = at_home(Command::new("python3"));
    python.arg(root.join("scripts/miniwob")).args(["--program", env!("CARGO_BIN_EXE_browserlens")]);
    Ran::of(python.args(["--tasks", TASKS, "--at-least", "12"])).good();
}
