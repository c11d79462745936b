//! The guide says what is true: each call in it gives the message that stands below it.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use common::{NOW, answers, bundled, inspector};
use serde_json::{Value, json};

/// The fenced blocks of the guide: what stands after the fence, and what in it.
fn blocks() -> Vec<(&'static str, &'static str)> {
    let fenced = include_str!("../GUIDE.md").split("```").skip(1).step_by(2);
    fenced.map(|block| block.split_once('\n').unwrap()).collect()
}

#[test]
fn every_call_of_the_guide_gives_what_the_guide_says() {
    let blocks = blocks();
    assert!(blocks.len() >= 2 * 7);
    let mut wrong = Vec::new();
    for pair in blocks.chunks(2) {
        let [(call, arguments), ("text", said)] = pair else { panic!("a call and what it says: {pair:?}") };
        let words: Vec<&str> = call.split(' ').collect();
        let ["json", tool, trace, rest @ ..] = words.as_slice() else { panic!("{call}") };
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let mut source = bundled(trace);
        let pages = match rest {
            ["pages"] => answers(&mut source, tool, arguments),
            _ => vec![inspector().call(&mut source, tool, arguments, NOW).unwrap()],
        };
        if pages[0]["message"] != said.trim_end() {
            wrong.push(format!("{tool} {trace}: {}", pages[0]["message"]));
        }
        if rest == ["pages"] {
            let seen: u64 = pages.iter().map(|answer| answer["count"].as_u64().unwrap()).sum();
            assert_eq!(pages[0]["total"], seen);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_three_patterns_give_less_than_everything() {
    let mut source = bundled("portal-move-a-patient-appointment");
    let mut size =
        |tool: &str, arguments: Value| inspector().call(&mut source, tool, arguments, NOW).unwrap().to_string().len();
    let everything = size("get_network_requests", json!({ "pageSize": 200, "includeResponseBodies": true }));
    assert!(size("get_network_requests", json!({ "failedOnly": true })) * 10 < everything);
    assert!(size("get_network_requests", json!({ "pageSize": 5 })) * 10 < everything);
    assert!(
        size("get_dom_snapshot", json!({ "selector": "h1" })) * 10
            < size("get_dom_snapshot", json!({ "maxNodes": 2_000, "maxDepth": 15 }))
    );
}
