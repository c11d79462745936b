//! Whether the latency of a strategy is its own: measured alone, among all, and among all in
//! reverse order, in turn.
//!
//! Run with `cargo bench -p browserlens-replay --bench latency`;
//! `STRATEGIES="lens/delta lens/full"` looks at those alone, `ROUNDS=9` takes nine rounds at most
//! and `SECONDS=600` begins none after so long (5 and 150 without; three rounds there are at
//! least). In: the bundled traces and every strategy that is timed. Out: medians over steps in
//! microseconds, median over rounds, and the paired ratios alone ÷ among all, and reversed ÷ in
//! order, as min, median and max; exit 1 if a median of pairs is outside [`MOST`] by more than the
//! clock tells apart. Pages are parsed once, before anything is measured: loading is in no latency,
//! and would take most of the time.
#![allow(missing_docs, clippy::print_stdout, reason = "a program that prints a table")]

mod common;

use browserlens_replay::{ConfiguredStrategy, find_traces, replay, strategies};
use common::{bundled, options};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How far apart two ways of measuring may be.
const MOST: f64 = 1.15;
/// What the clock cannot tell apart, in microseconds.
const RESOLUTION: f64 = 2.0;
/// Rounds that a median of pairs is made of, whatever the time.
const LEAST_ROUNDS: usize = 3;

/// Measures strategies in an order, with nothing of them known before. Out: the median of each that
/// was timed, in microseconds.
fn medians(folder: &Path, strategies: &[ConfiguredStrategy]) -> BTreeMap<String, f64> {
    let traces = find_traces(&bundled()).expect("the bundled traces are there: run `just record`");
    // What strategies did is measured again, what was worked out of the traces is not.
    let _ = std::fs::remove_dir_all(folder.join("cache/units"));
    let run = replay(&options(&traces, strategies, folder));
    let run = run.expect("replays");
    let failed: Vec<_> = run.measurements.iter().filter(|row| row.error().is_some()).map(|row| &row.strategy).collect();
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for timing in run.timings.iter().filter(|timing| !failed.contains(&&timing.strategy)) {
        assert!(!timing.cached, "{}: measured now", timing.strategy);
        times.entry(timing.strategy.clone()).or_default().push(timing.observe.0 as f64);
    }
    // A recorded tool is handed out, not timed.
    times.retain(|name, _| !name.ends_with(":recorded"));
    times.into_iter().map(|(name, mut times)| (name, median(&mut times))).collect()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { f64::midpoint(values[middle - 1], values[middle]) }
}

/// The pairs of one strategy.
struct Pairs {
    ratios: Vec<f64>,
    differences: Vec<f64>,
}

impl Pairs {
    fn of(rounds: &[[f64; 3]], one: usize, other: usize) -> Self {
        Self {
            ratios: rounds.iter().map(|times| times[one].max(1.0) / times[other].max(1.0)).collect(),
            differences: rounds.iter().map(|times| (times[one] - times[other]).abs()).collect(),
        }
    }

    /// Says min, median and max, and whether the median is within bounds.
    fn judged(mut self) -> (String, bool) {
        let (ratio, difference) = (median(&mut self.ratios), median(&mut self.differences));
        let is_same = (1.0 / MOST..=MOST).contains(&ratio) || difference <= RESOLUTION;
        let mark = if is_same { ' ' } else { '!' };
        (format!("{:.2} {ratio:.2} {:.2} {mark}", self.ratios[0], self.ratios[self.ratios.len() - 1]), is_same)
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(otherwise)
}

fn main() -> ExitCode {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/strategies.toml");
    let load = || strategies::load(&file).expect("the strategies load");
    let folder = tempfile::tempdir().expect("a folder");
    let began = Instant::now();
    let (rounds, seconds) = (number("ROUNDS", 5) as usize, Duration::from_secs(number("SECONDS", 150)));
    // Also warms up what is made once a process.
    let timed = medians(folder.path(), &load());
    let wanted = std::env::var("STRATEGIES").unwrap_or_default();
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let names: Vec<&String> =
        timed.keys().filter(|name| wanted.is_empty() || wanted.contains(&name.as_str())).collect();
    assert!(!names.is_empty() && names.len() >= wanted.len(), "STRATEGIES names what is not timed: {wanted:?}");
    let mut seen: BTreeMap<&str, Vec<[f64; 3]>> = BTreeMap::new();
    let mut done = 0;
    while done < rounds.max(1) && (done < LEAST_ROUNDS || began.elapsed() < seconds) {
        let among = medians(folder.path(), &load());
        let reversed = medians(folder.path(), &load().into_iter().rev().collect::<Vec<_>>());
        for name in &names {
            let only: Vec<_> = load().into_iter().filter(|strategy| strategy.name == **name).collect();
            let alone = medians(folder.path(), &only)[*name];
            seen.entry(name).or_default().push([alone, among[*name], reversed[*name]]);
        }
        done += 1;
    }
    println!(
        "{:28} {:>9} {:>9} {:>9}   {:18} reversed ÷ among",
        "strategy", "alone", "among", "reversed", "alone ÷ among"
    );
    let mut apart = Vec::new();
    for (name, times) in seen {
        let of = |which: usize| median(&mut times.iter().map(|times| times[which]).collect::<Vec<_>>());
        let ((alone, same_alone), (reversed, same_reversed)) =
            (Pairs::of(&times, 0, 1).judged(), Pairs::of(&times, 2, 1).judged());
        println!("{name:28} {:9.0} {:9.0} {:9.0}   {alone:18} {reversed}", of(0), of(1), of(2));
        if !(same_alone && same_reversed) {
            apart.push(name);
        }
    }
    println!(
        "{done} rounds in {:.0} s; {} of {} strategies within {MOST}",
        began.elapsed().as_secs_f64(),
        names.len() - apart.len(),
        names.len()
    );
    if apart.is_empty() {
        return ExitCode::SUCCESS;
    }
    println!("apart: {}", apart.join(", "));
    ExitCode::FAILURE
}
