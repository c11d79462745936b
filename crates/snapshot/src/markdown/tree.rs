//! The typed tree of markdown.
//!
//! In: nothing; plain types that `content` fills. Out: what [`super::write`] writes. Invariants of
//! the *normal form* ([`super::normal`]): text is collapsed and without line ends, no inline is
//! empty, marks of one kind do not nest, tables are rectangles, containers nest at most
//! [`MAX_NESTING`] deep.

/// How deep quotes, lists and definitions may nest; what is deeper is written without its
/// containers.
pub const MAX_NESTING: usize = 16;

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Block {
    /// A heading.
    Heading {
        /// 1 to 6.
        level: u8,
        /// Its text.
        content: Vec<Inline>,
    },
    /// A paragraph.
    Paragraph(Vec<Inline>),
    /// A list.
    List(List),
    /// A block of code.
    Code {
        /// The language as the fence names it; empty for none.
        language: String,
        /// The code, lines ended by `\n`, none at the end.
        text: String,
    },
    /// A block quote.
    Quote(Vec<Block>),
    /// A GFM table.
    Table(Table),
    /// An image that stands alone, with its caption.
    Figure {
        /// The image.
        image: Image,
        /// The caption; may be empty.
        caption: Vec<Inline>,
    },
    /// A definition list: `term` and `: definition` lines.
    Definitions(Vec<Definition>),
    /// A thematic break.
    Rule,
}

/// A list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// The number of the first item; none for a bullet list.
    pub start: Option<u32>,
    /// The items.
    pub items: Vec<Item>,
}

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Whether the task is done; none if the item is no task.
    pub task: Option<bool>,
    /// The blocks of the item.
    pub blocks: Vec<Block>,
}

/// A term and what it means.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Definition {
    /// The term.
    pub term: Vec<Inline>,
    /// The definitions; at least one.
    pub definitions: Vec<Vec<Block>>,
}

/// A table: a rectangle of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The cells of the header row.
    pub header: Vec<Vec<Inline>>,
    /// The other rows.
    pub rows: Vec<Vec<Vec<Inline>>>,
}

impl Table {
    /// Returns all rows, the header first.
    pub(crate) fn all_rows(&self) -> impl Iterator<Item = &Vec<Vec<Inline>>> {
        std::iter::once(&self.header).chain(&self.rows)
    }
}

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    /// Where it is.
    pub url: String,
    /// What it shows.
    pub alt: String,
}

/// A part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Inline {
    /// Plain text.
    Text(String),
    /// Emphasis.
    Emphasis(Vec<Inline>),
    /// Strong emphasis.
    Strong(Vec<Inline>),
    /// Struck text (GFM).
    Strike(Vec<Inline>),
    /// Code.
    Code(String),
    /// A link.
    Link {
        /// Where it leads.
        url: String,
        /// Its text.
        content: Vec<Inline>,
    },
    /// An image within a line.
    Image(Image),
    /// A hard line break.
    Break,
}

impl Inline {
    /// Returns a piece of plain text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }
}

impl Block {
    /// Returns the plain text of the block: no markup, cells and items parted by blanks or line
    /// ends.
    pub fn plain_text(&self) -> String {
        let mut out = String::new();
        push_block(self, &mut out);
        out
    }

    /// Returns the number of words: runs of non-blank characters with a letter or digit in them.
    pub fn words(&self) -> usize {
        count_words(&self.plain_text())
    }
}

/// Returns the number of words of a text: runs of non-blank characters with a letter or digit in
/// them.
fn count_words(text: &str) -> usize {
    text.split_whitespace().filter(|word| word.chars().any(char::is_alphanumeric)).count()
}

/// Returns the plain text of inlines, breaks as line ends, images as nothing.
pub fn plain_text(inlines: &[Inline]) -> String {
    let mut out = String::new();
    push_plain(inlines, &mut out);
    out
}

/// Appends the plain text of inlines.
fn push_plain(inlines: &[Inline], out: &mut String) {
    for inline in inlines {
        match inline {
            Inline::Text(text) | Inline::Code(text) => out.push_str(text),
            Inline::Emphasis(content)
            | Inline::Strong(content)
            | Inline::Strike(content)
            | Inline::Link { content, .. } => push_plain(content, out),
            Inline::Image(_) => {}
            Inline::Break => out.push('\n'),
        }
    }
}

/// Appends a block's text; a line end after every block, item and row.
fn push_block(block: &Block, out: &mut String) {
    match block {
        Block::Heading { content, .. } | Block::Paragraph(content) | Block::Figure { caption: content, .. } => {
            push_plain(content, out);
        }
        Block::List(list) => list.items.iter().flat_map(|item| &item.blocks).for_each(|block| push_block(block, out)),
        Block::Code { text, .. } => out.push_str(text),
        Block::Quote(blocks) => blocks.iter().for_each(|block| push_block(block, out)),
        Block::Table(table) => {
            for row in table.all_rows() {
                for cell in row {
                    push_plain(cell, out);
                    out.push(' ');
                }
                out.push('\n');
            }
        }
        Block::Definitions(definitions) => {
            for definition in definitions {
                push_plain(&definition.term, out);
                out.push('\n');
                definition.definitions.iter().flatten().for_each(|block| push_block(block, out));
            }
        }
        Block::Rule => {}
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
}
