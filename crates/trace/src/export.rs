//! Writes a trace as files that any program reads.
//!
//! In: a trace. Out: a folder with `meta.json`, `steps.json`, `events.json` and, per step, one file
//! a payload: `step-003/ax-f1.json`. Invariant: nothing that exists is overwritten.

use crate::error::{Fault, TraceError};
use crate::reader::Trace;
use crate::record::StepRow;
use browserlens_core::page::Payload;
use browserlens_core::strategy::EventFilter;
use serde_json::json;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What [`export`] wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportReport {
    /// The folder.
    pub folder: PathBuf,
    /// Files written.
    pub files: u32,
}

/// Writes a trace into a folder, which is made if it is missing. Entity ids are left out: only
/// replay reads them.
///
/// # Errors
/// [`TraceError`] if the trace cannot be read, or a file exists or cannot be written.
pub fn export(path: impl AsRef<Path>, folder: impl AsRef<Path>) -> Result<ExportReport, TraceError> {
    let trace = Trace::open(path)?;
    let folder = folder.as_ref();
    make_folder(folder)?;
    let mut files = 0;
    let mut write = |name: PathBuf, bytes: &[u8]| -> Result<(), TraceError> {
        let path = folder.join(name);
        let mut file = match File::create_new(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                return Err(TraceError::new(path, Fault::Exists));
            }
            other => other.map_err(TraceError::io(&path, "create the file"))?,
        };
        files += 1;
        file.write_all(bytes).map_err(TraceError::io(&path, "write the file"))
    };
    let pretty = |value: &serde_json::Value| serde_json::to_vec_pretty(value).unwrap_or_default();
    let meta = json!({
        "meta": trace.meta(),
        "format": trace.format_version(),
        "hash": trace.hash().to_string(),
        "complete": trace.is_complete(),
        "incomplete_reason": trace.incomplete_reason(),
    });
    write("meta.json".into(), &pretty(&meta))?;
    let steps: Vec<serde_json::Value> = trace.steps()?.iter().map(step_json).collect();
    write("steps.json".into(), &pretty(&serde_json::Value::Array(steps)))?;
    let events = trace.events(&EventFilter::default(), None, usize::MAX)?;
    write("events.json".into(), &serde_json::to_vec_pretty(&events).unwrap_or_default())?;
    for step in 0..trace.len() {
        let name = PathBuf::from(format!("step-{step:03}"));
        make_folder(&folder.join(&name))?;
        for payload in &trace.capture(browserlens_core::strategy::StepIndex(step))?.payloads {
            write(name.join(file_name(payload)), &payload.body)?;
        }
    }
    Ok(ExportReport { folder: folder.to_owned(), files })
}

fn make_folder(path: &Path) -> Result<(), TraceError> {
    std::fs::create_dir_all(path).map_err(TraceError::io(path, "make the folder"))
}

fn file_name(payload: &Payload) -> String {
    let kind = payload.kind.name();
    let ending = if payload.kind.is_text() { "json" } else { "png" };
    match (payload.frame, payload.node) {
        (0, 0) => format!("{kind}.{ending}"),
        (frame, 0) => format!("{kind}-f{frame}.{ending}"),
        (frame, node) => format!("{kind}-f{frame}-n{node}.{ending}"),
    }
}

fn step_json(step: &StepRow) -> serde_json::Value {
    let key = |key: &browserlens_core::page::NodeKey| key.to_string();
    json!({
        "index": step.index,
        "tab": step.tab,
        "action": step.action.as_ref().map(|action| json!({
            "taken": action.taken,
            "intent": action.intent,
            "target": action.target.as_ref().map(key),
            "acceptable": action.acceptable.iter().map(key).collect::<Vec<_>>(),
            "resolved_in": action.resolved_in,
            "point": action.point,
        })),
        "settled": step.settled,
        "torn_retries": step.torn_retries,
        "timings": step.timings,
    })
}
