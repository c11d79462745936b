//! The model: screens, actions, transitions and tasks, as they are stored and as JSON.
//!
//! In: nothing; plain types. Out: the same with serde and JSON schemas. Invariants: JSON uses the field names agents already know
//! (`tool_name`, `parameters`, with `tool` and `params` accepted); a row without `content_type` reads as `unknown`; maps are sorted, so that equal
//! knowledge is equal text. Types here accept what old files hold: whether a value makes sense is checked when it is stored.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

macro_rules! text_id {
    ($($(#[$meta:meta])* $name:ident),+ $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl $name {
            /// Returns the id as text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }
    )+};
}

text_id! {
    /// One body of knowledge: what is asked and built together.
    KnowledgeId,
    /// One website in a body of knowledge.
    WebsiteId,
    /// A screen.
    ScreenId,
    /// An action.
    ActionId,
    /// A transition.
    TransitionId,
    /// A task.
    TaskId,
}

/// What kind of source a screen describes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContentType {
    /// A screen of a website that a browser can show.
    WebUi,
    /// A section of a written document.
    Documentation,
    /// A part of what was said in a video or a call.
    VideoTranscript,
    /// A section of an API's documentation.
    ApiDocs,
    /// A row of the old shape, from before content types were told apart.
    #[default]
    Unknown,
}

impl ContentType {
    /// Every content type, in the order of the documentation.
    pub const ALL: [Self; 5] = [Self::WebUi, Self::Documentation, Self::VideoTranscript, Self::ApiDocs, Self::Unknown];

    /// Returns the name that JSON and the store use.
    pub fn name(self) -> &'static str {
        match self {
            Self::WebUi => "web_ui",
            Self::Documentation => "documentation",
            Self::VideoTranscript => "video_transcript",
            Self::ApiDocs => "api_docs",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the content type of a name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for ContentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How an indicator is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndicatorKind {
    /// The page's summary contains `value`, ignoring case.
    DomContains,
    /// The page's URL matches `pattern` from its beginning on.
    UrlMatches,
    /// A kind this build does not know: it counts and never matches.
    #[serde(other)]
    Other,
}

/// One thing by which a screen is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Indicator {
    /// How it is checked.
    #[serde(rename = "type")]
    pub kind: IndicatorKind,
    /// Text of an element, for `dom_contains`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Regular expression, for `url_matches`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pattern: Option<String>,
    /// CSS selector of the kind of element the text was read from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Why it was chosen.
    #[serde(default)]
    pub reason: String,
}

/// How a screen is told from others.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct StateSignature {
    /// What is there whenever the screen is.
    #[serde(default)]
    pub required_indicators: Vec<Indicator>,
}

/// A landmark or named part of a screen.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Region {
    /// Role, as in WAI-ARIA.
    pub role: String,
    /// Accessible name; empty if it has none, or one that differs from page to page.
    #[serde(default)]
    pub name: String,
    /// CSS selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
}

/// One field of a form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct FormField {
    /// Role: `textbox`, `checkbox`, …
    pub role: String,
    /// Accessible name.
    pub name: String,
    /// The markup's `type` (`email`, `password`, …); empty if it has none.
    #[serde(default)]
    pub field_type: String,
    /// Whether it has to be filled.
    #[serde(default)]
    pub required: bool,
    /// CSS selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Labels of what can be chosen, for lists; at most 20.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
}

/// A form: fields that are filled together.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Form {
    /// Accessible name; empty if it has none.
    #[serde(default)]
    pub name: String,
    /// CSS selector.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selector: Option<String>,
    /// Its fields, in document order.
    #[serde(default)]
    pub fields: Vec<FormField>,
    /// Name of the button that sends it, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submit: Option<String>,
}

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

fn certain() -> f64 {
    1.0
}

fn yes() -> bool {
    true
}

fn is_false(value: &bool) -> bool {
    !value
}

/// Who inferred something that was not observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Inference {
    /// Other recordings that connect the same screens.
    Graph,
    /// A language model.
    Llm,
}

/// Where something is known from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "source", rename_all = "snake_case")]
pub enum Provenance {
    /// It happened in a recording.
    Trace {
        /// BLAKE3 hash of the trace file, in hex.
        trace_hash: String,
        /// Step of the recording.
        step: u32,
    },
    /// It was read in a document.
    Document {
        /// Name of the document.
        name: String,
        /// Line, counted from 1.
        line: u32,
    },
    /// It was seen by the crawler.
    Crawl {
        /// URL of the page.
        url: String,
    },
    /// It was inferred.
    Inferred {
        /// By what.
        by: Inference,
        /// What the inference can be looked up by (hash of a request, ids of a path); empty if nothing.
        #[serde(default)]
        evidence: String,
    },
}

/// How sure something is, and why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metadata {
    /// Whether it was inferred and never observed.
    #[serde(default)]
    pub inferred: bool,
    /// From 0 to 1.
    #[serde(default = "certain")]
    pub confidence: f64,
    /// Why it is believed, in words; empty for what was observed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
}

impl Default for Metadata {
    fn default() -> Self {
        Self { inferred: false, confidence: 1.0, reasoning: String::new() }
    }
}

/// A screen: pages of one structure, or a state of them such as an open dialog.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ScreenDefinition {
    /// Id.
    pub screen_id: ScreenId,
    /// The body of knowledge it belongs to.
    #[serde(default)]
    pub knowledge_id: KnowledgeId,
    /// The website it is a screen of.
    #[serde(default)]
    pub website_id: WebsiteId,
    /// Name for people.
    pub name: String,
    /// What it is or does, in a sentence; of a document's section, its text. Empty if nothing is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What kind of source it describes; rows without it are of the old shape.
    #[serde(default)]
    pub content_type: ContentType,
    /// Whether a browser can be led to it. Only `web_ui` screens that are actionable are used for navigation.
    #[serde(default = "yes")]
    pub is_actionable: bool,
    /// Regular expressions, anchored at the beginning, of which one matches the URL.
    #[serde(default)]
    pub url_patterns: Vec<String>,
    /// URLs at which it was seen, sorted; at most 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub example_urls: Vec<String>,
    /// How it is told from others.
    #[serde(default)]
    pub state_signature: StateSignature,
    /// The screen that this is a state of: what an open dialog lies over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_screen_id: Option<ScreenId>,
    /// Its landmarks and named parts.
    #[serde(default)]
    pub regions: Vec<Region>,
    /// Its forms.
    #[serde(default)]
    pub forms: Vec<Form>,
    /// What can be done on it, as browser-use actions.
    #[serde(default)]
    pub available_browser_use_actions: Vec<BrowserUseAction>,
    /// What a person or business uses it for, where known.
    #[serde(default)]
    pub business_functions: Vec<String>,
    /// The tasks that lead over it, where known.
    #[serde(default)]
    pub user_flows: Vec<String>,
    /// Where it is known from, sorted.
    #[serde(default)]
    pub provenance: Vec<Provenance>,
    /// How sure it is.
    #[serde(default)]
    pub metadata: Metadata,
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
    /// Whether the name differs from page to page of the screen (a product, a date): then it is one example.
    #[serde(default, skip_serializing_if = "is_false")]
    pub name_varies: bool,
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
    /// What is done: `click`, `type`, `navigate`, … An open list: the translation names what it cannot express.
    pub action_type: String,
    /// CSS selector of the node, if a stable one is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_selector: Option<String>,
    /// The node in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<ElementTarget>,
    /// What else is told: `text`, `url`, `option`, `keys`, `direction`, … Typed secrets stand as placeholders.
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
    /// The website it is done on.
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

impl ScreenDefinition {
    /// Returns whether a browser can be led to the screen: it is of a website and actionable.
    pub fn is_navigable(&self) -> bool {
        self.content_type == ContentType::WebUi && self.is_actionable
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_the_old_shape_reads_as_unknown() {
        let old = r#"{"screen_id": "a", "name": "A", "state_signature": {"required_indicators": [{"type": "hover_colour", "value": "x"}]}, "url_patterns": [".*/div.*"]}"#;
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

    #[test]
    fn names_of_content_types_are_those_of_json() {
        for kind in ContentType::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), Value::String(kind.name().to_owned()));
            assert_eq!(ContentType::from_name(kind.name()), Some(kind));
        }
    }
}
