//! Inputs that are damaged or made to harm: each is an error that says where, or a said gap, and
//! never a panic.

#[path = "common/zipped.rs"]
mod zipped;

use browserlens_core::page::Page;
use browserlens_core::strategy::{EventFilter, StepIndex};
use browserlens_import::{Format, ImportError, ImportOptions, ImportReport, import};
use browserlens_trace::{ExitClass, Trace};
use serde_json::{Value, json};
use std::path::Path;
use zipped::{call, goto, header, lines, page, zip};

fn options(folder: &Path) -> ImportOptions {
    ImportOptions { pages: 1, ..ImportOptions::new(folder.join("out")) }
}

fn tried(entries: &[(&str, Vec<u8>)], render: bool) -> (tempfile::TempDir, Result<ImportReport, ImportError>) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("trace.zip");
    zip(&path, entries);
    let options = ImportOptions { render, ..options(folder.path()) };
    let report = import(Format::Playwright, &[path], &options);
    (folder, report)
}

/// What comes of a trace of these lines without a browser.
fn imported(bytes: Vec<u8>) -> (tempfile::TempDir, ImportReport) {
    let (folder, report) = tried(&[("trace.trace", bytes)], false);
    (folder, report.unwrap_or_else(|error| panic!("{error}")))
}

/// A button, perhaps the one that was acted on.
fn button(is_target: bool) -> Value {
    let attributes = if is_target { json!({ "__playwright_target__": "" }) } else { json!({}) };
    json!(["BUTTON", attributes, "Go"])
}

fn error(entries: &[(&str, Vec<u8>)]) -> String {
    let (_folder, report) = tried(entries, true);
    let error = report.expect_err("it cannot be imported");
    assert_eq!(error.exit_class(), Some(ExitClass::Unreadable));
    assert!(!error.hint().is_empty());
    error.to_string()
}

#[test]
fn what_is_no_trace_says_what_is_missing() {
    let wait = call("c@1", "waitForTimeout", &json!({}), 1.0, &[("after", page(&[]))]);
    for (name, bytes, said) in [
        ("a.txt", b"x".to_vec(), "no .trace file"),
        ("trace.trace", b"{".to_vec(), "line 1"),
        ("trace.trace", b"\xff\xfe".to_vec(), "not UTF-8"),
        ("trace.trace", lines(&[header(99)]), "version 99, this build reads 3 to 10"),
        ("trace.trace", lines(&[header(2)]), "older than 3"),
        ("trace.trace", lines(&[header(8)]), "without snapshots"),
        ("trace.trace", lines(&[vec![header(10)], wait].concat()), "no action of it"),
    ] {
        assert!(error(&[(name, bytes)]).contains(said), "{said}");
    }
}

#[test]
fn a_truncated_archive_is_an_error_wherever_it_ends() {
    let folder = tempfile::tempdir().expect("folder");
    let (whole, cut) = (folder.path().join("whole.zip"), folder.path().join("cut.zip"));
    zip(&whole, &[("trace.trace", lines(&[vec![header(10)], goto(1.0, &[json!("x")])].concat()))]);
    let bytes = std::fs::read(&whole).expect("reads");
    for end in (0..bytes.len()).step_by(7) {
        std::fs::write(&cut, &bytes[..end]).expect("writes");
        let error =
            import(Format::Playwright, std::slice::from_ref(&cut), &options(folder.path())).expect_err("truncated");
        assert!(error.to_string().contains("cut.zip"), "{error}");
    }
}

fn opened(report: &ImportReport) -> Trace {
    let made = &report.traces[0];
    assert!(browserlens_trace::verify(&made.path).expect("verifies").is_ok());
    Trace::open(&made.path).expect("opens")
}

fn shown(trace: &Trace, step: u32) -> Page {
    Page::parse(&trace.capture(StepIndex(step)).expect("capture")).expect("parses")
}

#[test]
fn without_rendering_the_dom_comes_with_its_frames_shadow_trees_and_state() {
    let field =
        json!(["INPUT", { "__playwright_value_": "lamp", "__playwright_target__": "", "type": "text", "id": "q" }]);
    let shadow = json!(["DIV", {},
        ["template", { "__playwright_shadow_root_": "open" }, ["SPAN", { "id": "in" }, "inside"]], "light"]);
    let frame = json!(["IFRAME", { "src": "/snapshot/frame@2" }]);
    let mut events = vec![header(10)];
    events.extend(goto(1.0, std::slice::from_ref(&field)));
    let phases = [("action", page(&[field, shadow, frame])), ("after", page(&[]))];
    events.extend(call("c@2", "fill", &json!({ "value": "lamp" }), 20.0, &phases));
    events.push(json!({ "type": "frame-snapshot",
        "snapshot": { "callId": "c@2", "phase": "action", "pageId": "page@1", "frameId": "frame@2",
        "frameUrl": "http://shop.test/inner",
        "html": ["HTML", {}, ["BODY", {}, ["P", { "id": "framed" }, "in a frame"]]], "timestamp": 21.0 } }));
    let (_folder, report) = imported(lines(&events));
    let made = &report.traces[0];
    assert_eq!((made.steps, made.with_node, made.origin.rendered), (2, 1, false));
    assert!(made.origin.gaps.iter().any(|gap| gap.contains("not rendered")));
    let trace = opened(&report);
    let page = shown(&trace, 0);
    let by_id = |id: &str| page.nodes().find(|node| node.attribute("id") == Some(id)).unwrap_or_else(|| panic!("{id}"));
    assert_eq!(by_id("q").value(), "lamp");
    assert!(by_id("in").tag() == "span" && by_id("framed").tag() == "p");
    assert_eq!(page.frames().len(), 2);
    assert!(!page.nodes().any(|node| {
        node.attributes().any(|(name, _)| name.starts_with("browserlens-") || name.starts_with("__playwright"))
    }));
    let action = trace.step(StepIndex(1)).expect("row").action.expect("an action");
    assert_eq!(action.target, Some(by_id("q").key()));
}

#[test]
fn frames_that_hold_themselves_many_times_end_at_a_limit() {
    let frames: Vec<_> = (0..10).map(|_| json!(["IFRAME", { "src": "/snapshot/frame@1" }])).collect();
    let (_folder, report) = imported(lines(&[vec![header(10)], goto(1.0, &frames)].concat()));
    let gaps = report.traces[0].origin.gaps.join("\n");
    assert!(gaps.contains("more than 500 frames") && gaps.contains("nested deeper than 16"), "{gaps}");
    opened(&report);
}

#[test]
fn huge_numbers_doubled_keys_and_times_out_of_order_are_read_as_far_as_they_make_sense() {
    // The click is told before the page it is done on was opened, and at a time later than any.
    let mut events = vec![header(10)];
    events[0]["wallTime"] = json!(1e300);
    events[0]["options"]["viewport"] = json!({ "width": 1e300, "height": -5 });
    events[0]["options"]["deviceScaleFactor"] = json!(1e9);
    let click = [("action", page(&[button(true)])), ("after", page(&[json!("done")]))];
    events.extend(call("c@2", "click", &json!({ "selector": "button" }), 1e15, &click));
    events.extend(goto(-1e15, &[button(false)]));
    for event in &mut events {
        if event["type"] == "frame-snapshot" {
            event["snapshot"]["viewport"] = json!({ "width": 100_000, "height": 100_000 });
        }
    }
    events.push(json!({ "type": "console", "messageType": "log", "text": "x", "time": 1e308, "pageId": "page@1",
        "location": { "lineNumber": u64::MAX } }));
    events.push(json!({ "type": "event", "class": "BrowserContext", "method": "pageError", "time": -1e308,
        "params": { "pageId": "page@1", "error": { "name": "E", "message": "m" },
            "location": { "line": u64::from(u32::MAX) } } }));
    let mut bytes = lines(&events);
    bytes.extend(b"{\"type\":\"console\",\"type\":\"log\",\"time\":1,\"time\":2}\n");
    bytes.extend(b"{\"type\":\"console\",\"time\":1e999}\n");
    bytes.extend(
        b"{\"type\":\"frame-snapshot\",\"snapshot\":{\"frameId\":\"frame@1\",\"html\":[[99999999999,0]]}}\n".as_slice(),
    );
    let entry = json!({ "type": "resource-snapshot",
        "snapshot": { "_monotonicTime": 1e300, "time": 1e300, "pageref": "page@1",
        "request": { "url": "http://shop.test/x", "method": "GET" },
        "response": { "status": -7, "content": { "size": 1e300 } } } });
    let (_folder, report) = tried(&[("trace.trace", bytes), ("trace.network", lines(&[entry]))], false);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let made = &report.traces[0];
    assert_eq!((made.steps, made.with_node), (2, 1), "{:?}", made.origin.gaps);
    let gaps = made.origin.gaps.join("\n");
    assert!(gaps.contains("100000 x 100000 is not shown"), "{gaps}");
    assert!(gaps.contains("number out of range") && gaps.contains("a reference has no number"), "{gaps}");
    let trace = opened(&report);
    assert_eq!((trace.meta().viewport.width, trace.meta().viewport.height), (1280, 800));
    let events = trace.events(&EventFilter::default(), None, 100).expect("events");
    assert_eq!(events.len(), 3);
    assert!(events.windows(2).all(|pair| pair[0].at_ms <= pair[1].at_ms));
}

#[test]
fn lines_that_cannot_be_read_are_named_up_to_a_number() {
    let mut bytes = lines(&[vec![header(10)], goto(1.0, &[json!("x")])].concat());
    bytes.extend(b"{\n".repeat(3_000));
    let (_folder, report) = imported(bytes);
    let gaps = &report.traces[0].origin.gaps;
    assert!(gaps.iter().any(|gap| gap.contains("3000 lines cannot be read")) && gaps.len() < 120, "{}", gaps.len());
}

#[test]
fn contradictions_and_damaged_lines_are_gaps_of_a_trace_that_opens() {
    let hostile = json!(["SCRIPT", {}, "document.title = 'ran'"]);
    let image =
        json!(["IMG", { "src": "http://evil.test/x.png", "onerror": "document.title='ran'", "alt": "picture" }]);
    let frame = json!(["IFRAME", { "src": "/snapshot/frame@7" }]);
    let nowhere = json!([[9, 9]]);
    let phases = [
        ("before", page(&[button(false), nowhere.clone()])),
        ("action", page(&[button(true), nowhere, hostile, image, frame])),
        ("after", page(&[json!("done")])),
    ];
    let events = [
        vec![header(10)],
        goto(1.0, &[button(false)]),
        // The same call twice, an end of what never began, a snapshot without a frame, one that is
        // no tree.
        vec![
            json!({ "type": "after", "callId": "c@77" }),
            json!({ "type": "frame-snapshot", "snapshot": {} }),
            json!({ "type": "frame-snapshot", "snapshot": { "frameId": "frame@1", "html": { "a": 1 } } }),
            json!(null),
        ],
        call("c@2", "click", &json!({ "selector": "button" }), 20.0, &phases),
        call("c@3", "frobnicate", &json!({}), 40.0, &[]),
    ];
    let mut bytes = lines(&events.concat());
    bytes.extend(b"{\"type\": \n\xff\xff\n");
    let (folder, report) =
        tried(&[("trace.trace", bytes), ("trace.network", b"[]\n{\"type\":\"resource-snapshot\"}\n".to_vec())], true);
    let report = report.unwrap_or_else(|error| panic!("{error}"));
    let made = &report.traces[0];
    assert_eq!((made.steps, made.with_node), (2, 1));
    let gaps = made.origin.gaps.join("\n");
    for said in ["not UTF-8", "has no tree", "is not there", "frobnicate", "was not recorded"] {
        assert!(gaps.contains(said), "{said}: {gaps}");
    }
    let trace = Trace::open(&made.path).expect("opens");
    assert!((0..2).all(|step| shown(&trace, step).title() != "ran"));
    let action = trace.step(StepIndex(1)).expect("row").action.expect("an action");
    assert_eq!(action.taken.node.map(|node| (node.role, node.name)), Some(("button".to_owned(), "Go".to_owned())));
    // A trace that stands there is not overwritten.
    let again =
        import(Format::Playwright, &[folder.path().join("trace.zip")], &options(folder.path())).expect_err("exists");
    assert!(again.to_string().contains("exists already"), "{again}");
}
