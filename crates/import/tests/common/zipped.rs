//! Traces written by hand, in the layout that Playwright writes.

#![allow(dead_code, reason = "each test file uses a part of it")]

use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Writes a zip file.
pub fn zip(path: &Path, entries: &[(&str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).expect("file"));
    for (name, bytes) in entries {
        zip.start_file(*name, zip::write::SimpleFileOptions::default()).expect("starts");
        zip.write_all(bytes).expect("writes");
    }
    zip.finish().expect("finishes");
}

/// One line of JSON each.
pub fn lines(events: &[Value]) -> Vec<u8> {
    events.iter().flat_map(|event| format!("{event}\n").into_bytes()).collect()
}

pub fn header(version: u64) -> Value {
    json!({ "version": version, "type": "context-options", "origin": "library", "browserName": "chromium",
        "options": { "viewport": { "width": 800, "height": 600 } }, "wallTime": 1_700_000_000_000_u64,
        "monotonicTime": 0 })
}

/// A call with its moments; each phase has its own snapshot.
pub fn call(id: &str, method: &str, params: &Value, at: f64, phases: &[(&str, Value)]) -> Vec<Value> {
    let mut events = vec![
        json!({ "type": "before", "callId": id, "startTime": at, "class": "Frame", "method": method, "params": params,
            "pageId": "page@1" }),
    ];
    for (place, (phase, html)) in phases.iter().enumerate() {
        events.push(json!({ "type": "frame-snapshot",
            "snapshot": { "callId": id, "phase": phase, "pageId": "page@1", "frameId": "frame@1",
            "frameUrl": "http://shop.test/", "doctype": "html", "html": html,
            "viewport": { "width": 800, "height": 600 },
            "timestamp": at + 1.0 + place as f64, "resourceOverrides": [], "isMainFrame": true } }));
    }
    events.push(json!({ "type": "after", "callId": id, "endTime": at + 9.0 }));
    events
}

/// The call that opens the shop.
pub fn goto(at: f64, body: &[Value]) -> Vec<Value> {
    call("c@1", "goto", &json!({ "url": "http://shop.test/" }), at, &[("after", page(body))])
}

/// A page with this body.
pub fn page(body: &[Value]) -> Value {
    let mut list = vec![json!("BODY"), json!({})];
    list.extend(body.iter().cloned());
    json!(["HTML", { "lang": "en" }, ["HEAD", {}, ["BASE", { "href": "http://shop.test/" }], ["TITLE", {}, "Shop"]],
        list])
}
