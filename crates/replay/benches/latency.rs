//! Whether the latency of a strategy is its own: measured alone, among all, and among all in reverse order, in turn.
//!
//! Run with `cargo bench -p browserlens-replay --bench latency`; `ROUNDS=9` takes nine rounds, `STRATEGIES=lens/delta` looks at those alone.
//! Out: medians over steps in microseconds, median over rounds, and the paired ratios alone ÷ among all, and reversed ÷ in order, as min, median and max.
#![allow(missing_docs, clippy::print_stdout, reason = "a program that prints a table")]

use browserlens_replay::{ConfiguredStrategy, Quiet, ReplayOptions, Tokenizer, find_traces, replay, strategies};
use browserlens_tokens::Encoding;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Measures strategies in an order, from nothing. Out: the median of each, in microseconds.
fn medians(strategies: &[ConfiguredStrategy]) -> BTreeMap<String, f64> {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let folder = tempfile::tempdir().expect("a folder");
    let run = replay(&ReplayOptions {
        traces: find_traces(&traces).expect("the bundled traces are there: run `just record`"),
        scenarios_dir: traces.join("scenarios"),
        strategies,
        threads: 0,
        cache_dir: folder.path().join("cache"),
        out_dir: folder.path().join("runs"),
        encoding: Encoding::O200kBase,
        tokenizer: Tokenizer::Fast,
        date: String::new(),
        machine: String::new(),
        progress: &Quiet,
        cancel: &NEVER,
    });
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for timing in run.expect("replays").timings {
        times.entry(timing.strategy).or_default().push(timing.observe.0 as f64);
    }
    times.into_iter().map(|(name, mut times)| (name, median(&mut times))).collect()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn said(mut ratios: Vec<f64>) -> String {
    let middle = median(&mut ratios);
    format!("{:.2} {middle:.2} {:.2}", ratios[0], ratios[ratios.len() - 1])
}

fn main() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/strategies.toml");
    let load = || strategies::load(&file).expect("the strategies load");
    let rounds: usize = std::env::var("ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(5);
    let names = std::env::var("STRATEGIES")
        .unwrap_or_else(|_| "lens/delta lens/full lens/hybrid read-text/section-search snapshot/outline".to_owned());
    let mut seen: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    for _ in 0..rounds {
        let among = medians(&load());
        let reversed = medians(&load().into_iter().rev().collect::<Vec<_>>());
        for name in names.split_whitespace() {
            let only: Vec<_> = load().into_iter().filter(|strategy| strategy.name == name).collect();
            seen.entry(name).or_default().push([medians(&only)[name], among[name], reversed[name]]);
        }
    }
    println!("{:28} {:>9} {:>9} {:>9}   alone ÷ among      reversed ÷ among", "strategy", "alone", "among", "reversed");
    for (name, times) in seen {
        let of = |which: usize| median(&mut times.iter().map(|times| times[which]).collect::<Vec<_>>());
        let ratio = |a: usize, b: usize| said(times.iter().map(|times| times[a] / times[b]).collect());
        println!("{name:28} {:9.0} {:9.0} {:9.0}   {:18} {}", of(0), of(1), of(2), ratio(0, 1), ratio(2, 1));
    }
}
