//! How often a cache is hit on a documented browsing workload.
//!
//! In: the pages of recorded tasks in order, and a [`Pattern`] of reading them. Out: [`Counts`]:
//! what [`Cache::read`] did, and what a cache by the URL alone would have done, with how often it
//! would have said what the page did not say any more. Invariant: nothing is guessed but the
//! pattern: pages, URLs and contents are those of the recording.
//!
//! The patterns take the reasons that a design for such a cache gives for repeated readings, and
//! count each alone: [`Pattern::Once`], a reading after each action; [`Pattern::ThenAsk`],
//! "repeated calls on the same page": after each action a reading and then a query, both of the
//! same page; [`Pattern::AndBack`], "repeated visits": a reading after each action, and at the end
//! a visit to each URL of the task once more, last one first, where each page is as it was left. A
//! reading takes ten seconds, a query after it one; tasks lie an hour apart.

#![allow(dead_code, missing_docs, reason = "each user needs a part of it")]

use browserlens_core::named;
use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_reading::{Cache, CacheOptions, ContentHash, Cut, Outcome, content_hash};
use browserlens_trace::Trace;
use std::collections::HashMap;
use std::error::Error;
use std::path::Path;

/// Time from one action to the next, in milliseconds.
const STEP_MS: u64 = 10_000;
/// Time from a reading to the query after it, in milliseconds.
const QUERY_MS: u64 = 1_000;
/// Time from one task to the next, in milliseconds.
const TASK_MS: u64 = 60 * 60 * 1_000;

named! {
    /// Which pages are read when.
    pub enum Pattern {
        /// Each page once.
        Once = "one reading after each action",
        /// Each page twice: a reading and a query.
        ThenAsk = "a reading and a query after each action",
        /// Each page once, and each URL again at the end.
        AndBack = "one reading after each action, then each URL again",
    }
}

impl Pattern {
    /// Returns which pages are read, by their numbers, and when, from 0 ms on.
    fn readings(self, pages: &[Page]) -> Vec<(usize, u64)> {
        let mut readings: Vec<(usize, u64)> = Vec::new();
        for index in 0..pages.len() {
            let now = index as u64 * STEP_MS;
            readings.push((index, now));
            if self == Self::ThenAsk {
                readings.push((index, now + QUERY_MS));
            }
        }
        if self == Self::AndBack {
            let mut seen: Vec<&str> = Vec::new();
            let mut now = pages.len() as u64 * STEP_MS;
            for (index, page) in pages.iter().enumerate().rev() {
                if !seen.contains(&page.url()) {
                    seen.push(page.url());
                    readings.push((index, now));
                    now += STEP_MS;
                }
            }
        }
        readings
    }
}

/// What became of the readings of a workload.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// All readings.
    pub readings: u32,
    /// From the cache, content checked, within their life.
    pub hits: u32,
    /// From the cache, content checked, past their life.
    pub revalidated: u32,
    /// Read anew: the URL is known with other content.
    pub changed: u32,
    /// Read anew: the URL is not known.
    pub misses: u32,
    /// What a cache by URL alone would have given.
    pub by_url: u32,
    /// Of these, what the page did not say any more.
    pub by_url_stale: u32,
}

impl Counts {
    /// Returns the share of readings that the cache answered.
    pub fn hit_rate(&self) -> f64 {
        f64::from(self.hits + self.revalidated) / f64::from(self.readings.max(1))
    }
}

/// The pages of every bundled trace, trace by trace.
pub fn tasks() -> Result<Vec<Vec<Page>>, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut paths: Vec<_> = std::fs::read_dir(&folder)?.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "trace"));
    paths.sort();
    let mut tasks: Vec<Vec<Page>> = Vec::new();
    for path in &paths {
        let trace = Trace::open(path)?;
        let page = |step| -> Result<Page, Box<dyn Error>> { Ok(Page::parse(&trace.capture(StepIndex(step))?)?) };
        tasks.push((0..trace.len()).map(page).collect::<Result<_, _>>()?);
    }
    Ok(tasks)
}

/// Reads the pages of tasks through one new cache, as a pattern says.
pub fn measured(tasks: &[Vec<Page>], pattern: Pattern) -> Result<Counts, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let options = CacheOptions::default();
    let mut cache = Cache::open(&folder.path().join("pages.cache"), options)?;
    let mut counts = Counts::default();
    for (number, pages) in tasks.iter().enumerate() {
        let mut by_url: HashMap<&str, (ContentHash, u64)> = HashMap::new();
        for (index, at_ms) in pattern.readings(pages) {
            let (page, now) = (&pages[index], number as u64 * TASK_MS + at_ms);
            counts.readings += 1;
            let hash = content_hash(page);
            match by_url.get(page.url()) {
                Some((stored, stored_ms)) if now - stored_ms <= options.life_ms => {
                    counts.by_url += 1;
                    counts.by_url_stale += u32::from(*stored != hash);
                }
                _ => {
                    by_url.insert(page.url(), (hash, now));
                }
            }
            match cache.read(page, Cut::All, now)?.outcome {
                Outcome::Hit => counts.hits += 1,
                Outcome::Revalidated => counts.revalidated += 1,
                Outcome::Changed => counts.changed += 1,
                Outcome::Miss | Outcome::Bypassed => counts.misses += 1,
            }
        }
    }
    Ok(counts)
}
