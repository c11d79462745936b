//! What an agent that speaks HTTP reads first: how to begin, how pages are shown, what to call.
//!
//! In: the tools that a server allows. Out: plain text, made of what the tools say of themselves.

use browserlens_session::{INSTRUCTIONS, Policy, Tool, ToolGroup, allowed, plain_schema};
use serde_json::Value;

const BEGIN: &str = "BrowserLens: pages for agents, over HTTP

- POST /v1/sessions answers {\"session\": ID}: a browser of your own. Send Browserlens-Session: ID with each call.
- POST /v1/TOOL calls a tool, its arguments as JSON. It answers {text or json, done, images}, done: false where a
  part was not done, or {error: {kind, message, hint}}.
- POST /v1/navigate {\"url\": \"https://example.com/\"} comes first; POST /v1/fill {\"fields\": [{\"ref\": \"@e5\",
  \"value\": \"Ada\"}, {\"text\": \"Country\", \"value\": \"Peru\"}]} and POST /v1/click {\"ref\": \"@e7\"} act.
- DELETE /v1/sessions/ID ends it.
";

/// Returns the guide of a server.
pub(crate) fn guide(policy: &Policy) -> String {
    let (core, more): (Vec<Tool>, Vec<Tool>) =
        allowed(policy).into_iter().partition(|tool| tool.group() == ToolGroup::Core);
    let mut out = format!("{BEGIN}\n{}\n\nTools:\n", INSTRUCTIONS.trim_end());
    core.iter().for_each(|tool| out.push_str(&told(tool)));
    out.push_str("\nMore, with arguments at GET /help/TOOL (whole schemas: GET /openapi.json):\n");
    more.iter().for_each(|tool| write_head(&mut out, tool));
    out
}

/// Returns what a tool is for and what it takes; `?` is behind what need not be given.
pub(crate) fn told(tool: &Tool) -> String {
    let mut out = String::new();
    write_head(&mut out, tool);
    let schema = plain_schema(tool);
    let required = schema.get("required").and_then(Value::as_array);
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        let may_lack = required.is_none_or(|required| !required.contains(&Value::from(name.as_str())));
        let words = property["description"].as_str().map(|words| format!(": {words}")).unwrap_or_default();
        let kind = kind_of(property);
        out.push_str(&format!("  {name}{} {kind}{words}\n", if may_lack { "?" } else { "" }));
    }
    out
}

fn write_head(out: &mut String, tool: &Tool) {
    out.push_str(&format!("{}: {}\n", tool.name, tool.why));
}

fn kind_of(property: &Value) -> String {
    if let Some(words) = property["enum"].as_array() {
        return words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|");
    }
    match &property["type"] {
        Value::String(kind) if kind == "array" => format!("[{}]", kind_of(&property["items"])),
        Value::String(kind) => kind.clone(),
        Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join("|"),
        _ => "any".to_owned(),
    }
}
