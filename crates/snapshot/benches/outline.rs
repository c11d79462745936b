//! How long an outline of a page of 10,000 nodes takes (aim: under 5 ms), and what it is made of:
//! paths, lines, text.

#![allow(missing_docs, reason = "the macros of criterion make items without docs")]

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_snapshot::grep::Grep;
use browserlens_snapshot::outline::{OutlineOptions, build, write};
use browserlens_snapshot::path::Paths;
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;

/// A page of sections with headings, paragraphs, lists and cards, each with classes as pages have
/// them.
fn page_of(nodes: usize) -> Page {
    let mut builder = PageBuilder::new("https://example.test/list", "A long page");
    let open = |builder: &mut PageBuilder, tag: &'static str, class: &'static str| {
        builder.open(NodeSpec { tag, attributes: vec![("class", class), ("data-x", "1")], ..NodeSpec::default() });
    };
    open(&mut builder, "main", "page-main mt-4");
    let mut number = 0;
    while builder_len(number) < nodes {
        number += 1;
        open(&mut builder, "section", "topic mt-4 flex");
        open(&mut builder, "h2", "text-xl font-bold");
        builder.text(&format!("Topic {number} and what belongs to it"));
        builder.close();
        for _ in 0..4 {
            open(&mut builder, "p", "text-gray-700");
            builder.text("Some words of a paragraph that goes on for a line or two, as text on pages does, ");
            builder.leaf(NodeSpec { tag: "b", ..NodeSpec::default() });
            builder.text(" and an end.");
            builder.close();
        }
        open(&mut builder, "ul", "links list-disc");
        for item in 0..6 {
            open(&mut builder, "li", "");
            open(&mut builder, "a", "underline");
            builder.text(&format!("Item {item} of {number}"));
            builder.close().close();
        }
        builder.close();
        for card in 0..5 {
            open(&mut builder, "div", "product-card shadow-md css-1q2w3e");
            open(&mut builder, "h3", "card__title");
            builder.text(&format!("Product {card}"));
            builder.close();
            open(&mut builder, "span", "price");
            builder.text("$ 49.00");
            builder.close().close();
        }
        builder.close();
    }
    builder.finish()
}

/// Nodes of so many sections.
fn builder_len(sections: usize) -> usize {
    2 + sections * 63
}

fn outlines(criterion: &mut Criterion) {
    let page = page_of(10_000);
    let mut group = criterion.benchmark_group(format!("outline of {} nodes", page.len()));
    group.bench_function("whole", |bencher| {
        bencher.iter(|| {
            let paths = Paths::of(black_box(&page));
            write(&build(&page, &paths, &OutlineOptions::default()).outline)
        });
    });
    group.bench_function("paths", |bencher| bencher.iter(|| Paths::of(black_box(&page))));
    let paths = Paths::of(&page);
    let grep = Grep::new(&"section.topic|h[1-3]".into()).expect("a pattern");
    let filtered = OutlineOptions { grep: Some(&grep), ..OutlineOptions::default() };
    group.bench_function("lines, filtered by grep", |bencher| {
        bencher.iter(|| build(black_box(&page), &paths, &filtered))
    });
    group.finish();
}

criterion_group!(benches, outlines);
criterion_main!(benches);
