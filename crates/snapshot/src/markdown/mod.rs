//! Markdown: a typed tree, its writer and its reader.
//!
//! In: a [`Document`], or text. Out: the other. Invariant: `parse(write(tree))` is the tree in
//! normal form, whatever text is in it.
//!
//! The reader stands on pulldown-cmark. Beside CommonMark it knows GFM tables, task lists and
//! struck text, and definition lists (`term` and `: definition`, which a reader without them shows
//! as paragraphs).

mod inline;
mod normal;
mod outline;
mod parse;
mod tree;
mod write;

pub(crate) use inline::{InlineContext, Mark, Piece, PieceKind, build, clean_line, clean_url};
pub use normal::normalise;
pub(crate) use normal::{clean_code, clean_title, normalise_blocks, normalise_built};
pub use outline::{Section, outline};
pub(crate) use parse::extensions;
pub use parse::parse;
pub use tree::{
    Align, Block, Definition, Document, Image, Inline, Item, List, MAX_NESTING, Part, Table, count_words, plain_text,
};
pub use write::{WriteOptions, write};
pub(crate) use write::{write_end, write_note, write_part, write_source};

#[cfg(test)]
pub(crate) mod tests;
