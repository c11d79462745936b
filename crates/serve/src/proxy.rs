//! The proxy that a client's Chromium goes through: what a page, a redirect or a name leads to is checked where the connection is made.
//!
//! In: requests of browsers. Out: connections to addresses that the [`Policy`] allows, to the very address that was checked. Invariant: no byte is sent
//! to an address that is not allowed, whichever way a browser was led there. TLS passes through unread.

use crate::error::ToolError;
use crate::policy::Policy;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use url::Url;

/// Largest head of a request.
const MOST_HEAD: usize = 64 << 10;
const PATIENCE: Duration = Duration::from_secs(30);

/// A proxy of this process; it ends when this is dropped.
#[derive(Debug)]
pub struct Proxy {
    address: SocketAddr,
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
        runtime.spawn(async move {
            let Ok(listener) = TcpListener::from_std(listener) else { return };
            loop {
                if let Ok((stream, _)) = listener.accept().await {
                    let policy = policy.clone();
                    tokio::spawn(async move { drop(serve(stream, &policy).await) });
                }
            }
        });
        Ok(Self { address, runtime: Some(runtime) })
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

async fn serve(mut browser: TcpStream, policy: &Policy) -> io::Result<()> {
    let Ok(Ok((head, rest))) = tokio::time::timeout(PATIENCE, read_head(&mut browser)).await else { return Ok(()) };
    let Some(asked) = Asked::parse(&head) else {
        return answer(&mut browser, "400 Bad Request", "not a request").await;
    };
    let mut server = match connect(policy, &asked.host, asked.port).await {
        Ok(server) => server,
        Err(Failed::Refused(error)) => return answer(&mut browser, "403 Forbidden", &error.to_string()).await,
        Err(Failed::Io) => return answer(&mut browser, "502 Bad Gateway", "no connection").await,
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
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{why}"
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
            return Some(Self { host, port, forward: None });
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
        Some(Self { host, port, forward: Some(out.into_bytes()) })
    }
}

enum Failed {
    Refused(ToolError),
    Io,
}

/// Connects to an address of a host that is allowed.
async fn connect(policy: &Policy, host: &str, port: u16) -> Result<TcpStream, Failed> {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let is_named = policy.names(host, port);
    if !is_named && bare.parse::<std::net::IpAddr>().is_err() {
        policy.name(bare).map_err(Failed::Refused)?;
    }
    let found = tokio::time::timeout(PATIENCE, lookup_host((bare, port))).await;
    let found: Vec<SocketAddr> = found.map_err(|_| Failed::Io)?.map_err(|_| Failed::Io)?.collect();
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
    Err(refused.map_or(Failed::Io, Failed::Refused))
}
