//! Queries over many sections and over one page:
//! `cargo bench -p browserlens-reading --bench search`.

#![allow(missing_docs, reason = "the macros of criterion make items without docs")]
#![allow(clippy::print_stderr, reason = "time and size of the index are told beside criterion's figures")]

use browserlens_reading::embed::Lexical;
use browserlens_reading::retrieval::{By, Index, SearchOptions, rank};
use browserlens_reading::{Extraction, Section};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Words whose frequencies fall as those of a language do: the n-th stands some n times more seldom
/// than the first.
fn text(state: &mut u64, words: usize) -> String {
    let mut text = String::new();
    for _ in 0..words {
        *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let uniform = (*state >> 11) as f64 / (1_u64 << 53) as f64;
        let word = 20_000_f64.powf(uniform) as u64;
        text.push_str(&format!("w{} ", word * 7_919 % 99_991));
    }
    text
}

fn sections(count: u32, words: usize) -> Vec<Section> {
    let mut state = 7;
    (0..count)
        .map(|position| Section {
            heading: text(&mut state, 3),
            part: 0,
            level: 2,
            content: text(&mut state, words),
            xpath: String::new(),
            position,
            trail: Vec::new(),
            blocks: 0..0,
        })
        .collect()
}

fn query() -> String {
    text(&mut 99, 6)
}

/// How long this thread has run, where the system tells.
fn processor_time() -> Option<Duration> {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    told.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

fn many(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("index");
    let mut index = Index::open(&path, Arc::new(Lexical::default())).expect("opens");
    let sections = sections(100_000, 50);
    let (start, spent) = (Instant::now(), processor_time());
    for (page, part) in sections.chunks(5_000).enumerate() {
        index.add(&page.to_string(), part, &[]).expect("adds");
    }
    let bytes = std::fs::metadata(&path).expect("a file").len();
    let spent = spent.zip(processor_time()).map(|(before, after)| after - before);
    let megabytes = bytes / 1_000_000;
    eprintln!("100,000 sections, indexed in {:?}, {spent:?} of processor time: {megabytes} MB", start.elapsed());
    let query = query();
    for (name, by) in [("words", By::Bm25), ("vectors", By::Vectors), ("fused", By::Fused)] {
        let options = SearchOptions { by, ..SearchOptions::default() };
        let found = index.search(&query, &options).expect("searches");
        assert!(!found.is_empty());
        let spent = processor_time();
        for _ in 0..50 {
            black_box(index.search(&query, &options).expect("searches"));
        }
        // On a machine that others use, criterion's median tells of the others.
        if let (Some(before), Some(after)) = (spent, processor_time()) {
            eprintln!("100,000 sections, {name}: {:?} of processor time", (after - before) / 50);
        }
        c.bench_function(&format!("100,000 sections, {name}"), |b| {
            b.iter(|| black_box(index.search(&query, &options).expect("searches")));
        });
    }
}

fn page(c: &mut Criterion) {
    let sections = sections(20, 60);
    let full_text = sections.iter().map(Section::text).collect();
    let page = Extraction { sections, full_text, ..Extraction::default() };
    let query = query();
    c.bench_function("a page of 20 sections, indexed and searched", |b| {
        b.iter(|| black_box(rank(&page, &query, &SearchOptions::default()).expect("ranks")));
    });
}

criterion_group! { name = benches; config = Criterion::default().sample_size(20); targets = page, many }
criterion_main!(benches);
