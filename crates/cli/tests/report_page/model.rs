//! A model that is none: an endpoint on loopback that names controls it was shown, and now and then
//! talks nonsense, so that a report has results of models.

use crate::common::serve;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Answers until the process ends; returns the endpoint.
pub fn start() -> String {
    let asked_so_far = AtomicUsize::new(0);
    serve(move |asked| {
        let (at, asked) = (asked_so_far.fetch_add(1, Ordering::Relaxed), &asked.body);
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
        let (read, message) = (asked.len() / 4, serde_json::json!({ "role": "assistant", "content": content }));
        let body = serde_json::json!({
            "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
            "usage": { "prompt_tokens": read, "completion_tokens": 20, "total_tokens": read + 20 },
        });
        ("200 OK\r\nContent-Type: application/json".to_owned(), body.to_string().into_bytes())
    }) + "/v1"
}
