//! The other protocol: Gemini's `generateContent`.
//!
//! In: a [`ChatRequest`]. Out: the body that Gemini reads, and what its answer says, as the same
//! [`Completion`]. Invariant: a request has one hash whichever protocol carries it, so a cassette does
//! not depend on the endpoint.

use crate::chat::{Answer, ChatRequest, Completion, Part, ResponseFormat, Role};
use base64::Engine;
use serde_json::{Map, Value, json};

/// Returns whether a name can stand in the address.
pub(crate) fn is_model_name(name: &str) -> bool {
    let plain = name.strip_prefix("models/").unwrap_or(name);
    !plain.is_empty() && plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Returns the body of a request.
pub(crate) fn body(request: &ChatRequest) -> Value {
    let parts = |parts: &[Part]| -> Vec<Value> {
        parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => json!({ "text": text }),
                Part::Png(png) => {
                    let data = base64::engine::general_purpose::STANDARD.encode(png);
                    json!({ "inlineData": { "mimeType": "image/png", "data": data } })
                }
            })
            .collect()
    };
    let system = request.messages.iter().filter(|message| message.role == Role::System);
    let system: Vec<Value> = system.flat_map(|message| parts(&message.parts)).collect();
    let others = request.messages.iter().filter(|message| message.role != Role::System);
    let contents: Vec<Value> = others
        .map(|message| {
            let role = if message.role == Role::Assistant { "model" } else { "user" };
            json!({ "role": role, "parts": parts(&message.parts) })
        })
        .collect();
    let mut config = Map::new();
    config.insert("temperature".to_owned(), json!(request.temperature));
    config.insert("maxOutputTokens".to_owned(), json!(request.max_tokens));
    match request.response_format {
        ResponseFormat::JsonSchema => {
            config.insert("responseMimeType".to_owned(), json!("application/json"));
            config.insert("responseJsonSchema".to_owned(), request.schema.schema.clone());
        }
        ResponseFormat::JsonObject => {
            config.insert("responseMimeType".to_owned(), json!("application/json"));
        }
        ResponseFormat::Plain => {}
    }
    let mut body = Map::new();
    if !system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({ "parts": system }));
    }
    body.insert("contents".to_owned(), Value::Array(contents));
    body.insert("generationConfig".to_owned(), Value::Object(config));
    request.with_extra(body)
}

/// Returns what an answer says; none if the value is none.
pub(crate) fn answer(body: &Value) -> Option<Answer> {
    let blocked = body.get("promptFeedback").and_then(|feedback| feedback.get("blockReason")).and_then(Value::as_str);
    if let Some(reason) = blocked {
        return Some(Answer::Refused { status: 200, message: format!("the prompt was blocked: {reason}") });
    }
    let candidate = body.get("candidates")?.as_array()?.first()?.as_object()?;
    let parts = candidate.get("content").and_then(|content| content.get("parts")).and_then(Value::as_array);
    // Parts marked as thoughts are none of the answer.
    let texts = parts.into_iter().flatten().filter(|part| part.get("thought").and_then(Value::as_bool) != Some(true));
    let tokens = |name: &str| body.get("usageMetadata").and_then(|usage| usage.get(name)).and_then(Value::as_u64);
    let finish_reason = match candidate.get("finishReason").and_then(Value::as_str).unwrap_or_default() {
        "STOP" => "stop".to_owned(),
        "MAX_TOKENS" => "length".to_owned(),
        other => other.to_lowercase(),
    };
    Some(Answer::Said(Completion {
        content: texts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        finish_reason,
        prompt_tokens: tokens("promptTokenCount"),
        completion_tokens: tokens("candidatesTokenCount"),
        tool_calls: Vec::new(),
    }))
}
