//! `doctor`: what this machine has of what the command needs.
//!
//! In: folders and a path. Out: one line a check, with the command that mends what is missing.
//! Invariants: nothing is installed or written but by `--fix`; what is only needed for some work (other tools,
//! clients, fonts) never fails the command; the worst of what is needed gives the exit code.

mod checks;
#[cfg(feature = "record")]
mod install;

use crate::args::DoctorArgs;
use crate::exit::Exit;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use checks::{Check, State};

pub(crate) fn run(args: &DoctorArgs) -> Ended {
    #[cfg(feature = "record")]
    if args.fix {
        install::chromium(args)?;
    }
    let checks = checks::all(args);
    output::json_or(args.json, &checks, || in_words(&checks))?;
    let broken = |exit: Exit| checks.iter().any(|check| check.state == State::Broken && check.exit == Some(exit));
    Ok([Exit::Input, Exit::Browser].into_iter().find(|exit| broken(*exit)).unwrap_or(Exit::Success))
}

fn in_words(checks: &[Check]) -> String {
    let widest = checks.iter().map(|check| check.name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for check in checks {
        let mark = match check.state {
            State::Fine => "ok      ",
            State::Missing => "missing ",
            State::Broken => "BROKEN  ",
        };
        out.push_str(&format!("{mark} {:<widest$}  {}\n", check.name, escaped_line(&check.found)));
        if let Some(fix) = &check.fix {
            out.push_str(&format!("{:9}{:<widest$}  → {}\n", "", "", escaped_line(fix)));
        }
    }
    let count = |state: State| checks.iter().filter(|check| check.state == state).count();
    let (missing, broken) = (count(State::Missing), count(State::Broken));
    out.push_str(&match (missing, broken) {
        (0, 0) => "everything is here\n".to_owned(),
        (_, 0) => format!("what is needed is here; {missing} of what is only needed for some work is missing\n"),
        (..) => format!("{broken} of what is needed is broken or missing\n"),
    });
    out
}
