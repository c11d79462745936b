//! One recorded page, ready to be shown in a browser.
//!
//! In: what an importer reconstructed. Out: a [`Scene`]: the documents as HTML, and what their URLs
//! answer. Invariant: a scene holds everything that its page may load; what it does not hold does
//! not exist.

use browserlens_core::page::Viewport;
use std::collections::HashMap;
use std::sync::Arc;

/// What a URL answers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) mime: String,
    pub(crate) location: Option<String>,
    pub(crate) body: Vec<u8>,
}

/// Resources of a page beside its documents.
pub(crate) trait Resources: Send + Sync {
    /// Returns what a URL, without its fragment, answers.
    fn answer(&self, url: &str) -> Option<Answer>;
}

/// Nothing answers.
impl Resources for () {
    fn answer(&self, _url: &str) -> Option<Answer> {
        None
    }
}

/// What a frame shows.
pub(crate) enum FrameContent {
    /// A document that is served under its URL.
    Url(String),
    /// A document without a URL of its own.
    Inline(String),
}

/// A page to be shown.
pub(crate) struct Scene {
    /// URL of the main document.
    pub(crate) url: String,
    /// HTML by URL, the main document's and those of frames.
    pub(crate) documents: HashMap<String, String>,
    pub(crate) resources: Arc<dyn Resources>,
    /// Custom elements that were defined.
    pub(crate) defined: Vec<String>,
    pub(crate) viewport: Viewport,
    /// The picture that was recorded with it, as PNG.
    pub(crate) screenshot: Option<Vec<u8>>,
    /// The accessibility tree that was recorded with it, as JSON.
    pub(crate) aria: Option<Vec<u8>>,
    /// What could not be reconstructed.
    pub(crate) gaps: Vec<String>,
}

impl Scene {
    /// A page of one document, and nothing that it could load.
    pub(crate) fn of(url: &str, html: String, viewport: Viewport) -> Self {
        Self {
            url: url.to_owned(),
            documents: HashMap::from([(url.to_owned(), html)]),
            resources: Arc::new(()),
            defined: Vec::new(),
            viewport,
            screenshot: None,
            aria: None,
            gaps: Vec::new(),
        }
    }
}

pub(crate) fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or(url)
}
