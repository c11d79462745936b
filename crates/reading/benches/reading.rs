//! How long reading takes: a cache hit on a page of 200 KB (aim: under 1 ms), and the extraction of
//! a document of the docs site (aim: under 10 ms).

#![allow(missing_docs, reason = "the macros of criterion make items without docs")]

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_core::strategy::StepIndex;
use browserlens_reading::{Cache, CacheOptions, Cut, content_hash, extract, read_text};
use browserlens_trace::Trace;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;

/// A page with so much text, in sections of a heading, paragraphs, a list and code.
fn page_of(bytes: usize) -> Page {
    let mut builder = PageBuilder::new("https://example.test/long", "A long page");
    builder.open(NodeSpec { tag: "main", ..NodeSpec::default() });
    let mut written = 0;
    let mut number = 0;
    while written < bytes {
        number += 1;
        for (tag, text) in [
            ("h2", format!("Topic {number} and what belongs to it")),
            (
                "p",
                format!("Some words of paragraph {number} that goes on for a line or two, as text on pages does. ")
                    .repeat(6),
            ),
            ("p", "And another one that says how the things before it are to be understood, and why. ".repeat(4)),
            ("pre", format!("let topic = {number};\nprintln!(\"{{topic}}\");\n")),
            ("li", "an item of a list".to_owned()),
            ("li", "another item of that list".to_owned()),
        ] {
            written += text.len();
            builder.open(NodeSpec { tag, ..NodeSpec::default() });
            builder.text(&text);
            builder.close();
        }
    }
    builder.finish()
}

fn hits(criterion: &mut Criterion) {
    let page = page_of(200_000);
    let folder = tempfile::tempdir().expect("a folder");
    let mut cache = Cache::open(&folder.path().join("pages.cache"), CacheOptions::default()).expect("opens");
    let reading = cache.read(&page, Cut::All, 0).expect("reads");
    assert!(reading.extraction.full_text.len() > 200_000);
    let mut group = criterion.benchmark_group("200 KB");
    group.bench_function("cache hit, page in hand", |bencher| {
        bencher.iter(|| {
            let reading = cache.read(black_box(&page), Cut::All, 1).expect("reads");
            assert!(reading.outcome.is_hit());
            reading
        });
    });
    group.bench_function("cache hit, content hash in hand", |bencher| {
        bencher.iter(|| cache.lookup(page.url(), black_box(reading.hash), Cut::All, 1).expect("reads"));
    });
    let reading = cache.read(&page, Cut::All, 1).expect("reads");
    cache.visit(page.url(), &reading, 1).expect("notes");
    group.bench_function("cache hit, by URL alone", |bencher| {
        bencher.iter(|| cache.latest(black_box(page.url()), Cut::All, 1).expect("reads"));
    });
    group.bench_function("content hash", |bencher| bencher.iter(|| content_hash(black_box(&page))));
    group.bench_function("extraction", |bencher| bencher.iter(|| extract(black_box(&page), Cut::All)));
    group.finish();
}

fn documents(criterion: &mut Criterion) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/docs-combine-three-documents.trace");
    let trace = Trace::open(&path).expect("opens");
    let captures: Vec<_> = (0..trace.len()).map(|step| trace.capture(StepIndex(step)).expect("a capture")).collect();
    let pages: Vec<Page> = captures.iter().map(|capture| Page::parse(capture).expect("a page")).collect();
    let (at, longest) = pages.iter().enumerate().max_by_key(|(_, page)| page.len()).expect("a page");
    let mut group = criterion.benchmark_group(format!("docs document of {} nodes", longest.len()));
    group.bench_function("extraction", |bencher| bencher.iter(|| extract(black_box(longest), Cut::All)));
    group.bench_function("content hash", |bencher| bencher.iter(|| content_hash(black_box(longest))));
    let frame = longest.frames()[0].number;
    group.bench_function("baseline, from the capture", |bencher| {
        bencher.iter(|| read_text(black_box(&captures[at]), frame).expect("reads"));
    });
    group.bench_function("parsing the capture", |bencher| {
        bencher.iter(|| Page::parse(black_box(&captures[at])).expect("parses"))
    });
    group.finish();
}

criterion_group!(benches, hits, documents);
criterion_main!(benches);
