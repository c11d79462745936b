//! Which elements and texts are on a page, counted by screen.
//!
//! In: what a text stands for, as it is found. Out: how many indicators of each screen are there.
//! Invariant: a text is added once, so an indicator counts once.

use crate::extract::signature::fold;
use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use std::collections::BTreeMap;

/// Bytes of a summary that are looked at.
const MAX_SUMMARY: usize = 1 << 20;

/// What one stored text stands for: screens with an indicator of it, which one, and whether it makes a
/// state.
pub(super) type Posting = Vec<(u32, u32, bool)>;

/// Which elements and texts are there; columns by the number of the screen.
pub(super) struct Tally<'r> {
    pub(super) matched: Vec<u32>,
    pub(super) is_state: Vec<bool>,
    pub(super) is_touched: Vec<bool>,
    pub(super) touched: Vec<u32>,
    postings: Vec<&'r [(u32, u32, bool)]>,
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
    pub(super) fn add(&mut self, posting: &'r [(u32, u32, bool)]) {
        for (screen, _, makes_state) in posting {
            let at = *screen as usize;
            self.touch(at);
            self.matched[at] += 1;
            self.is_state[at] |= *makes_state;
        }
        self.postings.push(posting);
    }

    /// Returns which indicators of a screen matched.
    pub(super) fn indicators_of(&self, screen: u32) -> impl Iterator<Item = u32> {
        let all = self.postings.iter().copied().flatten();
        all.filter(move |(at, _, _)| *at == screen).map(|(_, nth, _)| *nth)
    }
}

/// Returns what finds every text that occurs in another; none where it would grow too large.
pub(super) fn occurring(texts: impl IntoIterator<Item: AsRef<[u8]>>) -> Option<AhoCorasick> {
    let mut builder = AhoCorasick::builder();
    builder.match_kind(MatchKind::Standard).kind(Some(AhoCorasickKind::ContiguousNFA)).build(texts).ok()
}

/// Stored texts, each with what it stands for.
#[derive(Default)]
pub(super) struct Texts {
    automaton: Option<AhoCorasick>,
    postings: Vec<Posting>,
}

impl Texts {
    pub(super) fn of(texts: BTreeMap<String, Posting>) -> Self {
        let (texts, postings): (Vec<String>, Vec<Posting>) = texts.into_iter().unzip();
        Self { automaton: occurring(texts), postings }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.postings.is_empty()
    }

    /// Adds the texts that occur in a summary.
    pub(super) fn count<'r>(&'r self, summary: &str, tally: &mut Tally<'r>) {
        let Some(automaton) = self.automaton.as_ref().filter(|_| !self.is_empty()) else { return };
        let folded = fold(&summary[..summary.floor_char_boundary(MAX_SUMMARY)]);
        let mut seen = vec![false; self.postings.len()];
        for found in automaton.find_overlapping_iter(&folded) {
            let at = found.pattern().as_usize();
            if !std::mem::replace(&mut seen[at], true) {
                tally.add(&self.postings[at]);
            }
        }
    }
}
