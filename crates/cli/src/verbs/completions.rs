//! `completions`: shell completions on standard output.

use crate::args::Cli;
use crate::{Ended, output};
use clap::CommandFactory;
use clap_complete::Shell;

pub(crate) fn run(shell: Shell) -> Ended {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "browserlens", &mut text);
    output::as_it_is(&String::from_utf8_lossy(&text))
}
