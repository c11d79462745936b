//! Screens by the words that describe them.
//!
//! In: screens, then a description. Out: a score for each screen that shares a word with it.
//! Invariant: between 0 and 1; rare words weigh more than common ones.

use crate::model::ScreenDefinition;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Screens by the words that describe them.
#[derive(Debug, Default)]
pub(crate) struct Described {
    words: HashMap<String, BTreeSet<u32>>,
    /// How many screens have a word in what is their own: not in goals of tasks, which all screens
    /// of a task share.
    own: HashMap<String, usize>,
    /// Words of the names, by screen.
    names: Vec<BTreeSet<String>>,
}

/// What of the score comes from the name: how much of it the description says.
const NAME_WEIGHT: f64 = 0.25;

impl Described {
    /// Adds a screen; they come in the order of their numbers.
    pub(crate) fn add(&mut self, at: u32, screen: &ScreenDefinition) {
        let indicators =
            screen.state_signature.required_indicators.iter().filter_map(|indicator| indicator.value.as_ref());
        let fields = screen.forms.iter().flat_map(|form| form.fields.iter().map(|field| &field.name));
        let texts = [&screen.name, &screen.description].into_iter().chain(indicators).chain(fields);
        let own: BTreeSet<String> =
            texts.chain(screen.example_urls.iter().take(4)).flat_map(|text| words(text)).collect();
        for word in &own {
            *self.own.entry(word.clone()).or_default() += 1;
        }
        let shared = screen.business_functions.iter().chain(&screen.user_flows).flat_map(|text| words(text));
        for word in own.into_iter().chain(shared) {
            self.words.entry(word).or_default().insert(at);
        }
        self.names.push(words(&screen.name).collect());
    }

    /// Returns how rare a word is.
    fn weight(&self, word: &str) -> f64 {
        let found = self.own.get(word).copied().or_else(|| self.words.get(word).map(BTreeSet::len)).unwrap_or(0);
        (1.0 + self.names.len() as f64 / (1.0 + found as f64)).ln()
    }

    pub(crate) fn scores(&self, description: &str) -> BTreeMap<u32, f64> {
        let asked: BTreeSet<String> = words(description).collect();
        let weight_of = |words: &mut dyn Iterator<Item = &String>| words.map(|word| self.weight(word)).sum::<f64>();
        let all = weight_of(&mut asked.iter());
        let mut scores: BTreeMap<u32, f64> = BTreeMap::new();
        for word in &asked {
            for at in self.words.get(word).into_iter().flatten() {
                *scores.entry(*at).or_default() += self.weight(word);
            }
        }
        for (at, score) in &mut scores {
            let name = &self.names[*at as usize];
            let said = weight_of(&mut name.intersection(&asked)) / weight_of(&mut name.iter()).max(f64::MIN_POSITIVE);
            *score = (1.0 - NAME_WEIGHT) * *score / all.max(f64::MIN_POSITIVE) + NAME_WEIGHT * said;
        }
        scores
    }
}

/// Words that say nothing of a screen.
const EMPTY_WORDS: [&str; 16] =
    ["a", "an", "the", "of", "to", "for", "in", "on", "and", "or", "where", "screen", "page", "is", "with", "http"];

/// Returns the words that say something, in small letters and the singular.
pub(crate) fn words(text: &str) -> impl Iterator<Item = String> {
    let folded = text.to_lowercase();
    let words: Vec<String> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty() && !EMPTY_WORDS.contains(word))
        .map(|word| word.strip_suffix('s').filter(|stem| stem.len() > 3).unwrap_or(word).to_owned())
        .collect();
    words.into_iter()
}
