//! `--cdp`: in a tab of its own of a browser that somebody else started, which stays as it was.

#[path = "../../recorder/tests/common/browser.rs"]
mod browser;
mod common;

use browser::Browser;
use browserlens_lens::ShownState;
use browserlens_recorder::{AttachTab, LiveOptions, SiteServer};
use browserlens_session::{LiveOpener, Policy};
use common::{Mcp, shared, sites};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Returns the URLs of its tabs.
fn tabs_of(browser: &Browser) -> Vec<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", browser.port)).expect("it listens");
    let ask = format!("GET /json/list HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", browser.port);
    stream.write_all(ask.as_bytes()).expect("sends");
    stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
    let mut reply = Vec::new();
    let mut piece = [0; 4096];
    // It keeps the connection: the list is whole when it parses.
    loop {
        let read = stream.read(&mut piece).expect("answers");
        reply.extend_from_slice(&piece[..read]);
        let text = String::from_utf8_lossy(&reply);
        let body = text.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        if let Ok(Value::Array(targets)) = serde_json::from_str(body) {
            let pages = targets.iter().filter(|target| target["type"] == "page");
            return pages.map(|page| page["url"].as_str().unwrap_or_default().to_owned()).collect();
        }
        assert!(read > 0, "no list: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_running_browser_is_worked_in_and_stays_as_it_was() {
    let server = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let mut browser = Browser::start();
    let before = tabs_of(&browser);
    assert_eq!(before, ["about:blank"]);
    let opener =
        LiveOpener::attached(format!("http://127.0.0.1:{}", browser.port), AttachTab::New, LiveOptions::default());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let (mut mcp, served) =
        Mcp::start_until(Arc::new(shared(Box::new(opener), policy)), CancellationToken::new()).await;

    let blank = mcp.call("observe", json!({})).await;
    assert!(blank.starts_with("[FULL PAGE STATE") && blank.contains("about:blank"), "{blank}");
    let mut shown = ShownState::default();
    let page = format!("http://{host}/action-click.html");
    let first = mcp.call("navigate", json!({ "url": page })).await;
    shown.apply(&first).unwrap_or_else(|error| panic!("{error}\n{first}"));
    let go = shown.nodes().find(|node| node.name() == "Go").and_then(|node| node.reference()).expect("a button");
    let delta = mcp.call("click", json!({ "ref": go.to_string() })).await;
    assert!(delta.starts_with("[DELTA") && delta.contains("click Go"), "{delta}");
    assert_eq!(tabs_of(&browser).len(), 2, "a tab of its own");
    assert!(mcp.call("tabs", json!({})).await.starts_with("1 tab\n"), "that of somebody else is not looked into");
    let refused = mcp.try_call("navigate", json!({ "url": "http://169.254.169.254/" })).await.expect_err("refused");
    assert!(refused.starts_with("refused: "), "{refused}");

    drop(mcp);
    served.await.expect("no panic").expect("ends well");
    assert!(browser.is_running(), "the browser stays");
    let deadline = Instant::now() + Duration::from_secs(20);
    while tabs_of(&browser) != before {
        assert!(Instant::now() < deadline, "our tab stays: {:?}", tabs_of(&browser));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Opens a tab as its user would.
fn open_tab(browser: &Browser, url: &str) {
    let mut stream = TcpStream::connect(("127.0.0.1", browser.port)).expect("it listens");
    let ask = format!("PUT /json/new?{url} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", browser.port);
    stream.write_all(ask.as_bytes()).expect("sends");
    let deadline = Instant::now() + Duration::from_secs(20);
    while !tabs_of(browser).iter().any(|tab| tab == url) {
        assert!(Instant::now() < deadline, "the tab does not open: {:?}", tabs_of(browser));
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn in_tab(browser: &Browser, part: &str) -> LiveOpener {
    let tab = AttachTab::Named(part.to_owned());
    LiveOpener::attached(format!("http://127.0.0.1:{}", browser.port), tab, LiveOptions::default())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_is_there_is_taken_over_and_stays_when_the_client_goes() {
    let server = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let browser = Browser::start();
    let url = format!("http://{host}/action-click.html");
    open_tab(&browser, &url);
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let opener = in_tab(&browser, "action-click");
    let (mut mcp, served) =
        Mcp::start_until(Arc::new(shared(Box::new(opener), policy)), CancellationToken::new()).await;
    let mut shown = ShownState::default();
    let first = mcp.call("observe", json!({})).await;
    shown.apply(&first).unwrap_or_else(|error| panic!("{error}\n{first}"));
    let go = shown.nodes().find(|node| node.name() == "Go").and_then(|node| node.reference()).expect("a button");
    let delta = mcp.call("click", json!({ "ref": go.to_string() })).await;
    assert!(delta.contains("click Go"), "{delta}");
    assert!(mcp.call("tabs", json!({})).await.starts_with("1 tab\n- 0 current http://"), "only that one");
    let kept = mcp.try_call("tabs", json!({ "close": true })).await.expect_err("it is not ours");
    assert!(kept.contains("hint: ") && !kept.contains("covers"), "{kept}");
    drop(mcp);
    served.await.expect("no panic").expect("ends well");
    let tabs = tabs_of(&browser);
    assert!(tabs.len() == 2 && tabs.contains(&url), "it stays as it was: {tabs:?}");
    let opener = in_tab(&browser, "no-such-page");
    let mut mcp = Mcp::start(Arc::new(shared(Box::new(opener), Policy::default()))).await;
    let told = mcp.try_call("observe", json!({})).await.expect_err("no such tab");
    assert!(told.contains("no-such-page") && told.contains("action-click"), "it names what is open: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_of_somebody_else_on_an_address_that_is_not_allowed_is_refused_and_stays_there() {
    let host = page("<!doctype html><title>Router</title><p>secret of the router <input autofocus>".to_owned()).await;
    let browser = Browser::start();
    let url = format!("http://{host}/");
    open_tab(&browser, &url);
    let policy = Policy { evaluate: true, ..Policy::default() };
    let mut mcp = Mcp::start(Arc::new(shared(Box::new(in_tab(&browser, &host)), policy))).await;
    for (tool, wanted) in [
        ("observe", json!({})),
        ("read_text", json!({})),
        ("get_dom_snapshot", json!({})),
        ("screenshot", json!({})),
        ("find", json!({ "text": "secret" })),
        ("click", json!({ "text": "secret" })),
        ("wait", json!({ "text": "secret", "ms": 500 })),
        ("press", json!({ "key": "Tab" })),
        ("type", json!({ "text": "x" })),
        ("scroll", json!({})),
        ("evaluate", json!({ "expression": "document.body.innerText" })),
    ] {
        let told = mcp.try_call(tool, wanted).await.expect_err(tool);
        assert!(told.starts_with("refused: ") && !told.contains("secret"), "{tool}: {told}");
        assert!(told.contains("stays in its tab") && told.contains("--allow-host"), "{tool}: {told}");
    }
    assert!(tabs_of(&browser).contains(&url), "nothing was done with it: {:?}", tabs_of(&browser));
}

/// A server of one page.
async fn page(html: String) -> String {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let host = listener.local_addr().expect("an address").to_string();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
            let reply = format!("{head}\r\nContent-Length: {}\r\n\r\n{html}", html.len());
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _read = stream.read(&mut request).await;
                let _sent = stream.write_all(reply.as_bytes()).await;
            });
        }
    });
    host
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_frames_of_a_private_address_is_not_shown() {
    let inner = page("<p>secret of the router".to_owned()).await;
    let host = page(format!("<!doctype html><h1>Outer</h1><iframe src='http://{inner}/'></iframe>")).await;
    let browser = Browser::start();
    let opener =
        LiveOpener::attached(format!("http://127.0.0.1:{}", browser.port), AttachTab::New, LiveOptions::default());
    let policy = Policy { hosts: vec![host.clone()], ..Policy::default() };
    let mut mcp = Mcp::start(Arc::new(shared(Box::new(opener), policy))).await;
    let refused = mcp.try_call("navigate", json!({ "url": format!("http://{host}/") })).await.expect_err("refused");
    assert!(refused.starts_with("refused: ") && !refused.contains("secret"), "{refused}");
    for tool in ["observe", "read_text", "get_dom_snapshot"] {
        let text = mcp.try_call(tool, json!({})).await.unwrap_or_else(|error| error);
        assert!(!text.contains("secret"), "{tool}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_browser_listens_the_client_is_told_what_to_do() {
    let opener = LiveOpener::attached("http://127.0.0.1:9".to_owned(), AttachTab::New, LiveOptions::default());
    let mut mcp = Mcp::start(Arc::new(shared(Box::new(opener), Policy::default()))).await;
    let told = mcp.try_call("observe", json!({})).await.expect_err("nobody there");
    assert!(told.contains("127.0.0.1:9") && told.contains("--remote-debugging-port"), "{told}");
}
