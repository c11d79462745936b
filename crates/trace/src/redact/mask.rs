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

use super::names::is_secret_field;
use super::placeholder::MASK;
use super::{Words, replaced, shapes};
use browserlens_core::page::{Flags, NodeKind, Page};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::ops::Range;

/// Fewest characters of a value that is masked anywhere.
const SHORTEST: usize = 8;
/// Fewest characters of a value of letters alone that is masked anywhere.
const SHORTEST_WORD: usize = 14;
/// Most characters of a piece that is searched for.
const LONGEST: usize = 256;
/// Most pieces that are remembered; a page may hold any number of fields.
const MOST: usize = 1_000;

/// What is known to be secret, and the search for it.
#[derive(Clone, Default)]
pub struct Mask {
    /// The secrets, the oldest first.
    secrets: VecDeque<String>,
    /// Those that are masked anywhere, and those that are only as a whole value.
    anywhere: Words,
    whole: Words,
    stale: bool,
}

browserlens_core::opaque_debug!(self: Mask { secrets: self.secrets.len() });

impl Mask {
    /// Learns a secret; one of a single character is none. A long one is learned in pieces.
    pub fn learn(&mut self, secret: &str) {
        let characters: Vec<char> = secret.chars().collect();
        let is_word = characters.iter().any(|c| c.is_alphanumeric() || c.is_ascii_graphic());
        if characters.len() < 2 || !is_word || secret == MASK {
            return;
        }
        for piece in characters.chunks(LONGEST).filter(|piece| piece.len() > 1) {
            let piece: String = piece.iter().collect();
            if !self.secrets.contains(&piece) {
                self.secrets.push_back(piece);
                self.stale = true;
            }
        }
        while self.secrets.len() > MOST {
            self.secrets.pop_front();
        }
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
            let (anywhere, whole) = self.secrets.iter().cloned().partition(|secret| is_masked_anywhere(secret));
            (self.anywhere, self.whole) = (Words::of(&anywhere), Words::of(&whole));
        }
        let (mut found, mut values) = (Vec::new(), Vec::new());
        shapes::find(text, shapes::Source::Shown, &mut found);
        self.anywhere.find(text, &mut found);
        self.whole.find(text, &mut values);
        found.extend(values.into_iter().filter(|range| is_whole_value(text.as_bytes(), range)));
        found.retain(|range| text.get(range.clone()).is_some_and(|secret| !secret.trim_matches('•').is_empty()));
        if found.is_empty() {
            return Cow::Borrowed(text);
        }
        // Pieces of one secret are one mask.
        Cow::Owned(replaced(text, found, true, |_| MASK.into()))
    }

    /// Masks a text in place.
    pub fn mask(&mut self, text: &mut String) {
        super::set(text, |text| self.text(text));
    }
}

/// Returns whether nobody would write a secret by chance.
fn is_masked_anywhere(secret: &str) -> bool {
    let only_letters = secret.chars().all(char::is_alphabetic);
    secret.chars().count() >= if only_letters { SHORTEST_WORD } else { SHORTEST }
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
    use browserlens_core::page::PageBuilder;

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
    fn a_long_secret_is_masked_to_its_end_and_the_oldest_are_forgotten() {
        let key: String = (0..900).map(|at| format!("{at}k")).collect();
        assert_eq!(masked(&[&key], &format!("key {key}.")), "key ••••••.");
        let many: Vec<String> = (0..=MOST).map(|at| format!("planted-{at}")).collect();
        let mut secrets: Vec<&str> = many.iter().map(String::as_str).collect();
        secrets.push("river-otter-58");
        assert_eq!(masked(&secrets, "said river-otter-58"), "said ••••••");
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
