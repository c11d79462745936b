//! What is done with the pointer.
//!
//! In: an action with its node. Out: a call of the tool for it, or a script where the profile has
//! none or a point of the node is meant. Invariant: a drag says where it ends, by a node or a way,
//! or is an error that names what is missing.

use super::place::At;
use super::work::{Calls, Work, object, one};
use crate::model::ElementTarget;
use crate::translate::error::{TranslateError, shown};
use crate::translate::resolve::Wanted;
use crate::translate::script::{Operation, script};
use browserlens_core::page::{NodeRef, Tri};
use serde_json::{Map, Value, json};

impl<'p> Work<'_, 'p> {
    /// Where on its node: `point` from the node's top left corner, or `coordinate_x` and
    /// `coordinate_y` on the page.
    pub(super) fn point(&self, at: &At<'p>) -> Result<Option<Value>, TranslateError> {
        if let Some(point) = self.pair("point")? {
            return Ok(Some(json!({ "point": point })));
        }
        let (Some(x), Some(y)) = (self.number("coordinate_x")?, self.number("coordinate_y")?) else { return Ok(None) };
        Ok(Some(match at {
            At::Node(node) => {
                let corner = node.bounds();
                json!({ "point": [x - f64::from(corner.x), y - f64::from(corner.y)] })
            }
            _ => json!({ "page": [x, y] }),
        }))
    }

    pub(super) fn click(&self) -> Calls {
        let at = self.at()?;
        if let Some(point) = self.point(&at)? {
            return self.scripted(Operation::Click, &at, point);
        }
        if let At::Node(node) = &at {
            if self.is_turned(*node)? {
                return Ok(Vec::new());
            }
        } else {
            let flags = [("expanded", self.flag("expanded")?), ("pressed", self.flag("pressed")?)];
            let wanted = flags.into_iter().filter_map(|(name, on)| Some((name.to_owned(), Value::Bool(on?))));
            let wanted: Map<String, Value> = wanted.collect();
            // A click might undo what is already so: a script looks first.
            if !wanted.is_empty() {
                return self.scripted(Operation::Turn, &at, Value::Object(wanted));
            }
        }
        self.with_element("click", &at, json!({}), Operation::Click, json!({}))
    }

    /// Whether a click that turns a state of its node finds it so already.
    pub(super) fn is_turned(&self, node: NodeRef<'_>) -> Result<bool, TranslateError> {
        let is_so = |wanted: Option<bool>, is: Option<bool>| wanted.is_some() && wanted == is;
        let is_pressed = node.pressed().map(|pressed| pressed == Tri::True);
        Ok(is_so(self.flag("expanded")?, node.expanded()) || is_so(self.flag("pressed")?, is_pressed))
    }

    /// The node that a drag ends on; none where only a way is said.
    pub(super) fn drag_end(&self) -> Result<Option<Wanted>, TranslateError> {
        Ok(match self.action.parameters.get("to") {
            None | Some(Value::Null) => None,
            Some(Value::String(selector)) => Some(Wanted { selector: Some(selector.clone()), ..Wanted::default() }),
            Some(value) => {
                let target = serde_json::from_value::<ElementTarget>(value.clone())
                    .map_err(|error| self.bad("to", format!("names no node: {}", shown(&error.to_string()))))?;
                Some(Wanted { target: Some(target), ..Wanted::default() })
            }
        })
    }

    /// How far a node is dragged that ends on no other.
    pub(super) fn drag_way(&self) -> Result<[f64; 2], TranslateError> {
        self.pair("by")?.ok_or(self.lacks("where the node is dropped: `to` (a node) or `by` (CSS px)"))
    }

    /// Tools of the one profile, scripts of the other.
    pub(super) fn pointed(&self, tool: &'static str, operation: Operation) -> Calls {
        let at = self.at()?;
        match self.point(&at)? {
            None if self.is_seed() => self.with_element(tool, &at, json!({}), operation, json!({})),
            point => self.scripted(operation, &at, point.unwrap_or_else(|| json!({}))),
        }
    }

    pub(super) fn drag(&self) -> Calls {
        let at = self.at()?;
        let to = self.drag_end()?;
        let point = self.point(&at)?;
        let to_point = self.pair("to_point")?;
        let is_pointed = point.is_some() || to_point.is_some();
        let mut values = point.unwrap_or_else(|| json!({}));
        let Some(to) = to else {
            values["by"] = json!(self.drag_way()?);
            return self.scripted(Operation::Drag, &at, values);
        };
        let to = self.at_of(&to)?;
        if self.is_seed() && !is_pointed {
            let mut parameters = json!({});
            if at.name_in(&mut parameters, "") && to.name_in(&mut parameters, "target_") {
                return one("drag_drop", parameters);
            }
        }
        if let Some(to_point) = to_point {
            values["toPoint"] = json!(to_point);
        }
        let (at, to) = (self.place(&at)?, self.place(&to)?);
        one("evaluate", json!({ "code": script(Operation::Drag, Some(&at), Some(&to), object(values)) }))
    }
}
