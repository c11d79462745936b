//! The terms of a text: what retrieval counts, indexes and embeds.
//!
//! In: any text. Out: terms, each of letters and digits only, lower-cased, without the accents of
//! Latin, Greek and Cyrillic letters, English endings taken off. A run of a script that is written
//! without spaces (Chinese, Japanese, Thai, Lao, Khmer, Burmese) gives every pair of neighbouring
//! characters, and each Han character alone. Invariants: the same for sections and queries;
//! deterministic; a term holds no blank and no character that FTS5 gives a meaning. Why not the
//! tokenizers of FTS5: they neither part scripts without spaces nor stem beside that, and the
//! lexical embedder needs the same terms.

use browserlens_core::page::text::beginning;
use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization as _;

/// Longest word that is one term, in characters; what follows is cut off. Longer ones are keys and
/// hashes.
const LONGEST_WORD: usize = 40;

/// Words that tell sections apart by nothing: function words of English, and the words that
/// questions are made of.
const STOP_WORDS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "am", "an", "and", "any", "are", "arent", "as", "at", "be",
    "because", "been", "before", "being", "below", "between", "both", "but", "by", "can", "cannot", "cant", "could",
    "did", "do", "does", "doing", "dont", "down", "during", "each", "either", "else", "ever", "every", "few", "for",
    "from", "further", "get", "gets", "give", "given", "go", "had", "has", "have", "having", "he", "her", "here",
    "hers", "him", "his", "how", "i", "if", "im", "in", "into", "is", "isnt", "it", "its", "itself", "just", "let",
    "lets", "many", "may", "me", "might", "more", "most", "much", "must", "my", "no", "nor", "not", "of", "off", "on",
    "once", "one", "only", "or", "other", "our", "ours", "out", "over", "own", "please", "same", "shall", "she",
    "should", "so", "some", "such", "tell", "than", "that", "thats", "the", "their", "theirs", "them", "then", "there",
    "these", "they", "this", "those", "through", "to", "too", "under", "until", "up", "us", "very", "was", "we",
    "were", "what", "whats", "when", "where", "whether", "which", "while", "who", "whom", "whose", "why", "will",
    "with", "would", "you", "your", "yours",
];

/// One term of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    /// What is indexed: a stem, or characters of a script without spaces.
    pub stem: String,
    /// The word as it was written, folded; equal to the stem for characters of a script without
    /// spaces.
    pub word: String,
}

/// Splits texts into terms.
pub struct Terms {
    stemmer: Stemmer,
}

impl Default for Terms {
    fn default() -> Self {
        Self { stemmer: Stemmer::create(Algorithm::English) }
    }
}

browserlens_core::opaque_debug!(self: Terms {});

impl Terms {
    /// Returns the terms of a text in their order, repeated ones included.
    pub fn of(&self, text: &str) -> Vec<Term> {
        let mut terms = Vec::new();
        self.each(text, |term| terms.push(term));
        terms
    }

    /// Hands every term of a text on, in order.
    pub fn each(&self, text: &str, mut take: impl FnMut(Term)) {
        each_word(text, |word, _| take(Term { stem: self.stem(word), word: word.to_owned() }));
    }

    /// Returns what a word, as [`each_word`] gives it, is indexed as.
    pub(crate) fn stem(&self, word: &str) -> String {
        // Only words of Latin letters have English endings.
        if word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            self.stemmer.stem(word).into_owned()
        } else {
            word.to_owned()
        }
    }
}

/// Hands every word of a text on, in order, folded; and whether it is characters of a script
/// without spaces.
pub(crate) fn each_word(text: &str, mut take: impl FnMut(&str, bool)) {
    let folded = fold(text);
    let mut word = String::new();
    let mut dense: Vec<char> = Vec::new();
    let mut characters = folded.chars().peekable();
    while let Some(c) = characters.next() {
        if is_dense(c) {
            end_word(&mut word, &mut take);
            dense.push(c);
            continue;
        }
        end_dense(&mut dense, &mut take);
        if c.is_alphanumeric() {
            word.push(c);
        } else if is_joiner(c) && !word.is_empty() && characters.peek().is_some_and(|next| next.is_alphabetic()) {
            // "don't" and "user's" are one word each.
        } else if c == ',' && ends_in_digit(&word) && characters.peek().is_some_and(char::is_ascii_digit) {
            // "1,299" is one number.
        } else {
            end_word(&mut word, &mut take);
        }
    }
    end_word(&mut word, &mut take);
    end_dense(&mut dense, &mut take);
}

fn end_word(word: &mut String, take: &mut impl FnMut(&str, bool)) {
    if word.is_empty() {
        return;
    }
    word.truncate(beginning(word, LONGEST_WORD).len());
    take(word, false);
    word.clear();
}

/// Whether a word tells sections apart by nothing.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Lower case, compatibility forms resolved, accents of Latin, Greek and Cyrillic letters dropped.
fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    // Also the vowel points of Hebrew and Arabic, which texts may leave out.
    let is_accent = |c: &char| matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}');
    // Marks that hang on a letter of another script are part of its word, but no letters of their
    // own.
    text.nfkd().filter(|c| !is_accent(c)).nfc().flat_map(char::to_lowercase).filter(|c| !is_accent(c)).collect()
}

fn ends_in_digit(word: &str) -> bool {
    word.ends_with(|c: char| c.is_ascii_digit())
}

/// Characters that stand inside a word without parting it: apostrophes, soft hyphens, marks of
/// Indian scripts that are no letters (virama, nukta).
fn is_joiner(c: char) -> bool {
    matches!(c, '\'' | '’' | '\u{ad}' | '\u{200c}' | '\u{200d}')
        || (matches!(c, '\u{900}'..='\u{dff}') && !matches!(c, '।' | '॥'))
}

/// Whether a character belongs to a script that is written without spaces.
fn is_dense(c: char) -> bool {
    is_han(c)
        || (matches!(c, '\u{3041}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}') && c != '・')
        || (matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}') && !is_dense_sign(c))
}

/// Digits and punctuation in the blocks of the scripts without spaces.
fn is_dense_sign(c: char) -> bool {
    c.is_numeric()
        || matches!(c, '\u{e2f}' | '\u{e3f}' | '\u{e4f}' | '\u{e5a}' | '\u{e5b}')
        || matches!(c, '\u{104a}'..='\u{104f}' | '\u{17d4}'..='\u{17dd}')
}

fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '々')
        || matches!(c, '\u{20000}'..='\u{323af}')
}

fn end_dense(dense: &mut Vec<char>, take: &mut impl FnMut(&str, bool)) {
    if dense.is_empty() {
        return;
    }
    let mut text = String::new();
    let mut give = |characters: &[char]| {
        text.clear();
        text.extend(characters);
        take(&text, true);
    };
    for (at, c) in dense.iter().enumerate() {
        if is_han(*c) || dense.len() == 1 {
            give(&[*c]);
        }
        if let Some(next) = dense.get(at + 1) {
            give(&[*c, *next]);
        }
    }
    dense.clear();
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn stems(text: &str) -> String {
        Terms::default().of(text).into_iter().map(|term| term.stem).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn stop_words_are_sorted_for_the_search_in_them() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && is_stop_word("yours") && is_stop_word("a") && !is_stop_word("return"));
    }

    #[test]
    fn words_are_folded_and_lose_english_endings() {
        assert_eq!(stems("Configuring the Configurations, configured"), "configur the configur configur");
        assert_eq!(stems("Café CRÈME ÅNGSTRÖM Ёлка"), "cafe creme angstrom елка");
        assert_eq!(stems("don't user's user’s"), "dont user user");
        assert_eq!(stems("$1,299.50, 1, 2 v2.0 ﬁle ＡＢＣ"), "1299 50 1 2 v2 0 file abc");
        assert_eq!(stems("--dry-run max_size"), "dri run max size");
    }

    #[test]
    fn scripts_without_spaces_give_pairs_of_characters() {
        assert_eq!(stems("東京タワー"), "東 東京 京 京タ タワ ワー");
        assert_eq!(stems("返品 ABC"), "返 返品 品 abc");
        assert_eq!(stems("が"), "が", "a voiced kana is one character, however it is written");
        assert_eq!(stems("か\u{3099}"), "が");
        assert_eq!(stems("ราคา"), "รา าค คา");
    }

    #[test]
    fn marks_of_other_scripts_stay_in_their_words() {
        assert_eq!(stems("हिन्दी शब्द").split(' ').count(), 2);
        assert_eq!(stems("مُحَمَّد محمد"), "محمد محمد");
        assert_eq!(stems("שלום עולם"), "שלום עולם");
    }

    #[test]
    fn endless_words_are_cut() {
        assert_eq!(stems(&"x".repeat(100_000)).len(), LONGEST_WORD);
    }

    proptest! {
        #[test]
        fn a_term_holds_letters_and_digits_only(text in "\\PC{0,80}") {
            for term in Terms::default().of(&text) {
                prop_assert!(!term.stem.is_empty() && !term.word.is_empty());
                let parts = |c: char| c.is_whitespace() || c.is_ascii_punctuation() || c.is_control();
                prop_assert!(!term.stem.contains(parts), "{term:?}");
            }
        }

        #[test]
        fn case_does_not_matter_and_parts_add_up(left in "[a-zA-Z0-9 ,.東京]{0,30}", right in "[a-zA-Z東京 ]{0,30}") {
            let terms = Terms::default();
            prop_assert_eq!(terms.of(&left.to_uppercase()), terms.of(&left.to_lowercase()));
            let whole = terms.of(&format!("{left}\n{right}"));
            prop_assert_eq!(whole, [terms.of(&left), terms.of(&right)].concat());
        }
    }
}
