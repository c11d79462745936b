//! The cache of results: what was measured once is not measured again.
//!
//! In: a key (everything that a result depends on) and the rows of a unit or the steps of a trace.
//! Out: the same rows later. Each entry is one file, written whole or not at all, so an interrupted
//! run goes on where it stopped. An entry that cannot be read, is of another key, or whose
//! observations are gone is as good as none. Invariant: a change of trace, scenario, strategy
//! (name, version, options), tokenizer, metric, image-token table or page format is another key.

use crate::clock::LATENCY_VERSION;
use crate::error::ReplayError;
use crate::measure::{METRIC_VERSION, Measurement, Timing, Tokenizer};
use crate::run::StepInfo;
use crate::steps::TracePlan;
use crate::store::{Store, content_hash, to_json, write_atomically};
use crate::strategies::StrategyInfo;
use browserlens_core::page::PACKED_FORMAT_VERSION;
use browserlens_core::tokens::{Encoding, IMAGE_TOKEN_TABLE_VERSION};
use browserlens_peers::RECORDED_SUFFIX;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// Version of the form of cache entries.
const ENTRY_VERSION: u32 = 2;

/// What a unit's result depends on.
#[derive(Serialize)]
struct UnitKey<'a> {
    entry: u32,
    metric: u32,
    page: u32,
    image_tokens: u32,
    latency: u32,
    trace: String,
    scenario: String,
    strategy: &'a str,
    version: &'a str,
    options: &'a serde_json::Value,
    encoding: &'a str,
    tokenizer: Tokenizer,
    /// Hash of the peers' file, for what is shown from it.
    #[serde(skip_serializing_if = "Option::is_none")]
    peers: Option<String>,
}

/// What was measured of one trace and strategy.
type Rows = (Vec<Measurement>, Vec<Timing>);

/// The cache below one folder.
#[derive(Clone, Debug)]
pub(crate) struct Cache {
    root: PathBuf,
    pub store: Store,
}

fn hex(bytes: &[u8; 32]) -> String {
    blake3::Hash::from_bytes(*bytes).to_hex().to_string()
}

impl Cache {
    pub fn open(root: &Path) -> Self {
        Self { root: root.to_owned(), store: Store::open(root.join("blobs")) }
    }

    /// Returns the key of a unit.
    pub fn unit_key(plan: &TracePlan, strategy: &StrategyInfo, encoding: Encoding, tokenizer: Tokenizer) -> String {
        let key = UnitKey {
            entry: ENTRY_VERSION,
            metric: METRIC_VERSION,
            page: PACKED_FORMAT_VERSION,
            image_tokens: IMAGE_TOKEN_TABLE_VERSION,
            latency: LATENCY_VERSION,
            trace: plan.hash.to_string(),
            scenario: content_hash(format!("{:?} {:?}", plan.scenario.hash(), plan.scenario.exam).as_bytes()),
            strategy: &strategy.name,
            version: &strategy.version,
            options: &strategy.options,
            encoding: encoding.name(),
            tokenizer,
            peers: plan
                .peers
                .as_ref()
                .filter(|_| strategy.name.ends_with(RECORDED_SUFFIX))
                .map(|peers| peers.hash.to_string()),
        };
        content_hash(serde_json::to_string(&key).unwrap_or_default().as_bytes())
    }

    fn steps_key(plan: &TracePlan) -> String {
        content_hash(
            format!("steps {ENTRY_VERSION} {PACKED_FORMAT_VERSION} {} {}", plan.hash, hex(&plan.scenario.hash()))
                .as_bytes(),
        )
    }

    fn path(&self, kind: &str, key: &str) -> PathBuf {
        self.root.join(kind).join(format!("{key}.json.zst"))
    }

    fn load<T: DeserializeOwned>(&self, kind: &str, key: &str) -> Option<T> {
        let packed = std::fs::read(self.path(kind, key)).ok()?;
        let (known, entry): (String, T) = serde_json::from_slice(&zstd::decode_all(&packed[..]).ok()?).ok()?;
        (known == key).then_some(entry)
    }

    fn keep<T: Serialize>(&self, kind: &str, key: &str, entry: &T) -> Result<(), ReplayError> {
        let path = self.path(kind, key);
        let json = to_json(&(key, entry), &path)?;
        let packed = zstd::encode_all(&json[..], 3).map_err(ReplayError::file(&path, "compress the entry"))?;
        write_atomically(&path, &packed)
    }

    /// Returns what was measured under a key, or measures it and keeps it.
    pub fn measured<T: Serialize + DeserializeOwned>(
        &self,
        kind: &str,
        key: &str,
        measure: impl FnOnce() -> Result<T, ReplayError>,
    ) -> Result<T, ReplayError> {
        if let Some(known) = self.load(kind, key) {
            return Ok(known);
        }
        let measured = measure()?;
        self.keep(kind, key, &measured)?;
        Ok(measured)
    }

    /// Returns the rows of a unit, their timings marked as cached; none if they are not all there.
    pub fn unit(&self, key: &str, trace: &str) -> Option<Rows> {
        let (mut rows, mut timings): Rows = self.load("units", key)?;
        for row in &mut rows {
            let numbers = row.numbers()?;
            if !numbers.texts().all(|hash| self.store.has_text(hash))
                || !numbers.all_images().all(|hash| self.store.has_image(hash))
            {
                return None;
            }
            trace.clone_into(&mut row.trace);
        }
        for timing in &mut timings {
            timing.cached = true;
            trace.clone_into(&mut timing.trace);
        }
        Some((rows, timings))
    }

    /// Keeps the rows of a unit.
    pub fn keep_unit(&self, key: &str, rows: &[Measurement], timings: &[Timing]) -> Result<(), ReplayError> {
        self.keep("units", key, &(rows, timings))
    }

    /// Returns the key of what answers beside the page cost.
    pub fn beside_key(plan: &TracePlan, version: u32, encoding: Encoding, tokenizer: Tokenizer) -> String {
        let peers = plan.peers.as_ref().map(|peers| peers.hash.to_string()).unwrap_or_default();
        let (scenario, encoding) = (hex(&plan.scenario.hash()), encoding.name());
        content_hash(
            format!("beside {ENTRY_VERSION} {version} {} {scenario} {peers} {encoding} {tokenizer:?}", plan.hash)
                .as_bytes(),
        )
    }

    /// Returns the key of what came of the questions about a trace; not of its scenario, which they
    /// stand beside.
    pub fn asked_key(plan: &TracePlan, version: &str, encoding: Encoding, tokenizer: Tokenizer) -> String {
        let (questions, encoding) = (&plan.scenario.questions, encoding.name());
        let head = format!("asked {ENTRY_VERSION} {PACKED_FORMAT_VERSION} {version}");
        content_hash(format!("{head} {} {encoding} {tokenizer:?} {questions:?}", plan.hash).as_bytes())
    }

    /// Returns what a report shows of the steps of a trace; none if it is not all there.
    pub fn steps(&self, plan: &TracePlan) -> Option<Vec<StepInfo>> {
        let mut steps: Vec<StepInfo> = self.load("steps", &Self::steps_key(plan))?;
        steps.iter_mut().for_each(|step| step.trace.clone_from(&plan.id));
        let mut screenshots = steps.iter().filter_map(|step| step.screenshot.as_ref());
        screenshots.all(|hash| self.store.has_image(hash)).then_some(steps)
    }

    /// Keeps what a report shows of the steps of a trace.
    pub fn keep_steps(&self, plan: &TracePlan, steps: &[StepInfo]) -> Result<(), ReplayError> {
        self.keep("steps", &Self::steps_key(plan), &steps)
    }
}
