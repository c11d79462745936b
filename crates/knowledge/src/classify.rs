//! What kind of source a written text is: documentation, or what describes a website's screen.
//!
//! In: the words of a text. Out: its kind, with the reason. The rules are those
//! agents already rely on: words of written guidance make documentation; a screen needs a URL or
//! words of an interface. Structure weighs more than words: a page with controls is a screen,
//! whatever it talks about, and a text is none, however many buttons it describes.

use crate::model::ContentType;

/// Words of written guidance.
const DOCUMENT_WORDS: [&str; 8] = [
    "conversational", "phone call", "voice assistant", "follow-up questions", "empathetic listener", "instruction",
    "guideline", "protocol",
];

/// Words of an interface.
const INTERFACE_WORDS: [&str; 10] =
    ["dashboard", "form", "button", "input", "navigation", "page", "screen", "modal", "dialog", "menu"];

/// Says what a text is by its heading, its words and whether it names a URL: documentation, or a
/// screen that it describes.
pub(crate) fn of_text(heading: &str, text: &str, has_url: bool) -> (ContentType, String) {
    let (heading, text) = (heading.to_lowercase(), text.to_lowercase());
    if let Some(word) = DOCUMENT_WORDS.iter().find(|word| text.contains(**word) || heading.contains(**word)) {
        (ContentType::Documentation, format!("its text says {word:?}"))
    } else if has_url {
        (ContentType::WebUi, "its text names a URL".to_owned())
    } else if let Some(word) = INTERFACE_WORDS.iter().find(|word| text.contains(**word)) {
        (ContentType::WebUi, format!("its text says {word:?}"))
    } else {
        (ContentType::Documentation, "its text names neither a URL nor an element".to_owned())
    }
}
