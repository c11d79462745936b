//! The model: screens, actions, transitions and tasks, as they are stored and as JSON.
//!
//! In: nothing; plain types. Out: the same with serde and JSON schemas. Invariants: JSON uses the
//! field names agents already know (`tool_name`, `parameters`, with `tool` and `params` accepted);
//! a row without `content_type` reads as `unknown`; maps are sorted, so that equal knowledge is
//! equal text. Types here accept what old files hold: whether a value makes sense is checked when
//! it is stored.

mod action;
mod ids;
pub(crate) mod screen;
mod source;
mod task;

pub use action::{ActionDefinition, BrowserUseAction, ElementTarget, TransitionDefinition};
pub use ids::{ActionId, KnowledgeId, ScreenId, TaskId, TransitionId, WebsiteId};
pub use screen::{ContentType, Form, FormField, Indicator, IndicatorKind, Region, ScreenDefinition, StateSignature};
pub use source::{Inference, Metadata, Provenance};
pub use task::{StepAction, SuccessCriteria, TaskDefinition, TaskStep};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How many screens there are of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Statistics {
    /// Screens of a website.
    pub web_ui_screens: u32,
    /// Sections of documents: documentation, API docs and transcripts.
    pub documentation_screens: u32,
    /// Screens that a browser can be led to.
    pub actionable_screens: u32,
    /// The others.
    pub non_actionable_screens: u32,
}

/// One body of knowledge, in memory.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Knowledge {
    /// Its id.
    pub knowledge_id: KnowledgeId,
    /// Screens by id.
    #[serde(default)]
    pub screens: BTreeMap<ScreenId, ScreenDefinition>,
    /// Actions by id.
    #[serde(default)]
    pub actions: BTreeMap<ActionId, ActionDefinition>,
    /// Transitions by id.
    #[serde(default)]
    pub transitions: BTreeMap<TransitionId, TransitionDefinition>,
    /// Tasks by id.
    #[serde(default)]
    pub tasks: BTreeMap<TaskId, TaskDefinition>,
}

impl Knowledge {
    /// Makes empty knowledge.
    pub fn new(knowledge_id: impl Into<KnowledgeId>) -> Self {
        Self { knowledge_id: knowledge_id.into(), ..Self::default() }
    }

    /// Returns whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.screens.is_empty() && self.actions.is_empty() && self.transitions.is_empty() && self.tasks.is_empty()
    }

    /// Returns the screens that a browser can be led to, by id.
    pub fn navigable_screens(&self) -> impl Iterator<Item = &ScreenDefinition> {
        self.screens.values().filter(|screen| screen.is_navigable())
    }

    /// Returns the actions that are done on a screen, by id.
    pub fn actions_on<'k>(&'k self, screen: &'k ScreenId) -> impl Iterator<Item = &'k ActionDefinition> {
        self.actions.values().filter(move |action| action.screen_ids.contains(screen))
    }

    /// Returns how many screens there are of each kind.
    pub fn statistics(&self) -> Statistics {
        let count = |test: &dyn Fn(&ScreenDefinition) -> bool| self.screens.values().filter(|s| test(s)).count() as u32;
        Statistics {
            web_ui_screens: count(&|screen| screen.content_type == ContentType::WebUi),
            documentation_screens: count(&|screen| {
                !matches!(screen.content_type, ContentType::WebUi | ContentType::Unknown)
            }),
            actionable_screens: count(&|screen| screen.is_actionable),
            non_actionable_screens: count(&|screen| !screen.is_actionable),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_old_shape_reads_as_unknown() {
        let old = concat!(
            r#"{"screen_id": "a", "name": "A","#,
            r#" "state_signature": {"required_indicators": [{"type": "hover_colour", "value": "x"}]},"#,
            r#" "url_patterns": [".*/div.*"]}"#
        );
        let screen: ScreenDefinition = serde_json::from_str(old).unwrap();
        assert_eq!(screen.content_type, ContentType::Unknown);
        assert!(!screen.is_navigable());
        assert_eq!(screen.state_signature.required_indicators[0].kind, IndicatorKind::Other);
    }

    #[test]
    fn a_tool_is_read_by_either_of_its_names() {
        let short: BrowserUseAction =
            serde_json::from_str(r#"{"tool": "click", "params": {"index": 5}, "description": "Click"}"#).unwrap();
        let long: BrowserUseAction =
            serde_json::from_str(r#"{"tool_name": "click", "parameters": {"index": 5}, "description": "Click"}"#)
                .unwrap();
        assert_eq!(short, long);
        assert!(serde_json::to_string(&short).unwrap().starts_with(r#"{"tool_name":"click","parameters""#));
    }
}
