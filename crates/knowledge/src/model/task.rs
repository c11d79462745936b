//! Tasks: a goal, the steps by which it was reached, and how that can be checked.

use super::{ActionId, Indicator, Knowledge, KnowledgeId, Metadata, Provenance, ScreenId, TaskId, WebsiteId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What is done in one step of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StepAction {
    /// What is done.
    pub action_type: String,
    /// What it is done to, in words: a URL, or role and name.
    #[serde(default)]
    pub target: String,
    /// What else is told. Typed secrets stand as placeholders.
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
}

/// One step of a task.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskStep {
    /// Position, counted from 0.
    pub order: u32,
    /// What is done, for people.
    #[serde(default)]
    pub description: String,
    /// The action as this task does it.
    pub action: StepAction,
    /// The action that it is one doing of, which names its node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// Where it is done; none for the first navigation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenId>,
    /// Where it leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_screen_id: Option<ScreenId>,
    /// How long the screen had been shown when it was done, in milliseconds of the page's time as far
    /// as the recording tells; what it acts on may have come only then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_ms: Option<u64>,
    /// Where this step is known from; none if it was filled in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Provenance>,
    /// How sure it is.
    #[serde(default)]
    pub metadata: Metadata,
}

/// How it can be checked that a task was done.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SuccessCriteria {
    /// The screen at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenId>,
    /// What is to be seen there.
    #[serde(default)]
    pub indicators: Vec<Indicator>,
}

/// A task: a goal and the steps by which it was reached.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskDefinition {
    /// Id.
    pub task_id: TaskId,
    /// The body of knowledge it belongs to.
    #[serde(default)]
    pub knowledge_id: KnowledgeId,
    /// The website it begins on.
    #[serde(default)]
    pub website_id: WebsiteId,
    /// Name, such as a scenario's.
    pub name: String,
    /// The goal in the user's words.
    #[serde(default)]
    pub description: String,
    /// Its steps, in order.
    #[serde(default)]
    pub steps: Vec<TaskStep>,
    /// How it can be checked that it was done.
    #[serde(default)]
    pub success_criteria: SuccessCriteria,
    /// Where it is known from, sorted.
    #[serde(default)]
    pub provenance: Vec<Provenance>,
    /// How sure it is.
    #[serde(default)]
    pub metadata: Metadata,
}

impl TaskDefinition {
    /// Returns the websites that the task leads over: its own, and those of its screens.
    pub fn websites<'k>(&'k self, knowledge: &'k Knowledge) -> BTreeSet<&'k WebsiteId> {
        let screens = self.steps.iter().flat_map(|step| step.screen_id.iter().chain(&step.expected_screen_id));
        let of_screens = screens.filter_map(|id| Some(&knowledge.screens.get(id)?.website_id));
        of_screens.chain([&self.website_id]).collect()
    }
}
