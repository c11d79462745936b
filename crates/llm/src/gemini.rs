//! The other protocol: Gemini's `generateContent`.
//!
//! In: a [`ChatRequest`]. Out: the body that Gemini reads, and what its answer says, as the same
//! [`Completion`]. Invariant: a request has one hash whichever protocol carries it, so a cassette does
//! not depend on the endpoint.

use crate::chat::{Answer, ChatRequest, Completion, Message, ResponseFormat, Role};
use serde_json::{Value, json};

/// Returns whether a name can stand in the address.
pub(crate) fn is_model_name(name: &str) -> bool {
    let plain = name.strip_prefix("models/").unwrap_or(name);
    !plain.is_empty() && plain.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
}

/// Returns the body of a request.
pub(crate) fn body(request: &ChatRequest) -> Value {
    let pieces = |message: &Message| {
        message.pieces(
            |text| json!({ "text": text }),
            |png| json!({ "inlineData": { "mimeType": "image/png", "data": png } }),
        )
    };
    let (system, others) = request.by_role();
    let said = |message: &Message| {
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        json!({ "role": role, "parts": pieces(message) })
    };
    let mut config = json!({ "temperature": request.temperature, "maxOutputTokens": request.max_tokens });
    if request.response_format != ResponseFormat::Plain {
        config["responseMimeType"] = "application/json".into();
    }
    if request.response_format == ResponseFormat::JsonSchema {
        config["responseJsonSchema"] = request.schema.schema.clone();
    }
    let mut body = json!({
        "contents": others.into_iter().map(said).collect::<Vec<_>>(),
        "generationConfig": config,
    });
    if !system.is_empty() {
        body["systemInstruction"] = json!({ "parts": system.into_iter().flat_map(pieces).collect::<Vec<_>>() });
    }
    request.with_extra(body)
}

/// Returns what an answer says; none if the value is none.
pub(crate) fn answer(body: &Value) -> Option<Answer> {
    if let Some(reason) = body["promptFeedback"]["blockReason"].as_str() {
        return Some(Answer::Refused { status: 200, message: format!("the prompt was blocked: {reason}") });
    }
    let candidate = body["candidates"].as_array()?.first().filter(|candidate| candidate.is_object())?;
    let parts = candidate["content"]["parts"].as_array().into_iter().flatten();
    // Parts marked as thoughts are none of the answer.
    let texts = parts.filter(|part| part["thought"].as_bool() != Some(true));
    let tokens = |name: &str| body["usageMetadata"][name].as_u64();
    let finish_reason = match candidate["finishReason"].as_str().unwrap_or_default() {
        "STOP" => "stop".to_owned(),
        "MAX_TOKENS" => "length".to_owned(),
        other => other.to_lowercase(),
    };
    Some(Answer::Said(Completion {
        content: texts.filter_map(|part| part["text"].as_str()).collect(),
        finish_reason,
        prompt_tokens: tokens("promptTokenCount"),
        completion_tokens: tokens("candidatesTokenCount"),
        tool_calls: Vec::new(),
    }))
}
