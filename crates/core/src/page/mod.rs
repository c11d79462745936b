//! One capture as one tree.
//!
//! In: the payloads of a capture (raw CDP JSON in canonical form). Out: a [`Page`]: the DOM
//! snapshot and the accessibility tree of every frame joined into one arena in document order,
//! frames and shadow roots in place. Invariants: parsing never panics, whatever the JSON; nothing
//! here does I/O or knows strategies, SQLite or Chromium; equal payloads give equal pages, and a
//! page survives [`Page::pack`] and [`Page::unpack`] unchanged.

mod build;
pub mod capture;
mod codec;
mod flow;
mod hash;
pub mod html;
mod js_text;
mod node;
mod parse;
pub mod role;
mod second_look;
pub mod select;
pub mod text;
mod tree;
mod visible_text;

pub use build::{NodeSpec, PageBuilder};
pub use capture::{Capture, FrameProbe, Payload, PayloadKind, SecondLook};
pub use codec::{PACKED_FORMAT_VERSION, UnpackError};
pub use flow::Flow;
pub use hash::PageHash;
pub use js_text::{is_js_space, js_trim, utf16_prefix};
pub use node::{
    BoxInDocument, BoxInViewport, Clickability, Flags, FrameId, NodeId, NodeKey, NodeKind, ScrollOffset, States, Tri,
    Viewport, Visibility,
};
pub use parse::{ParseError, Parts, raw};
pub use tree::{Frame, NodeRef, Page, Strings, Sym};
pub use visible_text::visible_text;
