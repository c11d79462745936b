//! URL patterns of many screens, and which of them match a URL.
//!
//! In: patterns, each once; then a URL. Out: candidates (patterns whose literal beginning the URL
//! has, and of the texts that the pattern needs the rarest), and whether one matches. Invariants: a
//! pattern that is no candidate does not match; a candidate is run when it is asked for, once, or
//! with all others of its beginning as soon as many were asked for; either way the answer is that
//! of the pattern run alone. Time is linear in the URL.
//!
//! Why sets are run too: one regular expression after the other touches a cache of its own, and
//! that is slower than thousands of them as one automaton. Why not sets alone: their automaton is
//! built as it runs, so the first URL of a form is dear, and most questions are settled by a few
//! patterns.

use super::needed::{AnyOf, needed};
use super::tally::occurring;
use crate::error::KnowledgeError;
use crate::model::ScreenId;
use crate::validate::compile;
use aho_corasick::AhoCorasick;
use regex::{Regex, RegexSet, RegexSetBuilder};
use regex_syntax::ast::parse::Parser;
use regex_syntax::ast::{Ast, LiteralKind as Kind, RepetitionKind};
use std::collections::HashMap;

/// Patterns that one automaton holds.
const SET_PATTERNS: usize = 2_000;
/// Largest automaton of a set before it runs, and of what it keeps while it runs, in bytes.
const SET_BYTES: usize = 1 << 28;
const SET_CACHE_BYTES: usize = 1 << 25;

/// When patterns are run in sets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// So many patterns of one beginning make sets.
    pub(super) set_from: usize,
    /// So many are run alone before sets are.
    pub(super) alone: u32,
    /// Where so many screens have nothing that speaks for them but that their pattern may match,
    /// sets are run first.
    pub(super) bare: usize,
}

pub(super) const LIMITS: Limits = Limits { set_from: 256, alone: 64, bare: 512 };

/// Compiled patterns by their literal beginning and by what they need.
#[derive(Default)]
pub(super) struct Patterns {
    regexes: Vec<Regex>,
    /// By beginning, its number.
    numbers: HashMap<String, u32>,
    beginnings: Vec<Beginning>,
    /// By number of the pattern, that of its beginning.
    beginning_of: Vec<u32>,
    longest: usize,
    /// Texts that patterns need, and by number of the text the patterns that need it.
    texts: Option<AhoCorasick>,
    of_text: Vec<Vec<u32>>,
    /// Patterns that need no text.
    needless: Vec<u32>,
}

/// Patterns that begin alike.
#[derive(Default)]
struct Beginning {
    text: String,
    ids: Vec<u32>,
    /// The same in sets, where there are many.
    sets: Vec<RegexSet>,
}

impl Patterns {
    /// Adds a pattern and returns its number.
    ///
    /// # Errors
    /// [`KnowledgeError::InvalidPattern`], which names the screen.
    pub(super) fn add(&mut self, screen: &ScreenId, pattern: &str) -> Result<u32, KnowledgeError> {
        let id = self.regexes.len() as u32;
        let compiled = compile(screen, pattern)?;
        let beginning = literal_prefix(pattern);
        self.longest = self.longest.max(beginning.len());
        let next = self.beginnings.len() as u32;
        let number = *self.numbers.entry(beginning.clone()).or_insert(next);
        if number == next {
            self.beginnings.push(Beginning { text: beginning, ..Beginning::default() });
        }
        self.beginnings[number as usize].ids.push(id);
        self.beginning_of.push(number);
        self.regexes.push(compiled);
        Ok(id)
    }

    /// Makes the index of what patterns need, and sets of patterns that begin alike, where there
    /// are many. A set that grows too large is left out: its patterns are run alone.
    pub(super) fn finish(&mut self, limits: Limits) {
        for beginning in self.beginnings.iter_mut().filter(|beginning| beginning.ids.len() >= limits.set_from) {
            let sets = beginning.ids.chunks(SET_PATTERNS).map(|ids| {
                RegexSetBuilder::new(ids.iter().map(|id| self.regexes[*id as usize].as_str()))
                    .size_limit(SET_BYTES)
                    .dfa_size_limit(SET_CACHE_BYTES)
                    .build()
            });
            beginning.sets = sets.collect::<Result<Vec<_>, _>>().unwrap_or_default();
        }
        let needs = self.regexes.iter().zip(&self.beginning_of).map(|(regex, beginning)| {
            let beginning = format!("https://{}", self.beginnings[*beginning as usize].text);
            let mut sets = needed(regex.as_str());
            // What the beginning says is known already.
            sets.retain(|set| set.iter().all(|text| !holds(beginning.as_bytes(), text)));
            sets
        });
        let needs = needs.collect();
        self.index(needs);
    }

    /// Of what a pattern needs, what the fewest patterns need tells the most.
    fn index(&mut self, needs: Vec<Vec<AnyOf>>) {
        let mut wanted: HashMap<&[u8], u32> = HashMap::new();
        for text in needs.iter().flatten().flatten() {
            *wanted.entry(text).or_default() += 1;
        }
        let dear = |set: &&AnyOf| set.iter().map(|text| wanted.get(text.as_slice()).copied().unwrap_or(0)).sum::<u32>();
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let mut texts: Vec<&[u8]> = Vec::new();
        for (id, sets) in (0..).zip(&needs) {
            let Some(rarest) = sets.iter().min_by_key(dear) else {
                self.needless.push(id);
                continue;
            };
            for text in rarest {
                let next = numbers.len();
                let number = *numbers.entry(text).or_insert(next);
                if number == next {
                    self.of_text.push(Vec::new());
                    texts.push(text);
                }
                self.of_text[number].push(id);
            }
        }
        self.texts = occurring(texts);
        if self.texts.is_none() {
            // Nothing is passed over then.
            self.needless = (0..needs.len() as u32).collect();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.regexes.len()
    }

    /// Looks up which patterns a URL may match.
    pub(super) fn at<'p>(&'p self, url: &'p str, limits: Limits) -> Matches<'p> {
        let rest = without_scheme(url);
        let longest = rest.len().min(self.longest);
        let mut begins = vec![false; self.beginnings.len()];
        let mut beginnings = Vec::new();
        for end in (0..=longest).filter(|end| rest.is_char_boundary(*end)) {
            if let Some(number) = self.numbers.get(&rest[..end]) {
                begins[*number as usize] = true;
                beginnings.push(&self.beginnings[*number as usize]);
            }
        }
        let mut known = vec![Some(false); self.regexes.len()];
        let mut candidates = Vec::new();
        let mut consider = |id: u32| {
            let is_new = known[id as usize] == Some(false) && begins[self.beginning_of[id as usize] as usize];
            if is_new {
                known[id as usize] = None;
                candidates.push(id);
            }
        };
        self.needless.iter().copied().for_each(&mut consider);
        let mut seen = vec![false; self.of_text.len()];
        for found in self.texts.iter().flat_map(|texts| texts.find_overlapping_iter(url)) {
            let text = found.pattern().as_usize();
            if !std::mem::replace(&mut seen[text], true) {
                self.of_text[text].iter().copied().for_each(&mut consider);
            }
        }
        Matches { patterns: self, url, beginnings, candidates, known, alone: limits.alone, is_news: false }
    }
}

/// Which patterns match one URL, as far as it was asked.
pub(super) struct Matches<'p> {
    patterns: &'p Patterns,
    url: &'p str,
    beginnings: Vec<&'p Beginning>,
    candidates: Vec<u32>,
    /// By number of the pattern whether it matches; none as long as it was not run.
    known: Vec<Option<bool>>,
    /// Patterns that are still run one by one.
    alone: u32,
    /// Whether sets were run and nobody was told yet.
    is_news: bool,
}

impl Matches<'_> {
    /// Returns the patterns that may match.
    pub(super) fn candidates(&self) -> &[u32] {
        &self.candidates
    }

    /// Returns whether a pattern may match, as far as is known without running it.
    pub(super) fn may_match(&self, pattern: u32) -> bool {
        self.known[pattern as usize] != Some(false)
    }

    /// Returns whether a pattern was run, or need not be.
    pub(super) fn is_known(&self, pattern: u32) -> bool {
        self.known[pattern as usize].is_some()
    }

    /// Returns whether a pattern matches.
    pub(super) fn matches(&mut self, pattern: u32) -> bool {
        if self.known[pattern as usize].is_none() {
            if self.alone == 0 {
                self.run_sets();
            }
            // A pattern of no set is run alone whatever the count.
            if self.known[pattern as usize].is_none() {
                self.alone = self.alone.saturating_sub(1);
                self.known[pattern as usize] = Some(self.patterns.regexes[pattern as usize].is_match(self.url));
            }
        }
        self.known[pattern as usize] == Some(true)
    }

    /// Returns, once, that sets were run.
    pub(super) fn take_sets_ran(&mut self) -> bool {
        std::mem::take(&mut self.is_news)
    }

    /// Runs the sets of all patterns that begin as the URL does; none where there are no sets.
    pub(super) fn run_sets(&mut self) {
        self.is_news = self.beginnings.iter().any(|beginning| !beginning.sets.is_empty());
        for beginning in std::mem::take(&mut self.beginnings) {
            for (ids, set) in beginning.ids.chunks(SET_PATTERNS).zip(&beginning.sets) {
                for id in ids {
                    self.known[*id as usize] = Some(false);
                }
                for at in set.matches(self.url) {
                    self.known[ids[at] as usize] = Some(true);
                }
            }
        }
    }
}

fn holds(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len().max(1)).any(|window| window == part)
}

fn without_scheme(url: &str) -> &str {
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url)
}

/// Returns the literal text behind the scheme with which every match of a pattern begins; empty if
/// that is not plain to see.
pub(super) fn literal_prefix(pattern: &str) -> String {
    let rest = ["^https?://", "^https://", "^http://", "https?://", "https://", "http://"]
        .iter()
        .find_map(|scheme| pattern.strip_prefix(scheme));
    let read = rest.and_then(|rest| Parser::new().parse(rest).ok());
    let parts = match &read {
        Some(Ast::Concat(parts)) => parts.asts.as_slice(),
        // Of several alternatives, the beginning is not that of every match.
        Some(one) => std::slice::from_ref(one),
        None => &[],
    };
    let mut prefix = String::new();
    for part in parts {
        // What may be left out or is counted is no certain part of the beginning.
        let (part, is_repeated) = match part {
            Ast::Repetition(repeated) if repeated.op.kind == RepetitionKind::OneOrMore => (&*repeated.ast, true),
            part => (part, false),
        };
        match part {
            Ast::Literal(it) if matches!(it.kind, Kind::Verbatim | Kind::Meta | Kind::Superfluous) => prefix.push(it.c),
            _ => break,
        }
        if is_repeated {
            break;
        }
    }
    prefix
}
