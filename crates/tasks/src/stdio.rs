//! An agent elsewhere: it reads and writes JSON lines, in whatever language and loop it has.
//!
//! In: lines of it, `{"name": "click", "arguments": {…}, "said": "…"}` or `{"stop": "…"}`. Out: a line
//! with the task when it begins, then one an answer. Invariants: it is told what a model would be
//! told, and no more; a line that is no call is answered with what is wrong, and counts as none.

use crate::agent::{Agent, Answered, Situation, Turn, Wanted};
use crate::error::TasksError;
use crate::tool::Function;
use futures::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt, AsyncWrite, AsyncWriteExt};

/// Longest line, in bytes.
const LONGEST: usize = 1 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    name: Option<String>,
    arguments: Option<Value>,
    said: Option<String>,
    stop: Option<String>,
}

/// Passes on what an agent elsewhere wants.
pub struct StdioAgent<R, W> {
    input: R,
    output: W,
    model: Option<String>,
    has_begun: bool,
}

impl<R: AsyncBufRead + Send + Unpin, W: AsyncWrite + Send + Unpin> StdioAgent<R, W> {
    /// Returns an agent that is spoken to by lines; `model` is what records call it.
    pub fn new(input: R, output: W, model: Option<String>) -> Self {
        Self { input, output, model, has_begun: false }
    }

    async fn tell(&mut self, line: &Value) -> Result<(), TasksError> {
        let failed = |error: std::io::Error| TasksError::Agent(format!("it does not listen: {error}"));
        self.output.write_all(format!("{line}\n").as_bytes()).await.map_err(failed)?;
        self.output.flush().await.map_err(failed)
    }

    async fn line(&mut self) -> Result<Option<String>, TasksError> {
        let failed = |error: std::io::Error| TasksError::Agent(format!("it cannot be read: {error}"));
        let mut line = Vec::new();
        (&mut self.input).take(LONGEST as u64 + 1).read_until(b'\n', &mut line).await.map_err(failed)?;
        if line.len() > LONGEST {
            return Err(TasksError::Agent(format!("a line of it has more than {LONGEST} bytes")));
        }
        Ok((!line.is_empty()).then(|| String::from_utf8_lossy(&line).trim().to_owned()))
    }

    async fn turn(&mut self, situation: Situation<'_>) -> Result<Turn, TasksError> {
        if !self.has_begun {
            self.has_begun = true;
            let told = |it: &Function| json!({ "name": it.name, "description": it.description, "schema": it.schema });
            let functions: Vec<Value> = situation.functions.iter().map(told).collect();
            let told = json!({
                "goal": situation.goal, "start": situation.start, "limit": situation.left,
                "instructions": situation.instructions, "functions": functions,
            });
            self.tell(&told).await?;
        } else if let Some(Answered { call, images }) = situation.history.last() {
            let image = |image: &crate::tool::Picture| json!({ "mime": image.mime, "base64": image.base64 });
            let images: Vec<Value> = images.iter().map(image).collect();
            let answer =
                json!({ "answer": call.answer, "isError": call.is_error, "images": images, "left": situation.left });
            self.tell(&answer).await?;
        }
        loop {
            let Some(line) = self.line().await? else { return Ok(Turn::default()) };
            let wrong = match serde_json::from_str::<Line>(&line) {
                Ok(Line { stop: Some(said), .. }) => return Ok(Turn { said: Some(said), ..Turn::default() }),
                Ok(Line { name: Some(name), arguments, said, .. }) => {
                    let Err(unknown) = situation.knows(&name) else {
                        let arguments = arguments.unwrap_or_else(|| json!({}));
                        return Ok(Turn { said, usage: None, calls: vec![Wanted { name, arguments }] });
                    };
                    unknown
                }
                Ok(_) => "the line has neither name nor stop".to_owned(),
                Err(error) => format!("the line is no call: {error}"),
            };
            self.tell(&json!({ "error": wrong, "left": situation.left })).await?;
        }
    }
}

impl<R: AsyncBufRead + Send + Unpin, W: AsyncWrite + Send + Unpin> Agent for StdioAgent<R, W> {
    fn who(&self) -> browserlens_trace::agents::Agent {
        browserlens_trace::agents::Agent { model: self.model.clone(), ..browserlens_trace::agents::Agent::default() }
    }

    fn next<'a>(&'a mut self, situation: Situation<'a>) -> BoxFuture<'a, Result<Turn, TasksError>> {
        Box::pin(self.turn(situation))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use browserlens_trace::agents::Call;

    #[tokio::test]
    async fn lines_are_calls_and_answers_and_what_is_none_is_said() {
        let input = "{\"name\":\"nope\"}\nno \
            json\n{}\n{\"name\":\"click\",\"arguments\":{\"ref\":\"@e1\"},\"said\":\"I press.\"}\n{\"stop\":\"done\"}";
        let mut agent = StdioAgent::new(input.as_bytes(), Vec::new(), Some("m".to_owned()));
        let functions = [Function { name: "click".to_owned(), description: "presses".to_owned(), schema: json!({}) }];
        let situation = Situation {
            goal: "Press it.",
            start: "http://a/",
            instructions: "Act.",
            functions: &functions,
            history: &[],
            left: 3,
            asking: None,
        };
        let turn = agent.next(situation).await.expect("a call");
        assert_eq!((turn.said.as_deref(), turn.calls[0].arguments["ref"].as_str()), (Some("I press."), Some("@e1")));
        let call = Call { answer: "pressed".to_owned(), ..Call::default() };
        let history = [Answered { call, images: Vec::new() }];
        let turn = agent.next(Situation { history: &history, left: 2, ..situation }).await.expect("the end");
        assert_eq!((turn.said.as_deref(), turn.calls.len()), (Some("done"), 0));
        let told = String::from_utf8(agent.output.clone()).expect("UTF-8");
        let told: Vec<Value> = told.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
        assert_eq!((told[0]["goal"].as_str(), told[0]["limit"].as_u64()), (Some("Press it."), Some(3)));
        let wrong = |at: usize| told[at]["error"].as_str().unwrap_or_default().to_owned();
        assert!(wrong(1).contains("there are click") && wrong(2).contains("no call") && wrong(3).contains("neither"));
        assert_eq!((told[4]["answer"].as_str(), told[4]["left"].as_u64()), (Some("pressed"), Some(2)));
        let end = agent.next(Situation { history: &history, ..situation }).await.expect("no more lines");
        assert!(end.calls.is_empty());
        let long = vec![b'x'; LONGEST + 2];
        let mut agent = StdioAgent::new(long.as_slice(), Vec::new(), None);
        assert!(agent.next(situation).await.expect_err("too long").to_string().contains("more than"));
    }
}
