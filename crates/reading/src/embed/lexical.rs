//! The built-in embedder: words, pairs of words and pieces of words, hashed into one vector.
//!
//! In: a text. Out: the sum of a fixed pseudo-random direction for each of its features, at unit
//! length.
//!
//! Features of a text, by its [words](crate::words): each stem (weight 1); each pair of
//! neighbouring stems ([`PAIR`]); the pieces of three to five characters of each word with its ends
//! marked (together [`PIECES`]), so that `configuration` is near `configure`, and a misspelling
//! near what was meant. A word or concept that stands n times counts 1 + ln n. Characters of
//! scripts without spaces are pairs already and have no pieces.
//!
//! IDF: a section is embedded without it, so its vector never changes when other sections come or
//! go; stop words count [`STOP`]. A query's words are weighted by their rarity in the sections that
//! are searched. One side suffices: the cosine sums the products of both.
//!
//! Invariants: the same on every machine and for every order of calls; unit length, or all zero for
//! a text without a term.

use super::{EmbedError, Embedder, to_unit_length};
use crate::concepts::{self, Concept};
use crate::terms::Term;
use crate::words::{Lexicon, Word, hash, mix, moves};
use browserlens_core::sync::locked;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex};

/// Changes whenever a vector may change.
const VERSION: u32 = 2;
/// Dimension by default. Half of it costs a tenth of the answers on pages with many like sections;
/// twice as much gains nothing.
const DIMENSION: usize = 1_024;
/// How many coordinates a word, a pair or a concept moves; more make collisions alike, and cost
/// time.
const SPREAD: usize = 8;
/// Weight of a pair of neighbouring words.
const PAIR: f32 = 0.3;
/// Weight of all pieces of a word together.
const PIECES: f32 = 1.0;
/// Weight of each concept that a word is in.
const CONCEPT: f32 = 0.5;
/// Weight of a stop word.
const STOP: f32 = 0.05;
/// The cosine that means a similarity of 0.5; see [`Embedder::similarity`]. Cosines of sections and
/// queries that have nothing to do with each other stay below it (a test measures that).
const HALF: f32 = 0.12;

/// Embeds by spelling; remembers words, which changes no vector. Clones share the memory.
#[derive(Clone, Debug)]
pub struct Lexical {
    dimension: usize,
    lexicon: Arc<Mutex<Lexicon>>,
}

impl Default for Lexical {
    fn default() -> Self {
        Self { dimension: DIMENSION, lexicon: Arc::default() }
    }
}

/// How often something stands, and what one of it weighs.
#[derive(Clone, Copy, Default)]
struct Counted {
    count: f32,
    weight: f32,
}

impl Counted {
    fn add(&mut self, weight: f32) {
        self.count += 1.0;
        self.weight = self.weight.max(weight);
    }

    fn value(self) -> f32 {
        self.weight * (1.0 + self.count.ln())
    }
}

impl Lexical {
    /// Returns an embedder of another dimension, rounded up to a multiple of 8 and at least 64:
    /// fewer are faster, more tell more apart.
    pub fn with_dimension(dimension: usize) -> Self {
        Self { dimension: dimension.clamp(64, 8192).next_multiple_of(8), lexicon: Arc::default() }
    }

    fn vector(&self, text: &str, is_query: bool, weight: &dyn Fn(&Term) -> f32) -> Vec<f32> {
        let mut vector = vec![0.0; self.dimension];
        // In the order of the text: sums of floats depend on their order.
        let mut different: Vec<(Arc<Word>, Counted)> = Vec::new();
        let mut at: FxHashMap<*const Word, usize> = FxHashMap::default();
        let mut concepts: Vec<(Concept, Counted)> = Vec::new();
        let mut before: Option<(u64, f32)> = None;
        let words = locked(&self.lexicon).words(text);
        for word in words {
            let weight = if word.is_stop { STOP } else { weight(&word.term) };
            let known = *at.entry(Arc::as_ptr(&word)).or_insert_with(|| {
                different.push((Arc::clone(&word), Counted::default()));
                different.len() - 1
            });
            different[known].1.add(weight);
            if word.is_stop {
                continue;
            }
            let stem = hash(1, word.term.stem.as_bytes());
            if let Some((before, before_weight)) = before {
                let pair = PAIR * (weight * before_weight).sqrt();
                add(&mut vector, mix(before.rotate_left(17) ^ stem), pair);
            }
            before = Some((stem, weight));
            for concept in word.concepts {
                count(&mut concepts, *concept, CONCEPT * weight);
            }
        }
        concepts::of_notations(text, |concept| count(&mut concepts, concept, CONCEPT));
        if is_query {
            concepts::of_question(text, |concept| count(&mut concepts, concept, CONCEPT));
        }
        for (word, counted) in different {
            let value = counted.value();
            add(&mut vector, hash(1, word.term.stem.as_bytes()), value);
            if !word.is_stop {
                let value = value * PIECES * (SPREAD as f32).sqrt();
                word.pieces().iter().for_each(|piece| piece.apply(&mut vector, value));
            }
        }
        for (concept, counted) in concepts {
            add(&mut vector, hash(3, &concept.to_le_bytes()), counted.value());
        }
        to_unit_length(&mut vector);
        vector
    }
}

fn count(concepts: &mut Vec<(Concept, Counted)>, concept: Concept, weight: f32) {
    let at = concepts.iter().position(|(known, _)| *known == concept).unwrap_or_else(|| {
        concepts.push((concept, Counted::default()));
        concepts.len() - 1
    });
    concepts[at].1.add(weight);
}

fn add(vector: &mut [f32], feature: u64, value: f32) {
    moves(feature, SPREAD, value, |one| one.apply(vector, 1.0));
}

impl Embedder for Lexical {
    fn is_built_in(&self) -> bool {
        true
    }

    fn id(&self) -> String {
        format!("lexical/{VERSION}/{}", self.dimension)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text, false, &|_| 1.0)).collect())
    }

    fn embed_query(&self, query: &str, rarity: &dyn Fn(&Term) -> f32) -> Result<Vec<f32>, EmbedError> {
        Ok(self.vector(query, true, rarity))
    }

    fn similarity(&self, cosine: f32) -> f32 {
        (0.5 * cosine / HALF).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms::Terms;
    use proptest::prelude::*;

    fn cosine(left: &str, right: &str) -> f32 {
        let vectors = Lexical::default().embed(&[left, right]).expect("never fails");
        vectors[0].iter().zip(&vectors[1]).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn a_vector_is_the_same_today_as_yesterday() {
        let vector = Lexical::default().embed(&["Return policy"]).expect("never fails").remove(0);
        let bytes: Vec<u8> = vector.iter().flat_map(|x| x.to_le_bytes()).collect();
        let first: Vec<String> = vector
            .iter()
            .enumerate()
            .filter(|(_, x)| **x != 0.0)
            .take(4)
            .map(|(at, x)| format!("{at}:{x:.3}"))
            .collect();
        insta::assert_snapshot!(format!("{} {}", first.join(" "), blake3::hash(&bytes).to_hex()), @"0:0.059 17:-0.059 \
            26:0.059 32:0.059 2d3f958c93b244758d1f8d2b0bfc638dce2f985f15b2e80744e96fee40a32e84");
        assert_eq!(Lexical::default().id(), "lexical/2/1024");
    }

    #[test]
    fn forms_misspellings_and_scripts_without_spaces_are_near() {
        assert!(cosine("configure the server", "server configuration") > 0.6);
        assert!(cosine("authentification", "authentication") > 0.2);
        assert!(cosine("返品ポリシー", "商品の返品について") > 0.2);
        assert!((cosine("Größe", "größe") - 1.0).abs() < 1e-5);
    }

    #[test]
    fn what_has_nothing_to_do_with_a_query_is_less_than_half_similar() {
        let texts = [
            "Shipping takes three to five working days within the country and up to two weeks elsewhere.",
            "The spreadsheet recalculates every formula when a cell changes.",
            "Passwords have at least twelve characters; a second factor is asked for on new devices.",
            "配送には三日から五日かかります。",
            "Der Zug hält auf dem nächsten Bahnhof nur am Wochenende.",
            "GET /v1/users returns a list of users, fifty on each page.",
        ];
        let embedder = Lexical::default();
        for (at, text) in texts.iter().enumerate() {
            for other in &texts[at + 1..] {
                let similarity = embedder.similarity(cosine(text, other));
                assert!(similarity < 0.5, "{similarity}: {text:?} {other:?}");
            }
        }
    }

    #[test]
    fn rare_words_of_a_query_weigh_more() {
        let embedder = Lexical::default();
        let sections = embedder.embed(&["the warranty of lamps", "shipping of lamps and lamps"]).expect("never fails");
        let rarity = |term: &Term| if term.stem == "lamp" { 0.1 } else { 2.0 };
        let query = embedder.embed_query("lamp warranty", &rarity).expect("never fails");
        let near = |section: &[f32]| section.iter().zip(&query).map(|(a, b)| a * b).sum::<f32>();
        assert!(near(&sections[0]) > 2.0 * near(&sections[1]));
    }

    #[test]
    fn nothing_to_embed_is_the_zero_vector() {
        let vectors = Lexical::default().embed(&["", "…!?", " \n"]).expect("never fails");
        assert!(vectors.iter().flatten().all(|x| *x == 0.0));
    }

    #[test]
    fn dimensions_are_whole_bytes_of_bits() {
        assert_eq!(Lexical::with_dimension(1).dimension(), 64);
        assert_eq!(Lexical::with_dimension(129).embed(&["x"]).expect("never fails")[0].len(), 136);
    }

    proptest! {
        #[test]
        fn every_text_has_unit_length_or_none(text in "\\PC{0,120}") {
            let vector = Lexical::default().embed(&[&text]).expect("never fails").remove(0);
            let length: f32 = vector.iter().map(|x| x * x).sum();
            prop_assert_eq!(vector.len(), DIMENSION);
            prop_assert!(length == 0.0 || (length - 1.0).abs() < 1e-4, "{}", length);
            prop_assert!(length > 0.0 || Terms::default().of(&text).is_empty());
        }
    }
}
