//! MCP over a live browser on a bundled site: every tool, refs that are gone or covered, and where
//! the browser may not go.

mod common;

use browserlens_recorder::SiteServer;
use browserlens_session::{Policy, Shared};
use common::{Mcp, apply, live, on_site, page, reference, replying, shown, sites, to};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::net::UdpSocket;

#[tokio::test(flavor = "multi_thread")]
async fn a_live_page_is_observed_acted_on_by_ref_and_asked_about() {
    let (_server, shared, base) = on_site("fixtures").await;
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    mcp.refuses("observe", json!({}), &["call `navigate`"]).await;
    let mut shown = shown(&mcp.call("navigate", json!({ "url": format!("{base}/action-click.html") })).await);
    let go = reference(&shown, "button", "Go");
    let delta = mcp.says("click", json!({ "ref": go }), &["^[DELTA", "click Go"]).await;
    apply(&mut shown, &delta);
    let off = reference(&shown, "button", "Off");
    mcp.refuses("click", json!({ "ref": off }), &[&off, "disabled", "hint: "]).await;
    // Find has the same refs.
    mcp.says("find", json!({ "text": "go", "role": "button" }), &[&format!("button \"Go\" {go}")]).await;
    // And so has snapshot.
    mcp.says("snapshot", json!({}), &[&go]).await;
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
    mcp.says("navigate", json!({ "url": format!("{base}/action-fill.html") }), &["action-fill.html"]).await;
    mcp.refuses("click", json!({ "ref": off }), &[&off, "button \"Off\"", "not on the page any more"]).await;
    mcp.call("back", json!({})).await;
    assert!(mcp.call("find", json!({ "text": "Off", "role": "button" })).await.contains("1 found"));
    mcp.call("forward", json!({})).await;
    assert!(mcp.call("find", json!({ "text": "Off", "role": "button" })).await.contains("nothing found"));
    mcp.call("tabs", json!({ "open": format!("{base}/action-click.html") })).await;
    mcp.says("tabs", json!({}), &["^2 tabs\n", "- 1 current http://", "action-click.html"]).await;
    mcp.call("tabs", json!({ "close": true })).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_action_is_carried_out_and_what_cannot_be_says_which_and_what_to_do() {
    let (_server, shared, base) = on_site("fixtures").await;
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("letter.txt"), "hello").expect("written");
    let policy = Policy { upload_root: Some(folder.path().to_owned()), ..shared.policy };
    let mut mcp = Mcp::start(Arc::new(Shared { policy, ..shared })).await;
    let at = |page: &str| json!({ "url": format!("{base}/{page}.html") });

    mcp.call("navigate", at("capture-covered")).await;
    let covered = mcp.find("button", "Covered").await;
    mcp.refuses("click", json!({ "ref": covered }), &[&covered, "covered by", "close what covers it"]).await;

    // What needs no element says what was not done, and what to do about that.
    for (tool, arguments, hint) in [
        ("back", json!({}), "hint: call `navigate` with a URL"),
        ("press", json!({ "key": "Foo" }), "hint: name a key as the error says"),
        ("tabs", json!({ "switch": 7 }), "hint: call `tabs` for what is open"),
        ("dialog", json!({ "accept": true }), "hint: go on without"),
    ] {
        mcp.refuses(tool, arguments, &[&format!("^`{tool}` was not done: "), hint]).await;
    }

    mcp.call("navigate", at("action-dialog")).await;
    let prompt = mcp.find("button", "Prompt").await;
    mcp.says("click", json!({ "ref": prompt }), &["[DIALOG prompt \"Your name?\" open]"]).await;
    mcp.refuses(
        "click",
        json!({ "ref": prompt }),
        &["^a dialog is open: \"Your name?\"\nhint: answer it with `dialog`"],
    )
    .await;
    mcp.says("dialog", json!({ "accept": true, "text": "Ada" }), &["prompt \\\"Ada\\\""]).await;

    mcp.call("navigate", at("action-select")).await;
    let select = mcp.find("combobox", "").await;
    let options = mcp.call("snapshot", json!({})).await;
    let option = options.split("option ").nth(2).and_then(|rest| rest.split('"').nth(1)).map(str::to_owned);
    if let Some(option) = option {
        mcp.call("select", json!({ "ref": select, "option": option })).await;
    }
    mcp.refuses(
        "select",
        json!({ "ref": select, "option": "no such thing" }),
        &[&select, "hint: name one of its options"],
    )
    .await;

    mcp.call("navigate", at("action-fill")).await;
    let field = mcp.find("textbox", "").await;
    mcp.says("type", json!({ "ref": field, "text": "abc", "submit": true }), &["abc"]).await;

    mcp.call("navigate", at("action-upload")).await;
    let input = mcp.find("button", "One file").await;
    mcp.says("upload", json!({ "ref": input, "files": ["letter.txt"] }), &["letter.txt"]).await;

    mcp.call("navigate", at("action-drag")).await;
    let (from, to) = (mcp.find("slider", "Knob").await, mcp.find("button", "Card").await);
    mcp.says("drag", json!({ "from": from, "to": to }), &["knob "]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_go_nowhere_that_is_not_allowed() {
    let (_server, shared, base) = on_site("fixtures").await;
    let other = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let elsewhere = format!("http://127.0.0.1:{}/action-click.html", other.port());
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    for url in ["file:///etc/passwd", "chrome://version", "javascript:1", "http://169.254.169.254/", elsewhere.as_str()]
    {
        mcp.refuses("navigate", json!({ "url": url }), &["^refused: ", "--allow-host"]).await;
    }
    mcp.call("navigate", json!({ "url": format!("{base}/action-click.html") })).await;
    mcp.refuses("tabs", json!({ "open": elsewhere }), &["^refused: "]).await;
    mcp.refuses("upload", json!({ "ref": "@e1", "files": ["/etc/passwd"] }), &["^refused: uploads"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reaches_no_private_address_by_any_kind_of_connection() {
    let (inner, reached) = trap().await;
    let datagrams = UdpSocket::bind("127.0.0.1:0").await.expect("a socket");
    let port = datagrams.local_addr().expect("an address").port();
    let html = format!(
        r#"<!doctype html><title>Hostile</title><iframe src="http://{inner}/frame"></iframe>
        <img src="http://{inner}/picture">
        <link rel="prefetch" href="http://{inner}/prefetch"><link rel="dns-prefetch" href="//{inner}">
        <link rel="preconnect" href="http://{inner}">
        <script>
          fetch('http://{inner}/fetch', {{ mode: 'no-cors' }}).catch(() => {{}});
          navigator.sendBeacon('http://{inner}/beacon', 'x');
          new EventSource('http://{inner}/events');
          new WebSocket('ws://{inner}/socket');
          new Worker(URL.createObjectURL(new Blob(["fetch('http://{inner}/worker', {{ mode: 'no-cors' }})"])));
          try {{ new WebTransport('https://127.0.0.1:{port}/').ready.catch(() => {{}}); }} catch {{}}
          const call = new RTCPeerConnection({{ iceServers: [{{ urls: 'stun:127.0.0.1:{port}' }},
            {{ urls: 'turn:{inner}?transport=tcp', username: 'a', credential: 'b' }}] }});
          call.createDataChannel('x');
          call.onicegatheringstatechange = () => {{
            if (call.iceGatheringState === 'complete') document.title = 'Gathered'; }};
          call.createOffer().then((offer) => call.setLocalDescription(offer));
        </script>"#
    );
    let host = page(html).await;
    let mut mcp = Mcp::start(Arc::new(live(to(&host)))).await;
    mcp.call("navigate", json!({ "url": format!("http://{host}/") })).await;
    let mut waited = 0;
    while waited < 40 {
        let title = mcp.call("observe", json!({ "full": true })).await;
        if title.contains("Gathered") {
            break;
        }
        waited += 1;
    }
    assert!(waited < 40, "the page has tried everything");
    assert_eq!(reached.load(Ordering::Relaxed), 0, "nobody came");
    let mut byte = [0; 1];
    let got = tokio::time::timeout(std::time::Duration::from_millis(500), datagrams.recv(&mut byte)).await;
    assert!(got.is_err(), "a datagram came");
}

/// A server of a secret that counts who came.
async fn trap() -> (String, Arc<AtomicU64>) {
    replying("200 OK\r\nContent-Type: text/html".to_owned(), "secret".to_owned()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_or_a_page_leads_to_no_private_address() {
    let (inner, reached) = trap().await;
    let elsewhere = format!("302 Found\r\nLocation: http://{inner}/secret");
    let (outer, asked) = replying(elsewhere, "secret".to_owned()).await;
    let mut mcp = Mcp::start(Arc::new(live(to(&outer)))).await;
    mcp.refuses("navigate", json!({ "url": format!("http://{outer}/") }), &["^refused: ", "!secret\""]).await;
    assert!(asked.load(Ordering::Relaxed) > 0);
    assert_eq!(reached.load(Ordering::Relaxed), 0, "nobody came to the address that is not allowed");
    mcp.says("observe", json!({}), &["about:blank", "!secret"]).await;
}
