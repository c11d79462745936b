//! Pages of answers out of a hundred thousand requests and a hundred thousand console messages.
//!
//! In: one trace, made with the writer. Out: the time of first and later pages. The bar is 20 ms a
//! page, whichever it is.
#![allow(missing_docs, clippy::unwrap_used, reason = "a benchmark")]

#[path = "../tests/common/mod.rs"]
mod common;

use browserlens_core::strategy::{ConsoleMessage, EventFilter, EventKind, PageSource, RequestEvent};
use browserlens_inspect::{
    ConsoleQuery, CursorKey, Inspector, Limits, NetworkQuery, OneOrMany, StatusFilter, SummaryQuery,
};
use browserlens_trace::TracePages;
use common::{NOW, request, traced};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, criterion_group, criterion_main};
use std::hint::black_box;

const ROWS: usize = 100_000;

fn events() -> Vec<EventKind> {
    (0..ROWS)
        .flat_map(|n| {
            let level = ["log", "log", "log", "info", "debug", "warning", "log", "error", "log", "log"][n % 10];
            let message = ConsoleMessage {
                level: level.into(),
                text: format!("cart: item {n} could not be priced {{\"sku\":\"A-{n}\",\"status\":{}}}", n % 7),
                url: "http://shop.test/js/cart.js".into(),
                line: 17,
                stack: String::new(),
            };
            let header = |name: &str, value: String| (name.to_owned(), value);
            let asked = RequestEvent {
                id: n as u32,
                method: if n % 20 == 0 { "POST" } else { "GET" }.into(),
                resource_type: ["Fetch", "Image", "Script", "XHR"][n % 4].into(),
                mime_type: "application/json".into(),
                request_headers: vec![header("accept", "*/*".into()), header("user-agent", "x".repeat(120))],
                response_headers: vec![
                    header("content-type", "application/json".into()),
                    header("etag", format!("{n:032}")),
                ],
                response_body: (n % 100 == 0).then(|| format!("{{\"item\":{n}}}")),
                response_bytes: 512,
                duration_ms: (n % 1_500) as u64,
                ..request(
                    &format!("http://{}.test/api/items/{n}?page={}", ["shop", "cdn", "api"][n % 3], n % 50),
                    if n % 50 == 0 { 503 } else { 200 },
                )
            };
            [EventKind::Console(message), EventKind::Request(Box::new(asked))]
        })
        .collect()
}

/// Times the first page of what is asked, and the page after forty large ones; `ask` takes a cursor and a size of the
/// page, and gives the next cursor.
fn first_and_later(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    source: &mut TracePages,
    ask: impl Fn(&mut TracePages, Option<String>, Option<i64>) -> Option<String>,
) {
    // The trace does not know which of its chunks do not hold a term: another one was searched for
    // in between.
    let other = EventFilter { contains: Some("forget".into()), to_position: Some(0), ..EventFilter::default() };
    let mut time = |source: &mut TracePages, which: &str, cursor: &Option<String>| {
        group.bench_function(format!("{name}, {which}"), |bencher| {
            bencher.iter(|| {
                source.tally(&other, None).unwrap();
                ask(source, cursor.clone(), None)
            });
        });
    };
    time(source, "first", &None);
    let mut late = None;
    for _ in 0..40 {
        match ask(source, late.clone(), Some(200)) {
            None => break,
            next => late = next,
        }
    }
    time(source, "later", &late);
}

fn pages(criterion: &mut Criterion) {
    let (_folder, mut source) = traced(events());
    let inspector = Inspector::new(Limits::default(), CursorKey::new(b"bench"));
    let text = |text: &str| Some(text.to_owned());
    let all_levels = ConsoleQuery { log_levels: Some(OneOrMany::Many(Vec::new())), ..ConsoleQuery::default() };
    let search = |query: &ConsoleQuery, term: &str| ConsoleQuery { search_term: text(term), ..query.clone() };
    let console = [
        ("default", ConsoleQuery::default()),
        ("all levels", all_levels.clone()),
        ("search", search(&ConsoleQuery::default(), "a-99991")),
        ("search, no match", search(&ConsoleQuery::default(), "nowhere")),
        ("search, every row", search(&ConsoleQuery::default(), "Priced")),
        ("all levels, search", search(&all_levels, "a-99991")),
        ("all levels, search, no match", search(&all_levels, "nowhere")),
        ("all levels, search, every row", search(&all_levels, "Priced")),
    ];
    let find = |query: &NetworkQuery, term: &str| NetworkQuery { search_term: text(term), ..query.clone() };
    let narrow = NetworkQuery { domain: text("api"), method: Some("GET".to_owned().into()), ..NetworkQuery::default() };
    let failed = NetworkQuery { failed_only: Some(true), ..NetworkQuery::default() };
    let network = [
        ("search, no match", find(&NetworkQuery::default(), "nowhere")),
        ("search, one match", find(&NetworkQuery::default(), "Items/99991?")),
        ("search, every row", find(&NetworkQuery::default(), "/API/items")),
        ("domain and method, search, no match", find(&narrow, "nowhere")),
        ("domain and method, search, one match", find(&narrow, "Items/99989?")),
        ("domain and method, search, every row", find(&narrow, "/API/items")),
        ("failed only, search, no match", find(&failed, "nowhere")),
        ("failed only, search, every row", find(&failed, "/API/items")),
        ("default", NetworkQuery::default()),
        ("failed only", NetworkQuery { failed_only: Some(true), ..NetworkQuery::default() }),
        (
            "domain and method",
            NetworkQuery { domain: text("api"), method: Some("POST".to_owned().into()), ..NetworkQuery::default() },
        ),
        (
            "status class",
            NetworkQuery { status: Some(StatusFilter::Class("5xx".into()).into()), ..NetworkQuery::default() },
        ),
        (
            "slow, bodies",
            NetworkQuery {
                min_duration_ms: Some(1_490),
                include_response_bodies: Some(true),
                ..NetworkQuery::default()
            },
        ),
    ];
    let mut group = criterion.benchmark_group("page");
    group.sample_size(20);
    for (name, query) in console {
        first_and_later(&mut group, &format!("console, {name}"), &mut source, |source, cursor, page_size| {
            let query = ConsoleQuery { cursor, page_size, ..query.clone() };
            black_box(inspector.console(source, &query, NOW).unwrap()).next_cursor
        });
    }
    for (name, query) in network {
        first_and_later(&mut group, &format!("network, {name}"), &mut source, |source, cursor, page_size| {
            let query = NetworkQuery { cursor, page_size, ..query.clone() };
            black_box(inspector.network(source, &query, NOW).unwrap()).next_cursor
        });
    }
    group.sample_size(10);
    group.bench_function("summary of all", |bencher| {
        bencher.iter(|| black_box(inspector.summary(&mut source, &SummaryQuery::default()).unwrap()));
    });
    group.finish();
}

criterion_group!(benches, pages);
criterion_main!(benches);
