//! Sessions of Claude Code, and what it prints with `--output-format stream-json`.
//!
//! A message of the model is several lines with one id: a block each, the counts repeated, or in
//! some versions those of the stream's start; the largest hold. Lines of sub-agents are left out:
//! the agent did not read them. Of an older version the tokens written are too few; where there is
//! a last line with the sums, these hold.

use super::{Builder, Runs, Values, content, count_at, list_at, ms_between, text_at};
use crate::agents::record::{EndReason, Usage};
use serde_json::Value;

pub(super) fn is_it(values: &Values) -> bool {
    values.iter().take(20).any(|(_, line)| {
        let session =
            line.get("sessionId").is_some() && (line.get("parentUuid").is_some() || line.get("isSidechain").is_some());
        session || (line.get("session_id").is_some() && line["type"] == "system")
    })
}

pub(super) fn read(values: &Values) -> Runs {
    let mut run = Builder::default();
    let (mut message, mut last, mut ms) = (String::new(), None, None);
    // Whoever has the last word: a session may end in an answer that nobody read any more.
    let mut reason = EndReason::Unknown;
    // When each call was made, for versions that say it.
    let mut made: Vec<(String, String)> = Vec::new();
    for (number, line) in values {
        if line["isSidechain"] == true || !line["parent_tool_use_id"].is_null() {
            continue;
        }
        let time = text_at(line, "timestamp");
        match text_at(line, "type") {
            "assistant" => {
                let said = &line["message"];
                if said["model"] == "<synthetic>" {
                    continue;
                }
                reason = EndReason::Stopped;
                let id = text_at(said, "id");
                if id.is_empty() || id != message {
                    run.begin_turn();
                    id.clone_into(&mut message);
                }
                if let Some(model) = said["model"].as_str() {
                    run.run.header.agent.model = Some(model.to_owned());
                }
                if let Some(usage) = usage(&said["usage"]) {
                    let kept = run.turn().usage.get_or_insert(usage);
                    if usage.output >= kept.output {
                        *kept = usage;
                    }
                }
                for block in list_at(said, "content") {
                    match text_at(block, "type") {
                        "text" => run.say(text_at(block, "text")),
                        "tool_use" => {
                            made.push((text_at(block, "id").to_owned(), time.to_owned()));
                            run.call(text_at(block, "id"), text_at(block, "name"), block["input"].clone());
                        }
                        _ => {}
                    }
                }
            }
            "user" => {
                let blocks = list_at(&line["message"], "content").iter();
                let results = || blocks.clone().filter(|block| text_at(block, "type") == "tool_result");
                for block in results() {
                    let id = text_at(block, "tool_use_id");
                    let began = made.iter().rev().find(|(made, _)| made == id).map(|(_, began)| began.clone());
                    let call = run.answered(id).map_err(|what| (*number, what))?;
                    (call.answer, call.images) = content(&block["content"]);
                    call.is_error = block["is_error"] == true;
                    reason = EndReason::Unknown;
                    call.ms = began.and_then(|began| ms_between(&began, time));
                }
                if results().next().is_none()
                    && run.run.header.goal.is_empty()
                    && line["isMeta"] != true
                    && line["isCompactSummary"] != true
                {
                    run.run.header.goal = content(&line["message"]["content"]).0;
                    run.run.header.began = Some(time.to_owned()).filter(|time| !time.is_empty());
                }
            }
            "result" => {
                last = usage(&line["usage"]);
                ms = count_at(line, "duration_ms");
                if text_at(line, "subtype").contains("max_turns") {
                    reason = EndReason::Limit;
                }
            }
            _ => {}
        }
    }
    let mut run = run.end(reason);
    let mut told = Usage::default();
    let parts = run.calls.iter().filter_map(|call| call.usage).chain(run.end.iter().filter_map(|end| end.usage));
    parts.for_each(|part| told += part);
    if let Some(end) = &mut run.end {
        end.ms = ms;
        if let Some(all) = last {
            let kept = end.usage.get_or_insert_default();
            kept.input += all.input.saturating_sub(told.input);
            kept.cached += all.cached.saturating_sub(told.cached);
            kept.output += all.output.saturating_sub(told.output);
        }
    }
    Ok(vec![run])
}

/// Returns the counts of a message: what is read anew, written to the cache and read from it are
/// told apart there.
fn usage(value: &Value) -> Option<Usage> {
    let count = |key| count_at(value, key).unwrap_or_default();
    let cached = count("cache_read_input_tokens");
    let input = count_at(value, "input_tokens")?;
    let input = input.saturating_add(cached).saturating_add(count("cache_creation_input_tokens"));
    Some(Usage { input, cached, output: count("output_tokens") })
}
