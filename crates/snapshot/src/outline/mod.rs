//! The outline of a page: its landmarks, headings and parts, how much is in each, and the path that
//! brings it.
//!
//! In: a [`Page`](browserlens_core::page::Page). Out: an [`Outline`] and its text.
//! Invariants: every landmark and heading that is
//! shown has a line, or lies in a repeated sibling that a line `TEXT "+N more …"` counts; a line
//! costs at most [`MOST_TOKENS`] tokens unless its path alone costs more, or it is a heading: those
//! are whole up to 200 characters; text of the page is quoted and escaped.
//!
//! ```text
//! outline  = header [ newline { newline line } [ newline cut ] ]          a blank line after the header
//! header   = "PAGE: " bare " | " bare " | viewport=" W "x" H newline      URL, title
//!            "OUTLINE: landmarks=" N " sections=" N " headings=" N " words=" N [ " grep=" bare ]
//! line     = { "  " } ROLE [ " level=" N ] [ " " quoted ] [ " [" meta { ", " meta } "]" ] [ " " path ]
//! cut      = "CUT [" N " lines left; max depth " N " shows all]"
//! ROLE     = BANNER | NAVIGATION | MAIN | ASIDE | CONTENTINFO | SEARCH | FORM | REGION | ARTICLE | DIALOG | IFRAME
//!          | HEADING | PARAGRAPH | LIST | TABLE | CODE | BLOCKQUOTE | FIGURE | IMG | TEXT
//! meta     = N " words" | N " items" | N " paragraphs" | N " links" | N " lines" | "preview"
//! path     as in `crate::path`; quoted and bare escape as the lens does (`browserlens_lens::format::escape`)
//! ```
//!
//! What the lines say:
//!
//! - *Landmarks and parts* nest; their words are those of everything in them. `REGION` is a
//!   `section`, named by its accessible name, else by its id or class; an only `article` without a
//!   name gives way to what is in it. Banner, navigation and contentinfo count their links and list
//!   only headings and landmarks; a navigation that holds all links of what is around it does not
//!   count them again.
//! - `PARAGRAPH [2 paragraphs]` stands for paragraphs one after the other, its path leads to the
//!   first. `items` of a `TABLE` are its rows.
//! - `IMG` is an image with a name, or a canvas.
//! - `TEXT [54 words] path` stands for text outside of paragraphs and lists, ten words or more,
//!   where it lies.
//! - *Repeated siblings*: of four or more in a row of one kind (articles, items or cards that hold
//!   headings, lists, figures, images), two are shown and `TEXT "+15 more comments"` counts the
//!   others. Sections and landmarks are never folded, nor what holds one, nor items of more than
//!   150 words on average that are no articles.
//! - `[preview]`: the name is the beginning of a longer text, of a heading its first 200 characters.
//!   Another name that is too long ends in `...`.
//! - *Words* are those of the content of the same element, counted by the same code.
//! - With `grep`, lines whose path or words match stay, with the lines they stand in and as many
//!   around as were asked for; where what a path matches has no line, the nearest lines in it stand
//!   for it. What is kept for its words is not folded.
//! - In the header, `landmarks` counts those that lie in no other, `sections` the sectioning
//!   elements (`article`, `section`, `nav`, `aside`) that are no repeated siblings, `headings` and
//!   `words` all that are shown on the page; a selector or `grep` changes none of them.

mod build;
mod costs;
mod kind;
mod lines;
mod write;

pub use build::{Built, OutlineOptions, build};
pub(crate) use write::write_line;
pub use write::{write, write_html, write_markdown};

use crate::path::Path;
use browserlens_core::named;

/// Most tokens of a line (o200k_base) that is no heading.
pub const MOST_TOKENS: u32 = 25;
/// Deepest nesting of lines: what lies deeper stands there too.
pub const DEEPEST: usize = 16;

named! {
    /// What a line stands for; first those whose lines hold others.
    pub enum Role {
        /// Head of the page.
        Banner = "BANNER",
        /// Links that lead on.
        Navigation = "NAVIGATION",
        /// What the page is about.
        Main = "MAIN",
        /// What goes beside it.
        Aside = "ASIDE",
        /// Foot of the page.
        Contentinfo = "CONTENTINFO",
        /// A search.
        Search = "SEARCH",
        /// A form.
        Form = "FORM",
        /// A section.
        Region = "REGION",
        /// Something that stands for itself: a post, a comment, a product.
        Article = "ARTICLE",
        /// A dialog.
        Dialog = "DIALOG",
        /// Another document in the page.
        Iframe = "IFRAME",
        /// A heading.
        Heading = "HEADING",
        /// Paragraphs.
        Paragraph = "PARAGRAPH",
        /// A list.
        List = "LIST",
        /// A table.
        Table = "TABLE",
        /// Preformatted text.
        Code = "CODE",
        /// A quotation.
        Blockquote = "BLOCKQUOTE",
        /// A figure.
        Figure = "FIGURE",
        /// An image.
        Img = "IMG",
        /// Text, or a note that counts what was folded.
        Text = "TEXT",
    }
}

impl Role {
    /// Returns whether lines of the role hold others.
    pub fn is_part(self) -> bool {
        self <= Self::Iframe
    }
}

/// What stands in the brackets of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meta {
    /// Words, about.
    Words(u32),
    /// Items of a list, rows of a table.
    Items(u32),
    /// Paragraphs.
    Paragraphs(u32),
    /// Links.
    Links(u32),
    /// Lines of code.
    Lines(u32),
    /// The name is the beginning of a longer text.
    Preview,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Nesting, from 0.
    pub depth: usize,
    /// What it stands for.
    pub role: Role,
    /// Level of a heading.
    pub level: Option<u8>,
    /// Name, or beginning of the text; empty if none.
    pub name: String,
    /// How much is in it.
    pub meta: Vec<Meta>,
    /// The path that brings it; none of a note.
    pub path: Option<Path>,
}

/// What the header counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Landmarks that lie in no other.
    pub landmarks: u32,
    /// Sectioning elements that are no repeated siblings.
    pub sections: u32,
    /// Headings.
    pub headings: u32,
    /// Words.
    pub words: u32,
}

/// An outline.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// URL of the page.
    pub url: String,
    /// Title of the page.
    pub title: String,
    /// Width and height of the viewport, in CSS px.
    pub viewport: (u32, u32),
    /// What the header counts.
    pub totals: Totals,
    /// The pattern that the lines were filtered by; empty if they were not.
    pub grep: String,
    /// The lines.
    pub lines: Vec<Line>,
    /// How many lines lie deeper than was asked for, and which depth shows them all.
    pub deeper: Option<(usize, usize)>,
}

impl Outline {
    /// Says what lies deeper than was asked for.
    pub(crate) fn cut(&self) -> Option<String> {
        self.deeper.map(|(lines, depth)| format!("{lines} lines left; max depth {depth} shows all"))
    }
}
