//! Versions of MCP: a client that offers one that is not spoken gets the newest that is.

mod common;
#[path = "common/http.rs"]
mod http;

use browserlens_serve::{HttpOptions, Seats, serve_streams};
use common::on_trace;
use http::{send, start};
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

const TRACE: &str = "tiny-newsletter-signup";
/// What a client offers, and what it gets.
const VERSIONS: [(&str, &str); 6] = [
    ("2024-11-05", "2024-11-05"),
    ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"),
    ("2026-07-28", "2025-11-25"),
    ("2099-01-01", "2025-11-25"),
    ("next", "2025-11-25"),
];

fn hello(version: &str) -> Value {
    let params =
        json!({ "protocolVersion": version, "capabilities": {}, "clientInfo": { "name": "test", "version": "0" } });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params })
}

/// Sends messages to a new server over pipes, and returns the first answer to each that has an id.
async fn say(messages: &[Value]) -> Vec<Value> {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    let (read, write) = tokio::io::split(theirs);
    let seats = Seats::new(Arc::new(on_trace(TRACE)), Duration::from_secs(60), 1);
    let served = tokio::spawn(serve_streams(seats, CancellationToken::new(), read, write));
    let (input, mut output) = tokio::io::split(ours);
    let mut lines = BufReader::new(input).lines();
    let mut answers = Vec::new();
    for message in messages {
        output.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
        while let Some(id) = message.get("id") {
            let line = lines.next_line().await.expect("the server writes").expect("an answer");
            let answer: Value = serde_json::from_str(&line).expect("JSON");
            if answer["id"] == *id {
                answers.push(answer);
                break;
            }
        }
    }
    drop((output, lines));
    served.await.expect("no panic").expect("ends well");
    answers
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_offers_another_version_gets_the_newest_that_is_spoken() {
    for (offered, spoken) in VERSIONS {
        let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        let call = json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call",
            "params": { "name": "observe", "arguments": {} } });
        let answers = say(&[hello(offered), begun, call]).await;
        assert_eq!(answers[0]["result"]["protocolVersion"], spoken, "{offered}: {}", answers[0]);
        let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap_or_default();
        assert!(text.starts_with("[FULL PAGE STATE"), "{offered}: {}", answers[1]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn so_does_one_over_http() {
    let (address, listening, stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    for (offered, spoken) in VERSIONS {
        let accept = [("Accept", "application/json, text/event-stream")];
        let body = hello(offered).to_string();
        let reply = send(address, "POST", "/mcp", &accept, Some(&body)).await;
        assert_eq!(reply.status, 200, "{offered}: {reply:?}");
        assert!(reply.body.contains(&format!("\"protocolVersion\":\"{spoken}\"")), "{offered}: {reply:?}");
    }
    stop.cancel();
    listening.finished().await.expect("ends well");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_a_handshake_is_told_which_versions_there_are_and_can_still_begin() {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "0" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let list = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": { "_meta": meta } });
    let answers = say(&[list, hello("2025-11-25")]).await;
    assert_eq!(answers[0]["error"]["code"], -32022, "{}", answers[0]);
    let supported = answers[0]["error"]["data"]["supported"].as_array().expect("the list");
    assert!(supported.contains(&json!("2025-11-25")) && !supported.contains(&json!("2026-07-28")), "{}", answers[0]);
    assert_eq!(answers[1]["result"]["protocolVersion"], "2025-11-25", "{}", answers[1]);
}
