//! MCP over a live browser on a bundled site: every tool, refs that are gone or covered, and where the browser may not go.

mod common;

use browserlens_lens::ShownState;
use browserlens_recorder::{LiveOptions, SiteServer};
use browserlens_serve::{LiveOpener, Policy, Shared};
use common::{Mcp, shared, sites};
use serde_json::json;
use std::sync::Arc;

async fn on_site(site: &str) -> (SiteServer, Shared, String) {
    let server = SiteServer::start(&sites(), site).await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    (server, shared(Box::new(LiveOpener::new(LiveOptions::default())), policy), format!("http://{host}"))
}

fn reference(shown: &ShownState, role: &str, name: &str) -> String {
    let found = shown.nodes().find(|node| node.role() == role && node.name() == name);
    found.and_then(|node| node.reference()).unwrap_or_else(|| panic!("no {role} {name:?}")).to_string()
}

fn apply(shown: &mut ShownState, text: &str) {
    shown.apply(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_page_is_observed_acted_on_by_ref_and_asked_about() {
    let (_server, shared, base) = on_site("fixtures").await;
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    let none = mcp.try_call("observe", json!({})).await.expect_err("no page yet");
    assert!(none.contains("call `navigate`"), "{none}");
    let mut shown = ShownState::default();
    apply(&mut shown, &mcp.call("navigate", json!({ "url": format!("{base}/action-click.html") })).await);
    let go = reference(&shown, "button", "Go");
    let delta = mcp.call("click", json!({ "ref": go })).await;
    assert!(delta.starts_with("[DELTA") && delta.contains("click Go"), "{delta}");
    apply(&mut shown, &delta);
    let off = reference(&shown, "button", "Off");
    let refused = mcp.try_call("click", json!({ "ref": off })).await.expect_err("disabled");
    assert!(refused.contains(&off) && refused.contains("disabled") && refused.contains("hint: "), "{refused}");
    let found = mcp.call("find", json!({ "text": "go", "role": "button" })).await;
    assert!(found.contains(&format!("button \"Go\" {go}")), "find has the same refs: {found}");
    let snapshot = mcp.call("snapshot", json!({})).await;
    assert!(snapshot.contains(&go), "and so has snapshot: {snapshot}");
    for (tool, arguments) in [
        ("snapshot", json!({ "mode": "outline" })),
        ("read_text", json!({ "nocache": true })),
        ("get_console_messages", json!({})),
        ("get_network_requests", json!({})),
        ("get_dom_snapshot", json!({ "selector": "body" })),
        ("tabs", json!({})),
        ("screenshot", json!({})),
        ("screenshot", json!({ "ref": go })),
        ("hover", json!({ "ref": go })),
        ("press", json!({ "key": "Tab" })),
        ("scroll", json!({})),
        ("wait", json!({ "ms": 10 })),
        ("observe", json!({ "strategy": "lens/vision-marks" })),
        ("observe", json!({ "strategy": "lens/delta", "full": true })),
    ] {
        let said = mcp.call(tool, arguments.clone()).await;
        assert!(!said.is_empty(), "{tool} {arguments}");
    }
    // What it says of the next document has nothing of this one; its refs mean nothing there.
    let other = mcp.call("navigate", json!({ "url": format!("{base}/action-fill.html") })).await;
    apply(&mut shown, &other);
    let gone = mcp.try_call("click", json!({ "ref": off })).await.expect_err("of another document");
    assert!(gone.contains(&off) && gone.contains("button \"Off\"") && gone.contains("not on the page any more"), "{gone}");
    let back = mcp.call("back", json!({})).await;
    assert!(back.contains("action-click.html"), "{back}");
    let forward = mcp.call("forward", json!({})).await;
    assert!(forward.contains("action-fill.html"), "{forward}");
    let opened = mcp.call("tabs", json!({ "open": format!("{base}/action-click.html") })).await;
    assert!(opened.contains("action-click.html"), "{opened}");
    assert!(mcp.call("tabs", json!({})).await.starts_with("2 tabs\n"));
    mcp.call("tabs", json!({ "close": true })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_go_nowhere_that_is_not_allowed() {
    let (_server, shared, base) = on_site("fixtures").await;
    let other = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let elsewhere = format!("http://127.0.0.1:{}/action-click.html", other.port());
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    for url in ["file:///etc/passwd", "chrome://version", "javascript:1", "http://169.254.169.254/", elsewhere.as_str()] {
        let refused = mcp.try_call("navigate", json!({ "url": url })).await.expect_err(url);
        assert!(refused.starts_with("refused: ") && refused.contains("--allow-host"), "{url}: {refused}");
    }
    let mut shown = ShownState::default();
    apply(&mut shown, &mcp.call("navigate", json!({ "url": format!("{base}/action-click.html") })).await);
    let refused = mcp.try_call("tabs", json!({ "open": elsewhere })).await.expect_err("nor in a new tab");
    assert!(refused.starts_with("refused: "), "{refused}");
    let upload = mcp.try_call("upload", json!({ "ref": "@e1", "files": ["/etc/passwd"] })).await.expect_err("no uploads");
    assert!(upload.starts_with("refused: uploads"), "{upload}");
}
