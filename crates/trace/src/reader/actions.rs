//! Reads the action of a step, and the nodes it was carried out on.

use super::Trace;
use crate::error::{Location, TraceError};
use crate::record::ActionRecord;
use crate::schema::{ACTION, ACTION_NODE};
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActionKind, StepIndex};
use rusqlite::Row;

impl Trace {
    pub(crate) fn action(&self, index: StepIndex) -> Result<Option<ActionRecord>, TraceError> {
        let number = i64::from(index.0);
        type Columns = (String, String, String, u32, Option<f32>, Option<f32>);
        let read = |row: &Row<'_>| -> rusqlite::Result<Columns> {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?, row.get(5)?))
        };
        let found = self.one(
            "SELECT kind, taken, intent, resolved_in, point_x, point_y FROM action WHERE step = ?1",
            (&ACTION, number),
            read,
        )?;
        let Some((kind, taken, intent, resolved_in, x, y)) = found else { return Ok(None) };
        let damaged = |reason: String| TraceError::damaged(&self.path, Location::row(ACTION.name, number), reason);
        if ActionKind::from_name(&kind).is_none() {
            return Err(damaged(format!("column kind: {kind:?} is not an action")));
        }
        let taken = serde_json::from_str(&taken).map_err(|error| damaged(format!("column taken: {error}")))?;
        let intent = serde_json::from_str(&intent).map_err(|error| damaged(format!("column intent: {error}")))?;
        let mut action = ActionRecord {
            taken,
            intent,
            target: None,
            acceptable: Vec::new(),
            resolved_in: StepIndex(resolved_in),
            point: x.zip(y),
        };
        let mut statement = self
            .connection
            .prepare_cached(
                "SELECT frame, document, node, is_target, acceptable FROM action_node WHERE step = ?1 ORDER BY id",
            )
            .map_err(self.wrap(&ACTION_NODE, number))?;
        let mut rows = statement.query([number]).map_err(self.wrap(&ACTION_NODE, number))?;
        while let Some(row) = rows.next().map_err(self.wrap(&ACTION_NODE, number))? {
            let read = || -> rusqlite::Result<(NodeKey, bool, bool)> {
                let key = NodeKey { frame: row.get(0)?, loader: row.get(1)?, backend: row.get(2)? };
                Ok((key, row.get(3)?, row.get(4)?))
            };
            let (key, is_target, acceptable) = read().map_err(self.wrap(&ACTION_NODE, number))?;
            if is_target {
                action.target = Some(key);
            }
            if acceptable {
                action.acceptable.push(key);
            }
        }
        Ok(Some(action))
    }
}
