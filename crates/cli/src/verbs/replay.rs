//! Replaying, and what `bench`, `show` and others share with it: traces and strategies in, a stored
//! run out.

use crate::args::Selection;
use crate::exit::{Exit, Failure};
use crate::output;
use crate::progress::Bar;
use browserlens_core::page::text::escaped_line;
use browserlens_replay::{ConfiguredStrategy, Measured, ReplayOptions, RunResult, find_traces, strategies};
use browserlens_trace::Trace;
use globset::{Glob, GlobSet, GlobSetBuilder};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Replays what the selection names.
pub(crate) fn replay(traces: &Path, selection: &Selection, what: &str) -> Result<RunResult, Failure> {
    let traces = select_traces(traces, &selection.scenarios)?;
    let strategies = select_strategies(&selection.strategies_file, &selection.strategies)?;
    // A cache of this run alone, where the caller wants everything measured again.
    let fresh = || scratch(&selection.cache_dir, "fresh-", "name a writable --cache-dir");
    let scratch = selection.no_cache.then(fresh).transpose()?;
    let cache_dir = scratch.as_ref().map_or(selection.cache_dir.as_path(), TempDir::path);
    let bar = Bar::new(what);
    let result = browserlens_replay::replay(&ReplayOptions {
        threads: selection.threads,
        cache_dir: cache_dir.to_owned(),
        out_dir: selection.runs_dir.clone(),
        encoding: selection.encoding,
        tokenizer: selection.tokenizer,
        date: now(),
        machine: machine(),
        progress: &bar,
        ..ReplayOptions::new(traces, selection.scenarios_dir.clone(), &strategies, cache_dir)
    });
    bar.finish();
    if let Some(scratch) = scratch {
        sweep(scratch);
    }
    result.map_err(Failure::from)
}

/// Makes a folder for what one command needs on its way, under a name that no other process has, of
/// this machine or of another.
pub(crate) fn scratch(folder: &Path, prefix: &str, hint: &str) -> Result<TempDir, Failure> {
    let made =
        std::fs::create_dir_all(folder).and_then(|()| tempfile::Builder::new().prefix(prefix).tempdir_in(folder));
    made.map_err(|error| Failure::input(format!("{}: no folder can be made in it: {error}", folder.display()), hint))
}

/// Removes such a folder. What is left behind is nobody's: one that cannot be removed is only said.
pub(crate) fn sweep(scratch: TempDir) {
    let path = scratch.path().to_owned();
    if let Err(error) = scratch.close() {
        output::status(&format!("note: {}: cannot be removed: {error}", path.display()));
    }
}

/// Says in one line how large the run was.
pub(crate) fn said(run: &RunResult) -> String {
    let units = run.header.traces.len() * run.header.strategies.len();
    format!(
        "{} traces × {} strategies, {} rows ({} of {units} units from the cache); run {}",
        run.header.traces.len(),
        run.header.strategies.len(),
        run.measurements.len(),
        run.cached_units,
        run.folder.display(),
    )
}

/// Loads the strategies that match one of the patterns, or all of them.
pub(crate) fn select_strategies(file: &Path, patterns: &[String]) -> Result<Vec<ConfiguredStrategy>, Failure> {
    let all = strategies::load(file)?;
    if patterns.is_empty() {
        return Ok(all);
    }
    let names: Vec<String> = all.iter().map(|strategy| strategy.name.clone()).collect();
    let chosen = matching(&names, patterns, "strategy", &file.display().to_string())?;
    strategies::select(all, &chosen, file).map_err(Failure::from)
}

/// Returns the traces whose scenario matches one of the patterns, or all of them.
pub(crate) fn select_traces(path: &Path, patterns: &[String]) -> Result<Vec<PathBuf>, Failure> {
    let all = find_traces(path)?;
    if patterns.is_empty() {
        return Ok(all);
    }
    let mut named = Vec::with_capacity(all.len());
    for path in all {
        let trace = Trace::open(&path)?;
        named.push((trace.meta().scenario.clone(), path));
    }
    let names: Vec<String> = named.iter().map(|(name, _)| name.clone()).collect();
    let chosen = matching(&names, patterns, "scenario", &path.display().to_string())?;
    Ok(named.into_iter().filter(|(name, _)| chosen.contains(name)).map(|(_, path)| path).collect())
}

fn no_pattern(error: globset::Error) -> Failure {
    Failure::new(Exit::Usage, &error, "use `*` for anything, such as 'lens/*'")
}

/// What patterns choose, of names that may no longer be there; everything where there is no
/// pattern.
pub(crate) struct Chosen {
    strategies: Option<GlobSet>,
    scenarios: Option<GlobSet>,
}

impl Chosen {
    /// Returns what these patterns choose.
    pub(crate) fn of(strategies: &[String], scenarios: &[String]) -> Result<Self, Failure> {
        let set = |patterns: &[String]| {
            if patterns.is_empty() {
                return Ok(None);
            }
            let mut set = GlobSetBuilder::new();
            for pattern in patterns {
                set.add(Glob::new(pattern).map_err(no_pattern)?);
            }
            set.build().map(Some).map_err(no_pattern)
        };
        Ok(Self { strategies: set(strategies)?, scenarios: set(scenarios)? })
    }

    /// Returns whether a strategy is chosen.
    pub(crate) fn strategy(&self, name: &str) -> bool {
        self.strategies.as_ref().is_none_or(|set| set.is_match(name))
    }

    /// Returns whether a scenario is chosen.
    pub(crate) fn scenario(&self, name: &str) -> bool {
        self.scenarios.as_ref().is_none_or(|set| set.is_match(name))
    }
}

/// Returns the full name of a git revision; none where git does not know it.
pub(crate) fn resolved_revision(name: &str) -> Option<String> {
    // What begins with a dash would be an option.
    git(&["rev-parse", "--verify", "--quiet", "--end-of-options", &format!("{name}^{{commit}}")])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// Returns the git revision of the working folder, with `+` where tracked files were changed; none
/// where there is no git.
pub(crate) fn revision() -> Option<String> {
    let revision = git(&["rev-parse", "HEAD"])?;
    let changed = !git(&["status", "--porcelain", "--untracked-files=no"])?.is_empty();
    Some(if changed { revision + "+" } else { revision })
}

/// Returns the names that match; a pattern that matches none is an error that lists them all.
pub(crate) fn matching(names: &[String], patterns: &[String], what: &str, place: &str) -> Result<Vec<String>, Failure> {
    let mut set = GlobSetBuilder::new();
    let place = escaped_line(place);
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(no_pattern)?;
        if !names.iter().any(|name| glob.compile_matcher().is_match(name)) {
            let message = format!("{place}: no {what} matches {pattern:?}");
            return Err(Failure::usage(message, format!("known: {}", names.join(", "))));
        }
        set.add(glob);
    }
    let set = set.build().map_err(no_pattern)?;
    Ok(names.iter().filter(|name| set.is_match(name.as_str())).cloned().collect())
}

/// The time now, for timing rows and folder names.
pub(crate) fn now() -> String {
    chrono::Utc::now().format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Where and how this run was measured, on `threads` threads (0 for all).
pub(crate) fn measured(threads: usize) -> Measured {
    // Cargo puts what a profile builds into a folder of the profile's name.
    let profile = crate::program_file().parent().and_then(Path::file_name);
    Measured {
        date: now(),
        machine: machine(),
        revision: revision(),
        build: profile.unwrap_or_default().to_string_lossy().into_owned(),
        threads: if threads == 0 { std::thread::available_parallelism().map_or(1, usize::from) } else { threads },
    }
}

/// Which machine this is: processor, number of them, system.
pub(crate) fn machine() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo")
        .ok()
        .and_then(|text| {
            text.lines().find_map(|line| {
                line.strip_prefix("model name").map(|rest| rest.trim_start_matches([' ', '\t', ':']).to_owned())
            })
        })
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{processors} × {model}, {}", std::env::consts::OS)
}
