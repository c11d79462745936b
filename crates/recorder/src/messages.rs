//! The protocol's events and results, as far as the recorder reads them.
//!
//! In: JSON. Out: small structs. Invariant: every field that a browser may leave out or rename has
//! a default.

use browserlens_core::strategy::ConsoleMessage;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Deserialize)]
pub(crate) struct Attached {
    #[serde(rename = "sessionId")]
    pub(crate) session: String,
    #[serde(rename = "targetInfo")]
    pub(crate) info: TargetInfo,
    #[serde(default, rename = "waitingForDebugger")]
    pub(crate) waiting: bool,
}

#[derive(Deserialize)]
pub(crate) struct Created {
    #[serde(rename = "targetInfo")]
    pub(crate) info: TargetInfo,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct TargetInfo {
    #[serde(rename = "targetId")]
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "openerId")]
    pub(crate) opener: String,
}

#[derive(Deserialize)]
pub(crate) struct Detached {
    #[serde(rename = "sessionId")]
    pub(crate) session: String,
}

#[derive(Deserialize)]
pub(crate) struct FrameRef {
    #[serde(rename = "frameId")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) reason: String,
    #[serde(default)]
    pub(crate) disposition: Option<String>,
    #[serde(default, rename = "navigationType")]
    pub(crate) kind: String,
}

#[derive(Deserialize)]
pub(crate) struct FrameNavigated {
    pub(crate) frame: FrameInfo,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    #[serde(default, rename = "loaderId")]
    pub(crate) loader: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "urlFragment")]
    pub(crate) fragment: String,
}

#[derive(Deserialize)]
pub(crate) struct FrameTreeResult {
    #[serde(rename = "frameTree")]
    pub(crate) tree: FrameTree,
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) struct FrameTree {
    pub(crate) frame: FrameInfo,
    #[serde(default, rename = "childFrames")]
    pub(crate) children: Vec<FrameTree>,
}

#[derive(Deserialize)]
pub(crate) struct DialogOpening {
    #[serde(default)]
    pub(crate) message: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
}

#[derive(Deserialize)]
pub(crate) struct DialogClosed {
    #[serde(default)]
    pub(crate) result: bool,
    #[serde(default, rename = "userInput")]
    pub(crate) typed: String,
}

#[derive(Deserialize)]
pub(crate) struct ContextCreated {
    pub(crate) context: Context,
}

#[derive(Deserialize)]
pub(crate) struct Context {
    #[serde(default)]
    pub(crate) id: i64,
    #[serde(default)]
    pub(crate) name: String,
    #[serde(default, rename = "uniqueId")]
    pub(crate) unique_id: String,
    #[serde(default, rename = "auxData")]
    pub(crate) aux: ContextAux,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ContextAux {
    #[serde(default, rename = "isDefault")]
    pub(crate) is_default: bool,
    #[serde(default, rename = "frameId")]
    pub(crate) frame: String,
}

#[derive(Deserialize)]
pub(crate) struct ContextDestroyed {
    #[serde(default, rename = "executionContextUniqueId")]
    pub(crate) unique_id: String,
}

#[derive(Deserialize)]
pub(crate) struct ConsoleCall {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) args: Vec<Value>,
    #[serde(default, rename = "executionContextId")]
    pub(crate) context: i64,
    #[serde(default, rename = "stackTrace")]
    pub(crate) stack: Option<StackTrace>,
}

/// A script's call of a function that the recorder put into its world.
#[derive(Deserialize)]
pub(crate) struct BindingCall {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) payload: String,
    #[serde(default, rename = "executionContextId")]
    pub(crate) context: i64,
}

/// A script that was compiled.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct ScriptParsed {
    #[serde(default, rename = "scriptId")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "executionContextId")]
    pub(crate) context: i64,
    #[serde(default, rename = "executionContextAuxData")]
    pub(crate) aux: Option<ContextAux>,
    /// There if a script had it compiled.
    #[serde(default, rename = "stackTrace")]
    pub(crate) stack: Option<Value>,
}

#[derive(Deserialize)]
pub(crate) struct StackTrace {
    #[serde(default, rename = "callFrames")]
    pub(crate) frames: Vec<CallFrame>,
}

#[derive(Deserialize)]
pub(crate) struct CallFrame {
    #[serde(default, rename = "scriptId")]
    pub(crate) script: String,
    #[serde(default, rename = "functionName")]
    pub(crate) function: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "lineNumber")]
    pub(crate) line: u32,
    #[serde(default, rename = "columnNumber")]
    pub(crate) column: u32,
}

#[derive(Deserialize)]
pub(crate) struct Thrown {
    #[serde(rename = "exceptionDetails")]
    pub(crate) details: ExceptionDetails,
}

#[derive(Deserialize)]
pub(crate) struct ExceptionDetails {
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "lineNumber")]
    pub(crate) line: u32,
    #[serde(default, rename = "stackTrace")]
    pub(crate) stack: Option<StackTrace>,
    #[serde(default)]
    pub(crate) exception: Value,
}

#[derive(Deserialize)]
pub(crate) struct LogAdded {
    pub(crate) entry: LogEntry,
}

#[derive(Deserialize)]
pub(crate) struct LogEntry {
    #[serde(default)]
    pub(crate) level: String,
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "lineNumber")]
    pub(crate) line: Option<u32>,
    #[serde(default, rename = "networkRequestId")]
    pub(crate) request: String,
}

#[derive(Deserialize)]
pub(crate) struct DownloadBegin {
    #[serde(default, rename = "frameId")]
    pub(crate) frame: String,
    pub(crate) guid: String,
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default, rename = "suggestedFilename")]
    pub(crate) file_name: String,
}

#[derive(Deserialize)]
pub(crate) struct DownloadProgress {
    pub(crate) guid: String,
    #[serde(default, rename = "receivedBytes")]
    pub(crate) received: f64,
    #[serde(default)]
    pub(crate) state: String,
}

#[derive(Deserialize)]
pub(crate) struct RequestWillBeSent {
    #[serde(rename = "requestId")]
    pub(crate) id: String,
    #[serde(default, rename = "loaderId")]
    pub(crate) loader: String,
    #[serde(default, rename = "frameId")]
    pub(crate) frame: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    pub(crate) request: Request,
    #[serde(default, rename = "redirectResponse")]
    pub(crate) redirect: Option<Response>,
    #[serde(default, rename = "redirectHasExtraInfo")]
    pub(crate) redirect_has_extra: bool,
}

#[derive(Deserialize)]
pub(crate) struct Request {
    #[serde(default)]
    pub(crate) url: String,
    #[serde(default)]
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) headers: Headers,
    #[serde(default, rename = "postData")]
    pub(crate) body: Option<String>,
    #[serde(default, rename = "hasPostData")]
    pub(crate) has_body: bool,
}

#[derive(Deserialize)]
pub(crate) struct ResponseReceived {
    #[serde(rename = "requestId")]
    pub(crate) id: String,
    #[serde(default, rename = "type")]
    pub(crate) kind: String,
    pub(crate) response: Response,
    #[serde(default, rename = "hasExtraInfo")]
    pub(crate) has_extra: bool,
}

#[derive(Deserialize)]
pub(crate) struct Response {
    #[serde(default)]
    pub(crate) status: u16,
    #[serde(default, rename = "mimeType")]
    pub(crate) mime: String,
    #[serde(default)]
    pub(crate) headers: Headers,
}

#[derive(Deserialize)]
pub(crate) struct ExtraInfo {
    #[serde(rename = "requestId")]
    pub(crate) id: String,
    #[serde(default)]
    pub(crate) headers: Headers,
}

#[derive(Deserialize)]
pub(crate) struct Ended {
    #[serde(rename = "requestId")]
    pub(crate) id: String,
    #[serde(default, rename = "errorText")]
    pub(crate) error: String,
}

/// A part of a body; its length is that of what the page gets, not of what came over the wire.
#[derive(Deserialize)]
pub(crate) struct DataReceived {
    #[serde(rename = "requestId")]
    pub(crate) id: String,
    #[serde(default, rename = "dataLength")]
    pub(crate) length: f64,
}

/// Headers in the order in which the browser lists them.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct Headers(pub(crate) Vec<(String, String)>);

impl<'de> Deserialize<'de> for Headers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Pairs;
        impl<'de> Visitor<'de> for Pairs {
            type Value = Headers;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map of headers")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Headers, A::Error> {
                let mut headers = Vec::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    headers.push((name, value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
                }
                Ok(Headers(headers))
            }
        }
        deserializer.deserialize_map(Pairs)
    }
}

/// Returns a console argument as text: strings as they are, objects as JSON previews.
pub(crate) fn describe(argument: &Value) -> String {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    if let Some(preview) = argument.get("preview") {
        return preview_text(preview);
    }
    match argument.get("value") {
        Some(Value::String(string)) => string.clone(),
        Some(value) => value.to_string(),
        None => argument
            .get("unserializableValue")
            .and_then(text)
            .or_else(|| argument.get("description").and_then(text))
            .unwrap_or_else(|| argument.get("type").and_then(text).unwrap_or_default()),
    }
}

fn preview_text(preview: &Value) -> String {
    let subtype = preview["subtype"].as_str().unwrap_or("");
    if matches!(subtype, "error" | "regexp" | "date" | "node") {
        return preview["description"].as_str().unwrap_or("").to_owned();
    }
    let is_array = subtype == "array" || subtype == "typedarray";
    let empty = Vec::new();
    let mut parts: Vec<String> = preview["properties"]
        .as_array()
        .unwrap_or(&empty)
        .iter()
        .map(|property| {
            let value = property_text(property);
            if is_array { value } else { format!("{}:{value}", Value::from(property["name"].as_str().unwrap_or(""))) }
        })
        .collect();
    for entry in preview["entries"].as_array().unwrap_or(&empty) {
        let value = preview_value(&entry["value"]);
        parts.push(match entry.get("key") {
            Some(key) => format!("{}:{value}", preview_value(key)),
            None => value,
        });
    }
    if preview["overflow"].as_bool() == Some(true) {
        parts.push("…".to_owned());
    }
    if is_array { format!("[{}]", parts.join(",")) } else { format!("{{{}}}", parts.join(",")) }
}

fn preview_value(preview: &Value) -> String {
    if preview.get("properties").is_some_and(|properties| properties.as_array().is_some_and(|list| !list.is_empty())) {
        return preview_text(preview);
    }
    let text = preview["description"].as_str().unwrap_or("");
    if preview["type"] == "string" { Value::from(text).to_string() } else { text.to_owned() }
}

fn property_text(property: &Value) -> String {
    if let Some(nested) = property.get("valuePreview") {
        return preview_text(nested);
    }
    let value = property["value"].as_str().unwrap_or("");
    if property["type"] == "string" { Value::from(value).to_string() } else { value.to_owned() }
}

pub(crate) fn with_place(mut message: ConsoleMessage, stack: Option<&StackTrace>) -> ConsoleMessage {
    let Some(stack) = stack else { return message };
    if let Some(first) = stack.frames.first() {
        message.url.clone_from(&first.url);
        message.line = first.line + 1;
    }
    let line = |frame: &CallFrame| {
        let name = if frame.function.is_empty() { "(anonymous)" } else { &frame.function };
        format!("{name} {}:{}:{}", frame.url, frame.line + 1, frame.column + 1)
    };
    message.stack = stack.frames.iter().map(line).collect::<Vec<_>>().join("\n");
    message
}

pub(crate) fn exception(details: ExceptionDetails) -> ConsoleMessage {
    let thrown =
        details.exception["description"].as_str().map(str::to_owned).unwrap_or_else(|| describe(&details.exception));
    let first = thrown.lines().next().unwrap_or("").to_owned();
    let text = if first.is_empty() { details.text.clone() } else { format!("{} {first}", details.text) };
    let message = ConsoleMessage { level: "exception".to_owned(), text, ..ConsoleMessage::default() };
    let mut message = with_place(message, details.stack.as_ref());
    if message.url.is_empty() {
        message.url = details.url;
        message.line = details.line + 1;
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn console_arguments_read_as_text_and_json_previews() {
        assert_eq!(describe(&json!({ "type": "string", "value": "a b" })), "a b");
        assert_eq!(describe(&json!({ "type": "number", "value": 3 })), "3");
        assert_eq!(describe(&json!({ "type": "number", "unserializableValue": "NaN" })), "NaN");
        assert_eq!(describe(&json!({ "type": "undefined" })), "undefined");
        let object = json!({ "type": "object", "preview": { "type": "object", "overflow": false, "properties": [
            { "name": "sku", "type": "string", "value": "A\"1" },
            { "name": "list", "type": "object", "value": "Array(2)",
                "valuePreview": { "subtype": "array", "properties": [
                { "name": "0", "type": "number", "value": "1" },
                { "name": "1", "type": "boolean", "value": "true" } ] } } ] } });
        assert_eq!(describe(&object), r#"{"sku":"A\"1","list":[1,true]}"#);
        assert_eq!(describe(&json!({})), "");
    }

    #[test]
    fn headers_keep_their_order() {
        let headers: Headers = serde_json::from_str(r#"{"Z":"1","A":"2","N":3}"#).expect("headers");
        let pairs: Vec<(&str, &str)> = headers.0.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("Z", "1"), ("A", "2"), ("N", "3")]);
    }
}
