//! A server that plays replies in order, and a clock that does not wait.
#![allow(dead_code, reason = "shared by test files that each use a part")]

use browserlens_llm::{ChatRequest, Clock, Message, ResponseFormat, Role, Schema};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one request.
pub enum Reply {
    /// Answers with a status, headers and a body.
    Status(u16, Vec<(String, String)>, String),
    /// Answers what is made of the body of the request.
    Said(fn(&str) -> String),
    /// Answers a good completion, but late.
    Slow(Duration),
    /// Closes the connection without a word.
    Close,
    /// Says that the body is longer than it is.
    CutShort,
}

impl Reply {
    pub fn status(status: u16, body: &str) -> Self {
        Self::Status(status, Vec::new(), body.to_owned())
    }

    pub fn with(mut self, name: &str, value: &str) -> Self {
        if let Self::Status(_, headers, _) = &mut self {
            headers.push((name.to_owned(), value.to_owned()));
        }
        self
    }
}

/// A good answer.
pub fn completion(content: &str) -> Reply {
    Reply::status(200, &completion_body(content))
}

fn completion_body(content: &str) -> String {
    serde_json::json!({
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }],
        "usage": { "prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15 },
    })
    .to_string()
}

/// What the server was sent.
#[derive(Clone, Debug)]
pub struct Seen {
    pub head: String,
    pub body: String,
}

/// One reply a connection, in order; gone when dropped.
pub struct Server {
    address: std::net::SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    stop: Arc<AtomicBool>,
}

impl Server {
    pub fn start(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let (seen, stop) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicBool::new(false)));
        let (seen_by_thread, stopped) = (Arc::clone(&seen), Arc::clone(&stop));
        std::thread::spawn(move || {
            let mut replies = replies.into_iter();
            for stream in listener.incoming().flatten() {
                if stopped.load(Ordering::SeqCst) {
                    return;
                }
                let reply = replies.next().unwrap_or(Reply::Close);
                let seen = Arc::clone(&seen_by_thread);
                // A slow reply must not hold up the next connection.
                std::thread::spawn(move || serve(stream, reply, &seen));
            }
        });
        Self { address, seen, stop }
    }

    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    pub fn requests(&self) -> Vec<Seen> {
        self.seen.lock().expect("no panic").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::SeqCst);
        // Wakes the listener, which then ends and closes its port.
        drop(TcpStream::connect(self.address));
    }
}

fn serve(mut stream: TcpStream, reply: Reply, seen: &Mutex<Vec<Seen>>) {
    let Some(request) = read_request(&stream) else { return };
    seen.lock().expect("no panic").push(request.clone());
    let (status, headers, body) = match reply {
        Reply::Close => return,
        Reply::CutShort => (200, vec![("content-length".to_owned(), "5000".to_owned())], "{\"choi".to_owned()),
        Reply::Slow(pause) => {
            std::thread::sleep(pause);
            (200, Vec::new(), completion_body("too late"))
        }
        Reply::Said(said) => (200, Vec::new(), said(&request.body)),
        Reply::Status(status, headers, body) => (status, headers, body),
    };
    let mut head = format!("HTTP/1.1 {status} Reply\r\nconnection: close\r\ncontent-type: application/json\r\n");
    if !headers.iter().any(|(name, _)| name == "content-length") {
        head.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    // The client may have gone: that is its right.
    let _ = stream.write_all(format!("{head}\r\n{body}").as_bytes());
}

fn read_request(stream: &TcpStream) -> Option<Seen> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some(Seen { head, body: String::from_utf8(body).ok()? })
}

/// Time that passes only by pauses.
#[derive(Default)]
pub struct TestClock {
    pauses: Mutex<Vec<Duration>>,
}

impl TestClock {
    /// The pauses so far, in seconds.
    pub fn pauses(&self) -> Vec<u64> {
        self.pauses.lock().expect("no panic").iter().map(Duration::as_secs).collect()
    }
}

impl Clock for TestClock {
    fn now(&self) -> Duration {
        self.pauses.lock().expect("no panic").iter().sum()
    }

    fn sleep(&self, pause: Duration) {
        self.pauses.lock().expect("no panic").push(pause);
    }
}

pub fn request(question: &str) -> ChatRequest {
    ChatRequest {
        model: "test-model".to_owned(),
        messages: vec![Message::text(Role::System, "rules"), Message::text(Role::User, question)],
        schema: Schema { name: "answer".to_owned(), schema: serde_json::json!({ "type": "object" }) },
        response_format: ResponseFormat::JsonSchema,
        max_tokens: 32,
        temperature: 0.0,
        extra: serde_json::Map::new(),
    }
}
