//! `completions`: shell completions on standard output.

use crate::args::{Cli, CompletionArgs};
use crate::{Ended, output};
use clap::CommandFactory;

pub(crate) fn run(args: &CompletionArgs) -> Ended {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "browserlens", &mut text);
    output::as_it_is(&String::from_utf8_lossy(&text))
}
