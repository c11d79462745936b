//! Many clients at once on one trace: no error, no cross-talk, memory that does not grow.

#![allow(clippy::print_stdout, reason = "the measured figures are what it is run for")]

mod common;

use common::{Mcp, on_trace, reference, resident, shown};
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};

const CLIENTS: usize = 50;

/// Does the task once, as far as its fields; returns all that was said.
async fn once(mcp: &mut Mcp, number: usize) -> Vec<String> {
    let mut said = vec![mcp.call("observe", json!({})).await];
    let email = reference(&shown(&said[0]), "textbox", "Email");
    // What this client types wrong must be told to nobody else.
    let wrong = mcp.try_call("type", json!({ "ref": email, "text": format!("client {number}") })).await;
    said.push(wrong.expect_err("not what was recorded"));
    said.push(mcp.call("find", json!({ "text": "", "role": "button" })).await);
    said.push(mcp.call("snapshot", json!({ "mode": "outline" })).await);
    mcp.says("observe", json!({}), &["^[DELTA", "!\n"]).await;
    said
}

async fn run(time: Duration) {
    let shared = Arc::new(on_trace("tiny-newsletter-signup"));
    let mut first = Mcp::start(Arc::clone(&shared)).await;
    let expected = Arc::new(once(&mut first, 0).await);
    drop(first);
    let end = Instant::now() + time;
    let mut clients = tokio::task::JoinSet::new();
    for number in 0..CLIENTS {
        let (shared, expected) = (Arc::clone(&shared), Arc::clone(&expected));
        clients.spawn(async move {
            let mut rounds = 0_u32;
            while rounds == 0 || Instant::now() < end {
                let mut mcp = Mcp::start(Arc::clone(&shared)).await;
                let said = once(&mut mcp, number).await;
                assert_eq!(said, *expected, "client {number}, round {rounds}");
                rounds += 1;
            }
            rounds
        });
    }
    // Every client has been there once by then, so that what is kept once is kept.
    let mut samples = Vec::new();
    let quarter = time / 4;
    for _ in 0..3 {
        tokio::time::sleep(quarter).await;
        samples.push(resident());
    }
    let mut rounds = 0;
    while let Some(done) = clients.join_next().await {
        rounds += done.expect("no client fails");
    }
    let after = resident();
    println!("{CLIENTS} clients, {rounds} rounds in {time:?}; resident KiB {samples:?}, then {after}");
    let most = samples[0].max(samples[1]);
    assert!(after < most + most / 4 + 50_000, "memory grew: {samples:?}, then {after}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_clients_share_a_trace_for_some_seconds() {
    run(Duration::from_secs(8)).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a minute long; the shorter one runs always"]
async fn fifty_clients_share_a_trace_for_a_minute() {
    run(Duration::from_secs(60)).await;
}
