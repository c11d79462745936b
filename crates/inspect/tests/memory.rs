//! A page of answers takes memory for what it shows, however much there is.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::strategy::EventKind;
use browserlens_inspect::{ConsoleQuery, CursorKey, Inspector, Limits, NetworkQuery, OneOrMany, SummaryQuery};
use common::{NOW, console, request, traced};

const ROWS: usize = 50_000;

/// Most memory since it was last asked for, in bytes; none where the system does not tell.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").trim().parse().ok()?;
    std::fs::write("/proc/self/clear_refs", "5").ok()?;
    Some(kilobytes << 10)
}

#[test]
fn paging_through_many_rows_holds_a_page_of_them() {
    let text = "x".repeat(400);
    let kinds = (0..ROWS).flat_map(|n| {
        let mut asked = request(&format!("http://shop.test/api/{n}?{text}"), if n % 9 == 0 { 500 } else { 200 });
        asked.response_body = (n % 100 == 0).then(|| text.repeat(100));
        [console(if n % 3 == 0 { "error" } else { "log" }, &format!("{n} {text}")), EventKind::Request(Box::new(asked))]
    });
    let (_folder, mut source) = traced(kinds.collect());
    let inspector = Inspector::new(Limits::default(), CursorKey::new(b"memory"));
    let mut pages = |most: usize| {
        let mut messages = ConsoleQuery { log_levels: Some(OneOrMany::Many(Vec::new())), ..ConsoleQuery::default() };
        let mut requests = NetworkQuery { include_response_bodies: Some(true), ..NetworkQuery::default() };
        for _ in 0..most {
            let answer = inspector.console(&mut source, &messages, NOW).unwrap();
            messages.cursor = answer.next_cursor;
            let answer = inspector.network(&mut source, &requests, NOW).unwrap();
            requests.cursor = answer.next_cursor;
        }
        inspector.summary(&mut source, &SummaryQuery::default()).unwrap();
        let nothing = ConsoleQuery { search_term: Some("not to be found".into()), ..ConsoleQuery::default() };
        assert_eq!(inspector.console(&mut source, &nothing, NOW).unwrap().total, 0);
    };
    pages(1);
    let (Some(_), Some(before)) = (peak(), peak()) else { return };
    pages(30);
    let after = peak().unwrap();
    // All rows are over 40 MB of text.
    assert!(after < before + (8 << 20), "{} MB before, {} MB after", before >> 20, after >> 20);
}
