//! What kind of page it is, guessed from URL, meta tags and landmarks.
//!
//! In: the URL, counts that the pass over the page collected, and its signals. Out: a [`PageType`].
//! Invariant: a guess; nothing may depend on it for correctness.

use super::Signals;
use browserlens_core::named;

named! {
    /// What kind of page it is.
    #[derive(Default)]
    pub enum PageType {
        /// Fields to fill: login, checkout, settings.
        Form = "form",
        /// A list of results or products.
        Listing = "listing",
        /// Charts and tiles.
        Dashboard = "dashboard",
        /// An article or a manual.
        Document = "document",
        /// None of these.
        #[default]
        Other = "other",
    }
}

/// What the guess reads.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Evidence<'p> {
    pub url: &'p str,
    /// Content of `meta property="og:type"` or `name="page-type"`, if there.
    pub meta: &'p str,
    /// Text fields, rows, controls and forms of the content: what stands around it, such as
    /// navigation, is not counted.
    pub fields: u32,
    pub passwords: u32,
    pub rows: u32,
    pub articles: u32,
    pub forms: u32,
    pub text_chars: u32,
    pub interactive: u32,
}

impl Evidence<'_> {
    /// A form with something to fill.
    fn is_form(&self) -> bool {
        self.forms > 0 && self.fields > 0
    }
}

/// Returns the guess: what the page says of itself, else its URL, else what it holds most of.
pub(super) fn guess(evidence: &Evidence<'_>, signals: &Signals) -> PageType {
    let said = |words: &[&str], text: &str| words.iter().any(|word| contains_word(text, word));
    if said(&["article", "book"], evidence.meta) {
        return PageType::Document;
    }
    if said(&["product.group", "search"], evidence.meta) {
        return PageType::Listing;
    }
    let path = url::Url::parse(evidence.url).map(|url| url.path().to_owned()).unwrap_or_default();
    for (words, kind) in [
        (&["login", "signin", "register", "checkout", "account", "settings"][..], PageType::Form),
        (&["search", "results", "category", "products"][..], PageType::Listing),
        (&["dashboard", "analytics", "sheet", "spreadsheets"][..], PageType::Dashboard),
        (&["docs", "article", "blog", "wiki", "guide"][..], PageType::Document),
    ] {
        if said(words, &path) {
            return kind;
        }
    }
    if evidence.passwords > 0 {
        PageType::Form
    } else if signals.canvases > 1 || signals.canvas_share >= 0.5 {
        PageType::Dashboard
    } else if evidence.rows >= 20 {
        PageType::Listing
    } else if evidence.fields * 3 >= evidence.interactive && (evidence.fields >= 3 || evidence.is_form()) {
        PageType::Form
    } else if evidence.articles > 0 || evidence.text_chars > 200 * evidence.interactive.max(10) {
        PageType::Document
    } else {
        PageType::Other
    }
}

fn contains_word(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '.').any(|part| part.eq_ignore_ascii_case(word))
}
