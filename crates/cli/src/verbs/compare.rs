//! `compare`: what changed from one stored run to another.

use super::{json_failure, replay_failure};
use crate::args::CompareArgs;
use crate::exit::Exit;
use crate::{Ended, output};
use browserlens_replay::{AcceptedRun, RunResult, check};

pub(crate) fn run(args: &CompareArgs) -> Ended {
    let load = |folder| RunResult::load(folder).map_err(|error| replay_failure(&error));
    let gate = check(&load(&args.later)?, &AcceptedRun::of(&load(&args.earlier)?));
    if args.json {
        let json = serde_json::to_string_pretty(&gate).map_err(|error| json_failure(&error))?;
        output::data(&format!("{json}\n"))?;
    } else {
        output::data(&format!("{}\n", super::bench::gate_in_words(&gate)))?;
    }
    Ok(if gate.passes() { Exit::Success } else { Exit::Regression })
}
