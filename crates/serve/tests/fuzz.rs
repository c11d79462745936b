//! Ten thousand malformed messages, over MCP and HTTP: no panic, no hang, and the server still
//! answers.

#![allow(clippy::print_stdout, reason = "the measured figures are what it is run for")]

mod common;
#[path = "common/http.rs"]
mod http;

use browserlens_serve::HttpOptions;
use common::{Mcp, on_trace, resident};
use http::{begin, raw, send, start};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::CancellationToken;

const TRACE: &str = "tiny-newsletter-signup";

/// Numbers that are the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }
}

const SEEDS: [&str; 12] = [
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"observe","arguments":{}}}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"click","arguments":{"ref":"@e1"}}}"#,
    r#"{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"find","arguments":{"text":"a"}}}"#,
    concat!(
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"snapshot","arguments":{"grep":"((","#,
        r#""selector":"a["}}}"#
    ),
    concat!(
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_network_requests","#,
        r#""arguments":{"cursor":"AAAA"}}}"#
    ),
    r#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#,
    r#"{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}"#,
    r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#,
    r#"{"jsonrpc":"2.0","id":7,"result":{}}"#,
    r#"[{"jsonrpc":"2.0","id":7,"method":"ping"}]"#,
    r#"{"instruction_type":"find_screen","target":"x"}"#,
    r#"{"ref":"@e1","text":"x","budget":5}"#,
];

const PIECES: [&str; 12] =
    ["{", "}", "[", "]", "\"", ":", ",", "null", "1e999", "\\ud800", "\u{202e}\u{0}", "-99999999999999999999"];

fn broken(random: &mut Random) -> Vec<u8> {
    let mut bytes = SEEDS[random.next(SEEDS.len())].as_bytes().to_vec();
    for _ in 0..=random.next(4) {
        let at = random.next(bytes.len().max(1)).min(bytes.len());
        match random.next(6) {
            0 => bytes.truncate(at),
            1 => {
                let piece = PIECES[random.next(PIECES.len())].as_bytes();
                bytes.splice(at..at, piece.iter().copied());
            }
            2 if at < bytes.len() => bytes[at] = random.next(256) as u8,
            3 => {
                let deep = "[".repeat(random.next(3_000));
                bytes.splice(at..at, deep.bytes());
            }
            4 if at < bytes.len() => {
                bytes.remove(at);
            }
            _ => {
                let end = (at + random.next(40)).min(bytes.len());
                let again = bytes[at..end].to_vec();
                bytes.extend(again);
            }
        }
    }
    bytes
}

fn count_panics() -> Arc<AtomicU64> {
    let panics = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&panics);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        counted.fetch_add(1, Ordering::Relaxed);
        before(info);
    }));
    panics
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_malformed_messages_neither_stop_nor_hang_the_server() {
    let panics = count_panics();
    let mut random = Random(0x2545_f491_4f6c_dd1d);

    // 5,000 lines to MCP over pipes; a server that ends with such a line may, another must begin at
    // once.
    let shared = Arc::new(on_trace(TRACE));
    let (mut sent, mut before) = (0, 0);
    while sent < 5_000 {
        let (ours, theirs) = tokio::io::duplex(1 << 16);
        let (read, write) = tokio::io::split(theirs);
        let stop = CancellationToken::new();
        let seats = browserlens_serve::Seats::new(Arc::clone(&shared), Duration::from_secs(20), 1);
        let served = browserlens_serve::serve_streams(seats, stop, read, write);
        let server = tokio::spawn(served);
        let (mut input, mut output) = tokio::io::split(ours);
        let drain = tokio::spawn(async move {
            let mut all = vec![0; 1 << 16];
            while input.read(&mut all).await.is_ok_and(|read| read > 0) {}
        });
        let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize",
            "params": { "protocolVersion": "2025-06-18", "capabilities": {},
                "clientInfo": { "name": "t", "version": "0" } } });
        let begun = format!("{hello}\n{{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}}\n");
        output.write_all(begun.as_bytes()).await.expect("the server reads");
        for _ in 0..500 {
            sent += 1;
            let mut line = broken(&mut random);
            line.retain(|byte| *byte != b'\n');
            line.push(b'\n');
            if output.write_all(&line).await.is_err() {
                break;
            }
        }
        let _closed = output.shutdown().await;
        let ended = tokio::time::timeout(Duration::from_secs(120), server).await.expect("no hang");
        drop(ended.expect("no panic"));
        drain.abort();
        if before == 0 {
            before = resident();
        }
    }
    let mut mcp = Mcp::start(shared).await;
    assert!(mcp.call("observe", json!({})).await.starts_with("[FULL"), "a new client is served");

    let between = resident();
    // 5,000 requests over HTTP: half of them with a broken body, half broken as HTTP.
    let (address, listening, stop) = start(Arc::new(on_trace(TRACE)), HttpOptions::default()).await;
    let session = begin(address).await;
    let paths = [
        "/v1/observe",
        "/v1/click",
        "/v1/find",
        "/v1/get_network_requests",
        "/mcp",
        "/knowledge/x/query",
        "/v1/sessions",
    ];
    let mut under_way = tokio::task::JoinSet::new();
    for at in 0..5_000 {
        let body = broken(&mut random);
        let path = paths[random.next(paths.len())];
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nBrowserlens-Session: {session}\r\nAccept: \
                application/json, text/event-stream\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        let mut bytes = [head.into_bytes(), body].concat();
        if at % 2 == 1 {
            for _ in 0..=random.next(3) {
                let at = random.next(bytes.len().min(160));
                bytes[at] = random.next(256) as u8;
            }
        }
        under_way.spawn(async move { raw(address, &bytes, Duration::from_secs(1)).await.map(|reply| reply.status) });
        if under_way.len() >= 32 {
            let status = under_way.join_next().await.expect("one").expect("no panic");
            assert_ne!(status, Some(500));
        }
    }
    while let Some(done) = under_way.join_next().await {
        assert_ne!(done.expect("no panic"), Some(500));
    }
    assert_eq!(send(address, "GET", "/health", &[], None).await.status, 200);
    let own = [("Browserlens-Session", session.as_str())];
    let reply: Value = send(address, "POST", "/v1/observe", &own, Some("{\"full\":true}")).await.json();
    assert!(reply["text"].as_str().expect("text").starts_with("[FULL"), "{reply}");
    stop.cancel();
    listening.finished().await.expect("ends well");
    assert_eq!(panics.load(Ordering::Relaxed), 0);
    println!(
        "{sent} messages over MCP, 5000 over HTTP; resident KiB after 500 {before}, then {between}, {}",
        resident()
    );
}
