//! Attaches to a browser that somebody else started, by the address of its protocol.
//!
//! In: `http://host:port` or `ws://…`, and which tab. Out: a [`Driver`] whose first tab is a new
//! one of ours or one that was there. Invariants: no other tab is looked into; nothing that was
//! there before us is closed, resized or given another locale; the browser stays when we go.

use crate::browser_state::{State, Tab};
use crate::chrome::Chrome;
use crate::driver::{Driver, OPEN_LIMIT};
use crate::error::RecordError;
use crate::event_loop::SessionSetup;
use crate::messages as m;
use crate::socket::CallError;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How long the browser may take to say where its protocol is.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);
/// Most bytes of that answer.
const MOST_ANSWER: u64 = 1 << 20;

/// Which tab of a running browser is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum AttachTab {
    /// A new one, which is closed when we go.
    #[default]
    New,
    /// The first that is there.
    First,
    /// The one whose target id this is, or whose URL contains it.
    Named(String),
}

#[derive(Deserialize)]
struct Version {
    #[serde(rename = "webSocketDebuggerUrl")]
    address: String,
}

/// Host and port of an address, and its path.
fn parts(url: &str) -> Result<(String, String), String> {
    let parsed = url::Url::parse(url).map_err(|error| error.to_string())?;
    let host = parsed.host_str().ok_or("it names no host")?;
    let port = parsed.port_or_known_default().ok_or("it names no port")?;
    Ok((format!("{host}:{port}"), parsed.path().to_owned()))
}

/// Returns the WebSocket address of the browser, and the target that the address itself names, if
/// it names one.
pub(crate) async fn endpoint(url: &str) -> Result<(String, Option<String>), String> {
    let (authority, path) = parts(url)?;
    if url.starts_with("wss://") || (url.starts_with("ws://") && !path.starts_with("/devtools/page/") && path != "/") {
        return Ok((url.to_owned(), None));
    }
    if !url.starts_with("http://") && !url.starts_with("ws://") {
        return Err("expected http://host:port or ws://host:port/devtools/browser/…".to_owned());
    }
    let answer = tokio::time::timeout(ANSWER_LIMIT, get(&authority, "/json/version"))
        .await
        .map_err(|_| format!("no answer within {ANSWER_LIMIT:?}"))?
        .map_err(|error| error.to_string())?;
    let version: Version = serde_json::from_str(&answer)
        .map_err(|_| "what answers there is no browser with a debugging port".to_owned())?;
    // The browser names itself by the host that it was asked for, which may be another from outside
    // a container.
    let (_, path_of_browser) = parts(&version.address)?;
    Ok((format!("ws://{authority}{path_of_browser}"), path.strip_prefix("/devtools/page/").map(str::to_owned)))
}

/// Reads the body of a small HTTP answer.
async fn get(authority: &str, path: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(authority).await?;
    // The browser refuses hosts that are no address and not `localhost`.
    let request = format!("GET {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    let mut limited = (&mut stream).take(MOST_ANSWER);
    let mut buffer = [0; 4096];
    loop {
        let read = limited.read(&mut buffer).await?;
        answer.extend_from_slice(&buffer[..read]);
        let text = String::from_utf8_lossy(&answer);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if read == 0 || length.is_some_and(|length| body.len() >= length) {
                return Ok(body.to_owned());
            }
        } else if read == 0 {
            return Ok(String::new());
        }
    }
}

impl Driver {
    /// Attaches to a running browser and to one tab of it.
    pub(crate) async fn attach(
        url: &str,
        tab: &AttachTab,
        setup: SessionSetup,
        ceiling: Duration,
    ) -> Result<Self, RecordError> {
        let failed = |reason: String| RecordError::AttachFailed { url: url.to_owned(), reason };
        let (address, named) = endpoint(url).await.map_err(failed)?;
        let mut driver = Self::connect(Chrome::attached(address), setup, ceiling, None).await.map_err(failed)?;
        let call = async |method: &str, params: Value| driver.ask_browser(method, params).await.map_err(failed);
        let there = call("Target.getTargets", json!({})).await?;
        let there: m::Targets = there.read().map_err(|error| failed(error.to_string()))?;
        let pages: Vec<m::TargetInfo> = there.list.into_iter().filter(|target| target.kind == "page").collect();
        let wanted = match (tab, named) {
            (AttachTab::Named(name), _) => Some(name.clone()),
            (AttachTab::New, Some(name)) => Some(name),
            _ => None,
        };
        let target = match wanted {
            Some(name) => {
                let found = pages
                    .iter()
                    .find(|page| page.target_id == name)
                    .or(pages.iter().find(|page| page.url.contains(&name)));
                let known = || pages.iter().map(|page| page.url.as_str()).collect::<Vec<_>>().join(", ");
                found.ok_or_else(|| failed(format!("no tab is {name:?}; open are {}", known())))?.target_id.clone()
            }
            None if *tab == AttachTab::First => {
                pages.first().ok_or_else(|| failed("it has no open tab".to_owned()))?.target_id.clone()
            }
            None => {
                let made = call("Target.createTarget", json!({ "url": "about:blank" })).await?;
                made.value()["targetId"].as_str().unwrap_or_default().to_owned()
            }
        };
        call("Target.attachToTarget", json!({ "targetId": target, "flatten": true })).await?;
        let ready = |state: &State| (state.starting == 0 && !state.tabs.is_empty()).then_some(());
        let answered = driver.browser.wait_for(Instant::now() + OPEN_LIMIT, ready).await;
        answered.ok_or_else(|| failed("its tab did not answer within 20 s".to_owned()))?;
        // Tabs that ours open are told of from now on.
        call("Target.setDiscoverTargets", json!({ "discover": true })).await?;
        driver.kept = pages.into_iter().map(|page| page.target_id).collect();
        Ok(driver)
    }

    /// Leaves a browser that somebody else started: what we opened is closed, the rest stays as it
    /// is.
    pub(crate) async fn leave(&self) {
        if !self.chrome.is_attached() || self.setup.given || self.socket.is_closed() {
            return;
        }
        let open = self.browser.read().open_tabs().map(|(_, tab)| tab.clone()).collect::<Vec<_>>();
        for Tab { target, session, .. } in open {
            let (method, params) = if self.kept.contains(&target) {
                ("Target.detachFromTarget", json!({ "sessionId": session }))
            } else {
                ("Target.closeTarget", json!({ "targetId": target }))
            };
            drop(self.socket.call(None, method, &params, Duration::from_secs(5)).await);
        }
    }

    /// Opens a tab and makes it the current one.
    pub(crate) async fn new_tab(&mut self) -> Result<(), CallError> {
        let call = async |method, params| self.socket.call(None, method, &params, self.ceiling).await;
        let made = call("Target.createTarget", json!({ "url": "about:blank" })).await?.value()["targetId"].clone();
        if self.chrome.is_attached() {
            call("Target.attachToTarget", json!({ "targetId": made, "flatten": true })).await?;
        }
        let ready = |state: &State| {
            let tab = state.tabs.iter().position(|tab| made == tab.target.as_str())?;
            (state.starting == 0).then_some(tab as u32)
        };
        let opened = self.browser.wait_for(Instant::now() + self.ceiling, ready).await;
        self.tab = opened.ok_or(CallError::TimedOut(self.ceiling))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_gives_host_port_and_path() {
        let split = |url: &str| parts(url).expect("an address");
        assert_eq!(split("http://127.0.0.1:9222"), ("127.0.0.1:9222".to_owned(), "/".to_owned()));
        assert_eq!(split("ws://[::1]:9222/devtools/page/A").0, "[::1]:9222");
        assert_eq!(split("ws://host/devtools/browser/x"), ("host:80".to_owned(), "/devtools/browser/x".to_owned()));
        assert!(parts("localhost").is_err());
    }

    #[tokio::test]
    async fn an_address_where_no_browser_is_says_so() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("bound"));
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("somebody asks");
            drop(stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno").await);
        });
        let error = endpoint(&url).await.expect_err("no browser");
        assert!(error.contains("no browser"), "{error}");
        let error = endpoint("ftp://127.0.0.1:1").await.expect_err("no such scheme");
        assert!(error.contains("http://host:port"), "{error}");
    }
}
