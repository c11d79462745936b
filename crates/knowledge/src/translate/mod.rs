//! Actions of the knowledge, said as calls of an agent's tools: browser-use's, or our server's.
//!
//! In: an [`ActionDefinition`](crate::ActionDefinition), a [`Profile`], and if there is one the
//! page it is to be done on. Out: one or more [`BrowserUseAction`](crate::BrowserUseAction)s, each
//! valid by its tool's schema, or an error that names what is wrong. Invariants: an index is the
//! backend node id of a node of the given page; what is ambiguous is an error, never a guess; text
//! of others becomes a selector only after it was parsed as one, a URL only after its scheme was
//! looked at, and a script never: it goes into fixed scripts as data.

mod catalogue;
mod error;
mod find;
mod kind;
mod locate;
pub(crate) mod nearest;
mod profile;
mod resolve;
mod script;
mod tools;

pub use catalogue::Tool;
pub use error::TranslateError;
pub use kind::ActionType;
pub use profile::Profile;
pub use resolve::{Wanted, resolve};
pub(crate) use tools::object;
pub use tools::{BY_SCRIPT, Context, PlaceholderFile, Refs, as_done, chord, placeholder, translate};

pub(crate) use error::{list, shown};
