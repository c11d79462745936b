//! A tool as an agent has it: what it says of itself, its functions, and calls of them.
//!
//! In: how the tool is started. Out: answers as the tool gave them. Invariants: the tool drives a
//! browser of its own, and only what it answers comes back; an answer that is an error is an answer;
//! a tool that went away is a [`TasksError`].

use crate::error::TasksError;
use browserlens_agents::image_size;
use browserlens_tokens::ImageSize;
use futures::future::BoxFuture;
use rmcp::model::{CallToolRequestParams, CallToolResult, ContentBlock, ResourceContents};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

/// How long a tool may take to start, and to answer a call.
const START: Duration = Duration::from_secs(60);
const PATIENCE: Duration = Duration::from_secs(120);
/// How long a tool has to end by itself when its input ends.
const FAREWELL: Duration = Duration::from_secs(5);
/// Lines of its standard error that are kept for errors.
const KEPT_LINES: usize = 8;

/// A function of a tool, as the tool lists it.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// JSON schema of its arguments.
    pub schema: Value,
}

/// An image of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Media type.
    pub mime: String,
    /// The bytes, in base64.
    pub base64: String,
}

impl Picture {
    /// Returns its size; 0 × 0 where it cannot be told.
    pub fn size(&self) -> ImageSize {
        image_size(&self.base64)
    }
}

/// What a tool answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Its text; parts have lines of their own.
    pub text: String,
    /// Whether the tool called it an error.
    pub is_error: bool,
    /// Its images.
    pub images: Vec<Picture>,
    /// How long it took, in milliseconds.
    pub ms: u64,
}

/// A tool that is running.
pub trait Tool: Send {
    /// Returns its name with its version, as records have it.
    fn name(&self) -> &str;

    /// Returns what it tells agents before the first call.
    fn instructions(&self) -> &str;

    /// Returns its functions.
    fn functions(&self) -> &[Function];

    /// Returns the list of functions as it is sent to a model.
    fn list(&self) -> &Value;

    /// Calls a function.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if the tool is gone or did not answer within two minutes.
    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>>;

    /// Ends the tool and its browser.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// How a tool is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCommand {
    /// Its name with its version, as records have it.
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
}

/// Tools that are known by a name; the rest is a command that speaks MCP over standard input and
/// output.
pub const PRESETS: [&str; 3] = ["browserlens", "playwright-mcp", "chrome-devtools-mcp"];

impl ToolCommand {
    /// Returns how a tool is started: one of [`PRESETS`], or a command in words.
    ///
    /// `program` is this program; `peers` is where `scripts/install-peers` puts the others, `chrome`
    /// the browser that they are told to start.
    ///
    /// # Errors
    /// [`TasksError::NotInstalled`] for a preset that is not there, [`TasksError::Tool`] for no
    /// command.
    pub fn of(given: &str, program: &Path, peers: &Path, chrome: Option<&Path>) -> Result<Self, TasksError> {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        let script = |folder: &str, package: &str, script: &str| {
            let home = peers.join("npm").join(folder).join("node_modules").join(folder);
            let path = home.join(script);
            if !path.is_file() {
                return Err(TasksError::NotInstalled { tool: given.to_owned(), path });
            }
            let version = std::fs::read_to_string(home.join("package.json")).ok();
            let version = version.and_then(|text| serde_json::from_str::<Value>(&text).ok());
            let version = version.and_then(|package| package["version"].as_str().map(str::to_owned));
            let name = format!("{package} {}", version.unwrap_or_default());
            // It is started in a folder of its own.
            Ok((name.trim_end().to_owned(), vec!["node".to_owned(), text(&absolute(&path))]))
        };
        let (name, command) = match given {
            "browserlens" => ("browserlens serve (MCP)".to_owned(), vec![text(program), "serve".to_owned()]),
            "playwright-mcp" => {
                let (name, mut command) = script("playwright-mcp-0-0-83", "@playwright/mcp", "cli.js")?;
                command.extend(["--headless", "--isolated", "--no-sandbox"].map(str::to_owned));
                if let Some(chrome) = chrome {
                    command.extend(["--executable-path".to_owned(), text(chrome)]);
                }
                (name, command)
            }
            "chrome-devtools-mcp" => {
                let (name, mut command) =
                    script("chrome-devtools-mcp", "chrome-devtools-mcp", "build/src/bin/chrome-devtools-mcp.js")?;
                command.extend(["--headless", "--isolated", "--chromeArg=--no-sandbox"].map(str::to_owned));
                if let Some(chrome) = chrome {
                    command.extend(["--executablePath".to_owned(), text(chrome)]);
                }
                (name, command)
            }
            command => (command.to_owned(), command.split_whitespace().map(str::to_owned).collect()),
        };
        if command.is_empty() {
            return Err(TasksError::Tool { tool: "--tool".to_owned(), why: "no command is given".to_owned() });
        }
        Ok(Self { name, command })
    }
}

/// A tool that speaks MCP over its standard input and output.
pub struct McpTool {
    name: String,
    instructions: String,
    functions: Vec<Function>,
    list: Value,
    service: RunningService<RoleClient, ()>,
    child: Child,
    said: Arc<Mutex<VecDeque<String>>>,
    /// Files that the tool writes into its working folder go with it.
    _folder: tempfile::TempDir,
}

impl McpTool {
    /// Starts a tool in a folder of its own, in UTC.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if it does not start, or does not speak MCP, within a minute.
    pub async fn start(command: &ToolCommand) -> Result<Self, TasksError> {
        let failed = |why: String| TasksError::Tool { tool: command.name.clone(), why };
        let folder = tempfile::tempdir().map_err(|error| failed(format!("no folder for it: {error}")))?;
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
                    let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
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
        let starting = rmcp::serve_client((), (output, input));
        let service = match tokio::time::timeout(START, starting).await {
            Ok(Ok(service)) => service,
            Ok(Err(error)) => return Err(failed(with_last_words(&format!("does not speak MCP: {error}"), &said))),
            Err(_) => return Err(failed(with_last_words("did not begin to speak MCP within a minute", &said))),
        };
        let instructions = service.peer_info().and_then(|info| info.instructions.clone()).unwrap_or_default();
        let listed = tokio::time::timeout(PATIENCE, service.list_all_tools()).await;
        let listed = match listed {
            Ok(Ok(listed)) => listed,
            Ok(Err(error)) => return Err(failed(with_last_words(&format!("lists no functions: {error}"), &said))),
            Err(_) => return Err(failed("did not list its functions within two minutes".to_owned())),
        };
        let list = serde_json::to_value(&listed).map_err(|error| failed(error.to_string()))?;
        let functions = listed
            .into_iter()
            .map(|tool| Function {
                name: tool.name.into_owned(),
                description: tool.description.map(std::borrow::Cow::into_owned).unwrap_or_default(),
                schema: Value::Object((*tool.input_schema).clone()),
            })
            .collect();
        let name = command.name.clone();
        Ok(Self {
            name,
            instructions,
            functions,
            list: json!({ "tools": list }),
            service,
            child,
            said,
            _folder: folder,
        })
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

fn with_last_words(what: &str, said: &Mutex<VecDeque<String>>) -> String {
    let said = said.lock().unwrap_or_else(PoisonError::into_inner);
    if said.is_empty() { what.to_owned() } else { format!("{what}; it said: {}", Vec::from(said.clone()).join(" / ")) }
}

impl Tool for McpTool {
    fn name(&self) -> &str {
        &self.name
    }

    fn instructions(&self) -> &str {
        &self.instructions
    }

    fn functions(&self) -> &[Function] {
        &self.functions
    }

    fn list(&self) -> &Value {
        &self.list
    }

    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>> {
        Box::pin(async move {
            let began = Instant::now();
            let mut params = CallToolRequestParams::new(name.to_owned());
            params.arguments = match arguments {
                Value::Object(arguments) => Some(arguments),
                _ => None,
            };
            let answered = tokio::time::timeout(PATIENCE, self.service.call_tool(params)).await;
            let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
            match answered {
                Ok(Ok(result)) => Ok(Answer { ms, ..answer_of(result) }),
                // What the protocol calls an error an agent reads too.
                Ok(Err(ServiceError::McpError(error))) => {
                    Ok(Answer { text: error.message.into_owned(), is_error: true, images: Vec::new(), ms })
                }
                Ok(Err(error)) => {
                    let why = with_last_words(&format!("went away in a call of {name}: {error}"), &self.said);
                    Err(TasksError::Tool { tool: self.name.clone(), why })
                }
                Err(_) => {
                    let why = with_last_words(&format!("did not answer {name} within two minutes"), &self.said);
                    Err(TasksError::Tool { tool: self.name.clone(), why })
                }
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
    Answer { text: texts.join("\n"), is_error: result.is_error == Some(true), images, ms: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presets_that_are_not_there_say_what_to_install_and_commands_are_taken_as_they_are() {
        let here = Path::new("/nowhere");
        let error = ToolCommand::of("playwright-mcp", here, here, None).expect_err("not installed");
        assert!(error.to_string().contains("/nowhere/npm/playwright-mcp-0-0-83"), "{error}");
        assert!(error.hint().contains("install-peers"), "{}", error.hint());
        let error = ToolCommand::of("  ", here, here, None).expect_err("empty");
        assert!(error.to_string().contains("no command"), "{error}");
        let given = ToolCommand::of("npx some-server --port 0", here, here, None).expect("a command");
        assert_eq!(given.command, ["npx", "some-server", "--port", "0"]);
        assert_eq!(ToolCommand::of("browserlens", here, here, None).expect("ours").command, ["/nowhere", "serve"]);
    }

    #[tokio::test]
    async fn a_program_that_does_not_speak_the_protocol_is_told_with_its_last_words() {
        let command = |words: &[&str]| ToolCommand {
            name: "x".to_owned(),
            command: words.iter().map(|word| (*word).to_owned()).collect(),
        };
        let started = McpTool::start(&command(&["sh", "-c", "echo no port left >&2; sleep 0.2"])).await;
        let error = started.err().expect("no MCP").to_string();
        assert!(error.contains("does not speak MCP") && error.contains("no port left"), "{error}");
        let started = McpTool::start(&command(&["/nowhere/tool"])).await;
        assert!(started.err().expect("not there").to_string().contains("/nowhere/tool does not start"));
    }
}
