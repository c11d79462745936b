//! Paging gives every row exactly once, and a cursor goes on only with what it was made for.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::strategy::{EventKind, PageSource};
use browserlens_inspect::{ConsoleQuery, NetworkQuery, UnixMillis};
use common::{Memory, NOW, answers, asked, bundled, console, inspector, traced};
use proptest::prelude::{ProptestConfig, any, prop_assert, prop_assert_eq, proptest};
use serde_json::json;

fn kind(number: usize) -> EventKind {
    match number % 7 {
        0 | 3 => asked(&format!("http://a.test/{number}"), if number.is_multiple_of(2) { 200 } else { 500 }),
        1 => console("error", &number.to_string()),
        2 => console("warning", &number.to_string()),
        _ => console("log", &number.to_string()),
    }
}

/// Pages through requests; `between` may add rows after each page. Returns the positions, and the
/// cursor of what came since.
fn requests(
    source: &mut Memory,
    cursor: Option<String>,
    sizes: &[i64],
    mut between: impl FnMut(&mut Memory),
) -> (Vec<u64>, Option<String>) {
    let inspector = inspector();
    let (mut seen, mut cursor, mut newer) = (Vec::new(), cursor, None);
    for size in sizes.iter().cycle() {
        let query = NetworkQuery { page_size: Some(*size), cursor: cursor.clone(), ..NetworkQuery::default() };
        let answer = inspector.network(source, &query, NOW).unwrap();
        assert_eq!(answer.count, answer.data.len() as u64);
        assert!(answer.count <= *size as u64 && (answer.count == *size as u64 || !answer.has_more));
        assert_eq!(answer.has_more, answer.next_cursor.is_some());
        seen.extend(answer.data.iter().map(|row| row.position));
        newer = answer.newer.map(|newer| newer.cursor);
        cursor = answer.next_cursor;
        if cursor.is_none() {
            break;
        }
        between(source);
    }
    (seen, newer)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_request_comes_once_whatever_the_sizes_of_pages(
        rows in 0usize..120,
        sizes in proptest::collection::vec(1i64..=9, 1..5),
        added in 0usize..12,
    ) {
        let mut source = Memory::new((0..rows).map(kind).collect());
        let before = source.events.clone();
        let (mut seen, _) = requests(&mut source, None, &sizes, |source| {
            (0..added).for_each(|_| source.add(kind(source.events.len())));
        });
        let is_request = |event: &&browserlens_core::strategy::Event| matches!(event.kind, EventKind::Request(_));
        let expected: Vec<u64> = before.iter().filter(is_request).map(|event| event.position).collect();
        let failed_first = |position: &u64| match &before[*position as usize].kind {
            EventKind::Request(request) => (!request.has_failed(), *position),
            _ => unreachable!(),
        };
        prop_assert!(seen.is_sorted_by_key(failed_first), "failed first, then by arrival");
        seen.sort_unstable();
        prop_assert_eq!(&seen, &expected);
    }

    #[test]
    fn what_was_added_meanwhile_comes_by_the_cursor_of_newer_rows(
        rows in 3usize..60,
        sizes in proptest::collection::vec(1i64..=9, 1..4),
        added in 0usize..12,
        rounds in 1usize..4,
    ) {
        let mut source = Memory::new((0..rows).map(kind).collect());
        let (mut seen, mut cursor) = (Vec::new(), None);
        for _ in 0..rounds {
            let (more, newer) = requests(&mut source, cursor.clone(), &sizes, |source| {
                (0..added).for_each(|_| source.add(kind(source.events.len())));
            });
            seen.extend(more);
            cursor = newer;
            if cursor.is_none() {
                break;
            }
        }
        while let Some(at) = cursor {
            let (more, newer) = requests(&mut source, Some(at), &sizes, |_| {});
            seen.extend(more);
            cursor = newer;
        }
        seen.sort_unstable();
        let requests = source.events.iter().filter(|event| matches!(event.kind, EventKind::Request(_)));
        prop_assert_eq!(seen, requests.map(|event| event.position).collect::<Vec<_>>());
    }

    #[test]
    fn the_times_of_folded_messages_add_up_over_pages(texts in proptest::collection::vec(0u8..4, 0..80),
        size in 1i64..=20, on_disk in any::<bool>()) {
        let kinds: Vec<EventKind> = texts.iter().map(|text| console("log", &text.to_string())).collect();
        let (_folder, mut source): (_, Box<dyn PageSource>) = if on_disk {
            let (folder, source) = traced(kinds);
            (Some(folder), Box::new(source))
        } else {
            (None, Box::new(Memory::new(kinds)))
        };
        let (mut times, mut counted) = (0, 0);
        let asked = json!({ "pageSize": size, "logLevels": [] });
        for answer in answers(source.as_mut(), "get_console_messages", asked) {
            prop_assert_eq!(&answer["total"], texts.len());
            let data = answer["data"].as_array().unwrap();
            times += data.iter().map(|row| row["times"].as_u64().unwrap_or(1)).sum::<u64>();
            prop_assert_eq!(&answer["count"], data.len());
            counted += answer["messages"].as_u64().unwrap_or(data.len() as u64);
        }
        prop_assert_eq!((times, counted), (texts.len() as u64, texts.len() as u64));
    }
}

#[test]
fn a_cursor_works_in_another_process_and_with_another_page_size() {
    let mut source = Memory::new((0..60).map(kind).collect());
    let first = NetworkQuery { page_size: Some(3), ..NetworkQuery::default() };
    let cursor = inspector().network(&mut source, &first, NOW).unwrap().next_cursor;
    let next = NetworkQuery { page_size: Some(7), cursor, ..NetworkQuery::default() };
    assert_eq!(inspector().network(&mut source, &next, NOW).unwrap().count, 7);
}

#[test]
fn a_cursor_of_another_query_source_or_time_is_refused_with_the_reason() {
    let mut source = Memory::new((0..60).map(kind).collect());
    let first = NetworkQuery { page_size: Some(3), ..NetworkQuery::default() };
    let cursor = inspector().network(&mut source, &first, NOW).unwrap().next_cursor;
    let again = NetworkQuery { cursor: cursor.clone(), ..NetworkQuery::default() };
    let refusal = |source: &mut dyn PageSource, query: &NetworkQuery, now: u64| {
        let error = inspector().network(source, query, UnixMillis(now)).unwrap_err();
        assert_eq!(error.field(), Some("cursor"));
        error.to_string()
    };
    let other_query = NetworkQuery { failed_only: Some(true), ..again.clone() };
    assert!(refusal(&mut source, &other_query, NOW.0).contains("other filters"));
    assert!(refusal(&mut source, &again, NOW.0 + 300_001).contains("expired"));
    assert!(refusal(&mut bundled("live-last-minute-ticket"), &again, NOW.0).contains("another trace"));
    let mut other_session = Memory::new((0..60).map(kind).collect());
    other_session.session = [8; 16];
    assert!(refusal(&mut other_session, &again, NOW.0).contains("another trace or browser session"));
    let console = ConsoleQuery { cursor, ..ConsoleQuery::default() };
    assert!(inspector().console(&mut source, &console, NOW).unwrap_err().to_string().contains("other filters"));
}

#[test]
fn the_cursor_of_an_answer_is_of_its_time_and_a_live_page_s_new_rows_are_seen() {
    let mut source = Memory::new((0..60).map(kind).collect());
    let inspector = inspector();
    let query = ConsoleQuery { page_size: Some(4), ..ConsoleQuery::default() };
    let first = inspector.console(&mut source, &query, NOW).unwrap();
    let later = inspector.console(&mut source, &query, UnixMillis(NOW.0 + 299_000)).unwrap();
    let next = ConsoleQuery { cursor: later.next_cursor, ..query.clone() };
    assert_eq!(inspector.console(&mut source, &next, UnixMillis(NOW.0 + 500_000)).unwrap().count, 4);
    source.add(console("error", "new"));
    assert_eq!(inspector.console(&mut source, &query, NOW).unwrap().total, first.total + 1);
}
