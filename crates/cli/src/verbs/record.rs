//! `record`: scenarios in, traces out.

use super::key_of_user;
use crate::args::RecordArgs;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_recorder::{
    Cancel, LeaveOut, PeerOptions, PeersReport, Progress, RecordError, RecordOptions, RecordReport, find_peers,
    harnesses, record, record_peers,
};
use browserlens_trace::RedactionKey;
use browserlens_trace::scenario::Scenario;
use std::path::Path;
use std::sync::Arc;

pub(crate) fn run(args: &RecordArgs) -> Ended {
    if let Some(url) = &args.attach {
        return super::record_attach::run(args, url);
    }
    if let Some(url) = &args.interactive {
        return super::record_attach::interactive(args, url);
    }
    let scenarios = scenarios(args)?;
    let key =
        if scenarios.iter().all(|scenario| scenario.site.is_some()) { RedactionKey::Fixed } else { key_of_user()? };
    let runtime = super::runtime()?;
    std::fs::create_dir_all(&args.out).map_err(Failure::file("made", &args.out, "name a writable folder"))?;
    let cancel = cancelled_by_ctrl_c(&runtime);
    let peers = peers(args)?;
    for (at, scenario) in scenarios.iter().enumerate() {
        let place = format!("{} ({} of {})", scenario.name, at + 1, scenarios.len());
        let options = options(args, scenario, &place, key.clone(), cancel.clone());
        // Peers are asked about the trace that stands there: what they say belongs to it.
        if peers.is_none() || args.force || !options.out.exists() {
            let report = runtime.block_on(record(scenario, &options)).map_err(|error| {
                let mut failure = failure(scenario, error);
                let before = browserlens_trace::before_of(&options.out);
                if before.exists() {
                    failure.hint.push_str(&format!("; the trace that stood there is {}", before.display()));
                }
                failure
            })?;
            output::data(&said(&report))?;
        }
        if let Some(peers) = &peers {
            let report =
                runtime.block_on(record_peers(scenario, &options, peers)).map_err(|error| failure(scenario, error))?;
            output::data(&peers_said(&report))?;
        }
    }
    Ok(Exit::Success)
}

/// Asked to end (Ctrl-C): finished steps stay, our Chromium goes.
pub(super) fn cancelled_by_ctrl_c(runtime: &tokio::runtime::Runtime) -> Cancel {
    let cancel = Cancel::default();
    runtime.spawn({
        let cancel = cancel.clone();
        async move {
            if tokio::signal::ctrl_c().await.is_ok() {
                cancel.cancel();
            }
        }
    });
    cancel
}

/// Which tools are asked; none if none shall be.
fn peers(args: &RecordArgs) -> Result<Option<PeerOptions>, Failure> {
    let Some(names) = &args.peers else { return Ok(None) };
    let mut options = PeerOptions::new(&args.peers_dir);
    if names != "all" {
        for name in names.split(',').map(str::trim) {
            let found = find_peers(name);
            if found.is_empty() {
                let known: Vec<&str> = harnesses().map(|peer| peer.name).collect();
                let message = format!("--peers: there is no tool {name:?}");
                return Err(Failure::usage(message, format!("the tools are {}", known.join(", "))));
            }
            options.peers.extend(found);
        }
    }
    Ok(Some(options))
}

fn peers_said(report: &PeersReport) -> String {
    let mut text = String::new();
    for pass in &report.passes {
        let mut line = format!(
            "{}: {}: {} texts in {:.1} s",
            report.path.display(),
            pass.peer,
            pass.kept,
            pass.millis as f64 / 1_000.0
        );
        if !pass.dropped.is_empty() {
            line.push_str(&format!(", {} dropped because its page differed", pass.dropped.len()));
        }
        text.push_str(&(escaped_line(&line) + "\n"));
        for (step, cause) in &pass.dropped {
            text.push_str(&(escaped_line(&format!("  step {step} dropped: {cause}")) + "\n"));
        }
        for reason in &pass.by_recorder {
            text.push_str(&(escaped_line(&format!("  done by the recorder: {reason}")) + "\n"));
        }
        if let Some(failure) = &pass.failure {
            text.push_str(&(escaped_line(&format!("  failed: {failure}")) + "\n"));
        }
    }
    text
}

fn options(args: &RecordArgs, scenario: &Scenario, place: &str, key: RedactionKey, cancel: Cancel) -> RecordOptions {
    let bar = Arc::new(Bar::new(place));
    let mut options =
        RecordOptions::new(&args.sites_dir, args.out.join(format!("{}.trace", scenario.name.replace('/', "-"))));
    options.chrome.clone_from(&args.chrome);
    options.force = args.force;
    options.no_sandbox = args.no_sandbox;
    options.redaction_key = key;
    options.leave_out = LeaveOut { pictures: args.small, bodies: args.small };
    options.cancel = cancel;
    if scenario.site.is_none() {
        options.recorded_at = Some(super::replay::now());
    }
    options.progress = Some(Arc::new(move |progress: &Progress| match progress {
        Progress::Started { steps } => bar.length(u64::from(*steps)),
        Progress::Step { action, .. } => bar.message(action),
        Progress::Finished { .. } => bar.add(1),
    }));
    options
}

/// The scenarios that are named: files, folders, or names below the scenarios' folder.
fn scenarios(args: &RecordArgs) -> Result<Vec<Scenario>, Failure> {
    if args.scenarios.is_empty() {
        return Scenario::load_all(&args.scenarios_dir).map_err(Failure::from);
    }
    let mut found = Vec::new();
    for name in &args.scenarios {
        let path = Path::new(name);
        let below = args.scenarios_dir.join(format!("{name}.toml"));
        if path.is_dir() {
            found.extend(Scenario::load_all(path)?);
        } else {
            let path = if path.exists() || !below.exists() { path } else { &below };
            found.push(Scenario::load(path)?);
        }
    }
    Ok(found)
}

fn said(report: &RecordReport) -> String {
    let torn: u32 = report.steps.iter().map(|step| step.torn_retries).sum();
    let unsettled = report.steps.iter().filter(|step| !step.settled.quiet).count();
    let mut line =
        format!("{}: {} steps in {:.1} s", report.path.display(), report.steps.len(), report.millis as f64 / 1_000.0);
    if torn > 0 {
        line.push_str(&format!(", {torn} captures taken again"));
    }
    if unsettled > 0 {
        line.push_str(&format!(", {unsettled} steps never settled"));
    }
    (escaped_line(&line) + "\n").into_owned()
}

fn failure(scenario: &Scenario, error: RecordError) -> Failure {
    let mut failure = Failure::from(error);
    if failure.message.starts_with("step ") {
        failure.message = format!("{}: {}", scenario.path.display(), failure.message);
    }
    failure
}
