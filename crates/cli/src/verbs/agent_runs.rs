//! Records of runs as a report shows them: with the pages of their traces, where those are there.
//!
//! In: a folder of records, a folder of traces. Out: what the report's part on agents is made of.
//! Invariant: a record or a trace that cannot be read is said and left out; it stops no report.

use super::agents::paths;
use crate::exit::Failure;
use crate::output;
use browserlens_core::page::text::escaped_line;
use browserlens_replay::action_in_words;
use browserlens_report::preview::{Size, preview};
use browserlens_report::{AgentPage, AgentRun};
use browserlens_trace::agents::{AgentsError, RunRecord, trace_of};
use browserlens_trace::{StepRow, Trace, TraceError};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// Returns the folder of records that a report reads: the one that was named, else `runs` among the
/// traces, where that is.
pub(crate) fn folder(named: Option<&Path>, traces: &Path) -> Option<PathBuf> {
    named.map(Path::to_owned).or_else(|| Some(traces.join("runs")).filter(|runs| runs.is_dir()))
}

/// Reads the records of a folder, in the order of their names.
///
/// # Errors
/// If the folder cannot be listed, or holds no record.
pub(crate) fn read(folder: Option<&Path>, traces: &Path) -> Result<Vec<AgentRun>, Failure> {
    let Some(folder) = folder else { return Ok(Vec::new()) };
    let paths = paths(&[folder.to_owned()])?;
    let read: Vec<Result<AgentRun, AgentsError>> = paths.par_iter().map(|path| one(path, traces)).collect();
    let mut runs = Vec::new();
    for run in read {
        match run {
            Ok(run) => runs.push(run),
            Err(error) => {
                let said = Failure::from(error);
                output::status(&format!("note: the report leaves a run out: {}", escaped_line(&said.message)));
            }
        }
    }
    Ok(runs)
}

fn one(path: &Path, traces: &Path) -> Result<AgentRun, AgentsError> {
    let record = RunRecord::read(path)?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let trace = trace_of(&record, path, &[traces.to_owned()]).map_err(|error| error.to_string());
    let shown = trace.and_then(|trace| match trace {
        Some(trace) => pages(&trace).map_err(|error| error.to_string()),
        None => Ok(Vec::new()),
    });
    let pages = shown.unwrap_or_else(|why| {
        output::status(&format!("note: the report shows no pages of {name}: {}", escaped_line(&why)));
        Vec::new()
    });
    Ok(AgentRun { name, record, pages })
}

fn pages(trace: &Path) -> Result<Vec<AgentPage>, TraceError> {
    let opened = Trace::open(trace)?;
    let page = |row: &StepRow| {
        let (page, capture) = opened.page(row.index)?;
        let action = row.action.as_ref().map_or_else(String::new, |action| {
            action_in_words(action.taken.kind, action.taken.node.as_ref(), &action.taken.text)
        });
        Ok(AgentPage {
            step: row.index.0,
            action,
            url: page.url().to_owned(),
            title: page.title().to_owned(),
            picture: capture.screenshot().and_then(|shot| preview(shot, Size::Narrow)),
        })
    };
    opened.steps()?.iter().map(page).collect()
}
