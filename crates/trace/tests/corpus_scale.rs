//! How fast a corpus is made, how large it is, and that memory does not grow with it.
//!
//! `STEPS=2000 OUT=/tmp/corpus cargo test -p browserlens-trace --test corpus_scale -- --ignored --nocapture`
//! makes a larger one, and leaves it there.

use browserlens_trace::corpus::{MakeOptions, Quiet, find_traces, make};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// The most memory that the process had, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's own status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).expect("a number") * 1024
}

#[test]
#[ignore = "makes a few hundred steps for figures"]
fn memory_does_not_grow_with_the_corpus() {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let mut from = find_traces(&traces).expect("traces");
    from.retain(|path| path.parent() == Some(&traces));
    let steps: u64 = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(486);
    let folder = tempfile::tempdir().expect("folder");
    let out = std::env::var_os("OUT").map_or_else(|| folder.path().join("corpus"), PathBuf::from);
    let mut peaks = Vec::new();
    for steps in [steps / 3, steps] {
        let began = Instant::now();
        let report = make(&MakeOptions {
            out: out.clone(),
            steps,
            seed: 1,
            from: from.clone(),
            scenarios_dir: traces.join("scenarios"),
            pixels: std::env::var_os("NO_PIXELS").is_none(),
            bodies: std::env::var_os("NO_PIXELS").is_none(),
            threads: 2,
            progress: &Quiet,
            cancel: &AtomicBool::new(false),
        })
        .expect("is made");
        peaks.push(peak());
        println!(
            "{} steps written in {:.1?}: {:.1} a second; {:.3} MB a step; {} nodes moved; peak memory {} MB",
            report.steps_written,
            began.elapsed(),
            report.steps_written as f64 / began.elapsed().as_secs_f64(),
            report.bytes as f64 / 1e6 / report.steps as f64,
            report.moved_nodes,
            peak() >> 20,
        );
    }
    assert!(peaks[1] < peaks[0] + peaks[0] / 5, "{peaks:?}");
}
