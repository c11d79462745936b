//! `lab fidelity`: traces and recorded peers in, `reports/fidelity.md` out.

use super::replay as replaying;
use crate::args::FidelityArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_replay::fidelity::{Fidelity, FidelityOptions, fidelity};
use browserlens_report::{fidelity_markdown, fidelity_terminal_table};
use browserlens_trace::whole;
use std::path::Path;

pub(crate) fn run(args: &FidelityArgs) -> Ended {
    let strategies = replaying::select_strategies(&args.strategies_file, &args.strategies)?;
    let bar = Bar::new("fidelity");
    let found = fidelity(&FidelityOptions {
        traces: replaying::select_traces(&args.traces, &args.scenarios)?,
        scenarios_dir: args.scenarios_dir.clone(),
        strategies: &strategies,
        threads: args.threads,
        cache_dir: args.cache_dir.clone(),
        progress: &bar,
    });
    bar.finish();
    let found = found?;
    output::json_or(args.json, &found, || fidelity_terminal_table(&found))?;
    let text = fidelity_markdown(&found);
    if args.check {
        return check(&found, &text, &args.out);
    }
    write(&text, &args.out)?;
    output::status(&format!("written: {}", args.out.display()));
    Ok(Exit::Success)
}

fn check(found: &Fidelity, text: &str, path: &Path) -> Ended {
    let unreadable = Failure::file("read", path, "write it with `browserlens lab fidelity`");
    let stands = std::fs::read_to_string(path).map_err(unreadable)?;
    let mut exit = Exit::Success;
    if stands != text {
        let line = stands.lines().zip(text.lines()).take_while(|(stands, now)| stands == now).count() + 1;
        output::status(&format!("fidelity: {}:{line} says something else than was found now", path.display()));
        exit = Exit::Regression;
    }
    for peer in found.peers.iter().filter(|peer| !peer.passes()) {
        output::status(&format!("fidelity: {} misses the bars", peer.name));
        exit = Exit::Regression;
    }
    if exit == Exit::Success {
        output::status("fidelity: unchanged, every re-implementation reaches the bars");
    }
    Ok(exit)
}

fn write(text: &str, path: &Path) -> Result<(), Failure> {
    let failure = Failure::file("written", path, "name a file in a folder that you may write to, with --out");
    if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        std::fs::create_dir_all(parent).map_err(failure)?;
    }
    whole::write(path, text.as_bytes()).map_err(failure)
}
