//! A tool that brings a loop of its own: it asks a model what to do, does it, and asks again.
//!
//! In: a script that runs the loop. Out: each question as an answer of the call before it. The loop
//! is told an endpoint that is ours; who acts answers there: a script with one action, a model with
//! what it says. Invariants: the tool words its questions itself, and keeps its own history; what it
//! asks is counted as it was asked.

use super::folder::Folder;
use super::presets::OwnLoop;
use super::{About, Answer, Asking, Function, PATIENCE, Picture, REPLY, Tool, ToolCommand, ms_since};
use crate::error::TasksError;
use crate::loopback::served;
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, header};
use axum::routing::post;
use browserlens_llm::{Message, Part, Role, Schema};
use browserlens_trace::agents::TextTokens;
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};
use tokio::process::Child;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

/// How long the loop has to end when it is told that all is done.
const FAREWELL: Duration = Duration::from_secs(10);
/// Largest question, in bytes: it may hold a picture of the page.
const LARGEST: usize = 64 << 20;
/// Characters of what it printed that are kept for errors.
const LAST_WORDS: usize = 600;
/// What the tool is told that its model is called; whoever answers stands behind that.
const MODEL: &str = "gpt-4o";

/// A question to the model, and where its answer goes.
type Question = (Value, oneshot::Sender<Value>);

async fn asked(
    State(questions): State<mpsc::Sender<Question>>,
    body: String,
) -> Result<([(header::HeaderName, &'static str); 1], String), StatusCode> {
    let body = serde_json::from_str(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let (reply, answered) = oneshot::channel();
    questions.send((body, reply)).await.map_err(|_| StatusCode::GONE)?;
    let message = answered.await.map_err(|_| StatusCode::GONE)?;
    let answer = json!({
        "id": "chatcmpl", "object": "chat.completion", "created": 0, "model": MODEL,
        "choices": [{ "index": 0, "finish_reason": "stop", "message": message }],
        "usage": { "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 },
    });
    Ok(([(header::CONTENT_TYPE, "application/json")], answer.to_string()))
}

/// A loop that runs.
struct Running {
    child: Child,
    printed: tempfile::NamedTempFile,
    _server: AbortOnDropHandle<()>,
    questions: mpsc::Receiver<Question>,
}

/// A tool with a loop of its own.
pub struct LoopTool {
    about: About,
    command: Vec<String>,
    own: OwnLoop,
    folder: Folder,
    running: Option<Running>,
    question: Option<Question>,
    /// Questions that were answered.
    answered: u32,
}

impl LoopTool {
    /// Makes a home for a tool; its loop begins with the task.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if there is no folder for it.
    pub fn new(command: &ToolCommand, own: &OwnLoop) -> Result<Self, TasksError> {
        let folder = Folder::new().map_err(|why| TasksError::Tool { tool: command.name.clone(), why })?;
        Ok(Self {
            about: About { name: command.name.clone(), ..About::default() },
            command: command.command.clone(),
            own: own.clone(),
            folder,
            running: None,
            question: None,
            answered: 0,
        })
    }

    fn failed(&self, why: impl std::fmt::Display) -> TasksError {
        let printed = self.running.as_ref().and_then(|running| std::fs::read(running.printed.path()).ok());
        let printed = String::from_utf8_lossy(printed.as_deref().unwrap_or_default()).trim().to_owned();
        let cut = printed.char_indices().rev().nth(LAST_WORDS).map_or(0, |(at, _)| at);
        let said = if printed.is_empty() { String::new() } else { format!("; it said: {}", &printed[cut..]) };
        TasksError::Tool { tool: self.about.name.clone(), why: format!("{why}{said}") }
    }

    async fn started(&self, goal: &str, start: &str, limit: u32) -> Result<Running, TasksError> {
        let io = |error: std::io::Error| self.failed(error);
        let (sender, questions) = mpsc::channel(1);
        let service = Router::new()
            .route("/v1/chat/completions", post(asked))
            .layer(DefaultBodyLimit::max(LARGEST))
            .with_state(sender);
        let (port, _server) = served(service).await.map_err(io)?;
        let told = json!({
            "goal": goal, "start": start, "chrome": self.own.chrome, "model": MODEL,
            "endpoint": format!("http://127.0.0.1:{port}/v1"),
            // Its own last step is to say that it is done.
            "steps": limit + 1,
        });
        let mut input = tempfile::tempfile().map_err(io)?;
        input.write_all(told.to_string().as_bytes()).map_err(io)?;
        std::io::Seek::rewind(&mut input).map_err(io)?;
        let (mut command, printed) = self.folder.command(&self.command).map_err(|why| self.failed(why))?;
        let child = command
            .envs(self.own.environment.iter().map(|(name, value)| (name, value)))
            .stdin(input)
            .spawn()
            .map_err(|error| self.failed(format!("does not start: {error}")))?;
        Ok(Running { child, printed, _server, questions })
    }

    /// Waits for the next question; none if the loop ended.
    async fn next(&mut self) -> Result<Option<Question>, TasksError> {
        let Some(running) = &mut self.running else { return Ok(None) };
        let next = async {
            tokio::select! {
                question = running.questions.recv() => Ok(question),
                ended = running.child.wait() => match ended {
                    Ok(status) if status.success() => Ok(None),
                    Ok(status) => Err(format!("its loop ended with {status}")),
                    Err(error) => Err(format!("cannot be waited for: {error}")),
                },
            }
        };
        let next = tokio::time::timeout(PATIENCE, next).await;
        next.unwrap_or_else(|_| Err("asked nothing within two minutes".to_owned())).map_err(|why| self.failed(why))
    }
}

/// Returns the text of a message, and its pictures. What a function answered may stand there as JSON
/// of such parts.
fn content(message: &Value) -> (String, Vec<Picture>) {
    let (mut texts, mut pictures) = (Vec::new(), Vec::new());
    let written = message["content"].as_str().filter(|_| message["role"] == "tool");
    let written = written.and_then(|text| serde_json::from_str(text).ok()).filter(Value::is_array);
    match written.as_ref().unwrap_or(&message["content"]) {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(parts) => {
            for part in parts {
                if let Some(text) = part["text"].as_str() {
                    texts.push(text.to_owned());
                }
                let url = part["image_url"]["url"].as_str().and_then(|url| url.strip_prefix("data:"));
                if let Some((mime, base64)) = url.and_then(|url| url.split_once(";base64,")) {
                    pictures.push(Picture { mime: mime.to_owned(), base64: base64.to_owned() });
                }
            }
        }
        _ => {}
    }
    (texts.join("\n"), pictures)
}

fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    body["messages"].as_array().into_iter().flatten()
}

fn is_system(message: &Value) -> bool {
    matches!(message["role"].as_str(), Some("system" | "developer"))
}

/// Returns what a model is told of the answers it can give.
fn list(body: &Value) -> Value {
    if body["tools"].is_array() { body["tools"].clone() } else { schema(body) }
}

fn schema(body: &Value) -> Value {
    body["response_format"]["json_schema"]["schema"].clone()
}

/// Returns what can be answered: a function of the tool's, or an action that the schema lists.
fn functions(body: &Value) -> Vec<Function> {
    if let Some(tools) = body["tools"].as_array() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let function = |tool: &Value| {
            let function = &tool["function"];
            Function {
                name: text(&function["name"]),
                description: text(&function["description"]),
                schema: function["parameters"].clone(),
            }
        };
        return tools.iter().map(function).collect();
    }
    let schema = schema(body);
    let listed = schema["properties"]["action"]["items"]["anyOf"].as_array();
    let action = |item: &Value| {
        let (name, schema) = item["properties"].as_object()?.iter().next()?;
        let description = item["description"].as_str().or(schema["description"].as_str()).unwrap_or_default();
        Some(Function { name: name.clone(), description: description.to_owned(), schema: schema.clone() })
    };
    listed.into_iter().flatten().filter_map(action).collect()
}

/// Returns what is new in a question: all that is not of the system, behind what was answered last.
fn told(body: &Value) -> (String, Vec<Picture>) {
    let all: Vec<&Value> = messages(body).filter(|message| !is_system(message)).collect();
    let new = all.rsplit(|message| message["role"] == "assistant").next().unwrap_or_default();
    let (texts, pictures): (Vec<String>, Vec<Vec<Picture>>) = new.iter().map(|message| content(message)).unzip();
    (texts.join("\n\n"), pictures.concat())
}

impl Tool for LoopTool {
    fn about(&self) -> &About {
        &self.about
    }

    fn begin<'t>(&'t mut self, goal: &'t str, start: &'t str, limit: u32) -> BoxFuture<'t, Result<(), TasksError>> {
        Box::pin(async move {
            self.running = Some(self.started(goal, start, limit).await?);
            self.question = self.next().await?;
            let Some((body, _)) = &self.question else { return Err(self.failed("its loop ended without a question")) };
            let system: Vec<String> = messages(body).filter(|it| is_system(it)).map(|it| content(it).0).collect();
            self.about.instructions = system.join("\n\n");
            self.about.list = list(body);
            self.about.functions = functions(body);
            let description = "Answers a question that wants no function".to_owned();
            let reply = Function { name: REPLY.to_owned(), description, schema: json!({ "type": "object" }) };
            self.about.functions.push(reply);
            Ok(())
        })
    }

    fn asking(&self) -> Option<Asking> {
        let (body, _) = self.question.as_ref()?;
        let message = |message: &Value| {
            let (text, pictures) = content(message);
            let role = match message["role"].as_str() {
                Some("assistant") => Role::Assistant,
                _ if is_system(message) => Role::System,
                _ => Role::User,
            };
            let mut parts = vec![Part::Text(text)];
            parts.extend(pictures.iter().filter_map(Picture::png).map(Part::Png));
            Message { role, parts }
        };
        let name = body["response_format"]["json_schema"]["name"].as_str().unwrap_or("answer").to_owned();
        let mut raw = serde_json::Map::new();
        if body["tools"].is_array() {
            // Functions, and what they answered, are the endpoint's own words.
            raw.extend(["messages", "tools", "tool_choice"].map(|name| (name.to_owned(), body[name].clone())));
            raw.insert("response_format".to_owned(), Value::Null);
        }
        let schema = Schema { name, schema: schema(body) };
        Some(Asking { messages: messages(body).map(message).collect(), schema, raw })
    }

    fn is_over(&self) -> bool {
        self.running.is_some() && self.question.is_none()
    }

    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>> {
        Box::pin(async move {
            let began = Instant::now();
            let Some((body, reply)) = self.question.take() else { return Err(self.failed("its loop is over")) };
            let text: Vec<String> = messages(&body).map(|message| content(message).0).collect();
            let prompt = Some(TextTokens::of(&format!("{}\n{}", list(&body), text.join("\n"))));
            self.answered += 1;
            let is_function = body["tools"].is_array();
            let message = |content: String| json!({ "role": "assistant", "content": content });
            let said = match name {
                // What a model said goes to the loop as it is.
                REPLY if arguments["tool_calls"].is_array() => {
                    json!({ "role": "assistant", "content": arguments["content"],
                        "tool_calls": arguments["tool_calls"] })
                }
                REPLY => message(arguments["content"].as_str().map_or_else(|| arguments.to_string(), str::to_owned)),
                function if is_function => {
                    let called = json!({ "name": function, "arguments": arguments.to_string() });
                    let id = format!("call_{}", self.answered);
                    let calls = json!([{ "id": id, "type": "function", "function": called }]);
                    json!({ "role": "assistant", "content": null, "tool_calls": calls })
                }
                action => {
                    let said = json!({
                        "thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": "",
                        "action": [{ action: arguments }],
                    });
                    message(said.to_string())
                }
            };
            // A loop that went away is seen by the next question.
            drop(reply.send(said));
            self.question = self.next().await?;
            let (text, images) = match &self.question {
                Some((body, _)) => told(body),
                None => ("its loop is over".to_owned(), Vec::new()),
            };
            Ok(Answer { text, is_error: false, images, ms: ms_since(began), prompt })
        })
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            if let Some((body, reply)) = self.question.take() {
                // Where the loop has an action for it, it is told that all is done; the others end
                // when nobody answers any more, and end their browser.
                let done = json!({ "text": "", "success": true, "files_to_display": [] });
                if functions(&body).iter().any(|function| function.name == "done") && !body["tools"].is_array() {
                    self.question = Some((body, reply));
                    drop(tokio::time::timeout(FAREWELL, self.call("done", done)).await);
                }
            }
            if let Some(running) = &mut self.running {
                running.questions.close();
                if tokio::time::timeout(FAREWELL, running.child.wait()).await.is_err() {
                    drop(running.child.kill().await);
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A loop that opens, looks and is done; each question shows how often it has asked.
    const LOOP: &str = r#"
import json, sys, urllib.request
told = json.load(sys.stdin)
def ask(number):
    action = lambda name: {"properties": {name: {"type": "object", "description": f"to {name}"}}}
    schema = {"properties": {"action": {"items": {"anyOf": [action("navigate"), action("done")]}}}}
    messages = [{"role": "system", "content": "You act."},
        {"role": "user", "content": [{"type": "text", "text": f"{told['goal']} at {told['start']}, question {number}"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}}]}]
    body = {"messages": messages, "response_format": {"json_schema": {"name": "act", "schema": schema}}}
    request = urllib.request.Request(told["endpoint"] + "/chat/completions", json.dumps(body).encode())
    said = json.loads(urllib.request.urlopen(request).read())["choices"][0]["message"]["content"]
    return json.loads(said)["action"][0]
for number in range(told["steps"]):
    action = ask(number)
    if "done" in action:
        break
    if "fail" in action:
        sys.exit("cannot go on")
"#;

    async fn begun(script: &str) -> LoopTool {
        let command = ToolCommand::command("loop", &["python3", "-c", script]);
        let mut tool = LoopTool::new(&command, &OwnLoop::default()).expect("a home");
        tool.begin("Sign up", "http://a/", 5).await.expect("begins");
        tool
    }

    #[tokio::test]
    async fn a_loop_asks_and_is_answered_by_a_script_and_by_a_model() {
        let mut tool = begun(LOOP).await;
        assert_eq!(tool.about.instructions, "You act.");
        let names: Vec<&str> = tool.about.functions.iter().map(|function| function.name.as_str()).collect();
        assert_eq!(names, ["navigate", "done", REPLY]);
        let asking = tool.asking().expect("a question");
        assert_eq!((asking.text().as_str(), asking.schema.name.as_str()), ("Sign up at http://a/, question 0", "act"));
        assert_eq!(asking.messages[1].parts.len(), 2);
        let answer = tool.call("navigate", json!({ "url": "http://a/" })).await.expect("answers");
        assert_eq!((answer.text.as_str(), answer.images.len()), ("Sign up at http://a/, question 1", 1));
        assert!(answer.prompt.is_some_and(|prompt| prompt.o200k_base > 20), "{:?}", answer.prompt);
        let said = json!({ "content": "{\"action\": [{\"done\": {}}]}" });
        let answer = tool.call(REPLY, said).await.expect("answers");
        assert!(tool.is_over() && answer.text.contains("over"), "{answer:?}");
        let error = tool.call("navigate", json!({})).await.expect_err("nobody asks");
        assert!(error.to_string().contains("its loop is over"), "{error}");
        Box::new(tool).close().await;
    }

    #[tokio::test]
    async fn a_loop_that_fails_is_told_with_its_last_words() {
        let mut tool = begun(LOOP).await;
        let error = tool.call("fail", json!({})).await.expect_err("it ended");
        assert!(error.to_string().contains("cannot go on"), "{error}");
        let command = ToolCommand::command("loop", &["python3", "-c", "print('nothing to do')"]);
        let mut tool = LoopTool::new(&command, &OwnLoop::default()).expect("a home");
        let error = tool.begin("", "", 1).await.expect_err("it asks nothing");
        assert!(error.to_string().contains("without a question; it said: nothing to do"), "{error}");
    }

    #[test]
    fn functions_are_called_and_what_they_answered_is_what_is_new() {
        let body = json!({
            "tools": [{ "type": "function", "function": { "name": "act", "description": "acts", "parameters": {} } }],
            "messages": [
                { "role": "system", "content": "You act." }, { "role": "user", "content": "Sign up" },
                { "role": "assistant", "content": null },
                { "role": "tool", "content": "[{\"type\":\"text\",\"text\":\"[1] a\"}]" },
            ],
        });
        assert_eq!(told(&body).0, "[1] a");
        assert_eq!(functions(&body)[0].name, "act");
        assert!(functions(&json!({ "messages": 3, "response_format": [] })).is_empty());
    }
}
