//! What a report shows beside a run's rows: from the run, the scenarios and, where they are still
//! there, the traces.
//!
//! In: a run and where its sources lie. Out: what `report` wants to be given. Invariant: a trace
//! that is not the one of the run, by its hash, is not looked at: the report then has no console,
//! no requests and no boxes of refs for it, and everything else.

use crate::output;
use crate::progress::Bar;
use browserlens_core::page::text::cut;
use browserlens_core::strategy::{DialogEvent, Event, EventKind};
use browserlens_replay::{
    ConfiguredStrategy, RunResult, StepView, Store, TraceInfo, action_in_words, find_traces, strategies, views,
};
use browserlens_report::preview::{Size, preview};
use browserlens_report::{EventInfo, FactInfo, Observations, StepInfo, StrategyRefs};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{Trace, whole};
use rayon::prelude::*;
use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};

/// Where `browserlens lab fidelity` writes.
pub(crate) const FIDELITY: &str = "reports/fidelity.md";
/// Most events of a step that a report shows.
const MOST_EVENTS: usize = 60;
/// Most characters of an event's text.
const LONGEST_EVENT: usize = 400;
/// Strategies of ours whose refs are drawn, beside the baseline.
const DRAWN: [&str; 2] = ["lens/delta", "lens/full"];

/// Where the sources of a run lie.
#[derive(Clone, Copy)]
pub(crate) struct Sources<'a> {
    pub traces: &'a Path,
    pub scenarios_dir: &'a Path,
    pub strategies_file: &'a Path,
    pub cache_dir: &'a Path,
    /// Records of what agents did; none where there are none.
    pub agent_runs: Option<&'a Path>,
}

/// Returns what is shown of a run's steps, in the order of its traces.
pub(crate) fn steps(run: &RunResult, baseline: &str, from: Sources<'_>, bar: &Bar) -> Vec<StepInfo> {
    let names: Vec<&str> = DRAWN.into_iter().chain([baseline]).collect();
    let known = strategies::load(from.strategies_file).unwrap_or_default();
    let drawn: Vec<&ConfiguredStrategy> =
        known.iter().filter(|strategy| names.contains(&strategy.name.as_str())).collect();
    let traces = run.header.traces.as_slice();
    let files = files_of(traces, from.traces);
    traces
        .par_iter()
        .flat_map_iter(|trace| {
            let views = files.get(&trace.hash).map_or_else(Vec::new, |file| seen(file, &drawn, from));
            let scenario = Scenario::load(&from.scenarios_dir.join(format!("{}.toml", trace.scenario))).ok();
            let own = run.steps.iter().filter(|step| step.trace == trace.id);
            let steps = own.map(|step| {
                let view = views.iter().find(|view| view.step == step.step);
                step_info(step, scenario.as_ref(), view, &drawn)
            });
            let steps: Vec<StepInfo> = steps.collect();
            bar.message(&trace.id);
            bar.add(1);
            steps
        })
        .collect()
}

/// Returns the files of the run's traces that are still there, by hash.
fn files_of(traces: &[TraceInfo], folder: &Path) -> HashMap<String, PathBuf> {
    let found = find_traces(folder).unwrap_or_default();
    let hashed = found.into_par_iter().filter_map(|path| Some((Trace::open(&path).ok()?.hash().to_string(), path)));
    let hashed: HashMap<String, PathBuf> = hashed.collect();
    hashed.into_iter().filter(|(hash, _)| traces.iter().any(|trace| trace.hash == *hash)).collect()
}

fn seen(file: &Path, drawn: &[&ConfiguredStrategy], from: Sources<'_>) -> Vec<StepView> {
    views(file, from.scenarios_dir, drawn, from.cache_dir).unwrap_or_else(|error| {
        output::status(&format!("note: the report shows no refs and events of {}: {error}", file.display()));
        Vec::new()
    })
}

fn step_info(
    step: &browserlens_replay::StepInfo,
    scenario: Option<&Scenario>,
    view: Option<&StepView>,
    drawn: &[&ConfiguredStrategy],
) -> StepInfo {
    let refs = view.map(|view| view.refs.as_slice()).unwrap_or_default();
    let events = view.map(|view| view.events.as_slice()).unwrap_or_default();
    StepInfo {
        trace: step.trace.clone(),
        step: step.step,
        action: step.action.clone(),
        next: step
            .next
            .as_ref()
            .map_or_else(String::new, |intent| action_in_words(intent.action, intent.node.as_ref(), &intent.text)),
        url: step.url.clone(),
        title: step.title.clone(),
        facts: scenario.map_or_else(Vec::new, |scenario| {
            let facts = scenario.facts_at(step.step).iter();
            facts.map(|fact| FactInfo { text: fact.text.clone(), pixels: fact.pixels.is_some() }).collect()
        }),
        screenshot: step.screenshot.clone(),
        viewport: view.map(|view| view.viewport),
        targets: step.targets.clone(),
        refs: drawn
            .iter()
            .zip(refs)
            .map(|(strategy, boxes)| StrategyRefs { strategy: strategy.name.clone(), boxes: boxes.clone() })
            .collect(),
        events: events.iter().take(MOST_EVENTS).map(event_info).collect(),
        more_events: events.len().saturating_sub(MOST_EVENTS),
    }
}

fn event_info(event: &Event) -> EventInfo {
    let (label, text, is_error) = match &event.kind {
        EventKind::Console(message) => {
            (message.level.clone(), message.text.clone(), matches!(message.level.as_str(), "error" | "exception"))
        }
        EventKind::Request(request) => {
            let failed = !request.failure.is_empty() || request.status >= 400;
            let status = match (request.status, request.failure.as_str()) {
                (0, "") => "no answer".to_owned(),
                (0, failure) => failure.to_owned(),
                (status, _) => status.to_string(),
            };
            let size = format!("{} bytes, {} ms", request.response_bytes, request.duration_ms);
            (request.method.clone(), format!("{} → {status} {} ({size})", request.url, request.mime_type), failed)
        }
        EventKind::Dialog(DialogEvent { kind, message, accepted, .. }) => {
            let end = match accepted {
                Some(true) => ", accepted",
                Some(false) => ", dismissed",
                None => "",
            };
            (format!("{kind:?}").to_lowercase(), format!("{message}{end}"), false)
        }
        EventKind::Tab(tab) => (tab.what.clone(), format!("{} {}", tab.title, tab.url), false),
        EventKind::Download(download) => (download.state.clone(), download.file_name.clone(), false),
    };
    EventInfo { kind: event.kind.name().to_owned(), label, text: cut(&text, LONGEST_EVENT), is_error }
}

/// The store of a run that keeps the small copies of its screenshots: making them takes most of a
/// report's time.
pub(crate) struct KeptPreviews {
    pub store: Store,
    pub folder: PathBuf,
}

impl KeptPreviews {
    fn preview(&self, hash: &str, size: Size) -> Option<Vec<u8>> {
        // Hashes also come from files: nothing else may become a path.
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        let path = is_hash.then(|| self.folder.join(format!("{hash}-{}.jpg", size.width())));
        if let Some(kept) = path.as_ref().and_then(|path| std::fs::read(path).ok()) {
            return Some(kept);
        }
        let made = preview(&Observations::image(&self.store, hash).ok()??, size)?;
        if let Some(path) = path {
            // A copy that cannot be kept is made again the next time.
            let _ = std::fs::create_dir_all(&self.folder).and_then(|()| whole::replace(&path, &made));
        }
        Some(made)
    }
}

impl Observations for KeptPreviews {
    fn text(&self, hash: &str) -> Result<Option<String>, Box<dyn Error + Send + Sync>> {
        Observations::text(&self.store, hash)
    }

    fn image(&self, hash: &str) -> Result<Option<Vec<u8>>, Box<dyn Error + Send + Sync>> {
        Observations::image(&self.store, hash)
    }

    fn previews(&self, hashes: &[&str], size: Size) -> Vec<Option<Vec<u8>>> {
        hashes.par_iter().map(|hash| self.preview(hash, size)).collect()
    }
}
