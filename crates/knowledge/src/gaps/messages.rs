//! Gaps, what is asked about them, and what was inferred.
//!
//! In and out: JSON with the field names that agents know. Invariant: what is left out of a request
//! is what the proposal for this crate has there.

use crate::model::screen::yes;
use crate::model::{ActionId, Inference, Knowledge, KnowledgeId, ScreenId, TaskDefinition, WebsiteId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// Only what is surer than this is stored.
pub const LEAST_CONFIDENCE: f64 = 0.6;
/// Most that a step may have which no recording shows: less than what is stored.
pub const MOST_INVENTED: f64 = 0.5;
/// Confidence of an answer that does not say.
pub const USUAL_CONFIDENCE: f64 = 0.7;

/// A hole between two known actions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionGap {
    /// The action before it.
    pub from_action_id: ActionId,
    /// The action after it.
    pub to_action_id: ActionId,
    /// Where the action before was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from_screen_id: Option<ScreenId>,
    /// Where the action after is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_screen_id: Option<ScreenId>,
    /// What else is known: `task_id`, `transition_id`, `why`, …
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub context: BTreeMap<String, Value>,
}

impl ActionGap {
    /// Returns what the gap goes by in results.
    pub fn key(&self) -> String {
        format!("{} -> {}", self.from_action_id, self.to_action_id)
    }

    /// Returns the task that it is a gap of, if that is said.
    pub(super) fn task<'k>(&self, knowledge: &'k Knowledge) -> Option<&'k TaskDefinition> {
        knowledge.tasks.get(self.context.get("task_id")?.as_str()?)
    }
}

fn five() -> usize {
    5
}

/// What is to be inferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtrapolationRequest {
    /// The gaps; empty for all that are found.
    #[serde(default)]
    pub gaps: Vec<ActionGap>,
    /// Body of knowledge.
    pub knowledge_id: KnowledgeId,
    /// Website; empty for all of them.
    #[serde(default)]
    pub website_id: WebsiteId,
    /// Whether transitions are inferred too.
    #[serde(default = "yes")]
    pub include_screens: bool,
    /// Most actions between two known ones.
    #[serde(default = "five")]
    pub max_intermediate_steps: usize,
}

impl ExtrapolationRequest {
    /// Returns the request for all gaps of a body of knowledge.
    pub fn all(knowledge_id: impl Into<KnowledgeId>) -> Self {
        let (gaps, website_id) = (Vec::new(), WebsiteId::default());
        let knowledge_id = knowledge_id.into();
        Self { gaps, knowledge_id, website_id, include_screens: true, max_intermediate_steps: five() }
    }
}

/// An action that was inferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InferredAction {
    /// What is done.
    pub action_type: String,
    /// To what: a URL, or the element in words or by selector.
    pub target: String,
    /// What else is told; what nothing tells is a placeholder, `{{value:<field>}}`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub parameters: BTreeMap<String, Value>,
    /// What is done, for people.
    pub description: String,
    /// From 0 to 1.
    pub confidence: f64,
    /// Why it is likely.
    pub reasoning: String,
    /// Where it is done.
    #[serde(default)]
    pub screen_id: Option<ScreenId>,
    /// The known action that it is, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// Who inferred it.
    pub by: Inference,
    /// The gap it is in, by [`ActionGap::key`].
    pub gap: String,
}

/// A way between screens that was inferred.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct InferredTransition {
    /// Where it begins.
    pub from_screen_id: ScreenId,
    /// Where it ends.
    pub to_screen_id: ScreenId,
    /// The action that leads there, in words.
    #[serde(default)]
    pub trigger_action: String,
    /// Position of that action in `inferred_actions`, if it is one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<usize>,
    /// The known action that leads there, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// From 0 to 1.
    pub confidence: f64,
    /// Who inferred it.
    pub by: Inference,
    /// What the inference can be looked up by.
    #[serde(default)]
    pub evidence: String,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExtrapolationResult {
    /// How many gaps were filled.
    pub gaps_filled: usize,
    /// What is done in them, gap by gap, in order.
    pub inferred_actions: Vec<InferredAction>,
    /// Ways between screens.
    #[serde(default)]
    pub inferred_transitions: Vec<InferredTransition>,
    /// How sure each filled gap is, by the gap.
    #[serde(default)]
    pub confidence_scores: BTreeMap<String, f64>,
    /// What went wrong, gap by gap.
    #[serde(default)]
    pub errors: Vec<String>,
}

impl ExtrapolationResult {
    /// Adds what was inferred for one gap.
    pub(super) fn take(&mut self, mut found: Self) {
        let offset = self.inferred_actions.len();
        for transition in &mut found.inferred_transitions {
            transition.action = transition.action.map(|action| action + offset);
        }
        self.gaps_filled += found.gaps_filled;
        self.inferred_actions.append(&mut found.inferred_actions);
        self.inferred_transitions.append(&mut found.inferred_transitions);
        self.confidence_scores.append(&mut found.confidence_scores);
        self.errors.append(&mut found.errors);
    }
}
