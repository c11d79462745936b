//! One session of an agent: what it is shown of a page, what its refs mean, and the tools by which
//! it looks and acts, over a live browser or a trace.
//!
//! In: calls of tools. Out: what the crates that are joined here say: the lens, snapshots, reading,
//! inspection, knowledge. The MCP and HTTP server, the commands of `page` and Python are doors to
//! it. Invariants: sessions know nothing of each other; a ref is never acted on as another element;
//! text of a page cannot forge the structure of an answer.
//!
//! ```no_run
//! # #[cfg(feature = "live")]
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use browserlens_recorder::{LiveBrowser, LiveOptions};
//! use browserlens_session::Session;
//! use serde_json::json;
//!
//! let options = LiveOptions::default();
//! let mut session = Session::over(LiveBrowser::open("https://shop.test/", &options)?, options)?;
//! let page = session.observation(false, None)?;
//! assert!(page.text.starts_with("[FULL PAGE STATE"));
//! // An agent reads the refs from the text; an action answers with what it changed.
//! session.call("type", json!({ "ref": "@e5", "text": "laptop" }))?;
//! println!("{}", session.call("click", json!({ "ref": "@e6" }))?.text);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "live"))]
//! # fn main() {}
//! ```

mod answer;
mod args;
mod check;
mod error;
mod knowledge;
#[cfg(feature = "live")]
mod live;
mod policy;
#[cfg(feature = "live")]
mod proxy;
#[cfg(feature = "live")]
mod record;
mod session;
mod shared;
mod source;
mod tools;

pub use answer::Answer;
pub use args::{Nothing, read as read_arguments};
pub use browserlens_inspect::schema::of as schema_of;
pub use browserlens_knowledge::protocol::{AgentInstruction, AgentResponse};
pub use error::{PartError, ToolError};
pub use knowledge::KnowledgeBase;
#[cfg(feature = "live")]
pub use live::LiveOpener;
pub use policy::{Policy, is_public};
#[cfg(feature = "live")]
pub use record::{RecordingOptions, recording};
pub use session::{DEFAULT_BUDGET, DEFAULT_STRATEGY, SeenRef, Session, View};
pub use shared::{Shared, Witness, WitnessMaker};
pub use source::{Act, Opener, Setting, Source, TabLine, TraceOpener, Undone, taken};
pub use tools::{INSTRUCTIONS, Tool, ToolGroup, allowed, plain_schema, short_schema, tool_list, tools};
