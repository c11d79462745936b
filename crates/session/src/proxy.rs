//! The proxy that a client's Chromium goes through: what a page, a redirect or a name leads to is
//! checked where the connection is made.
//!
//! In: requests of browsers. Out: connections to addresses that the [`Policy`] allows, to the very
//! address that was checked. Invariants: no byte is sent to an address that is not allowed,
//! whichever way a browser was led there; where this machine is allowed, it is to its own pages and
//! to whom the client sent there, not to pages of others. TLS passes through unread.

use crate::error::ToolError;
use crate::policy::{Policy, names_this_machine};
use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use url::Url;

/// Largest head of a request.
const MOST_HEAD: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(30);
/// Most URLs that are remembered because nothing could be reached there.
const MOST_UNREACHED: usize = 64;

/// What clients do on this machine's own pages, as far as it says who asks for them; and what could
/// not be reached.
#[derive(Debug, Default)]
pub(crate) struct OwnPages {
    /// Whether a client has gone to one.
    asked: AtomicBool,
    /// Whether the page is one that a client is on or goes to.
    shown: AtomicBool,
    /// URLs at which nothing was reached, with the reason, the latest last.
    unreached: Mutex<VecDeque<(String, &'static str)>>,
}

impl OwnPages {
    /// Notes where a client goes.
    pub(crate) fn goes_to(&self, url: &str) {
        let is_own = is_own(url);
        self.shown.store(is_own, Ordering::Relaxed);
        self.asked.fetch_or(is_own, Ordering::Relaxed);
    }

    /// Notes which page a client is on.
    pub(crate) fn is_on(&self, url: &str) {
        self.shown.store(is_own(url), Ordering::Relaxed);
    }

    /// Notes that nothing was reached at a URL.
    fn not_reached(&self, url: String, why: &'static str) {
        let mut unreached = self.unreached.lock().unwrap_or_else(PoisonError::into_inner);
        unreached.retain(|(known, _)| *known != url);
        unreached.push_back((url, why));
        if unreached.len() > MOST_UNREACHED {
            unreached.pop_front();
        }
    }

    /// Returns why nothing was reached at a URL, once: what stands there is this proxy's answer.
    pub(crate) fn why_not(&self, url: &str) -> Option<&'static str> {
        let url = url.split('#').next().unwrap_or_default();
        let mut unreached = self.unreached.lock().unwrap_or_else(PoisonError::into_inner);
        let at = unreached.iter().position(|(known, _)| known == url)?;
        unreached.remove(at).map(|(_, why)| why)
    }

    /// Returns whether a request for this machine may pass. What a browser says of its origin
    /// (`Sec-Fetch-Site`) no page can change; tunnels, which sockets of pages use too, say nothing.
    fn lets(&self, headers: Option<&str>) -> bool {
        let header = |wanted: &str| {
            let mut lines = headers.unwrap_or_default().lines().filter_map(|line| line.split_once(':'));
            lines.find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|(_, value)| value.trim())
        };
        match header("sec-fetch-site") {
            None => self.shown.load(Ordering::Relaxed),
            Some("none" | "same-origin" | "same-site") => true,
            // A page that leads there and back, as to sign in.
            Some(_) if header("sec-fetch-dest") == Some("document") => self.asked.load(Ordering::Relaxed),
            Some(_) => header("origin").or_else(|| header("referer")).is_some_and(is_own),
        }
    }
}

fn is_own(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.host_str().is_some_and(names_this_machine))
}

/// A proxy of this process; it ends when this is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
    own: Arc<OwnPages>,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Proxy {
    /// Listens on a loopback port of its own, on a thread of its own.
    ///
    /// # Errors
    /// If there is no port or thread for it.
    pub fn start(policy: Policy) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let own = Arc::<OwnPages>::default();
        let noted = Arc::clone(&own);
        runtime.spawn(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            loop {
                if let Ok((stream, _)) = listener.accept().await {
                    let (policy, own) = (policy.clone(), Arc::clone(&noted));
                    tokio::spawn(async move { drop(serve(stream, &policy, &own).await) });
                }
            }
        });
        Ok(Self { address, own, runtime: Some(runtime) })
    }

    /// Returns where it is to be told on which pages clients are.
    pub(crate) fn own_pages(&self) -> Arc<OwnPages> {
        Arc::clone(&self.own)
    }

    /// Returns the URL that browsers are given.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        // Not waited for: this may be dropped by a task.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn serve(mut browser: TcpStream, policy: &Policy, own: &OwnPages) -> io::Result<()> {
    let Ok(Ok((head, rest))) = tokio::time::timeout(PATIENCE, read_head(&mut browser)).await else { return Ok(()) };
    let Some(asked) = Asked::parse(&head) else {
        return answer(&mut browser, "400 Bad Request", "not a request").await;
    };
    let is_open = policy.names(&asked.host, asked.port) || !names_this_machine(&asked.host);
    if !is_open && !own.lets(asked.forward.as_deref().and_then(|head| std::str::from_utf8(head).ok())) {
        let why = format!(
            "refused: {}, which is this machine, to a page of another; the server's options --allow-host and \
                --allow-private allow it",
            asked.host
        );
        return answer(&mut browser, "403 Forbidden", &why).await;
    }
    let mut server = match connect(policy, &asked.host, asked.port).await {
        Ok(server) => server,
        Err(Failed::Refused(error)) => return answer(&mut browser, "403 Forbidden", &error.to_string()).await,
        Err(Failed::Io(why)) => {
            if let Some(url) = asked.url {
                own.not_reached(url, why);
            }
            return answer(&mut browser, "502 Bad Gateway", &format!("no connection: {why}")).await;
        }
    };
    match asked.forward {
        None => browser.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?,
        Some(head) => server.write_all(&head).await?,
    }
    server.write_all(&rest).await?;
    copy_bidirectional(&mut browser, &mut server).await.map(drop)
}

async fn answer(browser: &mut TcpStream, status: &str, why: &str) -> io::Result<()> {
    let length = why.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: \
            close\r\n\r\n{why}"
    );
    browser.write_all(head.as_bytes()).await
}

async fn read_head(browser: &mut TcpStream) -> io::Result<(Vec<u8>, Vec<u8>)> {
    let mut read = Vec::new();
    loop {
        if let Some(at) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            let rest = read.split_off(at + 4);
            return Ok((read, rest));
        }
        if read.len() > MOST_HEAD || browser.read_buf(&mut read).await? == 0 {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

/// What a browser asks for.
struct Asked {
    host: String,
    port: u16,
    /// The head to send on; none for a tunnel.
    forward: Option<Vec<u8>>,
    /// The URL; none for a tunnel.
    url: Option<String>,
}

impl Asked {
    fn parse(head: &[u8]) -> Option<Self> {
        let head = std::str::from_utf8(head).ok()?;
        let (first, headers) = head.split_once("\r\n")?;
        let mut words = first.split(' ');
        let (method, target) = (words.next()?, words.next()?);
        if method == "CONNECT" {
            let url = Url::parse(&format!("https://{target}/")).ok()?;
            let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
            return Some(Self { host, port, forward: None, url: None });
        }
        let url = Url::parse(target).ok().filter(|url| url.scheme() == "http")?;
        let (host, port) = (url.host_str()?.to_owned(), url.port_or_known_default()?);
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        let mut out = format!("{method} {path} HTTP/1.1\r\n");
        for line in headers.lines().filter(|line| !line.is_empty()) {
            let name = line.split(':').next().unwrap_or_default().to_ascii_lowercase();
            // One request a connection: the next may be for another host.
            if !name.starts_with("proxy-") && name != "connection" && name != "keep-alive" {
                out.push_str(line);
                out.push_str("\r\n");
            }
        }
        out.push_str("Connection: close\r\n\r\n");
        Some(Self { host, port, forward: Some(out.into_bytes()), url: Some(url.to_string()) })
    }
}

enum Failed {
    Refused(ToolError),
    Io(&'static str),
}

/// Connects to an address of a host that is allowed.
async fn connect(policy: &Policy, host: &str, port: u16) -> Result<TcpStream, Failed> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_named = policy.names(host, port);
    if !is_named && bare.parse::<std::net::IpAddr>().is_err() {
        policy.name(bare).map_err(Failed::Refused)?;
    }
    let found = tokio::time::timeout(PATIENCE, lookup_host((bare, port))).await;
    let unknown = || Failed::Io("the name of its host does not resolve");
    let found: Vec<SocketAddr> = found.map_err(|_| unknown())?.map_err(|_| unknown())?.collect();
    let mut refused = None;
    for address in found {
        if !is_named && let Err(error) = policy.address(address.ip(), host) {
            refused = Some(error);
            continue;
        }
        if let Ok(Ok(stream)) = tokio::time::timeout(PATIENCE, TcpStream::connect(address)).await {
            return Ok(stream);
        }
    }
    Err(refused.map_or(Failed::Io("nothing answers at its address and port"), Failed::Refused))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_reached_is_told_once() {
        let own = OwnPages::default();
        own.not_reached("http://a.test/?x=1".to_owned(), "why");
        assert_eq!(own.why_not("http://a.test/"), None);
        assert_eq!((own.why_not("http://a.test/?x=1#top"), own.why_not("http://a.test/?x=1")), (Some("why"), None));
        (0..1_000).for_each(|n| own.not_reached(format!("http://a.test/{n}"), "why"));
        assert_eq!((own.why_not("http://a.test/1"), own.why_not("http://a.test/999")), (None, Some("why")));
    }

    #[test]
    fn this_machine_is_open_to_its_own_pages_and_to_whom_the_client_sent_there() {
        let own = OwnPages::default();
        let lets = |headers: &str| own.lets(Some(&format!("GET / HTTP/1.1\r\n{headers}\r\n")));
        let elsewhere = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: empty\r\nOrigin: https://example.com\r\n";
        let led = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: document\r\n";
        let frame = "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: iframe\r\nReferer: https://example.com/\r\n";
        own.goes_to("https://example.com/");
        assert!(!lets(elsewhere) && !lets(led) && !lets(frame), "a public page reaches nothing here");
        assert!(!own.lets(None), "nor by a socket");
        own.goes_to("http://localhost:3000/");
        assert!(lets("Sec-Fetch-Site: none\r\n") && lets("sec-fetch-site: same-origin\r\n") && own.lets(None));
        assert!(lets("Sec-Fetch-Site: cross-site\r\nSec-Fetch-Dest: empty\r\nOrigin: http://localhost:3000\r\n"));
        assert!(!lets(elsewhere) && !lets(frame), "what it frames is a page of another");
        own.is_on("https://sign-in.example/");
        assert!(lets(led) && !own.lets(None) && !lets(elsewhere), "and back");
    }
}
