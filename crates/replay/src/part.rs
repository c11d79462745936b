//! A run in parts: one trace each, made anywhere, put together to the run that one machine would
//! have made.
//!
//! In: a trace and strategies; later the parts. Out: a [`Part`] (rows, timings and what the header
//! says of its trace); a [`RunResult`] of the parts. Three calls: [`PlannedTrace::open`] for every
//! trace, [`decide`] once over all of them (which ids the rows have and which strategies are in
//! play depends on all traces), and [`Part::make`] for every trace, in any order and on any
//! machine. Then [`merge`].
//!
//! Invariants: `run.json` of the merged run has the bytes that [`crate::replay`] writes for the
//! same traces and strategies; a part's name ([`PlannedTrace::part_name`]) tells everything that
//! its rows depend on, so that one that is there need not be made again; parts of different
//! strategies, versions or encodings are not put together.
//!
//! What only a view of all recordings of a website gives (what other recordings make known of a
//! trace) is in no part: [`merge`] measures it where it is given the traces, else the run says that
//! it was left out.

use crate::cache::Cache;
use crate::engine::{self, ReplayOptions, TOOL};
use crate::error::ReplayError;
use crate::knowledge_bench;
use crate::measure::{METRIC_VERSION, Timing, Tokenizer};
use crate::peers;
use crate::reading_bench;
use crate::run::RunResult;
use crate::steps::TracePlan;
use crate::store::{Store, content_hash, files_in, to_json};
use crate::strategies::{ConfiguredStrategy, StrategyInfo};
use browserlens_core::page::PACKED_FORMAT_VERSION;
use browserlens_core::tokens::{Encoding, IMAGE_TOKEN_TABLE_VERSION};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

/// Version of the form of parts.
const PART_VERSION: u32 = 1;

/// What has to be known of a trace before it is decided what a run does with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlannedTrace {
    /// Name of its scenario.
    pub scenario: String,
    /// Name of its file, without what follows the last dot.
    pub stem: String,
    /// Hash of its file.
    pub hash: String,
    /// Hash of its scenario, questions included.
    pub scenario_hash: String,
    /// Its steps, the first navigation included.
    pub steps: u32,
    /// Bytes of its file.
    pub bytes: u64,
    /// What was recorded of other tools beside it.
    pub outputs: Vec<String>,
    /// Hash of the file that holds those.
    pub peers_hash: Option<String>,
}

/// What all traces of a run decide together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// The ids of the traces in the run, in the order in which they were given.
    pub ids: Vec<String>,
    /// The names of the strategies in play, in the order of the file.
    pub strategies: Vec<String>,
}

/// What came of one trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Part {
    version: u32,
    /// Rows, and the header with this trace alone.
    pub run: RunResult,
    /// Latencies.
    pub timings: Vec<Timing>,
}

impl PlannedTrace {
    /// Opens a trace and its scenario.
    ///
    /// # Errors
    /// [`ReplayError`] if either cannot be read.
    pub fn open(trace: &Path, scenarios_dir: &Path) -> Result<Self, ReplayError> {
        let plan = TracePlan::open(trace, scenarios_dir)?;
        Ok(Self {
            stem: engine::stem(trace),
            hash: plan.hash.to_string(),
            scenario_hash: content_hash(
                format!("{:?} {:?}", plan.scenario.hash(), (&plan.scenario.questions, &plan.scenario.exam)).as_bytes(),
            ),
            steps: plan.rows.len() as u32,
            bytes: plan.bytes,
            outputs: plan.peers.as_ref().map(peers::PeersPlan::outputs).unwrap_or_default(),
            peers_hash: plan.peers.as_ref().map(|peers| peers.hash.to_string()),
            scenario: plan.id,
        })
    }

    /// Returns the name of the trace's part: sixteen digits of the trace's hash, and sixteen of
    /// everything that its rows depend on.
    pub fn part_name(&self, id: &str, strategies: &[StrategyInfo], encoding: Encoding, tokenizer: Tokenizer) -> String {
        let key = serde_json::json!({
            "part": PART_VERSION,
            "tool": TOOL,
            "metric": METRIC_VERSION,
            "page": PACKED_FORMAT_VERSION,
            "image_tokens": IMAGE_TOKEN_TABLE_VERSION,
            "reading": reading_bench::version(),
            "id": id,
            "trace": self,
            "strategies": strategies,
            "encoding": encoding.name(),
            "tokenizer": tokenizer,
        });
        let key = content_hash(key.to_string().as_bytes());
        format!("{}-{}", self.hash.get(..16).unwrap_or(&self.hash), &key[..16])
    }
}

/// Decides what all traces decide together.
///
/// # Errors
/// [`ReplayError::NoStrategies`] if none is in play.
pub fn decide(traces: &[PlannedTrace], strategies: &[ConfiguredStrategy]) -> Result<Decided, ReplayError> {
    let mut having: HashMap<&str, usize> = HashMap::new();
    traces.iter().flat_map(|trace| &trace.outputs).for_each(|output| *having.entry(output).or_default() += 1);
    let in_play = peers::in_play(strategies, traces.len(), |output| having.get(output).copied().unwrap_or_default());
    if in_play.is_empty() {
        return Err(ReplayError::NoStrategies);
    }
    Ok(Decided {
        ids: engine::ids(traces.iter().map(|trace| (trace.scenario.as_str(), trace.stem.clone()))),
        strategies: in_play.into_iter().map(|strategy| strategy.name.clone()).collect(),
    })
}

impl Part {
    /// Replays one trace on this thread, under its id in the run; of the options, traces, threads and
    /// the folder of runs say nothing here. What was shown is found in the cache's `blobs`.
    ///
    /// # Errors
    /// [`ReplayError`] if trace or scenario cannot be read or the cache cannot be written; a
    /// strategy that fails is a row, no error.
    pub fn make(trace: &Path, id: &str, options: &ReplayOptions<'_>) -> Result<Self, ReplayError> {
        if options.strategies.is_empty() {
            return Err(ReplayError::NoStrategies);
        }
        let plan = TracePlan::open(trace, &options.scenarios_dir)?;
        let mut run = engine::replay_one(plan, id, options)?;
        Ok(Self { version: PART_VERSION, timings: std::mem::take(&mut run.timings), run })
    }

    /// Brings what the part shows from the cache that it was made with into a store.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be read or written.
    pub fn keep_observations(&self, cache_dir: &Path, store: &Store) -> Result<(), ReplayError> {
        let (texts, images) = self.run.blobs();
        store.adopt(&Cache::open(cache_dir).store, &texts, &images)
    }

    /// Returns how many rows are errors.
    pub fn failed_rows(&self) -> usize {
        self.run.measurements.iter().filter(|row| row.error().is_some()).count()
    }

    /// Returns the part as compressed JSON.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`] if it cannot be written as JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, ReplayError> {
        let path = Path::new("part");
        zstd::encode_all(&to_json(self, path)?[..], 3).map_err(ReplayError::damaged(path))
    }

    /// Reads a part; `path` is only for messages.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`] if these bytes are no part, or one of another version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, ReplayError> {
        let json = zstd::decode_all(bytes).map_err(ReplayError::damaged(path))?;
        let part: Self = serde_json::from_slice(&json).map_err(ReplayError::damaged(path))?;
        if part.version != PART_VERSION {
            let wrong = format!("is a part of version {}, this build reads {PART_VERSION}", part.version);
            return Err(ReplayError::damaged(path)(wrong));
        }
        Ok(part)
    }
}

/// How parts are put together.
pub struct Merge<'a> {
    /// The folder in which the run gets a folder of its own.
    pub out_dir: &'a Path,
    /// Where what was shown lies; none where it was left out.
    pub observations: Option<&'a Store>,
    /// The traces and the folder of their scenarios, for what only a view of all of them gives.
    pub traces: Option<(&'a [PathBuf], &'a Path)>,
    /// The folder for packed pages and results.
    pub cache_dir: &'a Path,
    /// What else is to be said of the run, such as traces that failed.
    pub notes: Vec<String>,
}

/// Puts parts together and stores the run.
///
/// # Errors
/// [`ReplayError::NoTraces`] without parts; [`ReplayError::Parts`] if they are of different
/// strategies, versions or encodings, or two are of one trace; others if nothing can be read or
/// written.
pub fn merge(
    parts: impl IntoIterator<Item = Result<Part, ReplayError>>,
    how: &Merge<'_>,
) -> Result<RunResult, ReplayError> {
    let mut by_id: BTreeMap<String, Part> = BTreeMap::new();
    for part in parts {
        let part = part?;
        let id = part.run.header.traces.first().map(|trace| trace.id.clone()).unwrap_or_default();
        if let Some((first, known)) = by_id.first_key_value()
            && let Some(what) = differs(known, &part)
        {
            return Err(ReplayError::Parts { reason: format!("{id} was made with other {what} than {first}") });
        }
        if by_id.contains_key(&id) {
            return Err(ReplayError::Parts { reason: format!("{id} has more than one part") });
        }
        by_id.insert(id, part);
    }
    let Some(first) = by_id.values().next() else {
        return Err(ReplayError::NoTraces { path: PathBuf::from("parts") });
    };
    let mut run = RunResult::of(first.run.header.clone());
    run.header.traces.clear();
    run.header.notes = how.notes.clone();
    for part in by_id.into_values() {
        run.header.traces.extend(part.run.header.traces);
        run.steps.extend(part.run.steps);
        run.tasks.extend(part.run.tasks);
        run.measurements.extend(part.run.measurements);
        run.timings.extend(part.timings);
    }
    match how.traces {
        Some((traces, scenarios_dir)) => {
            let plans = engine::plan(traces, scenarios_dir)?;
            knowledge_bench::tell(&mut run.header.traces, &plans, how.cache_dir, &Cache::open(how.cache_dir))?;
        }
        None => run.header.notes.push(WITHOUT_KNOWN.to_owned()),
    }
    if how.observations.is_none() {
        run.header.notes.push(WITHOUT_OBSERVATIONS.to_owned());
    }
    run.save(how.out_dir, how.observations)?;
    Ok(run)
}

/// Said of a run that was put together without the traces.
const WITHOUT_KNOWN: &str = "Left out: what other recordings make known of each trace, because the run was put \
    together of parts without looking at the traces again.";
/// Said of a run whose observations were not kept.
const WITHOUT_OBSERVATIONS: &str = "Left out: the texts and images that the strategies showed, and the screenshots; \
    they were not kept when the run was made.";

/// Returns in what two parts differ that must be the same; none where they belong together.
fn differs(one: &Part, other: &Part) -> Option<&'static str> {
    let (one, other) = (&one.run.header, &other.run.header);
    if one.strategies != other.strategies {
        return Some("strategies");
    }
    let versions =
        |header: &crate::run::RunHeader| (header.tool.clone(), header.metric_version, header.image_token_table_version);
    if versions(one) != versions(other) {
        return Some("versions");
    }
    ((one.encoding, one.tokenizer) != (other.encoding, other.tokenizer)).then_some("encodings")
}

/// Reads the parts of a folder, sorted by name; what is being written is passed over.
///
/// # Errors
/// [`ReplayError`] if the folder cannot be listed; a part that cannot be read is an error in its
/// place.
pub fn read_parts(folder: &Path) -> Result<impl Iterator<Item = Result<Part, ReplayError>>, ReplayError> {
    let paths = files_in(folder, "part")?;
    Ok(paths.into_iter().map(|path| {
        let bytes = std::fs::read(&path).map_err(ReplayError::file(&path, "read the part"))?;
        Part::from_bytes(&bytes, &path)
    }))
}
