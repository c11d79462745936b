//! Instructions and responses, with the field names that agents know.
//!
//! In: JSON. Out: JSON. Invariants: an instruction says what it wants by `instruction_type` or
//! `query_type`; a field that is not known is kept in `context` and changes nothing; a response
//! always says whether it is a success, and if not, why and what to do.

use crate::model::{
    ActionId, BrowserUseAction, ContentType, Indicator, KnowledgeId, ScreenId, StepAction, SuccessCriteria, TaskId,
    WebsiteId,
};
use crate::translate::Profile;
use browserlens_core::named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Reads what is left out or null as nothing.
fn or_nothing<'de, D: serde::Deserializer<'de>, T: Default + Deserialize<'de>>(reader: D) -> Result<T, D::Error> {
    Option::<T>::deserialize(reader).map(Option::unwrap_or_default)
}

named! {
    /// What is wanted.
    #[derive(schemars::JsonSchema)]
    pub enum InstructionType {
        /// The way to a screen.
        #[serde(alias = "navigate_to")]
        NavigateToScreen = "navigate_to_screen",
        /// The steps of a task.
        ExecuteTask = "execute_task",
        /// Which screen is shown, or which one a description means.
        FindScreen = "find_screen",
        /// What can be done on a screen.
        GetActions = "get_actions",
        /// Everything that is known of a screen.
        GetScreenContext = "get_screen_context",
        /// The action on an element of a screen, by words.
        FindElement = "find_element",
        /// What is known of a website, and where to begin.
        ExploreWebsite = "explore_website",
        /// Whatever `context.query_type` says; without it as `find_screen`.
        AgentQuery = "agent_query",
    }
}

/// What the agent knows beside its wish.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InstructionContext {
    /// URL that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_url: Option<String>,
    /// The screen that is shown, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_screen_id: Option<ScreenId>,
    /// Text of the page that is open.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dom_summary: Option<String>,
    /// Website that is meant, where the knowledge holds several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub website_id: Option<WebsiteId>,
    /// Only screens of this content type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<ContentType>,
    /// Only screens that a browser can be led to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actionable_only: Option<bool>,
    /// Which tools the agent has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<Profile>,
    /// Texts for fields, by the name of the field or the id of the action: in place of what was
    /// typed when it was recorded.
    #[serde(default, deserialize_with = "or_nothing", skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, String>,
    /// What an `agent_query` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub query_type: Option<InstructionType>,
    /// Whatever else is said.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// What a general agent asks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentInstruction {
    /// What is wanted.
    #[serde(alias = "query_type")]
    pub instruction_type: InstructionType,
    /// Screen or task, URL, or description.
    #[serde(default, deserialize_with = "or_nothing")]
    pub target: String,
    /// Else the one that is asked.
    #[serde(default, deserialize_with = "or_nothing")]
    pub knowledge_id: KnowledgeId,
    /// What the agent knows.
    #[serde(default, deserialize_with = "or_nothing")]
    pub context: InstructionContext,
}

/// How it can be checked that a screen is shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Verification {
    /// Texts that are on the page.
    #[serde(default)]
    pub dom_contains: Vec<String>,
    /// Regular expression for the URL, anchored at its beginning; any of `url_patterns` does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url_matches: Option<String>,
}

/// A screen that is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedScreen {
    /// Its id.
    pub screen_id: ScreenId,
    /// Its name.
    #[serde(default)]
    pub name: String,
    /// Patterns of which its URL matches one.
    #[serde(default)]
    pub url_patterns: Vec<String>,
    /// How it can be checked.
    #[serde(default)]
    pub verification: Verification,
}

/// One step of an answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanStep {
    /// Position, counted from 0.
    pub order: u32,
    /// The action of the knowledge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// What is done, for people.
    pub description: String,
    /// How the task that it is taken from did it: with what, and to which of several nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub done: Option<StepAction>,
    /// The screen on which it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenId>,
    /// The calls, in order; empty where there is nothing to do or `error` says why there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub actions: Vec<BrowserUseAction>,
    /// How many of the answer's `actions`, in their order, are of this step, where they stand only
    /// there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls: Option<u32>,
    /// What is shown afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_screen: Option<ExpectedScreen>,
    /// How sure it is, from 0 to 1.
    pub confidence: f64,
    /// Whether it was never observed.
    #[serde(default)]
    pub inferred: bool,
    /// Whether it only prepares a later step on the same screen (a menu, a filter, a field), and
    /// may be passed over where its element is not there.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
    /// How long the screen had been shown when it was recorded, in milliseconds: as long, what it
    /// acts on may take to be there. Only for who carries the step out here.
    #[serde(skip)]
    pub shown_ms: Option<u64>,
    /// Why it could not be translated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What is so when everything was done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExpectedResult {
    /// The screen at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenId>,
    /// The task that is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_id: Option<TaskId>,
    /// How the screen can be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// How the task can be checked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub success_criteria: Option<SuccessCriteria>,
    /// What was matched on the page, of a screen that was recognised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub matched_indicators: Vec<Indicator>,
}

/// Something that may have been meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// How like it is, from 0 to 1.
    pub score: f64,
}

/// What the agent is answered.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AgentResponse {
    /// Whether the wish can be met.
    pub success: bool,
    /// The calls, in order.
    #[serde(default)]
    pub actions: Vec<BrowserUseAction>,
    /// The same step by step, with what to expect after each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<PlanStep>,
    /// What is so afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_result: Option<ExpectedResult>,
    /// The screen at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_screen: Option<ExpectedScreen>,
    /// Why it is no success.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// What may have been meant, best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Candidate>,
    /// What else is known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub metadata: BTreeMap<String, Value>,
}

impl AgentResponse {
    pub(crate) fn failed(error: impl Into<String>, hint: &str) -> Self {
        Self { error: Some(error.into()), hint: Some(hint.to_owned()), ..Self::default() }
    }

    /// Says each call once: where `actions` holds them all, the steps name none of their own.
    #[must_use]
    pub fn once(mut self) -> Self {
        if !self.actions.is_empty() {
            self.steps.iter_mut().for_each(|step| {
                step.calls = Some(step.actions.len() as u32);
                step.actions.clear();
            });
        }
        self
    }

    /// Says what else is known.
    pub(crate) fn tell(&mut self, what: &str, value: Value) {
        self.metadata.insert(what.to_owned(), value);
    }

    pub(crate) fn with_candidates(mut self, candidates: Vec<Candidate>) -> Self {
        self.candidates = candidates;
        self
    }
}
