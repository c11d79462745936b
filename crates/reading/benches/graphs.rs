//! Benchmarks of graphs: `cargo bench -p browserlens-reading --bench graphs`.
//!
//! The docs document is the longest page of the bundled trace; the concepts are those of generated
//! pages.
#![allow(missing_docs, reason = "the macros of criterion make items without docs")]

mod synthetic;

use browserlens_core::page::Page;
use browserlens_core::strategy::StepIndex;
use browserlens_reading::blocks;
use browserlens_reading::embed::Lexical;
use browserlens_reading::graph::{
    ConceptKind, ContentGraph, ContentKind, ContentNode, FoundConcept, PageGraph, RELATED_CONCEPT, RELATED_LIMIT,
    SeenAt, summary, to_json, to_svg,
};
use browserlens_trace::Trace;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

fn document() -> Option<Page> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/docs-combine-three-documents.trace");
    let trace = Trace::open(path).ok()?;
    let pages = (0..trace.len()).filter_map(|step| Page::parse(&trace.capture(StepIndex(step)).ok()?).ok());
    pages.max_by_key(Page::len)
}

fn content(c: &mut Criterion) {
    let Some(page) = document() else { return };
    let read = blocks(&page);
    let build = || ContentGraph::of(page.url(), page.title(), &read);
    let graph = build();
    let mut group =
        c.benchmark_group(format!("content graph/docs document of {} nodes, {} blocks", page.len(), read.len()));
    group.bench_function("blocks", |bench| bench.iter(|| black_box(blocks(black_box(&page)))));
    group.bench_function("graph of blocks", |bench| bench.iter(|| black_box(build())));
    group.bench_function("under a heading", |bench| {
        bench.iter(|| black_box(graph.under(black_box("producer settings"))))
    });
    group.bench_function("summary", |bench| bench.iter(|| black_box(summary(&graph, 4_000))));
    group.bench_function("json", |bench| bench.iter(|| black_box(to_json(&graph))));
    group.bench_function("svg", |bench| bench.iter(|| black_box(to_svg(&graph))));
    group.finish();
}

/// Pages whose headings hold a hundred concepts each; every page names one of the page before.
fn many_concepts(pages: usize) -> Option<PageGraph> {
    let mut graph = PageGraph::new(Arc::new(Lexical::default()));
    let name = |page: usize, at: usize| {
        let (aspect, subject) = synthetic::topic(page * 100 + at);
        format!("{subject} {aspect} {}", page * 100 + at)
    };
    for page in 0..pages {
        let mut nodes = Vec::new();
        let mut found = Vec::new();
        for at in 0..100_u32 {
            let text = name(page, at as usize);
            let level = if at == 0 { 1 } else { 2 + (at % 2) as u8 };
            let kind = ContentKind::Heading;
            nodes.push(ContentNode {
                kind,
                level: Some(level),
                text: text.clone(),
                xpath: String::new(),
                position: at,
                side: 0,
            });
            found.push(FoundConcept { kind: ConceptKind::Heading, text, position: at, weight: 1, target: None });
        }
        if page > 0 {
            let text = name(page - 1, 50);
            found.push(FoundConcept { kind: ConceptKind::Link, text, position: 99, weight: 1, target: None });
        }
        let url = format!("https://site{page}.test/");
        graph.add(ContentGraph::of_nodes(&url, "", nodes), &found, SeenAt(page as i64)).ok()?;
    }
    Some(graph)
}

fn concepts(c: &mut Criterion) {
    let Some(graph) = many_concepts(100) else { return };
    let mut group = c.benchmark_group("10,000 concepts");
    let name = |page: usize, at: usize| {
        let (aspect, subject) = synthetic::topic(page * 100 + at);
        format!("{subject} {aspect} {}", page * 100 + at)
    };
    // From a heading of one page to one of the next: up, across, down.
    let (from, to) = (name(40, 30), name(41, 70));
    let steps = graph.find_concept_path(&from, &to).ok().flatten().map_or(0, |path| path.links.len());
    group.bench_function(format!("path of {steps} steps"), |bench| {
        bench.iter(|| black_box(graph.find_concept_path(black_box(&from), &to).is_ok()));
    });
    let far = name(90, 5);
    group.bench_function("no path within 5 steps", |bench| {
        bench.iter(|| black_box(graph.find_concept_path(black_box(&from), &far).is_ok()));
    });
    group.bench_function("related pages", |bench| {
        bench.iter(|| {
            black_box(graph.find_related_pages("pricing of bicycles", RELATED_CONCEPT, RELATED_LIMIT).is_ok())
        });
    });
    group.finish();
}

criterion_group!(benches, content, concepts);
criterion_main!(benches);
