//! What a corpus holds, in numbers.
//!
//! In: trace files. Out: [`CorpusStats`]. Invariants: a trace that cannot be read is a row among
//! the failures and counts nowhere else; memory holds one step a thread and one number for each
//! size that a page has; the same files give the same numbers for any number of threads.

use crate::corpus::error::CorpusError;
use crate::corpus::site::site_of;
use crate::{Trace, TraceError};
use browserlens_core::strategy::StepIndex;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Counts of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CorpusStats {
    /// Traces that could be read.
    pub traces: u64,
    /// Of them, recordings that did not reach their end.
    pub incomplete: u64,
    /// Steps.
    pub steps: u64,
    /// Bytes of the traces.
    pub bytes: u64,
    /// By site.
    pub sites: BTreeMap<String, SiteStats>,
    /// Traces by format of the file.
    pub formats: BTreeMap<i64, u64>,
    /// Traces by where they come from: `recorded`, `served`, or the format that they were imported
    /// from.
    pub sources: BTreeMap<String, u64>,
    /// Actions by kind.
    pub actions: BTreeMap<String, u64>,
    /// Nodes of a page.
    pub nodes: Quantiles,
    /// Traces that could not be read, in the order of their paths.
    pub failures: Vec<Failed>,
}

/// Counts of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SiteStats {
    /// Traces.
    pub traces: u64,
    /// Steps.
    pub steps: u64,
    /// Bytes.
    pub bytes: u64,
}

/// Quantiles of a number over pages: the smallest value that so large a share does not exceed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Least.
    pub min: u32,
    /// Of a quarter.
    pub p25: u32,
    /// Of half.
    pub median: u32,
    /// Of three quarters.
    pub p75: u32,
    /// Of nineteen in twenty.
    pub p95: u32,
    /// Largest.
    pub max: u32,
}

impl Quantiles {
    /// Computes quantiles from how often each value comes.
    fn of(counts: &BTreeMap<u32, u64>) -> Self {
        let all: u64 = counts.values().sum();
        let at = |percent: u64| {
            let rank = (all * percent).div_ceil(100).max(1);
            let mut seen = 0;
            let found = counts.iter().find(|(_, count)| {
                seen += **count;
                seen >= rank
            });
            found.map_or(0, |(value, _)| *value)
        };
        Self { min: at(0), p25: at(25), median: at(50), p75: at(75), p95: at(95), max: at(100) }
    }
}

/// A trace that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Failed {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub error: String,
    /// What to do about it.
    pub hint: String,
}

impl Failed {
    pub(crate) fn of(path: &Path, error: &TraceError) -> Self {
        Self { path: path.to_owned(), error: error.to_string(), hint: error.hint().to_owned() }
    }
}

/// What is added up.
#[derive(Default)]
struct Sums {
    stats: CorpusStats,
    nodes: BTreeMap<u32, u64>,
}

impl Sums {
    fn and(mut self, other: Self) -> Self {
        let (mine, theirs) = (&mut self.stats, other.stats);
        mine.traces += theirs.traces;
        mine.incomplete += theirs.incomplete;
        mine.steps += theirs.steps;
        mine.bytes += theirs.bytes;
        for (site, counts) in theirs.sites {
            let site = mine.sites.entry(site).or_default();
            site.traces += counts.traces;
            site.steps += counts.steps;
            site.bytes += counts.bytes;
        }
        add(&mut mine.formats, theirs.formats);
        add(&mut mine.sources, theirs.sources);
        add(&mut mine.actions, theirs.actions);
        mine.failures.extend(theirs.failures);
        add(&mut self.nodes, other.nodes);
        self
    }
}

fn add<K: Ord>(mine: &mut BTreeMap<K, u64>, theirs: BTreeMap<K, u64>) {
    for (key, count) in theirs {
        *mine.entry(key).or_default() += count;
    }
}

/// Counts what the traces hold, on so many threads (0 for as many as there are processors); `done`
/// is called after each.
///
/// # Errors
/// [`CorpusError::Threads`]; what is wrong with a trace is a row.
pub fn stats(traces: &[PathBuf], threads: usize, done: &(dyn Fn(&Path) + Sync)) -> Result<CorpusStats, CorpusError> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|error| CorpusError::Threads { threads, reason: error.to_string() })?;
    let sums = pool.install(|| {
        let each = traces.par_iter().with_max_len(1).map(|path| {
            let sums = of_trace(path).unwrap_or_else(|error| {
                let stats = CorpusStats { failures: vec![Failed::of(path, &error)], ..CorpusStats::default() };
                Sums { stats, nodes: BTreeMap::new() }
            });
            done(path);
            sums
        });
        each.reduce(Sums::default, Sums::and)
    });
    let Sums { mut stats, nodes } = sums;
    stats.nodes = Quantiles::of(&nodes);
    stats.failures.sort();
    Ok(stats)
}

fn of_trace(path: &Path) -> Result<Sums, TraceError> {
    let trace = Trace::open(path)?;
    let mut sums = Sums::default();
    for row in trace.steps()? {
        if let Some(action) = row.action {
            *sums.stats.actions.entry(action.taken.kind.name().to_owned()).or_default() += 1;
        }
        let (page, _) = trace.page(StepIndex(row.index.0))?;
        *sums.nodes.entry(u32::try_from(page.len()).unwrap_or(u32::MAX)).or_default() += 1;
    }
    let (steps, bytes) = (u64::from(trace.len()), trace.bytes());
    let stats = &mut sums.stats;
    (stats.traces, stats.steps, stats.bytes) = (1, steps, bytes);
    stats.incomplete = u64::from(!trace.is_complete());
    stats.sites.insert(site_of(&trace)?, SiteStats { traces: 1, steps, bytes });
    stats.formats.insert(trace.format_version(), 1);
    let source = trace.origin()?.map_or_else(|| trace.meta().source.name().to_owned(), |origin| origin.format);
    stats.sources.insert(source, 1);
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_counted_by_hand() {
        let of = |values: &[u32]| {
            let mut counts = BTreeMap::new();
            values.iter().for_each(|value| *counts.entry(*value).or_default() += 1);
            Quantiles::of(&counts)
        };
        assert_eq!(of(&[]), Quantiles::default());
        assert_eq!(of(&[7]), Quantiles { min: 7, p25: 7, median: 7, p75: 7, p95: 7, max: 7 });
        let hundred: Vec<u32> = (1..=100).collect();
        assert_eq!(of(&hundred), Quantiles { min: 1, p25: 25, median: 50, p75: 75, p95: 95, max: 100 });
        assert_eq!(of(&[10, 20, 20, 90]), Quantiles { min: 10, p25: 10, median: 20, p75: 20, p95: 90, max: 90 });
    }
}
