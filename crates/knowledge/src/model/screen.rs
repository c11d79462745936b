//! Screens: what they are, by what they are told, and what stands on them.

use super::{BrowserUseAction, KnowledgeId, Metadata, Provenance, ScreenId, WebsiteId};
use browserlens_core::named;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

named! {
    /// What kind of source a screen describes.
    #[derive(Default)]
    #[derive(schemars::JsonSchema)]
    pub enum ContentType {
        /// A screen of a website that a browser can show.
        WebUi = "web_ui",
        /// A section of a written document.
        Documentation = "documentation",
        /// A part of what was said in a video or a call.
        VideoTranscript = "video_transcript",
        /// A section of an API's documentation.
        ApiDocs = "api_docs",
        /// A row of the old shape, from before content types were told apart.
        #[default]
        Unknown = "unknown",
    }
}

/// How an indicator is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum IndicatorKind {
    /// The page's summary contains `value`, ignoring case.
    DomContains,
    /// The page's URL matches `pattern` from its beginning on.
    UrlMatches,
    /// A kind this build does not know: it counts and never matches.
    #[default]
    #[serde(other)]
    Other,
}

/// One thing by which a screen is told.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Indicator {
    /// How it is checked; indicators of the old shape do not say.
    #[serde(rename = "type", default)]
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

impl Indicator {
    /// Returns the indicator of a text on an element of a kind.
    pub(crate) fn text(value: String, selector: &str, reason: impl Into<String>) -> Self {
        let (kind, selector) = (IndicatorKind::DomContains, Some(selector.to_owned()));
        Self { kind, value: Some(value), pattern: None, selector, reason: reason.into() }
    }

    /// Returns the indicator of a URL pattern.
    pub(crate) fn url(pattern: &str) -> Self {
        let (kind, reason) = (IndicatorKind::UrlMatches, "URL pattern for screen recognition".to_owned());
        Self { kind, value: None, pattern: Some(pattern.to_owned()), selector: None, reason }
    }
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
    /// Whether a page was seen that had filled it by itself.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prefilled: bool,
    /// What radio buttons have in common that exclude each other; empty for other fields.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
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

pub(crate) fn yes() -> bool {
    true
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
    /// What it is or does, in a sentence; of a document's section, its text. Empty if nothing is
    /// known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// What kind of source it describes; rows without it are of the old shape.
    #[serde(default)]
    pub content_type: ContentType,
    /// Whether a browser can be led to it. Only `web_ui` screens that are actionable are used for
    /// navigation.
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

impl ScreenDefinition {
    /// A screen of `https://a.test/ID`, for tests.
    #[cfg(test)]
    pub(crate) fn example(id: &str) -> Self {
        Self {
            screen_id: id.into(),
            knowledge_id: "k".into(),
            name: id.to_owned(),
            content_type: ContentType::WebUi,
            is_actionable: true,
            url_patterns: vec![format!("^https?://a\\.test/{id}/?(?:[?#].*)?$")],
            example_urls: vec![format!("https://a.test/{id}")],
            ..Self::default()
        }
    }

    /// Returns whether a browser can be led to the screen: it is of a website and actionable.
    pub fn is_navigable(&self) -> bool {
        self.content_type == ContentType::WebUi && self.is_actionable
    }
}
