//! One corrupt input for each thing that an importer says about inputs that it cannot read. No
//! browser is needed.

use browserlens_import::{Format, ImportError, ImportOptions, ImportedScenario, Limits, import};
use browserlens_trace::ExitClass;
use serde_json::{Value, json};

/// Imports files below a folder as one input; returns the error.
fn error_of(
    format: Format,
    input: &str,
    files: &[(&str, &[u8])],
    change: impl FnOnce(&mut ImportOptions),
) -> ImportError {
    let folder = tempfile::tempdir().expect("folder");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("folder");
        std::fs::write(path, bytes).expect("writes");
    }
    let mut options = ImportOptions { render: false, ..ImportOptions::new(folder.path().join("out")) };
    change(&mut options);
    import(format, &[folder.path().join(input)], &options).expect_err(input)
}

fn said(format: Format, input: &str, files: &[(&str, &[u8])]) -> String {
    let error = error_of(format, input, files, |_| {});
    assert!(!error.hint().is_empty() && error.exit_class() == Some(ExitClass::Unreadable), "{error}");
    error.to_string()
}

#[track_caller]
fn assert_says(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

const SNAPSHOT: &[u8] = br##"{"documents":[{"documentURL":0,"frameId":1,"nodes":{"parentIndex":[-1],"nodeType":[9],
    "nodeName":[2],"nodeValue":[-1],"backendNodeId":[1],"attributes":[[]]}}],
    "strings":["http://a.test/","F","#document"]}"##;
const AX: &[u8] = br#"{"nodes":[]}"#;

#[test]
fn inputs_that_are_not_there_are_named() {
    for format in Format::ALL {
        let text = said(format, "missing", &[]);
        assert_says(&text, &["missing", "cannot "]);
    }
}

#[test]
fn pairs_say_which_half_is_damaged() {
    let pairs =
        |dom: &[u8], ax: &[u8]| said(Format::Cdp, "p", &[("p/axtrees/1.json", ax), ("p/dom_snapshots/1.json", dom)]);
    assert_says(&said(Format::Cdp, "p", &[("p/x.txt", b"")]), &["it has no axtrees/*.json"]);
    assert_says(&pairs(b"\xff", AX), &["dom_snapshots/1.json", "it is not UTF-8"]);
    assert_says(&pairs(SNAPSHOT, b"\xff"), &["axtrees/1.json", "it is not UTF-8"]);
    assert_says(&pairs(b"{}", AX), &["dom_snapshots/1.json", "missing field"]);
    assert_says(&pairs(b"{\"documents\":[],\"strings\":[]}", AX), &["the snapshot has no document"]);
    assert_says(&pairs(b"{\"documents\":[[]],\"strings\":[]}", AX), &["document 0 of the snapshot is no object"]);
    assert_says(&pairs(b"[[{}],[]]", AX), &["the snapshot has no strings"]);
    // Lists read as nodes whose fields have no names: here with a child of another frame.
    let two = br#"{"documents":[{"frameId":0,"nodes":{}},{"frameId":1,"nodes":{}}],"strings":["F","G"]}"#;
    assert_says(&pairs(two, br#"{"nodes":[["1","F",["2"]],["2","G",[]]]}"#), &["p", "does not parse"]);
    assert_says(&pairs(SNAPSHOT, b"{"), &["the accessibility tree"]);
    assert_says(
        &pairs(SNAPSHOT, &format!("{{\"nodes\":[{}1{}]}}", "[".repeat(500), "]".repeat(500)).into_bytes()),
        &["recursion limit"],
    );
    // Where no frame has to be told from another, nodes are not taken apart: what is no JSON in
    // them is found all the same.
    for broken in [
        "{\"nodeId\":\"1\",}",
        "{\"nodeId\":\"1\" \"role\":{}}",
        "{\"childIds\":[1,]}",
        "{\"name\":\"\\x\"}",
        "{\"odd\":[}]}",
    ] {
        assert_says(&pairs(SNAPSHOT, format!("{{\"nodes\":[{broken}]}}").as_bytes()), &["the accessibility tree"]);
    }
    let snapshot = String::from_utf8_lossy(SNAPSHOT).replace("\"attributes\":[[]]", "\"attributes\":[[]],\"odd\":[01]");
    assert_says(&pairs(snapshot.as_bytes(), AX), &["the snapshot"]);
    let many = format!("{{\"documents\":[{}],\"strings\":[]}}", vec!["{\"nodes\":{}}"; 501].join(","));
    assert_says(&pairs(many.as_bytes(), AX), &["more than 500 documents"]);
    let files: [(&str, &[u8]); 3] =
        [("p/axtrees/1.json", AX), ("p/dom_snapshots/1.json", SNAPSHOT), ("p/actions.json", b"{")];
    assert_says(&said(Format::Cdp, "p", &files), &["actions.json"]);
    let limits = Limits { entry_bytes: 50, ..Limits::default() };
    let large = error_of(Format::Cdp, "p", &files[..2], |options| options.limits = limits).to_string();
    assert_says(&large, &["dom_snapshots/1.json", "its size is over the limit of 50"]);
}

#[test]
fn demonstrations_say_what_of_them_is_missing() {
    let with = |metadata: &[u8]| {
        said(Format::Weblinx, "w", &[("w/metadata.json", metadata), ("w/demonstrations/abc/x.json", b"")])
    };
    assert_says(&said(Format::Weblinx, "w", &[("w/x", b"")]), &["it has no metadata.json"]);
    assert_says(&with(b"{"), &["metadata.json", "EOF"]);
    assert_says(&with(b"[1]"), &["metadata.json", "invalid type"]);
    assert_says(&with(b"{\"valid\":{\"other\":{}}}"), &["names no demonstration whose files are here"]);
    assert_says(&with(b"{\"valid\":{\"abc\":3}}"), &["demonstration abc", "its steps are no list"]);
}

#[test]
fn tasks_say_which_one_is_damaged() {
    let of = |bytes: &[u8]| said(Format::Mind2web, "t.json", &[("t.json", bytes)]);
    assert_says(&of(b"\x80\x04."), &["a pickle is never read"]);
    let told: [(&[u8], &str); 6] = [
        (b"", "no tasks"),
        (b"[]", "no tasks"),
        (b"[{\"actions\":[{}]},{\"actions\":[]}]", "task 2: it has no actions"),
        (b"[{\"actions\":3}]", "task 1, line 1"),
        (b"[{\"annotation_id\":\"\xff\"}]", "task 1"),
        (b"{\"annotation_id\":\"a1\",\"actions\":[{\"raw_html\":\"<ht", "task 1"),
    ];
    told.iter().for_each(|(bytes, said)| assert_says(&of(bytes), &[said]));
    assert_says(
        &of(b"[{\"annotation_id\":\"a\",\"annotation_id\":\"b\"}]"),
        &["task 1", "duplicate field `annotation_id`"],
    );
    let deep = format!("[{{\"neg_candidates\":{}{},\"actions\":3}}]", "[".repeat(300), "]".repeat(300));
    assert_says(&of(deep.as_bytes()), &["task 1"]);
    let limits = Limits { entry_bytes: 10_000, ..Limits::default() };
    let large = format!("[{{\"actions\":[{{\"raw_html\":\"{}\"}}]}}]", "x".repeat(100_000));
    let large =
        error_of(Format::Mind2web, "t.json", &[("t.json", large.as_bytes())], |options| options.limits = limits);
    assert_says(&large.to_string(), &["one task has more than 10000 bytes"]);
}

#[test]
fn pages_over_a_limit_are_errors_where_the_dom_is_derived() {
    let html = format!("<p>{}", "<i>x</i>".repeat(50));
    let task = json!([{ "annotation_id": "a", "actions": [{ "raw_html": html, "operation": { "op": "CLICK" } }] }])
        .to_string();
    let limits = Limits { nodes: 40, ..Limits::default() };
    let error = error_of(Format::Mind2web, "t.json", &[("t.json", task.as_bytes())], |options| options.limits = limits);
    assert_says(&error.to_string(), &["step 0", "the page has more than 40 nodes"]);
}

#[test]
fn scripts_say_what_they_lack() {
    let scripts = [(Format::BrowserUse, "history"), (Format::DevtoolsRecorder, "steps"), (Format::Selenium, "tests")];
    for (format, list) in scripts {
        let of = |bytes: &[u8]| said(format, "s.json", &[("s.json", bytes)]);
        assert_says(&of(b"\x80\x04."), &["a pickle is never read"]);
        assert_says(&of(b"{\"a\":\"\xff\"}"), &["byte 6", "it is not UTF-8"]);
        assert_says(&of(b"{\n\"a\":"), &["line 2"]);
        assert_says(&of(format!("{}{}", "[".repeat(300), "]".repeat(300)).as_bytes()), &["recursion limit"]);
        for odd in ["{}", "[]", &format!("\u{feff}{{{list:?}:3}}")] {
            assert_says(&of(odd.as_bytes()), &[&format!("it has no list {list:?}")]);
        }
        let long = json!({ list: vec![0; 10_001] }).to_string();
        assert_says(&of(long.as_bytes()), &["its length is over the limit of 10000"]);
    }
    let odd = json!({ "title": "x", "steps": [{ "type": "navigate", "url": "no URL" }] }).to_string();
    for script in ["{\"steps\":[]}", &odd] {
        let text = said(Format::DevtoolsRecorder, "s.json", &[("s.json", script.as_bytes())]);
        assert_says(&text, &["it never says on which page it begins"]);
    }
    let other = |url: &str| {
        scenario_of(&[
            json!({ "type": "navigate", "url": "http://a.test/" }),
            json!({ "type": "navigate", "url": url }),
        ])
        .0
    };
    assert_eq!((other("javascript:alert(1)").steps, other("/b").steps), (0, 1));
    assert_says(&other("javascript:alert(1)").gaps.join("\n"), &["is no page that can be opened"]);
}

/// The scenario of a script of DevTools, and its text.
fn scenario_of(steps: &[Value]) -> (ImportedScenario, String) {
    let folder = tempfile::tempdir().expect("folder");
    let path = folder.path().join("keys.json");
    std::fs::write(&path, json!({ "steps": steps }).to_string()).expect("writes");
    let report = import(Format::DevtoolsRecorder, &[path], &ImportOptions::new(folder.path().join("out")));
    let made = report.expect("imports").scenarios.remove(0);
    let text = std::fs::read_to_string(&made.path).expect("reads");
    (made, text)
}

#[test]
fn modifiers_that_are_held_again_are_held_once() {
    let mut steps = vec![json!({ "type": "navigate", "url": "http://a.test/" })];
    steps.extend(vec![json!({ "type": "keyDown", "key": "Shift" }); 2_000]);
    steps.push(json!({ "type": "keyDown", "key": "A" }));
    let (made, text) = scenario_of(&steps);
    assert!(text.contains("press = \"Shift+A\""), "{text}");
    assert!(made.path.ends_with("keys.toml"));
}

#[test]
fn attached_requests_say_what_they_lack() {
    let task = json!([{ "annotation_id": "a", "actions": [{ "raw_html": "<p>x", "operation": { "op": "CLICK" } }] }])
        .to_string();
    let with = |har: &[u8]| {
        let files: [(&str, &[u8]); 1] = [("t.json", task.as_bytes())];
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("a.har");
        std::fs::write(&path, har).expect("writes");
        error_of(Format::Mind2web, "t.json", &files, |options| options.har = Some(path)).to_string()
    };
    assert_says(&with(b"{\"log\":{}}"), &["a.har", "it has no log.entries: it is no HAR"]);
    assert_says(&with(b"{"), &["a.har", "line 1"]);
    let long = format!("{{\"log\":{{\"entries\":[{}0]}}}}", "0,".repeat(200_000));
    assert_says(&with(long.as_bytes()), &["log.entries", "its length is over the limit of 200000"]);
}
