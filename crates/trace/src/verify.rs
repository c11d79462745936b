//! Checks a trace file in every way there is.
//!
//! In: a path. Out: a list of findings, each an error with table and row. Invariant: nothing is
//! written, and one finding does not hide the others.

use crate::canonical;
use crate::db::Db;
use crate::error::{Fault, Location, TraceError};
use crate::file::{self, Trust};
use crate::reader::{Trace, check_blobs, check_rows};
use crate::schema::{PAYLOAD, STEP, TABLES};
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
    check_rows(&opened, &mut findings)?;
    let blobs = check_blobs(&opened, &mut findings).unwrap_or_else(|error| {
        findings.push(error);
        0
    });
    let checked = search::check(&opened.db, opened.version, &mut findings);
    findings.extend(checked.err());
    let checked = check_references(&opened.db, &mut findings);
    findings.extend(checked.err());
    let (mut steps, mut complete) = (0, false);
    match Trace::from_opened(opened) {
        Ok(trace) => {
            steps = trace.len();
            complete = trace.is_complete();
            (0..steps).for_each(|step| check_step(&trace, StepIndex(step), &mut findings));
        }
        Err(error) => findings.push(error),
    }
    if trust == Trust::Broken && findings.is_empty() {
        findings.push(TraceError::new(path, Fault::Altered));
    }
    let mut said = std::collections::HashSet::new();
    findings.retain(|finding| said.insert(finding.to_string()));
    Ok(VerifyReport { path: path.to_owned(), steps, blobs, complete, sealed: trust == Trust::Sealed, findings })
}

fn check_references(db: &Db, findings: &mut Vec<TraceError>) -> Result<(), TraceError> {
    let place =
        |name: &str| TABLES.iter().find(|table| table.name == name).map_or(Location::FILE, |table| table.place());
    let sql = "SELECT \"table\", rowid, parent FROM pragma_foreign_key_check";
    db.each(Location::FILE, sql, [], |row| {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        let referrer = Location { row: row.get(1)?, ..place(&table) };
        findings.push(db.missing(place(&parent), format!("{referrer} refers to it")));
        Ok(true)
    })?;
    db.each(Location::FILE, "PRAGMA quick_check(20)", [], |row| {
        let said: String = row.get(0)?;
        if said != "ok" {
            findings.push(db.damaged(Location::FILE, said));
        }
        Ok(true)
    })
}

fn check_step(trace: &Trace, index: StepIndex, findings: &mut Vec<TraceError>) {
    let db = trace.db();
    match trace.step(index) {
        Ok(step) => {
            if let Some(action) = step.action.filter(|action| action.resolved_in.0 > index.0) {
                let reason = format!("its action was resolved in the later step {}", action.resolved_in);
                findings.push(db.damaged(STEP.row(index.0), reason));
            }
        }
        Err(error) => findings.push(error),
    }
    match trace.page(index) {
        Ok((_, capture)) => {
            findings.extend(capture.payloads.iter().filter_map(|payload| {
                let reason = canonical::check(payload).err()?;
                Some(db.error(Fault::not_canonical(index, payload, reason)))
            }));
            if capture.payloads.is_empty() {
                findings.push(db.damaged(PAYLOAD.place(), format!("the capture of step {index} is empty")));
            }
        }
        Err(error) => findings.push(error),
    }
    findings.extend(trace.second_look(index).err());
    findings.extend(trace.entities(index).err());
    let filter = EventFilter { from_step: Some(index.0), to_step: Some(index.0), ..EventFilter::default() };
    findings.extend(trace.events(&filter, None, usize::MAX).err());
}
