//! What kind of source a screen is: a website's, or a written text's.
//!
//! In: words and structure ([`Evidence`]). Out: a [`Verdict`] with its reason. The rules are those
//! agents already rely on: words of written guidance make documentation; a screen needs a URL or
//! words of an interface. Structure weighs more than words: a page with controls is a screen,
//! whatever it talks about, and a text is none, however many buttons it describes.

use crate::extract::view::PageView;
use crate::model::ContentType;

/// Words of written guidance.
pub(crate) const DOCUMENT_WORDS: [&str; 8] = [
    "conversational", "phone call", "voice assistant", "follow-up questions", "empathetic listener", "instruction",
    "guideline", "protocol",
];

/// Words of an interface.
pub(crate) const INTERFACE_WORDS: [&str; 10] =
    ["dashboard", "form", "button", "input", "navigation", "page", "screen", "modal", "dialog", "menu"];

/// What is known about a possible screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// Its name.
    pub name: String,
    /// The text that it was read from; empty for a page.
    pub text: String,
    /// Whether a URL leads to it.
    pub has_url: bool,
    /// Controls that were seen on it: buttons, links, fields. None for a text.
    pub controls: Option<u32>,
}

/// What a possible screen is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Its kind.
    pub content_type: ContentType,
    /// Whether a browser can be led to it.
    pub is_actionable: bool,
    /// Why.
    pub reasoning: String,
}

impl Evidence {
    pub(crate) fn of_page(name: &str, has_url: bool, views: &[&PageView]) -> Self {
        let controls = views.iter().map(|view| view.elements.len() + view.fields.len()).max().unwrap_or(0);
        Self { name: name.to_owned(), text: String::new(), has_url, controls: Some(controls as u32) }
    }
}

/// Says what a possible screen is; text is documentation or a screen that it describes.
pub fn classify(evidence: &Evidence) -> Verdict {
    let verdict = |content_type, reasoning: String| Verdict {
        content_type,
        is_actionable: content_type == ContentType::WebUi,
        reasoning,
    };
    if let Some(controls) = evidence.controls {
        // A page that a browser showed is a screen; without a URL nothing leads there.
        let reason = format!("a browser showed it, with {controls} named elements");
        let mut found = verdict(ContentType::WebUi, reason);
        found.is_actionable = evidence.has_url;
        return found;
    }
    let text = evidence.text.to_lowercase();
    let name = evidence.name.to_lowercase();
    if let Some(word) = DOCUMENT_WORDS.iter().find(|word| text.contains(**word) || name.contains(**word)) {
        return verdict(ContentType::Documentation, format!("its text says {word:?}"));
    }
    if evidence.has_url {
        return verdict(ContentType::WebUi, "its text names a URL".to_owned());
    }
    match INTERFACE_WORDS.iter().find(|word| text.contains(**word)) {
        Some(word) => verdict(ContentType::WebUi, format!("its text says {word:?}")),
        None => verdict(ContentType::Documentation, "its text names neither a URL nor an element".to_owned()),
    }
}
