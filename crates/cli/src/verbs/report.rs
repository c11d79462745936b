//! The report of a run: a run in, a report folder out.

use super::agent_runs;
use super::report_input::{self, KeptPreviews, Sources};
use crate::args::Pricing;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use browserlens_core::tokens::ImageFormula;
use browserlens_knowledge::{Knowledge, Recording, extract};
use browserlens_replay::llm::LlmResults;
use browserlens_replay::{RECORDED_SUFFIX, RunResult, find_traces};
use browserlens_report::{About, BASELINE, ReportInput, ReportPaths, Summary, terminal_table, write_report_with};
use browserlens_trace::Trace;
use std::path::Path;

/// Writes the report of a run and returns where it lies and the table for a terminal.
pub(crate) fn write(
    run: &RunResult,
    from: Sources<'_>,
    pricing: Pricing,
    out: &Path,
) -> Result<(ReportPaths, String), Failure> {
    let store = KeptPreviews { store: run.store(), folder: from.cache_dir.join("previews") };
    let bar = Bar::over("report", run.header.traces.len() * 2, "passes over traces");
    let steps = report_input::steps(run, baseline_of(run), from, &bar);
    let newest = run.timings.iter().max_by(|a, b| a.date.cmp(&b.date));
    let about = About {
        tool: run.header.tool.clone(),
        command: "just bench".to_owned(),
        date: newest.map_or_else(String::new, |timing| timing.date.clone()),
        machine: newest.map_or_else(String::new, |timing| timing.machine.clone()),
        store: store_of(run),
        recorded: run.header.notes.iter().cloned().chain(recorded_notes(run)).collect(),
        revision: super::replay::revision().map_or_else(String::new, |revision| short(&revision)),
        tokenizer: format!("{} ({:?})", run.header.encoding.name(), run.header.tokenizer).to_lowercase(),
        fidelity: std::fs::read_to_string(report_input::FIDELITY).unwrap_or_default(),
    };
    let knowledge = knowledge_of(run, from.traces, &bar);
    let agents = agent_runs::read(from.agent_runs, from.traces)?;
    bar.message("pages and pictures");
    let input = ReportInput {
        measurements: &run.measurements,
        tasks: &run.tasks,
        timings: &run.timings,
        traces: &run.header.traces,
        steps: &steps,
        strategies: &run.header.strategies,
        observations: &store,
        baseline: baseline_of(run),
        formula: ImageFormula::Claude28,
        cache_discount: pricing.cache_discount,
        knowledge: knowledge.as_ref(),
        agents: &agents,
        about: &about,
    };
    let summary = Summary::of(&input);
    let table = terminal_table(&input, &summary);
    let llm = LlmResults::load(&run.folder).map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    let paths = write_report_with(&input, &summary, llm.as_ref(), out)
        .map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    bar.finish();
    Ok((paths, table))
}

/// Returns what the run's traces tell of their websites; none where no trace of the run is there
/// any more, and nothing of a trace that cannot be read.
fn knowledge_of(run: &RunResult, traces: &Path, bar: &Bar) -> Option<Knowledge> {
    let files = find_traces(traces).ok()?;
    let recordings: Vec<Recording> = files
        .iter()
        .filter_map(|path| Trace::open(path).ok())
        .filter(|trace| run.header.traces.iter().any(|info| info.hash == trace.hash().to_string()))
        .filter_map(|trace| {
            bar.message(&trace.meta().scenario);
            let read = Recording::read(&trace).ok();
            bar.add(1);
            read
        })
        .collect();
    (!recordings.is_empty()).then(|| extract("report", &recordings))
}

/// What is to be said of recorded tools: dropped texts with their causes, and every output that is
/// missing.
fn recorded_notes(run: &RunResult) -> Vec<String> {
    let traces = &run.header.traces;
    if traces.iter().all(|trace| trace.peers.is_empty()) {
        return Vec::new();
    }
    let mut outputs: Vec<&str> = Vec::new();
    for peer in traces.iter().flat_map(|trace| &trace.peers).filter(|peer| peer.output.contains('/')) {
        if !outputs.contains(&peer.output.as_str()) {
            outputs.push(&peer.output);
        }
    }
    let all = || traces.iter().flat_map(|trace| trace.peers.iter().map(move |peer| (trace, peer)));
    let kept: u32 = all().map(|(_, peer)| peer.kept).sum();
    let dropped: Vec<String> = all()
        .flat_map(|(trace, peer)| peer.dropped.iter().map(move |(step, why)| (trace, peer, step, why)))
        .map(|(trace, peer, step, why)| format!("{} on {} step {step}: {why}", peer.output, trace.id))
        .collect();
    let mut notes = vec![format!(
        "Recorded tools: {} outputs on {} scenarios, {kept} texts; {} more were dropped because the tool's page was \
            not the trace's.",
        outputs.len(),
        traces.len(),
        dropped.len()
    )];
    notes.extend(dropped.into_iter().map(|text| format!("Dropped: {text}")));
    for trace in traces {
        for output in &outputs {
            match trace.peers.iter().find(|peer| peer.output == *output) {
                None => notes.push(format!("Gap: no recorded output of {output} on {}.", trace.id)),
                Some(peer) if peer.kept + (peer.dropped.len() as u32) < trace.steps => {
                    let why = peer.failure.as_deref().unwrap_or("no reason is known");
                    notes.push(format!("Gap: {output} on {} ended early: {why}", trace.id));
                }
                Some(_) => {}
            }
        }
    }
    notes
}

/// The strategy that ratios are taken against: what the tool really said, where the run has that.
fn baseline_of(run: &RunResult) -> &str {
    let is_it = |name: &str| name.strip_suffix(RECORDED_SUFFIX) == Some(BASELINE);
    run.header.strategies.iter().map(|strategy| strategy.name.as_str()).find(|name| is_it(name)).unwrap_or(BASELINE)
}

/// Where the full texts lie, without the path of the machine.
fn store_of(run: &RunResult) -> String {
    let name = |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{}/{}/observations", run.folder.parent().map_or_else(String::new, name), name(&run.folder))
}

/// Returns a git revision by its first twelve characters, with the mark of changed files.
fn short(revision: &str) -> String {
    let mark = if revision.ends_with('+') { "+" } else { "" };
    format!("{}{mark}", revision.chars().take(12).collect::<String>())
}
