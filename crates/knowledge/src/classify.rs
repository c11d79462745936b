//! What kind of source a screen is: a website's, or a written text's.
//!
//! In: pages, or the words of a text. Out: a [`Verdict`] with its reason. The rules are those
//! agents already rely on: words of written guidance make documentation; a screen needs a URL or
//! words of an interface. Structure weighs more than words: a page with controls is a screen,
//! whatever it talks about, and a text is none, however many buttons it describes.

use crate::extract::view::PageView;
use crate::model::ContentType;

/// Words of written guidance.
const DOCUMENT_WORDS: [&str; 8] = [
    "conversational", "phone call", "voice assistant", "follow-up questions", "empathetic listener", "instruction",
    "guideline", "protocol",
];

/// Words of an interface.
const INTERFACE_WORDS: [&str; 10] =
    ["dashboard", "form", "button", "input", "navigation", "page", "screen", "modal", "dialog", "menu"];

/// What a possible screen is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// Its kind.
    pub content_type: ContentType,
    /// Whether a browser can be led to it.
    pub is_actionable: bool,
    /// Why.
    pub reasoning: String,
}

/// Says what a page is: what a browser showed is a screen; without a URL nothing leads there.
pub(crate) fn of_page(has_url: bool, views: &[&PageView]) -> Verdict {
    let controls = views.iter().map(|view| view.elements.len() + view.fields.len()).max().unwrap_or(0);
    let reasoning = format!("a browser showed it, with {controls} named elements");
    Verdict { content_type: ContentType::WebUi, is_actionable: has_url, reasoning }
}

/// Says what a text is by its heading, its words and whether it names a URL: documentation, or a
/// screen that it describes.
pub(crate) fn of_text(heading: &str, text: &str, has_url: bool) -> Verdict {
    let (heading, text) = (heading.to_lowercase(), text.to_lowercase());
    let (content_type, reasoning) =
        if let Some(word) = DOCUMENT_WORDS.iter().find(|word| text.contains(**word) || heading.contains(**word)) {
            (ContentType::Documentation, format!("its text says {word:?}"))
        } else if has_url {
            (ContentType::WebUi, "its text names a URL".to_owned())
        } else if let Some(word) = INTERFACE_WORDS.iter().find(|word| text.contains(**word)) {
            (ContentType::WebUi, format!("its text says {word:?}"))
        } else {
            (ContentType::Documentation, "its text names neither a URL nor an element".to_owned())
        };
    Verdict { content_type, is_actionable: content_type == ContentType::WebUi, reasoning }
}
