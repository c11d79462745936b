//! `--cdp`: in a tab of its own of a browser that somebody else started, which stays as it was.

#[path = "../../recorder/tests/common/browser.rs"]
mod browser;
mod common;

use browser::Browser;
use browserlens_recorder::{AttachTab, LiveOptions, SiteServer};
use browserlens_session::{LiveOpener, Policy, Shared};
use common::{Mcp, page, reference, shared, shown, sites, to};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;

/// Clients in a tab of it.
fn clients(browser: &Browser, tab: AttachTab, policy: Policy) -> Arc<Shared> {
    let at = format!("http://127.0.0.1:{}", browser.port);
    Arc::new(shared(Box::new(LiveOpener::attached(at, tab, LiveOptions::default())), policy))
}

fn named(part: &str) -> AttachTab {
    AttachTab::Named(part.to_owned())
}

/// Asks it for something as its developer tools do.
fn ask(browser: &Browser, what: &str) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", browser.port)).expect("it listens");
    let ask = format!("{what} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n\r\n", browser.port);
    stream.write_all(ask.as_bytes()).expect("sends");
    stream
}

/// Waits until its tabs are as wanted.
fn wait_for_tabs(browser: &Browser, is_so: impl Fn(&[String]) -> bool) {
    let deadline = Instant::now() + Duration::from_secs(20);
    while !is_so(&tabs_of(browser)) {
        assert!(Instant::now() < deadline, "the tabs stay as they are: {:?}", tabs_of(browser));
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Returns the URLs of its tabs.
fn tabs_of(browser: &Browser) -> Vec<String> {
    let mut stream = ask(browser, "GET /json/list");
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
    let (mut mcp, served) =
        Mcp::start_until(clients(&browser, AttachTab::New, to(&host)), CancellationToken::new()).await;

    mcp.says("observe", json!({}), &["^[FULL PAGE STATE", "about:blank"]).await;
    let page = json!({ "url": format!("http://{host}/action-click.html") });
    let go = reference(&shown(&mcp.call("navigate", page).await), "button", "Go");
    mcp.says("click", json!({ "ref": go }), &["^[DELTA", "click Go"]).await;
    assert_eq!(tabs_of(&browser).len(), 2, "a tab of its own");
    assert!(mcp.call("tabs", json!({})).await.starts_with("1 tab\n"), "that of somebody else is not looked into");
    mcp.refuses("navigate", json!({ "url": "http://169.254.169.254/" }), &["^refused: "]).await;

    drop(mcp);
    served.await.expect("no panic").expect("ends well");
    assert!(browser.is_running(), "the browser stays");
    // Our tab goes.
    wait_for_tabs(&browser, |tabs| tabs == before);
}

/// Opens a tab as its user would.
fn open_tab(browser: &Browser, url: &str) {
    let _stream = ask(browser, &format!("PUT /json/new?{url}"));
    wait_for_tabs(browser, |tabs| tabs.iter().any(|tab| tab == url));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_that_is_there_is_taken_over_and_stays_when_the_client_goes() {
    let server = SiteServer::start(&sites(), "fixtures").await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    let browser = Browser::start();
    let url = format!("http://{host}/action-click.html");
    open_tab(&browser, &url);
    let (mut mcp, served) =
        Mcp::start_until(clients(&browser, named("action-click"), to(&host)), CancellationToken::new()).await;
    let go = reference(&shown(&mcp.call("observe", json!({})).await), "button", "Go");
    mcp.says("click", json!({ "ref": go }), &["click Go"]).await;
    assert!(mcp.call("tabs", json!({})).await.starts_with("1 tab\n- 0 current http://"), "only that one");
    mcp.refuses("tabs", json!({ "close": true }), &["hint: ", "!covers"]).await;
    drop(mcp);
    served.await.expect("no panic").expect("ends well");
    let tabs = tabs_of(&browser);
    assert!(tabs.len() == 2 && tabs.contains(&url), "it stays as it was: {tabs:?}");
    let mut mcp = Mcp::start(clients(&browser, named("no-such-page"), Policy::default())).await;
    // It names what is open.
    mcp.refuses("observe", json!({}), &["no-such-page", "action-click"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tab_of_somebody_else_on_an_address_that_is_not_allowed_is_refused_and_stays_there() {
    let host = page("<!doctype html><title>Router</title><p>secret of the router <input autofocus>".to_owned()).await;
    let browser = Browser::start();
    let url = format!("http://{host}/");
    open_tab(&browser, &url);
    let policy = Policy { evaluate: true, ..Policy::default() };
    let mut mcp = Mcp::start(clients(&browser, named(&host), policy)).await;
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
        mcp.refuses(tool, wanted, &["^refused: ", "!secret", "stays in its tab", "--allow-host"]).await;
    }
    assert!(tabs_of(&browser).contains(&url), "nothing was done with it: {:?}", tabs_of(&browser));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_frames_of_a_private_address_is_not_shown() {
    let inner = page("<p>secret of the router".to_owned()).await;
    let host = page(format!("<!doctype html><h1>Outer</h1><iframe src='http://{inner}/'></iframe>")).await;
    let browser = Browser::start();
    let mut mcp = Mcp::start(clients(&browser, AttachTab::New, to(&host))).await;
    mcp.refuses("navigate", json!({ "url": format!("http://{host}/") }), &["^refused: ", "!secret"]).await;
    for tool in ["observe", "read_text", "get_dom_snapshot"] {
        let text = mcp.try_call(tool, json!({})).await.unwrap_or_else(|error| error);
        assert!(!text.contains("secret"), "{tool}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_browser_listens_the_client_is_told_what_to_do() {
    let opener = LiveOpener::attached("http://127.0.0.1:9".to_owned(), AttachTab::New, LiveOptions::default());
    let mut mcp = Mcp::start(Arc::new(shared(Box::new(opener), Policy::default()))).await;
    mcp.refuses("observe", json!({}), &["127.0.0.1:9", "--remote-debugging-port"]).await;
}
