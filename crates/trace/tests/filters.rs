//! What SQLite lets pass is what the filter lets pass, with indices and without.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_strategy::{
    BodySide, ConsoleMessage, Event, EventFilter, EventKind, EventTally, RequestEvent, RequestParts,
};
use browserlens_trace::*;
use common::{event, meta, redactor, request, write};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_assert_eq, prop_compose, prop_oneof, proptest};
use proptest::sample::select;

fn console() -> impl Strategy<Value = EventKind> {
    (
        select(vec!["error", "warning", "log", "exception", "table", "debug"]),
        select(vec!["Größe", "a b", "Über", "K", ""]),
    )
        .prop_map(|(level, text)| {
            EventKind::Console(ConsoleMessage { level: level.into(), text: text.into(), ..ConsoleMessage::default() })
        })
}

fn any_request() -> impl Strategy<Value = EventKind> {
    (
        select(vec!["GET", "POST", "get"]),
        select(vec!["http://a.test/x", "https://API.b.test:81/%", "http://c_d.test", "data:x", "//e", "http://e?x/y"]),
        select(vec!["Fetch", "XHR", "Script"]),
        select(vec![0u16, 200, 204, 399, 400, 503]),
        select(vec!["", "net::ERR_FAILED"]),
        0u64..5,
    )
        .prop_map(|(method, url, kind, status, failure, duration)| {
            EventKind::Request(Box::new(RequestEvent {
                method: method.into(),
                resource_type: kind.into(),
                status,
                failure: failure.into(),
                duration_ms: duration,
                response_body: Some(format!("{duration}")),
                ..request(url)
            }))
        })
}

prop_compose! {
    fn filter()(
        kinds in select(vec![vec![], vec!["console"], vec!["request"], vec!["request", "dialog"]]),
        steps in (proptest::option::of(0u32..3), proptest::option::of(0u32..3)),
        levels in select(vec![vec![], vec![], vec!["error"], vec!["error", "warning", "no"]]),
        without in select(vec![vec![], vec![], vec!["error", "table"]]),
        contains in select(vec![None, None, Some("größe"), Some("k"), Some("A"), Some("TEST/")]),
        bounds in (proptest::option::of(0u64..40), proptest::option::of(0u32..2), proptest::option::of(0u64..200)),
        methods in select(vec![vec![], vec![], vec!["GET"], vec!["post", "PUT"]]),
        statuses in select(vec![vec![], vec![], vec![(400, 499)], vec![(0, 0), (503, 599)]]),
        more in (
            select(vec![vec![], vec![], vec!["fetch", "xhr"]]),
            select(vec![None, None, Some("api"), Some("_"), Some("%"), Some("81"), Some("http")]),
            select(vec![None, None, Some(true), Some(false)]),
            select(vec![None, None, Some(2)]),
            select(vec![None, None, Some(400)]),
        ),
        parts in select(vec![RequestParts::Whole, RequestParts::Line]),
    ) -> EventFilter {
        let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
        EventFilter {
            kinds: own(kinds), from_step: steps.0, to_step: steps.1, levels: own(levels), without_levels: own(without),
            contains: contains.map(str::to_owned), to_position: bounds.0, tab: bounds.1, since_ms: bounds.2,
            methods: own(methods), statuses, resource_types: own(more.0), domain: more.1.map(str::to_owned),
            failed: more.2, min_duration_ms: more.3, min_status: more.4, parts,
        }
    }
}

fn record(path: &std::path::Path, kinds: &[EventKind], finished: bool) -> Vec<Event> {
    let mut steps = common::steps(3);
    let third = kinds.len().div_ceil(3).max(1);
    let mut position = 0;
    for (step, kinds) in steps.iter_mut().zip(kinds.chunks(third).chain(std::iter::repeat(&[][..]))) {
        step.events.clear();
        for kind in kinds {
            position += 1;
            let tab = u32::from(position % 3 == 0);
            step.events.push(Event { tab, ..event(position, step.index.0, kind.clone()) });
        }
    }
    let written = steps.iter().flat_map(|step| step.events.clone()).collect();
    if finished {
        write(path, &steps);
    } else {
        let mut writer = TraceWriter::create(path, &meta(), redactor()).unwrap();
        steps.into_iter().for_each(|step| writer.write_step(step).unwrap());
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_trace_lets_pass_what_the_filter_lets_pass(
        kinds in proptest::collection::vec(prop_oneof![console(), any_request()], 0..30),
        filters in proptest::collection::vec((filter(), proptest::option::of(0u64..30), 0usize..12), 12),
        finished in any::<bool>(),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        let written = record(&path, &kinds, finished);
        let trace = Trace::open(&path).unwrap();
        for (filter, after, limit) in filters {
            let passing: Vec<Event> = written
                .iter()
                .filter(|event| filter.passes(event) && after.is_none_or(|after| event.position > after))
                .map(|event| filter.parts.of(event))
                .collect();
            let tally = trace.tally(&filter, after).unwrap();
            let last = passing.last().map(|event| event.position);
            prop_assert_eq!(tally, EventTally { count: passing.len() as u64, last }, "{:?}", filter);
            let found = trace.events(&filter, after, limit).unwrap();
            prop_assert_eq!(&found[..], &passing[..limit.min(passing.len())], "{:?}", filter);
        }
    }
}

#[test]
fn the_beginning_of_a_body_is_read_without_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    for finished in [true, false] {
        let path = folder.path().join(format!("{finished}.trace"));
        let body = "0123456789".repeat(1_000_000);
        let kind =
            EventKind::Request(Box::new(RequestEvent { response_body: Some(body), ..request("http://a.test/") }));
        record(&path, &[kind], finished);
        let trace = Trace::open(&path).unwrap();
        let head = trace.body_head(1, BodySide::Response, 15).unwrap().unwrap();
        assert_eq!((head.head.as_slice(), head.bytes), (b"012345678901234".as_slice(), 10_000_000));
        assert_eq!(trace.body_head(1, BodySide::Request, 15).unwrap(), None);
        assert_eq!(trace.body_head(7, BodySide::Response, 15).unwrap(), None);
        assert_eq!(trace.body_head(1, BodySide::Response, usize::MAX).unwrap().unwrap().head.len(), 10_000_000);
    }
}
