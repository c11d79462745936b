//! Actions and where they lead.

use super::source::certain;
use super::{ActionId, KnowledgeId, Metadata, Provenance, ScreenId, TransitionId, WebsiteId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// An action that maps to one tool of browser-use.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BrowserUseAction {
    /// Name of the tool.
    #[serde(alias = "tool")]
    pub tool_name: String,
    /// Its parameters.
    #[serde(alias = "params", default)]
    pub parameters: BTreeMap<String, Value>,
    /// What it does, for people.
    #[serde(default)]
    pub description: String,
    /// How sure it is, from 0 to 1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// The screen on which it is carried out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_id: Option<ScreenId>,
}

/// A node in words: as much of it as a person would say.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct ElementTarget {
    /// Role; empty if not said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub role: String,
    /// Accessible name; empty if not said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Visible text, where there is no accessible name; empty if not said.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// An ancestor, if said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Box<ElementTarget>>,
    /// Which one of several, counted from 0 in document order.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nth: Option<u32>,
    /// Whether the name differs from page to page of the screen (a product, a date): then it is one
    /// example.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub name_varies: bool,
}

impl ElementTarget {
    /// Returns what the node is called: its accessible name, else its text.
    pub fn called(&self) -> &str {
        if self.name.is_empty() { &self.text } else { &self.name }
    }

    /// Returns whether this is what the node is called, by its accessible name or its text.
    pub fn is_called(&self, name: &str) -> bool {
        !name.is_empty() && self.called() == name
    }
}

/// Something that can be done on a screen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ActionDefinition {
    /// Id.
    pub action_id: ActionId,
    /// The body of knowledge it belongs to.
    #[serde(default)]
    pub knowledge_id: KnowledgeId,
    /// The website it is done on.
    #[serde(default)]
    pub website_id: WebsiteId,
    /// Name for people, such as `Click button "Add to cart"`.
    pub name: String,
    /// What is done: `click`, `type`, `navigate`, … An open list: the translation names what it
    /// cannot express.
    pub action_type: String,
    /// CSS selector of the node, if a stable one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_selector: Option<String>,
    /// The node in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ElementTarget>,
    /// What else is told: `text`, `url`, `option`, `keys`, `direction`, … Typed secrets stand as
    /// placeholders.
    #[serde(default)]
    pub parameters: BTreeMap<String, Value>,
    /// Screens on which it was seen to work, sorted.
    #[serde(default)]
    pub screen_ids: Vec<ScreenId>,
    /// How often it was carried out.
    #[serde(default)]
    pub count: u32,
    /// Where it is known from, sorted.
    #[serde(default)]
    pub provenance: Vec<Provenance>,
    /// How sure it is.
    #[serde(default)]
    pub metadata: Metadata,
}

impl ActionDefinition {
    /// Returns the first screen on which the action is done.
    pub fn screen_id(&self) -> Option<&ScreenId> {
        self.screen_ids.first()
    }
}

/// A way from one screen to another.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TransitionDefinition {
    /// Id.
    pub transition_id: TransitionId,
    /// The body of knowledge it belongs to.
    #[serde(default)]
    pub knowledge_id: KnowledgeId,
    /// The website it is in.
    #[serde(default)]
    pub website_id: WebsiteId,
    /// Where it begins.
    pub from_screen_id: ScreenId,
    /// Where it ends; may be where it begins.
    pub to_screen_id: ScreenId,
    /// What leads there; none is a gap.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action_id: Option<ActionId>,
    /// How often it was observed; 0 for what was inferred.
    #[serde(default)]
    pub count: u32,
    /// Where it is known from, sorted.
    #[serde(default)]
    pub provenance: Vec<Provenance>,
    /// How sure it is: of what was observed, the share of times the action led here from there.
    #[serde(default)]
    pub metadata: Metadata,
}
