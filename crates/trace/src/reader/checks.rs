//! Checks a file row by row and body by body, where no seal vouches for it.

use super::read_meta;
use crate::blob::BlobReader;
use crate::error::TraceError;
use crate::file::Opened;
use crate::schema::{BLOB, STEP};
use std::collections::VecDeque;

/// Checks every row but the bodies, and that none is gone; adds what is wrong to `findings`.
pub(crate) fn check_rows(opened: &Opened, findings: &mut Vec<TraceError>) -> Result<(), TraceError> {
    let (db, tables) = (&opened.db, opened.tables());
    for table in tables {
        let checked = db.check_table(table, findings);
        findings.extend(checked.err());
    }
    let mut expected = 0;
    db.each(STEP.place(), "SELECT number, contents FROM step ORDER BY number", [], |row| {
        let (number, contents): (i64, Vec<u8>) = (row.get(0)?, row.get(1)?);
        if number != expected {
            findings.push(db.missing(STEP.row(expected), "the steps are not numbered without gaps".to_owned()));
        }
        expected = number + 1;
        match db.contents(tables, number) {
            Ok(found) if contents == found => {}
            Ok(_) => {
                findings.push(db.damaged(STEP.row(number), "rows that belong to this step are gone or not its own"));
            }
            Err(error) => findings.push(error),
        }
        Ok(true)
    })?;
    for table in tables.iter().filter(|table| table.is_of_step()) {
        let sql = format!(
            "SELECT step, {} FROM {} WHERE step NOT IN (SELECT number FROM step) LIMIT 1",
            table.key(),
            table.name
        );
        let orphan = db.first(table.place(), &sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))?;
        if let Some((step, row)) = orphan {
            findings.push(db.missing(STEP.row(step), format!("{} refers to it", table.row(row))));
        }
    }
    match read_meta(db) {
        Ok((_, _, Some(steps))) if i64::from(steps) != expected => {
            let reason = format!("the recording has {steps} steps, {expected} are there");
            findings.push(db.missing(STEP.row(expected), reason));
        }
        Ok(_) => {}
        Err(error) => findings.push(error),
    }
    Ok(())
}

/// Returns the first body that does not match its hash.
pub(super) fn broken_in_a_blob(opened: &Opened) -> Option<TraceError> {
    let mut findings = Vec::new();
    let _ = check_blobs(opened, &mut findings);
    findings.into_iter().next()
}

/// Checks every body against its hash; returns how many there are.
pub(crate) fn check_blobs(opened: &Opened, findings: &mut Vec<TraceError>) -> Result<u64, TraceError> {
    let mut blobs = BlobReader::default();
    let mut count = 0;
    // Bodies that a later one may build on are kept for a while; beyond that they are decoded
    // again.
    let mut recent = VecDeque::new();
    opened.db.each(BLOB.place(), "SELECT id FROM blob ORDER BY id", [], |row| {
        let id = row.get(0)?;
        count += 1;
        findings.extend(blobs.read(&opened.db, id, BLOB.row(id)).err());
        recent.push_back(id);
        if recent.len() > 64 {
            recent.pop_front();
            blobs.keep(recent.make_contiguous());
        }
        Ok(true)
    })?;
    Ok(count)
}
