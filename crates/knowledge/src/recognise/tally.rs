//! Which elements and texts are on a page, counted by screen.
//!
//! In: what a text stands for, as it is found. Out: how many indicators of each screen are there.
//! Invariant: a text is added once, so an indicator counts once.

use crate::extract::signature::fold;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::collections::BTreeMap;

/// Bytes of a summary that are looked at.
const MAX_SUMMARY: usize = 1 << 20;

/// What one stored text stands for.
#[derive(Default)]
pub(super) struct Posting {
    /// Screens with an indicator of this text, which one, and whether it makes a state.
    pub(super) indicators: Vec<(u32, u32, bool)>,
}

/// Which elements and texts are there; columns by the number of the screen.
pub(super) struct Tally<'r> {
    pub(super) matched: Vec<u32>,
    pub(super) is_state: Vec<bool>,
    pub(super) is_touched: Vec<bool>,
    pub(super) touched: Vec<u32>,
    postings: Vec<&'r Posting>,
}

impl<'r> Tally<'r> {
    pub(super) fn new(screens: usize) -> Self {
        Self {
            matched: vec![0; screens],
            is_state: vec![false; screens],
            is_touched: vec![false; screens],
            touched: Vec::new(),
            postings: Vec::new(),
        }
    }

    pub(super) fn touch(&mut self, at: usize) {
        if !std::mem::replace(&mut self.is_touched[at], true) {
            self.touched.push(at as u32);
        }
    }

    /// Adds what one text stands for; a text is added once, so an indicator counts once.
    pub(super) fn add(&mut self, posting: &'r Posting) {
        for (screen, _, makes_state) in &posting.indicators {
            let at = *screen as usize;
            self.touch(at);
            self.matched[at] += 1;
            self.is_state[at] |= *makes_state;
        }
        self.postings.push(posting);
    }

    /// Returns which indicators of a screen matched.
    pub(super) fn indicators_of(&self, screen: u32) -> impl Iterator<Item = u32> {
        let all = self.postings.iter().flat_map(|posting| &posting.indicators);
        all.filter(move |(at, _, _)| *at == screen).map(|(_, nth, _)| *nth)
    }
}

pub(super) fn automaton(texts: BTreeMap<String, Posting>) -> (Option<AhoCorasick>, Vec<Posting>) {
    if texts.is_empty() {
        return (None, Vec::new());
    }
    let (texts, postings): (Vec<String>, Vec<Posting>) = texts.into_iter().unzip();
    (occurring(texts), postings)
}

/// Returns what finds every text that occurs in another; none where it would grow too large.
pub(super) fn occurring(texts: impl IntoIterator<Item: AsRef<[u8]>>) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts).ok()
}

pub(super) fn count_texts<'r>(automaton: &AhoCorasick, postings: &'r [Posting], summary: &str, tally: &mut Tally<'r>) {
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
