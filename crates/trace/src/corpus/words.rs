//! New words for old: a seeded, one-to-one exchange of the words of a trace.
//!
//! In: the words that a trace has and a few thousand of others. Out: [`Exchange`], which rewrites
//! texts. Invariants: a word becomes one of the same script, as many characters and as many bytes,
//! in the same case at each place; two words never become one; digits, punctuation, white space and
//! single letters stay. So equal texts stay equal, texts that differ still do, a text that stood in
//! another still does, and offsets into a text stay right.
//!
//! Why words and not made-up letters: tokenizers know words, and a corpus of non-words would cost
//! twice the tokens of a real one. Han, kana and Hangul have no blanks between words: there each
//! character is a word.

use browserlens_core::random::SplitMix64;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What is exchanged with its like only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Script {
    Latin,
    Greek,
    Cyrillic,
    Hebrew,
    Arabic,
    Han,
    Hiragana,
    Katakana,
    Hangul,
}

impl Script {
    fn of(character: char) -> Option<Self> {
        Some(match character {
            'A'..='Z' | 'a'..='z' | 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                Self::Latin
            }
            'Ά' | 'Έ'..='Ͽ' => Self::Greek,
            'Ѐ'..='\u{52f}' => Self::Cyrillic,
            '\u{591}'..='\u{5bd}' | 'א'..='ת' => Self::Hebrew,
            '\u{620}'..='\u{65f}' | '\u{66e}'..='\u{6d3}' | '\u{6d5}'..='\u{6dc}' | '\u{6fa}'..='\u{6fc}' => {
                Self::Arabic
            }
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Self::Han,
            'ぁ'..='ゖ' => Self::Hiragana,
            'ァ'..='ヺ' => Self::Katakana,
            '가'..='힣' => Self::Hangul,
            _ => return None,
        })
    }

    fn is_word_each(self) -> bool {
        matches!(self, Self::Han | Self::Hiragana | Self::Katakana | Self::Hangul)
    }
}

/// Calls `each` for every part of a text, in order: words of a script, and what lies between.
fn parts<'t>(text: &'t str, mut each: impl FnMut(Option<Script>, &'t str)) {
    let mut start = 0;
    let mut script = None;
    for (at, character) in text.char_indices() {
        let next = Script::of(character);
        let goes_on = next == script && !next.is_some_and(Script::is_word_each);
        if !goes_on && at > start {
            each(script, &text[start..at]);
            start = at;
        }
        script = next;
    }
    if start < text.len() {
        each(script, &text[start..]);
    }
}

fn is_exchanged(script: Script, word: &str) -> bool {
    script.is_word_each() || word.chars().nth(1).is_some()
}

/// Returns the character in lower case, where that is one character of as many bytes.
fn lower(character: char) -> char {
    same_size(character, character.to_lowercase())
}

fn upper(character: char) -> char {
    same_size(character, character.to_uppercase())
}

fn same_size(character: char, mut cased: impl Iterator<Item = char>) -> char {
    let only = cased.next().filter(|_| cased.next().is_none());
    only.filter(|cased| cased.len_utf8() == character.len_utf8()).unwrap_or(character)
}

fn folded(word: &str) -> Cow<'_, str> {
    if word.chars().all(|character| lower(character) == character) {
        return Cow::Borrowed(word);
    }
    Cow::Owned(word.chars().map(lower).collect())
}

/// The words of texts, in lower case.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words(BTreeSet<String>);

impl Words {
    /// Adds the words of a text.
    pub(crate) fn add(&mut self, text: &str) {
        parts(text, |script, word| {
            if script.is_some_and(|script| is_exchanged(script, word)) {
                let word = folded(word);
                if !self.0.contains(word.as_ref()) {
                    self.0.insert(word.into_owned());
                }
            }
        });
    }

    /// Adds words of others, up to so many in all.
    pub(crate) fn add_some(&mut self, others: &Self, most: usize) {
        let room = most.saturating_sub(self.0.len());
        self.0.extend(others.0.iter().take(room).cloned());
    }
}

/// A one-to-one exchange of words.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exchange(HashMap<String, String>);

impl Exchange {
    /// Draws an exchange over the words of `own` and `others`, `kept` apart.
    pub(crate) fn draw(draws: &mut SplitMix64, own: &Words, others: &Words, kept: &Words) -> Self {
        let mut classes: BTreeMap<(Script, usize, usize), Vec<&str>> = BTreeMap::new();
        for word in own.0.union(&others.0).filter(|word| !kept.0.contains(*word)) {
            let Some(script) = word.chars().next().and_then(Script::of) else { continue };
            classes.entry((script, word.chars().count(), word.len())).or_default().push(word);
        }
        let mut pairs = HashMap::with_capacity(own.0.len());
        for words in classes.into_values() {
            let mut new = words.clone();
            draws.shuffle(&mut new);
            for (old, new) in words.into_iter().zip(new).filter(|(old, _)| own.0.contains(*old)) {
                pairs.insert(old.to_owned(), new.to_owned());
            }
        }
        Self(pairs)
    }

    /// Returns a text with its words exchanged.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        parts(text, |script, word| {
            let new =
                script.filter(|script| is_exchanged(*script, word)).and_then(|_| self.0.get(folded(word).as_ref()));
            match new {
                Some(new) => out.extend(word.chars().zip(new.chars()).map(|(old, new)| {
                    let is_upper = lower(old) != old;
                    if is_upper { upper(new) } else { new }
                })),
                None => out.push_str(word),
            }
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::random::draws;
    use proptest::prelude::*;

    fn exchange(texts: &[&str], kept: &[&str], seed: u64) -> Exchange {
        let (mut own, mut frozen) = (Words::default(), Words::default());
        texts.iter().for_each(|text| own.add(text));
        kept.iter().for_each(|text| frozen.add(text));
        let mut others = Words::default();
        others.add("lorem ipsum dolor amet consectetur vestibulum Привет שלום 漢字仮名 مرحبا سلام ستون");
        Exchange::draw(&mut draws(seed, "words"), &own, &others, &frozen)
    }

    #[test]
    fn words_change_and_what_lies_between_them_stays() {
        let text = "Showing 3 of 142 results: “Straße”, NS14-4335 (€2,499.00) – 16 GB\u{a0}RAM";
        let new = exchange(&[text, "winning reports Quelle alpha bravo"], &[], 3).text(text);
        assert_ne!(new, text);
        let marks = |text: &str| text.chars().filter(|c| Script::of(*c).is_none()).collect::<String>();
        assert_eq!(marks(&new), marks(text));
        assert_eq!(new.len(), text.len());
    }

    #[test]
    fn what_is_kept_stays_wherever_it_stands() {
        let exchange = exchange(&["sign in with hunter and falcon", "winter garden"], &["Hunter-2"], 5);
        assert!(exchange.text("the value is Hunter-2!").contains("Hunter-2"));
    }

    #[test]
    fn case_follows_the_old_word() {
        let exchange = exchange(&["checkout", "products"], &[], 1);
        let new = exchange.text("checkout");
        assert_eq!(exchange.text("CHECKOUT"), new.to_uppercase());
        assert_eq!(exchange.text("Checkout").to_lowercase(), new);
        assert!(exchange.text("Checkout").starts_with(char::is_uppercase));
    }

    proptest! {
        #[test]
        fn sizes_and_scripts_stay_and_different_texts_stay_different(
            a in "[a-zA-Zß-ž0-9 ،؀-ۿא-ת一-丐ぁ-こЀ-я.,'\u{301}-]{0,40}",
            b in "[a-zA-Zß-ž0-9 ،؀-ۿא-ת一-丐ぁ-こЀ-я.,'\u{301}-]{0,40}",
            seed in 0u64..50,
        ) {
            let exchange = exchange(&[&a, &b], &[], seed);
            let (new_a, new_b) = (exchange.text(&a), exchange.text(&b));
            let sizes = |text: &str| {
                let scripts: Vec<_> = text.chars().map(|c| (Script::of(c), c.len_utf16())).collect();
                (scripts, text.len())
            };
            prop_assert_eq!(sizes(&new_a), sizes(&a));
            prop_assert_eq!(a == b, new_a == new_b);
            // A text between blanks stays a part of what it was a part of.
            let both = format!("{a} {b}");
            prop_assert_eq!(exchange.text(&both), format!("{new_a} {new_b}"));
        }
    }
}
