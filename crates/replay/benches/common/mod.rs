//! What the benchmarks share: the bundled traces, and a replay of them.

use browserlens_core::tokens::Encoding;
use browserlens_replay::{ConfiguredStrategy, Quiet, ReplayOptions, Tokenizer};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

static NEVER: AtomicBool = AtomicBool::new(false);

/// Folder of the bundled traces.
pub fn bundled() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces")
}

/// Replays traces with a cache and runs below `folder`.
pub fn options<'a>(traces: &[PathBuf], strategies: &'a [ConfiguredStrategy], folder: &Path) -> ReplayOptions<'a> {
    ReplayOptions {
        traces: traces.to_vec(),
        scenarios_dir: bundled().join("scenarios"),
        strategies,
        threads: 0,
        cache_dir: folder.join("cache"),
        out_dir: folder.join("runs"),
        encoding: Encoding::O200kBase,
        tokenizer: Tokenizer::Fast,
        date: String::new(),
        machine: String::new(),
        progress: &Quiet,
        cancel: &NEVER,
    }
}
