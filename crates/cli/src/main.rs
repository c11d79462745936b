//! The `browserlens` command: arguments in, exit code out.
//!
//! In: the command line. Out: data on standard output, status on standard error, an exit code of
//! [`exit`]. Invariant: no logic of its own; each verb is one file that calls a crate.

mod args;
mod exit;
mod output;
mod progress;
mod side_by_side;
mod verbs;

use args::{Cli, Verb};
use browserlens_page::text::count_unseen;
use clap::Parser;
use exit::{Exit, Failure};
use std::process::ExitCode;

/// Small pieces of text come and go by the million: this takes a tenth off a replay.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    // A deliberate change of the formatter, for the tests of the gate; a build for users knows none.
    #[cfg(debug_assertions)]
    if std::env::var_os("BROWSERLENS_TEST_ROWS_APART").is_some() {
        browserlens_lens::changed::write_rows_apart();
    }
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let said = error.render().to_string();
            let usage = if count_unseen(&said) == 0 {
                let shown = error.print();
                error.use_stderr() || shown.is_err()
            } else {
                // An argument that hides something is said again as it is seen, without colours.
                output::status(said.trim_end());
                true
            };
            return ExitCode::from(if usage { Exit::Usage } else { Exit::Success }.code());
        }
    };
    let ended = match cli.verb {
        Verb::Bench(args) => verbs::bench::run(&args),
        Verb::Replay(args) => verbs::replay::run(&args),
        Verb::Report(args) => verbs::report::run(&args),
        Verb::Compare(args) => verbs::compare::run(&args),
        Verb::Inspect(args) => verbs::inspect::run(&args),
        Verb::Knowledge(args) => verbs::knowledge::run(&args),
        Verb::Llm(args) => verbs::llm::run(&args),
        Verb::Exam(args) => verbs::exam::run(&args),
        Verb::Agents(args) => verbs::agents::run(&args),
        Verb::Fidelity(args) => verbs::fidelity::run(&args),
        Verb::Show(args) => verbs::show::run(&args),
        Verb::Read(args) => verbs::read::run(&args),
        Verb::Snapshot(args) => verbs::snapshot::run(&args),
        Verb::Chunks(args) => verbs::chunks::run(&args),
        #[cfg(feature = "serve")]
        Verb::Serve(args) => verbs::serve::run(&args),
        #[cfg(feature = "serve")]
        Verb::Skill(args) => verbs::skill::run(&args),
        #[cfg(feature = "serve")]
        Verb::Page(args) => verbs::page::run(args),
        #[cfg(feature = "serve")]
        Verb::Watch(args) => verbs::watch::run(&args),
        Verb::Scenario(args) => verbs::scenario::run(&args),
        Verb::Schema(args) => verbs::schema::run(&args),
        Verb::New(args) => verbs::new::run(&args),
        Verb::Ci(args) => verbs::ci::run(&args),
        Verb::Trace(args) => verbs::trace::run(&args),
        #[cfg(feature = "record")]
        Verb::Record(args) => verbs::record::run(&args),
        #[cfg(feature = "record")]
        Verb::Import(args) => verbs::import::run(&args),
        Verb::Corpus(args) => verbs::corpus::run(&args),
        Verb::Doctor(args) => verbs::doctor::run(&args),
        Verb::Man(args) => verbs::man::run(&args),
        Verb::Completions(args) => verbs::completions::run(&args),
    };
    match ended {
        Ok(exit) => ExitCode::from(exit.code()),
        Err(failure) => {
            output::status(&failure.to_string());
            ExitCode::from(failure.exit.code())
        }
    }
}

/// What every verb returns.
pub(crate) type Ended = Result<Exit, Failure>;
