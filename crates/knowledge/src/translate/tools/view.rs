//! What changes what is in view, and what plays in it.
//!
//! In: an action, with a node or without. Out: a call, or a script where the tool cannot be told
//! the node or the direction.

use super::place::{At, by_text};
use super::work::{Calls, USUAL_HEIGHT, Work, by_script, one};
use crate::translate::ActionType;
use crate::translate::error::{TranslateError, shown};
use crate::translate::resolve::Wanted;
use crate::translate::script::{ElementLocator, Operation};
use serde_json::json;

/// Directions, and which way each is, to the right and down.
const WAYS: [(&str, f64, f64); 4] = [("down", 0.0, 1.0), ("up", 0.0, -1.0), ("right", 1.0, 0.0), ("left", -1.0, 0.0)];

impl Work<'_, '_> {
    /// How far it is scrolled, in CSS px to the right and down.
    pub(super) fn way(&self, height: f64) -> Result<(f64, f64), TranslateError> {
        let direction = match self.kind {
            ActionType::ScrollUp => "up".to_owned(),
            ActionType::ScrollDown => "down".to_owned(),
            _ => self.text("direction")?.unwrap_or_else(|| "down".to_owned()),
        };
        let amount = match (self.number("pages")?, self.number("amount")?.or(self.number("pixels")?)) {
            (Some(pages), _) => self.within("pages", pages, 0.01, 1000.0)? * height,
            (None, Some(amount)) => self.within("amount", amount, 1.0, 1e6)?,
            (None, None) => height,
        };
        let (x, y) = match self.pair("by")? {
            Some([x, y]) => (x, y),
            None => {
                let unknown = || format!("is {:?}; allowed: up, down, left, right", shown(&direction));
                let known = WAYS.iter().find(|(name, ..)| *name == direction);
                let (_, x, y) = known.ok_or_else(|| self.bad("direction", unknown()))?;
                (x * amount, y * amount)
            }
        };
        if x == 0.0 && y == 0.0 {
            return Err(self.bad("by", "is no way at all"));
        }
        Ok((x, y))
    }

    pub(super) fn scroll(&self) -> Calls {
        let height = self.height();
        let (x, y) = self.way(height)?;
        let at = if Wanted::of(self.action).is_empty() { None } else { Some(self.at()?) };
        let is_straight = x == 0.0 || y == 0.0;
        let (index, selector) = match &at {
            Some(At::Node(node)) => (Some(node.key().backend), None),
            Some(At::Selector(selector)) => (None, Some(selector)),
            _ => (None, None),
        };
        if self.is_seed() && is_straight && (at.is_none() || index.is_some() || selector.is_some()) {
            let direction = WAYS.iter().find(|way| way.1 * x + way.2 * y > 0.0).map(|(name, ..)| name);
            let by = json!({ "direction": direction, "amount": (x + y).abs(), "index": index, "selector": selector });
            return one("scroll", by);
        }
        if !self.is_seed() && x == 0.0 && (at.is_none() || index.is_some()) {
            let pages = (y.abs() / height * 100.0).round().max(1.0) / 100.0;
            return one("scroll", json!({ "down": y > 0.0, "pages": pages, "index": index }));
        }
        let place = at.as_ref().map(|at| self.place(at)).transpose()?;
        by_script(Operation::ScrollBy, place.as_ref(), json!({ "x": x, "y": y }))
    }

    /// The height of the view, in CSS px.
    pub(super) fn height(&self) -> f64 {
        self.context.page.map_or(USUAL_HEIGHT, |page| f64::from(page.viewport().height).max(1.0))
    }

    pub(super) fn find_text(&self) -> Calls {
        let text = self.needed("text", &["query"])?;
        if !self.is_seed() {
            return one("find_text", json!({ "text": text }));
        }
        by_script(Operation::ScrollTo, Some(&by_text(text)), json!({}))
    }

    pub(super) fn media(&self, tool: &'static str, what: &str, value: Option<(&'static str, f64)>) -> Calls {
        let at = if Wanted::of(self.action).is_empty() { None } else { Some(self.at()?) };
        let more = value.map_or_else(|| json!({}), |(name, value)| json!({ name: value }));
        let values = json!({ "what": what, "value": value.map(|(_, value)| value) });
        match at {
            None if self.is_seed() => one(tool, more),
            None => by_script(Operation::Media, Some(&ElementLocator::Path(vec!["video".to_owned()])), values),
            Some(at) if self.is_seed() => self.with_element(tool, &at, more, Operation::Media, values),
            Some(at) => self.scripted(Operation::Media, &at, values),
        }
    }
}
