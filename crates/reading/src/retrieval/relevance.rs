//! How sure it is that a passage answers a question: a probability.
//!
//! In: a question, the passages of a section that was found, and how common words are on the page.
//! Out: [`Signals`], and by [`COEFFICIENTS`] the probability. Invariants: no signal depends on a
//! site, only on how question and passage meet; a logistic regression, so that each weight can be
//! read.
//!
//! Fitted by `cargo run --release -p browserlens-reading --example fit_relevance` on the questions
//! beside the scenarios, for the built-in embedder: another one's cosines mean something else.

use super::passage::units;
use super::query::Query;
use crate::concepts::Concept;
use crate::words::{Lexicon, Word};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How many signals there are.
pub const COUNT: usize = 14;

/// What each signal is called.
pub const NAMES: [&str; COUNT] = [
    "coverage",
    "in one sentence",
    "by words or concepts",
    "rarest words",
    "words together",
    "kind of value",
    "kind missing",
    "on the page",
    "names missing",
    "names there",
    "similarity",
    "words alone",
    "ahead of the next",
    "length",
];

/// How question and passage meet, by [`NAMES`].
pub type Signals = [f64; COUNT];

/// The constant, then a weight for each signal.
pub const COEFFICIENTS: (f64, Signals) = (0.0, [0.0; COUNT]);

/// Returns the probability that a passage answers, by the fitted weights.
pub fn probability(signals: &Signals) -> f32 {
    let (constant, weights) = &COEFFICIENTS;
    let sum: f64 = signals.iter().zip(weights).map(|(signal, weight)| signal * weight).sum();
    (1.0 / (1.0 + (-(constant + sum)).exp())) as f32
}

/// What kind of value a question asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    /// How much, how many, how long.
    Number,
    /// When, until when.
    Time,
    /// Who, whose.
    Name,
}

/// What the scores of a section say.
pub(super) struct Scores {
    /// The similarity by vectors.
    pub similarity: f32,
    /// The score by words.
    pub words: f64,
    /// By how much the section leads the best other one, as a share.
    pub lead: f64,
}

/// A question, ready to be compared with passages.
pub(super) struct Question {
    /// Its different words that tell something, with how rare each is.
    words: Vec<(Arc<Word>, f64)>,
    wanted: Option<Wanted>,
    /// Shares of the weight: what the page has, of names what it lacks and has.
    on_page: f64,
    names_missing: f64,
    names_there: f64,
}

impl Question {
    /// Reads a question; `is_there` tells whether a term stands on the page.
    pub fn new<E>(text: &str, asked: &Query, mut is_there: impl FnMut(&str) -> Result<bool, E>) -> Result<Self, E> {
        let mut lexicon = Lexicon::default();
        let mut seen = FxHashSet::default();
        let all: Vec<Arc<Word>> =
            lexicon.words(text).into_iter().filter(|word| seen.insert(word.term.stem.clone())).take(64).collect();
        let told: Vec<Arc<Word>> = all.iter().filter(|word| !word.is_stop).cloned().collect();
        let told = if told.is_empty() { all } else { told };
        let words: Vec<(Arc<Word>, f64)> =
            told.into_iter().map(|word| (Arc::clone(&word), f64::from(asked.rarity(&word.term)))).collect();
        let names = names(text, &mut lexicon);
        let (mut on_page, mut missing, mut there) = (0.0, 0.0, 0.0);
        for (word, rarity) in &words {
            let is_there = is_there(&word.term.stem)?;
            let is_name = names.contains(&word.term.stem);
            on_page += if is_there { *rarity } else { 0.0 };
            missing += if is_name && !is_there { 1.0 } else { 0.0 };
            there += if is_name && is_there { 1.0 } else { 0.0 };
        }
        let whole: f64 = words.iter().map(|(_, rarity)| rarity).sum::<f64>().max(f64::MIN_POSITIVE);
        Ok(Self {
            wanted: wanted(text),
            on_page: on_page / whole,
            names_missing: f64::min(missing, 2.0),
            names_there: f64::min(there, 2.0),
            words,
        })
    }

    /// Returns the signals of the passages of one section, under its heading: those of the passage
    /// that has most of the question.
    pub fn signals(&self, heading: &str, passages: &[&str], scores: &Scores) -> Signals {
        let mut lexicon = Lexicon::default();
        let above = lexicon.words(heading);
        let above = Held::of(&above);
        let mut best: Option<(f64, Signals)> = None;
        for passage in passages {
            let words = lexicon.words(passage);
            let held = Held::of(&words);
            let covered = self.share(|word| held.has(word) || above.has(word));
            let loosely = self.share(|word| held.means(word) || above.means(word));
            let in_one = units(passage, 0..passage.len())
                .into_iter()
                .map(|unit| {
                    let words = lexicon.words(&passage[unit]);
                    let held = Held::of(&words);
                    self.share(|word| held.has(word) || above.has(word))
                })
                .fold(0.0, f64::max);
            let most = self.words.iter().map(|(_, rarity)| *rarity).fold(0.0, f64::max);
            let rare: Vec<&Arc<Word>> =
                self.words.iter().filter(|(_, rarity)| *rarity >= most * 0.9).map(|(word, _)| word).collect();
            let rarest = rare.iter().filter(|word| held.means(word) || above.means(word)).count();
            let (kind, kind_missing) = match self.wanted {
                None => (0.0, 0.0),
                Some(wanted) if has_kind(wanted, passage) => (1.0, 0.0),
                Some(_) => (0.0, 1.0),
            };
            let signals = [
                covered,
                in_one,
                loosely,
                rarest as f64 / rare.len().max(1) as f64,
                self.together(&words),
                kind,
                kind_missing,
                self.on_page,
                self.names_missing,
                self.names_there,
                f64::from(scores.similarity),
                scores.words / (self.words.iter().map(|(_, rarity)| rarity).sum::<f64>() + 1.0),
                scores.lead,
                (self.words.len() as f64 + 1.0).ln(),
            ];
            let worth = covered + loosely;
            if best.as_ref().is_none_or(|(other, _)| worth > *other) {
                best = Some((worth, signals));
            }
        }
        best.map(|(_, signals)| signals).unwrap_or_default()
    }

    /// Which share of the question's weight the words have that `has` is true of.
    fn share(&self, has: impl Fn(&Word) -> bool) -> f64 {
        let (mut held, mut whole) = (0.0, 0.0);
        for (word, rarity) in &self.words {
            whole += rarity;
            held += if has(word) { *rarity } else { 0.0 };
        }
        if whole > 0.0 { held / whole } else { 0.0 }
    }

    /// Which share of the question's neighbouring words stand within four words of a passage.
    fn together(&self, words: &[Arc<Word>]) -> f64 {
        let at = |word: &Word| -> Vec<usize> {
            let same = words.iter().enumerate().filter(|(_, other)| other.term.stem == word.term.stem);
            same.map(|(at, _)| at).collect()
        };
        let pairs = self.words.windows(2);
        let of = pairs.len();
        let near = pairs.filter(|pair| {
            let (left, right) = (at(&pair[0].0), at(&pair[1].0));
            left.iter().any(|left| right.iter().any(|right| left.abs_diff(*right) <= 4))
        });
        if of == 0 { 0.0 } else { near.count() as f64 / of as f64 }
    }
}

/// The stems and concepts of a text.
struct Held<'a> {
    stems: FxHashSet<&'a str>,
    concepts: FxHashSet<Concept>,
}

impl<'a> Held<'a> {
    fn of(words: &'a [Arc<Word>]) -> Self {
        Self {
            stems: words.iter().map(|word| word.term.stem.as_str()).collect(),
            concepts: words.iter().flat_map(|word| word.concepts.iter().copied()).collect(),
        }
    }

    fn has(&self, word: &Word) -> bool {
        self.stems.contains(word.term.stem.as_str())
    }

    fn means(&self, word: &Word) -> bool {
        self.has(word) || word.concepts.iter().any(|concept| self.concepts.contains(concept))
    }
}

/// The stems of what a question names: words that begin large within it, and what has a digit.
fn names(text: &str, lexicon: &mut Lexicon) -> FxHashSet<String> {
    let mut names = FxHashSet::default();
    for (at, word) in text.split_whitespace().enumerate() {
        let is_large = at > 0 && word.trim_start_matches(|c: char| !c.is_alphanumeric()).starts_with(char::is_uppercase);
        if is_large || word.chars().any(|c| c.is_ascii_digit()) {
            let words = lexicon.words(word);
            names.extend(words.iter().filter(|word| !word.is_stop).map(|word| word.term.stem.clone()));
        }
    }
    names
}

/// What kind of value an English question asks for.
fn wanted(text: &str) -> Option<Wanted> {
    let text = format!(" {} ", text.to_lowercase().replace(|c: char| !c.is_alphanumeric(), " "));
    let has = |all: &[&str]| all.iter().any(|one| text.contains(one));
    if has(&[" when ", " what time ", " which day ", " what day ", " how soon ", " deadline ", " which year ", " what year "]) {
        Some(Wanted::Time)
    } else if has(&[
        " how much ", " how many ", " how long ", " how often ", " how old ", " how heavy ", " how large ", " how tall ",
        " how deep ", " how far ", " cost ", " price ", " which number ", " what number ", " weigh ",
    ]) {
        Some(Wanted::Number)
    } else if has(&[" who ", " whose ", " whom "]) {
        Some(Wanted::Name)
    } else {
        None
    }
}

/// Whether a passage has a value of a kind.
fn has_kind(wanted: Wanted, passage: &str) -> bool {
    match wanted {
        Wanted::Number => passage.chars().any(|c| c.is_ascii_digit()) || spelled(passage),
        Wanted::Time => {
            let small = passage.to_lowercase();
            let told = [
                "jan", "feb", "march", "april", "may ", "june", "july", "aug", "sept", "oct", "nov", "dec", "day",
                "week", "month", "hour", "minute", "second", "year", "until", "noon",
            ];
            let clock = passage.as_bytes().windows(4).any(|w| {
                w[0].is_ascii_digit() && w[1] == b':' && w[2].is_ascii_digit() && w[3].is_ascii_digit()
            });
            clock || told.iter().any(|one| small.contains(one))
        }
        Wanted::Name => {
            let large = |word: &str| word.starts_with(char::is_uppercase);
            let words: Vec<&str> = passage.split_whitespace().collect();
            words.windows(2).any(|pair| large(pair[0]) && large(pair[1]) && !pair[0].ends_with(['.', '!', '?', ':']))
        }
    }
}

/// Whether a number is written as a word.
fn spelled(passage: &str) -> bool {
    let small = format!(" {} ", passage.to_lowercase().replace(|c: char| !c.is_alphabetic(), " "));
    ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twenty", "thirty", "hundred"]
        .iter()
        .any(|number| small.contains(&format!(" {number} ")))
}
