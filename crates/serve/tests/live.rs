//! MCP over a live browser on a bundled site: every tool, refs that are gone or covered, and where
//! the browser may not go.

mod common;

use browserlens_lens::ShownState;
use browserlens_recorder::SiteServer;
use browserlens_session::{Policy, Shared};
use common::{Mcp, live, page, sites};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, UdpSocket};

async fn on_site(site: &str) -> (SiteServer, Shared, String) {
    let server = SiteServer::start(&sites(), site).await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    (server, live(policy), format!("http://{host}"))
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
    assert!(other.contains("action-fill.html"), "{other}");
    let gone = mcp.try_call("click", json!({ "ref": off })).await.expect_err("of another document");
    assert!(
        gone.contains(&off) && gone.contains("button \"Off\"") && gone.contains("not on the page any more"),
        "{gone}"
    );
    mcp.call("back", json!({})).await;
    assert!(mcp.call("find", json!({ "text": "Off", "role": "button" })).await.contains("1 found"));
    mcp.call("forward", json!({})).await;
    assert!(mcp.call("find", json!({ "text": "Off", "role": "button" })).await.contains("nothing found"));
    mcp.call("tabs", json!({ "open": format!("{base}/action-click.html") })).await;
    let tabs = mcp.call("tabs", json!({})).await;
    assert!(
        tabs.starts_with("2 tabs\n") && tabs.contains("- 1 current http://") && tabs.contains("action-click.html"),
        "{tabs}"
    );
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
    let find = |text: &str, role: &str| json!({ "text": text, "role": role, "limit": 1 });
    let reference = |found: &str| {
        let start = found.find("@e").unwrap_or_else(|| panic!("no ref: {found}"));
        found[start..].split_whitespace().next().expect("a ref").to_owned()
    };

    mcp.call("navigate", at("capture-covered")).await;
    let covered = reference(&mcp.call("find", find("Covered", "button")).await);
    let refused = mcp.try_call("click", json!({ "ref": covered })).await.expect_err("covered");
    assert!(
        refused.contains(&covered) && refused.contains("covered by") && refused.contains("close what covers it"),
        "{refused}"
    );

    // What needs no element says what was not done, and what to do about that.
    for (tool, arguments, hint) in [
        ("back", json!({}), "hint: call `navigate` with a URL"),
        ("press", json!({ "key": "Foo" }), "hint: name a key as the error says"),
        ("tabs", json!({ "switch": 7 }), "hint: call `tabs` for what is open"),
        ("dialog", json!({ "accept": true }), "hint: go on without"),
    ] {
        let told = mcp.try_call(tool, arguments).await.expect_err(tool);
        assert!(told.starts_with(&format!("`{tool}` was not done: ")) && told.contains(hint), "{told}");
    }

    mcp.call("navigate", at("action-dialog")).await;
    let prompt = reference(&mcp.call("find", find("Prompt", "button")).await);
    let told = mcp.call("click", json!({ "ref": prompt })).await;
    assert!(told.contains("[DIALOG prompt \"Your name?\" open]"), "{told}");
    let blocked = mcp.try_call("click", json!({ "ref": prompt })).await.expect_err("blocked");
    assert!(blocked.starts_with("a dialog is open: \"Your name?\"\nhint: answer it with `dialog`"), "{blocked}");
    let answered = mcp.call("dialog", json!({ "accept": true, "text": "Ada" })).await;
    assert!(answered.contains("prompt \\\"Ada\\\""), "{answered}");

    mcp.call("navigate", at("action-select")).await;
    let select = reference(&mcp.call("find", find("", "combobox")).await);
    let options = mcp.call("snapshot", json!({})).await;
    let option = options.split("option ").nth(2).and_then(|rest| rest.split('"').nth(1)).map(str::to_owned);
    if let Some(option) = option {
        mcp.call("select", json!({ "ref": select, "option": option })).await;
    }
    let no_such = mcp.try_call("select", json!({ "ref": select, "option": "no such thing" })).await.expect_err("none");
    assert!(no_such.contains(&select) && no_such.contains("hint: name one of its options"), "{no_such}");

    mcp.call("navigate", at("action-fill")).await;
    let field = reference(&mcp.call("find", find("", "textbox")).await);
    let typed = mcp.call("type", json!({ "ref": field, "text": "abc", "submit": true })).await;
    assert!(typed.contains("abc"), "{typed}");

    mcp.call("navigate", at("action-upload")).await;
    let input = reference(&mcp.call("find", find("One file", "button")).await);
    let given = mcp.call("upload", json!({ "ref": input, "files": ["letter.txt"] })).await;
    assert!(given.contains("letter.txt"), "{given}");

    mcp.call("navigate", at("action-drag")).await;
    let (from, to) = (mcp.call("find", find("Knob", "slider")).await, mcp.call("find", find("Card", "button")).await);
    let dropped = mcp.call("drag", json!({ "from": reference(&from), "to": reference(&to) })).await;
    assert!(dropped.contains("knob "), "{dropped}");
}

#[tokio::test(flavor = "multi_thread")]
async fn browsers_go_nowhere_that_is_not_allowed() {
    let (_server, shared, base) = on_site("fixtures").await;
    let other = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let elsewhere = format!("http://127.0.0.1:{}/action-click.html", other.port());
    let mut mcp = Mcp::start(Arc::new(shared)).await;
    for url in ["file:///etc/passwd", "chrome://version", "javascript:1", "http://169.254.169.254/", elsewhere.as_str()]
    {
        let refused = mcp.try_call("navigate", json!({ "url": url })).await.expect_err(url);
        assert!(refused.starts_with("refused: ") && refused.contains("--allow-host"), "{url}: {refused}");
    }
    let mut shown = ShownState::default();
    apply(&mut shown, &mcp.call("navigate", json!({ "url": format!("{base}/action-click.html") })).await);
    let refused = mcp.try_call("tabs", json!({ "open": elsewhere })).await.expect_err("nor in a new tab");
    assert!(refused.starts_with("refused: "), "{refused}");
    let upload =
        mcp.try_call("upload", json!({ "ref": "@e1", "files": ["/etc/passwd"] })).await.expect_err("no uploads");
    assert!(upload.starts_with("refused: uploads"), "{upload}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_reaches_no_private_address_by_any_kind_of_connection() {
    let (inner, reached) = trap(None).await;
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
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let mut mcp = Mcp::start(Arc::new(live(policy))).await;
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

/// A server that leads every request elsewhere, and one that counts who came.
async fn trap(to: Option<String>) -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let host = listener.local_addr().expect("an address").to_string();
    let seen = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&seen);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            let head = match &to {
                Some(url) => format!("302 Found\r\nLocation: {url}"),
                None => "200 OK\r\nContent-Type: text/html".to_owned(),
            };
            let reply = format!("HTTP/1.1 {head}\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret");
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _read = stream.read(&mut request).await;
                let _sent = stream.write_all(reply.as_bytes()).await;
            });
        }
    });
    (host, seen)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_or_a_page_leads_to_no_private_address() {
    let (inner, reached) = trap(None).await;
    let (outer, asked) = trap(Some(format!("http://{inner}/secret"))).await;
    let policy = Policy { hosts: vec![outer.clone()], ..Policy::default() };
    let mut mcp = Mcp::start(Arc::new(live(policy))).await;
    let refused = mcp.try_call("navigate", json!({ "url": format!("http://{outer}/") })).await.expect_err("led astray");
    assert!(refused.starts_with("refused: ") && !refused.contains("secret\""), "{refused}");
    assert!(asked.load(Ordering::Relaxed) > 0);
    assert_eq!(reached.load(Ordering::Relaxed), 0, "nobody came to the address that is not allowed");
    let after = mcp.call("observe", json!({})).await;
    assert!(after.contains("about:blank") && !after.contains("secret"), "{after}");
}
