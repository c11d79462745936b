//! `import`: other people's recordings in, traces out; their scripts in, scenarios out.

use super::key_of_user;
use crate::args::ImportArgs;
use crate::{Ended, output};
use browserlens_core::page::text::escaped_line;
use browserlens_import::{Format, ImportOptions, ImportReport, import};
use std::fmt::Write as _;
use std::path::PathBuf;

pub(crate) fn run(args: &ImportArgs) -> Ended {
    let mut options = ImportOptions::new(&args.out);
    options.force = args.force;
    options.render = !args.no_render;
    options.pages = args.pages;
    options.chrome.clone_from(&args.chrome);
    options.har.clone_from(&args.har);
    options.licence.clone_from(&args.licence);
    options.redaction_key = key_of_user()?;
    if !args.json {
        return write(args.format, &args.inputs, &options);
    }
    let report = import(args.format, &args.inputs, &options)?;
    output::pretty(&report)
}

/// Imports, and says in words what was made.
pub(super) fn write(format: Format, inputs: &[PathBuf], options: &ImportOptions) -> Ended {
    let report = import(format, inputs, options)?;
    output::data(&said(&report))
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
