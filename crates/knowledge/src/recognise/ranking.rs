//! Which of the screens that may be meant stand first, with as few patterns run as that takes.

use super::patterns::Matches;
use super::tally::Tally;
use super::{INDICATOR_WEIGHT, MAX_NEAREST, Recogniser, THRESHOLD, URL_WEIGHT};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Candidates that are put in order: those that are named, and one that is as good.
const MAX_RANKED: usize = MAX_NEAREST + 1;

/// A screen as it may be answered: by its score, then by how specific it is, then by the order of
/// ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Ranked {
    /// In units of [`UNIT`]: a tie has to be one in whatever order screens come.
    score: i64,
    /// How many screens it is a state of, how many indicators match, how long its pattern is.
    pub(super) specific: (u32, u32, u32),
    pub(super) at: Reverse<u32>,
    /// Whether that is so, and not only the most that it can be.
    pub(super) is_certain: bool,
}

/// How many units of a score are one.
const UNIT: f64 = 1e9;

impl Ranked {
    pub(super) fn score(&self) -> f64 {
        self.score as f64 / UNIT
    }
}

impl Recogniser<'_> {
    /// Returns a screen as it is answered if `is_there` says of each of its patterns whether it
    /// matches.
    fn ranked(&self, tally: &Tally<'_>, at: u32, mut is_there: impl FnMut(u32) -> bool) -> (Ranked, bool) {
        let entry = &self.entries[at as usize];
        let (mut matched, mut is_state) = (tally.matched[at as usize], tally.is_state[at as usize]);
        let mut url = false;
        for used in &self.uses[at as usize] {
            if is_there(used.pattern) {
                url |= used.is_url;
                matched += used.indicators.len() as u32;
                is_state |= used.makes_state;
            }
        }
        let share = if entry.total == 0 { 0.0 } else { f64::from(matched) / f64::from(entry.total) };
        let mut score = if url { URL_WEIGHT } else { 0.0 } + share * INDICATOR_WEIGHT;
        // What makes a state has to be there, or it is another state of the page.
        if entry.is_state && !is_state {
            score = score.min(THRESHOLD);
        }
        let score = (score * UNIT).round() as i64;
        let specific = (entry.depth, matched, entry.literal);
        (Ranked { score, specific, at: Reverse(at), is_certain: false }, url || matched > 0)
    }

    /// Returns the screens that an answer names, best first. What a screen can be at most is in the
    /// same order as what it is, so the first that is certain is the best.
    pub(super) fn best(&self, tally: &Tally<'_>, matches: &mut Matches<'_>) -> Vec<Ranked> {
        let mut waiting: BinaryHeap<Ranked> = tally
            .touched
            .iter()
            .map(|at| {
                let most = self.ranked(tally, *at, |pattern| matches.may_match(pattern)).0;
                let is_certain = self.uses[*at as usize].iter().all(|used| matches.is_known(used.pattern));
                Ranked { is_certain, ..most }
            })
            .collect();
        let mut ranked: Vec<Ranked> = Vec::with_capacity(MAX_RANKED);
        while ranked.len() < MAX_RANKED
            && let Some(next) = waiting.pop()
        {
            if next.is_certain {
                ranked.push(next);
                continue;
            }
            let (certain, is_there) = self.ranked(tally, next.at.0, |pattern| matches.matches(pattern));
            if is_there {
                waiting.push(Ranked { is_certain: true, ..certain });
            }
            // Once everything was run, all are put in order at once: one by one is dear where
            // nothing matches.
            if matches.take_sets_ran() {
                let rest = waiting.into_iter().filter_map(|next| {
                    let (certain, is_there) = self.ranked(tally, next.at.0, |pattern| matches.matches(pattern));
                    is_there.then_some(Ranked { is_certain: true, ..certain })
                });
                waiting = rest.collect();
            }
        }
        ranked
    }
}
