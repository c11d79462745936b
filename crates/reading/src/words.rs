//! What is known of a word, worked out once: its stem, its concepts, and where its spelling points.
//!
//! In: a text. Out: its words in order, each as a shared [`Word`]. Invariants: a word is a function
//! of its letters alone, so it does not matter who asked first; what a [`Lexicon`] remembers has a
//! bound.

use crate::concepts::{self, Concept};
use crate::terms::{Term, Terms, each_word, is_stop_word};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// From how many words on, about 1 KB each with their pieces, a lexicon starts anew.
const REMEMBERED: usize = 8_192;
/// How many coordinates a piece of a word moves.
const SPREAD: usize = 4;

/// A word, folded.
#[derive(Debug)]
pub(crate) struct Word {
    /// The word and its stem.
    pub term: Term,
    /// Whether it tells sections apart by nothing.
    pub is_stop: bool,
    /// The concepts that it is in.
    pub concepts: &'static [Concept],
    /// Worked out when an embedder asks: pieces cost more than all else about a word.
    pieces: OnceLock<Box<[Move]>>,
}

impl Word {
    /// Returns where its pieces point: together they have the length 1.
    pub fn pieces(&self) -> &[Move] {
        self.pieces.get_or_init(|| pieces(&self.term.word))
    }
}

/// How far a feature moves a vector, and along which coordinate: a number that the dimension of the
/// vector is yet to be applied to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Move {
    coordinate: u32,
    value: f32,
}

impl Move {
    /// Applies it, `weight` times.
    pub fn apply(self, vector: &mut [f32], weight: f32) {
        let at = (u64::from(self.coordinate) * vector.len() as u64) >> 32;
        vector[at as usize] += self.value * weight;
    }
}

/// Hands on the moves of a feature, each of a length.
pub(crate) fn moves(feature: u64, count: usize, value: f32, mut take: impl FnMut(Move)) {
    let mut state = feature;
    for _ in 0..count {
        state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
        take(Move { coordinate: (state >> 32) as u32, value: if state & 1 == 0 { value } else { -value } });
    }
}

/// The words met so far: pages of a site share most of theirs.
#[derive(Debug, Default)]
pub(crate) struct Lexicon {
    terms: Terms,
    words: FxHashMap<Box<str>, Arc<Word>>,
}

/// Returns the different concepts of a text and its words, sorted.
pub(crate) fn of_words(words: &[Arc<Word>], text: &str) -> Vec<Concept> {
    let mut concepts = Vec::new();
    for word in words.iter().filter(|word| !word.is_stop) {
        concepts.extend_from_slice(word.concepts);
    }
    concepts::of_notations(text, |concept| concepts.push(concept));
    concepts.sort_unstable();
    concepts.dedup();
    concepts
}

impl Lexicon {
    /// Returns the words of a text in their order, repeated ones included.
    pub fn words(&mut self, text: &str) -> Vec<Arc<Word>> {
        let mut words = Vec::new();
        // Never within a text: its words are told apart by where they lie.
        if self.words.len() >= REMEMBERED {
            self.words.clear();
        }
        each_word(text, |word, is_dense| words.push(self.word(word, is_dense)));
        words
    }

    fn word(&mut self, word: &str, is_dense: bool) -> Arc<Word> {
        if let Some(known) = self.words.get(word) {
            return Arc::clone(known);
        }
        let stem = if is_dense { word.to_owned() } else { self.terms.stem(word) };
        let term = Term { stem, word: word.to_owned() };
        let known = Arc::new(Word {
            is_stop: is_stop_word(word),
            concepts: concepts::of_term(&term),
            pieces: OnceLock::new(),
            term,
        });
        self.words.insert(word.into(), Arc::clone(&known));
        known
    }
}

/// Where the pieces of three to five characters of a word point, its ends marked.
fn pieces(word: &str) -> Box<[Move]> {
    let mut marked: Vec<char> = Vec::with_capacity(word.len() + 2);
    marked.push('^');
    marked.extend(word.chars());
    marked.push('$');
    // Two characters are a word that is a pair of a script without spaces, or too short to have
    // pieces.
    if marked.len() < 5 {
        return Box::default();
    }
    let count: usize = (3..=5).map(|length| (marked.len() + 1).saturating_sub(length)).sum();
    let share = 1.0 / ((count * SPREAD) as f32).sqrt();
    let mut found = Vec::with_capacity(count * SPREAD);
    let mut buffer = [0; 4];
    for length in 3..=5 {
        for window in marked.windows(length) {
            let mut state = SEED ^ 2;
            for c in window {
                state = bytes(state, c.encode_utf8(&mut buffer).as_bytes());
            }
            moves(mix(state), SPREAD, share, |one| found.push(one));
        }
    }
    found.into()
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a; written out, because a hash that a library may change would change every stored vector.
fn bytes(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// Hashes a feature of a kind.
pub(crate) fn hash(kind: u64, text: &[u8]) -> u64 {
    mix(bytes(SEED ^ kind, text))
}

/// The finaliser of SplitMix64.
pub(crate) fn mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_terms_and_are_shared() {
        let (text, mut lexicon) = ("The users' settings, the SETTINGS of 東京", Lexicon::default());
        let found = lexicon.words(text);
        assert_eq!(found.iter().map(|word| word.term.clone()).collect::<Vec<_>>(), Terms::default().of(text));
        assert!(Arc::ptr_eq(&found[0], &found[3]) && found[0].is_stop && !found[1].is_stop);
        assert!(Arc::ptr_eq(&found[2], &lexicon.words("settings")[0]));
    }

    #[test]
    fn what_is_remembered_has_a_bound() {
        let mut lexicon = Lexicon::default();
        for number in 0..3 * REMEMBERED {
            assert_eq!(lexicon.words(&format!("w{number}")).len(), 1);
        }
        assert!(lexicon.words.len() <= REMEMBERED);
    }
}
