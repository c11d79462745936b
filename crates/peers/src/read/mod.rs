//! Reading what a tool wrote: text to [`Reading`], without the page.
//!
//! A tool's own format is read in its folder; what they share, and formats that are nobody's, are
//! here. No parser panics, whatever the text; equal texts read equally.

mod ax_json;
pub mod html;
mod markdown;
mod markdown_inline;
mod node;
pub(crate) mod outline;
pub mod plain;
mod state;
pub mod tags;
pub mod text;

pub use node::{Mark, ReadNode, Reading};
pub use text::Haystack;

use crate::tool::Format;

/// How the texts of one run are read.
#[derive(Debug)]
pub enum TextReader {
    /// Each text stands alone.
    Standing(fn(&str) -> Reading),
    /// A text may change what those before it said.
    Held(Box<dyn HeldText>),
}

/// The texts of a run of which later ones change earlier ones.
pub trait HeldText: std::fmt::Debug + Send {
    /// Reads the next text and returns what can be read in all of them.
    fn read(&mut self, text: &str) -> Reading;
}

/// JSON of `Accessibility.getFullAXTree`.
pub(crate) static AX_JSON: Format = Format::without_lines("ax-json", || TextReader::Standing(ax_json::parse));
/// HTML.
pub(crate) static HTML: Format = Format::without_lines("html", || TextReader::Standing(html::parse));
/// Markdown.
pub(crate) static MARKDOWN: Format = Format::new("markdown", || TextReader::Standing(markdown::parse));
/// Text without structure.
pub(crate) static PLAIN: Format = Format::without_lines("plain", || TextReader::Standing(plain::parse));
