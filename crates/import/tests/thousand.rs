//! A Playwright trace of a thousand steps: how long its pages take to render, and how much memory
//! that takes.
//!
//! The trace is a real one of the shop, repeated: snapshots refer to earlier ones by how many there
//! lie between, so a repetition stands for itself.
//! `STEPS=100 cargo test -p browserlens-import --test thousand -- --ignored --nocapture` renders
//! fewer.

#![expect(clippy::print_stdout, reason = "how long it took, for those who run it by hand")]

mod common;

use browserlens_import::{Format, ImportOptions, import};
use browserlens_trace::scenario::Scenario;
use browserlens_trace::{Trace, verify};
use common::{driven, newest, root, said};
use serde_json::Value;
use std::collections::HashMap;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Bytes that our process may have in memory at the most.
const MEMORY: u64 = 1 << 30;

/// Time in which a thousand steps are to be rendered.
const LIMIT: Duration = Duration::from_secs(600);

/// Writes the trace at `from` with its calls repeated so often.
fn repeated(from: &Path, to: &Path, times: u32) {
    let mut source = zip::ZipArchive::new(std::fs::File::open(from).expect("opens")).expect("is a zip file");
    let mut made = zip::ZipWriter::new(std::fs::File::create(to).expect("file"));
    let stored = zip::write::SimpleFileOptions::default();
    for index in 0..source.len() {
        let mut entry = source.by_index(index).expect("entry");
        let name = entry.name().expect("a name").into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("reads");
        made.start_file(&name, stored).expect("starts");
        if name.ends_with(".trace") {
            let lines: Vec<Value> = std::str::from_utf8(&bytes)
                .expect("text")
                .lines()
                .map(|line| serde_json::from_str(line).expect("JSON"))
                .collect();
            for time in 0..times {
                for line in lines.iter().filter(|line| time == 0 || line["type"] != "context-options") {
                    writeln!(made, "{}", at_time(line, time)).expect("writes");
                }
            }
        } else {
            made.write_all(&bytes).expect("writes");
        }
    }
    made.finish().expect("finishes");
}

/// An hour lies between repetitions, and calls have names of their own.
fn at_time(line: &Value, time: u32) -> Value {
    let mut line = line.clone();
    let later = |value: &mut Value| {
        for name in ["startTime", "endTime", "time", "timestamp"] {
            if let Some(at) = value.get(name).and_then(Value::as_f64) {
                value[name] = Value::from(at + f64::from(time) * 3_600_000.0);
            }
        }
        for name in ["callId", "parentId", "beforeSnapshot", "afterSnapshot", "inputSnapshot", "snapshotName"] {
            if let Some(id) = value.get(name).and_then(Value::as_str) {
                value[name] = Value::from(format!("{id}-{time}"));
            }
        }
    };
    later(&mut line);
    if line.get("snapshot").is_some() {
        later(&mut line["snapshot"]);
    }
    line
}

/// Says how much memory the processes below this one have, pages that they share counted once for
/// each.
fn memory_of_children() -> u64 {
    let mut parents: HashMap<u32, (u32, u64)> = HashMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let status = std::fs::read_to_string(entry.path().join("status")).unwrap_or_default();
        let number = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        parents.insert(id, (number("PPid:").unwrap_or(0) as u32, number("VmRSS:").unwrap_or(0) * 1024));
    }
    let own = std::process::id();
    let is_below = |id: u32| {
        let mut at = id;
        (0..64).any(|_| {
            at = parents.get(&at).map_or(0, |(parent, _)| *parent);
            at == own
        })
    };
    parents.iter().filter(|(id, _)| is_below(**id)).map(|(_, (_, bytes))| bytes).sum()
}

fn own_peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("the process's own status");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("its peak");
    line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).expect("a number") * 1024
}

#[test]
#[ignore = "renders a thousand pages: minutes, on a machine that does nothing else"]
fn a_thousand_steps_render_in_time_and_in_bounded_memory() {
    let wanted: u32 = std::env::var("STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(1000);
    let scenario = Scenario::load(&root().join("traces/scenarios/shop/laptop-to-cart.toml")).expect("loads");
    let folder = tempfile::tempdir().expect("folder");
    let (once, often) = (folder.path().join("once.zip"), folder.path().join("often.zip"));
    driven(&newest(), "shop", &said(&scenario, "http://shop.test/"), &once);
    let steps_of_one = scenario.steps.len() as u32 + 1;
    repeated(&once, &often, wanted.div_ceil(steps_of_one));
    let (done, children) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let watching = std::thread::spawn({
        let (done, children) = (Arc::clone(&done), Arc::clone(&children));
        move || {
            while !done.load(Ordering::Relaxed) {
                children.fetch_max(memory_of_children(), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(500));
            }
        }
    });
    let began = Instant::now();
    let options = ImportOptions::new(folder.path().join("out"));
    assert_eq!(options.pages, 2, "two pages at once");
    let report = import(Format::Playwright, &[often], &options).unwrap_or_else(|error| panic!("{error}"));
    let took = began.elapsed();
    done.store(true, Ordering::Relaxed);
    watching.join().expect("watched");
    let made = &report.traces[0];
    let (own, theirs) = (own_peak(), children.load(Ordering::Relaxed));
    println!(
        "{} steps in {took:.1?}, {:.2} s a step; peak memory {} MB, Chromium's {} MB; trace {} MB",
        made.steps,
        took.as_secs_f64() / f64::from(made.steps),
        own >> 20,
        theirs >> 20,
        Trace::open(&made.path).expect("opens").bytes() >> 20,
    );
    assert!(made.steps >= wanted, "{} steps", made.steps);
    assert!(verify(&made.path).expect("verifies").is_ok());
    assert!(own < MEMORY, "{own} bytes");
    assert!(took < LIMIT.mul_f64(f64::from(made.steps) / 1000.0), "{took:?} for {} steps", made.steps);
}
