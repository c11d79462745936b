//! The built-in embedder: words, pairs of words and pieces of words, hashed into one vector.
//!
//! In: a text. Out: the sum of a fixed pseudo-random direction for each of its features, at unit length.
//!
//! Features of a text, by its [`Terms`]: each stem (weight 1); each pair of neighbouring stems ([`PAIR`]); the pieces of three to five
//! characters of each word with its ends marked (together [`PIECES`]), so that `configuration` is near `configure`, and a misspelling near what
//! was meant. A feature that stands n times counts 1 + ln n. Characters of scripts without spaces are pairs already and have no pieces.
//!
//! IDF: a section is embedded without it, so its vector never changes when other sections come or go; stop words count [`STOP`]. A query's
//! words are weighted by their rarity in the sections that are searched. One side suffices: the cosine sums the products of both.
//!
//! Invariants: the same on every machine and for every order of calls; unit length, or all zero for a text without a term.

use super::{EmbedError, Embedder, to_unit_length};
use crate::concepts::{self, Concept};
use crate::terms::{Term, Terms, is_stop_word};
use rustc_hash::FxHashMap;

/// Changes whenever a vector may change.
const VERSION: u32 = 1;
/// Dimension by default. Half of it costs a tenth of the answers on pages with many like sections; twice as much gains nothing.
const DIMENSION: usize = 1_024;
/// How many coordinates a feature moves; more make collisions alike, and cost time.
const SPREAD: usize = 8;
/// Weight of a pair of neighbouring words.
const PAIR: f32 = 0.3;
/// Weight of all pieces of a word together (their vectors' length).
const PIECES: f32 = 1.0;
/// Weight of each concept that a word is in.
const CONCEPT: f32 = 0.5;
/// Weight of a stop word.
const STOP: f32 = 0.05;
/// The cosine that means a similarity of 0.5; see [`Embedder::similarity`]. Cosines of sections and queries that have nothing to do with each
/// other stay below it (a test measures that).
const HALF: f32 = 0.12;

/// Embeds by spelling.
#[derive(Debug)]
pub struct Lexical {
    terms: Terms,
    dimension: usize,
}

impl Default for Lexical {
    fn default() -> Self {
        Self { terms: Terms::default(), dimension: DIMENSION }
    }
}

impl Lexical {
    /// Returns an embedder of another dimension, rounded up to a multiple of 8 and at least 64: fewer are faster, more tell more apart.
    pub fn with_dimension(dimension: usize) -> Self {
        Self { dimension: dimension.clamp(64, 8192).next_multiple_of(8), ..Self::default() }
    }

    fn vector(&self, text: &str, weight: &dyn Fn(&Term) -> f32) -> Vec<f32> {
        let mut features = Features::default();
        let mut before: Option<(u64, f32)> = None;
        self.terms.each(text, |term| {
            let is_stop = is_stop_word(&term.word);
            let weight = if is_stop { STOP } else { weight(&term) };
            let stem = hash(1, term.stem.as_bytes());
            features.add(stem, weight);
            if is_stop {
                return;
            }
            if let Some((before, before_weight)) = before {
                features.add(mix(before.rotate_left(17) ^ stem), PAIR * (weight * before_weight).sqrt());
            }
            before = Some((stem, weight));
            for concept in concepts::of_term(&term) {
                features.add(concept_feature(*concept), CONCEPT * weight);
            }
            pieces(&term.word, |piece, share| features.add(piece, PIECES * share * weight));
        });
        concepts::of_notations(text, |concept| features.add(concept_feature(concept), CONCEPT));
        concepts::of_question(text, |concept| features.add(concept_feature(concept), CONCEPT));
        let mut vector = vec![0.0; self.dimension];
        for (feature, (count, weight)) in features.in_order() {
            let value = weight * (1.0 + count.ln());
            let mut state = feature;
            for _ in 0..SPREAD {
                state = mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15));
                let at = ((state >> 32) as usize * self.dimension) >> 32;
                vector[at] += if state & 1 == 0 { value } else { -value };
            }
        }
        to_unit_length(&mut vector);
        vector
    }
}

impl Embedder for Lexical {
    fn id(&self) -> String {
        format!("lexical/{VERSION}/{}", self.dimension)
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(texts.iter().map(|text| self.vector(text, &|_| 1.0)).collect())
    }

    fn embed_query(&self, query: &str, rarity: &dyn Fn(&Term) -> f32) -> Result<Vec<f32>, EmbedError> {
        Ok(self.vector(query, rarity))
    }

    fn similarity(&self, cosine: f32) -> f32 {
        (0.5 * cosine / HALF).clamp(0.0, 1.0)
    }
}

/// Features with how often they stand and what one weighs.
#[derive(Default)]
struct Features(FxHashMap<u64, (f32, f32)>);

impl Features {
    fn add(&mut self, feature: u64, weight: f32) {
        let entry = self.0.entry(feature).or_insert((0.0, 0.0));
        entry.0 += 1.0;
        entry.1 = entry.1.max(weight);
    }

    /// Sums of floats depend on their order, and that of a map on its history.
    fn in_order(self) -> Vec<(u64, (f32, f32))> {
        let mut features: Vec<_> = self.0.into_iter().collect();
        features.sort_unstable_by_key(|(feature, _)| *feature);
        features
    }
}

/// Hands on the pieces of a word, each with its share of the word: together they have the length 1.
fn pieces(word: &str, mut take: impl FnMut(u64, f32)) {
    let mut marked: Vec<char> = Vec::with_capacity(word.len() + 2);
    marked.push('^');
    marked.extend(word.chars());
    marked.push('$');
    // Two characters are a word that is a pair of a script without spaces, or too short to have pieces.
    if marked.len() < 5 {
        return;
    }
    let count: usize = (3..=5).map(|length| (marked.len() + 1).saturating_sub(length)).sum();
    let share = 1.0 / (count as f32).sqrt();
    let mut buffer = [0; 4];
    for length in 3..=5 {
        for window in marked.windows(length) {
            let mut state = SEED ^ 2;
            for c in window {
                state = bytes(state, c.encode_utf8(&mut buffer).as_bytes());
            }
            take(mix(state), share);
        }
    }
}

fn concept_feature(concept: Concept) -> u64 {
    hash(3, &concept.to_le_bytes())
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a; written out, because a hash that a library may change would change every stored vector.
fn bytes(state: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(state, |state, byte| (state ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

fn hash(kind: u64, text: &[u8]) -> u64 {
    mix(bytes(SEED ^ kind, text))
}

/// The finaliser of SplitMix64.
fn mix(mut state: u64) -> u64 {
    state = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    state = (state ^ (state >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    state ^ (state >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
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
        insta::assert_snapshot!(format!("{} {}", first.join(" "), blake3::hash(&bytes).to_hex()), @"0:0.042 3:-0.042 14:-0.042 17:-0.042 9bc9c81067931f7adff5beb59ff6373fa010c5f6f2bb48181c1dd0f44c82bf55");
        assert_eq!(Lexical::default().id(), "lexical/1/1024");
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
