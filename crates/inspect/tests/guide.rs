//! The guide says what is true: each call in it gives the message that stands below it.
#![allow(missing_docs, clippy::unwrap_used, reason = "tests")]

mod common;

use common::{NOW, answers, bundled, inspector};
use serde_json::{Value, json};

/// The fenced blocks of the guide: what stands after the fence, and what in it.
fn blocks() -> Vec<(&'static str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    let mut inside = false;
    for line in include_str!("../GUIDE.md").lines() {
        match line.strip_prefix("```") {
            Some("") if inside => inside = false,
            Some(info) => {
                inside = true;
                blocks.push((info, String::new()));
            }
            None if inside => {
                let block = &mut blocks.last_mut().unwrap().1;
                block.push_str(line);
                block.push('\n');
            }
            None => {}
        }
    }
    blocks
}

#[test]
fn every_call_of_the_guide_gives_what_the_guide_says() {
    let blocks = blocks();
    let mut calls = 0;
    let mut wrong = Vec::new();
    for pair in blocks.chunks(2) {
        let [(call, arguments), ("text", said)] = pair else { panic!("a call and what it says: {pair:?}") };
        let words: Vec<&str> = call.split(' ').collect();
        let ["json", tool, trace, rest @ ..] = words.as_slice() else { panic!("{call}") };
        let arguments: Value = serde_json::from_str(arguments).unwrap();
        let mut source = bundled(trace);
        let mut pages = Vec::new();
        if rest == ["pages"] {
            pages = answers(&mut source, tool, arguments);
        } else {
            pages.push(inspector().call(&mut source, tool, arguments, NOW).unwrap());
        }
        if pages[0]["message"] != said.trim_end() {
            wrong.push(format!("{tool} {trace}: {}", pages[0]["message"]));
        }
        calls += 1;
        if rest == ["pages"] {
            let seen: u64 = pages.iter().map(|answer| answer["count"].as_u64().unwrap()).sum();
            assert_eq!(pages[0]["total"], seen);
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(calls >= 7);
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
