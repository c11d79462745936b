//! `man`: a man page for the command and for every verb.

use crate::args::Cli;
use crate::exit::Failure;
use crate::{Ended, output};
use clap::CommandFactory;
use std::path::Path;

pub(crate) fn run(folder: &Path) -> Ended {
    let hint = "name a writable folder, such as ~/.local/share/man/man1";
    let unwritable = Failure::file("written", folder, hint);
    std::fs::create_dir_all(folder).map_err(unwritable)?;
    clap_mangen::generate_to(Cli::command(), folder).map_err(unwritable)?;
    output::data(&format!("{}\n", folder.display()))
}
