//! Which known screen a browser shows.
//!
//! In: a URL with a page or a summary of it, or a description in words. Out: a [`Recognition`]. The score is 0.4 for a URL pattern that matches and 0.6 times
//! the share of indicators that are there; a screen is recognised above 0.7. Invariants: patterns run in time linear in the URL; a tie is broken by
//! specificity and said; the cost grows with what matches, not with the number of screens.
//!
//! On a page an indicator is an element of its kind with exactly its name. In a summary an indicator is a text that occurs, whatever the case, since summaries
//! are of any form. In both, what makes a screen a state of a page (a selected tab, an open dialog) has to be there: without it the score stays at the threshold.

use crate::described::Described;
use crate::error::KnowledgeError;
use crate::extract::signature::{Key, fold, key_of};
use crate::extract::view::{ElementKind, PageView};
use crate::model::{ActionId, BrowserUseAction, Indicator, IndicatorKind, Knowledge, ScreenDefinition, ScreenId};
use crate::validate::{compile, has_signature};
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use browserlens_page::Page;
use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a matching URL pattern counts.
const URL_WEIGHT: f64 = 0.4;
/// What the indicators count together.
const INDICATOR_WEIGHT: f64 = 0.6;
/// A screen is recognised above this.
pub const THRESHOLD: f64 = 0.7;
/// Candidates that an answer names.
const MAX_NEAREST: usize = 5;
/// Candidates that are put in order.
const MAX_RANKED: usize = 16;
/// Scores closer than this are a tie.
const EPSILON: f64 = 1e-9;
/// Bytes of a summary that are looked at.
const MAX_SUMMARY: usize = 1 << 20;

/// A screen that may be meant.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    /// The screen.
    pub screen_id: ScreenId,
    /// Its name.
    pub screen_name: String,
    /// Its score.
    pub confidence: f64,
}

/// An answer: which screen it is, and why.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Recognition {
    /// The screen; none if no score is over the threshold.
    pub screen_id: Option<ScreenId>,
    /// Its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screen_name: Option<String>,
    /// Its score, or the best one.
    pub confidence: f64,
    /// What of its signature is there.
    #[serde(default)]
    pub matched_indicators: Vec<Indicator>,
    /// What can be done on it, as browser-use actions.
    #[serde(default)]
    pub available_actions: Vec<BrowserUseAction>,
    /// What can be done on it, by id.
    #[serde(default)]
    pub action_ids: Vec<ActionId>,
    /// How a tie was broken, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tie: Option<String>,
    /// What else there is to say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The best candidates, best first; the answer itself is one of them.
    #[serde(default)]
    pub nearest: Vec<Candidate>,
}

/// A screen as it is matched.
struct Entry {
    id: ScreenId,
    name: String,
    /// Indicators that count.
    total: u32,
    /// How many screens it is a state of.
    depth: u32,
    /// Literal characters of its longest URL pattern.
    literal: u32,
    /// Whether one of its indicators makes it a state of its page: a selected tab, an open dialog.
    is_state: bool,
}

/// What one stored text stands for.
#[derive(Default)]
struct Posting {
    /// Screens with an indicator of this text, which one, and whether it makes a state.
    indicators: Vec<(u32, u32, bool)>,
    /// Screens with this text as URL pattern.
    urls: Vec<u32>,
}

/// Recognises screens; built once for a body of knowledge.
pub struct Recogniser<'k> {
    knowledge: &'k Knowledge,
    entries: Vec<Entry>,
    /// Patterns by their literal beginning, so that only those are run that can match.
    prefixes: HashMap<String, Vec<u32>>,
    longest_prefix: usize,
    patterns: Vec<(Regex, Posting)>,
    elements: HashMap<Key, Posting>,
    texts: Texts,
    described: Described,
    actions: BTreeMap<&'k ScreenId, Vec<ActionId>>,
}

/// Values of indicators as texts that occur.
struct Texts {
    /// For a summary: every value. For a page: values of indicators without a kind.
    all: Option<AhoCorasick>,
    of_all: Vec<Posting>,
    kindless: Option<AhoCorasick>,
    of_kindless: Vec<Posting>,
}

impl std::fmt::Debug for Recogniser<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Recogniser({} screens, {} patterns)", self.entries.len(), self.patterns.len())
    }
}

impl<'k> Recogniser<'k> {
    /// Builds the index over the screens that a browser can be led to.
    ///
    /// # Errors
    /// [`KnowledgeError::InvalidPattern`] or [`KnowledgeError::NoSignature`], which name the screen.
    pub fn new(knowledge: &'k Knowledge) -> Result<Self, KnowledgeError> {
        let mut built = Self {
            knowledge,
            entries: Vec::new(),
            prefixes: HashMap::new(),
            longest_prefix: 0,
            patterns: Vec::new(),
            elements: HashMap::new(),
            texts: Texts { all: None, of_all: Vec::new(), kindless: None, of_kindless: Vec::new() },
            described: Described::default(),
            actions: BTreeMap::new(),
        };
        let mut pattern_ids: HashMap<&str, u32> = HashMap::new();
        let mut all: BTreeMap<String, Posting> = BTreeMap::new();
        let mut kindless: BTreeMap<String, Posting> = BTreeMap::new();
        for screen in knowledge.navigable_screens() {
            if !has_signature(screen) {
                return Err(KnowledgeError::NoSignature { screen: screen.screen_id.to_string() });
            }
            let at = built.entries.len() as u32;
            for pattern in &screen.url_patterns {
                let pattern = built.pattern(&mut pattern_ids, screen, pattern)?;
                built.patterns[pattern as usize].1.urls.push(at);
            }
            for (nth, indicator) in screen.state_signature.required_indicators.iter().enumerate() {
                let place = (at, nth as u32, makes_state(indicator));
                match (indicator.kind, &indicator.value, &indicator.pattern) {
                    (IndicatorKind::UrlMatches, _, Some(pattern)) => {
                        let pattern = built.pattern(&mut pattern_ids, screen, pattern)?;
                        built.patterns[pattern as usize].1.indicators.push(place);
                    }
                    (IndicatorKind::DomContains, Some(value), _) if !value.trim().is_empty() => {
                        let value = fold(value);
                        all.entry(value.clone()).or_default().indicators.push(place);
                        match indicator.selector.as_deref().and_then(ElementKind::of_selector) {
                            Some(kind) => built.elements.entry((kind, value)).or_default().indicators.push(place),
                            None => kindless.entry(value).or_default().indicators.push(place),
                        }
                    }
                    // It counts and never matches.
                    _ => {}
                }
            }
            built.described.add(at, screen);
            built.entries.push(entry(knowledge, screen));
        }
        (built.texts.all, built.texts.of_all) = automaton(all);
        (built.texts.kindless, built.texts.of_kindless) = automaton(kindless);
        for action in knowledge.actions.values() {
            for screen in &action.screen_ids {
                built.actions.entry(screen).or_default().push(action.action_id.clone());
            }
        }
        Ok(built)
    }

    /// Returns the number of a pattern; equal patterns are compiled and run once.
    fn pattern<'p>(
        &mut self,
        ids: &mut HashMap<&'p str, u32>,
        screen: &ScreenDefinition,
        pattern: &'p str,
    ) -> Result<u32, KnowledgeError> {
        if let Some(id) = ids.get(pattern) {
            return Ok(*id);
        }
        let id = self.patterns.len() as u32;
        let compiled = compile(&screen.screen_id, pattern)?;
        let prefix = literal_prefix(pattern);
        self.longest_prefix = self.longest_prefix.max(prefix.len());
        self.prefixes.entry(prefix).or_default().push(id);
        self.patterns.push((compiled, Posting::default()));
        ids.insert(pattern, id);
        Ok(id)
    }

    /// Returns how many screens can be recognised.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns whether no screen can be recognised.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Recognises a page.
    pub fn page(&self, page: &Page) -> Recognition {
        self.view(&PageView::of(page))
    }

    pub(crate) fn view(&self, view: &PageView) -> Recognition {
        let mut tally = Tally::new(self.entries.len());
        self.count_url(&view.url, &mut tally);
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        for element in view.foreground() {
            let key = key_of(element);
            if let Some(posting) = self.elements.get(&key)
                && seen.insert(key)
            {
                tally.add(posting);
            }
        }
        if let Some(automaton) = &self.texts.kindless {
            count_texts(automaton, &self.texts.of_kindless, &view.text(), &mut tally);
        }
        self.answer(&tally)
    }

    /// Recognises a screen by its URL and a summary of the page in any form.
    pub fn summary(&self, url: &str, summary: &str) -> Recognition {
        let mut tally = Tally::new(self.entries.len());
        self.count_url(url, &mut tally);
        if let Some(automaton) = &self.texts.all {
            count_texts(automaton, &self.texts.of_all, summary, &mut tally);
        }
        self.answer(&tally)
    }

    /// Finds a screen by what it is called or for. The confidence is the share of the description that fits the screen, and a quarter the share of its name that
    /// the description says; rare words weigh more.
    pub fn description(&self, description: &str) -> Recognition {
        let mut scores = self.described.scores(description);
        scores.retain(|_, score| *score > 0.0);
        let mut ranked: Vec<(f64, u32)> = scores.into_iter().map(|(at, score)| (score, at)).collect();
        let depth = |at: u32| self.entries[at as usize].depth;
        // A state is asked for by its own words: between equals the page below is meant.
        ranked.sort_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| depth(one.1).cmp(&depth(other.1))).then_with(|| one.1.cmp(&other.1))
        });
        let tie = match ranked.as_slice() {
            [first, second, ..] if first.0 - second.0 < EPSILON && first.0 > THRESHOLD => Some(self.told_tie(
                &ranked,
                if depth(first.1) < depth(second.1) {
                    "the page rather than a state of it"
                } else {
                    "the order of ids"
                },
            )),
            _ => None,
        };
        self.told(&ranked, &BTreeSet::new(), tie)
    }

    fn count_url<'r>(&'r self, url: &str, tally: &mut Tally<'r>) {
        let rest = without_scheme(url);
        let longest = rest.len().min(self.longest_prefix);
        for end in (0..=longest).filter(|end| rest.is_char_boundary(*end)) {
            for pattern in self.prefixes.get(&rest[..end]).into_iter().flatten() {
                let (regex, posting) = &self.patterns[*pattern as usize];
                if regex.is_match(url) {
                    tally.add_urls(posting);
                    tally.add(posting);
                }
            }
        }
    }

    fn answer(&self, tally: &Tally<'_>) -> Recognition {
        let mut ranked: Vec<(f64, u32)> = Vec::with_capacity(tally.touched.len());
        for at in tally.touched.iter().copied() {
            let entry = &self.entries[at as usize];
            let matched = tally.matched[at as usize];
            let url = if tally.urls[at as usize] { URL_WEIGHT } else { 0.0 };
            let share = if entry.total == 0 { 0.0 } else { f64::from(matched) / f64::from(entry.total) };
            let mut score = url + share * INDICATOR_WEIGHT;
            // What makes a state has to be there, or it is another state of the page.
            if entry.is_state && !tally.is_state[at as usize] {
                score = score.min(THRESHOLD);
            }
            // Scores are rounded before they are compared: a tie has to be one in whatever order screens come.
            ranked.push(((score * 1e9).round() / 1e9, at));
        }
        let specific = |at: u32| {
            let entry = &self.entries[at as usize];
            (entry.depth, tally.matched[at as usize], entry.literal)
        };
        let order = |one: &(f64, u32), other: &(f64, u32)| {
            let by_score = other.0.total_cmp(&one.0);
            by_score.then_with(|| specific(other.1).cmp(&specific(one.1))).then_with(|| one.1.cmp(&other.1))
        };
        // Only the best are named, so only they are put in order.
        if ranked.len() > MAX_RANKED {
            ranked.select_nth_unstable_by(MAX_RANKED, order);
            ranked.truncate(MAX_RANKED);
        }
        ranked.sort_by(order);
        let tie = match ranked.as_slice() {
            [first, second, ..] if first.0 - second.0 < EPSILON && first.0 > THRESHOLD => {
                let (one, other) = (specific(first.1), specific(second.1));
                let by = if one.0 != other.0 {
                    "a state rather than the page below it"
                } else if one.1 != other.1 {
                    "more indicators"
                } else if one.2 != other.2 {
                    "the longer URL pattern"
                } else {
                    "the order of ids: nothing else tells them apart"
                };
                Some(self.told_tie(&ranked, by))
            }
            _ => None,
        };
        let matched = ranked.first().map(|first| tally.indicators_of(first.1)).unwrap_or_default();
        self.told(&ranked, &matched, tie)
    }

    fn told_tie(&self, ranked: &[(f64, u32)], by: &str) -> String {
        let best = ranked.first().map_or(0.0, |first| first.0);
        let equals = ranked.iter().skip(1).take_while(|other| best - other.0 < EPSILON);
        let names: Vec<&str> = equals.take(MAX_NEAREST).map(|(_, at)| self.entries[*at as usize].id.as_str()).collect();
        format!("as good: {}; decided by {by}", names.join(", "))
    }

    fn told(&self, ranked: &[(f64, u32)], matched: &BTreeSet<u32>, tie: Option<String>) -> Recognition {
        let nearest = ranked.iter().take(MAX_NEAREST).map(|(score, at)| {
            let entry = &self.entries[*at as usize];
            Candidate { screen_id: entry.id.clone(), screen_name: entry.name.clone(), confidence: *score }
        });
        let nearest: Vec<Candidate> = nearest.collect();
        let Some((confidence, at)) = ranked.first().copied() else {
            let message =
                if self.is_empty() { "no screen is known: build knowledge first" } else { "No matching screen found" };
            return Recognition { message: Some(message.to_owned()), ..Recognition::default() };
        };
        if confidence <= THRESHOLD {
            let message = Some("No matching screen found".to_owned());
            return Recognition { confidence, message, nearest, ..Recognition::default() };
        }
        let entry = &self.entries[at as usize];
        let screen = self.knowledge.screens.get(&entry.id);
        let indicators = screen.map(|screen| screen.state_signature.required_indicators.as_slice()).unwrap_or_default();
        let matched = matched.iter().filter_map(|nth| indicators.get(*nth as usize));
        Recognition {
            screen_id: Some(entry.id.clone()),
            screen_name: Some(entry.name.clone()),
            confidence,
            matched_indicators: matched.cloned().collect(),
            available_actions: screen.map(|screen| screen.available_browser_use_actions.clone()).unwrap_or_default(),
            action_ids: self.actions.get(&entry.id).cloned().unwrap_or_default(),
            tie,
            message: None,
            nearest,
        }
    }
}

/// What matched so far; columns by the number of the screen.
struct Tally<'r> {
    urls: Vec<bool>,
    matched: Vec<u32>,
    is_state: Vec<bool>,
    touched: Vec<u32>,
    postings: Vec<&'r Posting>,
}

impl<'r> Tally<'r> {
    fn new(screens: usize) -> Self {
        Self {
            urls: vec![false; screens],
            matched: vec![0; screens],
            is_state: vec![false; screens],
            touched: Vec::new(),
            postings: Vec::new(),
        }
    }

    fn touch(&mut self, at: usize) {
        if !self.urls[at] && self.matched[at] == 0 {
            self.touched.push(at as u32);
        }
    }

    /// Adds what one text stands for; a text is added once, so an indicator counts once.
    fn add(&mut self, posting: &'r Posting) {
        for (screen, _, makes_state) in &posting.indicators {
            let at = *screen as usize;
            self.touch(at);
            self.matched[at] += 1;
            self.is_state[at] |= *makes_state;
        }
        self.postings.push(posting);
    }

    fn add_urls(&mut self, posting: &'r Posting) {
        for screen in &posting.urls {
            self.touch(*screen as usize);
            self.urls[*screen as usize] = true;
        }
    }

    /// Returns which indicators of a screen matched, in order.
    fn indicators_of(&self, screen: u32) -> BTreeSet<u32> {
        let all = self.postings.iter().flat_map(|posting| &posting.indicators);
        all.filter(|(at, _, _)| *at == screen).map(|(_, nth, _)| *nth).collect()
    }
}

fn entry(knowledge: &Knowledge, screen: &ScreenDefinition) -> Entry {
    let mut depth = 0;
    let mut at = screen;
    // A cycle of parents is refused when it is stored; here it only must not hang.
    while let Some(parent) = at.parent_screen_id.as_ref().and_then(|id| knowledge.screens.get(id)) {
        depth += 1;
        at = parent;
        if depth as usize > knowledge.screens.len() {
            break;
        }
    }
    Entry {
        id: screen.screen_id.clone(),
        name: screen.name.clone(),
        total: screen.state_signature.required_indicators.len() as u32,
        depth,
        is_state: screen.state_signature.required_indicators.iter().any(makes_state),
        literal: screen.url_patterns.iter().map(|pattern| literal_prefix(pattern).len()).max().unwrap_or(0) as u32,
    }
}

fn makes_state(indicator: &Indicator) -> bool {
    let kind = indicator.selector.as_deref().and_then(ElementKind::of_selector);
    matches!(kind, Some(ElementKind::Tab | ElementKind::Dialog))
}

fn automaton(texts: BTreeMap<String, Posting>) -> (Option<AhoCorasick>, Vec<Posting>) {
    if texts.is_empty() {
        return (None, Vec::new());
    }
    let (texts, postings): (Vec<String>, Vec<Posting>) = texts.into_iter().unzip();
    let built =
        AhoCorasick::builder().match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA)).build(&texts);
    (built.ok(), postings)
}

fn count_texts<'r>(automaton: &AhoCorasick, postings: &'r [Posting], summary: &str, tally: &mut Tally<'r>) {
    let mut cut = summary.len().min(MAX_SUMMARY);
    while !summary.is_char_boundary(cut) {
        cut -= 1;
    }
    let folded = fold(&summary[..cut]);
    let mut seen = vec![false; postings.len()];
    for found in automaton.find_overlapping_iter(&folded) {
        let at = found.pattern().as_usize();
        if !std::mem::replace(&mut seen[at], true) {
            tally.add(&postings[at]);
        }
    }
}

fn without_scheme(url: &str) -> &str {
    url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")).unwrap_or(url)
}

/// Returns the literal text behind the scheme with which every match of a pattern begins; empty if that is not plain to see.
fn literal_prefix(pattern: &str) -> String {
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

#[cfg(test)]
#[path = "recognise_tests.rs"]
mod tests;
