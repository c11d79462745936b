//! A tool as an agent has it: what it says of itself, its functions, and calls of them.
//!
//! In: how the tool is started. Out: answers as the tool gave them. Invariants: the tool drives a
//! browser of its own, and only what it answers comes back; an answer that is an error is an answer;
//! a tool that went away is a [`TasksError`].

use crate::error::TasksError;
use base64::Engine as _;
use browserlens_core::tokens::ImageSize;
use browserlens_llm::{Message, Part, Role, Schema};
use browserlens_trace::agents::{TextTokens, image_size};
use futures::future::BoxFuture;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

mod folder;
mod mcp;
mod own_loop;
mod presets;
mod shell;

pub use mcp::McpTool;
pub use own_loop::LoopTool;
pub use presets::{Interface, OwnLoop, PRESETS, Shell, Skill, ToolCommand};
pub(crate) use shell::SHELL;
pub use shell::ShellTool;

/// Name of the call by which a model answers what a tool with a loop of its own asks.
pub const REPLY: &str = "reply";
/// How long a tool may take to answer a call.
const PATIENCE: Duration = Duration::from_secs(120);

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
    /// Returns its bytes if it is a PNG.
    pub fn png(&self) -> Option<std::sync::Arc<[u8]>> {
        let bytes = || base64::engine::general_purpose::STANDARD.decode(&self.base64).ok().map(Into::into);
        if self.mime == "image/png" { bytes() } else { None }
    }

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
    /// Tokens of the text that the call answered, where the tool has a loop of its own and words what
    /// the model reads.
    pub prompt: Option<TextTokens>,
}

impl Answer {
    /// What the tool refuses, and why.
    fn refused(why: impl Into<String>) -> Self {
        Self { text: why.into(), is_error: true, ..Self::default() }
    }
}

/// What a tool with a loop of its own asks the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Asking {
    /// The messages, in order.
    pub messages: Vec<Message>,
    /// What the answer must look like.
    pub schema: Schema,
    /// Members of the request that take the place of these, where functions are called.
    pub raw: serde_json::Map<String, Value>,
}

impl Asking {
    /// Returns the text of all that is not of the system.
    pub fn text(&self) -> String {
        let parts = self.messages.iter().filter(|message| message.role != Role::System).flat_map(|it| &it.parts);
        let texts = parts.filter_map(|part| match part {
            Part::Text(text) => Some(text.as_str()),
            Part::Png(_) => None,
        });
        texts.collect::<Vec<_>>().join("\n\n")
    }
}

/// What a tool says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct About {
    /// Its name with its version, as records have it.
    pub name: String,
    /// What it tells agents before the first call.
    pub instructions: String,
    /// Its functions.
    pub functions: Vec<Function>,
    /// The list of functions as it is sent to a model.
    pub list: Value,
}

/// A tool that is running.
pub trait Tool: Send {
    /// Returns what it says of itself.
    fn about(&self) -> &About;

    /// Tells the task, before anything else is asked of the tool; only a tool with a loop of its own
    /// wants to know it.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if its loop does not begin.
    fn begin<'t>(&'t mut self, _goal: &'t str, _start: &'t str, _limit: u32) -> BoxFuture<'t, Result<(), TasksError>> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Returns what the tool asks the model now, if it has a loop of its own; [`REPLY`] answers it.
    fn asking(&self) -> Option<Asking> {
        None
    }

    /// Returns whether its own loop has ended.
    fn is_over(&self) -> bool {
        false
    }

    /// Calls a function.
    ///
    /// # Errors
    /// [`TasksError::Tool`] if the tool is gone or did not answer within two minutes.
    fn call<'t>(&'t mut self, name: &'t str, arguments: Value) -> BoxFuture<'t, Result<Answer, TasksError>>;

    /// Ends the tool and its browser.
    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;
}

/// Returns how long something has taken, in milliseconds.
pub(crate) fn ms_since(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// Returns functions as MCP lists them.
fn listed(functions: &[Function]) -> Value {
    json!({ "tools": functions.iter().map(listed_as).collect::<Vec<_>>() })
}

fn listed_as(function: &Function) -> Value {
    json!({ "name": function.name, "description": function.description, "inputSchema": function.schema })
}
