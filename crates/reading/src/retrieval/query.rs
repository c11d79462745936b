//! A query, ready to be asked.
//!
//! In: whatever an agent wrote. Out: its different terms, how rare each is in an index, and the
//! terms that are looked up. Invariant: their number has a bound, whatever the query's size.

use crate::concepts::{Concept, of_question, of_term};
use crate::terms::Term;
use crate::words::{Lexicon, Word, of_words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;

/// Most terms of a query that are looked up; of more the rarest are taken.
pub const MOST_TERMS: usize = 64;
/// Most different terms whose rarity is asked for. A query of 100 KB has some ten thousand.
const MOST_CONSIDERED: usize = 4_096;
/// Most passages that common terms may bring: a term is left out where rarer ones bring as many
/// already.
const MOST_ROWS: u64 = 6_000;

/// What a concept is worth in an excerpt, against a word of the same rarity.
const CONCEPT_WORTH: f32 = 0.5;

/// The term by which a concept is indexed: no word has its first character.
pub(super) fn concept_term(concept: Concept) -> String {
    format!("¤{concept}")
}

/// The terms of a query with their rarity.
#[derive(Debug, Default)]
pub(super) struct Query {
    /// Terms that stand somewhere, the rarest first, with the number of passages that hold them.
    terms: Vec<(String, u64)>,
    rarity: FxHashMap<String, f32>,
    absent: f32,
    /// The words of what is weighed by it.
    lexicon: RefCell<Lexicon>,
}

impl Query {
    /// Reads a query; `passages_with` tells how many of `total` passages hold a term.
    pub(super) fn new(text: &str, total: u64, passages_with: impl Fn(&str) -> u64) -> Self {
        let mut seen = FxHashSet::default();
        let mut content: Vec<Term> = Vec::new();
        let mut stops: Vec<Term> = Vec::new();
        let mut lexicon = Lexicon::default();
        for word in lexicon.words(text) {
            if content.len() < MOST_CONSIDERED && seen.insert(word.term.stem.clone()) {
                if word.is_stop { &mut stops } else { &mut content }.push(word.term.clone());
            }
        }
        let asked = if content.is_empty() { stops } else { content };
        let rarity_of = |with: u64| {
            let (total, with) = (total as f32, with as f32);
            (1.0 + (total - with + 0.5).max(0.0) / (with + 0.5)).ln()
        };
        let mut query = Self { absent: rarity_of(0), ..Self::default() };
        for term in &asked {
            let with = passages_with(&term.stem);
            query.rarity.insert(term.stem.clone(), rarity_of(with));
            if with > 0 {
                query.terms.push((term.stem.clone(), with));
            }
        }
        let mut concepts: Vec<Concept> = Vec::new();
        of_question(text, |concept| concepts.push(concept));
        for term in &asked {
            concepts.extend_from_slice(of_term(term));
        }
        concepts.sort_unstable();
        concepts.dedup();
        for concept in concepts.into_iter().take(MOST_TERMS / 2) {
            let term = concept_term(concept);
            let with = passages_with(&term);
            if with > 0 {
                query.rarity.insert(term.clone(), CONCEPT_WORTH * rarity_of(with));
                query.terms.push((term, with));
            }
        }
        query.terms.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        query.terms.truncate(MOST_TERMS);
        query
    }

    /// Whether there is no term at all, so that nothing can be found.
    pub(super) fn is_empty(&self) -> bool {
        self.rarity.is_empty()
    }

    /// How rare a term is.
    pub(super) fn rarity(&self, term: &Term) -> f32 {
        self.rarity.get(&term.stem).copied().unwrap_or(self.absent)
    }

    /// Whether a word of the query stands somewhere, as it is or by a concept; in doubt it does.
    pub(super) fn knows(&self, word: &Word) -> bool {
        let stands = self.rarity.get(&word.term.stem).is_none_or(|rarity| *rarity < self.absent);
        stands || word.concepts.iter().any(|concept| self.rarity.contains_key(&concept_term(*concept)))
    }

    /// The terms that are looked up: the rarest, and of common ones those that bring not too many
    /// passages.
    pub(super) fn looked_up(&self) -> impl Iterator<Item = &str> {
        let mut rows = 0;
        self.terms.iter().enumerate().map_while(move |(at, (term, with))| {
            let takes = at == 0 || rows + with <= MOST_ROWS;
            rows += with;
            takes.then_some(term.as_str())
        })
    }

    /// What the words of a text are worth to this query: each term by its number.
    pub(super) fn worth(&self, text: &str) -> Vec<(usize, f32)> {
        let mut found = Vec::new();
        if !self.terms.is_empty() {
            let words = self.lexicon.borrow_mut().words(text);
            for word in &words {
                if let Some(at) = self.terms.iter().position(|(known, _)| *known == word.term.stem) {
                    found.push((at, self.rarity(&word.term)));
                }
            }
            for concept in of_words(&words, text) {
                let term = concept_term(concept);
                if let Some(at) = self.terms.iter().position(|(known, _)| *known == term) {
                    found.push((at, self.rarity.get(&term).copied().unwrap_or_default()));
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looked_up(text: &str, with: &[(&str, u64)]) -> Vec<String> {
        let count = |term: &str| with.iter().find(|(known, _)| *known == term).map_or(0, |known| known.1);
        Query::new(text, 100, count).looked_up().map(str::to_owned).collect()
    }

    #[test]
    fn the_rarest_terms_come_first_and_stop_words_only_alone() {
        let known = [("return", 3), ("polici", 9), ("the", 90)];
        assert_eq!(looked_up("What is the return policy?", &known), ["return", "polici"]);
        assert_eq!(looked_up("the", &known), ["the"]);
        let is_empty = |text: &str| Query::new(text, 100, |_| 0).is_empty();
        assert!(looked_up("zebra", &known).is_empty() && !is_empty("zebra") && is_empty("…?") && is_empty(""));
    }

    #[test]
    fn a_common_term_is_left_out_where_rarer_ones_bring_enough() {
        let known = [("rare", 5_000), ("common", 90_000)];
        assert_eq!(looked_up("common rare", &known), ["rare"]);
        assert_eq!(looked_up("common", &known), ["common"]);
    }

    #[test]
    fn of_a_hundred_kilobytes_a_bounded_number_of_terms_is_looked_up() {
        let text = (0..20_000).map(|number| format!("w{number} ")).collect::<String>();
        assert_eq!(Query::new(&text, 100, |_| 1).looked_up().count(), MOST_TERMS);
    }
}
