//! The shop's scenario through MCP alone, and what its answers cost beside what Playwright MCP
//! showed for the same task.

#![allow(clippy::print_stdout, reason = "the measured figures are what it is run for")]

mod common;
#[path = "common/shop.rs"]
mod shop;

use browserlens_core::tokens::Encoding;
use browserlens_recorder::SiteServer;
use browserlens_session::Policy;
use browserlens_trace::{PeersFile, peers_path};
use common::{Mcp, live, on_trace, sites, trace};
use serde_json::json;
use shop::{Reader, order_a_laptop};
use std::sync::Arc;

/// Tokens of the whole snapshots that Playwright MCP gave at the steps of a trace.
pub fn playwright(name: &str) -> u32 {
    let file = PeersFile::open(&peers_path(&trace(name))).expect("recorded output of other tools");
    let mut tokens = 0;
    for pass in file.whole_passes().expect("reads") {
        if !pass.peer.starts_with("playwright-mcp@0.0.83") {
            continue;
        }
        for row in &pass.rows {
            if row.variant == "full" {
                tokens += Encoding::O200kBase.count(&row.text).0;
            }
        }
    }
    assert!(tokens > 0, "nothing recorded");
    tokens
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_is_done_by_refs_at_a_small_part_of_what_snapshots_cost() {
    let name = "shop-laptop-to-cart";
    let theirs = playwright(name);
    // As a client does it that names no budget; without any limit; with a wide one.
    for (budget, most) in [(None, 5.0), (Some(0), 8.7), (Some(10_000), 8.0)] {
        let mcp = Mcp::start(Arc::new(on_trace(name))).await;
        let mut reader = Reader::start(mcp, ("observe", json!({ "budget": budget }))).await;
        order_a_laptop(&mut reader).await;
        let whole = reader.mcp.call("read_text", json!({})).await;
        assert!(whole.contains("Thank you"), "{whole}");
        let share = f64::from(reader.tokens) * 100.0 / f64::from(theirs);
        println!("budget {budget:?}: {} of {theirs} tokens, {share:.1} %", reader.tokens);
        assert!(share <= most, "{share:.1} % with budget {budget:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_is_done_live_through_mcp_alone() {
    let server = SiteServer::start(&sites(), "shop").await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let shared = live(policy);
    let mcp = Mcp::start(Arc::new(shared)).await;
    let mut reader = Reader::start(mcp, ("navigate", json!({ "url": format!("http://{host}/") }))).await;
    order_a_laptop(&mut reader).await;
    let whole = reader.mcp.call("read_text", json!({ "nocache": true })).await;
    assert!(whole.contains("Thank you"), "{whole}");
    let theirs = playwright("shop-laptop-to-cart");
    let share = f64::from(reader.tokens) * 100.0 / f64::from(theirs);
    println!("live, no budget named: {} of {theirs} tokens, {share:.1} %", reader.tokens);
    assert!(share <= 5.0, "{share:.1} %");
}
