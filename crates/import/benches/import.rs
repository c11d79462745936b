//! Importing without rendering, against reading and compressing the same input: the first is to
//! take at most as long as the second.
//!
//! In: raw pairs of a bundled trace, as they come from the browser's protocol; a Parquet file in
//! the layout of Multimodal-Mind2Web. Out: the medians of both, their ratio, MB a second of the
//! input, and the process's peak memory. Compared is, with zstd at the level of traces, on one
//! thread: reading every file and compressing it by itself (`alone`); reading what the files hold
//! (of a table, its pages) and compressing each against the one before of its kind with the
//! settings of a trace (`as stored`). An import does that too, and parses, renumbers, checks,
//! redacts, hashes and writes a sealed file.
//!
//! Run with `cargo bench -p browserlens-import --bench import`; `-- --test` runs each once.
#![allow(missing_docs, reason = "criterion's macros write the entry points")]
#![expect(clippy::print_stdout, reason = "the ratios are what it is run for")]

#[path = "../tests/common/table.rs"]
mod table;

use browserlens_core::page::{Capture, PayloadKind};
use browserlens_core::strategy::StepIndex;
use browserlens_import::{Format, ImportOptions, import};
use browserlens_trace::Trace;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use table::{Row, table};

/// Level of zstd at which traces are compressed.
const LEVEL: i32 = 9;

/// Bodies that a trace compresses against the one before, until one stands alone again.
const CHAIN: usize = 8;

/// One input, its files, and runs of files of one kind that are what it holds.
struct Input {
    name: &'static str,
    format: Format,
    path: PathBuf,
    files: Vec<PathBuf>,
    held: Vec<Vec<PathBuf>>,
}

/// Writes a folder of raw pairs from a bundled trace.
fn pairs(folder: PathBuf) -> Input {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let trace = Trace::open(&path).expect("the bundled trace is there: run `just record`");
    let kinds = [(PayloadKind::Snapshot, "dom_snapshots"), (PayloadKind::Ax, "axtrees")];
    let run = |(kind, name): (PayloadKind, &str)| {
        let inner = folder.join(name);
        std::fs::create_dir_all(&inner).expect("folder");
        let file = |step| {
            let capture: Capture = trace.capture(StepIndex(step)).expect("reads");
            let file = inner.join(format!("{step}.json"));
            std::fs::write(&file, &capture.of_kind(kind).next().expect("the main frame's").body).expect("writes");
            file
        };
        (0..trace.len()).map(file).collect()
    };
    let held: Vec<Vec<PathBuf>> = kinds.map(run).into();
    Input { name: "raw pairs", format: Format::Cdp, path: folder, files: held.concat(), held }
}

/// Writes a table of 8 tasks of 6 actions on pages of 5,000 elements, and beside it the pages.
fn parquet(folder: &Path) -> Input {
    let path = folder.join("train.parquet");
    let html = |task: usize, action: usize| {
        let rows: String = (0..1_000)
            .map(|row| {
                let price = (row * 7_919 + task * 31 + action * 7) % 10_007;
                format!(
                    "<tr class=\"row r{price}\" backend_node_id=\"{row}\"><td><a href=\"/item/{price}\">Item {row} of \
                        {task}</a></td><td><span>{price}.00</span></td></tr>"
                )
            })
            .collect();
        format!(
            "<html><head><title>{task}</title></head><body><button \
                backend_node_id=\"7000\">Go</button><table>{rows}</table></body></html>"
        )
    };
    let rows = |task: usize| -> Vec<Row> {
        (0..6).map(|action| Row::click(&format!("task{task}"), action, &html(task, action), "7000")).collect()
    };
    std::fs::write(&path, table(&(0..8).map(rows).collect::<Vec<_>>())).expect("writes");
    let page = |task: usize, action: usize| {
        let file = folder.join(format!("{task}-{action}.html"));
        std::fs::write(&file, html(task, action)).expect("writes");
        file
    };
    let held = (0..8).map(|task| (0..6).map(|action| page(task, action)).collect()).collect();
    Input { name: "Multimodal-Mind2Web", format: Format::Mind2web, files: vec![path.clone()], path, held }
}

impl Input {
    fn bytes(&self) -> u64 {
        self.files.iter().map(|file| std::fs::metadata(file).expect("is there").len()).sum()
    }

    fn read_and_compress(&self) -> usize {
        let each = self.files.iter().map(|file| zstd::encode_all(&*std::fs::read(file).expect("reads"), LEVEL));
        each.map(|packed| packed.expect("compresses").len()).sum()
    }

    fn read_and_compress_as_stored(&self) -> usize {
        let of_run = |files: &Vec<PathBuf>| {
            let mut before: Vec<u8> = Vec::new();
            let each = files.iter().enumerate().map(|(at, file)| {
                let bytes = std::fs::read(file).expect("reads");
                let prefix = if at % CHAIN == 0 { &[][..] } else { &before };
                let length = compressed(&bytes, prefix);
                before = bytes;
                length
            });
            each.sum::<usize>()
        };
        self.held.iter().map(of_run).sum()
    }

    fn imported(&self, out: &Path) -> u32 {
        let mut options = ImportOptions::new(out);
        (options.render, options.force) = (false, true);
        import(self.format, std::slice::from_ref(&self.path), &options)
            .expect("imports")
            .traces
            .iter()
            .map(|made| made.steps)
            .sum()
    }
}

/// Compresses as a trace does (`trace/blob`).
fn compressed(bytes: &[u8], prefix: &[u8]) -> usize {
    let mut encoder = zstd::stream::write::Encoder::with_ref_prefix(Vec::new(), LEVEL, prefix).expect("an encoder");
    let span = (bytes.len() + prefix.len()).max(1 << 10) as u64;
    encoder.window_log(u64::BITS - span.leading_zeros()).expect("a window");
    encoder.long_distance_matching(true).expect("matches at a distance");
    encoder.set_pledged_src_size(Some(bytes.len() as u64)).expect("a size");
    encoder.write_all(bytes).expect("compresses");
    encoder.finish().expect("compresses").len()
}

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("folder");
    let out = folder.path().join("out");
    let inputs = [pairs(folder.path().join("pairs")), parquet(folder.path())];
    for input in &inputs {
        let mut group = criterion.benchmark_group(input.name);
        group.throughput(Throughput::Bytes(input.bytes())).sample_size(10);
        group.bench_function("read-and-compress", |bencher| bencher.iter(|| input.read_and_compress()));
        group.bench_function("import", |bencher| bencher.iter(|| input.imported(&out)));
        group.finish();
        // In turn, so that what else the machine does falls on all alike.
        let mut times = [Vec::new(), Vec::new(), Vec::new()];
        for _ in 0..7 {
            let [alone, as_stored, importing] = &mut times;
            alone.push(timed(|| input.read_and_compress()));
            as_stored.push(timed(|| input.read_and_compress_as_stored()));
            importing.push(timed(|| input.imported(&out) as usize));
        }
        let [alone, as_stored, importing] = times.map(|mut times| {
            times.sort();
            times[times.len() / 2]
        });
        let ratio = |than: Duration| importing.as_secs_f64() / than.as_secs_f64();
        println!(
            "{}: {:.1} MB; importing {importing:.1?} ({:.0} MB/s); reading and compressing alone {alone:.1?}: ratio \
                {:.2}, as stored {as_stored:.1?}: ratio {:.2} (at most 1.00 is asked)",
            input.name,
            input.bytes() as f64 / 1e6,
            input.bytes() as f64 / 1e6 / importing.as_secs_f64(),
            ratio(alone),
            ratio(as_stored),
        );
    }
    if let Ok(status) = std::fs::read_to_string("/proc/self/status") {
        status.lines().filter(|line| line.starts_with("VmHWM:")).for_each(|line| println!("peak memory {line}"));
    }
}

fn timed(run: impl FnOnce() -> usize) -> Duration {
    let began = Instant::now();
    assert!(run() > 0);
    began.elapsed()
}

criterion_group!(import_speed, benches);
criterion_main!(import_speed);
