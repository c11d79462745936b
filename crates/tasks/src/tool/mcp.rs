//! A tool that speaks MCP over its standard input and output.

use super::folder::{Folder, READ_FILE, absolute};
use super::{About, Answer, Function, PATIENCE, Picture, Tool, ToolCommand, ms_since};
use crate::error::TasksError;
use browserlens_core::sync::locked;
use futures::future::BoxFuture;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How long a tool may take to start.
const START: Duration = Duration::from_secs(60);
/// How long a tool has to end by itself when its input ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// Lines of its standard error that are kept for errors.
const KEPT_LINES: usize = 8;

/// A tool that speaks MCP over its standard input and output.
pub struct McpTool {
    about: About,
    service: RunningService<RoleClient, ()>,
    child: Child,
    said: Arc<Mutex<VecDeque<String>>>,
    /// Files that the tool writes there go with it.
    folder: Folder,
}

impl McpTool {
    /// Starts a tool in a folder of its own, in UTC.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if it does not start, or does not speak MCP, within a minute.
    pub async fn start(command: &ToolCommand) -> Result<Self, TasksError> {
        let failed = |why: String| TasksError::Tool { tool: command.name.clone(), why };
        let folder = Folder::new().map_err(failed)?;
        let (program, arguments) = command.command.split_first().ok_or_else(|| failed("no command".to_owned()))?;
        // A path that was given from here must hold there.
        let program = if program.contains('/') { absolute(Path::new(program)) } else { PathBuf::from(program) };
        let mut child = Command::new(&program)
            .args(arguments)
            .current_dir(folder.path())
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(format!("{} does not start: {error}", program.display())))?;
        let said = Arc::<Mutex<VecDeque<String>>>::default();
        if let Some(stderr) = child.stderr.take() {
            let said = Arc::clone(&said);
            tokio::spawn(async move {
                let mut lines = BufReader::new(stderr).lines();
                while let Ok(Some(line)) = lines.next_line().await {
                    let mut said = locked(&said);
                    said.push_back(line);
                    if said.len() > KEPT_LINES {
                        said.pop_front();
                    }
                }
            });
        }
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(failed("its standard input or output is not there".to_owned()));
        };
        let told = |what: &str| failed(with_last_words(what, &said));
        let service = tokio::time::timeout(START, rmcp::serve_client((), (output, input)))
            .await
            .map_err(|_| told("did not begin to speak MCP within a minute"))?
            .map_err(|error| told(&format!("does not speak MCP: {error}")))?;
        let instructions = service.peer_info().and_then(|info| info.instructions.clone()).unwrap_or_default();
        let listed = tokio::time::timeout(PATIENCE, service.list_all_tools())
            .await
            .map_err(|_| failed("did not list its functions within two minutes".to_owned()))?
            .map_err(|error| told(&format!("lists no functions: {error}")))?;
        let mut list = serde_json::to_value(&listed).map_err(|error| failed(error.to_string()))?;
        let mut functions: Vec<Function> = listed
            .into_iter()
            .map(|tool| Function {
                name: tool.name.into_owned(),
                description: tool.description.map(std::borrow::Cow::into_owned).unwrap_or_default(),
                schema: Value::Object((*tool.input_schema).clone()),
            })
            .collect();
        if matches!(command.interface, super::Interface::Mcp { writes_files: true }) {
            let read = Folder::function();
            if let Some(list) = list.as_array_mut() {
                list.push(super::listed_as(&read));
            }
            functions.push(read);
        }
        let name = command.name.clone();
        let about = About { name, instructions, functions, list: json!({ "tools": list }) };
        Ok(Self { about, service, child, said, folder })
    }
}

fn with_last_words(what: &str, said: &Mutex<VecDeque<String>>) -> String {
    let said = locked(said);
    if said.is_empty() { what.to_owned() } else { format!("{what}; it said: {}", Vec::from(said.clone()).join(" / ")) }
}

impl Tool for McpTool {
    fn about(&self) -> &About {
        &self.about
    }

    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>> {
        Box::pin(async move {
            if name == READ_FILE && self.about.functions.last().is_some_and(|last| last.name == READ_FILE) {
                return Ok(self.folder.read(&arguments));
            }
            let began = Instant::now();
            let mut params = CallToolRequestParams::new(name.to_owned());
            params.arguments = arguments.as_object().cloned();
            let answered = tokio::time::timeout(PATIENCE, self.service.call_tool(params)).await;
            let ms = ms_since(began);
            let failed = |what: String| TasksError::Tool {
                tool: self.about.name.clone(),
                why: with_last_words(&what, &self.said),
            };
            match answered {
                Ok(Ok(result)) => {
                    let answer = answer_of(result);
                    Ok(Answer { ms, text: self.folder.hidden(&answer.text), ..answer })
                }
                // What the protocol calls an error an agent reads too.
                Ok(Err(ServiceError::McpError(error))) => Ok(Answer { ms, ..Answer::refused(error.message) }),
                Ok(Err(error)) => Err(failed(format!("went away in a call of {name}: {error}"))),
                Err(_) => Err(failed(format!("did not answer {name} within two minutes"))),
            }
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let Self { service, mut child, .. } = *self;
            // Its input ends with this.
            drop(service.cancel().await);
            if tokio::time::timeout(FAREWELL, child.wait()).await.is_err() {
                drop(child.kill().await);
            }
        })
    }
}

fn answer_of(result: CallToolResult) -> Answer {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    for block in result.content {
        match block {
            ContentBlock::Text(text) => texts.push(text.text),
            ContentBlock::Image(image) => images.push(Picture { mime: image.mime_type, base64: image.data }),
            ContentBlock::Resource(resource) => {
                if let ResourceContents::TextResourceContents { text, .. } = resource.resource {
                    texts.push(text);
                }
            }
            ContentBlock::ResourceLink(link) => texts.push(link.uri),
            // Sounds, and what later versions add.
            _ => {}
        }
    }
    Answer { text: texts.join("\n"), is_error: result.is_error == Some(true), images, ..Answer::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_that_does_not_speak_the_protocol_is_told_with_its_last_words() {
        let command = |words: &[&str]| ToolCommand::command("x", words);
        let started = McpTool::start(&command(&["sh", "-c", "echo no port left >&2; sleep 0.2"])).await;
        let error = started.err().expect("no MCP").to_string();
        assert!(error.contains("does not speak MCP") && error.contains("no port left"), "{error}");
        let started = McpTool::start(&command(&["/nowhere/tool"])).await;
        assert!(started.err().expect("not there").to_string().contains("/nowhere/tool does not start"));
    }
}
