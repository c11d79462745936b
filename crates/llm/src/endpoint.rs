//! Where requests go, and the key that opens the door.
//!
//! In: a URL and a key as the user gives them. Out: values that cannot leak: a [`BaseUrl`] holds no
//! credentials, an [`ApiKey`] prints as a mark. Invariant: text that came from an endpoint passes
//! [`ApiKey::scrub`] before anyone else sees it.

use crate::error::EndpointError;
use std::fmt;

/// What stands where the key stood.
const MARK: &str = "[key]";

/// The key of an endpoint.
#[derive(Clone)]
pub struct ApiKey(String);

impl ApiKey {
    /// Returns the key of a text, blanks around it dropped; none if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let key = text.trim();
        (!key.is_empty()).then(|| Self(key.to_owned()))
    }

    /// The bare key, for a header of its own.
    pub(crate) fn bare(&self) -> &str {
        &self.0
    }

    pub(crate) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Returns the text with every occurrence of the key replaced.
    pub fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, MARK)
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MARK)
    }
}

/// The address below which an endpoint answers, such as `https://api.openai.com/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    chat: String,
    embeddings: String,
    protocol: Protocol,
}

/// What an endpoint speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI's chat completions, which most speak.
    OpenAi,
    /// Gemini's `generateContent`.
    Gemini,
    /// Anthropic's messages.
    Anthropic,
}

impl BaseUrl {
    /// Parses an address; one that already ends in `/chat/completions` or `/embeddings` means the
    /// same as without.
    ///
    /// # Errors
    /// [`EndpointError::BadUrl`] if it is no `http` or `https` address, or holds credentials, a
    /// query or a fragment: these would end up in messages.
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let text = Self::stem(text)?;
        let stem = text.strip_suffix("/chat/completions").or_else(|| text.strip_suffix("/embeddings")).unwrap_or(&text);
        Ok(Self::below(stem, "chat/completions", Protocol::OpenAi))
    }

    fn below(stem: &str, chat: &str, protocol: Protocol) -> Self {
        Self { chat: format!("{stem}/{chat}"), embeddings: format!("{stem}/embeddings"), protocol }
    }

    /// Parses the address of a Gemini endpoint, such as
    /// `https://generativelanguage.googleapis.com/v1beta`: requests go to
    /// `models/…:generateContent` below it.
    ///
    /// # Errors
    /// As [`BaseUrl::parse`].
    pub fn gemini(text: &str) -> Result<Self, EndpointError> {
        let chat = Self::stem(text)?;
        Ok(Self { embeddings: format!("{chat}/openai/embeddings"), chat, protocol: Protocol::Gemini })
    }

    /// Parses the address of an Anthropic endpoint, such as `https://api.anthropic.com/v1`: requests
    /// go to `messages` below it.
    ///
    /// # Errors
    /// As [`BaseUrl::parse`].
    pub fn anthropic(text: &str) -> Result<Self, EndpointError> {
        let text = Self::stem(text)?;
        Ok(Self::below(text.strip_suffix("/messages").unwrap_or(&text), "messages", Protocol::Anthropic))
    }

    fn stem(text: &str) -> Result<String, EndpointError> {
        // What was refused is not repeated where it may hold a secret.
        let bad = |shown: &str, reason: &'static str| EndpointError::BadUrl { url: shown.to_owned(), reason };
        let text = text.trim();
        if text.contains('@') || text.contains('?') || text.contains('#') {
            let shown = text.split(['@', '?', '#']).next().filter(|_| !text.contains('@')).unwrap_or("…");
            return Err(bad(shown, "it holds credentials, a query or a fragment"));
        }
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        let host = rest.and_then(|rest| rest.split('/').next()).unwrap_or_default();
        if host.is_empty() || host.starts_with(':') || text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            return Err(bad(text, "it is no http or https address"));
        }
        Ok(text.trim_end_matches('/').to_owned())
    }

    /// Returns what the endpoint speaks.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns the address that requests for chat completions go to, or for Gemini the one that
    /// they go below.
    pub fn chat(&self) -> &str {
        &self.chat
    }

    /// Returns the address that requests for embeddings go to.
    pub fn embeddings(&self) -> &str {
        &self.embeddings
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_with_and_without_the_last_part_mean_the_same() {
        for text in ["", "/", "/chat/completions", "/embeddings/"] {
            let url = BaseUrl::parse(&format!(" http://localhost:8000/v1{text}")).expect("parses");
            assert_eq!(url.chat(), "http://localhost:8000/v1/chat/completions");
            assert_eq!(url.embeddings(), "http://localhost:8000/v1/embeddings");
        }
    }

    #[test]
    fn an_address_with_a_secret_is_refused_without_repeating_it() {
        for text in ["https://me:hunter2@host/v1", "https://host/v1?key=hunter2", "https://host/v1#hunter2"] {
            let error = BaseUrl::parse(text).expect_err("refused").to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
        for text in ["", "localhost", "ftp://host/", "http://", "/v1"] {
            assert!(BaseUrl::parse(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_key_never_prints() {
        let key = ApiKey::new(" sk-secret\n").expect("a key");
        assert_eq!(format!("{key:?} {key:#?}"), "[key] [key]");
        assert_eq!(key.scrub("wrong key sk-secret!"), "wrong key [key]!");
        assert!(ApiKey::new(" ").is_none());
    }
}
