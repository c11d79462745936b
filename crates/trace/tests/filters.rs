//! What a trace lets pass is what the filter lets pass: with indices and without, by chunks for
//! searches and by rows.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use browserlens_core::strategy::{
    BodySide, ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event, EventFilter, EventKind, EventTally,
    RequestEvent, RequestParts, TabEvent,
};
use browserlens_trace::*;
use common::{begin, event, redactor, request, write, write_searched};
use proptest::prelude::{
    Just, ProptestConfig, Strategy, prop_assert, prop_assert_eq, prop_compose, prop_oneof, proptest,
};
use proptest::sample::select;

/// Texts whose case folds in unusual ways: to two characters, to ASCII, by what stands beside, not
/// at all.
const TEXTS: [&str; 14] = [
    "Größe", "a b", "Über", "K", "", "İ", "i\u{307}x", "\u{212a}ilo", "GROSSE ß", "ẞ", "ΟΔΟΣ", "ΣΑΣ Σ", "one\nTwo\r\n",
    "ab",
];

/// What is looked for in them, and across the ends of them.
const NEEDLES: [&str; 24] = [
    "größe", "k", "A", "TEST/", "", "İ", "i", "\u{307}", "\u{212a}", "KILO", "ß", "ss", "ς", "σ", "ΟΔΟΣ", "σας σ",
    "e\nt", "\n", "bab", "a ba b", "über", "x\u{212a}", "net::", "a.test/xa",
];

fn console() -> impl Strategy<Value = EventKind> {
    (
        select(vec!["error", "warning", "log", "exception", "table", "debug"]),
        select(TEXTS.to_vec()),
        select(vec!["", "http://a.test/x", "A"]),
    )
        .prop_map(|(level, text, url)| {
            let (level, text, url) = (level.into(), text.into(), url.into());
            EventKind::Console(ConsoleMessage { level, text, url, ..ConsoleMessage::default() })
        })
}

fn any_other() -> impl Strategy<Value = EventKind> {
    (0..3, select(TEXTS.to_vec()), select(TEXTS.to_vec())).prop_map(|(kind, one, other)| match kind {
        0 => EventKind::Dialog(DialogEvent {
            kind: DialogKind::Prompt,
            message: one.into(),
            accepted: None,
            typed: other.into(),
        }),
        1 => EventKind::Tab(TabEvent { what: "opened".into(), url: one.into(), title: other.into() }),
        _ => EventKind::Download(DownloadEvent {
            url: one.into(),
            file_name: other.into(),
            bytes: 1,
            state: "completed".into(),
        }),
    })
}

fn any_request() -> impl Strategy<Value = EventKind> {
    (
        select(vec!["GET", "POST", "get"]),
        select(vec![
            "http://a.test/x",
            "https://API.b.test:81/%",
            "http://c_d.test",
            "data:x",
            "//e",
            "http://e?x/y",
            "http://\u{212a}.test/İ",
        ]),
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
        contains in proptest::option::weighted(0.7, select(NEEDLES.to_vec())),
        bounds in (proptest::option::of(0u64..40), proptest::option::of(0u32..2), proptest::option::of(0u64..200)),
        methods in select(vec![vec![], vec![], vec!["GET"], vec!["post", "PUT"]]),
        statuses in select(vec![vec![], vec![], vec![(400, u16::MAX)], vec![(400, 499)], vec![(0, 0), (503, 599)]]),
        more in (
            select(vec![vec![], vec![], vec!["fetch", "xhr"]]),
            select(vec![None, None, Some("api"), Some("_"), Some("%"), Some("81"), Some("http"), Some("K")]),
            select(vec![None, None, Some(true), Some(false)]),
            select(vec![None, None, Some(2)]),
        ),
        parts in select(vec![RequestParts::Whole, RequestParts::Line]),
    ) -> EventFilter {
        let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
        EventFilter {
            kinds: own(kinds), from_step: steps.0, to_step: steps.1, levels: own(levels), without_levels: own(without),
            contains: contains.map(str::to_owned), to_position: bounds.0, tab: bounds.1, since_ms: bounds.2,
            methods: own(methods), statuses, resource_types: own(more.0), domain: more.1.map(str::to_owned),
            failed: more.2, min_duration_ms: more.3, parts,
        }
    }
}

/// How a trace is made, and so how it is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Made {
    Unfinished,
    Finished,
    WithChunks(usize),
}

fn record(path: &std::path::Path, kinds: &[EventKind], made: Made) -> Vec<Event> {
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
    match made {
        Made::Unfinished => drop(begin(path, redactor(), &steps)),
        Made::Finished => write(path, &steps),
        Made::WithChunks(rows) => {
            write_searched(path, &steps, SearchOptions { from_rows: 1, rows, ..SearchOptions::default() });
        }
    }
    written
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_trace_lets_pass_what_the_filter_lets_pass(
        kinds in proptest::collection::vec(prop_oneof![3 => console(), 3 => any_request(), 1 => any_other()], 0..30),
        filters in proptest::collection::vec((filter(), proptest::option::of(0u64..30), 0usize..12), 12),
        made in prop_oneof![
            Just(Made::Unfinished), Just(Made::Finished), Just(Made::WithChunks(1)), Just(Made::WithChunks(7)),
            Just(Made::WithChunks(1_000))
        ],
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.trace");
        let written = record(&path, &kinds, made);
        let trace = Trace::open(&path).unwrap();
        // Most filters let few rows pass: each term is looked for by itself as well.
        let plain = |needle: &str| EventFilter { contains: Some(needle.to_owned()), ..EventFilter::default() };
        let plain = NEEDLES.iter().map(|needle| (plain(needle), None, 30));
        for (filter, after, limit) in filters.into_iter().chain(plain) {
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
        prop_assert!(verify(&path).unwrap().is_ok());
    }
}

#[test]
fn the_beginning_of_a_body_is_read_without_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    for made in [Made::Finished, Made::Unfinished] {
        let path = folder.path().join(format!("{made:?}.trace"));
        let body = "0123456789".repeat(1_000_000);
        let kind =
            EventKind::Request(Box::new(RequestEvent { response_body: Some(body), ..request("http://a.test/") }));
        record(&path, &[kind], made);
        let trace = Trace::open(&path).unwrap();
        let head = trace.body_head(1, BodySide::Response, 15).unwrap().unwrap();
        assert_eq!((head.head.as_slice(), head.bytes), (b"012345678901234".as_slice(), 10_000_000));
        assert_eq!(trace.body_head(1, BodySide::Request, 15).unwrap(), None);
        assert_eq!(trace.body_head(7, BodySide::Response, 15).unwrap(), None);
        assert_eq!(trace.body_head(1, BodySide::Response, usize::MAX).unwrap().unwrap().head.len(), 10_000_000);
    }
}
