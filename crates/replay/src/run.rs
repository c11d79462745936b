//! A run: everything that was measured, and the folder that keeps it.
//!
//! In: rows, in the order trace, strategy, step. Out: `run.json` (all but timings), `timings.json`,
//! and `observations/` (texts and images by content) in a folder named by the hash of `run.json`:
//! equal results go to the same folder, others never overwrite it. Invariant: `run.json` is
//! byte-identical for any number of threads and whether results came from the cache.

use crate::error::ReplayError;
use crate::info::{AnswerInfo, AskedInfo, KnownInfo};
use crate::measure::{Measurement, StepNumbers, TaskMeasurement, Timing, Tokenizer};
use crate::peers::RecordedPeer;
use crate::store::{Store, content_hash, read_json, to_json, write_atomically};
use crate::strategies::StrategyInfo;
use browserlens_core::page::BoxInViewport;
use browserlens_core::strategy::{ActionKind, Intent};
use browserlens_core::tokens::Encoding;
use browserlens_trace::Origin;
use browserlens_trace::scenario::AttackKind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const RUN_FILE: &str = "run.json";
const TIMINGS_FILE: &str = "timings.json";
const OBSERVATIONS: &str = "observations";

/// What was run, with which versions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// Name and version of the tool.
    pub tool: String,
    /// Encoding that tables and rankings use.
    pub encoding: Encoding,
    /// What counted.
    pub tokenizer: Tokenizer,
    /// [`crate::METRIC_VERSION`].
    pub metric_version: u32,
    /// Version of the image-token table.
    pub image_token_table_version: u32,
    /// The strategies, in the order of the file.
    pub strategies: Vec<StrategyInfo>,
    /// The traces, sorted by id.
    pub traces: Vec<TraceInfo>,
    /// What is to be said of the run, such as what it leaves out; empty where it is whole.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// What a run says about a trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceInfo {
    /// Id in the run: the scenario's name, with the file's stem where two traces have the same.
    pub id: String,
    /// Name of the scenario.
    pub scenario: String,
    /// Goal of the scenario.
    pub goal: String,
    /// What the scenario is there to measure.
    pub why: String,
    /// Name and version of the browser.
    pub browser: String,
    /// Hash of the trace file.
    pub hash: String,
    /// Steps, the first navigation included.
    pub steps: u32,
    /// Whether the recording reached its end.
    pub complete: bool,
    /// Bytes of the trace file.
    pub bytes: u64,
    /// Where it was imported from, without the list of gaps; none if it was recorded here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
    /// What was recorded of other tools beside the trace.
    #[serde(default)]
    pub peers: Vec<RecordedPeer>,
    /// The attacks that its pages hold.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attacks: Vec<AttackInfo>,
    /// What answers about console and requests cost there, and tell.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<AnswerInfo>,
    /// What came of the questions about its pages.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<AskedInfo>,
    /// What other recordings make known of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownInfo>,
}

/// What a run says about an attack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttackInfo {
    /// Its name within the scenario.
    pub id: String,
    /// What it is.
    pub kind: AttackKind,
    /// The steps whose pages hold it.
    pub steps: Vec<u32>,
}

/// What a report shows of a step beside the observations.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StepInfo {
    /// Id of the trace.
    pub trace: String,
    /// Index of the step.
    pub step: u32,
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Nodes of the page.
    pub nodes: u32,
    /// The action that led here, in words; empty at step 0.
    pub action: String,
    /// What the agent wants to do next; none after the last step.
    pub next: Option<Intent>,
    /// Where the acceptable nodes of the next action lie in the viewport.
    pub targets: Vec<BoxInViewport>,
    /// Facts of the step, as texts.
    pub facts: Vec<String>,
    /// Content hash of the screenshot.
    pub screenshot: Option<String>,
    /// Wall time of the capture as recorded, in microseconds.
    pub capture_micros: u64,
}

/// Everything that a replay gives.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunResult {
    /// What was run.
    pub header: RunHeader,
    /// One row a trace, strategy and step.
    pub measurements: Vec<Measurement>,
    /// One row a trace and strategy.
    pub tasks: Vec<TaskMeasurement>,
    /// One row a trace and step.
    pub steps: Vec<StepInfo>,
    /// Latencies; in a file of their own.
    #[serde(skip)]
    pub timings: Vec<Timing>,
    /// The folder of the run.
    #[serde(skip)]
    pub folder: PathBuf,
    /// How many units (trace and strategy) came from the cache.
    #[serde(skip)]
    pub cached_units: u32,
}

/// What was shown at one step, answers to requests included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredObservation {
    /// The text of the observation.
    pub text: String,
    /// Content hashes of its images.
    pub images: Vec<String>,
    /// Each request and the text of its answer.
    pub answers: Vec<(String, String)>,
}

impl StoredObservation {
    /// Reads what a row tells of from the store.
    pub(crate) fn of(numbers: &StepNumbers, store: &Store) -> Result<Self, ReplayError> {
        let answers = numbers
            .requests
            .iter()
            .map(|asked| Ok((asked.request.to_string(), store.text(&asked.text)?)))
            .collect::<Result<_, ReplayError>>()?;
        Ok(Self { text: store.text(&numbers.text)?, images: numbers.images.clone(), answers })
    }
}

impl RunResult {
    /// Returns a run without rows.
    pub(crate) fn of(header: RunHeader) -> Self {
        Self {
            header,
            measurements: Vec::new(),
            tasks: Vec::new(),
            steps: Vec::new(),
            timings: Vec::new(),
            folder: PathBuf::new(),
            cached_units: 0,
        }
    }

    /// Returns the row of a trace, strategy and step.
    pub fn measurement(&self, trace: &str, strategy: &str, step: u32) -> Option<&Measurement> {
        self.measurements.iter().find(|row| row.step == step && row.trace == trace && row.strategy == strategy)
    }

    /// Returns the store of the run's observations.
    pub fn store(&self) -> Store {
        Store::open(self.folder.join(OBSERVATIONS))
    }

    /// Returns what a strategy showed at a step; none if there is no such row or it failed.
    ///
    /// # Errors
    /// [`ReplayError`] if the store lacks it.
    pub fn observation(
        &self,
        trace: &str,
        strategy: &str,
        step: u32,
    ) -> Result<Option<StoredObservation>, ReplayError> {
        let Some(numbers) = self.measurement(trace, strategy, step).and_then(Measurement::numbers) else {
            return Ok(None);
        };
        StoredObservation::of(numbers, &self.store()).map(Some)
    }

    /// Returns the id of the run: a hash of everything but timings.
    ///
    /// # Errors
    /// [`ReplayError::Damaged`] if the run cannot be written as JSON.
    pub fn id(&self) -> Result<String, ReplayError> {
        Ok(content_hash(&to_json(self, &self.folder)?)[..16].to_owned())
    }

    /// Writes the run into a folder of its own below `out` and sets [`RunResult::folder`]; texts and
    /// images come from `blobs`, and are left out where there are none.
    ///
    /// # Errors
    /// [`ReplayError::File`] if it cannot be written.
    pub(crate) fn save(&mut self, out: &Path, blobs: Option<&Store>) -> Result<(), ReplayError> {
        let json = to_json(self, &self.folder)?;
        self.folder = out.join(&content_hash(&json)[..16]);
        if let Some(blobs) = blobs {
            let (texts, images) = self.blobs();
            self.store().adopt(blobs, &texts, &images)?;
        }
        let run = self.folder.join(RUN_FILE);
        if !run.exists() {
            write_atomically(&run, &json)?;
        }
        let timings = self.folder.join(TIMINGS_FILE);
        write_atomically(&timings, &to_json(&self.timings, &timings)?)
    }

    /// Returns the content hashes of every text and every image that the run tells of.
    pub(crate) fn blobs(&self) -> (Vec<String>, Vec<String>) {
        let (mut texts, mut images) = (BTreeSet::new(), BTreeSet::new());
        for numbers in self.measurements.iter().filter_map(Measurement::numbers) {
            texts.extend(numbers.texts().cloned());
            images.extend(numbers.all_images().cloned());
        }
        images.extend(self.steps.iter().filter_map(|step| step.screenshot.clone()));
        (texts.into_iter().collect(), images.into_iter().collect())
    }

    /// Loads a run from its folder.
    ///
    /// # Errors
    /// [`ReplayError`] if a file is missing or does not hold a run.
    pub fn load(folder: &Path) -> Result<Self, ReplayError> {
        let mut run: Self = read_json(&folder.join(RUN_FILE), "read the run")?;
        folder.clone_into(&mut run.folder);
        run.timings = read_json(&folder.join(TIMINGS_FILE), "read the timings")?;
        Ok(run)
    }
}

/// Returns an action in words, as time lines show it: kind, node, what was typed.
pub fn action_in_words(kind: ActionKind, node: Option<&browserlens_core::strategy::NodeHint>, text: &str) -> String {
    let mut words = kind.name().to_owned();
    if let Some(node) = node {
        words.push_str(&format!(" {} {:?}", node.role, node.name));
    }
    if !text.is_empty() {
        words.push_str(&format!(" {text:?}"));
    }
    words
}
