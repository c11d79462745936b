//! `man`: a man page for the command and for every verb.

use crate::args::{Cli, ManArgs};
use crate::exit::Failure;
use crate::{Ended, output};
use clap::CommandFactory;

pub(crate) fn run(args: &ManArgs) -> Ended {
    let hint = "name a writable folder, such as ~/.local/share/man/man1";
    let unwritable = Failure::file("written", &args.folder, hint);
    std::fs::create_dir_all(&args.folder).map_err(unwritable)?;
    clap_mangen::generate_to(Cli::command(), &args.folder).map_err(unwritable)?;
    output::data(&format!("{}\n", args.folder.display()))
}
