//! A query, ready to be asked.
//!
//! In: whatever an agent wrote. Out: its different terms, how rare each is in an index, and the
//! FTS5 expression of those that are looked up. Invariants: the expression is quoted terms joined
//! by OR; terms hold letters and digits only, so nothing in a query has a meaning to FTS5; its size
//! has a bound, whatever the query's.

use crate::concepts::{Concept, of_question, of_term};
use crate::terms::Term;
use crate::words::{Lexicon, Word, of_words};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::fmt::Write as _;

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
    pub(super) fn new<E>(
        text: &str,
        total: u64,
        mut passages_with: impl FnMut(&str) -> Result<u64, E>,
    ) -> Result<Self, E> {
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
            let with = passages_with(&term.stem)?;
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
            let with = passages_with(&term)?;
            if with > 0 {
                query.rarity.insert(term.clone(), CONCEPT_WORTH * rarity_of(with));
                query.terms.push((term, with));
            }
        }
        query.terms.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| a.0.cmp(&b.0)));
        query.terms.truncate(MOST_TERMS);
        Ok(query)
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

    /// The FTS5 expression; none if no term stands anywhere.
    pub(super) fn expression(&self) -> Option<String> {
        let mut expression = String::new();
        for term in self.looked_up() {
            let between = if expression.is_empty() { "" } else { " OR " };
            let _ = write!(expression, "{between}\"{term}\"");
        }
        (!expression.is_empty()).then_some(expression)
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
    use proptest::prelude::*;
    use std::convert::Infallible;

    fn query(text: &str, with: &[(&str, u64)]) -> Query {
        let count =
            |term: &str| Ok::<_, Infallible>(with.iter().find(|(known, _)| *known == term).map_or(0, |known| known.1));
        let Ok(query) = Query::new(text, 100, count);
        query
    }

    #[test]
    fn the_rarest_terms_come_first_and_stop_words_only_alone() {
        let known = [("return", 3), ("polici", 9), ("the", 90)];
        assert_eq!(
            query("What is the return policy?", &known).expression().as_deref(),
            Some("\"return\" OR \"polici\"")
        );
        assert_eq!(query("the", &known).expression().as_deref(), Some("\"the\""));
        assert!(query("zebra", &known).expression().is_none() && !query("zebra", &known).is_empty());
        assert!(query("…?", &known).is_empty() && query("", &known).is_empty());
    }

    #[test]
    fn a_common_term_is_left_out_where_rarer_ones_bring_enough() {
        let known = [("rare", 5_000), ("common", 90_000)];
        assert_eq!(query("common rare", &known).expression().as_deref(), Some("\"rare\""));
        assert_eq!(query("common", &known).expression().as_deref(), Some("\"common\""));
    }

    #[test]
    fn a_hundred_kilobytes_become_a_bounded_expression() {
        let text = (0..20_000).map(|number| format!("w{number} ")).collect::<String>();
        let Ok(query) = Query::new(&text, 100, |_| Ok::<_, Infallible>(1));
        assert_eq!(query.expression().expect("terms").matches(" OR ").count(), MOST_TERMS - 1);
    }

    proptest! {
        #[test]
        fn no_syntax_of_fts5_survives(text in "[\\PC\"*^:(){}+\\-]{0,60}") {
            let Ok(query) = Query::new(&text, 100, |_| Ok::<_, Infallible>(2));
            for part in query.expression().unwrap_or_default().split(" OR ").filter(|part| !part.is_empty()) {
                let term = part.strip_prefix('"').and_then(|part| part.strip_suffix('"')).expect("quoted");
                let parts = |c: char| c == '"' || c.is_whitespace() || c.is_control();
                prop_assert!(!term.is_empty() && !term.contains(parts));
            }
        }
    }
}
