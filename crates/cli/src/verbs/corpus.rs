//! `lab corpus`: synthetic traces, what a folder of traces holds, and its parts.

use crate::args::{CorpusVerb, MakeArgs};
use crate::exit::Exit;
use crate::progress::Bar;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_trace::corpus::{
    CorpusStats, Failed, MakeOptions, MakeProgress, find_traces, make, split, stats, write_links, write_lists,
};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

pub(crate) fn run(verb: &CorpusVerb) -> Ended {
    match verb {
        CorpusVerb::Make(args) => run_make(args),
        CorpusVerb::Stats { dir, threads, json } => run_stats(dir, *threads, *json),
        CorpusVerb::Split { dir, held_back, seed, out, links, json } => {
            run_split(dir, *held_back, *seed, out.as_deref().unwrap_or(dir), *links, *json)
        }
    }
}

impl MakeProgress for Bar {
    fn planned(&self, _traces: usize, steps: u64) {
        self.length(steps);
    }

    fn trace_done(&self, path: &Path, steps: u32) {
        self.message(&path.display().to_string());
        self.add(u64::from(steps));
    }
}

fn run_make(args: &MakeArgs) -> Ended {
    let mut from = Vec::new();
    for path in &args.from {
        // Recordings that only knowledge is made of have neither scenario nor pictures.
        let found = find_traces(path)?;
        from.extend(found.into_iter().filter(|trace| {
            let below = trace.strip_prefix(path).unwrap_or(trace);
            !below.iter().any(|part| part == browserlens_replay::VARIANTS)
        }));
    }
    let bar = Bar::new("corpus");
    let begun = Instant::now();
    let report = make(&MakeOptions {
        out: args.out.clone(),
        steps: args.steps,
        seed: args.seed,
        from,
        scenarios_dir: args.scenarios_dir.clone(),
        pixels: !args.no_pixels,
        bodies: !args.no_bodies,
        threads: args.threads,
        progress: &bar,
        cancel: &AtomicBool::new(false),
    })?;
    bar.finish();
    if args.json {
        let text = serde_json::to_string(&report)?;
        output::json(&format!("{text}\n"))?;
    } else {
        output::data(&format!("{}\n", report.out.display()))?;
    }
    let seconds = begun.elapsed().as_secs_f64();
    let mut said = format!(
        "{} traces ({} stood there), {} steps, {}",
        report.traces,
        report.resumed,
        report.steps,
        in_bytes(report.bytes)
    );
    if let Some(bytes) = report.bytes.checked_div(report.steps) {
        let _ = write!(said, ", {} a step", in_bytes(bytes));
    }
    if report.steps_written > 0 {
        let _ = write!(said, "; {:.1} steps a second", report.steps_written as f64 / seconds.max(1e-3));
    }
    output::status(&said);
    output::status(&format!(" hint: browserlens bench --no-report {}", report.out.display()));
    Ok(Exit::Success)
}

fn in_bytes(bytes: u64) -> String {
    match bytes {
        0..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} MB", bytes as f64 / 1e6),
        _ => format!("{:.2} GB", bytes as f64 / 1e9),
    }
}

fn run_stats(dir: &Path, threads: usize, json: bool) -> Ended {
    let traces = find_traces(dir)?;
    let bar = Bar::over("corpus", traces.len(), "traces");
    let stats = stats(&traces, threads, &|path| {
        bar.message(&path.display().to_string());
        bar.add(1);
    })?;
    bar.finish();
    output::json_or(json, &stats, || table(&stats))?;
    Ok(if stats.failures.is_empty() { Exit::Success } else { Exit::Verification })
}

fn table(stats: &CorpusStats) -> String {
    let mut text = String::new();
    let incomplete = if stats.incomplete > 0 { format!(" ({} incomplete)", stats.incomplete) } else { String::new() };
    let _ = writeln!(text, "traces   {:>10}{incomplete}", stats.traces);
    let _ = writeln!(text, "steps    {:>10}", stats.steps);
    let _ = writeln!(text, "bytes    {:>10}  {} a step", stats.bytes, in_bytes(stats.bytes / stats.steps.max(1)));
    let nodes = &stats.nodes;
    let _ = writeln!(
        text,
        "nodes    {:>10}  median of a page; {} to {}, quarters {} and {}, 95 of 100 up to {}",
        nodes.median, nodes.min, nodes.max, nodes.p25, nodes.p75, nodes.p95
    );
    let _ = writeln!(text, "\n{:<24} {:>8} {:>10} {:>14}", "site", "traces", "steps", "bytes");
    for (site, counts) in &stats.sites {
        let _ =
            writeln!(text, "{:<24} {:>8} {:>10} {:>14}", escaped_line(site), counts.traces, counts.steps, counts.bytes);
    }
    counts(&mut text, "action", &stats.actions);
    counts(&mut text, "source", &stats.sources);
    let formats: BTreeMap<String, u64> = stats.formats.iter().map(|(format, n)| (format.to_string(), *n)).collect();
    counts(&mut text, "format", &formats);
    failures(&mut text, &stats.failures);
    text
}

fn counts(text: &mut String, head: &str, counts: &BTreeMap<String, u64>) {
    let _ = writeln!(text, "\n{head:<24} {:>8}", "number");
    for (name, number) in counts {
        let _ = writeln!(text, "{:<24} {number:>8}", escaped_line(name));
    }
}

fn failures(text: &mut String, failures: &[Failed]) {
    if failures.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{} cannot be read", failures.len());
    for failed in failures {
        let _ = writeln!(text, "{}", escaped_line(&failed.error));
        let _ = writeln!(text, "  hint: {}", escaped_line(&failed.hint));
    }
}

fn run_split(dir: &Path, share: f64, seed: u64, out: &Path, links: bool, json: bool) -> Ended {
    let traces = find_traces(dir)?;
    let split = split(dir, &traces, share, seed)?;
    let written: [PathBuf; 2] = if links { write_links(&split, dir, out) } else { write_lists(&split, out) }?;
    output::json_or(json, &split, || {
        let mut text = String::new();
        for (path, part) in written.iter().zip([&split.train, &split.held_back]) {
            let line = format!("{}: {} traces of {}", path.display(), part.traces.len(), part.sites.join(", "));
            let _ = writeln!(text, "{}", escaped_line(&line));
        }
        failures(&mut text, &split.failures);
        text
    })?;
    Ok(if split.failures.is_empty() { Exit::Success } else { Exit::Verification })
}
