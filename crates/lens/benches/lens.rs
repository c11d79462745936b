//! Benchmarks: `cargo bench -p browserlens-lens`.
//!
//! Pages of 10,000 nodes are generated; the shop listing (142 cards) is the one of the bundled
//! trace. What has a bar on its slowest calls is timed call by call as well, and its least, median
//! and 99th percentile are printed at the end.
#![allow(missing_docs, reason = "the macros of criterion make items without docs")]
#![allow(clippy::print_stdout, reason = "criterion reports no percentiles")]

use browserlens_core::page::{NodeSpec, Page, PageBuilder};
use browserlens_core::strategy::{PageAlone, Ref, Run, StepIndex};
use browserlens_core::tokens::ImageFormula;
use browserlens_lens::differ::emit::{EmitOptions, Emitted, emit};
use browserlens_lens::differ::{Side, diff};
use browserlens_lens::extract::{ExtractOptions, extract};
use browserlens_lens::format::{Head, Observed, Style, write};
use browserlens_lens::reference::Reference;
use browserlens_lens::router::{CostRouter, HeuristicRouter, Router, SignalCache, Signals};
use browserlens_lens::{Lens, LensOptions, Representation, parse};
use browserlens_trace::Trace;
use criterion::{Criterion, criterion_group, criterion_main};
use std::collections::HashSet;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

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

/// The page of the bundled trace that shows 142 cards.
fn shop_listing() -> Page {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces/shop-laptop-to-cart.trace");
    let trace = Trace::open(&path).expect("the bundled trace is there: run `just record`");
    trace.page(StepIndex(2)).expect("reads").0
}

/// What a full observation of a page is written from.
fn observed(page: &Page) -> Observed {
    let mut view = extract(page, &HashSet::new(), &ExtractOptions::default());
    let mut next = 0;
    for id in 0..view.tree.len() as u32 {
        if view.meta[id as usize].interactive {
            next += 1;
            view.tree.item_mut(id).reference = Some(Ref::new(next));
        }
    }
    let head = Some(Head { title: page.title().to_owned(), url: page.url().to_owned(), cut: false });
    Observed::Full { step: Some(0), reason: None, head, events: Vec::new(), images: Vec::new(), tree: view.tree }
}

/// All that a step does between the target and the entries of its delta: hashing the new side,
/// matching, planning, telling.
fn told(old: &Side, new: &Side) -> Emitted {
    let new = Side::new(new.tree.clone(), new.keys.clone());
    let matching = diff(old, &new);
    emit(old, &new, &matching, &EmitOptions::default())
}

/// Prints the least, the median and the 99th percentile of calls timed one by one.
fn quantiles(name: &str, mut call: impl FnMut()) {
    const CALLS: usize = 1_000;
    (0..50).for_each(|_| call());
    let mut times: Vec<Duration> = (0..CALLS)
        .map(|_| {
            let started = Instant::now();
            call();
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("{name}: least {:?}, median {:?}, p99 {:?}", times[0], times[CALLS / 2], times[CALLS * 99 / 100]);
}

fn slowest(_: &mut Criterion) {
    let ten: Vec<u32> = (0..10).map(|n| n * 100 + 7).collect();
    let (old, new) = (shown_items(10_000, &[]), shown_items(10_000, &ten));
    quantiles("diff/10000_nodes_10_changes", || {
        black_box(diff(black_box(&old), black_box(&new)));
    });
    quantiles("diff/10000_nodes_10_changes_hashed_planned_and_told", || {
        black_box(told(black_box(&old), black_box(&new)));
    });
    let page = listing(1_200, &[]);
    quantiles("router/cost_first_sight_of_10000_nodes", || {
        let router = CostRouter { formula: ImageFormula::Claude28 };
        black_box(router.route(&SignalCache::default().signals(black_box(&page), None), None));
    });
    let listing = observed(&shop_listing());
    quantiles("format/shop_listing", || {
        black_box(write(black_box(&listing), Style::DEFAULT));
    });
}

fn lens(c: &mut Criterion) {
    let page = listing(1_200, &[]);
    assert!(page.len() >= 10_000);
    c.bench_function("signals/10000_nodes", |b| b.iter(|| Signals::of(black_box(&page), None)));
    let routers: [(&str, Box<dyn Router>); 2] =
        [("heuristic", Box::new(HeuristicRouter)), ("cost", Box::new(CostRouter { formula: ImageFormula::Claude28 }))];
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
        b.iter(|| Reference::of(black_box(&page), &ExtractOptions::default()))
    });

    let ten: Vec<u32> = (0..10).map(|n| n * 100 + 7).collect();
    let (old, new) = (shown_items(10_000, &[]), shown_items(10_000, &ten));
    assert!(old.tree.len() >= 10_000 && diff(&old, &new).changes.len() == 10 && told(&old, &new).changes == 10);
    c.bench_function("diff/10000_nodes_10_changes", |b| b.iter(|| diff(black_box(&old), black_box(&new))));
    c.bench_function("diff/hash_10000_nodes", |b| b.iter(|| black_box(&new).tree.hashes()));

    c.bench_function("diff/10000_nodes_10_changes_hashed_planned_and_told", |b| {
        b.iter(|| told(black_box(&old), black_box(&new)));
    });

    let listing_of_shop = observed(&shop_listing());
    c.bench_function("format/shop_listing", |b| b.iter(|| write(black_box(&listing_of_shop), Style::DEFAULT)));
    let text = write(&listing_of_shop, Style::DEFAULT);
    c.bench_function("parse/shop_listing", |b| b.iter(|| parse(black_box(&text))));

    let pages = [Arc::new(listing(1_200, &[])), Arc::new(listing(1_200, &ten))];
    c.bench_function("lens/two_steps_of_10000_nodes", |b| {
        b.iter(|| {
            let options = LensOptions { representation: Some(Representation::A11y), ..LensOptions::default() };
            let mut lens = Lens::new(options);
            for (step, page) in pages.iter().enumerate() {
                let alone = PageAlone::default();
                let input = alone.input(step as u32, page);
                black_box(lens.observe(&input).expect("the page is observable"));
            }
        });
    });
}

criterion_group!(benches, lens, slowest);
criterion_main!(benches);
