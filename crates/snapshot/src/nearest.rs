//! What comes nearest to a pattern that matches nothing.
//!
//! In: a pattern, and the names and paths that there are. Out: at most three of them, the nearest
//! first. Invariants: deterministic; linear in what there is; text of the page is quoted, on one
//! line, and short.

use browserlens_core::page::text::{escaped_line, folded};
use browserlens_lens::format::escape;
use std::collections::HashSet;

/// How many are named.
const NAMED: usize = 3;
/// Longest text of the page that is named or compared, in characters.
const LONGEST: usize = 60;
/// Most words that are compared with.
const MOST_WORDS: usize = 20_000;

/// Something that a pattern could have matched.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice {
    /// What a line says: text of the page.
    Name(String),
    /// A semantic path.
    Path(String),
}

impl Choice {
    fn text(&self) -> &str {
        match self {
            Self::Name(text) | Self::Path(text) => text,
        }
    }

    fn told(&self) -> String {
        match self {
            Self::Path(path) => escaped_line(path).into_owned(),
            Self::Name(name) => {
                let mut out = String::new();
                escape::quote_beginning(&mut out, &escaped_line(&folded(name)), LONGEST);
                out
            }
        }
    }
}

/// Returns what comes nearest to a pattern, as it is told.
pub(crate) fn nearest(pattern: &str, choices: Vec<Choice>) -> Vec<String> {
    let wanted: Vec<String> = words(pattern).take(8).collect();
    let mut seen = HashSet::new();
    let mut left = MOST_WORDS;
    let mut scored: Vec<(u32, usize, String)> = Vec::new();
    for (at, choice) in choices.iter().enumerate() {
        if choice.text().trim().is_empty() || !seen.insert(choice) {
            continue;
        }
        let mut best = 0;
        for word in words(choice.text()).take(40) {
            left = left.saturating_sub(1);
            if left > 0 {
                best = best.max(wanted.iter().map(|wanted| likeness(wanted, &word)).max().unwrap_or(0));
            }
        }
        scored.push((best, at, choice.told()));
    }
    scored.sort_by_key(|(score, at, _)| (std::cmp::Reverse(*score), *at));
    // Where something is alike, what is not says nothing.
    let least = u32::from(scored.first().is_some_and(|(score, _, _)| *score > 0));
    let mut told: Vec<String> = Vec::new();
    for (score, _, choice) in scored {
        if score >= least && told.len() < NAMED && !told.contains(&choice) {
            told.push(choice);
        }
    }
    told
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(LONGEST).flat_map(char::to_lowercase).collect())
}

/// How alike two words are, from 0 to 1,000: what need not be changed of the longer one; words that
/// share less than half are not alike.
fn likeness(one: &str, other: &str) -> u32 {
    let [length, other_length] = [one, other].map(|word| word.chars().count());
    let longest = length.max(other_length);
    if longest == 0 {
        return 0;
    }
    // A word that begins another is nearer than its length says.
    let begins = one.chars().zip(other.chars()).take_while(|(one, other)| one == other).count();
    let begins = if begins >= 3 && begins == length.min(other_length) { 600 } else { 0 };
    let same = ((longest - strsim::levenshtein(one, other)) * 1_000 / longest) as u32;
    begins.max(if same >= 500 { same } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_and_paths_come_first_and_else_the_first_of_the_page() {
        let name = |text: &str| Choice::Name(text.to_owned());
        let choices = vec![
            name("Home"),
            Choice::Path("/main/article/section.intro".to_owned()),
            name("Subscribe \"now\""),
            name("Prices"),
            name("Prices"),
        ];
        assert_eq!(nearest("Subscrbe", choices.clone())[0], r#""Subscribe \"now\"""#);
        assert_eq!(nearest("section.intor", choices.clone())[0], "/main/article/section.intro");
        assert_eq!(nearest("price", choices.clone())[0], "\"Prices\"");
        assert_eq!(nearest("zzz", choices).len(), 3);
        assert!(nearest("zzz", vec![name(" ")]).is_empty());
        assert!(nearest("(", vec![name(&"long ".repeat(100))])[0].ends_with("\"…"));
    }
}
