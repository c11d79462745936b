//! Plays a task: asks the agent, calls the tool, writes the record, lets the pages judge.
//!
//! In: a task, its stage, a tool, an agent. Out: a sealed record with the pages' reward. Invariants:
//! a call is in the record before the next is made; the limit of calls holds whatever the agent
//! wants; the reward is the pages' alone.

use crate::agent::{Agent, Answered, Situation, Turn};
use crate::error::TasksError;
use crate::served_task::{ServedTask, Verdict};
use crate::task::Task;
use crate::tool::{Tool, ms_since};
use browserlens_trace::Redactor;
use browserlens_trace::agents::{Call, End, EndReason, Header, RunWriter};
use std::path::Path;
use std::time::{Duration, Instant};

/// How long after the last call pages may still become what the task wants.
pub const PATIENCE: Duration = Duration::from_secs(3);

/// What came of a run.
#[derive(Clone, Debug)]
pub struct Played {
    /// What the pages said.
    pub verdict: Verdict,
    /// Why there were no more calls.
    pub end: EndReason,
    /// Calls that were made.
    pub calls: usize,
    /// How long the run took, in milliseconds.
    pub ms: u64,
    /// The agent's last words, or what failed.
    pub said: Option<String>,
}

/// Plays a task from its start until the agent stops or the limit is reached, and writes the record
/// if there is a path for it. After the last call the pages have `patience` to become what the task
/// wants; [`PATIENCE`] is right for most.
///
/// # Errors
/// [`TasksError::Record`]; what the tool or the agent fails in is in the record, and ends the run.
pub async fn play(
    task: &Task,
    stage: &ServedTask,
    tool: &mut dyn Tool,
    agent: &mut dyn Agent,
    record: Option<(&Path, Redactor)>,
    patience: Duration,
) -> Result<Played, TasksError> {
    let began = Instant::now();
    let start = stage.url();
    // What its loop does not begin with is said where it would be gone on.
    let begun = tool.begin(&task.goal, &start, task.limit).await;
    let prompt = if tool.asking().is_some() { String::new() } else { agent.prompt() };
    let told = [prompt.as_str(), tool.about().instructions.as_str()]
        .map(str::trim)
        .into_iter()
        .filter(|part| !part.is_empty());
    let instructions = told.collect::<Vec<_>>().join("\n\n");
    let header = Header {
        task: task.id.clone(),
        level: Some(task.level),
        goal: task.goal.clone(),
        tool: tool.about().name.clone(),
        agent: agent.who(),
        instructions: instructions.clone(),
        tools: tool.about().list.clone(),
        limit: Some(task.limit),
        began: Some(chrono::Utc::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, true)),
        ..Header::default()
    };
    let mut writer = record.map(|(path, redactor)| RunWriter::create(path, header, redactor)).transpose()?;
    let functions = tool.about().functions.clone();
    let mut history: Vec<Answered> = Vec::new();
    let mut turn_number = 0;
    let failed = |error: &TasksError| (EndReason::Failed, Turn { said: Some(error.to_string()), ..Turn::default() });
    let (end, last) = 'run: loop {
        if let Err(error) = &begun {
            break failed(error);
        }
        if tool.is_over() {
            break (EndReason::Stopped, Turn::default());
        }
        let made = u32::try_from(history.len()).unwrap_or(u32::MAX);
        let left = task.limit.saturating_sub(made);
        if left == 0 {
            break (EndReason::Limit, Turn::default());
        }
        let asking = tool.asking();
        let situation = Situation {
            goal: &task.goal,
            start: &start,
            instructions: &instructions,
            functions: &functions,
            history: &history,
            left,
            asking: asking.as_ref(),
        };
        let turn = match agent.next(situation).await {
            Ok(turn) => turn,
            Err(error) => break failed(&error),
        };
        if turn.calls.is_empty() {
            break (EndReason::Stopped, turn);
        }
        turn_number += 1;
        let (mut said, mut usage) = (turn.said, turn.usage);
        for wanted in turn.calls.into_iter().take(left as usize) {
            let answer = match tool.call(&wanted.name, wanted.arguments.clone()).await {
                Ok(answer) => answer,
                Err(error) => break 'run failed(&error),
            };
            let call = Call {
                call: u32::try_from(history.len() + 1).unwrap_or(u32::MAX),
                turn: turn_number,
                name: wanted.name,
                arguments: wanted.arguments,
                answer: answer.text,
                is_error: answer.is_error,
                images: answer.images.iter().map(crate::tool::Picture::size).collect(),
                ms: Some(answer.ms),
                prompt: answer.prompt,
                said: said.take(),
                usage: usage.take(),
                ..Call::default()
            };
            if let Some(writer) = &mut writer {
                writer.call(call.clone())?;
            }
            history.push(Answered { call, images: answer.images });
        }
    };
    let verdict = stage.judge(patience).await;
    let ms = ms_since(began);
    if let Some(writer) = writer {
        let (said, usage) = (last.said.clone(), last.usage);
        writer.finish(&End { end, reward: Some(verdict.reward), said, usage, ms: Some(ms), ..End::default() })?;
    }
    Ok(Played { verdict, end, calls: history.len(), ms, said: last.said })
}
