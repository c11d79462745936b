//! Checks a file row by row and body by body, where no seal vouches for it.

use super::read_meta;
use crate::blob::BlobReader;
use crate::error::{Location, TraceError};
use crate::file::Opened;
use crate::rows::{self, Contents};
use crate::schema::{STEP, tables_of};
use rusqlite::OptionalExtension;
use std::path::Path;

/// Checks every row but the bodies, and that none is gone; gives each finding to `report`.
pub(crate) fn check_rows(path: &Path, opened: &Opened, report: &mut dyn FnMut(TraceError)) -> Result<(), TraceError> {
    let tables = tables_of(opened.version).unwrap_or(&[]);
    for table in tables {
        if let Err(error) = rows::check_table(&opened.connection, path, table, &mut *report) {
            report(error);
        }
    }
    let wrap = || TraceError::sqlite(path, Location::table(STEP.name));
    let mut statement =
        opened.connection.prepare("SELECT number, contents FROM step ORDER BY number").map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    let mut expected = 0;
    while let Some(row) = rows.next().map_err(wrap())? {
        let (number, contents): (i64, Vec<u8>) =
            row.get(0).and_then(|number| Ok((number, row.get(1)?))).map_err(wrap())?;
        if number != expected {
            let reason = "the steps are not numbered without gaps".to_owned();
            report(TraceError::Missing { path: path.to_owned(), place: Location::row(STEP.name, expected), reason });
        }
        expected = number + 1;
        match Contents::of_step(&opened.connection, path, tables, number) {
            Ok(found) if contents == found => {}
            Ok(_) => report(TraceError::damaged(
                path,
                Location::row(STEP.name, number),
                "rows that belong to this step are gone or not its own",
            )),
            Err(error) => report(error),
        }
    }
    for table in tables.iter().filter(|table| table.of_step) {
        let sql = format!(
            "SELECT step, {} FROM {} WHERE step NOT IN (SELECT number FROM step) LIMIT 1",
            table.key, table.name
        );
        let wrap = || TraceError::sqlite(path, Location::table(table.name));
        let orphan: Option<(i64, i64)> =
            opened.connection.query_row(&sql, [], |row| Ok((row.get(0)?, row.get(1)?))).optional().map_err(wrap())?;
        if let Some((step, row)) = orphan {
            let reason = format!("{} refers to it", Location::row(table.name, row));
            report(TraceError::Missing { path: path.to_owned(), place: Location::row(STEP.name, step), reason });
        }
    }
    match read_meta(&opened.connection, path) {
        Ok((_, _, Some(steps))) if i64::from(steps) != expected => {
            let reason = format!("the recording has {steps} steps, {expected} are there");
            report(TraceError::Missing { path: path.to_owned(), place: Location::row(STEP.name, expected), reason });
        }
        Ok(_) => {}
        Err(error) => report(error),
    }
    Ok(())
}

/// Returns the first body that does not match its hash.
pub(super) fn broken_in_a_blob(path: &Path, opened: &Opened) -> Option<TraceError> {
    let mut found = None;
    let _ = check_blobs(path, opened, &mut |error| {
        found.get_or_insert(error);
    });
    found
}

/// Checks every body against its hash; returns how many there are.
pub(crate) fn check_blobs(path: &Path, opened: &Opened, report: &mut dyn FnMut(TraceError)) -> Result<u64, TraceError> {
    let wrap = || TraceError::sqlite(path, Location::table("blob"));
    let mut statement = opened.connection.prepare("SELECT id, prefix FROM blob ORDER BY id").map_err(wrap())?;
    let mut rows = statement.query([]).map_err(wrap())?;
    let mut blobs = BlobReader::default();
    let mut count = 0;
    // Bodies that a later one may build on are kept for a while; beyond that they are decoded
    // again.
    let mut recent = std::collections::VecDeque::new();
    while let Some(row) = rows.next().map_err(wrap())? {
        let id: i64 = row.get(0).map_err(wrap())?;
        count += 1;
        if let Err(error) = blobs.read(&opened.connection, path, id, &Location::row("blob", id)) {
            report(error);
        }
        recent.push_back(id);
        if recent.len() > 64 {
            recent.pop_front();
            blobs.keep(recent.make_contiguous());
        }
    }
    Ok(count)
}
