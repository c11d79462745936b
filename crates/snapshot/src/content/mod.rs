//! Content: what a person reads on a page, as typed sections, and the two formats that show it.
//!
//! In: a [`Page`], the nodes to read below, options, and a function that says the semantic path of
//! a node. Out: [`Section`]s in document order; [`write_tree`] and [`write_markdown`] write them.
//! Invariants: each visible word stands in exactly one section, in the page's order, across frames
//! and shadow roots; hidden text is left out unless it was asked for; nothing here recurses on the
//! depth of a page.
//!
//! What is a section: a landmark, `article`, `section`, `dialog`, or the document of a frame,
//! unless it stands within a list, table, quote or link. What a section says itself, before,
//! between and after the sections inside it, is a [`Section`] of its path each time.

mod boxes;
mod cut;
mod fields;
mod table;
mod tree_read;
mod tree_text;
mod walk;

pub use tree_read::{Tree, TreeError, TreeSection, read_tree};
pub use tree_text::write_tree;

use crate::markdown::{self, Block, WriteOptions};
use browserlens_page::{NodeId, NodeRef, Page};

/// What is read of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ContentOptions {
    /// At most this many characters of text per section; 0 keeps the sections' paths and sizes
    /// alone. None keeps all.
    pub max_length: Option<usize>,
    /// Keeps where links lead (seen in markdown).
    pub include_links: bool,
    /// Keeps images (seen in markdown).
    pub include_images: bool,
    /// Reads text that cannot be seen, too.
    pub include_hidden: bool,
}

/// What one section of a page says itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The element (or document) that is the section.
    pub node: NodeId,
    /// Its semantic path.
    pub path: String,
    /// Words in it, those that were cut off included.
    pub words: usize,
    /// Its blocks in markdown's normal form, cut to [`ContentOptions::max_length`].
    pub blocks: Vec<Block>,
    /// Whether something was cut off.
    pub truncated: bool,
}

impl Section {
    /// Returns the number of words that are shown.
    pub fn shown_words(&self) -> usize {
        if self.truncated { self.blocks.iter().map(Block::words).sum() } else { self.words }
    }
}

/// What stands above the sections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// URL of the page.
    pub url: &'a str,
    /// Title of the page.
    pub title: &'a str,
    /// The pattern that sections were filtered by.
    pub grep: Option<&'a str>,
}

impl<'a> Header<'a> {
    /// Returns the header of a page that is not filtered.
    pub fn of(page: &'a Page) -> Self {
        Self { url: page.url(), title: page.title(), grep: None }
    }
}

/// Reads the sections below `roots` (`&[NodeId::ROOT]` for the whole page); a root below another
/// root is read once.
///
/// `path` says the semantic path of a node; it is asked once a section.
pub fn sections(
    page: &Page,
    roots: &[NodeId],
    options: &ContentOptions,
    path: impl Fn(NodeRef<'_>) -> String,
) -> Vec<Section> {
    let mut roots: Vec<NodeId> = roots.iter().copied().filter(|root| root.index() < page.len()).collect();
    roots.sort_unstable();
    let mut found = Vec::new();
    let mut end = 0;
    for root in roots {
        if root.0 < end {
            continue;
        }
        end = page.node(root).end();
        walk::read(page.node(root), options, &mut found);
    }
    let mut sections = Vec::with_capacity(found.len());
    for (node, blocks) in found {
        let words = blocks.iter().map(Block::words).sum();
        let (blocks, truncated) = match options.max_length {
            Some(length) => cut::cut(blocks, length),
            None => (blocks, false),
        };
        let path = Some(path(page.node(node))).filter(|path| !path.is_empty()).unwrap_or_else(|| "/".to_owned());
        sections.push(Section { node, path, words, blocks, truncated });
    }
    sections
}

/// Writes sections as markdown with comments that say where each comes from.
pub fn write_markdown(header: &Header<'_>, sections: &[Section]) -> String {
    let mut out = String::new();
    markdown::write_source(&mut out, Some(header.url));
    for section in sections {
        markdown::write_part(&mut out, Some(&section.path), &section.blocks, WriteOptions::default());
    }
    markdown::write_end(&mut out, sections.iter().map(Section::shown_words).sum::<usize>() as u64);
    out
}

#[cfg(test)]
mod tests;
