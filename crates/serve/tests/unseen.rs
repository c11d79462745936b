//! What nobody sees is in no answer: a page, its console, its requests, its dialogs and what is
//! known of it hold every kind of it, every tool is called, and so are the errors of tools.

mod common;
#[path = "unseen/hostile.rs"]
mod hostile;
#[path = "common/http.rs"]
mod http;

use browserlens_core::page::text::{count_unseen, is_unseen};
use browserlens_core::page::{BoxInDocument, Capture, Flags, NodeKey, NodeSpec, Page, PageBuilder};
use browserlens_core::strategy::{
    ActError, BodyHead, BodySide, CaptureImage, ConsoleMessage, DialogEvent, DialogKind, DownloadEvent, Event,
    EventFilter, EventKind, EventTally, PageSource, RequestEvent, SourceError, SourceId, StepIndex, TabEvent,
};
use browserlens_inspect::CursorKey;
use browserlens_knowledge::protocol::InstructionType;
use browserlens_knowledge::{Document, Knowledge, Store, ingest};
use browserlens_serve::HttpOptions;
use browserlens_session::{Act, KnowledgeBase, Opener, Policy, Shared, Source, TabLine, ToolError, Undone, tools};
use common::Mcp;
use hostile::shared;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Every unseen character there is, or those at the ends of their ranges.
fn unseen(all: bool) -> Vec<char> {
    let is = |code: u32| char::from_u32(code).is_some_and(is_unseen);
    (0..=0x0010_ffff)
        .filter(|code| is(*code) && (all || !is(code.wrapping_sub(1)) || !is(code + 1)))
        .filter_map(char::from_u32)
        .collect()
}

/// Every tool, with all that it can be asked for; what is asked hides something too.
fn calls(hidden: &str, reference: &str) -> Vec<(&'static str, Value)> {
    let mut calls = vec![
        ("observe", json!({})),
        ("observe", json!({ "full": true, "budget": 0 })),
        ("observe", json!({ "budget": 200 })),
        ("expand", json!({ "handle": "@m1" })),
        ("expand", json!({ "handle": format!("@m1{hidden}") })),
        ("find", json!({ "text": "", "limit": 1000 })),
        ("find", json!({ "text": hidden, "role": hidden })),
        ("read_text", json!({})),
        ("read_text", json!({ "query": "text message", "limit": 5 })),
        ("read_text", json!({ "query": format!("zebra {hidden}") })),
        ("read_text", json!({ "section": format!("nowhere{hidden}") })),
        ("read_text", json!({ "graph": true })),
        ("chunks", json!({ "maxTokens": 64, "includeLinks": true })),
        ("snapshot", json!({ "grep": "main|x" })),
        ("snapshot", json!({ "mode": "outline", "grep": format!("main|{}", hidden.replace(['\n', '\r'], "")) })),
        ("snapshot", json!({ "mode": "content", "grep": format!("(?x)\n main # {hidden}") })),
        ("snapshot", json!({ "selector": format!("#nowhere{hidden}") })),
        ("snapshot", json!({ "selector": format!("@e9{hidden}") })),
        ("get_summary", json!({})),
        ("get_text", json!({})),
        ("get_text", json!({ "selector": format!("main, .x{hidden}") })),
        ("get_html", json!({ "selector": format!("#nowhere{hidden}") })),
        ("get_console_messages", json!({ "logLevels": [] })),
        ("get_console_messages", json!({ "searchTerm": "message" })),
        ("get_console_messages", json!({ "searchTerm": hidden })),
        ("get_console_messages", json!({ "preset": hidden })),
        ("get_network_requests", json!({})),
        ("get_network_requests", json!({ "searchTerm": hidden, "domain": hidden })),
        ("get_network_requests", json!({ "bodyPath": format!("$[{hidden}") })),
        ("get_dom_snapshot", json!({ "includeStyles": true })),
        ("get_dom_snapshot", json!({ "selector": format!("main, .x{hidden}") })),
        ("navigate", json!({ "url": format!("https://shop.test/{hidden}") })),
        ("tabs", json!({})),
        ("tabs", json!({ "open": format!("https://shop.test/{hidden}") })),
        ("tabs", json!({ "switch": 1 })),
        ("tabs", json!({ "close": true })),
        ("screenshot", json!({})),
        ("screenshot", json!({ "ref": reference })),
        ("wait", json!({ "text": hidden })),
        ("press", json!({ "key": "Enter", "ref": reference })),
        ("press", json!({ "key": hidden.chars().take(90).collect::<String>() })),
        ("upload", json!({ "ref": reference, "files": [hidden] })),
        ("dialog", json!({ "accept": true, "text": hidden })),
        (Box::leak(format!("tool{hidden}").into_boxed_str()), json!({})),
        ("click", json!({ "ref": hidden })),
        ("observe", json!({ hidden: hidden })),
        ("observe", json!({ "strategy": hidden })),
    ];
    for (mode, format) in [("interactive", "tree"), ("outline", "tree"), ("outline", "markdown"), ("content", "tree")] {
        calls.push(("snapshot", json!({ "mode": mode, "format": format })));
    }
    calls.push(("snapshot", json!({ "format": "markdown" })));
    for tool in ["click", "hover", "scroll"] {
        for _ in 0..4 {
            calls.push((tool, json!({ "ref": reference })));
            calls.push(("observe", json!({})));
        }
    }
    for _ in 0..4 {
        calls.push(("type", json!({ "ref": reference, "text": hidden })));
        calls.push(("select", json!({ "ref": reference, "option": hidden })));
        calls.push(("drag", json!({ "from": reference, "to": reference })));
        calls.push((
            "fill",
            json!({ "fields": [{ "ref": reference, "value": hidden }, { "ref": hidden, "value": true }] }),
        ));
        calls.push(("evaluate", json!({ "expression": hidden })));
        calls.push(("back", json!({})));
        calls.push(("forward", json!({})));
    }
    for kind in InstructionType::ALL {
        for target in ["shop", "How to order", hidden] {
            calls.push(("query_knowledge_for_agent", json!({ "instruction_type": kind, "target": target })));
        }
    }
    calls.push(("query_knowledge_for_agent", json!({ "instruction_type": hidden, "target": hidden })));
    let unknown = json!({ "instruction_type": "find_screen", "target": "x", "knowledge_id": hidden });
    calls.push(("query_knowledge_for_agent", unknown));
    calls.push(("fill_action_gaps", json!({ "knowledge_id": "default" })));
    for target in ["How to order", hidden] {
        calls.push(("follow", json!({ "knowledge": target, "values": { hidden: hidden } })));
    }
    calls.push(("fill_action_gaps", json!({ "knowledge_id": hidden })));
    calls
}

/// What is asked for as it is.
fn calls_for_bytes() -> Vec<(&'static str, Value)> {
    vec![
        ("snapshot", json!({ "mode": "content", "format": "html" })),
        ("snapshot", json!({ "mode": "outline", "format": "html" })),
        ("snapshot", json!({ "mode": "interactive", "format": "html" })),
        ("get_network_requests", json!({ "includeResponseBodies": true, "includeRequestBodies": true })),
        ("get_network_requests", json!({ "bodyPath": "$.list[*]" })),
        // What is no JSON has no shape: it comes whole.
        ("get_network_requests", json!({ "bodyShape": true })),
        ("get_html", json!({})),
    ]
}

/// Checks every text and name of a value.
fn is_seen(value: &Value, about: &str) {
    match value {
        Value::String(text) => {
            let found = text.chars().find(|c| is_unseen(*c) && !matches!(c, '\n' | '\t'));
            assert_eq!(found, None, "{about}: {text:?}");
        }
        Value::Array(items) => items.iter().for_each(|item| is_seen(item, about)),
        Value::Object(members) => members.iter().for_each(|(name, value)| {
            is_seen(&Value::from(name.as_str()), about);
            is_seen(value, about);
        }),
        _ => {}
    }
}

/// Checks that an answer to who asks for bytes says how many unseen characters each part of it
/// holds.
fn is_counted(tool: &str, text: &str) {
    if tool == "snapshot" {
        let count = count_unseen(text);
        // An outline cuts names before what is hidden in them.
        assert!(count > 0 || text.contains(" words -->"), "{text:?}");
        assert_eq!(text.contains(&format!("<!-- unseen characters: {count} -->")), count > 0, "{count}: {text:?}");
        return;
    }
    let mut answer: Value = serde_json::from_str(text).expect("JSON");
    if tool == "get_html" {
        let html = answer["data"].take();
        let count = count_unseen(html.as_str().expect("HTML"));
        assert!(count > 0 && answer["unseenCharacters"] == json!(count), "{count}: {answer}");
        return is_seen(&answer, "beside the HTML");
    }
    fn bodies(value: &mut Value, found: &mut u64) {
        match value {
            Value::Object(body) if body.contains_key("unseenCharacters") => {
                let [text, json] = ["text", "json"].map(|part| body.remove(part).unwrap_or_default());
                fn count(value: &Value) -> u64 {
                    match value {
                        Value::String(text) => count_unseen(text),
                        Value::Array(items) => items.iter().map(count).sum(),
                        Value::Object(members) => {
                            members.iter().map(|(name, value)| count_unseen(name) + count(value)).sum()
                        }
                        _ => 0,
                    }
                }
                assert_eq!(body["unseenCharacters"], json!(count(&text) + count(&json)));
                *found += 1;
            }
            Value::Object(members) => members.values_mut().for_each(|value| bodies(value, found)),
            Value::Array(items) => items.iter_mut().for_each(|value| bodies(value, found)),
            _ => {}
        }
    }
    let mut found = 0;
    bodies(&mut answer, &mut found);
    assert!(found > 0, "no body says what it hides: {text:?}");
    is_seen(&answer, "beside the bodies");
}

async fn every_answer(hidden: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut mcp = Mcp::start(shared(hidden, folder.path())).await;
    let first = mcp.call("observe", json!({ "budget": 10_000 })).await;
    let reference = first.split([' ', '\n']).find(|word| word.starts_with("@e")).expect("a ref").to_owned();
    let mut called = BTreeSet::new();
    for (tool, arguments) in calls(hidden, &reference) {
        let answer = mcp.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        is_seen(&answer, &format!("{tool} {arguments}"));
        called.insert(tool);
    }
    let missing: Vec<&str> = tools().iter().map(|tool| tool.name).filter(|name| !called.contains(name)).collect();
    assert!(missing.is_empty(), "never called: {missing:?}");
    for (tool, arguments) in calls_for_bytes() {
        is_counted(tool, &mcp.call(tool, arguments).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_of_any_tool_holds_what_nobody_sees() {
    every_answer(&unseen(false).into_iter().collect::<String>()).await;
    every_answer("\u{e0069}\u{e0067}\u{e006e}\u{e006f}\u{e0072}\u{e0065}").await;
    every_answer("\u{202e}").await;
    every_answer("\u{7f}").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_unseen_character_is_escaped_by_the_tools_that_read() {
    for part in unseen(true).chunks(700) {
        let hidden: String = part.iter().collect();
        let folder = tempfile::tempdir().expect("a folder");
        let mut mcp = Mcp::start(shared(&hidden, folder.path())).await;
        for (tool, arguments) in [
            ("observe", json!({})),
            ("read_text", json!({})),
            ("snapshot", json!({ "mode": "content" })),
            ("snapshot", json!({ "format": "markdown" })),
            ("snapshot", json!({ "mode": "outline" })),
            ("get_console_messages", json!({ "logLevels": [] })),
            ("get_dom_snapshot", json!({})),
        ] {
            let answer = mcp.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
            assert!(answer["result"]["isError"] != json!(true), "{tool}: {answer}");
            is_seen(&answer, tool);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_over_http_holds_what_nobody_sees() {
    // A NUL and line ends may not stand in a path.
    let hidden: String = unseen(false).into_iter().collect();
    let folder = tempfile::tempdir().expect("a folder");
    let (address, listening, stop) = http::start(shared(&hidden, folder.path()), HttpOptions::default()).await;
    let session = http::begin(address).await;
    let headers = [("Browserlens-Session", session.as_str())];
    for (tool, arguments) in calls(&hidden, "@e1") {
        if tools().iter().any(|known| known.name == tool) {
            let reply =
                http::send(address, "POST", &format!("/v1/{tool}"), &headers, Some(&arguments.to_string())).await;
            is_seen(&reply.json(), &format!("{tool} {arguments}"));
            assert!(!reply.body.contains(is_unseen), "{tool}: {:?}", reply.body);
        }
    }
    for (kind, target) in [("find_screen", "shop"), ("execute_task", hidden.as_str()), (hidden.as_str(), "")] {
        let body = json!({ "instruction_type": kind, "target": target }).to_string();
        for id in ["default", "other%E2%80%AE%F3%A0%81%A1"] {
            let path = format!("/knowledge/{id}/query");
            let reply = http::send(address, "POST", &path, &[], Some(&body)).await;
            is_seen(&reply.json(), &path);
        }
    }
    for path in ["/v1/tool%E2%80%AE%F3%A0%81%A1", "/%E2%80%AE", "/openapi.json"] {
        let method = if path.starts_with("/v1") { "POST" } else { "GET" };
        let reply = http::send(address, method, path, &headers, (method == "POST").then_some("{}")).await;
        is_seen(&reply.json(), path);
    }
    stop.cancel();
    listening.finished().await.expect("ends well");
}
