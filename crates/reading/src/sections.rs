//! A page's text in sections: what stands under each heading.
//!
//! In: a [`Page`] and where to cut. Out: an [`Extraction`]: title, counts, sections, blocks and the
//! full text, whole. Invariants: every block belongs to exactly one section; sections are in
//! document order; text before the first heading is a section of level 0; the sections' texts
//! joined by an empty line are the full text. Nothing is cut off.

use crate::blocks::{Block, BlockKind, blocks};
use browserlens_page::Page;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// What parts blocks from each other in a text.
const BETWEEN: &str = "\n\n";

/// Which headings begin a section.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// Levels 1 to 3; deeper headings are content.
    H3,
    /// Every level.
    #[default]
    All,
}

impl Cut {
    /// Returns the deepest level that begins a section.
    pub fn deepest(self) -> u8 {
        match self {
            Self::H3 => 3,
            Self::All => u8::MAX,
        }
    }
}

/// What stands under one heading, up to the next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading's text; empty before the first heading.
    pub heading: String,
    /// The heading's level; 0 before the first heading.
    pub level: u8,
    /// The blocks' texts, without the heading's.
    pub content: String,
    /// Where the heading stands; before the first heading, where the first block does.
    pub xpath: String,
    /// Its number among the sections, from 0.
    pub position: u32,
    /// The positions of the sections that it lies in, outermost first.
    pub trail: Vec<u32>,
    /// Its blocks, the heading first.
    pub blocks: Range<usize>,
}

impl Section {
    /// Returns heading and content.
    pub fn text(&self) -> String {
        match (self.heading.is_empty(), self.content.is_empty()) {
            (true, _) => self.content.clone(),
            (_, true) => self.heading.clone(),
            _ => [&self.heading, BETWEEN, &self.content].concat(),
        }
    }
}

/// What a page says, in its structure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    /// Title of the page.
    pub title: String,
    /// URL of the page.
    pub url: String,
    /// Words of the full text.
    pub word_count: u64,
    /// Whether a heading was found.
    pub has_headings: bool,
    /// The sections.
    pub sections: Vec<Section>,
    /// The blocks.
    pub blocks: Vec<Block>,
    /// The blocks' texts, an empty line between two.
    pub full_text: String,
}

/// Reads a page into sections.
pub fn extract(page: &Page, cut: Cut) -> Extraction {
    Extraction::of(page.title(), page.url(), blocks(page), cut)
}

impl Extraction {
    /// Cuts blocks into sections.
    pub fn of(title: &str, url: &str, blocks: Vec<Block>, cut: Cut) -> Self {
        let words = blocks.iter().map(|block| block.text.split_whitespace().count() as u64).sum();
        Self::counted(title.to_owned(), url.to_owned(), blocks, cut, words)
    }

    /// Cuts blocks into sections, their words counted before.
    pub(crate) fn counted(title: String, url: String, blocks: Vec<Block>, cut: Cut, word_count: u64) -> Self {
        let mut sections: Vec<Section> = Vec::new();
        // Position and level of the sections that the next block lies in.
        let mut open: Vec<(u32, u8)> = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let position = sections.len() as u32;
            match block.kind {
                BlockKind::Heading { level } if level <= cut.deepest() => {
                    while open.last().is_some_and(|(_, above)| *above >= level) {
                        open.pop();
                    }
                    sections.push(Section {
                        heading: block.text.clone(),
                        level,
                        content: String::new(),
                        xpath: block.xpath.clone(),
                        position,
                        trail: open.iter().map(|(position, _)| *position).collect(),
                        blocks: index..index + 1,
                    });
                    open.push((position, level));
                }
                _ => {
                    if sections.is_empty() {
                        sections.push(Section {
                            heading: String::new(),
                            level: 0,
                            content: String::new(),
                            xpath: block.xpath.clone(),
                            position,
                            trail: Vec::new(),
                            blocks: index..index,
                        });
                    }
                    if let Some(section) = sections.last_mut() {
                        join(&mut section.content, &block.text);
                        section.blocks.end = index + 1;
                    }
                }
            }
        }
        let mut full_text = String::with_capacity(blocks.iter().map(|block| block.text.len() + BETWEEN.len()).sum());
        blocks.iter().for_each(|block| join(&mut full_text, &block.text));
        Self {
            title,
            url,
            word_count,
            has_headings: blocks.iter().any(|block| matches!(block.kind, BlockKind::Heading { .. })),
            sections,
            blocks,
            full_text,
        }
    }

    /// Returns at most `limit` sections from number `offset` on.
    pub fn range(&self, offset: usize, limit: usize) -> &[Section] {
        let start = offset.min(self.sections.len());
        &self.sections[start..start.saturating_add(limit).min(self.sections.len())]
    }

    /// Returns a section and everything that lies in it: itself first, then the sections under it.
    pub fn under(&self, position: u32) -> &[Section] {
        let Some(section) = self.sections.get(position as usize) else { return &[] };
        let after = &self.sections[position as usize + 1..];
        // Before the first heading nothing lies in another.
        let inner =
            if section.level == 0 { 0 } else { after.iter().take_while(|inner| inner.level > section.level).count() };
        &self.sections[position as usize..=position as usize + inner]
    }

    /// Returns the headings above a section, outermost first.
    pub fn headings_above(&self, section: &Section) -> impl Iterator<Item = &str> {
        section.trail.iter().filter_map(|above| self.sections.get(*above as usize)).map(|above| above.heading.as_str())
    }
}

fn join(text: &mut String, more: &str) {
    if !text.is_empty() {
        text.push_str(BETWEEN);
    }
    text.push_str(more);
}

#[cfg(test)]
mod tests;
