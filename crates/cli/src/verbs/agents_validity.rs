//! `agents validity`: how much the offline numbers are worth, by the rewards of runs.

use super::agents::{IMAGES, records};
use crate::args::AgentsValidityArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::tokens::Encoding;
use browserlens_replay::{History, RunResult};
use browserlens_report::{Validity, measured_runs};
use std::path::PathBuf;

pub(crate) fn run(args: &AgentsValidityArgs) -> Ended {
    let given = args.tool.iter().map(|pair| {
        let (tool, strategy) = pair.rsplit_once('=').ok_or_else(|| {
            let words = format!("--tool {pair:?}: no `=` between a tool and a strategy");
            Failure::usage(words, "write it as --tool 'TOOL=STRATEGY'")
        })?;
        Ok((tool.to_owned(), strategy.to_owned()))
    });
    let given = given.collect::<Result<Vec<_>, Failure>>()?;
    let records = records(&args.runs)?;
    let folder = bench_of(args)?;
    let bench = RunResult::load(&folder)?;
    let unknown = |(tool, strategy): &&(String, String)| {
        !bench.header.strategies.iter().any(|known| known.name == *strategy)
            || !records.iter().any(|run| run.header.tool == *tool)
    };
    if let Some((tool, strategy)) = given.iter().find(unknown) {
        let names: Vec<&str> = bench.header.strategies.iter().map(|known| known.name.as_str()).collect();
        let mut tools: Vec<&str> = records.iter().map(|run| run.header.tool.as_str()).collect();
        tools.sort_unstable();
        tools.dedup();
        return Err(Failure::usage(
            format!("--tool {tool:?}={strategy:?}: no such tool in the records, or no such strategy in the bench"),
            format!("tools: {}; strategies: {}", tools.join(", "), names.join(", ")),
        ));
    }
    let runs = measured_runs(&records, &[], Encoding::O200kBase, IMAGES, None);
    let Some(validity) = Validity::of(&bench.tasks, &runs, &given) else {
        let hint = "import transcripts with --reward, and run `browserlens bench`";
        return Err(Failure::input("no run was judged, or nothing was replayed: there is nothing to compare", hint));
    };
    output::data(&validity.text(args.markdown))?;
    output::status(&format!("bench: {}", folder.display()));
    Ok(Exit::Success)
}

fn bench_of(args: &AgentsValidityArgs) -> Result<PathBuf, Failure> {
    if let Some(bench) = &args.bench {
        return Ok(bench.clone());
    }
    let history = History::load(&args.runs_dir)?;
    let stored = history.runs.iter().rev().map(|past| args.runs_dir.join(&past.run)).find(|folder| folder.is_dir());
    stored.ok_or_else(|| {
        Failure::input(
            format!("{}: no stored run of the bench", args.runs_dir.display()),
            "run `browserlens bench` first, or name a run with --bench",
        )
    })
}
