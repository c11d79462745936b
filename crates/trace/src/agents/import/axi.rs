//! Published results of AXI's browser benchmark: `results.jsonl`, a line a run. Its rows have sums
//! and a grade; the calls themselves are in each run's `agent_output.txt`, which is a session of
//! Claude Code.

use super::{Runs, Values, count_at, list_at, ms_of, text_at};
use crate::agents::record::{Agent, Call, End, EndReason, Header, RunRecord, Usage};
use serde_json::{Value, json};

pub(super) fn is_it(values: &Values) -> bool {
    is_row(&values[0].1)
}

fn is_row(value: &Value) -> bool {
    ["condition", "task", "run", "usage", "grade"].iter().all(|key| value.get(key).is_some())
}

pub(super) fn read(values: &Values) -> Runs {
    values
        .iter()
        .map(|(number, row)| if is_row(row) { Ok(run(row)) } else { Err((*number, "no row of results".to_owned())) })
        .collect()
}

fn run(row: &Value) -> RunRecord {
    let (usage, grade) = (&row["usage"], &row["grade"]);
    let count = |key| count_at(usage, key).unwrap_or_default();
    let header = Header {
        task: text_at(row, "task").to_owned(),
        tool: text_at(row, "condition").to_owned(),
        agent: Agent { model: row["model"].as_str().map(str::to_owned), ..Agent::default() },
        began: row["timestamp"].as_str().map(str::to_owned),
        ..Header::default()
    };
    // Only the commands are told, not what they answered.
    let commands = list_at(usage, "command_log").iter().filter_map(Value::as_str);
    let calls = (1..).zip(commands).map(|(turn, line)| Call {
        turn,
        name: "command".to_owned(),
        arguments: json!({ "command": line }),
        ..Call::default()
    });
    // A judge that could not be understood has judged nothing.
    let is_judged = !text_at(grade, "details").starts_with("Could not parse");
    let reward = grade["task_success"].as_bool().filter(|_| is_judged).map(|success| f64::from(u8::from(success)));
    let end = End {
        end: EndReason::Unknown,
        reward,
        said: row["agent_output"].as_str().map(str::to_owned),
        usage: Some(Usage {
            input: count("input_tokens"),
            cached: count("input_tokens_cached"),
            output: count("output_tokens"),
        }),
        ms: usage["wall_clock_seconds"].as_f64().and_then(ms_of),
        ..End::default()
    };
    RunRecord { header, calls: calls.collect(), end: Some(end), cut: None }
}
