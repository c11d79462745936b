//! A model that is none: an endpoint on loopback that names controls it was shown, and now and then
//! talks nonsense, so that a report has results of models.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// Answers until the process ends.
pub fn start() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for (at, stream) in listener.incoming().flatten().enumerate() {
            // A client that has gone is not missed.
            let _ = answer(stream, at);
        }
    });
    address
}

fn answer(mut stream: TcpStream, at: usize) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let (mut line, mut length) = (String::new(), 0);
    while reader.read_line(&mut line)? > 2 {
        if let Some(bytes) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().unwrap_or(0);
        }
        line.clear();
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let asked = String::from_utf8_lossy(&body);
    let refs: Vec<&str> = asked
        .match_indices("@e")
        .map(|(from, _)| &asked[from..])
        .map(|text| &text[..2 + text[2..].bytes().take_while(u8::is_ascii_digit).count()])
        .filter(|name| name.len() > 2)
        .collect();
    let content = match (at % 5, refs.get(at % refs.len().max(1))) {
        (3, _) | (_, None) => "I would look around first.".to_owned(),
        (1, Some(name)) => format!(r#"{{"action": "fill", "target": "{name}", "text": "something"}}"#),
        (_, Some(name)) => format!(r#"{{"action": "click", "target": "{name}", "text": null}}"#),
    };
    let body = serde_json::json!({
        "choices": [{ "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": content } }],
        "usage": { "prompt_tokens": asked.len() / 4, "completion_tokens": 20, "total_tokens": asked.len() / 4 + 20 },
    })
    .to_string();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}
