//! `import`: other people's recordings in, traces out; their scripts in, scenarios out.

use super::json_failure;
use super::key_of_user;
use crate::args::ImportArgs;
use crate::exit::{Exit, Failure};
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_import::{Format, ImportError, ImportOptions, ImportReport, import};
use std::fmt::Write as _;
use std::path::PathBuf;

pub(crate) fn run(args: &ImportArgs) -> Ended {
    let Some(format) = Format::from_name(&args.format) else {
        let known = Format::ALL.map(Format::name).join(", ");
        return Err(Failure::words(
            Exit::Usage,
            format!("no format is called {:?}", args.format),
            format!("formats: {known}"),
        ));
    };
    let mut options = ImportOptions::new(&args.out);
    options.force = args.force;
    options.render = !args.no_render;
    options.pages = args.pages;
    options.chrome.clone_from(&args.chrome);
    options.har.clone_from(&args.har);
    options.licence.clone_from(&args.licence);
    options.redaction_key = key_of_user()?;
    if !args.json {
        return write(format, &args.inputs, &options);
    }
    let report = import(format, &args.inputs, &options).map_err(|error| failure(&error))?;
    let text = serde_json::to_string_pretty(&report).map_err(|error| json_failure(&error))?;
    output::json(&(text + "\n"))?;
    Ok(Exit::Success)
}

/// Imports, and says in words what was made.
pub(super) fn write(format: Format, inputs: &[PathBuf], options: &ImportOptions) -> Ended {
    let report = import(format, inputs, options).map_err(|error| failure(&error))?;
    output::data(&said(&report))?;
    Ok(Exit::Success)
}

fn said(report: &ImportReport) -> String {
    let mut text = String::new();
    for trace in &report.traces {
        let how = if trace.origin.rendered { "rendered" } else { "as it was" };
        let line = format!(
            "{}: {} steps from {} ({}, {how}), {} actions with their node",
            trace.path.display(),
            trace.steps,
            trace.origin.source,
            trace.origin.format,
            trace.with_node
        );
        let _ = writeln!(text, "{}", escaped_line(&line));
        for gap in &trace.origin.gaps {
            let _ = writeln!(text, "  not carried over: {}", escaped_line(gap));
        }
    }
    for scenario in &report.scenarios {
        let _ = writeln!(text, "{}", escaped_line(&format!("{}: {} steps", scenario.path.display(), scenario.steps)));
        for gap in &scenario.gaps {
            let _ = writeln!(text, "  not carried over: {}", escaped_line(gap));
        }
    }
    text
}

fn failure(error: &ImportError) -> Failure {
    let exit = error.exit_class().map_or(Exit::Browser, super::exit_of);
    Failure::new(exit, error, error.hint())
}
