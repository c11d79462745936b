//! Console, network and DOM answers that fit a context window.
//!
//! In: a typed query and any [`browserlens_core::strategy::PageSource`]. Out: a typed [`Answer`]: a page
//! of data, how much there is, which filters were applied, what was cut, where to go on.
//! Invariants: nothing is cut without a mark that says how much; a cursor goes on with its own
//! query and source or is refused with the reason; paging gives every row exactly once; nothing
//! here reads a clock or holds a body whole.
//!
//! Which should I use? [`Inspector::summary`] first: counts by level, status and domain. Then
//! [`Inspector::console`] and [`Inspector::network`] with the filters it suggests;
//! [`Inspector::dom`] for a part of the page; [`Inspector::html`] and [`Inspector::text`] to read
//! it; [`Inspector::call`] where tool and arguments come as JSON.

mod answer;
mod body;
mod compact;
mod console;
mod cursor;
mod dom;
mod error;
pub mod har;
mod inspector;
mod limits;
mod markup;
mod network;
mod pages;
mod presets;
mod query;
pub mod schema;
pub mod stream;
mod summary;

pub use answer::{Answer, Newer, Sizes, Truncation};
pub use body::Body;
pub use compact::compact;
pub use console::{ConsoleAnswer, ConsoleRow, Level};
pub use cursor::{CursorKey, UnixMillis};
pub use dom::{DomAnswer, DomNode};
pub use error::InspectError;
pub use inspector::{Inspector, TOOLS, ToolSchema, tools};
pub use limits::{LimitError, Limits, SETTINGS, Setting};
pub use markup::{HtmlAnswer, TextAnswer};
pub use network::{NetworkAnswer, NetworkRow};
pub use presets::{Preset, Presets, PresetsError};
pub use query::{
    ConsoleQuery, DomQuery, HtmlQuery, NetworkQuery, OneOrMany, StatusFilter, SummaryQuery, TextQuery,
    read as read_query,
};
pub use summary::{Counted, Durations, Summary, SummaryAnswer};
