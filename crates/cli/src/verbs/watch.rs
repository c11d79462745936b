//! `watch`: a local page that shows the sessions of `page`, and the clients of `serve --watch`; or the
//! step viewer of the report for a trace or a run.
//!
//! In: a port, and what to step through. Out: the page's address on standard output; it is served
//! until the command is ended. What is written for it lies in a folder that goes with the command.

use super::page::folder_of_user;
use crate::Ended;
use crate::args::{BenchArgs, WatchArgs};
use crate::exit::{Exit, Failure};
use crate::output::status;
use browserlens_core::page::text::escaped_line;
use browserlens_serve::{Watching, serve_watch};
use browserlens_trace::agents::{RunRecord, trace_of};
use clap::{Args as _, FromArgMatches as _};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

const STRATEGIES: &str = include_str!("../../../../traces/strategies.toml");

pub(crate) fn run(args: &WatchArgs) -> Ended {
    let folder = folder_of_user()?;
    let report = args.source.as_deref().map(|source| written(source, &args.scenarios_dir)).transpose()?;
    let page = report.as_ref().map_or("", |(_, page)| *page);
    let runtime = tokio::runtime::Runtime::new();
    let runtime = runtime.map_err(|error| Failure::new(Exit::Input, &error, "free some memory or threads"))?;
    let cannot = |error| Failure::new(Exit::Input, &error, "give another port by --port, or none");
    runtime.block_on(async {
        let watching = Watching::on(args.port).await.map_err(cannot)?;
        crate::output::data(&format!("{}{page}\n", watching.url()))?;
        status("open it in a browser; end it with Ctrl+C");
        let stop = CancellationToken::new();
        tokio::spawn(super::serve::stop_when_asked(stop.clone()));
        serve_watch(watching, folder, report.as_ref().map(|(folder, _)| folder.path().join("report")), stop)
            .await
            .map_err(cannot)
    })?;
    Ok(Exit::Success)
}

/// Writes what is to be stepped through; returns its folder, and its page below the address.
fn written(source: &Path, scenarios_dir: &Path) -> Result<(TempDir, &'static str), Failure> {
    let cannot = |error: std::io::Error| Failure::new(Exit::Input, &error, "free some space, or set TMPDIR");
    let folder = tempfile::tempdir().map_err(cannot)?;
    let is_run = source.extension().is_some_and(|end| end == "run");
    let trace = if is_run { trace_of_run(source)? } else { None };
    if is_run && trace.is_none() {
        let text = super::agents::whole(source)?;
        std::fs::create_dir(folder.path().join("report")).map_err(cannot)?;
        std::fs::write(folder.path().join("report/run.txt"), text).map_err(cannot)?;
        return Ok((folder, "report/run.txt"));
    }
    let below = |name: &str| folder.path().join(name).into_os_string();
    let mut words: Vec<OsString> =
        vec!["bench".into(), "--out".into(), below("report"), "--scenarios-dir".into(), scenarios_dir.into()];
    if source.join("observations").is_dir() {
        words.push("--from".into());
    } else {
        words.extend(["--no-cache".into(), "--runs-dir".into(), below("runs"), "--cache-dir".into(), below("cache")]);
    }
    // An agent's run is gone through call by call, the page of its trace beside each.
    words.push(trace.as_deref().unwrap_or(source).into());
    if is_run {
        words.extend(["--agent-runs".into(), source.into()]);
    }
    // Away from a project there are those of the program.
    if !Path::new("traces/strategies.toml").is_file() {
        std::fs::write(below("strategies.toml"), STRATEGIES).map_err(cannot)?;
        words.extend(["--strategies-file".into(), below("strategies.toml")]);
    }
    let parsed = BenchArgs::augment_args(clap::Command::new("bench")).try_get_matches_from(words);
    let bench = parsed.and_then(|matches| BenchArgs::from_arg_matches(&matches));
    let bench = bench.map_err(|error| Failure::usage(error.to_string(), "name a trace or a stored run"))?;
    super::bench::only_report(bench)?;
    Ok((folder, if is_run { "report/index.html#runs" } else { "report/index.html" }))
}

/// Returns the trace of a run's pages, if it names one that lies beside it.
fn trace_of_run(run: &Path) -> Result<Option<PathBuf>, Failure> {
    let record = RunRecord::read(run)?;
    match trace_of(&record, run, &[]) {
        Ok(trace) => Ok(trace),
        Err(error) => {
            let said = Failure::from(error);
            status(&format!("note: the run is shown without its pages: {}", escaped_line(&said.message)));
            Ok(None)
        }
    }
}
