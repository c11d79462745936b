//! URL patterns of many screens, and which of them match a URL.
//!
//! In: patterns, each once; then a URL. Out: candidates (patterns whose literal beginning the URL has), and whether one matches. Invariants: a pattern that is no candidate does
//! not match; a candidate is run when it is asked for, once, or with all others of its beginning as soon as many were asked for; either way the answer is that of
//! the pattern run alone. Time is linear in the URL.
//!
//! Why sets are run too: one regular expression after the other touches a cache of its own, and that is slower than thousands of them as one automaton. Why not sets alone: their
//! automaton is built as it runs, so the first URL of a form is dear, and most questions are settled by a few patterns.

use super::Limits;
use crate::error::KnowledgeError;
use crate::model::ScreenId;
use crate::validate::{anchored, compile};
use regex::{Regex, RegexSet, RegexSetBuilder};
use std::collections::HashMap;

/// Patterns that one automaton holds.
const SET_PATTERNS: usize = 2_000;
/// Largest automaton of a set before it runs, and of what it keeps while it runs, in bytes.
const SET_BYTES: usize = 1 << 28;
const SET_CACHE_BYTES: usize = 1 << 25;

/// Compiled patterns by their literal beginning.
pub(super) struct Patterns {
    regexes: Vec<Regex>,
    beginnings: HashMap<String, Beginning>,
    longest: usize,
}

/// Patterns that begin alike.
#[derive(Default)]
struct Beginning {
    ids: Vec<u32>,
    /// The same in sets, where there are many.
    sets: Vec<RegexSet>,
}

impl Patterns {
    pub(super) fn new() -> Self {
        Self { regexes: Vec::new(), beginnings: HashMap::new(), longest: 0 }
    }

    /// Adds a pattern and returns its number.
    ///
    /// # Errors
    /// [`KnowledgeError::InvalidPattern`], which names the screen.
    pub(super) fn add(&mut self, screen: &ScreenId, pattern: &str) -> Result<u32, KnowledgeError> {
        let id = self.regexes.len() as u32;
        let compiled = compile(screen, pattern)?;
        let beginning = literal_prefix(pattern);
        self.longest = self.longest.max(beginning.len());
        self.beginnings.entry(beginning).or_default().ids.push(id);
        self.regexes.push(compiled);
        Ok(id)
    }

    /// Makes sets of patterns that begin alike, where there are many; `texts` are the patterns by number. A set that grows too large is left out: its patterns are run alone.
    pub(super) fn finish(&mut self, texts: &[&str], limits: Limits) {
        for beginning in self.beginnings.values_mut().filter(|beginning| beginning.ids.len() >= limits.set_from) {
            let sets = beginning.ids.chunks(SET_PATTERNS).map(|ids| {
                RegexSetBuilder::new(ids.iter().map(|id| anchored(texts[*id as usize])))
                    .size_limit(SET_BYTES)
                    .dfa_size_limit(SET_CACHE_BYTES)
                    .build()
            });
            beginning.sets = sets.collect::<Result<Vec<_>, _>>().unwrap_or_default();
        }
    }

    pub(super) fn len(&self) -> usize {
        self.regexes.len()
    }

    /// Looks up which patterns a URL may match.
    pub(super) fn at<'p>(&'p self, url: &'p str, limits: Limits) -> Matches<'p> {
        let rest = without_scheme(url);
        let longest = rest.len().min(self.longest);
        let beginnings: Vec<&Beginning> = (0..=longest)
            .filter(|end| rest.is_char_boundary(*end))
            .filter_map(|end| self.beginnings.get(&rest[..end]))
            .collect();
        let mut known = vec![Known::No; self.regexes.len()];
        for id in beginnings.iter().flat_map(|beginning| &beginning.ids) {
            known[*id as usize] = Known::NotYet;
        }
        Matches { patterns: self, url, beginnings, known, alone: limits.alone, is_news: false }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    NotYet,
    Yes,
    No,
}

/// Which patterns match one URL, as far as it was asked.
pub(super) struct Matches<'p> {
    patterns: &'p Patterns,
    url: &'p str,
    beginnings: Vec<&'p Beginning>,
    known: Vec<Known>,
    /// Patterns that are still run one by one.
    alone: u32,
    /// Whether sets were run and nobody was told yet.
    is_news: bool,
}

impl Matches<'_> {
    /// Returns the patterns that may match.
    pub(super) fn candidates(&self) -> impl Iterator<Item = u32> {
        self.beginnings.iter().flat_map(|beginning| beginning.ids.iter().copied())
    }

    /// Returns whether a pattern may match, as far as is known without running it.
    pub(super) fn may_match(&self, pattern: u32) -> bool {
        self.known[pattern as usize] != Known::No
    }

    /// Returns whether a pattern was run, or need not be.
    pub(super) fn is_known(&self, pattern: u32) -> bool {
        self.known[pattern as usize] != Known::NotYet
    }

    /// Returns whether a pattern matches.
    pub(super) fn matches(&mut self, pattern: u32) -> bool {
        if self.known[pattern as usize] == Known::NotYet {
            if self.alone == 0 {
                self.run_sets();
            }
            // A pattern of no set is run alone whatever the count.
            if self.known[pattern as usize] == Known::NotYet {
                self.alone = self.alone.saturating_sub(1);
                let is_match = self.patterns.regexes[pattern as usize].is_match(self.url);
                self.known[pattern as usize] = if is_match { Known::Yes } else { Known::No };
            }
        }
        self.known[pattern as usize] == Known::Yes
    }

    /// Returns, once, that sets were run.
    pub(super) fn take_sets_ran(&mut self) -> bool {
        std::mem::take(&mut self.is_news)
    }

    fn run_sets(&mut self) {
        self.is_news = self.beginnings.iter().any(|beginning| !beginning.sets.is_empty());
        for beginning in std::mem::take(&mut self.beginnings) {
            for (ids, set) in beginning.ids.chunks(SET_PATTERNS).zip(&beginning.sets) {
                for id in ids {
                    self.known[*id as usize] = Known::No;
                }
                for at in set.matches(self.url) {
                    self.known[ids[at] as usize] = Known::Yes;
                }
            }
        }
    }
}

fn without_scheme(url: &str) -> &str {
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url)
}

/// Returns the literal text behind the scheme with which every match of a pattern begins; empty if that is not plain to see.
pub(super) fn literal_prefix(pattern: &str) -> String {
    let rest = ["^https?://", "^https://", "^http://", "https?://", "https://", "http://"]
        .iter()
        .find_map(|scheme| pattern.strip_prefix(scheme));
    // With an alternative outside of brackets, the beginning is not that of every match.
    let Some(rest) = rest.filter(|_| !has_bare_alternative(pattern)) else { return String::new() };
    let mut prefix = String::new();
    let mut characters = rest.chars().peekable();
    while let Some(c) = characters.next() {
        let literal = match c {
            '\\' => match characters.peek() {
                Some(next) if next.is_ascii_punctuation() => {
                    let next = *next;
                    characters.next();
                    next
                }
                _ => break,
            },
            '.' | '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => break,
            plain => plain,
        };
        // What may be left out or repeated is no certain part of the beginning.
        if matches!(characters.peek(), Some('?' | '*' | '{')) {
            break;
        }
        prefix.push(literal);
    }
    prefix
}

fn has_bare_alternative(pattern: &str) -> bool {
    let mut depth = 0_i32;
    let mut characters = pattern.chars();
    while let Some(c) = characters.next() {
        match c {
            '\\' => drop(characters.next()),
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '|' if depth <= 0 => return true,
            _ => {}
        }
    }
    false
}
