//! Reads the payloads of a capture: which there are, and whether all are there that were promised.

use super::Trace;
use crate::error::{Location, TraceError};
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
        let number = i64::from(step.0);
        let promised: Option<i64> =
            self.one("SELECT payloads FROM capture WHERE step = ?1", (&CAPTURE, number), |row| row.get(0))?;
        let Some(promised) = promised else {
            if step.0 >= self.steps {
                return Err(self.no_step(step));
            }
            let reason = format!("step {step} has no capture");
            return Err(TraceError::Missing {
                path: self.path.clone(),
                place: Location::row(CAPTURE.name, number),
                reason,
            });
        };
        let mut statement = self
            .connection
            .prepare_cached("SELECT id, kind, frame, node, blob FROM payload WHERE step = ?1 ORDER BY id")
            .map_err(self.wrap(&PAYLOAD, number))?;
        let mut rows = statement.query([number]).map_err(self.wrap(&PAYLOAD, number))?;
        let mut listed = Vec::new();
        while let Some(row) = rows.next().map_err(self.wrap(&PAYLOAD, number))? {
            listed.push(self.payload_row(row)?);
        }
        if listed.len() as i64 != promised {
            let reason = format!("the capture of step {step} has {promised} payloads, {} are there", listed.len());
            return Err(TraceError::Missing { path: self.path.clone(), place: Location::table(PAYLOAD.name), reason });
        }
        Ok(listed)
    }

    /// Reads a row selected as `id, kind, frame, node, blob`.
    pub(crate) fn payload_row(&self, row: &Row<'_>) -> Result<PayloadRow, TraceError> {
        let id: i64 = row.get(0).map_err(TraceError::sqlite(&self.path, Location::table(PAYLOAD.name)))?;
        let kind: String = row.get(1).map_err(self.wrap(&PAYLOAD, id))?;
        let kind = PayloadKind::from_name(&kind).ok_or_else(|| {
            TraceError::damaged(
                &self.path,
                Location::row(PAYLOAD.name, id),
                format!("column kind: {kind:?} is no payload kind"),
            )
        })?;
        let read = || -> rusqlite::Result<PayloadRow> {
            Ok(PayloadRow { id, kind, frame: row.get(2)?, node: row.get(3)?, blob: row.get(4)? })
        };
        read().map_err(self.wrap(&PAYLOAD, id))
    }
}
