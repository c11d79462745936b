//! One MCP server and HTTP API over a live browser or a trace.
//!
//! In: calls of tools, over stdio, HTTP or a socket. Out: what a session of
//! [`browserlens_session`] says. Invariants: no logic of its own; each client has a session and a
//! thread of its own; nothing that a client typed is logged.
//!
//! Which should I use? [`serve_stdio`] for one client of the MCP kind; [`serve_http`] for many, MCP
//! and HTTP alike; [`serve_socket`] for the commands of one user, and [`serve_watch`] to look on;
//! [`browserlens_session::Session`] alone to call tools from Rust.

mod desk;
mod feed;
mod gate;
mod guide;
mod http;
mod mcp;
mod metrics;
mod openapi;
mod seats;
mod sessions;
mod stdio;
mod watch;
mod worker;

pub use desk::{Desk, Watched};
pub use feed::Told;
pub use gate::{Access, Refusal};
pub use http::{HttpOptions, Listening, serve as serve_http};
pub use mcp::McpClient;
pub use metrics::Metrics;
pub use seats::{Seat, Seats};
pub use sessions::{Open, Reply, Request, ask, serve_desk, serve_socket};
pub use stdio::{ServeError, serve_stdio, serve_streams};
pub use watch::{Watching, serve_watch};
pub use worker::Worker;
