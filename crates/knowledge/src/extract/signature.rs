//! By what a screen is told: a few names of real elements that its pages share and others lack.
//!
//! In: the pages of a screen, and how often each name occurs on the pages of other screens. Out: a
//! [`StateSignature`]. Invariants: an indicator is the name of a button, heading, field, selected
//! tab or link, at most 50 characters, never instruction text, never a numbered line; what names
//! one thing among many (a value of the URL, a card of a listing) is taken only where nothing else
//! is there.

use super::urls::Parts;
use super::view::{Element, ElementKind, PageView, Zone};
use crate::model::{Indicator, StateSignature};
use crate::validate::MAX_INDICATOR_CHARS;
use std::collections::{BTreeMap, BTreeSet};

/// Indicators of elements that a signature has at most.
const MAX_INDICATORS: usize = 8;

/// Words with which a heading begins that tell anything.
const LEAST_WORDS: usize = 2;

/// Words of instructions: text with one of them is no element of a screen.
const INSTRUCTION_WORDS: [&str; 12] = [
    "instruction", "protocol", "guideline", "conversational", "phone call", "voice assistant", "voice ai",
    "follow-up question", "empathetic", "your primary goal", "core goal", "step-by-step",
];

/// How an element is told from others: its kind and its name, ignoring case.
pub(crate) type Key = (ElementKind, String);

/// Returns the key of an element.
pub(crate) fn key_of(element: &Element) -> Key {
    (element.kind, fold(&element.name))
}

/// Returns a name as it is compared.
pub(crate) fn fold(name: &str) -> String {
    super::nodes::one_line(name).to_lowercase()
}

/// Returns whether a text can be the name of an element that tells a screen.
pub(crate) fn is_indicator_text(text: &str) -> bool {
    let length = text.chars().count();
    let lower = text.to_lowercase();
    (2..=MAX_INDICATOR_CHARS).contains(&length)
        && text.chars().any(char::is_alphabetic)
        && !INSTRUCTION_WORDS.iter().any(|word| lower.contains(word))
        && !is_numbered(text)
        && !lower.starts_with("your ")
}

/// Returns whether a text begins like a line of a numbered list.
fn is_numbered(text: &str) -> bool {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    rest.len() < text.len() && rest.starts_with(['.', ')']) && rest[1..].starts_with(char::is_whitespace)
}

/// How many other screens have a name.
#[derive(Debug, Default)]
pub(crate) struct Elsewhere {
    /// By key: screens whose URLs the patterns of this one match, and other screens.
    counts: BTreeMap<Key, (u32, u32)>,
    screens: u32,
    at_same_url: u32,
}

impl Elsewhere {
    /// Adds the names of one other screen.
    pub(crate) fn add(&mut self, names: &BTreeSet<Key>, at_same_url: bool) {
        self.screens += 1;
        self.at_same_url += u32::from(at_same_url);
        for key in names {
            let count = self.counts.entry(key.clone()).or_default();
            if at_same_url { count.0 += 1 } else { count.1 += 1 }
        }
    }

    /// Returns whether a name at the same URL, or on most other screens, has a text in it.
    fn has_within(&self, text: &str) -> bool {
        let having = self.counts.iter().filter(|((_, name), _)| name.contains(text));
        let (at_same_url, others) = having.fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1));
        at_same_url > 0 || others * 2 > self.screens
    }

    fn of(&self, key: &Key) -> (u32, u32) {
        self.counts.get(key).copied().unwrap_or_default()
    }
}

/// Returns every name on the pages of a screen.
pub(crate) fn names(views: &[&PageView]) -> BTreeSet<Key> {
    views.iter().flat_map(|view| view.foreground().map(key_of)).collect()
}

struct Candidate<'v> {
    element: &'v Element,
    pages: usize,
    repeated: bool,
    varies: bool,
}

/// Chooses the indicators of a screen; `patterns` are its URL patterns.
pub(crate) fn signature(views: &[&PageView], elsewhere: &Elsewhere, patterns: &[String]) -> StateSignature {
    let mut required = indicators(views, elsewhere, MAX_INDICATORS);
    if required.is_empty() {
        // Pages in two languages share no name, so each gives half: more than half of them are
        // there in either.
        let mut by_language: BTreeMap<&str, Vec<&PageView>> = BTreeMap::new();
        for view in views {
            by_language.entry(&view.lang).or_default().push(view);
        }
        if by_language.len() == 2 {
            let each: Vec<Vec<Indicator>> =
                by_language.values().map(|views| indicators(views, elsewhere, MAX_INDICATORS / 2)).collect();
            let least = each.iter().map(Vec::len).min().unwrap_or(0);
            required = each.into_iter().flat_map(|one| one.into_iter().take(least)).collect();
        }
    }
    if required.is_empty() {
        required.extend(beginning(views, elsewhere));
    }
    // A URL alone tells a screen only where no other is known at that URL.
    if let [pattern] = patterns
        && (!required.is_empty() || elsewhere.at_same_url == 0)
    {
        required.push(Indicator::url(pattern));
    }
    StateSignature { required_indicators: required }
}

/// Returns the words with which a heading of each page begins, where the pages share no whole name
/// (`Thank you, Ada.`) and no other screen has them.
fn beginning(views: &[&PageView], elsewhere: &Elsewhere) -> Option<Indicator> {
    let (first, others) = views.split_first()?;
    let headings = |view: &'_ PageView| -> Vec<(u8, String)> {
        let all = view.foreground().filter(|it| it.kind == ElementKind::Heading && !it.repeated);
        all.map(|it| (it.level, it.name.clone())).collect()
    };
    let others: Vec<Vec<(u8, String)>> = others.iter().map(|view| headings(view)).collect();
    let shared = headings(first).into_iter().filter_map(|(level, name)| {
        let mut words: Vec<&str> = name.split(' ').collect();
        for page in &others {
            let alike = page.iter().filter(|(other, _)| *other == level).map(|(_, other)| {
                words.iter().zip(other.split(' ')).take_while(|(one, other)| **one == *other).count()
            });
            words.truncate(alike.max().unwrap_or(0));
        }
        Some(words.join(" ")).filter(|_| words.len() >= LEAST_WORDS)
    });
    let tells = |text: &String| is_indicator_text(text) && !elsewhere.has_within(&fold(text));
    let longest = shared.filter(tells).max_by_key(String::len)?;
    Some(Indicator::text(longest, "body", "beginning of a heading for screen recognition"))
}

/// Returns the best indicators of elements, best first; where nothing is good, the least bad two.
fn indicators(views: &[&PageView], elsewhere: &Elsewhere, most: usize) -> Vec<Indicator> {
    let candidates = candidates(views);
    // On few pages a name has to be on all; with more, a state may lack one.
    let least = if views.len() < 4 { views.len() } else { (views.len() * 4).div_ceil(5) };
    let mut ranked = Vec::new();
    for (key, candidate) in &candidates {
        let (at_same_url, others) = elsewhere.of(key);
        // What a screen at the same URL has too, or most other screens, would tell the wrong one as
        // well.
        let common = elsewhere.screens >= 2 && (at_same_url + others) * 2 > elsewhere.screens;
        let element = candidate.element;
        if candidate.pages < least || at_same_url > 0 || common || !is_indicator_text(&element.name) {
            continue;
        }
        let poor = u32::from(candidate.varies) + u32::from(candidate.repeated);
        let is_tab = element.kind == ElementKind::Tab;
        ranked.push(((poor, !is_tab, others, element.zone, element.kind, element.level, &key.1), element));
    }
    ranked.sort_by_key(|(rank, _)| *rank);
    let good = ranked.iter().filter(|(rank, _)| rank.0 == 0).count();
    let taken = if good > 0 { good.min(most) } else { ranked.len().min(2) };
    ranked.into_iter().take(taken).map(|(_, element)| indicator(element)).collect()
}

fn candidates<'v>(views: &[&'v PageView]) -> BTreeMap<Key, Candidate<'v>> {
    let mut candidates: BTreeMap<Key, Candidate<'v>> = BTreeMap::new();
    for view in views {
        let values: Vec<String> = Parts::of(&view.url)
            .map(|parts| parts.values().filter(|value| value.chars().count() >= 3).map(fold).collect())
            .unwrap_or_default();
        let one_of_many = !values.is_empty();
        let mut seen: BTreeSet<Key> = BTreeSet::new();
        let in_dialog_only = view.dialog.is_some();
        for element in view.foreground().filter(|element| element.in_dialog || !in_dialog_only) {
            let key = key_of(element);
            let is_title = element.kind == ElementKind::Heading && element.level == 1;
            let varies = element.name.chars().any(char::is_numeric)
                || values.iter().any(|value| key.1.contains(value.as_str()))
                || (one_of_many && is_title && view.title.contains(&element.name));
            let new = Candidate { element, pages: 0, repeated: false, varies: false };
            let candidate = candidates.entry(key.clone()).or_insert(new);
            // Tabs stand in a row of their like, and only one of them is selected.
            candidate.repeated |= element.repeated && element.zone == Zone::Main && element.kind != ElementKind::Tab;
            candidate.varies |= varies;
            if seen.insert(key) {
                candidate.pages += 1;
            }
        }
    }
    candidates
}

fn indicator(element: &Element) -> Indicator {
    let reason = format!("{} for screen recognition", element.kind.noun());
    Indicator::text(element.name.clone(), element.kind.selector(), reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_elements_tell_a_screen() {
        for good in ["Add to cart", "Call Performance", "4.1 release notes", "はい", "Sign in"] {
            assert!(is_indicator_text(good), "{good:?}");
        }
        for bad in [
            "Your primary goal is to conduct a profile",
            "1. Core steps",
            "12) Open the page",
            "Guidelines for the call",
            "x",
            "$42.00",
            "A heading that says a great deal more than any heading of a screen should",
        ] {
            assert!(!is_indicator_text(bad), "{bad:?}");
        }
    }
}
