//! Reads the action of a step, and the nodes it was carried out on.

use super::Trace;
use crate::error::TraceError;
use crate::record::ActionRecord;
use crate::schema::{ACTION, ACTION_NODE};
use browserlens_core::page::NodeKey;
use browserlens_core::strategy::{ActionKind, StepIndex};

impl Trace {
    pub(crate) fn action(&self, index: StepIndex) -> Result<Option<ActionRecord>, TraceError> {
        let (db, place) = (self.db(), ACTION.row(index.0));
        let sql = "SELECT kind, taken, intent, resolved_in, point_x, point_y FROM action WHERE step = ?1";
        let found = db.first(place, sql, [index.0], |row| {
            let said: [String; 3] = [row.get(0)?, row.get(1)?, row.get(2)?];
            let point: (Option<f32>, Option<f32>) = (row.get(4)?, row.get(5)?);
            Ok((said, StepIndex(row.get(3)?), point.0.zip(point.1)))
        })?;
        let Some(([kind, taken, intent], resolved_in, point)) = found else { return Ok(None) };
        if ActionKind::from_name(&kind).is_none() {
            return Err(db.damaged(place, format!("column kind: {kind:?} is not an action")));
        }
        let malformed = |column: &str, error: serde_json::Error| db.damaged(place, format!("column {column}: {error}"));
        let taken = serde_json::from_str(&taken).map_err(|error| malformed("taken", error))?;
        let intent = serde_json::from_str(&intent).map_err(|error| malformed("intent", error))?;
        let mut action = ActionRecord { taken, intent, target: None, acceptable: Vec::new(), resolved_in, point };
        let sql = "SELECT frame, document, node, is_target, acceptable FROM action_node WHERE step = ?1 ORDER BY id";
        db.each(ACTION_NODE.row(index.0), sql, [index.0], |row| {
            let key = NodeKey { frame: row.get(0)?, loader: row.get(1)?, backend: row.get(2)? };
            if row.get(3)? {
                action.target = Some(key);
            }
            if row.get(4)? {
                action.acceptable.push(key);
            }
            Ok(true)
        })?;
        Ok(Some(action))
    }
}
