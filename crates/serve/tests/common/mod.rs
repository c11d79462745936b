//! What the tests share: a server in this process and a client that speaks JSON-RPC lines.

#![allow(dead_code, reason = "each test uses a part of it")]

use browserlens_inspect::{CursorKey, Limits};
use browserlens_lens::ShownState;
use browserlens_recorder::{LiveOptions, SiteServer};
use browserlens_serve::{Seats, ServeError, serve_streams};
use browserlens_session::{KnowledgeBase, LiveOpener, Opener, Policy, Shared, TraceOpener};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

/// Path of a bundled trace.
pub fn trace(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces")).join(format!("{name}.trace"))
}

/// The bundled sites, the fixtures among them.
pub fn sites() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../traces/sites"))
}

/// What clients share, over an opener.
pub fn shared(opener: Box<dyn Opener>, policy: Policy) -> Shared {
    Shared {
        opener,
        policy,
        knowledge: KnowledgeBase::default(),
        reading_cache: None,
        cursor_key: CursorKey::new(b"test"),
        limits: Limits::default(),
        start_url: None,
        witness: None,
    }
}

/// What clients share, over browsers of their own.
pub fn live(policy: Policy) -> Shared {
    let opener = LiveOpener::new(LiveOptions::default(), &policy).expect("a proxy");
    shared(Box::new(opener), policy)
}

/// What clients share, over a bundled trace.
pub fn on_trace(name: &str) -> Shared {
    shared(Box::new(TraceOpener::new(&trace(name), 0).expect("a bundled trace")), Policy::default())
}

/// Leave to go to one host besides.
pub fn to(host: &str) -> Policy {
    Policy { hosts: vec![host.to_owned()], ..Policy::default() }
}

/// Serves a bundled site: with what clients share over browsers that may go there, and its URL.
pub async fn on_site(site: &str) -> (SiteServer, Shared, String) {
    let server = SiteServer::start(&sites(), site).await.expect("serves");
    let host = format!("127.0.0.1:{}", server.port());
    (server, live(to(&host)), format!("http://{host}"))
}

/// A server under way.
pub type Served = tokio::task::JoinHandle<Result<(), ServeError>>;

/// An MCP client over two pipes, with a server of its own at the other end.
pub struct Mcp {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
    next: u64,
    pub instructions: String,
}

impl Mcp {
    /// Starts a server and begins as MCP clients do.
    pub async fn start(shared: Arc<Shared>) -> Self {
        Self::start_until(shared, CancellationToken::new()).await.0
    }

    /// Starts a server that ends when it is told to or the client goes, and begins as MCP clients
    /// do.
    pub async fn start_until(shared: Arc<Shared>, stop: CancellationToken) -> (Self, Served) {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (read, write) = tokio::io::split(theirs);
        let served = tokio::spawn(serve_streams(Seats::new(shared, Duration::from_secs(120), 1), stop, read, write));
        let (input, output) = tokio::io::split(ours);
        let mut client = Self { input: BufReader::new(input), output, next: 0, instructions: String::new() };
        let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "test", "version": "0" } });
        let said = client.request("initialize", hello).await;
        client.instructions = said["result"]["instructions"].as_str().unwrap_or_default().to_owned();
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        (client, served)
    }

    pub async fn send(&mut self, message: &Value) {
        self.output.write_all(format!("{message}\n").as_bytes()).await.expect("the server reads");
    }

    pub async fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let mut line = String::new();
            let read = self.input.read_line(&mut line).await.expect("the server writes");
            assert!(read > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).expect("JSON");
            if message["id"] == json!(id) {
                return message;
            }
        }
    }

    /// Calls a tool; returns its text, or the text of its error.
    pub async fn try_call(&mut self, tool: &str, arguments: Value) -> Result<String, String> {
        let answer = self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await;
        if let Some(error) = answer.get("error") {
            return Err(error["message"].as_str().unwrap_or_default().to_owned());
        }
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        if result["isError"] == json!(true) { Err(text) } else { Ok(text) }
    }

    pub async fn call(&mut self, tool: &str, arguments: Value) -> String {
        self.try_call(tool, arguments).await.unwrap_or_else(|error| panic!("{tool}: {error}"))
    }

    /// Calls a tool and checks what its answer says, as [`holds`] does.
    pub async fn says(&mut self, tool: &str, arguments: Value, parts: &[&str]) -> String {
        let said = self.call(tool, arguments).await;
        holds(tool, &said, parts);
        said
    }

    /// Calls a tool and checks what its error says, as [`holds`] does.
    pub async fn refuses(&mut self, tool: &str, arguments: Value, parts: &[&str]) -> String {
        let said = self.try_call(tool, arguments).await.expect_err(tool);
        holds(tool, &said, parts);
        said
    }

    /// Returns the ref of the first that is found by role and name.
    pub async fn find(&mut self, role: &str, name: &str) -> String {
        let found = self.call("find", json!({ "text": name, "role": role })).await;
        let start = found.find("@e").unwrap_or_else(|| panic!("no ref: {found}"));
        found[start..].split_whitespace().next().expect("a ref").to_owned()
    }

    /// Returns what an expression has for its value.
    pub async fn value(&mut self, expression: &str) -> Value {
        let said = self.call("evaluate", json!({ "expression": expression })).await;
        serde_json::from_str(said.lines().next().expect("a line")).unwrap_or_else(|error| panic!("{error}: {said}"))
    }
}

/// Checks that a text has every part: one that begins with `^` at its begin, one with `!` nowhere.
pub fn holds(about: &str, text: &str, parts: &[&str]) {
    for part in parts {
        let is_so = match (part.strip_prefix('^'), part.strip_prefix('!')) {
            (Some(begin), _) => text.starts_with(begin),
            (_, Some(absent)) => !text.contains(absent),
            _ => text.contains(part),
        };
        assert!(is_so, "{about}: {part:?}: {text}");
    }
}

/// Takes an answer into what was shown; notes about the action stand before it.
pub fn apply(shown: &mut ShownState, text: &str) {
    let text = &text[text.find("[DELTA ").filter(|_| text.starts_with("sent: ")).unwrap_or(0)..];
    shown.apply(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

/// Returns what is shown after a first answer.
pub fn shown(text: &str) -> ShownState {
    let mut shown = ShownState::default();
    apply(&mut shown, text);
    shown
}

/// Returns the ref of the one node of a role and name that is shown.
pub fn reference(shown: &ShownState, role: &str, name: &str) -> String {
    let nodes = shown.nodes().filter(|node| node.role() == role && node.name() == name);
    let found: Vec<String> = nodes.filter_map(|node| Some(node.reference()?.to_string())).collect();
    assert_eq!(found.len(), 1, "{role} {name:?}: {found:?}");
    found[0].clone()
}

/// A server that answers every request with a page; returns its host and port.
pub async fn page(html: String) -> String {
    replying("200 OK\r\nContent-Type: text/html".to_owned(), html).await.0
}

/// A server that answers every request with one head and body; returns its host and port, and how
/// many came.
pub async fn replying(head: String, body: String) -> (String, Arc<AtomicU64>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("listens");
    let host = listener.local_addr().expect("an address").to_string();
    let seen = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&seen);
    let length = body.len();
    let reply = format!("HTTP/1.1 {head}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}");
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counted.fetch_add(1, Ordering::Relaxed);
            let reply = reply.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _read = stream.read(&mut request).await;
                let _sent = stream.write_all(reply.as_bytes()).await;
            });
        }
    });
    (host, seen)
}

/// Resident memory of this process in KiB.
pub fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("a line");
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).expect("a number")
}
