//! `bench`: replay, report, summary; and the comparison with the accepted run.

use super::report_input::Sources;
use super::{json_failure, replay as replaying, replay_failure, report as reporting};
use crate::args::BenchArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_replay::{AcceptedRun, Finding, GateReport, accept, check};
use std::path::PathBuf;

pub(crate) fn run(args: &BenchArgs) -> Ended {
    let run = replaying::replay(&args.traces, &args.selection, "bench")?;
    let out = args.out.clone().unwrap_or_else(|| fresh_folder(&run.folder));
    let from = Sources {
        traces: &args.traces,
        scenarios_dir: &args.selection.scenarios_dir,
        strategies_file: &args.selection.strategies_file,
        cache_dir: &args.selection.cache_dir,
    };
    let (paths, table) = reporting::write(&run, from, args.pricing, &out)?;
    if args.json {
        let json = serde_json::to_string_pretty(&run.tasks).map_err(|error| json_failure(&error))?;
        output::data(&format!("{json}\n"))?;
    } else {
        output::data(&format!("{table}\n"))?;
    }
    output::status(&replaying::said(&run));
    output::status(&format!("report: {}", paths.index.display()));
    if args.accept {
        accept(&run, &args.accepted_dir).map_err(|error| replay_failure(&error))?;
        output::status(&format!("accepted: {}", args.accepted_dir.display()));
    }
    if args.check {
        let accepted = AcceptedRun::load(&args.accepted_dir).map_err(|error| replay_failure(&error))?;
        let Some(accepted) = accepted else {
            let message = format!("{}: no accepted run to compare against", args.accepted_dir.display());
            return Err(Failure::words(Exit::Input, message, "accept one with `browserlens bench --accept`"));
        };
        let gate = check(&run, &accepted);
        output::status(&gate_in_words(&gate));
        if !gate.passes() {
            return Ok(Exit::Regression);
        }
    }
    Ok(Exit::Success)
}

/// A folder below `reports/` that is not there yet: the time and the run's id.
fn fresh_folder(run: &std::path::Path) -> PathBuf {
    let id = run.file_name().map_or_else(String::new, |name| name.to_string_lossy().chars().take(8).collect());
    let stamp: String = replaying::now().chars().filter(char::is_ascii_digit).collect();
    let parent = run.parent().and_then(std::path::Path::parent).unwrap_or(std::path::Path::new("."));
    let name = format!("report-{stamp}-{id}");
    (0..1_000)
        .map(|again| parent.join(if again == 0 { name.clone() } else { format!("{name}-{again}") }))
        .find(|path| !path.exists())
        .unwrap_or_else(|| parent.join(name))
}

/// The gate's findings, at most twenty of a kind.
pub(crate) fn gate_in_words(gate: &GateReport) -> String {
    let mut lines = Vec::new();
    if let Some(why) = &gate.incomparable {
        lines.push(format!("gate: nothing was compared: {}", crate::exit::one_line(why)));
    }
    let mut list = |what: &str, findings: &[Finding]| {
        if !findings.is_empty() {
            lines.push(format!("gate: {} {what}", findings.len()));
            lines.extend(
                findings.iter().take(20).map(|finding| format!("  {}", crate::exit::one_line(&finding.to_string()))),
            );
            if findings.len() > 20 {
                lines.push(format!("  … and {} more", findings.len() - 20));
            }
        }
    };
    list("regressions", &gate.regressions);
    list("improvements", &gate.improvements);
    for (what, rows) in
        [("new rows", &gate.new_rows), ("rows gone", &gate.removed_rows), ("texts changed", &gate.changed_texts)]
    {
        if let Some((trace, strategy, step)) = rows.first() {
            lines.push(format!(
                "gate: {} {what}, first {} {strategy} step {step}",
                rows.len(),
                crate::exit::one_line(trace)
            ));
        }
    }
    if lines.is_empty() {
        lines.push("gate: nothing changed against the accepted run".to_owned());
    }
    if gate.passes() && !gate.improvements.is_empty() {
        lines.push("gate: passed; `bench --accept` makes this run the accepted one".to_owned());
    }
    lines.join("\n")
}
