//! Reports that are kept: what would come out the same is not made again.
//!
//! In: everything that the report of a run depends on. Out: the folder of an earlier report of just
//! that, and the table for a terminal that was printed with it. Invariant: a kept report is used
//! only while every file of it is there with the size that it was written with; anything unreadable
//! is as good as none.

use super::report_input::{FIDELITY, Sources};
use crate::args::Pricing;
use browserlens_replay::{RunResult, Timing};
use browserlens_report::ReportPaths;
use browserlens_trace::whole;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// A report that was written, and what was printed with it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Kept {
    pub index: PathBuf,
    pub table: String,
    files: Vec<(PathBuf, u64)>,
}

/// The place where a report is kept, or will be.
pub(crate) struct Shelf(PathBuf);

impl Shelf {
    /// Returns the place of the report of a run; none if something that it depends on cannot be
    /// told.
    pub fn of(run: &RunResult, from: Sources<'_>, pricing: Pricing) -> Option<Self> {
        let mut of = blake3::Hasher::new();
        let mut add = |bytes: &[u8]| {
            of.update(&(bytes.len() as u64).to_le_bytes());
            of.update(bytes);
        };
        add(std::path::absolute(&run.folder).ok()?.as_os_str().as_encoded_bytes());
        for timing in &run.timings {
            // Whether a time was measured now or came from the cache says nothing of what it is.
            add(&serde_json::to_vec(&Timing { cached: false, ..timing.clone() }).ok()?);
        }
        add(super::replay::revision().unwrap_or_default().as_bytes());
        add(format!("{:?}", pricing.cache_discount).as_bytes());
        let llm = run.folder.join("llm.json");
        let fidelity = Path::new(FIDELITY);
        let sources = [crate::program_file(), fidelity, from.strategies_file, from.traces, from.scenarios_dir, &llm];
        for path in sources.into_iter().chain(from.agent_runs) {
            for file in files_below(path) {
                add(file.as_os_str().as_encoded_bytes());
                let told = file.metadata().ok()?;
                let written = told.modified().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
                add(&told.len().to_le_bytes());
                add(&written.as_nanos().to_le_bytes());
            }
        }
        Some(Self(from.cache_dir.join("reports").join(format!("{}.json", of.finalize().to_hex()))))
    }

    /// Returns the report that lies here.
    pub fn kept(&self) -> Option<Kept> {
        let kept: Kept = serde_json::from_slice(&std::fs::read(&self.0).ok()?).ok()?;
        let whole = kept.files.iter().all(|(path, bytes)| path.metadata().is_ok_and(|file| file.len() == *bytes));
        whole.then_some(kept)
    }

    /// Keeps a report. One that cannot be kept is made again the next time.
    pub fn keep(&self, paths: &ReportPaths, table: &str) {
        let with_size = |path: &PathBuf| Some((std::path::absolute(path).ok()?, path.metadata().ok()?.len()));
        let Some(files) = paths.files.iter().map(with_size).collect() else { return };
        let kept = Kept { index: paths.index.clone(), table: table.to_owned(), files };
        let Some(folder) = self.0.parent() else { return };
        let _ = std::fs::create_dir_all(folder).and_then(|()| whole::replace(&self.0, &serde_json::to_vec(&kept)?));
    }
}

/// Returns a file, or the files of a folder and its folders, in order.
fn files_below(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let Ok(entries) = std::fs::read_dir(path) else { return Vec::new() };
    let mut below: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    below.sort();
    below.iter().flat_map(|entry| files_below(entry)).collect()
}
