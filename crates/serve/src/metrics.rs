//! What was served, in numbers.
//!
//! In: finished calls. Out: Prometheus' text format, and one log line a call. Invariant: names of
//! tools, kinds of errors and times, and nothing of what was asked or answered.

use browserlens_session::{ToolError, tools};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

/// Upper bounds of the buckets, in milliseconds.
const BOUNDS_MS: [u64; 9] = [5, 20, 50, 100, 250, 500, 1_000, 5_000, 30_000];

#[derive(Debug, Default)]
struct Times {
    buckets: [u64; BOUNDS_MS.len()],
    micros: u64,
    count: u64,
}

/// Counters of one server.
#[derive(Debug, Default)]
pub struct Metrics {
    calls: Mutex<BTreeMap<(String, &'static str, &'static str), u64>>,
    times: Mutex<BTreeMap<String, Times>>,
    /// Clients that are there now.
    pub clients: AtomicU64,
    /// Requests that were refused before a tool was asked.
    pub refused: AtomicU64,
}

impl Metrics {
    /// Counts a finished call and logs it.
    pub fn called(&self, tool: &str, channel: &'static str, took: Duration, error: Option<&ToolError>) {
        // A name that is no tool's is the client's text.
        let tool = if is_known(tool) { tool } else { "unknown" };
        let outcome = error.map_or("ok", ToolError::kind);
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        tracing::info!(tool, channel, outcome, millis, "call");
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        *calls.entry((tool.to_owned(), channel, outcome)).or_default() += 1;
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let times = times.entry(tool.to_owned()).or_default();
        times.count += 1;
        times.micros = times.micros.saturating_add(u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
        for (bucket, bound) in times.buckets.iter_mut().zip(BOUNDS_MS) {
            *bucket += u64::from(millis <= bound);
        }
    }

    /// Writes every counter.
    pub fn text(&self) -> String {
        let mut out =
            String::from("# HELP browserlens_calls_total Calls of tools.\n# TYPE browserlens_calls_total counter\n");
        let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        for ((tool, channel, outcome), count) in calls.iter() {
            let _ = writeln!(
                out,
                "browserlens_calls_total{{tool=\"{tool}\",channel=\"{channel}\",outcome=\"{outcome}\"}} {count}"
            );
        }
        out.push_str("# HELP browserlens_call_seconds Time of calls.\n# TYPE browserlens_call_seconds histogram\n");
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        for (tool, times) in times.iter() {
            for (count, bound) in times.buckets.iter().zip(BOUNDS_MS) {
                let bound = bound as f64 / 1_000.0;
                let _ = writeln!(out, "browserlens_call_seconds_bucket{{tool=\"{tool}\",le=\"{bound}\"}} {count}");
            }
            let _ = writeln!(out, "browserlens_call_seconds_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {}", times.count);
            let _ = writeln!(out, "browserlens_call_seconds_sum{{tool=\"{tool}\"}} {}", times.micros as f64 / 1e6);
            let _ = writeln!(out, "browserlens_call_seconds_count{{tool=\"{tool}\"}} {}", times.count);
        }
        let gauges = [
            ("browserlens_clients", "gauge", "Clients that are there now.", &self.clients),
            ("browserlens_refused_total", "counter", "Requests refused before a tool was asked.", &self.refused),
        ];
        for (name, kind, help, value) in gauges {
            let value = value.load(Ordering::Relaxed);
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}");
        }
        out
    }
}

fn is_known(name: &str) -> bool {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| tools().iter().map(|tool| tool.name).collect());
    NAMES.contains(&name)
}
