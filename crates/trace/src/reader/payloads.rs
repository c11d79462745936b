//! Reads the payloads of a capture: which there are, and whether all are there that were promised.

use super::Trace;
use crate::db::RowError;
use crate::error::TraceError;
use crate::schema::{CAPTURE, PAYLOAD};
use browserlens_core::page::PayloadKind;
use browserlens_core::strategy::StepIndex;
use rusqlite::Row;

/// A row of table `payload`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PayloadRow {
    pub id: i64,
    pub kind: PayloadKind,
    pub frame: u32,
    pub node: u32,
    pub blob: i64,
}

impl Trace {
    pub(crate) fn payload_rows(&self, step: StepIndex) -> Result<Vec<PayloadRow>, TraceError> {
        let (db, place) = (self.db(), CAPTURE.row(step.0));
        let sql = "SELECT payloads FROM capture WHERE step = ?1";
        let promised: Option<i64> = db.first(place, sql, [step.0], |row| row.get(0))?;
        let promised = promised.ok_or_else(|| match step.0 >= self.len() {
            true => self.no_step(step),
            false => db.missing(place, format!("step {step} has no capture")),
        })?;
        let sql = "SELECT id, kind, frame, node, blob FROM payload WHERE step = ?1 ORDER BY id";
        let listed = db.all(PAYLOAD.row(step.0), sql, [step.0], |row| self.payload_row(row))?;
        if listed.len() as i64 != promised {
            let reason = format!("the capture of step {step} has {promised} payloads, {} are there", listed.len());
            return Err(db.missing(PAYLOAD.place(), reason));
        }
        Ok(listed)
    }

    /// Reads a row selected as `id, kind, frame, node, blob`.
    pub(crate) fn payload_row(&self, row: &Row<'_>) -> Result<PayloadRow, RowError> {
        let db = self.db();
        let id: i64 = row.get(0)?;
        let read = || -> rusqlite::Result<_> { Ok((row.get::<_, String>(1)?, row.get(2)?, row.get(3)?, row.get(4)?)) };
        let (kind, frame, node, blob) = read().map_err(db.failed(PAYLOAD.row(id)))?;
        let unknown = || db.damaged(PAYLOAD.row(id), format!("column kind: {kind:?} is no payload kind"));
        let kind = PayloadKind::from_name(&kind).ok_or_else(unknown)?;
        Ok(PayloadRow { id, kind, frame, node, blob })
    }
}
