//! `agents counterfactual`: the pages of runs, told by other strategies.
//!
//! In: records that name their traces. Out: what each run would have cost. Invariant: a run whose
//! pages were not recorded is named, and nothing is said of its costs.

use super::agents::{IMAGES, paths};
use super::replay as replaying;
use crate::args::AgentsCounterfactualArgs;
use crate::exit::Exit;
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_replay::{ReplayOptions, RunResult};
use browserlens_report::{Counterfactual, counterfactual_table};
use browserlens_trace::Trace;
use browserlens_trace::agents::{AgentsError, RunRecord, trace_of};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A record, the name of its file, its trace.
type Told = (String, RunRecord, PathBuf);

pub(crate) fn run(args: &AgentsCounterfactualArgs) -> Ended {
    let strategies = replaying::select_strategies(&args.strategies_file, &args.strategies)?;
    let mut told: Vec<Told> = Vec::new();
    let read = |path: &PathBuf| -> Result<(RunRecord, Option<PathBuf>), AgentsError> {
        let record = RunRecord::read(path)?;
        let trace = trace_of(&record, path, &args.traces)?;
        Ok((record, trace))
    };
    let records = paths(&args.runs)?;
    for (path, read) in records.iter().zip(records.par_iter().map(read).collect::<Vec<_>>()) {
        let (record, trace) = read?;
        told.extend(trace.map(|trace| (path.display().to_string(), record, trace)));
    }
    let mut left_out: Vec<String> = Vec::new();
    let (all, nameless) = (records.len(), records.len() - told.len());
    if nameless > 0 {
        let what = "nothing is said of what they would have cost.";
        left_out.push(format!("{nameless} of {all} records name no trace: {what}"));
    }
    let mut traces: Vec<PathBuf> = told.iter().map(|(_, _, trace)| trace.clone()).collect();
    traces.sort_unstable();
    traces.dedup();
    let mut runs = Vec::new();
    if !traces.is_empty() {
        let replayed = replayed(args, traces, &strategies)?;
        let ids: BTreeMap<&str, &str> =
            replayed.header.traces.iter().map(|trace| (trace.hash.as_str(), trace.id.as_str())).collect();
        for (name, record, trace) in &told {
            let hash = Trace::open(trace)?.hash().to_string();
            for strategy in &strategies {
                let rows = replayed
                    .measurements
                    .iter()
                    .filter(|row| row.strategy == strategy.name && ids.get(hash.as_str()) == Some(&row.trace.as_str()));
                match Counterfactual::of(name, record, &strategy.name, rows, args.encoding, IMAGES) {
                    Ok(run) => runs.push(run),
                    Err(why) => left_out.push(format!("{name}: {why}")),
                }
            }
        }
    }
    if args.json {
        output::pretty(&runs)?;
        left_out.iter().for_each(|line| output::status(&escaped_line(line)));
    } else {
        output::data(&counterfactual_table(&runs, &left_out, args.markdown))?;
    }
    Ok(Exit::Success)
}

/// Replays the strategies over the runs' traces. Nothing of it is kept but what the cache keeps.
fn replayed(
    args: &AgentsCounterfactualArgs,
    traces: Vec<PathBuf>,
    strategies: &[browserlens_replay::ConfiguredStrategy],
) -> Result<RunResult, crate::exit::Failure> {
    let scratch =
        replaying::scratch(&std::env::temp_dir(), "browserlens-counterfactual-", "let TMPDIR name a writable folder")?;
    let bar = Bar::new("counterfactual");
    let result = browserlens_replay::replay(&ReplayOptions {
        threads: args.threads,
        cache_dir: args.cache_dir.clone(),
        encoding: args.encoding,
        date: replaying::now(),
        progress: &bar,
        ..ReplayOptions::new(traces, args.scenarios_dir.clone(), strategies, scratch.path())
    });
    bar.finish();
    replaying::sweep(scratch);
    Ok(result?)
}
