//! Finding a fact in text that a format has cut into pieces.
//!
//! In: pieces of text in reading order. Out: whether and where a fact stands in them. Rules: runs
//! of whitespace are one blank; between two pieces there is a *seam*, which counts as a blank or as
//! nothing (`$` + `49.00` reads as `$49.00`), but never glues two words or numbers together (`14` +
//! `2` is not `142`); a fact is not found inside a longer word or number. Why not a plain
//! `contains` on joined text: one separator for all pieces loses facts that span inline elements,
//! none at all finds facts that nobody can read.

use browserlens_core::page::text::is_unseen;

const SEAM: char = '\u{1}';

/// Returns text with whitespace collapsed and invisible format characters removed, also where they
/// stand as escapes.
pub fn normalize(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_normalized(&mut out, text);
    out
}

fn push_normalized(out: &mut String, text: &str) {
    let start = out.len();
    let mut blank = false;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let c = match written_out(c, chars.as_str()) {
            Some((hidden, rest)) => {
                chars = rest.chars();
                hidden
            }
            None => c,
        };
        if c.is_whitespace() || c.is_control() {
            blank = true;
        } else if !is_invisible(c) {
            if blank && out.len() > start {
                out.push(' ');
            }
            blank = false;
            out.push(c);
        }
    }
}

/// Returns the unseen character that an escape (`\u{200d}`) stands for, and what follows it.
fn written_out(c: char, rest: &str) -> Option<(char, &str)> {
    let rest = rest.strip_prefix("u{").filter(|_| c == '\\')?;
    let end = rest.bytes().take(7).position(|byte| byte == b'}')?;
    let hidden = char::from_u32(u32::from_str_radix(&rest[..end], 16).ok()?)?;
    is_unseen(hidden).then_some((hidden, &rest[end + 1..]))
}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}')
        || matches!(c, '\u{2060}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// Text in pieces, normalised, in reading order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Haystack {
    text: String,
    starts: Vec<usize>,
}

impl Haystack {
    /// Adds a piece; an empty one adds nothing. Returns whether it was added.
    pub fn push(&mut self, piece: &str) -> bool {
        let before = self.text.len();
        if before > 0 {
            self.text.push(SEAM);
        }
        let start = self.text.len();
        push_normalized(&mut self.text, piece);
        if self.text.len() == start {
            self.text.truncate(before);
            return false;
        }
        self.starts.push(start);
        true
    }

    /// Returns whether the fact can be read.
    pub fn holds(&self, fact: &str) -> bool {
        let fact = normalize(fact);
        self.next_match(&fact, 0).is_some()
    }

    /// Returns, for every place where the fact stands, the pieces it spans (indices from first to
    /// last, inclusive).
    pub fn places(&self, fact: &str) -> Vec<(usize, usize)> {
        let fact = normalize(fact);
        let mut places = Vec::new();
        let mut from = 0;
        while let Some((start, end)) = self.next_match(&fact, from) {
            places.push((self.piece_at(start), self.piece_at(end - 1)));
            from = start + self.text[start..].chars().next().map_or(1, char::len_utf8);
        }
        places
    }

    fn piece_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|start| *start <= offset).saturating_sub(1)
    }

    /// Finds the normalised fact at or after `from`. Out: byte range.
    fn next_match(&self, fact: &str, from: usize) -> Option<(usize, usize)> {
        let first = fact.chars().next()?;
        // No seam is skipped inside a word, so the fact's first word stands in one piece: let the
        // string search find it.
        let head_len = fact.char_indices().find(|(_, c)| !c.is_alphanumeric()).map_or(fact.len(), |(at, _)| at);
        let head = &fact[..head_len.max(first.len_utf8())];
        let mut from = from;
        while let Some(found) = self.text.get(from..)?.find(head) {
            let start = from + found;
            if self.may_start(start, first)
                && let Some(end) = self.match_at(start, fact)
            {
                return Some((start, end));
            }
            from = start + first.len_utf8();
        }
        None
    }

    fn may_start(&self, start: usize, first: char) -> bool {
        let mut before = self.text[..start].chars().rev();
        match before.next() {
            Some(c) if c.is_alphanumeric() => !first.is_alphanumeric(),
            Some('.' | ',') if first.is_ascii_digit() => !before.next().is_some_and(|c| c.is_ascii_digit()),
            _ => true,
        }
    }

    fn match_at(&self, start: usize, fact: &str) -> Option<usize> {
        let mut rest = self.text[start..].char_indices().peekable();
        let mut last: Option<char> = None;
        let mut end = start;
        for wanted in fact.chars() {
            if wanted == ' ' {
                let mut gaps = 0;
                while rest.next_if(|(_, c)| matches!(*c, ' ' | SEAM)).is_some() {
                    gaps += 1;
                }
                if gaps == 0 {
                    return None;
                }
            } else {
                let may_skip = last.is_some_and(|last| !(last.is_alphanumeric() && wanted.is_alphanumeric()));
                while may_skip && rest.next_if(|(_, c)| *c == SEAM).is_some() {}
                let (at, found) = rest.next()?;
                if found != wanted {
                    return None;
                }
                end = start + at + found.len_utf8();
            }
            last = Some(wanted);
        }
        let glued = last.is_some_and(char::is_alphanumeric) && rest.peek().is_some_and(|(_, c)| c.is_alphanumeric());
        (!glued).then_some(end)
    }
}

/// Reads what stands in quotes, after the opening one, with the escapes of JSON, YAML and Python.
/// Out: the text and what follows the closing quote; where none closes, all of it.
pub(crate) fn escaped(text: &str, quote: char) -> (String, &str) {
    let mut value = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c == quote {
            return (value, chars.as_str());
        }
        if c != '\\' {
            value.push(c);
            continue;
        }
        let escape = chars.next().unwrap_or('\\');
        let digits = match escape {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        let code = chars.as_str().get(..digits).and_then(|hex| u32::from_str_radix(hex, 16).ok());
        value.push(match (code, escape) {
            (Some(code), _) => {
                chars.by_ref().take(digits).for_each(drop);
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            (None, 'n') => '\n',
            (None, 't') => '\t',
            (None, 'r') => '\r',
            (None, other) => other,
        });
    }
    (value, "")
}

/// Returns the words of a text in lower case, each once, in order.
pub fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric()) {
        let word = word.to_lowercase();
        if !word.is_empty() && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn haystack(pieces: &[&str]) -> Haystack {
        let mut haystack = Haystack::default();
        for piece in pieces {
            haystack.push(piece);
        }
        haystack
    }

    #[test]
    fn a_fact_is_read_across_adjacent_pieces() {
        let page = haystack(&["Sum:", "46,080", "Average: 15,360", "", "Price", "$", "49", ".00"]);
        assert!(page.holds("Sum: 46,080 Average: 15,360"));
        assert!(page.holds("$49.00"));
        assert!(page.holds("  Average:\u{a0}15,360 "));
        assert_eq!(page.places("$49.00"), [(4, 6)]);
    }

    #[test]
    fn what_nobody_sees_is_nothing_whether_it_is_there_or_written_out() {
        assert_eq!(normalize("Mer\\u{200b}lin\\u{200d} Oak\\u{7}"), normalize("Mer\u{200b}lin\u{200d} Oak\u{7}"));
        assert!(haystack(&["\u{200f}3,720", "Mer\\u{200d}lin"]).holds("\u{200e}3,720 Merlin"));
        for kept in ["\\u{41}", "\\u{200d", "\\u{}", "\\u{110000}", "u{200d}", "\\u{é}"] {
            assert_eq!(normalize(kept), kept);
        }
    }

    #[test]
    fn a_fact_is_not_glued_from_words_nor_found_inside_one() {
        let page = haystack(&["14", "2 results", "invoices 17", "1,489.00", "Cart (12)"]);
        for absent in ["142", "invoice", "7", "489.00", "Cart (1)", "results invoices17"] {
            assert!(!page.holds(absent), "{absent:?}");
        }
        for present in ["2 results", "17", "Cart (12)", "14 2", "1,489.00"] {
            assert!(page.holds(present), "{present:?}");
        }
    }

    #[test]
    fn a_later_place_counts_when_an_earlier_one_does_not() {
        assert!(haystack(&["17 items", "7 items"]).holds("7 items"));
        assert!(!haystack(&["anything"]).holds(""));
    }

    proptest! {
        #[test]
        fn every_piece_is_found_in_its_own_haystack(pieces in prop::collection::vec("\\PC{0,12}", 0..6)) {
            let page = haystack(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
            for piece in &pieces {
                prop_assert!(normalize(piece).is_empty() || page.holds(piece), "{piece:?} in {page:?}");
            }
        }

        #[test]
        fn searching_never_panics(pieces in prop::collection::vec(".{0,8}", 0..5), fact in ".{0,6}") {
            let page = haystack(&pieces.iter().map(String::as_str).collect::<Vec<_>>());
            let places = page.places(&fact);
            prop_assert_eq!(!places.is_empty(), page.holds(&fact));
        }
    }
}
