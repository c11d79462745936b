//! Importing without rendering, against reading and compressing the same input: the first is to take at most as long as the second.
//!
//! Run with `cargo bench -p browserlens-import --bench import`; it prints the ratio of the medians at the end.
#![allow(missing_docs, reason = "criterion's macros write the entry points")]
#![expect(clippy::print_stdout, reason = "the ratio is what it is run for")]

use browserlens_import::{Format, ImportOptions, import};
use browserlens_page::{Capture, PayloadKind};
use browserlens_strategy::StepIndex;
use browserlens_trace::Trace;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Level of zstd at which traces are compressed.
const LEVEL: i32 = 9;

/// Writes a folder of raw pairs from a bundled trace, as they come from the browser's protocol.
fn pairs(folder: &Path) -> Vec<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let trace = Trace::open(&path).expect("the bundled trace is there: run `just record`");
    let (snapshots, trees) = (folder.join("dom_snapshots"), folder.join("axtrees"));
    for folder in [&snapshots, &trees] {
        std::fs::create_dir_all(folder).expect("folder");
    }
    let mut files = Vec::new();
    for step in 0..trace.len() {
        let capture: Capture = trace.capture(StepIndex(step)).expect("reads");
        for (kind, folder) in [(PayloadKind::Snapshot, &snapshots), (PayloadKind::Ax, &trees)] {
            let file = folder.join(format!("{step}.json"));
            let body = &capture.of_kind(kind).next().expect("the main frame's").body;
            std::fs::write(&file, body).expect("writes");
            files.push(file);
        }
    }
    files
}

fn read_and_compress(files: &[PathBuf]) -> usize {
    let each = files.iter().map(|file| {
        let bytes = std::fs::read(file).expect("reads");
        zstd::encode_all(bytes.as_slice(), LEVEL).expect("compresses").len()
    });
    each.sum()
}

fn imported(input: &Path, out: &Path) -> u32 {
    let mut options = ImportOptions::new(out);
    (options.render, options.force) = (false, true);
    import(Format::Cdp, &[input.to_owned()], &options).expect("imports").traces[0].steps
}

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("folder");
    let (input, out) = (folder.path().join("pairs"), folder.path().join("out"));
    let files = pairs(&input);
    let bytes: u64 = files.iter().map(|file| std::fs::metadata(file).expect("is there").len()).sum();
    let mut group = criterion.benchmark_group("import");
    group.throughput(Throughput::Bytes(bytes)).sample_size(10);
    group.bench_function("read-and-compress", |bencher| bencher.iter(|| read_and_compress(&files)));
    group.bench_function("raw-pairs", |bencher| bencher.iter(|| imported(&input, &out)));
    group.finish();
    // In turn, so that what else the machine does falls on both alike.
    let (mut reading, mut importing) = (Vec::new(), Vec::new());
    for _ in 0..7 {
        let began = Instant::now();
        read_and_compress(&files);
        reading.push(began.elapsed());
        let began = Instant::now();
        imported(&input, &out);
        importing.push(began.elapsed());
    }
    let median = |times: &mut Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    let (reading, importing) = (median(&mut reading), median(&mut importing));
    println!(
        "importing {importing:.1?}, reading and compressing {reading:.1?}: ratio {:.2} (at most 1.00 is asked)",
        importing.as_secs_f64() / reading.as_secs_f64()
    );
}

criterion_group!(import_speed, benches);
criterion_main!(import_speed);
