//! Rollouts of Codex.
//!
//! Answers stand twice: as the model read them, and, for MCP and in some versions, as an event that
//! also says whether it was an error and how long it took. Counts stand before the turn they are of
//! (`token_usage_record`) or behind it (`token_count`); where both are there the first hold.

use super::{Builder, Runs, Values, content, count_at, ms_of, text_at};
use crate::agents::record::{Call, EndReason, Usage};
use serde_json::Value;

/// What stands at the beginning of messages that nobody wrote.
const NOT_A_GOAL: [&str; 4] = ["<environment_context>", "<user_instructions>", "# AGENTS.md", "<permissions"];

pub(super) fn is_it(values: &Values) -> bool {
    let first = &values[0].1;
    first["type"] == "session_meta" && first.get("payload").is_some()
}

pub(super) fn read(values: &Values) -> Runs {
    let mut run = Builder::default();
    let has_records = values.iter().any(|(_, line)| line["type"] == "token_usage_record");
    // Whether what comes next is of another turn: the model had answers since it spoke.
    let mut is_answered = true;
    let mut total = Value::Null;
    let mut reason = EndReason::Unknown;
    for (number, line) in values {
        let payload = &line["payload"];
        let kind = text_at(payload, "type");
        match text_at(line, "type") {
            "session_meta" => {
                run.run.header.instructions = text_at(&payload["base_instructions"], "text").to_owned();
                run.run.header.began = payload["timestamp"].as_str().map(str::to_owned);
            }
            "turn_context" => run.run.header.agent.model = payload["model"].as_str().map(str::to_owned),
            "token_usage_record" => {
                next_turn(&mut run, &mut is_answered);
                add(&mut run, &payload["usage"]);
            }
            "response_item" => match kind {
                "message" if payload["role"] == "assistant" => {
                    next_turn(&mut run, &mut is_answered);
                    run.say(&content(&payload["content"]).0);
                }
                "message" if payload["role"] == "user" => {
                    let goal = content(&payload["content"]).0;
                    let is_goal = !NOT_A_GOAL.iter().any(|begin| goal.trim_start().starts_with(begin));
                    if is_goal && run.run.header.goal.is_empty() {
                        run.run.header.goal = goal;
                    }
                }
                "function_call" | "custom_tool_call" | "local_shell_call" => {
                    next_turn(&mut run, &mut is_answered);
                    let (name, arguments) = called(payload, kind);
                    run.call(text_at(payload, "call_id"), &name, arguments);
                }
                "function_call_output" | "custom_tool_call_output" => {
                    is_answered = true;
                    let call = run.answered(text_at(payload, "call_id")).map_err(|what| (*number, what))?;
                    output(call, &payload["output"]);
                }
                _ => {}
            },
            "event_msg" => match kind {
                "token_count" if !has_records && !payload["info"].is_null() => {
                    let info = &payload["info"];
                    // The same counts are said again where nothing was asked in between.
                    if info["total_token_usage"] != total {
                        total = info["total_token_usage"].clone();
                        add(&mut run, &info["last_token_usage"]);
                    }
                }
                "mcp_tool_call_end" => {
                    if let Some(call) = run.waiting(text_at(payload, "call_id")) {
                        let at = |key| count_at(&payload["duration"], key);
                        let ms =
                            |(secs, nanos): (u64, u64)| secs.saturating_mul(1_000).saturating_add(nanos / 1_000_000);
                        call.ms = at("secs").zip(at("nanos")).map(ms);
                        mcp(call, &payload["result"]);
                    }
                }
                "item_completed" if payload["item"]["type"] == "McpToolCall" => {
                    let item = &payload["item"];
                    if let Some(call) = run.waiting(text_at(item, "id")) {
                        let at = |key| count_at(payload, key);
                        let whole = at("completed_at_ms").zip(at("started_at_ms"));
                        call.ms = whole.map(|(to, from)| to.saturating_sub(from));
                        mcp(call, item);
                    }
                }
                "exec_command_end" => {
                    if let Some(call) = run.waiting(text_at(payload, "call_id")) {
                        call.is_error = payload["exit_code"].as_i64().is_some_and(|code| code != 0);
                    }
                }
                "task_complete" | "turn_complete" => reason = EndReason::Stopped,
                "turn_aborted" => reason = EndReason::Failed,
                _ => {}
            },
            _ => {}
        }
    }
    Ok(vec![run.end(reason)])
}

fn next_turn(run: &mut Builder, is_answered: &mut bool) {
    if std::mem::take(is_answered) {
        run.begin_turn();
    }
}

/// Adds counts to the present turn; what is read holds what its cache held.
fn add(run: &mut Builder, value: &Value) {
    let count = |key| count_at(value, key).unwrap_or_default();
    let usage =
        Usage { input: count("input_tokens"), cached: count("cached_input_tokens"), output: count("output_tokens") };
    *run.turn().usage.get_or_insert_default() += usage;
}

/// Returns the name and the arguments of a call, which are JSON in a text, a text, or a command.
fn called(payload: &Value, kind: &str) -> (String, Value) {
    let name = text_at(payload, "name");
    match kind {
        "local_shell_call" => ("shell".to_owned(), command(&payload["action"])),
        "custom_tool_call" => (name.to_owned(), Value::from(text_at(payload, "input"))),
        _ => {
            let text = text_at(payload, "arguments");
            let arguments = serde_json::from_str(text).unwrap_or_else(|_| Value::from(text));
            let server = text_at(payload, "namespace").trim_start_matches("mcp__").trim_end_matches("__");
            let name = if server.is_empty() { name.to_owned() } else { format!("mcp__{server}__{name}") };
            (name, command(&arguments))
        }
    }
}

/// Writes a command that is a list of words as one line, as the other formats have it.
fn command(arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    if let Some(words) = arguments["command"].as_array() {
        // A shell's own words say nothing: `bash -lc "…"`.
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let line = match words.as_slice() {
            [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') => (*line).to_owned(),
            words => words.join(" "),
        };
        arguments["command"] = Value::from(line);
    }
    arguments
}

/// Takes over what an event says of an MCP call: its content, and whether it is an error.
fn mcp(call: &mut Call, said: &Value) {
    let result = [&said["result"], &said["Ok"], said].into_iter().find(|value| value["content"].is_array());
    if let Some(result) = result {
        (call.answer, call.images) = content(&result["content"]);
        call.is_error = result["isError"] == true || result["is_error"] == true;
    } else if let Some(error) = said["Err"].as_str().or(said["error"].as_str()) {
        (call.answer, call.is_error) = (error.to_owned(), true);
    }
}

/// Takes over an answer as the model read it, unless an event said it better.
fn output(call: &mut Call, said: &Value) {
    if !call.answer.is_empty() || !call.images.is_empty() {
        return;
    }
    let text = said.as_str().unwrap_or_default();
    match serde_json::from_str::<Value>(text) {
        Ok(list @ Value::Array(_)) => (call.answer, call.images) = content(&list),
        Ok(Value::Object(shell)) if shell.contains_key("metadata") => {
            let metadata = &shell["metadata"];
            call.is_error |= metadata["exit_code"].as_i64().is_some_and(|code| code != 0);
            call.ms = metadata["duration_seconds"].as_f64().and_then(ms_of);
            text_at(&Value::Object(shell.clone()), "output").clone_into(&mut call.answer);
        }
        _ => {
            (call.answer, call.images) = content(said);
            // A command's head: how it ended, and how long it took.
            let head = call.answer.split_once("Output:").map_or("", |(head, _)| head);
            let after = |label: &str| {
                let (_, rest) = head.split_once(label)?;
                rest.split_whitespace().next()?.parse::<f64>().ok()
            };
            let code = after("exited with code ").or_else(|| after("Exit code: "));
            call.is_error |= code.is_some_and(|code| code != 0.0);
            call.ms = call.ms.or(after("Wall time: ").and_then(ms_of));
        }
    }
}
