//! What all pages say about something: their passages, side by side.
//!
//! In: the passages of pages, what is asked for, a limit in characters. Out: [`About`], passages
//! by page. Invariants: [`About::to_text`] never exceeds the limit; a text stands once, however
//! many pages have it; each page's best passage goes before any page's second; what is left out is
//! counted.

use super::content::fold;
use crate::terms::{Terms, is_stop_word};
use browserlens_core::page::text::folded;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Share of the weight of what is asked for that a passage must hold, unless a concept that was
/// asked for stands in it.
const LEAST_SHARE: f64 = 0.6;

/// How much a word counts in the headings above a passage, beside one in it.
const IN_HEADINGS: f64 = 0.6;

/// What a concept in a passage counts.
const MENTIONED: f64 = 0.5;

/// A block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct StoredPassage {
    pub(super) page: usize,
    pub(super) position: u32,
    pub(super) url: String,
    pub(super) title: String,
    pub(super) headings: Vec<String>,
    pub(super) text: String,
}

/// A passage about something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// The headings it stands under, outermost first.
    pub headings: Vec<String>,
    /// What it says.
    pub text: String,
    /// Other pages that say the same, word for word.
    pub also: Vec<String>,
}

/// What a page says about something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AboutPage {
    /// Address.
    pub url: String,
    /// Title.
    pub title: String,
    /// Its passages, in the order of the page.
    pub passages: Vec<Passage>,
}

/// What pages say about something.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// By page: the one with the best passage first.
    pub pages: Vec<AboutPage>,
    /// Passages that the limit left no space for.
    pub left_out: usize,
}

impl About {
    /// Writes the passages, a heading a page.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for page in &self.pages {
            text.push_str(&page_line(&page.title, &page.url));
            let mut above: &[String] = &[];
            for passage in &page.passages {
                if passage.headings != above {
                    text.push_str(&heading_line(&passage.headings));
                    above = &passage.headings;
                }
                text.push_str(&passage_lines(passage));
            }
        }
        if self.left_out > 0 {
            text.push_str(&left_out_line(self.left_out));
        }
        text.truncate(text.trim_end().len());
        text
    }
}

fn page_line(title: &str, url: &str) -> String {
    let title = folded(title);
    match title.is_empty() {
        true => format!("# {url}\n\n"),
        false => format!("# {title} — {url}\n\n"),
    }
}

fn heading_line(headings: &[String]) -> String {
    match headings {
        [] => String::new(),
        headings => format!("## {}\n\n", headings.join(" › ")),
    }
}

fn passage_lines(passage: &Passage) -> String {
    let mut lines = passage.text.clone();
    if !passage.also.is_empty() {
        lines.push_str(&format!("\n(also on {})", passage.also.join(", ")));
    }
    lines.push_str("\n\n");
    lines
}

fn left_out_line(passages: usize) -> String {
    format!("… {passages} more passages")
}

struct Candidate<'p> {
    passage: &'p StoredPassage,
    score: f64,
    also: Vec<String>,
}

/// Chooses passages: those that hold the words asked for, or a concept that resembles them.
pub(super) fn about(what: &str, passages: &[StoredPassage], concepts: &HashSet<(usize, u32)>, limit: usize) -> About {
    let mut queues = by_page(candidates(what, passages, concepts));
    // Pages by their best passage; then round after round, the next passage of each that fits.
    queues.sort_by(|a, b| b[0].score.total_cmp(&a[0].score).then_with(|| a[0].passage.url.cmp(&b[0].passage.url)));
    let total: usize = queues.iter().map(Vec::len).sum();
    let mut left = limit.saturating_sub(left_out_line(total).chars().count());
    let mut chosen: BTreeMap<usize, Vec<(u32, Passage)>> = BTreeMap::new();
    for round in 0..queues.iter().map(Vec::len).max().unwrap_or(0) {
        for (at, queue) in queues.iter().enumerate() {
            let Some(candidate) = queue.get(round) else { continue };
            let passage = Passage {
                headings: candidate.passage.headings.clone(),
                text: candidate.passage.text.clone(),
                also: candidate.also.clone(),
            };
            let page = if chosen.contains_key(&at) {
                0
            } else {
                page_line(&candidate.passage.title, &candidate.passage.url).chars().count()
            };
            // Passages of one heading share its line: this is what they take at most.
            let cost = page + heading_line(&passage.headings).chars().count() + passage_lines(&passage).chars().count();
            if cost <= left {
                left -= cost;
                chosen.entry(at).or_default().push((candidate.passage.position, passage));
            }
        }
    }
    let shown: usize = chosen.values().map(Vec::len).sum();
    let pages = chosen
        .into_iter()
        .map(|(at, mut passages)| {
            passages.sort_by_key(|(position, _)| *position);
            let of = queues[at][0].passage;
            let passages = passages.into_iter().map(|(_, passage)| passage).collect();
            AboutPage { url: of.url.clone(), title: of.title.clone(), passages }
        })
        .collect();
    let left_out = total - shown;
    // Where not even the note fits, nothing is said.
    if shown == 0 && left_out_line(left_out).chars().count() > limit {
        return About::default();
    }
    About { pages, left_out }
}

/// The passages about something, each text once, by page and best first.
fn candidates<'p>(what: &str, passages: &'p [StoredPassage], concepts: &HashSet<(usize, u32)>) -> Vec<Candidate<'p>> {
    let terms = Terms::default();
    let mut asked = terms.of(what);
    if asked.iter().any(|term| !is_stop_word(&term.word)) {
        asked.retain(|term| !is_stop_word(&term.word));
    }
    let asked: BTreeSet<String> = asked.into_iter().map(|term| term.stem).collect();
    let asked: Vec<String> = asked.into_iter().collect();
    let held = |text: &str| {
        let mut held = vec![false; asked.len()];
        terms.each(text, |term| {
            if let Ok(at) = asked.binary_search(&term.stem) {
                held[at] = true;
            }
        });
        held
    };
    let words: Vec<Vec<bool>> = passages.iter().map(|passage| held(&passage.text)).collect();
    // A word that many passages hold says little.
    let weights: Vec<f64> = (0..asked.len())
        .map(|at| {
            let on = words.iter().filter(|held| held[at]).count();
            ((1 + passages.len()) as f64 / (1 + on) as f64).ln().max(0.05)
        })
        .collect();
    let whole: f64 = weights.iter().sum();
    let mut trails: HashMap<&[String], Vec<bool>> = HashMap::new();
    let mut found: Vec<Candidate<'p>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for (passage, words) in passages.iter().zip(&words) {
        let trail = trails.entry(&passage.headings).or_insert_with(|| held(&passage.headings.join("\n")));
        let counts = |at: usize| match (words[at], trail[at]) {
            (true, _) => 1.0,
            (_, true) => IN_HEADINGS,
            _ => 0.0,
        };
        let held: f64 = (0..asked.len()).map(|at| weights[at] * counts(at)).sum();
        let mentioned = concepts.contains(&(passage.page, passage.position));
        let share = if whole > 0.0 { held / whole } else { 0.0 };
        if share < LEAST_SHARE && !mentioned {
            continue;
        }
        let score = share + if mentioned { MENTIONED } else { 0.0 };
        match known.get(&fold(&passage.text)) {
            Some(at) => {
                let same: &mut Candidate<'p> = &mut found[*at];
                if same.passage.url != passage.url && !same.also.contains(&passage.url) {
                    same.also.push(passage.url.clone());
                }
            }
            None => {
                known.insert(fold(&passage.text), found.len());
                found.push(Candidate { passage, score, also: Vec::new() });
            }
        }
    }
    found
}

fn by_page(candidates: Vec<Candidate<'_>>) -> Vec<Vec<Candidate<'_>>> {
    let mut pages: BTreeMap<usize, Vec<Candidate<'_>>> = BTreeMap::new();
    for candidate in candidates {
        pages.entry(candidate.passage.page).or_default().push(candidate);
    }
    let mut pages: Vec<_> = pages.into_values().collect();
    for page in &mut pages {
        page.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.passage.position.cmp(&b.passage.position)));
    }
    pages
}
