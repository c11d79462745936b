//! One import: inputs in, traces out.
//!
//! In: a [`Format`], files, and [`ImportOptions`]. Out: an [`ImportReport`]. Invariant: a trace
//! stands under its name only with all the steps that could be read, or says in itself why it ends
//! early.

use crate::error::ImportError;
use crate::options::ImportOptions;
use crate::plan::Plan;
#[cfg(feature = "render")]
use crate::render::render;
use crate::script::{self, Script, json_file as json};
use crate::write::{Captured, Writing};
use crate::{derive, mind2web, playwright, raw, weblinx};
use browserlens_core::named;
#[cfg(not(feature = "render"))]
use browserlens_core::page::Flags;
use browserlens_core::page::{Capture, Page, PayloadKind};
use browserlens_trace::{Canonicalizer, Origin, whole};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

named! {
    /// A format that is read.
    pub enum Format {
        /// Playwright's `trace.zip`, versions 3 to 10.
        Playwright = "playwright",
        /// A folder of raw accessibility trees and DOM snapshots.
        Cdp = "cdp",
        /// WebLINX 1.1.
        Weblinx = "weblinx",
        /// Mind2Web, as JSON, and Multimodal-Mind2Web, as Parquet.
        Mind2web = "mind2web",
        /// A history of browser-use, as a scenario.
        BrowserUse = "browser-use",
        /// A script of the DevTools Recorder, as a scenario.
        DevtoolsRecorder = "devtools-recorder",
        /// A project of Selenium IDE, as scenarios.
        Selenium = "selenium",
        /// A trace of ours, as the scenario that does the same again.
        Trace = "trace",
    }
}

/// What an import made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ImportReport {
    /// The traces.
    pub traces: Vec<ImportedTrace>,
    /// The scenarios.
    pub scenarios: Vec<ImportedScenario>,
}

/// One scenario that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedScenario {
    /// The file.
    pub path: PathBuf,
    /// Its steps, the first navigation left out.
    pub steps: u32,
    /// What could not be carried over.
    pub gaps: Vec<String>,
}

/// One trace that was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ImportedTrace {
    /// The file.
    pub path: PathBuf,
    /// Its steps.
    pub steps: u32,
    /// Steps whose action has a node.
    pub with_node: u32,
    /// Where it comes from, and what could not be carried over.
    pub origin: Origin,
}

/// Imports files of one format.
///
/// # Errors
/// [`ImportError`]; traces that were finished before it stay.
pub fn import(format: Format, inputs: &[PathBuf], options: &ImportOptions) -> Result<ImportReport, ImportError> {
    std::fs::create_dir_all(&options.out).map_err(ImportError::io(&options.out, "make the folder"))?;
    let mut report = ImportReport::default();
    let mut tables = Vec::new();
    for input in inputs {
        // The actions of a task may lie in several files of such.
        if format == Format::Mind2web {
            tables.extend(mind2web::tables(input)?);
            if input.is_dir() || tables.contains(input) {
                continue;
            }
        }
        let plans = match format {
            Format::Playwright => playwright::read(input, options.limits)?,
            Format::Cdp => raw::read(input, options.limits)?,
            Format::Weblinx => weblinx::read(input, options.limits)?,
            Format::Mind2web => {
                mind2web::read_tasks(input, &options.limits, |plan| made(plan, input, options, &mut report))?;
                Vec::new()
            }
            Format::BrowserUse => scenarios(script::browser_use(input, &json(input)?)?, options, &mut report)?,
            Format::DevtoolsRecorder => scenarios(script::devtools(input, &json(input)?)?, options, &mut report)?,
            Format::Selenium => scenarios(script::selenium(input, &json(input)?)?, options, &mut report)?,
            Format::Trace => scenarios(script::read_recording(input)?, options, &mut report)?,
        };
        plans.into_iter().try_for_each(|plan| made(plan, input, options, &mut report))?;
    }
    mind2web::read_rows(&tables, &options.limits, |plan, path| made(plan, path, options, &mut report))?;
    Ok(report)
}

/// Makes the trace of one plan.
fn made(mut plan: Plan, input: &Path, options: &ImportOptions, report: &mut ImportReport) -> Result<(), ImportError> {
    if !options.licence.is_empty() {
        plan.origin.licence.clone_from(&options.licence);
    }
    if let Some(har) = &options.har {
        plan.visits = crate::har::read(har)?;
        plan.origin.source.push_str(&format!(", {}", crate::plan::file_name(har)));
    }
    let path = options.out.join(format!("{}.trace", file_name(&plan.name)));
    report.traces.push(write(&plan, input, path, options)?);
    Ok(())
}

fn write(plan: &Plan, input: &Path, path: PathBuf, options: &ImportOptions) -> Result<ImportedTrace, ImportError> {
    let renders = options.render && plan.pages.needs_rendering();
    let (with_node, steps, gaps) = if renders {
        render(plan, input, &path, options)?
    } else {
        let mut writing = Writing::create(plan, &path, None, options.redaction_key.clone(), options.force)?;
        let written = each(plan, input, options, |captured| writing.step(captured));
        writing.finish(false, written)?
    };
    let origin = Origin { rendered: renders, gaps, ..plan.origin.clone() };
    Ok(ImportedTrace { path, steps, with_node, origin })
}

/// Makes the pages of a plan one by one, each while the one before is written.
fn each(
    plan: &Plan,
    input: &Path,
    options: &ImportOptions,
    mut write: impl FnMut(Captured) -> Result<(), ImportError>,
) -> Result<(), ImportError> {
    std::thread::scope(|scope| {
        let (give, take) = std::sync::mpsc::sync_channel(1);
        scope.spawn(move || {
            let mut canonicalizer = Canonicalizer::new();
            for step in 0..plan.steps.len() {
                let made = derived(plan, input, step, options, &mut canonicalizer);
                let is_last = made.is_err();
                // Nobody takes it once a step could not be written.
                if give.send(made).is_err() || is_last {
                    return;
                }
            }
        });
        take.into_iter().try_for_each(|made| write(made?))
    })
}

/// Makes the page of one step without a browser.
fn derived(
    plan: &Plan,
    input: &Path,
    step: usize,
    options: &ImportOptions,
    canonicalizer: &mut Canonicalizer,
) -> Result<Captured, ImportError> {
    let mut gaps = Vec::new();
    let (mut capture, marks) = match plan.pages.capture(step, canonicalizer) {
        Some(whole) => whole?,
        None => {
            let scene = plan.pages.scene(step)?;
            gaps.extend(scene.gaps.iter().cloned());
            gaps.push(derive::GAP.to_owned());
            derive::capture(input, step, &scene, &options.limits, canonicalizer)?
        }
    };
    let page = Page::parse(&capture).map_err(|error| {
        ImportError::malformed(input, format!("step {step}"), format!("its capture does not parse: {error}"))
    })?;
    mask(&mut capture, &page, plan);
    Ok(Captured { capture, page: Arc::new(page), marks, quiet: true, timings: Vec::new(), gaps })
}

/// Paints over secret fields in pictures; what cannot be painted over goes.
fn mask(capture: &mut Capture, page: &Page, plan: &Plan) {
    #[cfg(feature = "render")]
    let done = browserlens_recorder::mask_pictures(capture, page, &plan.secrets).is_ok();
    #[cfg(not(feature = "render"))]
    let done = plan.secrets.is_empty() && !page.nodes().any(|node| node.flags().has(Flags::SECRET) && node.is_filled());
    if !done {
        capture.payloads.retain(|payload| payload.kind != PayloadKind::Screenshot);
    }
}

#[cfg(not(feature = "render"))]
fn render(plan: &Plan, input: &Path, _: &Path, _: &ImportOptions) -> Result<(u32, u32, Vec<String>), ImportError> {
    // Nothing can be shown without a browser; the first page says what is missing.
    plan.pages.scene(0).map(drop)?;
    Err(ImportError::malformed(input, "this build", "it cannot render: it was made without the feature `render`"))
}

/// Returns the file of a trace: its name, without what a file system or a shell would stumble over.
fn file_name(name: &str) -> String {
    let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
    let name: String = name.chars().map(plain).take(120).collect();
    match name.trim_matches(['.', '-']) {
        "" => "imported".to_owned(),
        name => name.to_owned(),
    }
}

/// Writes scenarios; no plan comes of them.
fn scenarios(
    scripts: Vec<Script>,
    options: &ImportOptions,
    report: &mut ImportReport,
) -> Result<Vec<Plan>, ImportError> {
    for script in scripts {
        let path = options.out.join(format!("{}.toml", file_name(&script.name)));
        let text = script.toml(&path)?;
        let write = if options.force { whole::write } else { whole::write_new };
        match write(&path, text.as_bytes()) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(browserlens_trace::TraceError::new(path, browserlens_trace::Fault::Exists).into());
            }
            written => written.map_err(ImportError::io(&path, "write the file"))?,
        }
        let steps = script.steps.len() as u32;
        report.scenarios.push(ImportedScenario { path, steps, gaps: script.gaps });
    }
    Ok(Vec::new())
}
