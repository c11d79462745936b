//! Chat requests and answers as values.
//!
//! In: model, messages, the schema of the answer. Out: the JSON of `POST /chat/completions` in one
//! canonical spelling, and its hash. Invariant: equal requests have equal hashes on every machine;
//! neither endpoint nor key is part of a request.

use base64::Engine;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::fmt;
use std::sync::Arc;

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The rules of the conversation.
    System,
    /// The question.
    User,
    /// What the model said before.
    Assistant,
}

/// A piece of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// A PNG, sent as a data URL.
    Png(Arc<[u8]>),
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// Its pieces, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// Returns a message of text alone.
    pub fn text(role: Role, text: impl Into<String>) -> Self {
        Self { role, parts: vec![Part::Text(text.into())] }
    }

    fn to_json(&self) -> Value {
        if let [Part::Text(text)] = self.parts.as_slice() {
            return json!({ "role": self.role, "content": text });
        }
        let parts = self.pieces(
            |text| json!({ "type": "text", "text": text }),
            |png| json!({ "type": "image_url", "image_url": { "url": format!("data:image/png;base64,{png}") } }),
        );
        json!({ "role": self.role, "content": parts })
    }

    /// Its pieces in the words of a protocol, which gets images in base64.
    pub(crate) fn pieces(&self, text: fn(&str) -> Value, png: fn(String) -> Value) -> Vec<Value> {
        let piece = |part: &Part| match part {
            Part::Text(said) => text(said),
            Part::Png(bytes) => png(base64::engine::general_purpose::STANDARD.encode(bytes)),
        };
        self.parts.iter().map(piece).collect()
    }
}

/// A JSON schema with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// Name: letters, digits, underscores.
    pub name: String,
    /// The schema.
    pub schema: Value,
}

/// How the endpoint is told that the answer is JSON; not every endpoint knows every way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseFormat {
    /// By `response_format` of type `json_schema`, strict.
    #[default]
    JsonSchema,
    /// By `response_format` of type `json_object`.
    JsonObject,
    /// Not at all: by the prompt alone.
    Plain,
}

/// One request.
#[derive(Clone, Debug, PartialEq)]
pub struct ChatRequest {
    /// Name of the model, as the endpoint knows it.
    pub model: String,
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// What the answer must look like.
    pub schema: Schema,
    /// How that is told to the endpoint.
    pub response_format: ResponseFormat,
    /// Most tokens of an answer.
    pub max_tokens: u32,
    /// Temperature.
    pub temperature: f64,
    /// More top-level parameters; each replaces one of the same name, and null takes it out.
    pub extra: Map<String, Value>,
}

impl ChatRequest {
    /// Returns the body of the request.
    pub fn to_json(&self) -> Value {
        let mut body = json!({
            "model": self.model,
            "messages": self.messages.iter().map(Message::to_json).collect::<Vec<_>>(),
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
        });
        match self.response_format {
            ResponseFormat::JsonSchema => {
                body["response_format"] = json!({
                    "type": "json_schema",
                    "json_schema": { "name": self.schema.name, "strict": true, "schema": self.schema.schema },
                });
            }
            ResponseFormat::JsonObject => body["response_format"] = json!({ "type": "json_object" }),
            ResponseFormat::Plain => {}
        }
        self.with_extra(body)
    }

    /// Puts the further parameters into a body, in the place of those of the same names.
    pub(crate) fn with_extra(&self, mut body: Value) -> Value {
        let Some(fields) = body.as_object_mut() else { return body };
        fields.extend(self.extra.clone());
        fields.retain(|name, value| !value.is_null() || !self.extra.contains_key(name));
        body
    }

    /// Returns the system messages, and the others.
    pub(crate) fn by_role(&self) -> (Vec<&Message>, Vec<&Message>) {
        self.messages.iter().partition(|message| message.role == Role::System)
    }

    /// Returns the body in the one spelling that is sent and hashed: keys sorted, no blanks.
    pub fn canonical(&self) -> String {
        let mut body = self.to_json();
        // Whatever order the map keeps (`serde_json` may be built with or without `preserve_order`).
        body.sort_all_objects();
        body.to_string()
    }

    /// Returns the hash that cassettes know the request by.
    pub fn hash(&self) -> RequestHash {
        RequestHash(blake3::hash(self.canonical().as_bytes()).to_hex().to_string())
    }
}

/// BLAKE3 of a canonical request, in hexadecimal digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RequestHash(pub(crate) String);

impl fmt::Display for RequestHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a model said.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Completion {
    /// The text; empty if there was none.
    pub content: String,
    /// Why it ended, as the endpoint says: `stop`, `length`, …
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub finish_reason: String,
    /// Tokens of the request as the endpoint counts them; none if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer as the endpoint counts them; none if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
    /// Calls of functions, as an OpenAI-compatible endpoint writes them, where the request lists some.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<Value>,
}

/// What came of a request: both kinds are final, and kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The model answered.
    Said(Completion),
    /// The endpoint refused this very request: longer than the model's context, stopped by a
    /// filter.
    Refused {
        /// HTTP status.
        status: u16,
        /// What the endpoint said.
        message: String,
    },
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn request() -> ChatRequest {
        ChatRequest {
            model: "m".into(),
            messages: vec![Message::text(Role::System, "be \"brief\""), Message::text(Role::User, "é\n")],
            schema: Schema { name: "answer".into(), schema: json!({ "type": "object" }) },
            response_format: ResponseFormat::JsonSchema,
            max_tokens: 64,
            temperature: 0.0,
            extra: Map::new(),
        }
    }

    #[test]
    fn the_canonical_form_sorts_keys_at_every_depth() {
        assert_eq!(
            request().canonical(),
            concat!(
                r#"{"max_tokens":64,"messages":[{"content":"be \"brief\"","role":"system"},{"content":"é\n","#,
                r#""role":"user"}],"model":"m","response_format":{"json_schema":{"name":"answer","#,
                r#""schema":{"type":"object"},"strict":true},"type":"json_schema"},"temperature":0.0}"#
            )
        );
    }

    #[test]
    fn every_part_of_a_request_is_in_its_hash() {
        let first = request();
        let mut others = [(); 4].map(|()| request());
        others[0].model = "n".into();
        others[1].messages[1] = Message::text(Role::User, "e\n");
        others[2].temperature = 0.5;
        others[3].extra.insert("seed".into(), json!(1));
        assert_eq!(first.hash(), request().hash());
        assert_eq!(first.hash().0.len(), 64);
        for other in others {
            assert_ne!(first.hash(), other.hash());
        }
    }

    #[test]
    fn extra_parameters_replace_and_null_takes_out() {
        let mut request = request();
        request.extra.insert("temperature".into(), Value::Null);
        request.extra.insert("max_tokens".into(), Value::Null);
        request.extra.insert("max_completion_tokens".into(), json!(9));
        let body = request.to_json();
        assert!(body.get("temperature").is_none() && body.get("max_tokens").is_none());
        assert_eq!(body["max_completion_tokens"], 9);
    }

    #[test]
    fn an_image_is_a_data_url() {
        let parts = vec![Part::Text("see".into()), Part::Png(Arc::from(&b"\x89PNG"[..]))];
        let body = Message { role: Role::User, parts }.to_json();
        assert_eq!(body["content"][0]["text"], "see");
        assert_eq!(body["content"][1]["image_url"]["url"], "data:image/png;base64,iVBORw==");
    }
}
