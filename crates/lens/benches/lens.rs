//! Benchmarks: `cargo bench -p browserlens-lens`.
#![allow(missing_docs, reason = "the macros of criterion make items without docs")]

use browserlens_lens::differ::{Side, diff};
use browserlens_lens::extract::{ExtractOptions, Grade, extract};
use browserlens_lens::format::{Head, Observed, Style, write};
use browserlens_lens::reference::Reference;
use browserlens_lens::router::{CostRouter, HeuristicRouter, Router, SignalCache, Signals, TreeRouter};
use browserlens_lens::{Lens, LensOptions, Representation, parse};
use browserlens_page::{Capture, NodeSpec, Page, PageBuilder};
use browserlens_strategy::{NoClock, Run, StepIndex, StepInput};
use browserlens_tokens::ImageFormula;
use criterion::{Criterion, criterion_group, criterion_main};
use std::collections::HashSet;
use std::hint::black_box;
use std::sync::Arc;

/// A listing of `cards`, ten nodes each; card `n` of `changed` has another price.
fn listing(cards: u32, changed: &[u32]) -> Page {
    let mut page = PageBuilder::new("https://shop.test/search?q=laptop", "Search");
    page.open(NodeSpec::with_role("main", ""));
    page.leaf(NodeSpec::with_role("heading", "Results"));
    for card in 0..cards {
        let (name, href) = (format!("Laptop number {card}"), format!("/p/{card}"));
        let price = format!("${}.99", if changed.contains(&card) { 9_000 + card } else { 100 + card });
        page.open(NodeSpec::with_role("listitem", ""));
        page.open(NodeSpec::with_role("generic", ""));
        page.open(NodeSpec { attributes: vec![("href", &href)], ..NodeSpec::with_role("link", &name) });
        page.text(&name);
        page.close();
        page.close();
        page.open(NodeSpec::with_role("paragraph", ""));
        page.text(&price);
        page.close();
        page.open(NodeSpec::with_role("paragraph", ""));
        page.text("In stock, delivered tomorrow");
        page.close();
        page.leaf(NodeSpec::with_role("button", "Add to cart"));
        page.close();
    }
    page.finish()
}

fn side(page: &Page) -> Side {
    let view = extract(page, &HashSet::new(), &ExtractOptions::default());
    let keys = view.meta.iter().map(|meta| Some(meta.key)).collect();
    Side::new(view.tree, keys)
}

/// A tree of about `nodes` items, all of them shown.
fn shown_items(nodes: u32, changed: &[u32]) -> Side {
    side(&listing(nodes / 5, changed))
}

fn lens(c: &mut Criterion) {
    let page = listing(1_200, &[]);
    assert!(page.len() >= 10_000);
    c.bench_function("signals/10000_nodes", |b| b.iter(|| Signals::of(black_box(&page), None)));
    let routers: [(&str, Box<dyn Router>); 3] = [
        ("heuristic", Box::new(HeuristicRouter)),
        ("cost", Box::new(CostRouter { formula: ImageFormula::Claude28, points: false })),
        ("learned", Box::new(TreeRouter::bundled())),
    ];
    for (name, router) in &routers {
        c.bench_function(&format!("router/{name}_first_sight_of_10000_nodes"), |b| {
            b.iter(|| router.route(&SignalCache::default().signals(black_box(&page), None), None));
        });
    }
    let mut cache = SignalCache::default();
    c.bench_function("router/cached_10000_nodes", |b| {
        // The age makes one of nine readings fresh, as in a run.
        b.iter(|| HeuristicRouter.route(&cache.signals(black_box(&page), None), None));
    });
    c.bench_function("extract/10000_nodes", |b| {
        b.iter(|| extract(black_box(&page), &HashSet::new(), &ExtractOptions::default()))
    });
    c.bench_function("reference/10000_nodes", |b| {
        b.iter(|| Reference::of(black_box(&page), Representation::A11y, Grade::All, 0))
    });

    let ten: Vec<u32> = (0..10).map(|n| n * 100 + 7).collect();
    let (old, new) = (shown_items(10_000, &[]), shown_items(10_000, &ten));
    assert!(old.tree.len() >= 10_000 && diff(&old, &new).changes.len() == 10);
    c.bench_function("diff/10000_nodes_10_changes", |b| b.iter(|| diff(black_box(&old), black_box(&new))));
    c.bench_function("diff/hash_10000_nodes", |b| b.iter(|| black_box(&new).tree.hashes()));

    let view = extract(&listing(300, &[]), &HashSet::new(), &ExtractOptions::default());
    let head =
        Some(Head { title: "Search".to_owned(), url: "https://shop.test/search?q=laptop".to_owned(), cut: false });
    let observed =
        Observed::Full { step: None, reason: None, head, events: Vec::new(), images: Vec::new(), tree: view.tree };
    c.bench_function("format/listing_of_3000_nodes", |b| b.iter(|| write(black_box(&observed), Style::DEFAULT)));
    let text = write(&observed, Style::DEFAULT);
    c.bench_function("parse/listing_of_3000_nodes", |b| b.iter(|| parse(black_box(&text))));

    let pages = [Arc::new(listing(1_200, &[])), Arc::new(listing(1_200, &ten))];
    c.bench_function("lens/two_steps_of_10000_nodes", |b| {
        b.iter(|| {
            let options = LensOptions { representation: Some(Representation::A11y), ..LensOptions::default() };
            let mut lens = Lens::new(options);
            for (step, page) in pages.iter().enumerate() {
                let input = StepInput {
                    step: StepIndex(step as u32),
                    page,
                    capture: &Capture::default(),
                    earlier_second_look: None,
                    action: None,
                    events: &[],
                    screenshot: None,
                    crops: &[],
                    peers: &[],
                    clock: &NoClock,
                };
                black_box(lens.observe(&input).expect("the page is observable"));
            }
        });
    });
}

criterion_group!(benches, lens);
criterion_main!(benches);
