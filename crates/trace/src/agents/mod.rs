//! What agents did with a tool: one record a run, and what it cost.
//!
//! In: transcripts of agents. Out: [`RunRecord`]s, their files, and [`RunCosts`]. Invariants: what a
//! record holds is never asked for again, so that numbers come from files alone; a record that ends
//! early says where; secrets are replaced before anything is written.
//!
//! The format of the files stands in `docs/agent-runs.md`.

mod call_cost;
mod cost;
mod error;
mod import;
mod link;
mod prices;
mod record;
mod seal;

pub use call_cost::{CallCost, CallCosts, Waste};
pub use cost::{ErrorKind, OWN_WORDS, RunCosts};
pub use error::AgentsError;
pub use import::{Format, Given, image_size, import};
pub use link::{link, trace_of};
pub use prices::{Price, Prices};
pub use record::{Agent, Call, End, EndReason, FORMAT, Header, RunRecord, TextTokens, Usage, VERSION};
pub use seal::RunWriter;
