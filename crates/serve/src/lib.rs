//! One MCP server and HTTP API over a live browser or a trace.
//!
//! In: calls of tools, over stdio or HTTP. Out: what the crates that are joined here say: the lens,
//! snapshots, reading, inspection, knowledge. Invariants: no logic of its own; clients know nothing
//! of each other; a ref is never acted on as another element; nothing that a client typed is
//! logged; text of a page cannot forge the structure of an answer.
//!
//! Which should I use? [`serve_stdio`] for one client of the MCP kind; [`serve_http`] for many, MCP
//! and HTTP alike; [`serve_socket`] for the commands of one user, and [`serve_watch`] to look on;
//! [`Client`] alone to call tools from Rust.

mod answer;
mod args;
mod check;
mod client;
mod desk;
mod error;
mod feed;
mod gate;
mod http;
mod knowledge;
#[cfg(feature = "live")]
mod live;
mod mcp;
mod metrics;
mod openapi;
mod policy;
#[cfg(feature = "live")]
mod proxy;
#[cfg(feature = "live")]
mod record;
mod seats;
mod sessions;
mod shared;
mod source;
mod stdio;
mod tools;
mod watch;
mod worker;

pub use answer::Answer;
pub use client::{Client, DEFAULT_BUDGET, DEFAULT_STRATEGY, SeenRef, View};
pub use desk::{Desk, Watched};
pub use error::ToolError;
pub use feed::Told;
pub use gate::{Access, Refusal};
pub use http::{HttpOptions, Listening, serve as serve_http};
pub use knowledge::KnowledgeBase;
#[cfg(feature = "live")]
pub use live::LiveOpener;
pub use mcp::McpClient;
pub use metrics::Metrics;
pub use policy::{Policy, is_public};
#[cfg(feature = "live")]
pub use record::{RecordingOptions, recording};
pub use seats::{Seat, Seats};
pub use sessions::{Open, Reply, Request, ask, serve_desk, serve_socket};
pub use shared::{Shared, Witness, WitnessMaker};
pub use source::{Act, Opener, Setting, Source, TabLine, TraceOpener, Undone};
pub use stdio::{ServeError, serve_stdio, serve_streams};
pub use tools::{INSTRUCTIONS, Tool, ToolGroup, plain_schema, short_schema, tool_list, tools};
pub use watch::{Watching, serve_watch};
pub use worker::Worker;
