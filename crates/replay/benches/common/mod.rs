//! What the benchmarks share: the bundled traces, and a replay of them.

use browserlens_replay::{ConfiguredStrategy, ReplayOptions};
use std::path::{Path, PathBuf};

/// Folder of the bundled traces.
pub fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

/// Replays traces with a cache and runs below `folder`.
pub fn options<'a>(traces: &[PathBuf], strategies: &'a [ConfiguredStrategy], folder: &Path) -> ReplayOptions<'a> {
    let options = ReplayOptions::new(traces.to_vec(), bundled().join("scenarios"), strategies, folder);
    ReplayOptions { threads: 0, ..options }
}
