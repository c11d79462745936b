//! How long content and chunks take: the content of a page of 10,000 nodes (aim: under 10 ms), and
//! chunking beside token counting (aim: at least 20 MB/s).

#![allow(missing_docs, reason = "the macros of criterion make items without docs")]

use browserlens_core::page::capture::COMPUTED_STYLES;
use browserlens_core::page::{NodeId, NodeSpec, Page, PageBuilder};
use browserlens_core::tokens::{Encoding, Tokens};
use browserlens_snapshot::chunk::{ChunkOptions, chunk};
use browserlens_snapshot::content::{ContentOptions, Header, sections, write_markdown, write_tree};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;

/// A page of lists of cards, tables and paragraphs, with the styles that a capture has.
fn page_of(nodes: usize) -> Page {
    let mut builder = PageBuilder::new("https://example.test/list", "A long page");
    let styles = |display: &'static str| -> Vec<(u8, &'static str)> {
        COMPUTED_STYLES
            .iter()
            .enumerate()
            .map(|(index, name)| (index as u8, if *name == "display" { display } else { "normal" }))
            .collect()
    };
    let open = |builder: &mut PageBuilder, tag: &'static str, display: &'static str| {
        builder.open(NodeSpec {
            tag,
            styles: styles(display),
            attributes: vec![("class", "card")],
            ..NodeSpec::default()
        });
    };
    let mut made = 0;
    let mut number = 0;
    open(&mut builder, "main", "block");
    while made < nodes {
        number += 1;
        open(&mut builder, "section", "block");
        open(&mut builder, "h2", "block");
        builder.text(&format!("Section {number}"));
        builder.close();
        for _ in 0..4 {
            open(&mut builder, "p", "block");
            builder.text("Some words of a paragraph that goes on for a line or two, as text on pages does, ");
            open(&mut builder, "b", "inline");
            builder.text("with a part that stands out");
            builder.close();
            builder.text(" and an end.");
            builder.close();
        }
        open(&mut builder, "ul", "block");
        for item in 0..6 {
            open(&mut builder, "li", "list-item");
            open(&mut builder, "a", "inline");
            builder.text(&format!("Item {item} of {number}"));
            builder.close().close();
        }
        builder.close();
        open(&mut builder, "table", "table");
        for row in 0..4 {
            open(&mut builder, "tr", "table-row");
            for cell in 0..3 {
                open(&mut builder, "td", "table-cell");
                builder.text(&format!("{row}, {cell}"));
                builder.close();
            }
            builder.close();
        }
        builder.close().close();
        made += 3 + 4 * 5 + 1 + 6 * 3 + 1 + 4 + 24;
    }
    builder.finish()
}

fn content(c: &mut Criterion) {
    let page = page_of(10_000);
    let nodes = page.len();
    let options = ContentOptions { include_links: true, include_images: true, ..ContentOptions::default() };
    let read = |page: &Page| sections(page, &[NodeId::ROOT], &options, |node| node.tag().to_owned());
    let mut group = c.benchmark_group(format!("content/{nodes} nodes"));
    group.throughput(Throughput::Elements(nodes as u64));
    group.bench_function("sections", |bench| bench.iter(|| black_box(read(black_box(&page)))));
    group.bench_function("markdown", |bench| {
        bench.iter(|| black_box(write_markdown(&Header::of(&page), &read(black_box(&page)))));
    });
    group.bench_function("tree", |bench| {
        bench.iter(|| black_box(write_tree(&Header::of(&page), &read(black_box(&page)))))
    });
    group.finish();
}

fn text() -> String {
    let page = page_of(100_000);
    let found = sections(&page, &[NodeId::ROOT], &ContentOptions::default(), |node| node.tag().to_owned());
    write_markdown(&Header::of(&page), &found)
}

/// Chunking counts every byte twice, as a unit and in its chunk; what it costs beside that is the
/// difference of the first two.
fn chunks(c: &mut Criterion) {
    let text = text();
    let options = ChunkOptions::of(Tokens(500));
    let chunks = chunk(&text, options).unwrap_or_default();
    let mut group = c.benchmark_group("chunk");
    group.sample_size(20);
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("with counting", |bench| bench.iter(|| black_box(chunk(black_box(&text), options))));
    group.bench_function("counting alone", |bench| {
        bench.iter(|| {
            let units: u32 =
                text.split_inclusive("\n\n").map(|unit| Encoding::O200kBase.count(black_box(unit)).0).sum();
            units + chunks.iter().map(|chunk| Encoding::O200kBase.count(black_box(chunk.text())).0).sum::<u32>()
        });
    });
    group.finish();
}

criterion_group!(benches, content, chunks);
criterion_main!(benches);
