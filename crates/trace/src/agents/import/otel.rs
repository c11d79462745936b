//! OpenTelemetry spans of GenAI, as OTLP JSON: one trace is one run.
//!
//! A `chat` span is a turn, an `execute_tool` span a call of the turn that began last before it.
//! Arguments, results and messages are opt-in there: what was not sent is empty here.

use super::{Builder, Runs, Values, list_at, text_at};
use crate::agents::record::{EndReason, RunRecord, Usage};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

struct Span {
    from: u64,
    to: u64,
    operation: String,
    is_error: bool,
    error: String,
    attributes: Map<String, Value>,
}

pub(super) fn is_it(values: &Values) -> bool {
    values[0].1.get("resourceSpans").is_some()
}

pub(super) fn read(values: &Values) -> Runs {
    // In the order in which the traces begin in the file; parts of one may lie in several lines.
    let mut order: Vec<String> = Vec::new();
    let mut traces: BTreeMap<String, Vec<Span>> = BTreeMap::new();
    let mut scores: BTreeMap<String, f64> = BTreeMap::new();
    for (_, value) in values {
        let scopes = list_at(value, "resourceSpans").iter().flat_map(|resource| {
            list_at(resource, "scopeSpans").iter().chain(list_at(resource, "instrumentationLibrarySpans"))
        });
        for raw in scopes.flat_map(|scope| list_at(scope, "spans")) {
            let id = text_at(raw, "traceId").to_owned();
            let attributes = attributes(raw);
            let said = list_at(raw, "events").iter().map(self::attributes);
            for said in said.chain([attributes.clone()]) {
                let score = said.get("gen_ai.evaluation.score.value").and_then(Value::as_f64);
                scores.extend(score.map(|score| (id.clone(), score)));
            }
            let Some(operation) = operation(raw, &attributes) else { continue };
            if !traces.contains_key(&id) {
                order.push(id.clone());
            }
            let (code, message) = (&raw["status"]["code"], raw["status"]["message"].as_str());
            let kind = attributes.get("error.type");
            traces.entry(id).or_default().push(Span {
                from: nanos(&raw["startTimeUnixNano"]),
                to: nanos(&raw["endTimeUnixNano"]),
                operation,
                is_error: *code == 2 || *code == "STATUS_CODE_ERROR" || kind.is_some(),
                error: message.or(kind.and_then(Value::as_str)).unwrap_or_default().to_owned(),
                attributes,
            });
        }
    }
    if order.is_empty() {
        return Err((0, "no span with an attribute of gen_ai".to_owned()));
    }
    let run = |id: &String| {
        let mut run = run(traces.remove(id).unwrap_or_default());
        if let Some(end) = &mut run.end {
            end.reward = scores.get(id).copied();
        }
        run
    };
    Ok(order.iter().map(run).collect())
}

fn run(mut spans: Vec<Span>) -> RunRecord {
    spans.sort_by_key(|span| span.from);
    let mut run = Builder::default();
    let has_chats = spans.iter().any(|span| span.operation == "chat");
    for span in &spans {
        let text = |key: &str| span.attributes.get(key).and_then(Value::as_str);
        match span.operation.as_str() {
            "invoke_agent" => {
                run.run.header.task = text("gen_ai.conversation.name").unwrap_or_default().to_owned();
                run.run.header.goal = texts(span, "gen_ai.input.messages", "user");
                let instructions = span.attributes.get("gen_ai.system_instructions").map(structured);
                run.run.header.instructions = instructions.map(|said| words(&said)).unwrap_or_default();
            }
            "chat" => {
                run.begin_turn();
                run.run.header.agent.model =
                    text("gen_ai.response.model").or(text("gen_ai.request.model")).map(str::to_owned);
                run.say(&texts(span, "gen_ai.output.messages", "assistant"));
                let count = |key: &str| span.attributes.get(key).and_then(Value::as_u64);
                let input = count("gen_ai.usage.input_tokens").or_else(|| count("gen_ai.usage.prompt_tokens"));
                let output = count("gen_ai.usage.output_tokens").or_else(|| count("gen_ai.usage.completion_tokens"));
                let cached = count("gen_ai.usage.cache_read.input_tokens").unwrap_or_default();
                run.turn().usage = input.map(|input| Usage { input, cached, output: output.unwrap_or_default() });
            }
            "execute_tool" => {
                if !has_chats {
                    run.begin_turn();
                }
                let id = text("gen_ai.tool.call.id").unwrap_or_default();
                let arguments = span.attributes.get("gen_ai.tool.call.arguments").map(structured).unwrap_or_default();
                let result = span.attributes.get("gen_ai.tool.call.result");
                let told = || answer_told(&spans, id);
                let call = run.call(id, text("gen_ai.tool.name").unwrap_or_default(), arguments);
                call.is_error = span.is_error;
                call.ms = Some(span.to.saturating_sub(span.from) / 1_000_000);
                call.answer = match result {
                    Some(Value::String(text)) => text.clone(),
                    Some(value) => value.to_string(),
                    None => told().unwrap_or_else(|| span.error.clone()),
                };
            }
            _ => {}
        }
    }
    let ms = spans.iter().map(|span| span.to).max().zip(spans.first()).map(|(to, first)| to.saturating_sub(first.from));
    let mut run = run.end(if has_chats { EndReason::Stopped } else { EndReason::Unknown });
    if let Some(end) = &mut run.end {
        end.ms = ms.map(|nanos| nanos / 1_000_000);
    }
    run
}

/// Returns an answer that stands only in what the model was sent afterwards.
fn answer_told(spans: &[Span], id: &str) -> Option<String> {
    if id.is_empty() {
        return None;
    }
    let messages = spans.iter().filter_map(|span| span.attributes.get("gen_ai.input.messages")).map(structured);
    let messages = messages.flat_map(|messages| messages.as_array().cloned().unwrap_or_default());
    let mut parts = messages.flat_map(|message| list_at(&message, "parts").to_vec());
    let part = parts.find(|part| part["type"] == "tool_call_response" && part["id"] == *id)?;
    let said = [&part["response"], &part["result"]].into_iter().find(|said| !said.is_null())?;
    Some(said.as_str().map_or_else(|| said.to_string(), str::to_owned))
}

/// Returns the texts of a role's messages, a line each.
fn texts(span: &Span, key: &str, role: &str) -> String {
    let messages = span.attributes.get(key).map(structured).unwrap_or_default();
    let messages = messages.as_array().into_iter().flatten().filter(|message| message["role"] == *role);
    let parts = messages.flat_map(|message| list_at(message, "parts")).filter(|part| part["type"] == "text");
    parts.filter_map(|part| part["content"].as_str()).collect::<Vec<_>>().join("\n")
}

fn words(said: &Value) -> String {
    match said {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["content"].as_str()).collect::<Vec<_>>().join("\n"),
        _ => String::new(),
    }
}

fn operation(span: &Value, attributes: &Map<String, Value>) -> Option<String> {
    if let Some(name) = attributes.get("gen_ai.operation.name").and_then(Value::as_str) {
        // Two names of the same: a turn of a model.
        let is_turn = matches!(name, "text_completion" | "generate_content");
        return Some(if is_turn { "chat" } else { name }.to_owned());
    }
    let is_ours = attributes.keys().any(|key| key.starts_with("gen_ai."));
    let name = || text_at(span, "name").split_whitespace().next().unwrap_or_default().to_owned();
    is_ours.then(name)
}

/// Returns the attributes of a span or an event as plain JSON.
fn attributes(of: &Value) -> Map<String, Value> {
    pairs(list_at(of, "attributes"))
}

fn pairs(list: &[Value]) -> Map<String, Value> {
    list.iter().filter_map(|pair| Some((pair["key"].as_str()?.to_owned(), plain(&pair["value"])))).collect()
}

fn plain(value: &Value) -> Value {
    let Some((kind, value)) = value.as_object().and_then(|one| one.iter().next()) else { return Value::Null };
    match kind.as_str() {
        "intValue" => {
            value.as_str().and_then(|digits| digits.parse::<i64>().ok()).map_or_else(|| value.clone(), Value::from)
        }
        "arrayValue" => list_at(value, "values").iter().map(plain).collect(),
        "kvlistValue" => Value::Object(pairs(list_at(value, "values"))),
        _ => value.clone(),
    }
}

/// Returns JSON that is sent as a text as what it says.
fn structured(value: &Value) -> Value {
    value.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_else(|| value.clone())
}

fn nanos(value: &Value) -> u64 {
    value.as_u64().or_else(|| value.as_str()?.parse().ok()).unwrap_or_default()
}
