//! The pieces that a replay is made of, on the recorded shop listing: reading a capture, parsing
//! it, counting tokens.
//!
//! Run with `cargo bench -p browserlens-replay --bench pieces`.
#![allow(missing_docs, reason = "criterion's macros write the entry points")]

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_core::tokens::Encoding;
use browserlens_trace::Trace;
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;

/// The step that shows 142 cards.
const LISTING: StepIndex = StepIndex(2);

fn pieces(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let trace = Trace::open(&path).expect("the bundled trace is there: run `just record`");
    let capture = trace.capture(LISTING).expect("reads");
    let page = Page::parse(&capture).expect("parses");
    let packed = page.pack();
    let html: String =
        page.nodes().map(|node| format!("{} {:?} {}\n", node.role(), node.name(), node.text())).collect();

    let mut group = criterion.benchmark_group("shop-listing");
    // A trace keeps what it read last, so each iteration reads with a fresh one.
    group.bench_function("capture/read", |bencher| {
        let open = || Trace::open(&path).expect("opens");
        bencher.iter_batched(open, |trace| trace.capture(black_box(LISTING)).expect("reads"), BatchSize::PerIteration);
    });
    group.bench_function("capture/parse", |bencher| bencher.iter(|| Page::parse(black_box(&capture)).expect("parses")));
    group.bench_function("page/unpack", |bencher| bencher.iter(|| Page::unpack(black_box(&packed)).expect("unpacks")));
    group.throughput(Throughput::Bytes(html.len() as u64));
    for encoding in Encoding::ALL {
        group.bench_function(format!("tokens/{}", encoding.name()), |bencher| {
            bencher.iter(|| encoding.count(black_box(&html)));
        });
        group.bench_function(format!("tokens/{}/reference", encoding.name()), |bencher| {
            bencher.iter(|| encoding.count_reference(black_box(&html)));
        });
    }
    group.finish();
}

criterion_group!(benches, pieces);
criterion_main!(benches);
