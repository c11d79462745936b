//! Which known screen a browser shows.
//!
//! In: a URL with a page or a summary of it, or a description in words. Out: a [`Recognition`]. The
//! score is 0.4 for a URL pattern that matches and 0.6 times the share of indicators that are
//! there; a screen is recognised above 0.7. Invariants: patterns run in time linear in the URL; a
//! tie is broken by specificity and said; the cost grows with what matches, not with the number of
//! screens.
//!
//! Elements and texts are counted first, which says how high the score of each screen can come. URL
//! patterns are then run for the screen that can come highest, until as many screens as an answer
//! names are certain: what could not come higher is never run (`recognise/patterns`). The answer is
//! that of running everything (a property test).
//!
//! On a page an indicator is an element of its kind with exactly its name. In a summary an
//! indicator is a text that occurs, whatever the case, since summaries are of any form. In both,
//! what makes a screen a state of a page (a selected tab, an open dialog) has to be there: without
//! it the score stays at the threshold.

mod needed;
mod patterns;
mod ranking;
mod tally;

use crate::described::Described;
use crate::error::KnowledgeError;
use crate::extract::signature::{Key, fold, key_of};
use crate::extract::view::{ElementKind, PageView};
use crate::model::{ActionId, BrowserUseAction, Indicator, IndicatorKind, Knowledge, ScreenDefinition, ScreenId};
use crate::validate::has_signature;
use browserlens_core::page::Page;
use patterns::{LIMITS, Limits, Matches, Patterns, literal_prefix};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tally::{Posting, Tally, Texts};

/// What a matching URL pattern counts.
const URL_WEIGHT: f64 = 0.4;
/// What the indicators count together.
const INDICATOR_WEIGHT: f64 = 0.6;
/// A screen is recognised above this.
pub const THRESHOLD: f64 = 0.7;
/// Candidates that an answer names.
const MAX_NEAREST: usize = 5;
/// Scores closer than this are a tie.
const EPSILON: f64 = 1e-9;

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

/// What one pattern is to a screen.
struct Use {
    pattern: u32,
    is_url: bool,
    /// Which of its indicators it is.
    indicators: Vec<u32>,
    makes_state: bool,
}

/// Recognises screens; built once for a body of knowledge.
pub struct Recogniser<'k> {
    knowledge: &'k Knowledge,
    entries: Vec<Entry>,
    patterns: Patterns,
    /// By number of the pattern, the screens that have it.
    of_pattern: Vec<Vec<u32>>,
    /// By number of the screen, what patterns are to it.
    uses: Vec<Vec<Use>>,
    limits: Limits,
    elements: HashMap<Key, Posting>,
    /// Values of indicators as texts that occur: in a summary every value, on a page those of indicators
    /// without a kind.
    texts: Texts,
    kindless: Texts,
    described: Described,
    actions: BTreeMap<&'k ScreenId, Vec<ActionId>>,
}

browserlens_core::opaque_debug!(self: Recogniser<'_> {
    screens: self.entries.len(), patterns: self.patterns.len()
});

impl<'k> Recogniser<'k> {
    /// Builds the index over the screens that a browser can be led to.
    ///
    /// # Errors
    /// [`KnowledgeError::InvalidPattern`] or [`KnowledgeError::NoSignature`], which name the
    /// screen.
    pub fn new(knowledge: &'k Knowledge) -> Result<Self, KnowledgeError> {
        Self::with_limits(knowledge, LIMITS)
    }

    fn with_limits(knowledge: &'k Knowledge, limits: Limits) -> Result<Self, KnowledgeError> {
        let mut built = Self {
            knowledge,
            entries: Vec::new(),
            patterns: Patterns::default(),
            of_pattern: Vec::new(),
            uses: Vec::new(),
            limits,
            elements: HashMap::new(),
            texts: Texts::default(),
            kindless: Texts::default(),
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
            built.uses.push(Vec::new());
            for pattern in &screen.url_patterns {
                built.used(&mut pattern_ids, screen, pattern)?.is_url = true;
            }
            for (nth, indicator) in screen.state_signature.required_indicators.iter().enumerate() {
                let place = (at, nth as u32, makes_state(indicator));
                match (indicator.kind, &indicator.value, &indicator.pattern) {
                    (IndicatorKind::UrlMatches, _, Some(pattern)) => {
                        let used = built.used(&mut pattern_ids, screen, pattern)?;
                        used.indicators.push(place.1);
                        used.makes_state |= place.2;
                    }
                    (IndicatorKind::DomContains, Some(value), _) if !value.trim().is_empty() => {
                        let value = fold(value);
                        all.entry(value.clone()).or_default().push(place);
                        match indicator.selector.as_deref().and_then(ElementKind::of_selector) {
                            Some(kind) => built.elements.entry((kind, value)).or_default().push(place),
                            None => kindless.entry(value).or_default().push(place),
                        }
                    }
                    // It counts and never matches.
                    _ => {}
                }
            }
            built.described.add(at, screen);
            built.entries.push(entry(knowledge, screen));
        }
        (built.texts, built.kindless) = (Texts::of(all), Texts::of(kindless));
        built.patterns.finish(limits);
        for action in knowledge.actions.values() {
            for screen in &action.screen_ids {
                built.actions.entry(screen).or_default().push(action.action_id.clone());
            }
        }
        Ok(built)
    }

    /// Returns what a pattern is to the screen that was added last; equal patterns are compiled and
    /// run once.
    fn used<'p>(
        &mut self,
        ids: &mut HashMap<&'p str, u32>,
        screen: &ScreenDefinition,
        pattern: &'p str,
    ) -> Result<&mut Use, KnowledgeError> {
        let id = match ids.get(pattern) {
            Some(id) => *id,
            None => {
                let id = self.patterns.add(&screen.screen_id, pattern)?;
                self.of_pattern.push(Vec::new());
                ids.insert(pattern, id);
                id
            }
        };
        let at = self.uses.len().saturating_sub(1);
        let uses = &mut self.uses[at];
        let known = uses.iter().position(|used| used.pattern == id);
        let place = known.unwrap_or_else(|| {
            uses.push(Use { pattern: id, is_url: false, indicators: Vec::new(), makes_state: false });
            self.of_pattern[id as usize].push(at as u32);
            uses.len() - 1
        });
        Ok(&mut uses[place])
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
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        for element in view.foreground() {
            let key = key_of(element);
            if let Some(posting) = self.elements.get(&key)
                && seen.insert(key)
            {
                tally.add(posting);
            }
        }
        if !self.kindless.is_empty() {
            self.kindless.count(&view.text(), &mut tally);
        }
        self.answer(tally, &view.url)
    }

    /// Recognises a screen by its URL and a summary of the page in any form.
    pub fn summary(&self, url: &str, summary: &str) -> Recognition {
        let mut tally = Tally::new(self.entries.len());
        self.texts.count(summary, &mut tally);
        self.answer(tally, url)
    }

    /// Finds a screen by what it is called or for. The confidence is the share of the description
    /// that fits the screen, and a quarter the share of its name that the description says; rare
    /// words weigh more.
    pub fn description(&self, description: &str) -> Recognition {
        let mut scores = self.described.scores(description);
        scores.retain(|_, score| *score > 0.0);
        let mut ranked: Vec<(f64, u32)> = scores.into_iter().map(|(at, score)| (score, at)).collect();
        let depth = |at: u32| self.entries[at as usize].depth;
        // A state is asked for by its own words: between equals the page below is meant.
        ranked.sort_by(|one, other| {
            other.0.total_cmp(&one.0).then_with(|| depth(one.1).cmp(&depth(other.1))).then_with(|| one.1.cmp(&other.1))
        });
        let by = |first: u32, second: u32| match depth(first) < depth(second) {
            true => "the page rather than a state of it",
            false => "the order of ids",
        };
        let tie = is_tie(&ranked).then(|| by(ranked[0].1, ranked[1].1));
        self.told(&ranked, &BTreeSet::new(), tie)
    }

    fn answer(&self, mut tally: Tally<'_>, url: &str) -> Recognition {
        let mut matches = self.patterns.at(url, self.limits);
        let candidates = matches.candidates().to_vec();
        let of = |pattern: &u32| self.of_pattern[*pattern as usize].iter().map(|screen| *screen as usize);
        let bare = candidates.iter().flat_map(of).filter(|screen| !tally.is_touched[*screen]).count();
        if bare >= self.limits.bare {
            matches.run_sets();
            matches.take_sets_ran();
        }
        for screen in candidates.iter().filter(|pattern| matches.may_match(**pattern)).flat_map(of) {
            tally.touch(screen);
        }
        let best = self.best(&tally, &mut matches);
        let ranked: Vec<(f64, u32)> = best.iter().map(|ranked| (ranked.score(), ranked.at.0)).collect();
        let tie = is_tie(&ranked).then(|| told_apart_by(best[0].specific, best[1].specific));
        let matched = ranked.first().map(|first| self.indicators_of(&tally, &mut matches, first.1)).unwrap_or_default();
        self.told(&ranked, &matched, tie)
    }

    /// Returns which indicators of a screen are there, in order.
    fn indicators_of(&self, tally: &Tally<'_>, matches: &mut Matches<'_>, screen: u32) -> BTreeSet<u32> {
        let uses = self.uses[screen as usize].iter().filter(|used| matches.matches(used.pattern));
        let mut found: BTreeSet<u32> = uses.flat_map(|used| used.indicators.iter().copied()).collect();
        found.extend(tally.indicators_of(screen));
        found
    }

    fn told_tie(&self, ranked: &[(f64, u32)], by: &str) -> String {
        let best = ranked.first().map_or(0.0, |first| first.0);
        let equals = ranked.iter().skip(1).take_while(|other| best - other.0 < EPSILON);
        let names: Vec<&str> = equals.take(MAX_NEAREST).map(|(_, at)| self.entries[*at as usize].id.as_str()).collect();
        format!("as good: {}; decided by {by}", names.join(", "))
    }

    /// Returns the answer; `tie` says by what the best screen was told from others as good.
    fn told(&self, ranked: &[(f64, u32)], matched: &BTreeSet<u32>, tie: Option<&str>) -> Recognition {
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
            tie: tie.map(|by| self.told_tie(ranked, by)),
            message: None,
            nearest,
        }
    }
}

/// Returns whether the first two screens are as good, and good enough.
fn is_tie(ranked: &[(f64, u32)]) -> bool {
    matches!(ranked, [first, second, ..] if first.0 - second.0 < EPSILON && first.0 > THRESHOLD)
}

/// Returns by what two screens of one score are told apart.
fn told_apart_by(one: (u32, u32, u32), other: (u32, u32, u32)) -> &'static str {
    if one.0 != other.0 {
        "a state rather than the page below it"
    } else if one.1 != other.1 {
        "more indicators"
    } else if one.2 != other.2 {
        "the longer URL pattern"
    } else {
        "the order of ids: nothing else tells them apart"
    }
}

fn entry(knowledge: &Knowledge, screen: &ScreenDefinition) -> Entry {
    let parent = |screen: &&ScreenDefinition| knowledge.screens.get(screen.parent_screen_id.as_ref()?);
    // A cycle of parents is refused when it is stored; here it only must not hang.
    let above = std::iter::successors(parent(&screen), parent).take(knowledge.screens.len() + 1);
    Entry {
        id: screen.screen_id.clone(),
        name: screen.name.clone(),
        total: screen.state_signature.required_indicators.len() as u32,
        depth: above.count() as u32,
        is_state: screen.state_signature.required_indicators.iter().any(makes_state),
        literal: screen.url_patterns.iter().map(|pattern| literal_prefix(pattern).len()).max().unwrap_or(0) as u32,
    }
}

fn makes_state(indicator: &Indicator) -> bool {
    let kind = indicator.selector.as_deref().and_then(ElementKind::of_selector);
    matches!(kind, Some(ElementKind::Tab | ElementKind::Dialog))
}

#[cfg(test)]
mod tests;
