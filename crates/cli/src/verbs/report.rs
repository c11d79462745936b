//! `report`: a stored run in, a report folder out.

use super::replay_failure;
use crate::args::{Pricing, ReportArgs};
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_replay::llm::LlmResults;
use browserlens_replay::{RECORDED_SUFFIX, RunResult, Store, TraceInfo};
use browserlens_report::{
    About, BASELINE, FactInfo, ReportInput, ReportPaths, ScenarioInfo, StepInfo, StrategyInfo, Summary, terminal_table,
    write_report_with,
};
use browserlens_scenario::Scenario;
use browserlens_tokens::ImageFormula;
use std::path::Path;

pub(crate) fn run(args: &ReportArgs) -> Ended {
    let run = RunResult::load(&args.run).map_err(|error| replay_failure(&error))?;
    let (paths, _) = write(&run, &args.scenarios_dir, args.pricing, &args.out)?;
    output::data(&format!("{}\n", paths.index.display()))?;
    Ok(Exit::Success)
}

/// Writes the report of a run and returns where it lies and the table for a terminal.
pub(crate) fn write(
    run: &RunResult,
    scenarios_dir: &Path,
    pricing: Pricing,
    out: &Path,
) -> Result<(ReportPaths, String), Failure> {
    let store = run.store();
    let scenarios: Vec<ScenarioInfo> =
        run.header.traces.iter().map(|trace| scenario_info(run, &store, scenarios_dir, trace)).collect();
    let strategies: Vec<StrategyInfo> = run
        .header
        .strategies
        .iter()
        .map(|strategy| StrategyInfo {
            name: strategy.name.clone(),
            version: strategy.version.clone(),
            why: strategy.why.clone(),
        })
        .collect();
    let newest = run.timings.iter().max_by(|a, b| a.date.cmp(&b.date));
    let about = About {
        tool: run.header.tool.clone(),
        command: "just bench".to_owned(),
        date: newest.map_or_else(String::new, |timing| timing.date.clone()),
        machine: newest.map_or_else(String::new, |timing| timing.machine.clone()),
        store: store_of(run),
        recorded: recorded_notes(run),
    };
    let input = ReportInput {
        measurements: &run.measurements,
        tasks: &run.tasks,
        timings: &run.timings,
        scenarios: &scenarios,
        strategies: &strategies,
        observations: &store,
        baseline: baseline_of(run),
        formula: ImageFormula::Claude28,
        cache_discount: pricing.cache_discount,
        about: &about,
    };
    let table = terminal_table(&input, &Summary::of(&input));
    let llm = LlmResults::load(&run.folder).map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    let paths = write_report_with(&input, llm.as_ref(), out)
        .map_err(|error| Failure::new(Exit::Input, &error, error.hint()))?;
    Ok((paths, table))
}

/// What is to be said of recorded tools: dropped texts with their causes, and every output that is missing.
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
        "Recorded tools: {} outputs on {} scenarios, {kept} texts; {} more were dropped because the tool's page was not the trace's.",
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

fn scenario_info(run: &RunResult, store: &Store, scenarios_dir: &Path, trace: &TraceInfo) -> ScenarioInfo {
    let scenario = Scenario::load(&scenarios_dir.join(format!("{}.toml", trace.scenario))).ok();
    let steps = run
        .steps
        .iter()
        .filter(|step| step.trace == trace.id)
        .map(|step| StepInfo {
            step: step.step,
            action: step.action.clone(),
            next: step.next.as_ref().map_or_else(String::new, |intent| {
                let node =
                    intent.node.as_ref().map_or_else(String::new, |node| format!(" {} {:?}", node.role, node.name));
                let text = if intent.text.is_empty() { String::new() } else { format!(" {:?}", intent.text) };
                format!("{}{node}{text}", intent.action)
            }),
            url: step.url.clone(),
            title: step.title.clone(),
            facts: scenario.as_ref().map_or_else(Vec::new, |scenario| {
                scenario
                    .facts_at(step.step)
                    .iter()
                    .map(|fact| FactInfo { text: fact.text.clone(), pixels: fact.pixels.is_some() })
                    .collect()
            }),
            screenshot: step.screenshot.as_ref().and_then(|hash| store.image(hash).ok()).map(Into::into),
        })
        .collect();
    ScenarioInfo {
        trace: trace.id.clone(),
        goal: trace.goal.clone(),
        why: trace.why.clone(),
        complete: trace.complete,
        steps,
        attacks: trace.attacks.clone(),
        answers: trace.answers.clone(),
        asked: trace.asked.clone(),
        known: trace.known,
    }
}

/// Where the full texts lie, without the path of the machine.
fn store_of(run: &RunResult) -> String {
    let name = |path: &Path| path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    format!("{}/{}/observations", run.folder.parent().map_or_else(String::new, name), name(&run.folder))
}
