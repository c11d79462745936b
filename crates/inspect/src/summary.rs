//! The summary: how much of what there is, from which an agent drills down.
//!
//! In: all rows, a thousand at a time. Out: [`Summary`]. Invariant: memory does not grow with the
//! rows, only with how many different levels, statuses, types and hosts there are.

use crate::answer::{Answer, Sizes, json_bytes};
use crate::console::{self, Level};
use crate::error::InspectError;
use crate::limits::Limits;
use crate::pages;
use crate::query::{self, SummaryQuery};
use browserlens_core::page::text::{cut, escaped_line};
use browserlens_core::strategy::{EventFilter, EventKind, PageSource, RequestEvent, RequestParts, host_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What happened beside the page, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    /// Console messages by level.
    pub console: Vec<Counted>,
    /// The first different errors.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<Counted>,
    /// Requests by status; 0 where no response came.
    pub status: Vec<Counted>,
    /// Requests by resource type.
    pub types: Vec<Counted>,
    /// Requests by host.
    pub domains: Vec<Counted>,
    /// The first different requests that failed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<Counted>,
    /// The slowest requests, where any took long.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slowest: Vec<Counted>,
    /// How long requests took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub durations: Option<Durations>,
    /// Bytes of all responses.
    pub bytes: u64,
    /// The largest responses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub largest: Vec<Counted>,
}

/// A thing and its number: how often, how long or how large.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Counted {
    /// What.
    pub what: String,
    /// How often; of the slowest, milliseconds; of the largest, bytes.
    pub n: u64,
}

/// How long requests took, in milliseconds of page time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Durations {
    /// The middle one.
    pub median: u64,
    /// Nineteen of twenty took no longer.
    pub p95: u64,
    /// The longest.
    pub max: u64,
}

/// The answer of `get_summary`.
pub type SummaryAnswer = Answer<Summary, SummaryQuery>;

/// Different texts that are counted; beyond them only those that are known.
const MOST_KEYS: usize = 1_000;

#[derive(Default)]
struct Counts(BTreeMap<String, (u64, usize)>);

impl Counts {
    fn add(&mut self, what: &str) {
        let order = self.0.len();
        if let Some((count, _)) = self.0.get_mut(what) {
            *count += 1;
        } else if order < MOST_KEYS {
            self.0.insert(what.to_owned(), (1, order));
        }
    }

    /// Most frequent first; then those that came first.
    fn most(self, limit: usize) -> Vec<Counted> {
        let mut all: Vec<(String, (u64, usize))> = self.0.into_iter().collect();
        all.sort_by_key(|(_, (count, order))| (std::cmp::Reverse(*count), *order));
        all.truncate(limit);
        all.into_iter().map(|(what, (n, _))| Counted { what: escaped_line(&what).into_owned(), n }).collect()
    }
}

/// Keeps the largest of what it is given, in descending order.
struct Top {
    limit: usize,
    kept: Vec<Counted>,
}

impl Top {
    fn add(&mut self, n: u64, what: impl FnOnce() -> String) {
        let at = self.kept.partition_point(|kept| kept.n >= n);
        if at < self.limit {
            self.kept.insert(at, Counted { what: escaped_line(&what()).into_owned(), n });
            self.kept.truncate(self.limit);
        }
    }
}

pub(crate) fn summary(
    source: &mut dyn PageSource,
    query: &SummaryQuery,
    limits: &Limits,
) -> Result<SummaryAnswer, InspectError> {
    let tab = query::tab(query.tab_id, source)?;
    let since = query::since(query.since, source)?;
    let mut filter = EventFilter { tab, since_ms: since, parts: RequestParts::Line, ..EventFilter::default() };
    let (mut levels, mut errors) = (Counts::default(), Counts::default());
    let mut console = 0;
    filter.kinds = vec!["console".to_owned()];
    let mut each = |filter: &EventFilter, take: &mut dyn FnMut(&EventKind)| {
        pages::each(source, filter, None, |_, events| {
            events.iter().for_each(|event| take(&event.kind));
            Ok(())
        })
    };
    each(&filter, &mut |kind| {
        let EventKind::Console(message) = kind else { return };
        console += 1;
        let level = Level::of(&message.level);
        levels.add(level.name());
        if level == Level::Error {
            errors.add(&short(&console::as_json(&message.text)));
        }
    })?;
    let [mut status, mut types, mut domains, mut failed] = <[Counts; 4]>::default();
    let top = || Top { limit: limits.summary_entries.min(5), kept: Vec::new() };
    let (mut slowest, mut largest) = (top(), top());
    // Milliseconds up to a minute, each counted; longer ones count as a minute.
    let mut durations = vec![0u64; 60_001];
    let (mut requests, mut bytes, mut longest) = (0u64, 0u64, 0u64);
    filter.kinds = vec!["request".to_owned()];
    each(&filter, &mut |kind| {
        let EventKind::Request(request) = kind else { return };
        requests += 1;
        bytes += request.response_bytes;
        longest = longest.max(request.duration_ms);
        durations[request.duration_ms.min(60_000) as usize] += 1;
        status.add(&request.status.to_string());
        types.add(&request.resource_type.to_lowercase());
        domains.add(host_of(&request.url));
        if request.has_failed() {
            failed.add(&in_words(request));
        }
        if request.duration_ms >= limits.slow_ms {
            slowest.add(request.duration_ms, || in_words(request));
        }
        if request.response_bytes > 0 {
            largest.add(request.response_bytes, || in_words(request));
        }
    })?;
    let entries = limits.summary_entries;
    let failures: u64 = failed.0.values().map(|(count, _)| count).sum();
    let error_count: u64 = errors.0.values().map(|(count, _)| count).sum();
    let slow = slowest.kept.len();
    let took = |percent| percentile(&durations, requests, percent);
    let data = Summary {
        console: levels.most(entries),
        errors: errors.most(entries),
        status: status.most(entries),
        types: types.most(entries),
        domains: domains.most(entries),
        failed: failed.most(entries),
        slowest: slowest.kept,
        durations: (requests > 0).then(|| Durations { median: took(50), p95: took(95), max: longest }),
        bytes,
        largest: largest.kept,
    };
    let mut message = format!(
        "{console} console messages, {error_count} of them errors; {requests} requests, {failures} of them failed"
    );
    if error_count > 0 {
        message.push_str("; get_console_messages tells the errors");
    }
    if failures > 0 {
        message.push_str("; get_network_requests with failedOnly tells the failures");
    }
    if slow > 0 {
        message.push_str("; its preset slow tells what took long");
    }
    let (count, size) = (console + requests, json_bytes(&data));
    let size = Sizes { original_count: count, returned_count: count, original_bytes: size, returned_bytes: size };
    Ok(Answer::of(data, count, query.clone(), message, size))
}

fn percentile(counts: &[u64], all: u64, percent: u64) -> u64 {
    let rank = (all * percent).div_ceil(100).max(1);
    let mut seen = 0;
    let reaches = |count: &u64| {
        seen += count;
        seen >= rank
    };
    counts.iter().position(reaches).unwrap_or(0) as u64
}

fn short(text: &str) -> String {
    cut(text.lines().next().unwrap_or_default(), 120)
}

/// Method and URL without its fragment, and how it ended. A long URL keeps its beginning and a hash
/// of it all: two that differ are two.
fn in_words(request: &RequestEvent) -> String {
    const LONGEST: usize = 160;
    let url = request.url.split('#').next().unwrap_or_default();
    let url = match url.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…{}", &url[..at], &blake3::hash(url.as_bytes()).to_hex()[..8]),
        None => url.to_owned(),
    };
    let end = if request.failure.is_empty() { request.status.to_string() } else { request.failure.clone() };
    format!("{} {url} {}", request.method, short(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_those_of_the_sorted_list() {
        let mut counts = vec![0; 100];
        for value in [1, 2, 2, 3, 50] {
            counts[value] += 1;
        }
        assert_eq!((percentile(&counts, 5, 50), percentile(&counts, 5, 95), percentile(&counts, 5, 20)), (2, 50, 1));
    }

    #[test]
    fn counts_are_by_number_and_then_by_first_occurrence_and_the_top_stays_small() {
        let mut counts = Counts::default();
        ["b", "a", "c", "a"].into_iter().for_each(|what| counts.add(what));
        assert_eq!(counts.most(2).iter().map(|counted| counted.what.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let mut top = Top { limit: 2, kept: Vec::new() };
        [3, 9, 5].into_iter().for_each(|n| top.add(n, || n.to_string()));
        assert_eq!(top.kept.iter().map(|counted| counted.n).collect::<Vec<_>>(), [9, 5]);
    }
}
