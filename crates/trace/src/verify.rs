//! Checks a trace file in every way there is.
//!
//! In: a path. Out: a list of findings, each an error with table and row. Invariant: nothing is
//! written, and one finding does not hide the others.

use crate::canonical;
use crate::error::{Location, TraceError};
use crate::file::{self, Trust};
use crate::reader::{Trace, check_blobs, check_rows};
use crate::schema::{PAYLOAD, STEP};
use crate::search;
use browserlens_core::strategy::{EventFilter, StepIndex};
use std::path::{Path, PathBuf};

/// What [`verify`] found.
#[derive(Debug)]
pub struct VerifyReport {
    /// The file.
    pub path: PathBuf,
    /// Steps in the file.
    pub steps: u32,
    /// Bodies in the file.
    pub blobs: u64,
    /// Whether the recording reached its end.
    pub complete: bool,
    /// Whether the file carries a seal over its bytes, and it matches.
    pub sealed: bool,
    /// What is wrong; empty if nothing is.
    pub findings: Vec<TraceError>,
}

impl VerifyReport {
    /// Returns whether nothing is wrong.
    pub fn is_ok(&self) -> bool {
        self.findings.is_empty()
    }
}

/// Checks seal, rows, what searches look at, hashes, references, canonical form, and that every
/// capture parses.
///
/// # Errors
/// [`TraceError`] if the file cannot be read as a trace at all; what is wrong inside is in the
/// report.
pub fn verify(path: impl AsRef<Path>) -> Result<VerifyReport, TraceError> {
    let path = path.as_ref();
    let opened = file::open(path)?;
    let trust = opened.trust;
    let mut findings = Vec::new();
    check_rows(path, &opened, &mut |finding| findings.push(finding))?;
    let blobs = check_blobs(path, &opened, &mut |finding| findings.push(finding)).unwrap_or_else(|error| {
        findings.push(error);
        0
    });
    if let Err(error) = search::check(&opened.connection, path, opened.version, &mut |finding| findings.push(finding)) {
        findings.push(error);
    }
    if let Err(error) = check_references(path, &opened.connection, &mut findings) {
        findings.push(error);
    }
    let (mut steps, mut complete) = (0, false);
    match Trace::from_opened(path, opened) {
        Ok(trace) => {
            steps = trace.len();
            complete = trace.is_complete();
            (0..steps).for_each(|step| check_step(&trace, StepIndex(step), &mut findings));
        }
        Err(error) => findings.push(error),
    }
    if trust == Trust::Broken && findings.is_empty() {
        findings.push(TraceError::Altered { path: path.to_owned() });
    }
    let mut said = std::collections::HashSet::new();
    findings.retain(|finding| said.insert(finding.to_string()));
    Ok(VerifyReport { path: path.to_owned(), steps, blobs, complete, sealed: trust == Trust::Sealed, findings })
}

fn check_references(
    path: &Path,
    connection: &rusqlite::Connection,
    findings: &mut Vec<TraceError>,
) -> Result<(), TraceError> {
    let wrap = || TraceError::sqlite(path, Location::table("sqlite_schema"));
    let mut statement =
        connection.prepare("SELECT \"table\", rowid, parent FROM pragma_foreign_key_check").map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    while let Some(row) = rows.next().map_err(wrap())? {
        let read =
            || -> rusqlite::Result<(String, Option<i64>, String)> { Ok((row.get(0)?, row.get(1)?, row.get(2)?)) };
        let (table, row, parent) = read().map_err(wrap())?;
        let name = |name: &str| {
            crate::schema::TABLES.iter().find(|table| table.name == name).map_or("sqlite_schema", |table| table.name)
        };
        let reason = format!("{} refers to it", Location { table: name(&table), row });
        findings.push(TraceError::Missing { path: path.to_owned(), place: Location::table(name(&parent)), reason });
    }
    drop(rows);
    let mut statement = connection.prepare("PRAGMA quick_check(20)").map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    while let Some(row) = rows.next().map_err(wrap())? {
        let said: String = row.get(0).map_err(wrap())?;
        if said != "ok" {
            findings.push(TraceError::damaged(path, Location::table("sqlite_schema"), said));
        }
    }
    Ok(())
}

fn check_step(trace: &Trace, index: StepIndex, findings: &mut Vec<TraceError>) {
    match trace.step(index) {
        Ok(step) => {
            if let Some(action) = step.action.filter(|action| action.resolved_in.0 > index.0) {
                let reason = format!("its action was resolved in the later step {}", action.resolved_in);
                findings.push(TraceError::damaged(trace.path(), Location::row(STEP.name, i64::from(index.0)), reason));
            }
        }
        Err(error) => findings.push(error),
    }
    match trace.page(index) {
        Ok((_, capture)) => {
            for payload in &capture.payloads {
                if let Err(reason) = canonical::check(payload) {
                    findings.push(TraceError::NotCanonical {
                        path: trace.path().to_owned(),
                        step: index,
                        kind: payload.kind.name(),
                        frame: payload.frame,
                        reason,
                    });
                }
            }
            if capture.payloads.is_empty() {
                let place = Location::table(PAYLOAD.name);
                findings.push(TraceError::damaged(
                    trace.path(),
                    place,
                    format!("the capture of step {index} is empty"),
                ));
            }
        }
        Err(error) => findings.push(error),
    }
    findings.extend(trace.second_look(index).err());
    findings.extend(trace.entities(index).err());
    let filter = EventFilter { from_step: Some(index.0), to_step: Some(index.0), ..EventFilter::default() };
    findings.extend(trace.events(&filter, None, usize::MAX).err());
}
