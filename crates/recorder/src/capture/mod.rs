//! How the current tab is read: whole, as a trace keeps it, or fast, for who looks on live.
//!
//! Both give a [`Look`], and a [`ParsedCapture`] is made of either in one way. A page of a fast
//! look differs from a whole one's in no box, style or text; a *torn* look (the page changed
//! meanwhile) says so. Node numbers are given in document order, whichever process answered first.

mod entities;
mod fast;
mod look;
mod parsed;

pub use fast::LookWay;
pub(crate) use fast::{FastState, Found};
pub(crate) use look::{Depth, Heard, LOOK_LIMIT, Look, LookedFrame, RawPayload, mutations_of, snapshot_params};
pub(crate) use parsed::{Columns, ElementTree, ParsedCapture};
