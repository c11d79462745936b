//! What agents did with a tool: one record a run, and what it cost.
//!
//! In: transcripts of agents. Out: [`RunRecord`]s, their files, and [`RunCosts`]. Invariants: what a
//! record holds is never asked for again, so that numbers come from files alone; a record that ends
//! early says where; secrets are replaced before anything is written.
//!
//! The format of the files stands in the crate's README.

mod cost;
mod error;
mod import;
mod prices;
mod record;
mod seal;

pub use cost::{ErrorKind, OWN_WORDS, RunCosts};
pub use error::AgentsError;
pub use import::{Format, Given, image_size, import};
pub use prices::{Price, Prices};
pub use record::{Agent, Call, End, EndReason, FORMAT, Header, RunRecord, Usage, VERSION};
pub use seal::RunWriter;
