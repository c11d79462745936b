//! JSON lines of ours: a line a run (`run`, `tool`, `goal`, `reward`, and what else is known), a
//! line a call (`run`, `call`, `name`, `arguments`, `text`, `is_error`, `images`, `ms`). `docs/agent-runs.md`
//! describes them.

use super::{Runs, Values};
use crate::agents::record::{Agent, Call, End, EndReason, Header, RunRecord};
use browserlens_core::tokens::ImageSize;
use serde::Deserialize;
use serde_json::Value;
use std::collections::HashMap;

#[derive(Deserialize)]
struct RunLine {
    run: String,
    tool: String,
    goal: String,
    reward: Option<f64>,
    model: Option<String>,
    script: Option<String>,
    task: Option<String>,
    #[serde(default)]
    instructions: String,
    #[serde(default)]
    tools: Value,
    ms: Option<u64>,
}

#[derive(Deserialize)]
struct CallLine {
    run: String,
    call: u32,
    name: String,
    #[serde(default)]
    arguments: Value,
    text: String,
    #[serde(default)]
    is_error: bool,
    #[serde(default)]
    images: u32,
    ms: Option<u64>,
}

pub(super) fn is_it(values: &Values) -> bool {
    let first = &values[0].1;
    first.get("run").is_some() && (first.get("goal").is_some() || first.get("call").is_some())
}

pub(super) fn read(lines: &Values) -> Runs {
    let mut runs: Vec<RunRecord> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    // The run's own line may stand before its calls or behind them.
    let mut place = |runs: &mut Vec<RunRecord>, task: &str| {
        *places.entry(task.to_owned()).or_insert_with(|| {
            let header = Header { task: task.to_owned(), ..Header::default() };
            runs.push(RunRecord { header, ..RunRecord::default() });
            runs.len() - 1
        })
    };
    for (number, value) in lines {
        let wrong = |error: serde_json::Error| (*number, error.to_string());
        if value.get("call").is_some() {
            let line = CallLine::deserialize(value).map_err(wrong)?;
            let at = place(&mut runs, &line.run);
            let run = &mut runs[at];
            let at = u32::try_from(run.calls.len()).unwrap_or(u32::MAX).saturating_add(1);
            if line.call != at {
                return Err((*number, format!("call {} of run {:?}, where call {at} was due", line.call, line.run)));
            }
            run.calls.push(Call {
                call: at,
                turn: at,
                name: line.name,
                arguments: line.arguments,
                answer: line.text,
                is_error: line.is_error,
                // Their sizes are not in the format.
                images: vec![ImageSize { width: 0, height: 0 }; line.images.min(1_000) as usize],
                ms: line.ms,
                ..Call::default()
            });
        } else {
            let line = RunLine::deserialize(value).map_err(wrong)?;
            let at = place(&mut runs, &line.run);
            let run = &mut runs[at];
            if run.end.is_some() {
                return Err((*number, format!("a second line of run {:?}", line.run)));
            }
            run.header.tool = line.tool;
            run.header.goal = line.goal;
            run.header.task = line.task.unwrap_or(line.run);
            run.header.instructions = line.instructions;
            run.header.tools = line.tools;
            // A script ends by itself; of a model's run it is not known.
            let end = if line.script.is_some() { EndReason::Stopped } else { EndReason::Unknown };
            run.header.agent = Agent { model: line.model, script: line.script, ..Agent::default() };
            run.end = Some(End { end, reward: line.reward, ms: line.ms, ..End::default() });
        }
    }
    match runs.iter().find(|run| run.end.is_none()) {
        Some(run) => Err((0, format!("run {:?} has calls and no line of its own", run.header.task))),
        None => Ok(runs),
    }
}
