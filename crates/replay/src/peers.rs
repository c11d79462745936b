//! Recorded peers: what other tools really said, beside the trace.
//!
//! In: the trace's peers' file, if there is one that belongs to it. Out: the outputs of a step as
//! strategies get them, which strategies a run needs, and what is missing. Invariant: a file of
//! another recording is not used, and that is said.

use crate::error::ReplayError;
use crate::strategies::ConfiguredStrategy;
use browserlens_core::strategy::{PeerOutput, RefTarget};
use browserlens_peers::RECORDED_SUFFIX;
use browserlens_trace::{PeerText, PeerVariant, PeersFile, TraceHash, peers_path};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What is known of a trace's recorded peers before any step is loaded.
#[derive(Debug)]
pub(crate) struct PeersPlan {
    pub path: PathBuf,
    pub hash: TraceHash,
    variants: Vec<PeerVariant>,
    definitions: BTreeMap<String, String>,
    failures: Vec<(String, String)>,
}

/// What a run says about one recorded output of one trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedPeer {
    /// The output, such as `playwright-mcp@0.0.83/full`; the tool alone where its pass gave none.
    pub output: String,
    /// Steps with a text that counts.
    pub kept: u32,
    /// Steps whose text was dropped, with the cause.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<(u32, String)>,
    /// Why the pass did not reach the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
}

impl PeersPlan {
    /// Looks beside a trace; none if there is no file, or it tells of another recording.
    ///
    /// # Errors
    /// [`ReplayError::Trace`] if the file is there and cannot be read.
    pub fn open(trace: &Path, hash: TraceHash) -> Result<Option<Self>, ReplayError> {
        let path = peers_path(trace);
        if !path.is_file() {
            return Ok(None);
        }
        let file = PeersFile::open(&path)?;
        if file.trace() != hash {
            return Ok(None);
        }
        let definitions =
            file.passes().filter_map(|pass| Some((pass.peer.clone(), pass.tools.clone()?))).collect::<BTreeMap<_, _>>();
        let failures = file.passes().filter_map(|pass| Some((pass.peer.clone(), pass.failure.clone()?))).collect();
        Ok(Some(Self { hash: file.hash(), variants: file.variants()?, path, definitions, failures }))
    }

    /// Returns whether an output was recorded at all.
    pub fn has(&self, output: &str) -> bool {
        self.variants.iter().any(|variant| name_of(variant) == output)
    }

    /// Returns the names of what was recorded.
    pub fn outputs(&self) -> Vec<String> {
        self.variants.iter().map(name_of).collect()
    }

    /// Returns the tool definitions of an MCP peer by the name of one of its outputs.
    pub fn definitions(&self, output: &str) -> Option<&str> {
        self.definitions.get(output.split('/').next()?).map(String::as_str)
    }

    /// Returns what the report says of this file: every output, and every pass that gave none.
    ///
    /// # Errors
    /// [`ReplayError::Trace`] if the file cannot be read.
    pub fn describe(&self) -> Result<Vec<RecordedPeer>, ReplayError> {
        let file = PeersFile::open(&self.path)?;
        let mut dropped = file.dropped()?;
        let failure_of = |peer: &str| self.failures.iter().find(|(name, _)| name == peer).map(|(_, why)| why.clone());
        let mut described: Vec<RecordedPeer> = self
            .variants
            .iter()
            .map(|variant| RecordedPeer {
                output: name_of(variant),
                kept: variant.kept,
                dropped: dropped.remove(&(variant.peer.clone(), variant.variant.clone())).unwrap_or_default(),
                failure: failure_of(&variant.peer),
            })
            .collect();
        for (peer, why) in &self.failures {
            if !self.variants.iter().any(|variant| variant.peer == *peer) {
                described.push(RecordedPeer {
                    output: peer.clone(),
                    kept: 0,
                    dropped: Vec::new(),
                    failure: Some(why.clone()),
                });
            }
        }
        Ok(described)
    }
}

fn name_of(variant: &PeerVariant) -> String {
    format!("{}/{}", variant.peer, variant.variant)
}

/// Returns what peers said at a step.
pub(crate) fn outputs(file: &PeersFile, step: u32) -> Result<Vec<PeerOutput>, ReplayError> {
    let outputs = file
        .outputs(step)?
        .into_iter()
        .filter(|(_, row)| row.kind == PeerText::Observation)
        .map(|(peer, row)| PeerOutput {
            peer: format!("{peer}/{}", row.variant),
            text: row.text,
            micros: row.micros,
            refs: row.refs.into_iter().map(|(handle, key)| RefTarget { handle, key }).collect(),
            dropped: row.dropped,
        })
        .collect();
    Ok(outputs)
}

/// Keeps the strategies that a run of these traces can and should show: what a tool really said
/// stands in the place of its reproduction where every trace has it; what no trace has cannot be
/// shown. `having` tells how many of the `traces` traces have an output.
pub(crate) fn in_play(
    strategies: &[ConfiguredStrategy],
    traces: usize,
    having: impl Fn(&str) -> usize,
) -> Vec<&ConfiguredStrategy> {
    strategies
        .iter()
        .filter(|strategy| match strategy.name.strip_suffix(RECORDED_SUFFIX) {
            Some(output) => having(output) > 0,
            None => {
                let recorded = format!("{}{RECORDED_SUFFIX}", strategy.name);
                let stands_for_it = strategies.iter().any(|other| other.name == recorded);
                !(stands_for_it && having(&strategy.name) == traces)
            }
        })
        .collect()
}
