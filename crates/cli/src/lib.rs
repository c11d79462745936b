//! The `browserlens` command: arguments in, exit code out.
//!
//! In: the command line. Out: data on standard output, status on standard error, an exit code (all
//! are in `exit.rs`). Invariant: no logic of its own; each verb is one file that calls a crate. The
//! program and the package for Python both start it by [`run`].

mod args;
mod exit;
mod output;
mod progress;
mod side_by_side;
mod verbs;

pub use exit::with_causes;

use args::{Cli, Lab, Verb};
use browserlens_core::page::text::count_unseen;
use clap::Parser;
use clap::error::ContextKind;
use exit::{Exit, Failure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How this command is started again, and the file that it is made of.
struct Program {
    command: PathBuf,
    file: PathBuf,
}

static PROGRAM: OnceLock<Program> = OnceLock::new();

/// What starts this command again: a background process, a tool that agents are measured with.
#[cfg_attr(not(feature = "serve"), allow(dead_code, reason = "a build for the bench alone starts nothing"))]
pub(crate) fn program() -> &'static Path {
    PROGRAM.get().map_or(Path::new("browserlens"), |program| &program.command)
}

/// The file that holds this code; what differs in it is another build.
pub(crate) fn program_file() -> &'static Path {
    PROGRAM.get().map_or(Path::new("browserlens"), |program| &program.file)
}

/// Runs the command with its `arguments`, the first of which is its name, and returns its exit code.
///
/// `command` is what starts it again, `file` the program or library that holds this code.
pub fn run(arguments: Vec<OsString>, command: PathBuf, file: PathBuf) -> u8 {
    PROGRAM.get_or_init(|| Program { command, file });
    // A deliberate change of the formatter, for the tests of the gate; a build for users knows none.
    #[cfg(debug_assertions)]
    if std::env::var_os("BROWSERLENS_TEST_ROWS_APART").is_some() {
        browserlens_lens::changed::write_rows_apart();
    }
    let arguments = match args::of_a_page(renamed(arguments), is_command) {
        Ok(arguments) => arguments,
        Err((message, hint)) => {
            output::status(&Failure::usage(message, hint).to_string());
            return Exit::Usage.code();
        }
    };
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            let said = error.render().to_string();
            let refused = error.get(ContextKind::InvalidArg).map(ToString::to_string);
            let hint = refused.and_then(|refused| args::source_is_behind(&arguments, &refused));
            let usage = if count_unseen(&said) == 0 {
                let shown = error.print();
                error.use_stderr() || shown.is_err()
            } else {
                // An argument that hides something is said again as it is seen, without colours.
                output::status(said.trim_end());
                true
            };
            if let Some(hint) = hint {
                output::status(&format!(" hint: {hint}"));
            }
            return if usage { Exit::Usage } else { Exit::Success }.code();
        }
    };
    let ended = match cli.verb {
        Verb::Bench(args) => verbs::bench::run(args),
        Verb::Compare(args) => verbs::compare::run(&args),
        Verb::Inspect(verb) => verbs::inspect::run(&verb),
        Verb::Knowledge(verb) => verbs::knowledge::run(&verb),
        Verb::Agents(verb) => verbs::agents::run(&verb),
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
        Verb::Schema { of } => verbs::schema::run(of),
        Verb::New(args) => verbs::new::run(&args),
        Verb::Ci(verb) => verbs::ci::run(&verb),
        Verb::Trace(verb) => verbs::trace::run(&verb),
        #[cfg(feature = "record")]
        Verb::Record(args) => verbs::record::run(&args),
        #[cfg(feature = "record")]
        Verb::Import(args) => verbs::import::run(&args),
        Verb::Lab(Lab::Fidelity(args)) => verbs::fidelity::run(&args),
        Verb::Lab(Lab::Llm(args)) => verbs::llm::run(&args),
        Verb::Lab(Lab::Exam(args)) => verbs::exam::run(&args),
        Verb::Lab(Lab::Scenario(verb)) => verbs::scenario::run(&verb),
        Verb::Lab(Lab::Corpus(verb)) => verbs::corpus::run(&verb),
        Verb::Doctor(args) => verbs::doctor::run(&args),
        Verb::Man { folder } => verbs::man::run(&folder),
        Verb::Completions { shell } => verbs::completions::run(shell),
    };
    match ended {
        Ok(exit) => exit.code(),
        Err(failure) => {
            output::status(&failure.to_string());
            failure.exit.code()
        }
    }
}

/// Returns whether a word is a command of `page`; a build for the bench alone has none.
fn is_command(word: &str) -> bool {
    #[cfg(feature = "serve")]
    return args::is_command(word);
    #[cfg(not(feature = "serve"))]
    return word == "help";
}

/// Verbs of the version before this one, as they are said now; they go with the next version.
fn renamed(mut arguments: Vec<OsString>) -> Vec<OsString> {
    let old = arguments.get(1).and_then(|verb| verb.to_str()).unwrap_or_default();
    let second = arguments.get(2).and_then(|word| word.to_str()).unwrap_or_default();
    let printed = match (old, second) {
        ("inspect", "schema") => Some("schema tools"),
        ("snapshot", "--prompt") => Some("skill --snapshots"),
        _ => None,
    };
    if let Some(now) = printed {
        output::status(&format!("note: 'browserlens {old} {second}' is now 'browserlens {now}'"));
        return arguments.into_iter().take(1).chain(now.split(' ').map(OsString::from)).collect();
    }
    if let Some(now) = args::now_said(&arguments) {
        output::status(&format!("note: 'browserlens {old}' is now 'browserlens {now}'"));
        return arguments;
    }
    let now = match old {
        "replay" => "bench --no-report".to_owned(),
        "report" => "bench --from".to_owned(),
        "fidelity" | "llm" | "exam" | "scenario" | "corpus" => format!("lab {old}"),
        _ => return arguments,
    };
    output::status(&format!("note: 'browserlens {old}' is now 'browserlens {now}'"));
    let mut given = arguments.split_off(2).into_iter();
    arguments.truncate(1);
    if now != "bench --from" {
        return arguments.into_iter().chain(now.split(' ').map(OsString::from)).chain(given).collect();
    }
    // The run was the argument, and the traces were an option: now it is the other way round.
    let mut from = vec!["--from".into()];
    arguments.push("bench".into());
    while let Some(argument) = given.next() {
        let text = argument.to_str().unwrap_or_default();
        if let Some(traces) = text.strip_prefix("--traces") {
            arguments.extend(traces.strip_prefix('=').map(OsString::from).or_else(|| given.next()));
        } else if text.starts_with('-') {
            let has_value = text.starts_with("--") && text != "--help" && !text.contains('=');
            arguments.push(argument);
            arguments.extend(has_value.then(|| given.next()).flatten());
        } else {
            from.push(argument);
        }
    }
    arguments.into_iter().chain(from).collect()
}

/// What every verb returns.
pub(crate) type Ended = Result<Exit, Failure>;
