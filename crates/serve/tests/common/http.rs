//! A small HTTP client over one connection a request.

#![allow(dead_code, reason = "each test uses a part of it")]

use browserlens_serve::{HttpOptions, Listening, serve_http};
use browserlens_session::Shared;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

/// Starts a server on a port of its own.
pub async fn start(shared: Arc<Shared>, options: HttpOptions) -> (SocketAddr, Listening, CancellationToken) {
    let stop = CancellationToken::new();
    let any: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let listening = serve_http(shared, any, options, stop.clone()).await.expect("listens");
    (listening.address, listening, stop)
}

/// Begins a session, and returns its id.
pub async fn begin(address: SocketAddr) -> String {
    let reply = send(address, "POST", "/v1/sessions", &[], None).await;
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()["session"].as_str().expect("an id").to_owned()
}

/// An answer.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Reply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// Sends bytes as they are and reads until the server closes; none if it said nothing that is HTTP.
pub async fn raw(address: SocketAddr, bytes: &[u8], patience: Duration) -> Option<Reply> {
    let talk = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        // The server may refuse before it read everything.
        let _sent = stream.write_all(bytes).await;
        let mut read = Vec::new();
        // A server that waits for more of a broken request is told that there is no more.
        if tokio::time::timeout(patience, stream.read_to_end(&mut read)).await.is_err() {
            let _closed = stream.shutdown().await;
            let _end = stream.read_to_end(&mut read).await;
        }
        Some(read)
    };
    let read = tokio::time::timeout(Duration::from_secs(60), talk).await.expect("an answer in time")?;
    let text = String::from_utf8_lossy(&read).into_owned();
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let is_chunked = head.to_ascii_lowercase().contains("transfer-encoding: chunked");
    let body = if is_chunked { unchunked(body) } else { body.to_owned() };
    Some(Reply { status, head: head.to_owned(), body })
}

fn unchunked(mut body: &str) -> String {
    let mut out = String::new();
    while let Some((size, rest)) = body.split_once("\r\n") {
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        if size == 0 || size > rest.len() {
            break;
        }
        out.push_str(&rest[..size]);
        body = rest[size..].trim_start_matches("\r\n");
    }
    out
}

/// Sends a request with headers and an optional JSON body.
pub async fn send(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: Option<&str>,
) -> Reply {
    let mut request = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        request.push_str(&format!("Host: {address}\r\n"));
    }
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    if let Some(body) = body {
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            request.push_str("Content-Type: application/json\r\n");
        }
        request.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    } else {
        request.push_str("\r\n");
    }
    raw(address, request.as_bytes(), Duration::from_secs(50)).await.expect("an answer")
}
