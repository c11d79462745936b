//! Tasks with rewards: what an agent is to do on a page, and whether it did.
//!
//! In: tasks as files, a tool, an agent. Out: run records with a reward that the site or the page
//! gave. Invariants: what an agent says never counts; each run has pages of its own, so that nothing
//! of another is left; a tool is driven through the interface that agents have.
//!
//! Tasks are [`Task`], their pages a [`ServedTask`]. A tool is a [`Tool`], an agent an [`Agent`]; [`play`]
//! brings them together. How a task is written stands in the README of the crate of agents.

mod agent;
mod check;
mod error;
mod listener;
mod loopback;
mod miniwob;
mod model;
mod play;
mod reading;
mod scripted;
mod served_task;
mod speech;
mod stdio;
mod task;
mod tool;

pub use agent::{Agent, Answered, Situation, Turn, Wanted};
pub use check::{Condition, Must};
pub use error::TasksError;
pub use model::{Context, ModelAgent, ModelOptions, PROMPT_VERSION};
pub use play::{PATIENCE, Played, play};
pub use scripted::Scripted;
pub use served_task::{Folders, ServedTask, Verdict};
pub use stdio::StdioAgent;
pub use task::{Environment, SiteTask, Task, schema};
pub use tool::{
    About, Answer, Asking, Function, Interface, LoopTool, McpTool, OwnLoop, PRESETS, Picture, REPLY, Shell, ShellTool,
    Skill, Tool, ToolCommand,
};
