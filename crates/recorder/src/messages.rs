//! The protocol's events and results, as far as the recorder reads them.
//!
//! In: JSON. Out: small structs, with the protocol's names. Invariant: every field that a browser may
//! leave out or rename has a default.

use browserlens_core::strategy::ConsoleMessage;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Attached {
    pub(crate) session_id: String,
    pub(crate) target_info: TargetInfo,
    pub(crate) waiting_for_debugger: bool,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct TargetInfo {
    pub(crate) target_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) url: String,
    pub(crate) opener_id: String,
}

/// The targets that there are.
#[derive(Deserialize)]
pub(crate) struct Targets {
    #[serde(rename = "targetInfos")]
    pub(crate) list: Vec<TargetInfo>,
}

/// What any event of a frame tells.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameEvent {
    pub(crate) frame_id: String,
    pub(crate) url: String,
    pub(crate) reason: String,
    pub(crate) disposition: Option<String>,
    pub(crate) navigation_type: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct FrameInfo {
    pub(crate) id: String,
    pub(crate) loader_id: String,
    pub(crate) url: String,
    pub(crate) url_fragment: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FrameTreeResult {
    frame_tree: FrameTree,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameTree {
    frame: FrameInfo,
    #[serde(default)]
    child_frames: Vec<FrameTree>,
}

impl FrameTreeResult {
    /// Returns every frame of the tree, in document order.
    pub(crate) fn frames(self) -> Vec<FrameInfo> {
        let mut frames = Vec::new();
        let mut open = vec![self.frame_tree];
        while let Some(node) = open.pop() {
            frames.push(node.frame);
            open.extend(node.child_frames.into_iter().rev());
        }
        frames
    }
}

/// What a dialog that opens or closes tells.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct DialogEvent {
    pub(crate) message: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) result: bool,
    pub(crate) user_input: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Context {
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) unique_id: String,
    pub(crate) aux_data: ContextAux,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ContextAux {
    pub(crate) is_default: bool,
    pub(crate) frame_id: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ConsoleCall {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) args: Vec<Value>,
    pub(crate) execution_context_id: i64,
    pub(crate) stack_trace: Option<StackTrace>,
}

/// A script's call of a function that the recorder put into its world.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct BindingCall {
    pub(crate) name: String,
    pub(crate) payload: String,
    pub(crate) execution_context_id: i64,
}

/// A script that was compiled.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ScriptParsed {
    pub(crate) script_id: String,
    pub(crate) url: String,
    pub(crate) execution_context_id: i64,
    pub(crate) execution_context_aux_data: Option<ContextAux>,
    /// There if a script had it compiled.
    pub(crate) stack_trace: Option<Value>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct StackTrace {
    pub(crate) call_frames: Vec<CallFrame>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct CallFrame {
    pub(crate) script_id: String,
    pub(crate) function_name: String,
    pub(crate) url: String,
    pub(crate) line_number: u32,
    pub(crate) column_number: u32,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ExceptionDetails {
    pub(crate) text: String,
    pub(crate) url: String,
    pub(crate) line_number: u32,
    pub(crate) stack_trace: Option<StackTrace>,
    pub(crate) exception: Value,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct LogEntry {
    pub(crate) level: String,
    pub(crate) text: String,
    pub(crate) url: String,
    pub(crate) line_number: Option<u32>,
    pub(crate) network_request_id: String,
}

/// What a download that begins or goes on tells.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct DownloadEvent {
    pub(crate) frame_id: String,
    pub(crate) guid: String,
    pub(crate) url: String,
    pub(crate) suggested_filename: String,
    pub(crate) received_bytes: f64,
    pub(crate) state: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestWillBeSent {
    pub(crate) request_id: String,
    pub(crate) loader_id: String,
    pub(crate) frame_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) request: Request,
    pub(crate) redirect_response: Option<Response>,
    pub(crate) redirect_has_extra_info: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Request {
    pub(crate) url: String,
    pub(crate) method: String,
    pub(crate) headers: Headers,
    pub(crate) post_data: Option<String>,
    pub(crate) has_post_data: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ResponseReceived {
    pub(crate) request_id: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) response: Response,
    pub(crate) has_extra_info: bool,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) mime_type: String,
    pub(crate) headers: Headers,
}

/// What the other events of a request tell.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct RequestEvent {
    pub(crate) request_id: String,
    pub(crate) headers: Headers,
    pub(crate) error_text: String,
    /// Length of a part of a body: of what the page gets, not of what came over the wire.
    pub(crate) data_length: f64,
}

/// A response's body, as the browser keeps it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Body {
    pub(crate) body: String,
    #[serde(default)]
    pub(crate) base64_encoded: bool,
}

/// Headers in the order in which the browser lists them.
#[derive(Default)]
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
    if let Some(preview) = argument.get("preview") {
        return preview_text(preview);
    }
    match argument.get("value") {
        Some(Value::String(string)) => string.clone(),
        Some(value) => value.to_string(),
        None => {
            let said = |name: &&str| argument[*name].as_str();
            ["unserializableValue", "description", "type"].iter().find_map(said).unwrap_or_default().to_owned()
        }
    }
}

fn preview_text(preview: &Value) -> String {
    let subtype = preview["subtype"].as_str().unwrap_or("");
    if matches!(subtype, "error" | "regexp" | "date" | "node") {
        return preview["description"].as_str().unwrap_or("").to_owned();
    }
    let is_array = subtype == "array" || subtype == "typedarray";
    let listed = |name: &str| preview[name].as_array().into_iter().flatten();
    let property = |property: &Value| {
        let value = match property.get("valuePreview") {
            Some(nested) => preview_text(nested),
            None => as_written(property, "value"),
        };
        if is_array { value } else { format!("{}:{value}", Value::from(property["name"].as_str().unwrap_or(""))) }
    };
    let mut parts: Vec<String> = listed("properties").map(property).collect();
    for entry in listed("entries") {
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
    let has_properties = preview["properties"].as_array().is_some_and(|list| !list.is_empty());
    if has_properties { preview_text(preview) } else { as_written(preview, "description") }
}

/// Returns a text as JSON writes it, if it is one of a string.
fn as_written(of: &Value, name: &str) -> String {
    let text = of[name].as_str().unwrap_or("");
    if of["type"] == "string" { Value::from(text).to_string() } else { text.to_owned() }
}

pub(crate) fn with_place(mut message: ConsoleMessage, stack: Option<&StackTrace>) -> ConsoleMessage {
    let Some(stack) = stack else { return message };
    if let Some(first) = stack.call_frames.first() {
        message.url.clone_from(&first.url);
        message.line = first.line_number + 1;
    }
    let line = |frame: &CallFrame| {
        let name = if frame.function_name.is_empty() { "(anonymous)" } else { &frame.function_name };
        format!("{name} {}:{}:{}", frame.url, frame.line_number + 1, frame.column_number + 1)
    };
    message.stack = stack.call_frames.iter().map(line).collect::<Vec<_>>().join("\n");
    message
}

pub(crate) fn exception(details: ExceptionDetails) -> ConsoleMessage {
    let thrown = details.exception["description"].as_str();
    let thrown = thrown.map_or_else(|| describe(&details.exception), str::to_owned);
    let first = thrown.lines().next().unwrap_or("").to_owned();
    let text = if first.is_empty() { details.text.clone() } else { format!("{} {first}", details.text) };
    let message = ConsoleMessage { level: "exception".to_owned(), text, ..ConsoleMessage::default() };
    let mut message = with_place(message, details.stack_trace.as_ref());
    if message.url.is_empty() {
        message.url = details.url;
        message.line = details.line_number + 1;
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
