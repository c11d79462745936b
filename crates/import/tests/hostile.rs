//! Inputs that are damaged or made to harm: each is an error that says where, or a said gap, and never a panic.

#[path = "common/zipped.rs"]
mod zipped;

use browserlens_import::{Format, ImportError, ImportOptions, ImportReport, import};
use browserlens_trace::{ExitClass, Trace};
use serde_json::json;
use std::path::Path;
use zipped::{call, header, lines, page, zip};

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

fn error(entries: &[(&str, Vec<u8>)]) -> String {
    let (_folder, report) = tried(entries, true);
    let error = report.expect_err("it cannot be imported");
    assert_eq!(error.exit_class(), Some(ExitClass::Unreadable));
    assert!(!error.hint().is_empty());
    error.to_string()
}

#[test]
fn what_is_no_trace_says_what_is_missing() {
    assert!(error(&[("a.txt", b"x".to_vec())]).contains("no .trace file"));
    assert!(error(&[("trace.trace", b"{".to_vec())]).contains("line 1"));
    assert!(error(&[("trace.trace", b"\xff\xfe".to_vec())]).contains("not UTF-8"));
    assert!(error(&[("trace.trace", lines(&[header(99)]))]).contains("version 99, this build reads 3 to 10"));
    assert!(error(&[("trace.trace", lines(&[header(2)]))]).contains("older than 3"));
    assert!(error(&[("trace.trace", lines(&[header(8)]))]).contains("without snapshots"));
    let wait = call("c@1", "waitForTimeout", &json!({}), 1.0, &[("after", page(&[]))]);
    assert!(error(&[("trace.trace", lines(&[vec![header(10)], wait].concat()))]).contains("no action of it"));
}

#[test]
fn a_truncated_archive_is_an_error_wherever_it_ends() {
    let folder = tempfile::tempdir().expect("folder");
    let (whole, cut) = (folder.path().join("whole.zip"), folder.path().join("cut.zip"));
    let goto = call("c@1", "goto", &json!({ "url": "http://shop.test/" }), 1.0, &[("after", page(&[json!("x")]))]);
    zip(&whole, &[("trace.trace", lines(&[vec![header(10)], goto].concat()))]);
    let bytes = std::fs::read(&whole).expect("reads");
    for end in (0..bytes.len()).step_by(7) {
        std::fs::write(&cut, &bytes[..end]).expect("writes");
        let error =
            import(Format::Playwright, std::slice::from_ref(&cut), &options(folder.path())).expect_err("truncated");
        assert!(error.to_string().contains("cut.zip"), "{error}");
    }
}

#[test]
fn without_rendering_a_snapshot_says_that_it_has_to_be_rendered() {
    let goto = call("c@1", "goto", &json!({ "url": "http://shop.test/" }), 1.0, &[("after", page(&[json!("x")]))]);
    let (_folder, report) = tried(&[("trace.trace", lines(&[vec![header(10)], goto].concat()))], false);
    assert!(report.expect_err("an error").to_string().contains("has to be rendered"));
}

#[test]
fn contradictions_and_damaged_lines_are_gaps_of_a_trace_that_opens() {
    let button = |mark: bool| match mark {
        true => json!(["BUTTON", { "__playwright_target__": "" }, "Go"]),
        false => json!(["BUTTON", {}, "Go"]),
    };
    let hostile = json!(["SCRIPT", {}, "document.title = 'ran'"]);
    let image =
        json!(["IMG", { "src": "http://evil.test/x.png", "onerror": "document.title='ran'", "alt": "picture" }]);
    let events = [
        vec![header(10)],
        call("c@1", "goto", &json!({ "url": "http://shop.test/" }), 1.0, &[("after", page(&[button(false)]))]),
        // The same call twice, an end of what never began, a snapshot without a frame, one that is no tree.
        vec![
            json!({ "type": "after", "callId": "c@77" }),
            json!({ "type": "frame-snapshot", "snapshot": {} }),
            json!({ "type": "frame-snapshot", "snapshot": { "frameId": "frame@1", "html": { "a": 1 } } }),
            json!(null),
        ],
        call(
            "c@2",
            "click",
            &json!({ "selector": "button" }),
            20.0,
            &[
                ("before", page(&[button(false), json!([[9, 9]])])),
                (
                    "action",
                    page(&[
                        button(true),
                        json!([[9, 9]]),
                        hostile,
                        image,
                        json!(["IFRAME", { "src": "/snapshot/frame@7" }]),
                    ]),
                ),
                ("after", page(&[json!("done")])),
            ],
        ),
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
    for step in 0..2 {
        let page =
            browserlens_page::Page::parse(&trace.capture(browserlens_strategy::StepIndex(step)).expect("capture"))
                .expect("parses");
        assert_ne!(page.title(), "ran");
    }
    let action = trace.step(browserlens_strategy::StepIndex(1)).expect("row").action.expect("an action");
    assert_eq!(action.taken.node.map(|node| (node.role, node.name)), Some(("button".to_owned(), "Go".to_owned())));
    // A trace that stands there is not overwritten.
    let again =
        import(Format::Playwright, &[folder.path().join("trace.zip")], &options(folder.path())).expect_err("exists");
    assert!(again.to_string().contains("exists already"), "{again}");
}
