//! Queries over many sections and over one page: `cargo bench -p browserlens-reading --bench search`.

use browserlens_reading::embed::Lexical;
use browserlens_reading::retrieval::{By, Index, SearchOptions, rank};
use browserlens_reading::{Extraction, Section};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;

/// Words whose frequencies fall as those of a language do: the n-th stands some n times more seldom than the first.
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

fn many(c: &mut Criterion) {
    let mut index = Index::in_memory(Arc::new(Lexical::default())).expect("opens");
    for (page, part) in sections(100_000, 50).chunks(5_000).enumerate() {
        index.add(&page.to_string(), part, &[]).expect("adds");
    }
    let query = query();
    for (name, by) in [("words", By::Bm25), ("vectors", By::Vectors), ("fused", By::Fused)] {
        let options = SearchOptions { by, ..SearchOptions::default() };
        let found = index.search(&query, &options).expect("searches");
        assert!(!found.is_empty());
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
