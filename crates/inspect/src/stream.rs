//! Answers of any size as JSON lines.
//!
//! In: a query, a writer. Out: one row a line, all that pass, in the order of pages. Invariant:
//! memory holds one chunk, whatever the number of rows.

use crate::answer::Cuts;
use crate::console;
use crate::error::InspectError;
use crate::limits::Limits;
use crate::network;
use crate::pages::Asked;
use crate::query::{ConsoleQuery, NetworkQuery};
use browserlens_core::strategy::{Event, PageSource};
use serde::Serialize;
use std::io::Write;

fn written<F, R: Serialize>(
    asked: &Asked<F>,
    source: &mut dyn PageSource,
    out: &mut dyn Write,
    rows: impl Fn(&mut dyn PageSource, Event) -> Result<Vec<R>, InspectError>,
) -> Result<u64, InspectError> {
    let mut written = 0;
    asked.all(source, |source, events| {
        // One by one: each may hold megabytes of bodies.
        for event in events {
            for row in rows(source, event)? {
                serde_json::to_writer(&mut *out, &row)?;
                out.write_all(b"\n")?;
                written += 1;
            }
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(written)
}

/// Writes every console message that passes, one a line, unfolded; returns how many.
///
/// # Errors
/// [`InspectError`] if the query is wrong, the source fails or nothing can be written.
pub fn console(
    source: &mut dyn PageSource,
    query: &ConsoleQuery,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, InspectError> {
    let asked = console::check(query, source, limits)?;
    written(&asked, source, out, |_, event| Ok(console::rows(&[event], "", limits, &mut Cuts::default())))
}

/// Writes every request that passes, one a line; returns how many.
///
/// # Errors
/// [`InspectError`] if the query is wrong, the source fails or nothing can be written.
pub fn network(
    source: &mut dyn PageSource,
    query: &NetworkQuery,
    limits: &Limits,
    out: &mut dyn Write,
) -> Result<u64, InspectError> {
    let (asked, bodies) = network::check(query, source, limits)?;
    written(&asked, source, out, |source, event| {
        network::rows(source, vec![event], &bodies, limits, &mut Cuts::default())
    })
}
