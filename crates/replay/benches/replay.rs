//! A whole replay of the bundled traces: cold (everything measured) and from the cache; and the
//! load of one packed page.
//!
//! Run with `cargo bench -p browserlens-replay`.
#![allow(missing_docs, reason = "criterion's macros write the entry points")]

mod common;

use browserlens_core::strategy::StepIndex;
use browserlens_replay::{PackedPages, find_traces, replay, strategies};
use browserlens_trace::Trace;
use common::{bundled, options};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};

fn whole_replay(criterion: &mut Criterion) {
    let traces = find_traces(&bundled()).expect("the bundled traces are there: run `just record`");
    let strategies = strategies::load(&bundled().join("strategies.toml")).expect("the bundled strategies load");
    let mut group = criterion.benchmark_group("replay");
    group.sample_size(10);
    group.bench_function("bundled/cold", |bencher| {
        bencher.iter_batched(
            || tempfile::tempdir().expect("a folder"),
            |folder| {
                replay(&options(&traces, &strategies, folder.path())).expect("replays");
                folder
            },
            BatchSize::PerIteration,
        );
    });
    let folder = tempfile::tempdir().expect("a folder");
    replay(&options(&traces, &strategies, folder.path())).expect("replays");
    group.bench_function("bundled/from-cache", |bencher| {
        bencher.iter(|| replay(&options(&traces, &strategies, folder.path())).expect("replays"));
    });
    group.finish();
}

fn packed_load(criterion: &mut Criterion) {
    let traces = find_traces(&bundled()).expect("the bundled traces are there: run `just record`");
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = criterion.benchmark_group("packed-load");
    for path in traces {
        let trace = Trace::open(&path).expect("opens");
        let pages = PackedPages::open(folder.path(), trace.hash());
        let mut largest = (0, 0);
        for step in 0..trace.len() {
            let (page, _) = trace.page(StepIndex(step)).expect("parses");
            pages.keep(step, &page).expect("kept");
            largest = largest.max((page.len(), step));
        }
        let (nodes, step) = largest;
        group.bench_function(format!("{}@{step} ({nodes} nodes)", trace.meta().scenario), |bencher| {
            bencher.iter(|| pages.load(step).expect("is packed"));
        });
    }
    group.finish();
}

criterion_group!(benches, whole_replay, packed_load);
criterion_main!(benches);
