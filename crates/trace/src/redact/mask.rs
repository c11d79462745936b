//! Masks secrets in what is shown: what a server or a command says of a page.
//!
//! In: pages as they are looked at, texts as they are about to be shown. Out: the texts, with
//! [`MASK`] in place of what is secret. Invariants: a value under a sensitive name in a URL is
//! masked, and so are tokens, passwords in URLs, and what a secret field held in any of its
//! encodings; nothing else of a text changes; a text that is masked stays as it is when it is
//! masked again.
//!
//! What a secret field held is masked wherever it occurs if nobody would write it by chance: at
//! least [`SHORTEST`] characters, not all of them letters. A shorter one, or a word, is masked where
//! it is the whole value of a parameter or of a member of JSON: elsewhere `admin` is a word.
//!
//! What a trace holds was replaced when it was recorded, by texts of the same kind. Of those the
//! ones under a sensitive name are found here, and those that a secret field of a page that was
//! looked at holds; any other cannot be told from what a page says.

use super::forms::forms;
use super::names::is_secret_field;
use super::placeholder::MASK;
use super::shapes;
use aho_corasick::AhoCorasick;
use browserlens_page::{Flags, NodeKind, Page};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// Fewest characters of a value that is masked anywhere.
const SHORTEST: usize = 8;
/// Fewest characters of a value of letters alone that is masked anywhere.
const SHORTEST_WORD: usize = 14;
/// Longest part of a value that is searched for, in bytes.
const LONGEST: usize = 256;
/// Most values that are remembered; a page may hold any number of fields.
const MOST: usize = 1_000;

/// What is known to be secret, and the search for it.
#[derive(Clone, Default)]
pub struct Mask {
    secrets: BTreeSet<String>,
    words: Option<AhoCorasick>,
    /// Of each word, whether it is masked anywhere, and whether it is base64.
    kinds: Vec<(bool, bool)>,
    stale: bool,
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mask").field("secrets", &self.secrets.len()).finish_non_exhaustive()
    }
}

impl Mask {
    /// Learns a secret; one of a single character is none.
    pub fn learn(&mut self, secret: &str) {
        let secret = &secret[..secret.floor_char_boundary(LONGEST)];
        let is_word = secret.chars().any(char::is_alphanumeric) || secret.bytes().any(|byte| byte.is_ascii_graphic());
        if secret.chars().nth(1).is_none() || !is_word || secret == MASK || self.secrets.len() >= MOST {
            return;
        }
        self.stale |= self.secrets.insert(secret.to_owned());
    }

    /// Learns what the secret fields of a page hold: password fields, and fields whose name says so
    /// (`api_token`).
    pub fn learn_page(&mut self, page: &Page) {
        page.secrets().iter().for_each(|value| self.learn(value));
        for node in page.nodes().filter(|node| node.kind() == NodeKind::Element) {
            if !matches!(node.tag(), "input" | "textarea") {
                continue;
            }
            let named = || ["name", "id"].into_iter().filter_map(|name| node.attribute(name));
            if node.flags().has(Flags::SECRET) || named().any(is_secret_field) {
                [Some(node.value()), node.attribute("value")].into_iter().flatten().for_each(|value| self.learn(value));
            }
        }
    }

    /// Returns a text with every secret in it masked.
    pub fn text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if std::mem::take(&mut self.stale) {
            self.refresh();
        }
        let mut found = Vec::new();
        shapes::in_shown(text, &mut found);
        self.known(text, &mut found);
        found.retain(|range| text.get(range.clone()).is_some_and(|secret| !secret.trim_matches('•').is_empty()));
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        found.sort_by_key(|range| (range.start, range.end));
        let (mut out, mut from) = (String::with_capacity(text.len()), 0);
        for Range { start, end } in found {
            if start >= from {
                out.push_str(&text[from..start]);
                out.push_str(MASK);
            }
            from = from.max(end);
        }
        out.push_str(&text[from..]);
        Cow::Owned(out)
    }

    /// Masks a text in place.
    pub fn mask(&mut self, text: &mut String) {
        if let Cow::Owned(masked) = self.text(text) {
            *text = masked;
        }
    }

    fn refresh(&mut self) {
        let (mut words, mut kinds) = (Vec::new(), Vec::new());
        for secret in &self.secrets {
            let length = secret.chars().count();
            let only_letters = secret.chars().all(char::is_alphabetic);
            let anywhere = length >= if only_letters { SHORTEST_WORD } else { SHORTEST };
            for form in forms(secret).into_iter().filter(|form| anywhere || !form.is_base64) {
                words.push(form.text);
                kinds.push((anywhere, form.is_base64));
            }
        }
        // A set of plain words that fits into memory always builds.
        self.words = AhoCorasick::new(&words).ok().filter(|_| !words.is_empty());
        self.kinds = kinds;
    }

    fn known(&self, text: &str, found: &mut Vec<Range<usize>>) {
        let Some(words) = &self.words else { return };
        let bytes = text.as_bytes();
        let is_base64 = |at: usize| {
            bytes.get(at).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'))
        };
        for hit in words.find_overlapping_iter(text) {
            let mut range = hit.range();
            let (anywhere, base64) = self.kinds.get(hit.pattern().as_usize()).copied().unwrap_or((true, false));
            if base64 {
                // The characters beside it hold the rest of its first and last byte.
                range.start -= usize::from(range.start > 0 && is_base64(range.start - 1));
                range.end += usize::from(is_base64(range.end));
            }
            if anywhere || is_whole_value(bytes, &range) {
                found.push(range);
            }
        }
    }
}

/// Returns whether a range is the whole value of a parameter or of a member of JSON.
fn is_whole_value(text: &[u8], range: &Range<usize>) -> bool {
    let (before, after) = (&text[..range.start], &text[range.end..]);
    let ends = after.first().is_none_or(|byte| {
        byte.is_ascii_whitespace()
            || matches!(byte, b'&' | b'#' | b';' | b'"' | b'\'' | b'<' | b'>' | b'\\' | b')' | b']' | b',')
    }) || after.starts_with(b"%26")
        || after.starts_with(b"%23");
    if !ends {
        return false;
    }
    if before.ends_with(b"=") || before.ends_with(b"%3D") || before.ends_with(b"%3d") {
        return true;
    }
    let Some(quoted) = before.strip_suffix(b"\"") else { return false };
    let escapes = quoted.iter().rev().take_while(|byte| **byte == b'\\').count();
    quoted[..quoted.len() - escapes].trim_ascii_end().ends_with(b":")
        && after.starts_with(&quoted[quoted.len() - escapes..])
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_page::PageBuilder;

    fn masked(secrets: &[&str], text: &str) -> String {
        let mut mask = Mask::default();
        secrets.iter().for_each(|secret| mask.learn(secret));
        let once = mask.text(text).into_owned();
        assert_eq!(mask.text(&once), once, "masking again changes nothing");
        once
    }

    #[test]
    fn values_under_sensitive_names_in_urls_are_masked_and_look_so() {
        let text = r#"PAGE "Signed in" http://a.test/in?u=ada&p=x1&api_token=sk-123,5#access_token=abc [1]"#;
        let expected = r#"PAGE "Signed in" http://a.test/in?u=ada&p=x1&api_token=••••••,5#access_token=•••••• [1]"#;
        assert_eq!(masked(&[], text), expected);
        assert_eq!(masked(&[], "https://ada:secret@a.test/"), "https://ada:••••••@a.test/");
        let json = r#"{"data":[["GET","http://a.test/?token=abc","x"]],"text":"?key= is a parameter"}"#;
        assert_eq!(masked(&[], json), json.replace("abc", MASK));
        let fenced = "[a](http://a.test/?code=123) [http://a.test/?code=123] {http://a.test/?code=123}";
        assert_eq!(masked(&[], fenced), fenced.replace("123", MASK));
        let prose = "set token=abc, or \"code\": \"9\"";
        assert_eq!(masked(&[], prose), prose);
    }

    #[test]
    fn what_a_field_held_is_masked_in_every_encoding() {
        let text = "p=hunter2%2Fsecret&q=hunter2/secret aHVudGVyMi9zZWNyZXQ= hunter2\\/secret";
        assert_eq!(masked(&["hunter2/secret"], text), "p=••••••&q=•••••• ••••••= ••••••");
    }

    #[test]
    fn a_word_is_masked_only_as_a_whole_value() {
        let text = r#"cell "admin" /in?user=adminx&p=admin&q=1 {"p":"admin"} {\"p\": \"admin\"} "admin""#;
        let expected = r#"cell "admin" /in?user=adminx&p=••••••&q=1 {"p":"••••••"} {\"p\": \"••••••\"} "admin""#;
        assert_eq!(masked(&["admin"], text), expected);
        assert_eq!(masked(&["x", "", "  "], "x=x"), "x=x");
    }

    #[test]
    fn secret_fields_of_a_page_are_learned() {
        let mut builder = PageBuilder::new("http://a.test/", "A");
        builder.secret("river-otter-58");
        let mut mask = Mask::default();
        mask.learn_page(&builder.finish());
        assert_eq!(mask.text("said river-otter-58."), "said ••••••.");
    }
}
