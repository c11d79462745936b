//! `trace`: info, verify, salvage, prune, export.

use crate::args::TraceVerb;
use crate::exit::{Exit, Failure};
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::PayloadKind;
use browserlens_core::page::text::escaped_line;
use browserlens_trace::{PruneOptions, Trace, TraceInfo, export, prune, salvage, verify};
use std::fmt::Write;
use std::path::PathBuf;

pub(crate) fn run(verb: &TraceVerb) -> Ended {
    match verb {
        TraceVerb::Info { traces, json } => info(traces, *json),
        TraceVerb::Verify { traces } => check(traces),
        TraceVerb::Salvage { from, to } => {
            let report = salvage(from, to)?;
            output::data(&format!(
                "{}: {} steps, {} payloads and {} events saved; lost: {} payloads, {} events, {} actions\n",
                report.to.display(),
                report.steps,
                report.payloads,
                report.events,
                report.lost_payloads,
                report.lost_events,
                report.lost_actions
            ))
        }
        TraceVerb::Prune { from, to, last_step, drop } => {
            let drop = drop.iter().map(|name| kind_of(name)).collect::<Result<Vec<_>, _>>()?;
            let options =
                PruneOptions { steps: last_step.map(|last| last.saturating_add(1)), drop, ..PruneOptions::default() };
            prune(from, to, &options)?;
            Ok(Exit::Success)
        }
        TraceVerb::Export { trace, dir } => {
            let report = export(trace, dir)?;
            output::data(&format!("{}: {} files\n", report.folder.display(), report.files))
        }
    }
}

fn kind_of(name: &str) -> Result<PayloadKind, Failure> {
    PayloadKind::from_name(name).ok_or_else(|| {
        let known: Vec<&str> = PayloadKind::ALL.iter().map(|kind| kind.name()).collect();
        Failure::usage(format!("unknown kind of payload {name:?}"), format!("known: {}", known.join(", ")))
    })
}

fn info(traces: &[PathBuf], json: bool) -> Ended {
    for path in traces {
        let info = Trace::open(path).and_then(|trace| trace.info())?;
        if json {
            let json = serde_json::to_string(&info)?;
            output::json(&format!("{json}\n"))?;
        } else {
            output::data(&in_words(&info))?;
        }
    }
    Ok(Exit::Success)
}

fn in_words(info: &TraceInfo) -> String {
    let mut text = String::new();
    let meta = &info.meta;
    let complete = if info.complete {
        "complete".to_owned()
    } else {
        format!("incomplete ({})", info.incomplete_reason.as_deref().unwrap_or("the recorder was ended"))
    };
    let _ = writeln!(text, "{}", info.path.display());
    let _ = writeln!(text, "  scenario   {}", escaped_line(&meta.scenario));
    let _ = writeln!(text, "  goal       {}", escaped_line(&meta.goal));
    let _ = writeln!(
        text,
        "  recorded   {} by {} with {}",
        escaped_line(meta.recorded_at.as_deref().unwrap_or("at an unknown time")),
        escaped_line(&meta.tool),
        escaped_line(&meta.browser)
    );
    if let Some(origin) = &info.origin {
        let licence = if origin.licence.is_empty() { "unknown licence" } else { &origin.licence };
        let line = format!("{} ({}), {licence}, by {}", origin.source, origin.format, origin.importer);
        let _ = writeln!(text, "  imported   from {}", escaped_line(&line));
        for gap in &origin.gaps {
            let _ = writeln!(text, "             not carried over: {}", escaped_line(gap));
        }
    }
    let _ = writeln!(
        text,
        "  state      {}, format {}, {} bytes, blake3 {}",
        escaped_line(&complete),
        info.format,
        info.bytes,
        info.hash
    );
    let _ = writeln!(text, "  documents  {} in {} frames", info.documents, info.frames);
    let _ = writeln!(text, "  {:<12} {:>8} {:>12} {:>12}", "payloads", "number", "bytes", "stored");
    for kind in &info.kinds {
        let _ = writeln!(
            text,
            "  {:<12} {:>8} {:>12} {:>12}",
            kind.kind.name(),
            kind.payloads,
            kind.bytes,
            kind.stored_bytes
        );
    }
    for (kind, number) in &info.events {
        let _ = writeln!(text, "  {:<12} {:>8}", escaped_line(kind), number);
    }
    for step in &info.steps {
        let action = step.action.map_or("first navigation", |kind| kind.name());
        let settled = if step.quiet { "" } else { "  (never settled)" };
        let _ = writeln!(
            text,
            "  step {:<4} {action:<18} {:>3} payloads {:>10} bytes{settled}",
            step.index, step.payloads, step.bytes
        );
    }
    text
}

fn check(traces: &[PathBuf]) -> Ended {
    let mut ended = Exit::Success;
    let bar = Bar::over("verify", traces.len(), "traces");
    for path in traces {
        bar.message(&path.display().to_string());
        let report = verify(path)?;
        bar.add(1);
        let complete = if report.complete { "complete" } else { "incomplete" };
        if report.is_ok() {
            output::data(&format!(
                "{}: ok: {} steps, {} payloads, {complete}\n",
                path.display(),
                report.steps,
                report.blobs
            ))?;
            continue;
        }
        ended = Exit::Verification;
        for finding in &report.findings {
            output::data(&format!("{}\n", escaped_line(&finding.to_string())))?;
            output::status(&format!(" hint: {}", finding.hint()));
        }
    }
    Ok(ended)
}
