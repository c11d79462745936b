//! Anthropic's protocol: `POST /v1/messages`.
//!
//! In: a [`ChatRequest`]. Out: the body that the endpoint reads, and what its answer says, as the
//! same [`Completion`]. Invariant: a request has one hash whichever protocol carries it. That the answer is
//! JSON is told by the prompt alone.

use crate::chat::{Answer, ChatRequest, Completion, Message, Role};
use serde_json::{Value, json};

/// The version of the protocol that is spoken.
pub(crate) const VERSION: &str = "2023-06-01";

/// Returns the body of a request.
pub(crate) fn body(request: &ChatRequest) -> Value {
    let pieces = |message: &Message| {
        message.pieces(
            |text| json!({ "type": "text", "text": text }),
            |png| json!({ "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": png } }),
        )
    };
    let (system, others) = request.by_role();
    let said = |message: &Message| {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        json!({ "role": role, "content": pieces(message) })
    };
    let mut body = json!({
        "model": request.model,
        "max_tokens": request.max_tokens,
        "temperature": request.temperature,
        "messages": others.into_iter().map(said).collect::<Vec<_>>(),
    });
    if !system.is_empty() {
        body["system"] = system.into_iter().flat_map(pieces).collect();
    }
    let mut body = request.with_extra(body);
    if let Value::Object(body) = &mut body {
        // It takes none.
        body.remove("seed");
    }
    body
}

/// Returns what an answer says; none if the value is none.
pub(crate) fn answer(body: &Value) -> Option<Answer> {
    let texts = body["content"].as_array()?.iter().filter_map(|part| part["text"].as_str());
    let tokens = |name: &str| body["usage"][name].as_u64();
    let read = ["input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"];
    let finish_reason = match body["stop_reason"].as_str().unwrap_or_default() {
        "end_turn" | "stop_sequence" => "stop",
        "max_tokens" => "length",
        other => other,
    };
    Some(Answer::Said(Completion {
        content: texts.collect(),
        finish_reason: finish_reason.to_owned(),
        prompt_tokens: tokens("input_tokens").map(|_| read.into_iter().filter_map(tokens).sum()),
        completion_tokens: tokens("output_tokens"),
        tool_calls: Vec::new(),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::tests::request;
    use serde_json::Map;

    #[test]
    fn a_request_and_an_answer_have_the_shape_of_the_protocol() {
        let request = ChatRequest {
            messages: vec![
                Message::text(Role::System, "rules"),
                Message::text(Role::User, "go"),
                Message::text(Role::Assistant, "went"),
            ],
            extra: Map::from_iter([("seed".to_owned(), json!(1))]),
            ..request()
        };
        let text = |text: &str| json!([{ "type": "text", "text": text }]);
        let wanted = json!({
            "model": "m", "max_tokens": 64, "temperature": 0.0, "system": text("rules"),
            "messages": [{ "role": "user", "content": text("go") }, { "role": "assistant", "content": text("went") }],
        });
        assert_eq!(body(&request), wanted);
        let said = json!({
            "content": [{ "type": "text", "text": "{\"a\": " }, { "type": "text", "text": "1}" }],
            "stop_reason": "end_turn",
            "usage": { "input_tokens": 5, "cache_read_input_tokens": 7, "output_tokens": 3 },
        });
        let Some(Answer::Said(said)) = answer(&said) else { panic!("no answer") };
        assert_eq!((said.content.as_str(), said.finish_reason.as_str()), ("{\"a\": 1}", "stop"));
        assert_eq!((said.prompt_tokens, said.completion_tokens), (Some(12), Some(3)));
        assert!(answer(&json!({ "error": {} })).is_none());
    }
}
