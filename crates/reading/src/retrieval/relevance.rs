//! How sure it is that a question is answered, judged by a section that was found.
//!
//! In: a question, and passages of the section. Out: [`Signals`], and by [`STEPS`] a probability.
//! Invariants: no signal depends on the embedder, on a site, or on the question alone; more of a
//! question never lowers the probability, whatever the fitted questions say; the test
//! beside this fits the numbers anew from the questions beside the scenarios, and holds these to
//! them.

use super::answer_kind::{Kinds, kinds_of_question, kinds_of_text, names};
use super::query::Query;
use crate::concepts::Concept;
use crate::words::{Lexicon, Word};
use rustc_hash::FxHashSet;
use std::cell::RefCell;
use std::sync::Arc;

#[cfg(test)]
mod tests;

/// The least probability with which the built-in embedder's hits answer, unless said otherwise: on
/// sites that it was not fitted on, it keeps 95 % of the questions that the page answers.
pub const DEFAULT_RELEVANCE: f32 = 0.6;

/// How question and passage meet, each from 0 to 1: which share of the question's words the passage
/// has, by weight; which share of its rarest words, in these or by a concept; and whether it has
/// the kind of answer that is asked for, and all names of the question stand somewhere.
pub(crate) type Signals = [f64; 3];

/// Log odds before anything is known, and what each signal adds from a value on.
const CONSTANT: f64 = -0.757;
const STEPS: [(usize, f64, f64); 3] = [(1, 0.25, 0.579), (1, 0.333, 0.15), (2, 1.0, 1.656)];

pub(super) fn probability(signals: &Signals) -> f32 {
    by_steps(CONSTANT, &STEPS, signals) as f32
}

fn by_steps(constant: f64, steps: &[(usize, f64, f64)], signals: &Signals) -> f64 {
    let reached = steps.iter().filter(|(signal, from, _)| signals[*signal] >= *from);
    1.0 / (1.0 + (-constant - reached.map(|(.., adds)| adds).sum::<f64>()).exp())
}

/// Of the question's words, those that have almost the weight of the heaviest are its rarest.
const RAREST: f64 = 0.9;

/// A question, ready to be compared with passages.
pub(super) struct Question {
    /// Its different words that tell something, with how rare each is.
    words: Vec<(Arc<Word>, f64)>,
    /// The kinds of answers that it asks for.
    kinds: Kinds,
    /// Whether a name in it stands nowhere.
    is_strange: bool,
    lexicon: RefCell<Lexicon>,
}

impl Question {
    pub fn new(text: &str, asked: &Query) -> Self {
        let mut lexicon = Lexicon::default();
        let mut seen = FxHashSet::default();
        let mut words = lexicon.words(text);
        words.retain(|word| seen.insert(word.term.stem.clone()));
        if words.iter().any(|word| !word.is_stop) {
            words.retain(|word| !word.is_stop);
        }
        words.truncate(super::MOST_TERMS);
        let words = words.into_iter().map(|word| (Arc::clone(&word), f64::from(asked.rarity(&word.term)))).collect();
        let is_strange = names(text).into_iter().flat_map(|name| lexicon.words(name)).any(|word| !asked.knows(&word));
        Self { words, kinds: kinds_of_question(text), is_strange, lexicon: lexicon.into() }
    }

    /// Returns the signals of a section: those of the passage that has most of the question.
    pub fn signals<'p>(&self, heading: &str, trail: &str, passages: impl Iterator<Item = &'p str>) -> Signals {
        let above = self.lexicon.borrow_mut().words(heading);
        let is_named = || {
            let names = [self.lexicon.borrow_mut().words(trail), above.clone()].concat();
            self.words.iter().all(|(word, _)| names.iter().any(|name| name.term.stem == word.term.stem))
        };
        // What headings say in full is asked for by its name, whatever is below them.
        let in_heading = if self.kinds == 0 || is_named() { self.kinds } else { kinds_of_text(heading) };
        let all = passages.map(|passage| self.of_passage(&above, in_heading, passage));
        let sum = |signals: &Signals| signals.iter().sum::<f64>();
        all.max_by(|a, b| sum(a).total_cmp(&sum(b))).unwrap_or_default()
    }

    fn of_passage(&self, above: &[Arc<Word>], in_heading: Kinds, passage: &str) -> Signals {
        let words = self.lexicon.borrow_mut().words(passage);
        let all = || words.iter().chain(above);
        let stems: FxHashSet<&str> = all().map(|word| word.term.stem.as_str()).collect();
        let concepts: FxHashSet<Concept> = all().flat_map(|word| word.concepts.iter().copied()).collect();
        let has = |word: &Word| stems.contains(word.term.stem.as_str());
        let means = |word: &Word| has(word) || word.concepts.iter().any(|concept| concepts.contains(concept));
        let most = self.words.iter().map(|(_, rarity)| *rarity).fold(0.0, f64::max);
        let has_kind = self.kinds == 0 || (in_heading | kinds_of_text(passage)) & self.kinds != 0;
        [self.share(0.0, has), self.share(most * RAREST, means), f64::from(u8::from(has_kind && !self.is_strange))]
    }

    /// Which share of the weight of the words that weigh at least so much is true of `has`.
    fn share(&self, least: f64, has: impl Fn(&Word) -> bool) -> f64 {
        let (mut held, mut whole) = (0.0, f64::MIN_POSITIVE);
        for (word, rarity) in self.words.iter().filter(|(_, rarity)| *rarity >= least) {
            whole += rarity;
            held += if has(word) { *rarity } else { 0.0 };
        }
        held / whole
    }
}
