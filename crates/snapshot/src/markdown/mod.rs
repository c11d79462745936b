//! Markdown: a typed tree and its writer.
//!
//! In: [`Block`]s. Out: CommonMark with GFM tables, task lists and struck text, and definition lists
//! (`term` and `: definition`, which a reader without them shows as paragraphs). Invariant: a reader
//! of CommonMark takes what is written for the tree in normal form, whatever text is in it.

mod inline;
mod normal;
mod tree;
mod write;

pub(crate) use inline::{InlineContext, Mark, Piece, PieceKind, build, clean_line, clean_url};
pub(crate) use normal::{clean_code, clean_title, normalise_blocks, normalise_built};
pub use tree::{Block, Definition, Image, Inline, Item, List, MAX_NESTING, Table, plain_text};
pub(crate) use write::{write_end, write_note, write_part, write_source};

#[cfg(test)]
pub(crate) mod tests;
