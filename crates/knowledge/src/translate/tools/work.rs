//! An action while it is translated, and the calls that come of it.
//!
//! In: an action, what it is translated for. Out: calls of tools by name with their parameters.
//! Invariant: a parameter that is nothing is left out.

use crate::model::ActionDefinition;
use crate::translate::error::TranslateError;
use crate::translate::resolve::Wanted;
use crate::translate::script::{ElementLocator, Operation, script};
use crate::translate::{ActionType, Profile};
use browserlens_core::page::{NodeKey, Page};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// CSS px of a page where none is given: what browser-use takes a viewport to be.
pub(super) const USUAL_HEIGHT: f64 = 720.0;
/// Most fields of one form.
pub(super) const MOST_FIELDS: usize = 100;

/// Gives the ref of a node of the page, as the session that is open writes it.
#[derive(Clone, Copy)]
pub struct Refs<'a>(pub &'a dyn Fn(NodeKey) -> Option<String>);

impl Refs<'_> {
    pub(super) fn of(self, key: NodeKey) -> Option<String> {
        self.0(key)
    }
}

browserlens_core::opaque_debug!(self: Refs<'_> {});

/// What an action is translated for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Context<'a> {
    /// The page on which the action is to be done, live or recorded.
    pub page: Option<&'a Page>,
    /// What gives the refs of its nodes: `browserlens` names them so.
    pub refs: Option<Refs<'a>>,
    /// Where relative URLs begin, if not at the page.
    pub base_url: Option<&'a str>,
    /// Ids of the open tabs, in order of opening; the first of them is shown.
    pub tabs: &'a [String],
    /// Whether a script may look for a node where no page is given; else that is
    /// [`TranslateError::NeedsPage`].
    pub late: bool,
    /// Whether scripts that the knowledge holds may be run.
    pub trust_scripts: bool,
}

/// One call of a tool.
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) parameters: BTreeMap<String, Value>,
}

pub(super) type Calls = Result<Vec<Call>, TranslateError>;

pub(super) fn call(tool: &'static str, parameters: Value) -> Call {
    Call { tool, parameters: object(parameters).into_iter().filter(|(_, value)| !value.is_null()).collect() }
}

pub(super) fn one(tool: &'static str, parameters: Value) -> Calls {
    Ok(vec![call(tool, parameters)])
}

/// Returns the members of a value that is an object.
pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

pub(super) fn by_script(operation: Operation, at: Option<&ElementLocator>, values: Value) -> Calls {
    one("evaluate", json!({ "code": script(operation, at, None, object(values)) }))
}

pub(super) struct Work<'a, 'p> {
    pub(super) action: &'a ActionDefinition,
    pub(super) profile: Profile,
    pub(super) context: &'a Context<'p>,
    pub(super) kind: ActionType,
}

impl Work<'_, '_> {
    pub(super) fn is_seed(&self) -> bool {
        self.profile == Profile::Seed
    }

    pub(super) fn in_words(&self) -> String {
        let wanted = Wanted::of(self.action);
        if wanted.is_empty() {
            self.kind.name().to_owned()
        } else {
            format!("{} {}", self.kind.name(), wanted.in_words())
        }
    }
}
