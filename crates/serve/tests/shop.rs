//! The shop's scenario through MCP alone, and what its answers cost beside what Playwright MCP
//! showed for the same task.

#![allow(clippy::print_stdout, reason = "the measured figures are what it is run for")]

mod common;
#[path = "common/shop.rs"]
mod shop;

use browserlens_core::tokens::Encoding;
use browserlens_trace::{PeersFile, peers_path};
use common::{Mcp, on_site, on_trace, trace};
use serde_json::json;
use shop::{Reader, order_a_laptop};
use std::sync::Arc;

/// Tokens of the whole snapshots that Playwright MCP gave at the steps of a trace.
pub fn playwright(name: &str) -> u32 {
    let file = PeersFile::open(&peers_path(&trace(name))).expect("recorded output of other tools");
    let passes = file.whole_passes().expect("reads");
    let theirs = passes.iter().filter(|pass| pass.peer.starts_with("playwright-mcp@0.0.83"));
    let rows = theirs.flat_map(|pass| &pass.rows).filter(|row| row.variant == "full");
    let tokens = rows.map(|row| Encoding::O200kBase.count(&row.text).0).sum();
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
        reader.mcp.says("read_text", json!({}), &["Thank you"]).await;
        let share = f64::from(reader.tokens) * 100.0 / f64::from(theirs);
        println!("budget {budget:?}: {} of {theirs} tokens, {share:.1} %", reader.tokens);
        assert!(share <= most, "{share:.1} % with budget {budget:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_shop_is_done_live_through_mcp_alone() {
    let (_server, shared, base) = on_site("shop").await;
    let mcp = Mcp::start(Arc::new(shared)).await;
    let mut reader = Reader::start(mcp, ("navigate", json!({ "url": format!("{base}/") }))).await;
    order_a_laptop(&mut reader).await;
    reader.mcp.says("read_text", json!({ "nocache": true }), &["Thank you"]).await;
    let theirs = playwright("shop-laptop-to-cart");
    let share = f64::from(reader.tokens) * 100.0 / f64::from(theirs);
    println!("live, no budget named: {} of {theirs} tokens, {share:.1} %", reader.tokens);
    assert!(share <= 5.0, "{share:.1} %");
}
