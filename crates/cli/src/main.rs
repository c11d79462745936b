//! The program `browserlens`.

use std::process::ExitCode;

/// Small pieces of text come and go by the million: this takes a tenth off a replay.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // What is started again is looked for where the system finds programs, if it cannot say where this one lies.
    let program = std::env::current_exe().unwrap_or_else(|_| "browserlens".into());
    browserlens::run(std::env::args_os().collect(), program.clone(), program).into()
}
