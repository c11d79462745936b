//! How long strategies took in earlier runs on this machine, and whether this run is slower than
//! that noise.
//!
//! In: `history.jsonl` beside the stored runs, one line a run, and the timings of this one. Out:
//! [`Slower`] findings; the stored run of a git revision. Invariants: only runs of the same build
//! on the same machine, over the same traces, with the same strategies measured on as many threads
//! are compared, of a strategy only those that measured all of its rows; with fewer than
//! [`LEAST_RUNS`] of them nothing is said to be slower; a line that cannot be read, or says less of
//! how it was measured, is passed over and counted.

use crate::clock::LATENCY_VERSION;
use crate::error::ReplayError;
use crate::run::RunResult;
use crate::store::content_hash;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Runs that are needed before latency is judged.
pub const LEAST_RUNS: usize = 5;
/// Most earlier runs that are looked at.
const MOST_RUNS: usize = 20;
/// What the clock cannot tell apart, in microseconds.
const RESOLUTION: u64 = 2;
/// Deviations above the median of earlier runs at which a run is slower.
const DEVIATIONS: f64 = 4.0;
/// Least share above the median at which a run is slower.
const LEAST_SHARE: f64 = 0.2;
const FILE: &str = "history.jsonl";

/// One line of the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PastRun {
    /// Id of the run, the name of its folder.
    pub run: String,
    /// When.
    pub date: String,
    /// The git revision of the code, with `+` where files were changed; none if it is not known.
    pub revision: Option<String>,
    /// On which machine.
    pub machine: String,
    /// Which traces: a hash of their hashes.
    pub traces: String,
    /// What a latency meant: [`crate::LATENCY_VERSION`].
    pub latency: u32,
    /// How the program was built.
    pub build: String,
    /// On how many threads.
    pub threads: usize,
    /// Every strategy that was measured on any trace of this run: who ran beside whom.
    pub ran: BTreeSet<String>,
    /// Median of `observe` over the steps, in microseconds, of each strategy that was measured
    /// whole in this run.
    pub observe: BTreeMap<String, u64>,
    /// The same of each stage, by strategy and stage.
    pub stages: BTreeMap<String, BTreeMap<String, u64>>,
}

/// Where and how a run was measured, as far as its rows do not say.
#[derive(Clone, Debug)]
pub struct Measured {
    /// When.
    pub date: String,
    /// On which machine.
    pub machine: String,
    /// The git revision of the code, with `+` where files were changed; none if it is not known.
    pub revision: Option<String>,
    /// How the program was built, such as `optimised`.
    pub build: String,
    /// On how many threads.
    pub threads: usize,
}

impl PastRun {
    /// Returns the line of a run.
    pub fn of(run: &RunResult, measured: Measured) -> Self {
        let from_cache: HashSet<&str> =
            run.timings.iter().filter(|timing| timing.cached).map(|timing| timing.strategy.as_str()).collect();
        let ran = run.timings.iter().filter(|timing| !timing.cached).map(|timing| timing.strategy.clone()).collect();
        let mut observe: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        let mut stages: BTreeMap<String, BTreeMap<String, Vec<u64>>> = BTreeMap::new();
        for timing in run.timings.iter().filter(|timing| !from_cache.contains(timing.strategy.as_str())) {
            observe.entry(timing.strategy.clone()).or_default().push(timing.observe.0);
            let of_strategy = stages.entry(timing.strategy.clone()).or_default();
            for (stage, time) in &timing.stages {
                of_strategy.entry(stage.clone()).or_default().push(time.0);
            }
        }
        let Measured { date, machine, revision, build, threads } = measured;
        let hashes: Vec<&str> = run.header.traces.iter().map(|trace| trace.hash.as_str()).collect();
        Self {
            run: run.folder.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            date,
            revision,
            machine,
            traces: content_hash(hashes.join(" ").as_bytes())[..16].to_owned(),
            latency: LATENCY_VERSION,
            build,
            threads,
            ran,
            observe: medians(observe),
            stages: stages.into_iter().map(|(strategy, of)| (strategy, medians(of))).collect(),
        }
    }

    /// Returns whether times of another run mean the same: what is shared at a step is charged to
    /// each strategy, but processor caches are not.
    fn is_comparable(&self, other: &Self) -> bool {
        let how = |run: &Self| (run.machine.clone(), run.traces.clone(), run.latency, run.build.clone(), run.threads);
        how(self) == how(other) && self.ran == other.ran
    }
}

fn medians(all: BTreeMap<String, Vec<u64>>) -> BTreeMap<String, u64> {
    all.into_iter().filter_map(|(name, mut times)| Some((name, median(&mut times)?))).collect()
}

/// Earlier runs, oldest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The lines.
    pub runs: Vec<PastRun>,
    /// Lines that could not be read.
    pub unreadable: usize,
}

/// A strategy, or a stage of one, that is slower than the noise of its history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Slower {
    /// The strategy.
    pub strategy: String,
    /// The stage; none for all of `observe`.
    pub stage: Option<String>,
    /// Median now, in microseconds.
    pub now: u64,
    /// Median of the earlier medians.
    pub usual: u64,
    /// What would have passed.
    pub limit: u64,
    /// How many earlier runs that is made of.
    pub runs: usize,
}

impl fmt::Display for Slower {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { strategy, stage, now, usual, limit, runs } = self;
        let what = stage.as_deref().map_or_else(|| "observe".to_owned(), |stage| format!("stage {stage}"));
        write!(f, "{strategy}: median {what} {now} µs, in {runs} earlier runs {usual} µs (limit {limit})")
    }
}

impl History {
    /// Loads the history beside the stored runs; an empty one where there is none.
    ///
    /// # Errors
    /// [`ReplayError::File`] if the file is there and cannot be read.
    pub fn load(runs_dir: &Path) -> Result<Self, ReplayError> {
        let path = runs_dir.join(FILE);
        if !path.exists() {
            return Ok(Self::default());
        }
        let bytes = std::fs::read(&path).map_err(ReplayError::file(&path, "read the history of runs"))?;
        let mut history = Self::default();
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(run) => history.runs.push(run),
                Err(_) => history.unreadable += 1,
            }
        }
        Ok(history)
    }

    /// Adds a line to the history beside the stored runs.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub fn append(runs_dir: &Path, run: &PastRun) -> Result<(), ReplayError> {
        let path = runs_dir.join(FILE);
        let written = serde_json::to_string(run).map_err(std::io::Error::from).and_then(|line| {
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(&path)?;
            // One write: two processes that end at once give two lines.
            file.write_all(format!("{line}\n").as_bytes())
        });
        written.map_err(ReplayError::file(&path, "write the history of runs"))
    }

    /// Returns the folder of the newest stored run of a git revision, given by at least four of its
    /// characters.
    pub fn run_of_revision(&self, runs_dir: &Path, revision: &str) -> Option<PathBuf> {
        let named = |run: &&PastRun| run.revision.as_deref().is_some_and(|known| known.starts_with(revision));
        let folder = |run: &PastRun| runs_dir.join(&run.run);
        (revision.len() >= 4)
            .then(|| self.runs.iter().rev().filter(named).map(folder).find(|folder| folder.is_dir()))
            .flatten()
    }

    /// Returns the strategies that are slower in a run than its noise in this history explains, and
    /// the stages.
    pub fn slower(&self, now: &PastRun) -> Vec<Slower> {
        let earlier: Vec<&PastRun> =
            self.runs.iter().rev().filter(|run| run.is_comparable(now)).take(MOST_RUNS).collect();
        let mut found = Vec::new();
        for (strategy, micros) in &now.observe {
            let times = earlier.iter().filter_map(|run| run.observe.get(strategy).copied()).collect();
            found.extend(judge(strategy, None, *micros, times));
            for (stage, micros) in now.stages.get(strategy).into_iter().flatten() {
                let times = earlier.iter().filter_map(|run| run.stages.get(strategy)?.get(stage).copied()).collect();
                found.extend(judge(strategy, Some(stage), *micros, times));
            }
        }
        found
    }
}

fn judge(strategy: &str, stage: Option<&String>, now: u64, mut earlier: Vec<u64>) -> Option<Slower> {
    if earlier.len() < LEAST_RUNS {
        return None;
    }
    let usual = median(&mut earlier)?;
    let mut off: Vec<u64> = earlier.iter().map(|time| time.abs_diff(usual)).collect();
    // 1.4826 times the median of differences is the standard deviation where noise is normal.
    let noise = DEVIATIONS * 1.4826 * median(&mut off)? as f64;
    let limit = usual + (noise.max(LEAST_SHARE * usual as f64).ceil() as u64).max(RESOLUTION);
    let (strategy, stage) = (strategy.to_owned(), stage.cloned());
    (now > limit).then_some(Slower { strategy, stage, now, usual, limit, runs: earlier.len() })
}

/// The median as tables have it, in whole microseconds: of an even number, the mean of the two in
/// the middle.
fn median(values: &mut [u64]) -> Option<u64> {
    values.sort_unstable();
    let upper = *values.get(values.len() / 2)?;
    Some(if values.len() % 2 == 1 { upper } else { u64::midpoint(values[values.len() / 2 - 1], upper) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::{Timing, Tokenizer};
    use crate::run::RunHeader;
    use browserlens_core::tokens::{Encoding, Micros};

    fn past(machine: &str, micros: u64) -> PastRun {
        PastRun {
            run: format!("run{micros}"),
            date: "2026-01-01T00:00:00Z".to_owned(),
            revision: Some(format!("abcdef{micros}")),
            machine: machine.to_owned(),
            traces: "0011".to_owned(),
            latency: LATENCY_VERSION,
            build: "optimised".to_owned(),
            threads: 2,
            ran: BTreeSet::from(["lens/full".to_owned()]),
            observe: BTreeMap::from([("lens/full".to_owned(), micros)]),
            stages: BTreeMap::new(),
        }
    }

    #[test]
    fn slower_is_what_the_noise_of_five_runs_on_this_machine_does_not_explain() {
        let mut history = History { runs: [100, 104, 98, 101].map(|time| past("a", time)).to_vec(), unreadable: 0 };
        assert_eq!(history.slower(&past("a", 1_000)), [], "four runs are too few");
        history.runs.push(past("b", 100));
        assert_eq!(history.slower(&past("a", 1_000)), [], "another machine does not count");
        history.runs.push(past("a", 99));
        let found = history.slower(&past("a", 130));
        // The differences from 100 are 0, 1, 1, 2, 4: 4 × 1.4826 × 1 is less than a fifth.
        assert_eq!((found[0].usual, found[0].limit, found[0].runs), (100, 120, 5));
        assert_eq!(found[0].to_string(), "lens/full: median observe 130 µs, in 5 earlier runs 100 µs (limit 120)");
        assert_eq!(history.slower(&past("a", 119)), []);
        assert_eq!(history.slower(&past("b", 1_000)), []);
        history.runs.extend([160, 60, 150, 70, 140, 65].map(|time| past("a", time)));
        assert_eq!(history.slower(&past("a", 130)), [], "a noisy history explains more");
    }

    #[test]
    fn who_ran_beside_on_how_many_threads_and_in_which_build_is_another_history() {
        let history = History { runs: vec![past("a", 100); 6], unreadable: 0 };
        let slow = past("a", 200);
        assert_eq!(history.slower(&slow).len(), 1);
        let mut beside = slow.clone();
        beside.ran.insert("lens/delta".to_owned());
        assert_eq!(history.slower(&beside), [], "another strategy ran beside it");
        assert_eq!(history.slower(&PastRun { threads: 1, ..slow.clone() }), []);
        assert_eq!(history.slower(&PastRun { build: "unoptimised".to_owned(), ..slow.clone() }), []);
        assert_eq!(
            history.slower(&PastRun { latency: LATENCY_VERSION - 1, ..slow }),
            [],
            "a latency meant another thing"
        );
    }

    #[test]
    fn who_was_measured_on_some_traces_alone_ran_beside_the_others_too() {
        let timing = |trace: &str, strategy: &str, cached| Timing {
            trace: trace.to_owned(),
            strategy: strategy.to_owned(),
            step: 0,
            load: Micros(1),
            stages: BTreeMap::new(),
            observe: Micros(7),
            count: Micros(1),
            cached,
            date: String::new(),
            machine: String::new(),
        };
        let mut run = RunResult::of(RunHeader {
            tool: String::new(),
            encoding: Encoding::O200kBase,
            tokenizer: Tokenizer::Fast,
            metric_version: 1,
            image_token_table_version: 1,
            strategies: Vec::new(),
            traces: Vec::new(),
            notes: Vec::new(),
        });
        let line = |run: &RunResult| {
            let (date, machine, build) = (String::new(), "a".to_owned(), "optimised".to_owned());
            PastRun::of(run, Measured { date, machine, revision: None, build, threads: 2 })
        };
        run.timings = vec![timing("a", "lens/full", false), timing("b", "lens/full", false)];
        let alone = line(&run);
        run.timings.extend([timing("a", "lens/delta", true), timing("b", "lens/delta", false)]);
        let beside = line(&run);
        assert_eq!(beside.ran, BTreeSet::from(["lens/delta".to_owned(), "lens/full".to_owned()]));
        assert_eq!(
            (&beside.observe, &alone.observe),
            (&BTreeMap::from([("lens/full".to_owned(), 7)]), &beside.observe)
        );
        assert!(!beside.is_comparable(&alone) && beside.is_comparable(&beside.clone()));
        run.timings.iter_mut().filter(|timing| timing.strategy == "lens/delta").for_each(|timing| timing.cached = true);
        assert!(line(&run).is_comparable(&alone), "who came from the cache whole was not beside it");
    }

    #[test]
    fn a_stage_that_got_a_fifth_slower_is_told_although_the_whole_did_not() {
        let with = |diff: u64, route: u64| PastRun {
            stages: BTreeMap::from([(
                "lens/full".to_owned(),
                BTreeMap::from([("diff".to_owned(), diff), ("route".to_owned(), route)]),
            )]),
            ..past("a", 1_000)
        };
        let history = History { runs: vec![with(100, 1); 5], unreadable: 0 };
        assert_eq!(history.slower(&with(120, 3)), [], "a fifth, and what the clock cannot tell apart");
        let found = history.slower(&with(121, 3));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].to_string(), "lens/full: median stage diff 121 µs, in 5 earlier runs 100 µs (limit 120)");
    }

    #[test]
    fn lines_are_kept_found_by_revision_and_passed_over_where_they_are_broken() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(History::load(folder.path()).expect("nothing"), History::default());
        for micros in [5, 7] {
            History::append(folder.path(), &past("a", micros)).expect("written");
        }
        let path = folder.path().join(FILE);
        let lines = std::fs::read_to_string(&path).expect("read");
        std::fs::write(&path, format!("{{\"run\":\n\u{0}\n{lines}")).expect("written");
        let history = History::load(folder.path()).expect("loads");
        assert_eq!((history.runs.len(), history.unreadable), (2, 2));
        assert_eq!(history.run_of_revision(folder.path(), "abcdef7"), None, "the run is not stored any more");
        std::fs::create_dir(folder.path().join("run7")).expect("made");
        assert_eq!(history.run_of_revision(folder.path(), "abcdef7"), Some(folder.path().join("run7")));
        assert_eq!(history.run_of_revision(folder.path(), "abc"), None, "three characters name too many");
    }
}
